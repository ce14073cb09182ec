"""Nodes per second of the processor model: flat NumPy, factored searches and a C loop of the same formulas, in one run.

Variants run in processes of their own: ``python -m benchmarks.processors '{"variant": "predict", ...}'``.
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
from benchmarks.processor_forms import (
    OBJECTIVES,
    QUANTITIES,
    ProcessorLoop,
    build,
    predicted,
    problem,
)
from benchmarks.report import Column, Section, Target, mebibytes, number, ratio, seconds
from dse.problem import Problem

CLOSE = 1e-9
FORMS = ("quantities", "predict")
CHUNK, KEPT_CHUNK = 16_384, 32_768
KEPT = "memory kept"


@dataclass(frozen=True)
class Sizes:
    """How much is run; `most` values on each axis, 0: all."""

    most: int
    flat: int
    native: int
    compared: int
    thinned: int
    repeats: int


SIZES = {
    "full": Sizes(0, 2_000_000, 10_000_000, 100_000, 3, 3),
    "small": Sizes(4, 300_000, 800_000, 20_000, 2, 3),
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
        record: dict[str, Any] = {
            "name": name,
            "label": LABELS[name.rpartition("_")[0]].format(name.rpartition("_")[2]),
        }
        record |= {"designs": done, "evaluated": taken.answer.get("evaluated"), "seconds": taken.typical}
        record |= {"frontier": taken.answer.get("frontier"), "all_seconds": taken.seconds}
        record |= {"each": taken.typical / done, "per_second": done / taken.typical, "peak_mib": max(taken.peak_mib)}
        rows.append(record)
    speed = {row["name"]: row["per_second"] for row in rows}
    best = max((name for name in speed if name.startswith(FORMS)), key=lambda name: speed[name])
    for row in rows:
        row["per_flat"] = row["per_second"] / speed[best]
        row["per_native"] = row["per_second"] / speed["native_"] if "native_" in speed else None
    (axes,), (system,) = (product.axes for product in nodes.space.products), nodes.systems
    count = sum(len(function.gives) for function in system.graph.functions)
    return Section(
        "processors",
        f"Processor model, Graph 500 (csr) on SYNTHETIC nodes: {nodes.space.size:,} designs, {len(axes)} axes, three "
        f"levels of caches, {count} quantities; one core, medians of {sizes.repeats}",
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
        [
            Target(f"flat, {name.replace('_', ', chunks of ')}", speed[name], 2e6, "designs/s")
            for name in speed
            if name.startswith(FORMS)
        ],
        asserted,
        [
            f"(a) is the fastest flat form here, {best.replace('_', ', chunks of ')}; flat and C evaluate a contiguous "
            "part of the space and keep nothing",
            f"{KEPT}: the C library gives what is freed back to the system after every chunk unless told not to",
            f"(c) {library.stem if library else 'no compiler'}: {len(QUANTITIES)} quantities of every design, nothing "
            "hoisted, no SIMD by hand",
            "no power yet: node_budget, one SYNTHETIC expression, stands where it will be",
        ],
    )


LABELS = {
    "quantities": "flat, quantities of the study, chunks of {}",
    "predict": "flat, predict(...), chunks of {}",
    "factored": "(b) dse, evaluation alone, factored",
    "exhaustive": "(b) dse, plain search with exact frontier, {} objectives",
    "bundles": "(b) dse, bundles with exact frontier, {} objectives",
    "native": "(c) C loop",
}


def orders(sizes: Sizes, size: int, library: Path | None) -> dict[str, dict[str, Any]]:
    """Return what to run, by the key of `LABELS` and a number."""
    common = {"most": sizes.most}

    def part(designs: int) -> dict[str, Any]:
        designs = min(designs, size)
        return {**common, "first": (size - designs) // 2, "designs": designs}

    found: dict[str, dict[str, Any]] = {}
    for form in FORMS:
        order = {"variant": form, **part(sizes.flat)}
        found[f"{form}_{CHUNK:,}"] = {**order, "chunk": CHUNK}
        found[f"{form}_{KEPT_CHUNK:,}, {KEPT}"] = {**order, "chunk": KEPT_CHUNK, "keep": True}
    found["factored_"] = {"variant": "factored", **common}
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
    found = {"predict": {name: predicted(nodes, numbers)[name] for name in ("run_time", *OBJECTIVES)}}
    loop = None if library is None else ProcessorLoop(library, nodes)
    if loop is not None:
        found["C"] = loop.quantities(numbers)
    told = []
    for form, values in found.items():
        worst = max(equality.distance(value, expected[name]) for name, value in values.items())
        require(worst <= CLOSE, f"quantities of {form}: {worst:.1e} away")
        told.append(f"{len(values)} quantities of {compared:,} random designs, {form} and study: within {worst:.1e}")
    told.append(equality.sweep_equals_flat(nodes, compared, rng))
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


def in_chunks(problem: Problem, order: dict[str, Any]) -> dict[str, Any]:
    """Evaluate designs with `predict` in chunks."""
    flat.walk(problem, order["first"], order["designs"], order["chunk"], predicted)
    return {"designs": order["designs"]}


def native(problem: Problem, order: dict[str, Any]) -> dict[str, Any]:
    """Evaluate designs in C."""
    sums = ProcessorLoop(Path(order["library"]), problem).sums(order["first"], order["designs"])
    return {"designs": order["designs"], "sums": sums.tolist()}


def keep_memory() -> None:
    """Let the C library keep what is freed (glibc): once it has freed a large block, it keeps twice as much.

    Else the arrays of a chunk go back to the system when they are freed, and every page of the next is a fault.
    """
    block = np.empty(31 * 2**20, dtype=np.int8)
    del block


VARIANTS: dict[str, Callable[[Problem, dict[str, Any]], dict[str, Any]]] = {
    "quantities": variants.in_chunks,
    "predict": in_chunks,
    "factored": variants.factored,
    "searched": variants.searched,
    "native": native,
}


def main() -> None:
    order = json.loads(sys.argv[1])
    nodes = problem(order["most"], order.get("objectives", len(OBJECTIVES)))
    if order.get("keep"):
        keep_memory()
    answer, wall, cpu = timed(partial(VARIANTS[order["variant"]], nodes, order))
    print(json.dumps({"seconds": wall, "cpu_seconds": cpu, "peak_mib": peak_mib(), **answer}))


if __name__ == "__main__":
    main()
