"""What a search of the engine in the working folder gives on a fixed set of spaces, and what notices when it is wrong.

``python -m benchmarks.mutated FILE SYSTEMS [large]`` writes one record per space and method; `benchmarks.mutations`
starts it in copies of the engine with a fault in them and in one without.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import dse
from benchmarks.flat import thinned
from benchmarks.odd_numbers import _odd_problems
from benchmarks.synthetic import problem as synthetic
from dse import Study
from dse.analysis.verify.proofs import check_proofs
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.run.disk.ledger import BlockLedger
from dse.run.disk.ledger_tables import read_evidence
from dse.run.result.self_check import check_frontier
from dse.search.bundles import bundles
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.proof import reduction
from dse.search.start import warm_start

__all__ = ["records", "spaces"]

# These are small: auto takes the plain search. Groups find nothing to prune in topologies.
STUDIES = {
    "ska-correlator": ("auto", "bundles", "groups"),
    "graph500-262144-radix-64": ("auto", "bundles", "groups"),
    "topology-break-even": ("auto", "bundles"),
    "processor-graph500": ("groups",),
}
METHODS = ("exhaustive", "bundles", "groups")


@dataclass(frozen=True)
class Space:
    """A space of the set: its kind, its name, what makes it, the methods, and the settings it is searched with."""

    kind: str
    name: str
    make: Callable[[], Problem]
    methods: tuple[str, ...]
    settings: Callable[[], Any]


def spaces(count: int, *, large: bool = True) -> Iterator[Space]:
    """Yield the set: shipped studies, random systems of the tests, and large systems, of which a sample is little."""
    odd, systems = _odd_problems(), sys.modules["engine_problems"]
    for name, methods in STUDIES.items() if large else [*STUDIES.items()][:2]:
        yield Space("shipped", name, partial(_shipped, name), methods, partial(_smaller, None, odd))
    for seed in range(count):
        settings = partial(_smaller, seed, odd)
        made = partial(_random, systems, seed)
        yield Space("random", f"integers, seed {seed}", made, METHODS, settings)
        yield Space("random", f"odd numbers, seed {seed}", partial(_odd, odd, seed), METHODS, settings)
    if large:
        for name, make in LARGE.items():
            yield Space("large", name, partial(make, systems), METHODS, partial(_smaller, None, odd))


def _shipped(name: str) -> Problem:
    return Study.load(name).compiled


def _random(systems: Any, seed: int) -> Problem:
    return systems.random_case(np.random.default_rng(seed), largest=800).problem()


def _odd(odd: Any, seed: int) -> Problem:
    return odd.odd_case(np.random.default_rng(seed)).case.problem()


def _machine(systems: Any, senses: dict[str, str], limits: list[str]) -> Problem:
    """Return nodes of cores at a clock and a network of links: whole numbers, so that ties are frequent; made up."""
    axis, function = systems.axis, systems.function
    axes = (
        axis("cores", range(1, 17)),
        axis("clock", [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
        axis("cache", range(1, 7)),
        axis("nodes", range(1, 41)),
        axis("link", range(1, 9)),
        axis("lanes", range(1, 9)),
        axis("colour", range(2)),
    )
    functions = [
        function("rate", "cores clock cache", lambda cores, clock, cache: cores * clock * np.minimum(cache, 4.0)),
        function("draw", "cores clock cache", lambda cores, clock, cache: cores * clock * clock + cache),
        function("band", "link lanes", lambda link, lanes: link * lanes),
        function("switch", "link lanes", lambda link, lanes: lanes * lanes + 0.5 * link),
        function("compute", "rate nodes", lambda rate, nodes: np.ceil(9000.0 / (rate * nodes))),
        function("transfer", "band nodes", lambda band, nodes: np.ceil(nodes * 24.0 / band)),
        function("time", "compute transfer", lambda a, b: np.maximum(a, b) + 0.25 * np.minimum(a, b)),
        function("power", "draw switch nodes", lambda draw, switch, nodes: nodes * (draw + switch)),
        function("spare", "power nodes", lambda power, nodes: np.floor(9000.0 - power - 3.0 * nodes)),
    ]
    allowed = [systems.Limit(text, None) for text in limits]
    product = systems.Product("", axes)
    return systems.Case([product], functions, senses, allowed).problem()


LARGE: dict[str, Callable[[Any], Problem]] = {
    "whole numbers, two limits": lambda systems: _machine(
        systems, {"time": "min", "power": "min"}, ["power <= 3000", "draw <= 60"]
    ),
    "whole numbers, maximised": lambda systems: _machine(systems, {"spare": "max", "time": "min"}, ["time <= 60"]),
    "synthetic, three objectives": lambda systems: thinned(synthetic(), 3),
}


@contextmanager
def _smaller(seed: int | None, odd: Any) -> Iterator[int | None]:
    """Let small spaces be searched with the settings of large ones, so that these have chunks, levels and merges.

    Without a seed, the settings are those of a user but for the sizes of chunks. Yields the designs per block.
    """
    defaults = [ExhaustiveProduct.__init__.__kwdefaults__, bundles.BundleProduct.__init__.__kwdefaults__]
    before = [dict(some) for some in defaults]
    changed = (reduction, "BLOCK"), (reduction, "_FEW"), (warm_start, "_SMALLEST_SPACE"), (warm_start, "_DESIGNS")
    kept = [getattr(module, name) for module, name in changed]
    try:
        if seed is None:
            defaults[0]["chunk"] = defaults[1]["chunk"] = 150_000
            yield None
            return
        rng = np.random.default_rng([seed, 1])
        settings = (rng.choice([3, 10**6]), rng.choice([1, 16]), rng.choice([0, 10**6]), 100)
        for (module, name), value in zip(changed, settings, strict=True):
            setattr(module, name, int(value))
        with odd.shrunk(rng):
            defaults[0]["chunk"] = int(rng.choice([20, 2**25]))
            defaults[1]["chunk"], defaults[1]["inner"] = int(rng.choice([50, 2**25])), int(rng.integers(1, 9))
            bundles._FEWEST_BOXES = int(rng.choice([4, 50]))  # `shrunk` puts it back
            yield int(rng.integers(1, 60))
    finally:
        for some, old in zip(defaults, before, strict=True):
            some.update(old)
        for (module, name), value in zip(changed, kept, strict=True):
            setattr(module, name, value)


def records(count: int, folder: Path, *, large: bool = True) -> Iterator[dict[str, Any]]:
    """Yield what each search of the set gives and what its check and the look at its proofs say."""
    for space in spaces(count, large=large):
        for method in space.methods:
            with space.settings() as block:
                told = _record(space.make(), SearchOptions(method, block=block), folder)
            yield {"kind": space.kind, "space": space.name, "method": method, **told}


def _record(problem: Problem, options: SearchOptions, folder: Path) -> dict[str, Any]:
    """Search as a run does, up to its files; the proofs are looked at whatever the check says."""
    file = folder / "progress.sqlite"
    file.unlink(missing_ok=True)
    try:
        ledger = BlockLedger(file)
        try:
            result = search(problem, options, ledger=ledger)
            ledger.keep(result.evidence)
        finally:
            ledger.close()
    except (InputError, ModelError) as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    found = hashlib.sha256(result.numbers.tobytes() + np.ascontiguousarray(result.values).tobytes()).hexdigest()
    told: dict[str, Any] = {"frontier": found, "exact": result.certificate.exact, "designs": len(result.numbers)}
    try:
        told["check"] = list(check_frontier(problem, result.numbers, result.values, result.certificate).faults)
    except Exception as error:
        told["check_failed"] = f"{type(error).__name__}: {error}"
    try:
        proofs = check_proofs(
            problem, read_evidence(file), result.numbers, excluded=result.certificate.excluded_by_bound
        )
        told["proofs"] = proofs.faults[:3]
    except Exception as error:
        told["proofs_failed"] = f"{type(error).__name__}: {error}"
    return told


if __name__ == "__main__":
    memory = Path("/dev/shm")  # ledgers wait for the disk otherwise
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
        found = list(records(int(sys.argv[2]), Path(place), large="large" in sys.argv[3:]))
    Path(sys.argv[1]).write_text(json.dumps({"engine": dse.__file__, "records": found}))
