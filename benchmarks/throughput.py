"""Designs per second and peak memory: the engine beside flat NumPy, C loops and a Python loop, all in one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import equality, native
from benchmarks.machine import Samples, rounds, timed
from benchmarks.report import Column, Section, Target, mebibytes, number, ratio, seconds
from benchmarks.synthetic import FUNCTIONS, problem
from dse.evaluation.problem import Problem


@dataclass(frozen=True)
class Sizes:
    """How much is run."""

    node_values: int
    large_node_values: int
    flat: int
    native: int
    python: int
    compared: int
    thinned: int
    repeats: int


SIZES = {
    "full": Sizes(10, 102, 20_000_000, 20_000_000, 100_000, 1_000_000, 4, 5),
    "small": Sizes(1, 10, 1_000_000, 2_000_000, 20_000, 100_000, 3, 3),
}
CHUNK, BEST_CHUNK = 65_536, 8_192


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Assert equality, then time all variants."""
    sizes = SIZES[designs]
    synthetic = problem(sizes.node_values)
    rng = np.random.default_rng(2)
    tell("equal results first")
    frontier, same = equality.searches_agree(synthetic)
    asserted = [
        equality.sweep_equals_flat(synthetic, sizes.compared, rng),
        same,
        equality.frontier_is_exact(synthetic, sizes.thinned),
        equality.loop_equals_flat(synthetic, 5_000),
    ]
    with tempfile.TemporaryDirectory() as folder:
        tell("compiling C")
        strict = fastest(synthetic, Path(folder), native.STRICT, sizes, rng, asserted)
        relaxed = fastest(synthetic, Path(folder), native.RELAXED, sizes, rng, asserted)
        orders = variants(sizes, synthetic.space.size, strict, relaxed)
        samples = rounds(orders, sizes.repeats, tell)
    plain, bundles = samples["plain"].answer, samples["bundles"].answer
    equality.require(plain["digest"] == bundles["digest"], "frontiers of the timed runs")
    labels = {  # in the order of the table
        "plain": "dse, plain streamed search with exact frontier",
        "bundles": "dse, bundles, with exact frontier",
        "large": "dse, bundles, larger space",
        "factored": "dse, evaluation alone, factored",
        "flat": f"(a) flat NumPy, chunks of {CHUNK:,}, decoded",
        "flat_best": f"    flat NumPy, chunks of {BEST_CHUNK:,}, decoded",
        "native": "(b) C loop, every quantity of every design",
        "simd": "    C in batches for SIMD, -ffast-math",
        "python": "(c) Python loop",
    }
    rows = [row(labels[name], name, samples[name]) for name in labels if name in samples]
    speed = {one["name"]: one["designs_per_second"] for one in rows}
    for one in rows:
        for rival in ("flat", "native", "python"):
            one[f"per_{rival}"] = one["designs_per_second"] / speed[rival] if rival in speed else None
    quantities = sum(len(function.gives) for function in FUNCTIONS)
    (axes,) = (product.axes for product in synthetic.space.products)
    return Section(
        "throughput",
        f"Throughput, SYNTHETIC space: {synthetic.space.size:,} designs, {len(axes)} axes, {quantities} quantities, "
        f"3 objectives, {len(frontier.numbers):,} designs on the frontier; one core, medians of {sizes.repeats}",
        [
            Column("label", "variant"),
            Column("designs", "designs", number),
            Column("seconds", "time", seconds),
            Column("cpu_seconds", "of a core", seconds),
            Column("designs_per_second", "designs/s", number),
            Column("per_flat", "/ (a)", ratio),
            Column("per_native", "/ (b)", ratio),
            Column("per_python", "/ (c)", ratio),
            Column("peak_mib", "peak MiB", mebibytes),
        ],
        rows,
        targets(samples, speed),
        asserted,
        [
            "each variant in a process of its own; imports, the making of the problem and compiling are not timed; "
            "planning, tables, seeds and the merge of the frontier are",
            f"flat, C and Python evaluate a contiguous part of the space, all {quantities} quantities of every design, "
            f"and keep nothing; (a) has chunks of {CHUNK:,}; 'flat at its best' smaller ones that stay in the cache",
            "-ffast-math computes in another order and with less exact functions: beside (b), not instead",
            *(
                f"fastest of the C forms {name}: {one[0]}"
                for name, one in (("(b)", strict), ("with SIMD", relaxed))
                if one
            ),
        ],
    )


def fastest(
    synthetic: Problem, folder: Path, all_flags: Any, sizes: Sizes, rng: np.random.Generator, asserted: list[str]
) -> tuple[native.Form, native.Native] | None:
    """Compile every form of the C code, compare it with NumPy and return the fastest, or None without a compiler."""
    times = {}
    for flags in all_flags:
        built = native.build(folder, flags)
        if built is None:
            continue
        asserted.append(f"{equality.native_equals_flat(synthetic, built, native.LOOPS, rng)} ({' '.join(flags)})")
        for loop in native.LOOPS:
            tries = [timed(lambda: built.sums(synthetic, loop, 0, sizes.native // 10))[1] for _ in range(3)]  # noqa: B023
            times[native.Form(flags, loop)] = (min(tries), built)
    if not times:
        return None
    form = min(times, key=lambda one: times[one][0])
    return form, times[form][1]


def variants(sizes: Sizes, size: int, strict: Any, relaxed: Any) -> dict[str, dict[str, Any]]:
    """Return what to run."""
    small = {"node_values": sizes.node_values}

    def part(designs: int) -> dict[str, Any]:
        designs = min(designs, size)
        return {**small, "first": (size - designs) // 2, "designs": designs}

    orders: dict[str, dict[str, Any]] = {
        "plain": {"variant": "searched", "method": "exhaustive", **small},
        "bundles": {"variant": "searched", "method": "bundles", **small},
        "large": {"variant": "searched", "method": "bundles", "node_values": sizes.large_node_values},
        "factored": {"variant": "factored", **small},
        "flat": {"variant": "flat", "chunk": CHUNK, **part(sizes.flat)},
        "flat_best": {"variant": "flat", "chunk": BEST_CHUNK, **part(sizes.flat)},
        "python": {"variant": "python", **part(sizes.python)},
    }
    for name, chosen in (("native", strict), ("simd", relaxed)):
        if chosen is not None:
            form, built = chosen
            order = {"variant": "native", "library": str(built.path), "loop": form.loop}
            orders[name] = {**order, **part(sizes.native)}
    return orders


def row(label: str, name: str, samples: Samples) -> dict[str, Any]:
    """Return the record of one variant."""
    designs = samples.answer["designs"]
    return {
        "label": label,
        "name": name,
        "designs": designs,
        "evaluated": samples.answer.get("evaluated", designs),
        "frontier": samples.answer.get("frontier"),
        "seconds": samples.typical,
        "all_seconds": samples.seconds,
        "cpu_seconds": samples.typical_cpu,
        "designs_per_second": designs / samples.typical,
        "peak_mib": max(samples.peak_mib),
    }


def targets(samples: dict[str, Samples], speed: dict[str, float]) -> list[Target]:
    """Return the targets of the project."""
    plain, bundles = speed["plain"], speed["bundles"]
    found = [
        Target("plain streamed / (a)", plain / speed["flat"], 25, "x"),
        Target("plain streamed", plain, 3.5e7, "designs/s"),
        Target("bundles / (a)", bundles / speed["flat"], 45, "x"),
    ]
    if "native" in speed:
        found.append(Target("bundles / (b)", bundles / speed["native"], 5, "x"))
    found += [
        Target("plain streamed / flat at its best", plain / speed["flat_best"], 25, "x"),
        Target("bundles / flat at its best", bundles / speed["flat_best"], 45, "x"),
        Target("bundles", bundles, 7e7, "designs/s"),
        Target("peak memory, plain", max(samples["plain"].peak_mib), 300, "MiB", False),
        Target("peak memory, bundles", max(samples["bundles"].peak_mib), 300, "MiB", False),
        Target(
            f"{number(samples['large'].answer['designs'])} designs, bundles", samples["large"].typical, 15, "s", False
        ),
        Target("peak memory there", max(samples["large"].peak_mib), 300, "MiB", False),
        Target("guard: factored / flat evaluation", speed["factored"] / speed["flat"], 10, "x"),
    ]
    return found
