"""Nodes per second of processor model and power: flat NumPy, factored searches and a C loop of the same formulas.

All in one run; variants run in processes of their own: ``python -m benchmarks.processors '{"variant": "flat", ...}'``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import moocore  # noqa: F401  (so that its import is not timed)
import numpy as np

from benchmarks import equality, flat, variants
from benchmarks.machine import peak_mib, require, rounds, timed
from benchmarks.processor_forms import OBJECTIVES, QUANTITIES, ProcessorLoop, build, problem
from benchmarks.report import Column, Section, Target, mebibytes, number, ratio, seconds
from dse.evaluation.memory import keep_memory
from dse.evaluation.problem import Problem

CLOSE = 1e-12
CHUNK, KEPT_CHUNK = 8_192, 32_768
KEPT = "memory kept"
DIFFERENCES = {
    "l1_hits": "memory_fraction",
    "l2_hits": "memory_fraction",
    "l3_hits": "memory_fraction",
    "issue_queue_stalls": "stalled_cycles",
    "reorder_buffer_stalls": "stalled_cycles",
    "throughput_limit_cycles": "steady_cycles",
}
"""Differences of numbers that may be nearly equal, and what they are compared beside."""


@dataclass(frozen=True)
class Sizes:
    """How much is run; `most` values on each axis, 0: all."""

    most: int
    flat: int
    part: int
    native: int
    compared: int
    thinned: int
    repeats: int


SIZES = {
    "full": Sizes(0, 10_000_000, 2_000_000, 10_000_000, 100_000, 3, 3),
    "small": Sizes(4, 500_000, 200_000, 500_000, 20_000, 2, 3),
}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Assert equality, then time all variants."""
    sizes = SIZES[designs]
    nodes = problem(sizes.most)
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as folder:
        library = build(Path(folder))
        tell("equal results first")
        asserted = equal(nodes, library, sizes.compared, sizes.thinned, rng)
        samples = rounds(orders(sizes, nodes.space.size, library), sizes.repeats, tell, "benchmarks.processors")
    for count in (2, 3):
        plain, bundles = (samples[f"{method}_{count}"].answer for method in ("exhaustive", "bundles"))
        require(plain["digest"] == bundles["digest"], f"frontiers of the timed runs, {count} objectives")
    rows: list[dict[str, Any]] = []
    for name, taken in samples.items():
        done = taken.answer["designs"]
        record: dict[str, Any] = {"name": name, "label": label(name)}
        record |= {"designs": done, "evaluated": taken.answer.get("evaluated"), "seconds": taken.typical_cpu}
        record |= {"frontier": taken.answer.get("frontier"), "all_seconds": taken.cpu_seconds}
        record |= {"wall_seconds": taken.seconds, "peak_mib": max(taken.peak_mib)}
        record |= {"each": taken.typical_cpu / done, "per_second": done / taken.typical_cpu}
        rows.append(record)
    speed = {row["name"]: row["per_second"] for row in rows}
    forms = [name for name in speed if name.rpartition("_")[0] in FORMS]
    best = max(forms, key=lambda name: speed[name])
    for row in rows:
        row["per_flat"] = row["per_second"] / speed[best]
        row["per_native"] = row["per_second"] / speed["native_"] if "native_" in speed else None
    (axes,), (system,) = (product.axes for product in nodes.space.products), nodes.systems
    count = sum(len(function.gives) for function in system.graph.functions)
    return Section(
        "processors",
        f"Processor model with power, Graph 500 (csr) on SYNTHETIC nodes: {nodes.space.size:,} designs, {len(axes)} "
        f"axes, three levels of caches, {count} quantities; one core, processor time, medians of {sizes.repeats}",
        [
            Column("label", "variant"),
            Column("designs", "designs", number),
            Column("frontier", "frontier", number),
            Column("seconds", "time", seconds),
            Column("each", "a design", seconds),
            Column("per_second", "designs/s", number),
            Column("per_flat", "/ (a)", ratio),
            Column("per_native", "/ (c)", ratio),
            Column("peak_mib", "peak MiB", mebibytes),
        ],
        rows,
        [Target(label(name), speed[name], 2e6, "designs/s") for name in forms],
        asserted,
        [
            f"(a) is the fastest flat form here: {label(best)}",
            "flat: Graph.evaluate on arrays of one entry per design; each of the quantities is computed for every "
            "design, and let go after its last use unless all are returned; what tables give is looked up once per "
            "combination of their inputs and handed out to the designs",
            "reading the tables of the models is not timed, what an engine makes of them is",
            f"{KEPT}: by dse.evaluation.memory, as in every search; else the C library gives what is freed back to the "
            "system after every chunk",
            f"(c) {library.stem if library else 'no compiler'}: {len(QUANTITIES)} quantities of every design, nothing "
            "hoisted, no SIMD by hand; what the study looks up comes as tables by row, and marks of validity are left "
            "out; the compiler drops what no objective needs",
        ],
    )


FORMS = {
    "flat": "flat, chunks of {}",
    "returned": "flat, all quantities returned, chunks of {}",
    "shuffled": "flat, designs in random order, chunks of {}",
}
LABELS = FORMS | {
    "factored": "(b) dse, evaluation alone, factored",
    "exhaustive": "(b) dse, plain search with exact frontier, {} objectives",
    "bundles": "(b) dse, bundles with exact frontier, {} objectives",
    "native": "(c) C loop",
}


def label(name: str) -> str:
    """Return the words for a key of `orders`."""
    kind, _, detail = name.rpartition("_")
    return LABELS[kind].format(detail)


def orders(sizes: Sizes, size: int, library: Path | None) -> dict[str, dict[str, Any]]:
    """Return what to run, by the key of `LABELS` and a number."""
    common = {"most": sizes.most}

    def part(designs: int) -> dict[str, Any]:
        designs = min(designs, size)
        return {**common, "first": (size - designs) // 2, "designs": designs}

    kept = {"chunk": KEPT_CHUNK, "keep": True}
    found: dict[str, dict[str, Any]] = {
        f"flat_{CHUNK:,}": {"variant": "flat", **part(sizes.part), "chunk": CHUNK},
        f"flat_{KEPT_CHUNK:,}, {KEPT}": {"variant": "flat", **part(sizes.flat), **kept},
        f"returned_{KEPT_CHUNK:,}, {KEPT}": {"variant": "returned", **part(sizes.part), **kept},
        f"shuffled_{KEPT_CHUNK:,}, {KEPT}": {"variant": "shuffled", **part(sizes.part), **kept},
        "factored_": {"variant": "factored", **common},
    }
    for method in ("exhaustive", "bundles"):
        for count in (2, 3):
            found[f"{method}_{count}"] = {"variant": "searched", "method": method, "objectives": count, **common}
    if library is not None:
        found["native_"] = {"variant": "native", "library": str(library), **part(sizes.native)}
    return found


def equal(nodes: Problem, library: Path | None, compared: int, thinned: int, rng: np.random.Generator) -> list[str]:
    """Raise `Unequal`, or say what was compared: all forms on random designs, and the frontiers."""
    numbers = rng.integers(0, nodes.space.size, compared)
    expected = flat.all_quantities(nodes, numbers)
    told = [equality.sweep_equals_flat(nodes, compared, rng)]
    loop = None if library is None else ProcessorLoop(library, nodes)
    if loop is not None:
        worst = apart(loop.quantities(numbers), expected)
        require(worst <= CLOSE, f"quantities in C: {worst:.1e} away")
        told.append(f"{len(QUANTITIES)} quantities of {compared:,} random designs, C and study: within {worst:.1e}")
    for count in (2, 3):
        few = problem(thinned, count)
        frontier, _ = equality.searches_agree(few)
        text = equality.frontier_is_exact(few, thinned)
        told.append(f"{count} objectives, {text}; plain search and bundles: the same bytes")
        if library is not None:
            again = ProcessorLoop(library, few).quantities(frontier.numbers)
            worst = max(
                equality.distance(again[one.quantity], frontier.values[:, column])
                for column, one in enumerate(few.objectives)
            )
            require(worst <= CLOSE, f"values on the frontier in C: {worst:.1e} away")
    if loop is not None:
        first, some = nodes.space.size // 3, min(compared, nodes.space.size // 3)
        sums = flat.objectives(nodes, np.arange(first, first + some)).sum(axis=0)
        worst = equality.distance(loop.sums(first, some), sums)
        require(worst <= CLOSE, f"sums of the C loop: {worst:.1e} away")
    return told


def apart(given: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> float:
    """Return the largest relative difference of quantities, of `DIFFERENCES` beside what they are part of."""
    found = []
    for name, value in given.items():
        if name in DIFFERENCES:
            found.append(float(np.max(np.abs(value - expected[name]) / expected[DIFFERENCES[name]])))
        else:
            found.append(equality.distance(value, expected[name]))
    return max(found)


def in_chunks(problem: Problem, order: dict[str, Any], evaluate: Callable[..., Any]) -> dict[str, Any]:
    """Evaluate a part of the space on flat arrays."""
    flat.walk(problem, order["first"], order["designs"], order["chunk"], evaluate)
    return {"designs": order["designs"]}


def shuffled(problem: Problem, order: dict[str, Any]) -> dict[str, Any]:
    """Evaluate as many designs of the whole space, in random order: no two of a chunk need have anything in common."""
    rng = np.random.default_rng(11)
    for start in range(0, order["designs"], order["chunk"]):
        designs = min(order["chunk"], order["designs"] - start)
        flat.wanted_quantities(problem, rng.integers(0, problem.space.size, designs))
    return {"designs": order["designs"]}


def native(loop: ProcessorLoop, order: dict[str, Any]) -> dict[str, Any]:
    """Evaluate designs in C."""
    return {"designs": order["designs"], "sums": loop.sums(order["first"], order["designs"]).tolist()}


VARIANTS: dict[str, Callable[[Problem, dict[str, Any]], dict[str, Any]]] = {
    "flat": partial(in_chunks, evaluate=flat.wanted_quantities),
    "returned": partial(in_chunks, evaluate=flat.all_quantities),
    "shuffled": shuffled,
    "factored": variants.factored,
    "searched": variants.searched,
}


def prepared(problem: Problem, order: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return what is to be timed, with the tables of the models read."""
    if order["variant"] == "native":
        return partial(native, ProcessorLoop(Path(order["library"]), problem), order)
    flat.wanted_quantities(problem, np.zeros(1, dtype=int))
    return partial(VARIANTS[order["variant"]], problem, order)


def main() -> None:
    order = json.loads(sys.argv[1])
    work = prepared(problem(order["most"], order.get("objectives", len(OBJECTIVES))), order)
    if order.get("keep"):
        keep_memory()
    answer, wall, cpu = timed(work)
    print(json.dumps({"seconds": wall, "cpu_seconds": cpu, "peak_mib": peak_mib(), **answer}))


if __name__ == "__main__":
    main()
