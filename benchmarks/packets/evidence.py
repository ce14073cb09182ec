"""Each case simulated, bounded and computed by the model: the rows of ``spaces/network/simulated-bandwidths.csv``.

``python -m benchmarks.packets.evidence FILE [SIZE ...]`` writes them.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from ctypes import CDLL
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.flow_program import bound_by_lengths, largest_common_rate
from benchmarks.machine import require
from benchmarks.networks import oracle
from benchmarks.packets.cases import SIZES, Case, cases_of, cases_of_study, cases_of_thesis, with_links
from benchmarks.packets.routes import Tables, tables_of
from benchmarks.packets.simulator import Outcome, Switches, compiled, simulate
from dse.models.network import effective_bandwidth
from dse.models.network.graphs.simulated_here import SimulatedRow
from dse.models.network.topologies.skywalk.graph import skywalk_neighbours

__all__ = [
    "BOUNDED",
    "Evidence",
    "bound_of",
    "evidence",
    "flows_of",
    "model_of",
    "network_of",
    "simulated",
    "tables_for",
]

OTHERS = {"thesis": cases_of_thesis, "study": cases_of_study}
EVERY = (*map(str, SIZES), *OTHERS)

BOUNDED = 256
"""Nodes up to which the bound by the best routing is computed."""

RANDOM, LARGE = (1500, 600), 300
"""Packets of a node in random traffic: on machines of up to so many nodes, and on larger ones."""

SOLVED = 25_000
"""Columns up to which its linear program is solved; above, the dual is bounded."""

FAR = 0.05
"""Where an output that serves its queues in turn falls so far below the model, the oldest packet first is tried too."""

_FLOOR = {"row": 8, "width": 6, "depth": 21, "slack": 20, "inside": 20}
"""Cabinets of a row; tenths of a metre."""


@dataclass(frozen=True)
class Evidence(SimulatedRow):
    """One row as the product has it, and what it cost.

    Attributes
    ----------
    packets : int
    seconds : float
        Of the processor, for `simulated`.
    """

    packets: int
    seconds: float

    @property
    def error(self) -> float:
        """The model over the simulation, less 1."""
        return self.ratio - 1.0


def network_of(topology: str, sizes: Mapping[str, Any], routing: str = "minimal", *, bundled: bool = False) -> Any:
    """Return the graph of a machine; parallel links of a tree on their own, or `bundled`."""
    module, linked = oracle(), with_links(topology, sizes)
    if topology == "skywalk":
        return _skywalk(module, linked)
    if topology.startswith("fat-tree") and not bundled:
        return module.real_fat_tree(linked)
    return module.TOPOLOGIES[topology](linked, routing)


def _skywalk(module: ModuleType, sizes: Mapping[str, Any]) -> Any:
    """The links are those of the model, which draws them; lengths of cables (the tags) and paths are made here."""
    switches = [("switch", number) for number in range(sizes["s"])]
    network = module.Network([switch for switch in switches for _ in range(sizes["p"])], sizes["b0"], sizes["l0"])
    for name in ("cabinet", "between"):
        network.class_of_links(name, sizes["b1"], sizes["l1"])
    together = sizes["s"] // sizes["c"]
    near = skywalk_neighbours(sizes["s"], sizes["c"], sizes["k"], sizes["seed"])
    for here, others in enumerate(near.tolist()):
        for there in others:
            if here < there:
                first, second = here // together, there // together
                rows = abs(first // _FLOOR["row"] - second // _FLOOR["row"])
                columns = abs(first % _FLOOR["row"] - second % _FLOOR["row"])
                along = columns * _FLOOR["width"] + rows * _FLOOR["depth"] + _FLOOR["slack"]
                length = _FLOOR["inside"] if first == second else along
                name = "cabinet" if first == second else "between"
                network.connect(switches[here], switches[there], name, (str(length), str(length)))
    return network


def flows_of(case: Case) -> list[list[int]]:
    """Return the destinations of each node; of uniform traffic all others."""
    pattern, options = case.pattern, dict(case.options)
    if pattern == "valiant":
        pattern = options.pop("under")
        options |= {"include_self": False, "step": case.nodes // 2}
    if case.topology == "skywalk":
        # Only the number of nodes counts: that of a mesh.
        return oracle().flows_of("full-mesh", {"a": case.sizes["s"], "p": case.sizes["p"]}, pattern, options)
    return oracle().flows_of(case.topology, case.sizes, pattern, options)


def model_of(case: Case) -> float:
    """Return the bandwidth by `dse.models.network`, B/s."""
    linked = with_links(case.topology, case.sizes)
    given = {name: value for name, value in linked.items() if name in case.sizes or name.startswith("b")}
    if case.pattern == "valiant":
        return float(effective_bandwidth(case.topology, given, "uniform", routing="valiant"))
    routing = case.routing
    return float(effective_bandwidth(case.topology, given, case.pattern, case.options, routing=routing))


@lru_cache(maxsize=1)
def _library() -> CDLL:
    library = compiled(Path(tempfile.mkdtemp(prefix="packets-")))
    require(library is not None, "there is no C compiler")
    assert library is not None
    return library


def tables_for(case: Case) -> Tables:
    """Return the tables of the machine of a case."""
    routing = "minimal" if case.routing == "valiant" else case.routing
    return _tables(case.topology, tuple(case.sizes.items()), routing)


@lru_cache(maxsize=2)
def _tables(topology: str, sizes: tuple[tuple[str, Any], ...], routing: str) -> Tables:
    return tables_of(network_of(topology, dict(sizes)), topology, dict(sizes), routing)


def simulated(case: Case, model: float, switches: Switches | None = None, *, seed: int = 1) -> Outcome:
    """Simulate a case; uniform traffic for as long as a node would need for `RANDOM` packets at the model's bandwidth.

    Random traffic is to random others, and the first third of it is not counted; every flow of other
    patterns has 256 packets, 128 KiB (Anghel 2017, Section 5.7).
    """
    kind, valiant = switches or Switches(), case.pattern == "valiant"
    if "uniform" in (case.pattern, case.options.get("under")):
        each = kind.packet / model
        last = RANDOM[case.nodes > LARGE] * each
        times = {"warm": last / 3, "horizon": last}
        return simulate(_library(), tables_for(case), None, valiant=valiant, switches=kind, seed=seed, **times)
    return simulate(_library(), tables_for(case), flows_of(case), valiant=valiant, switches=kind, seed=seed)


def evidence(case: Case, *, bounded: bool = True) -> Evidence:
    """Return the row of a case.

    Raises
    ------
    Unequal
        The bound is below the model or below the simulation.
    """
    model = model_of(case)
    tables_for(case)
    before = process_time()
    run = simulated(case, model)
    seconds = process_time() - before
    oldest = simulated(case, model, Switches(oldest=True)).bandwidth if run.bandwidth < model * (1 - FAR) else None
    bound = bound_of(case) if bounded and case.nodes <= BOUNDED else None
    if bound is not None:
        require(bound >= model * (1 - 1e-6), f"{case}: the bound {bound} is below the model, {model}")
        for rate in (run.bandwidth, oldest or 0.0):
            # Random traffic of a while is not quite even.
            require(bound >= rate * (1 - 0.01), f"{case}: the bound {bound} is below the simulation, {rate}")
    sizes = " ".join(f"{name} {_text(value)}" for name, value in case.sizes.items())
    options = " ".join(f"{name} {_text(value)}" for name, value in case.options.items() if name != "include_self")
    return Evidence(
        case.component,
        case.key,
        sizes,
        options,
        case.row,
        case.nodes,
        model,
        run.bandwidth,
        oldest,
        bound,
        run.packets,
        seconds,
    )


def _text(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    nested = any(isinstance(side, tuple) for side in value)
    return ("+" if nested else "x").join(_text(side) for side in value)


def bound_of(case: Case) -> float:
    """Return the bandwidth with the best routing, B/s; of the larger programs what their dual bounds it by."""
    network, flows = network_of(case.topology, case.sizes, bundled=True), flows_of(case)
    if len(set(network.attached)) * len(network.links) > SOLVED:
        return bound_by_lengths(network, flows)
    return largest_common_rate(network, flows)


def rows(sizes: Sequence[str], *, bounded: bool = True) -> Iterator[Evidence]:
    """Yield the rows of some sizes; of "thesis" those in the ranges of its tables, of "study" those of 4,096 nodes."""
    for size in sizes:
        for case in OTHERS[size]() if size in OTHERS else cases_of(int(size)):
            yield evidence(case, bounded=bounded)


def main(file: str, *sizes: str) -> None:
    """Write the rows of some sizes, a line as soon as it is there."""
    headings = [name for name in Evidence.__dataclass_fields__ if name != "seconds"]
    with Path(file).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, headings)
        writer.writeheader()
        for row in rows(sizes or EVERY):
            fields = {name: value for name, value in asdict(row).items() if name != "seconds"}
            writer.writerow({name: _digits(value) for name, value in fields.items()})
            lines.flush()


def _digits(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else "" if value is None else value


if __name__ == "__main__":
    main(*sys.argv[1:])
