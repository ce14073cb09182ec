"""Closed forms of the networks beside what else gives the same numbers: routing every flow, and a linear program."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.flow_program import largest_flow
from benchmarks.machine import require, timed
from benchmarks.report import Column, Section, number, ratio, seconds
from dse.models.network import TOPOLOGIES, effective_bandwidth

ROOT = Path(__file__).parents[1]
COMBINATIONS = {"full": 1_000_000, "small": 100_000}
REPEATS = 5
GB = 1e9

# (pattern, its parameters): the ones with closed forms on every shape drawn here
PATTERNS: dict[str, tuple[str, ...]] = {
    "full-mesh": ("uniform", "shift", "complement", "tornado"),
    "fat-tree-2-level": ("uniform", "shift", "complement", "tornado"),
    "fat-tree-3-level": ("uniform", "shift", "complement", "tornado"),
    "torus": ("uniform", "shift", "complement", "tornado"),
    "hyperx": ("uniform", "shift", "complement", "tornado"),
    "dragonfly": ("uniform", "complement", "shift"),
    "slim-fly": ("uniform",),
}

# Shapes on which routing every flow, and the linear program, still finish.
SMALL: dict[str, dict[str, Any]] = {
    "full-mesh": {"a": 8, "p": 4},
    "fat-tree-2-level": {"m1": 4, "m2": 8, "w1": 2},
    "fat-tree-3-level": {"m1": 2, "m2": 4, "m3": 4, "w1": 2, "w2": 2},
    "torus": {"d": (4, 4, 2), "p": 1},
    "hyperx": {"d": (4, 4), "p": 2},
    "dragonfly": {"a": 3, "p": 1, "h": 2, "g": 7},
    "slim-fly": {"q": 5, "p": 1},
}


@lru_cache(maxsize=1)
def oracle() -> ModuleType:
    """Return the explicit networks of the tests, which share no code with the models."""
    spec = importlib.util.spec_from_file_location("_oracle", ROOT / "tests" / "models" / "network" / "oracle.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_oracle"] = module
    spec.loader.exec_module(module)
    return module


def with_links(topology: str, shape: dict[str, Any], rng: np.random.Generator, count: int = 0) -> dict[str, Any]:
    """Return the shape with bandwidths (numbers, or arrays of `count`) and a latency for each class of links."""

    def draw() -> Any:
        return rng.uniform(1 * GB, 50 * GB, count) if count else float(rng.uniform(1 * GB, 50 * GB))

    given = dict(shape)
    for symbol in TOPOLOGIES[topology].bandwidths:
        given[symbol] = tuple(draw() for _ in shape["d"]) if symbol == "b" else draw()
    return given | dict.fromkeys(TOPOLOGIES[topology].latencies, 1e-9)


def shapes(topology: str, count: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw shapes, SYNTHETIC: sizes of machines of up to a few hundred thousand nodes."""

    def sizes(low: int, high: int) -> np.ndarray:
        return rng.integers(low, high + 1, count).astype(float)

    if topology == "full-mesh":
        return {"a": sizes(2, 64), "p": sizes(1, 64)}
    if topology.startswith("fat-tree"):
        found = {"m1": sizes(2, 64), "m2": sizes(2, 64), "w1": sizes(1, 64)}
        return found | ({"m3": sizes(2, 64), "w2": sizes(1, 64)} if topology.endswith("3-level") else {})
    if topology == "torus":
        return {"d": tuple(sizes(1, 24) for _ in range(5)), "p": sizes(1, 8)}
    if topology == "hyperx":
        # Two dimensions: a shift with equal split over more has no closed form.
        return {"d": tuple(sizes(1, 64) for _ in range(2)), "p": sizes(1, 64)}
    if topology == "dragonfly":
        # a·h + 1 groups; few thousand different ones, as a shift is counted once per shape
        drawn = rng.integers(0, 2_000, count)
        table = rng.integers([2, 1, 1], [25, 13, 13], (2_000, 3)).astype(float)
        return {"a": table[drawn, 0], "p": table[drawn, 1], "h": table[drawn, 2]}
    return {"q": rng.choice([5.0, 13.0, 17.0, 29.0, 37.0], count), "p": sizes(1, 32)}


def pairs() -> Iterator[tuple[str, str]]:
    """Yield every topology with each of its patterns."""
    for topology, patterns in PATTERNS.items():
        for pattern in patterns:
            yield topology, pattern


def options(pattern: str, count: int, rng: np.random.Generator) -> dict[str, Any] | None:
    """Draw the parameters of a pattern."""
    if pattern != "shift":
        return None
    return {"step": rng.integers(1, 64, count).astype(float) if count else 7}


def measured(topology: str, pattern: str, combinations: int, rng: np.random.Generator) -> dict[str, Any]:
    """Time a sweep of one pair, and compare and time the oracle and the linear program on the small machine."""
    given = with_links(topology, shapes(topology, combinations, rng), rng, combinations)
    chosen = options(pattern, combinations, rng)
    small, step = with_links(topology, SMALL[topology], rng), options(pattern, 0, rng)

    def sweep() -> Any:
        return effective_bandwidth(topology, given, pattern, chosen)

    def alone() -> float:
        return float(effective_bandwidth(topology, small, pattern, step))

    def routed() -> float:
        return float(oracle().evaluate(topology, small, pattern, step or {}).bandwidth)

    def programmed() -> float:
        return largest_flow(oracle(), topology, small, pattern, step or {})

    sweep()
    ours = alone()
    taken = {
        name: median(timed(work)[1] for _ in range(REPEATS)) for name, work in (("sweep", sweep), ("alone", alone))
    }
    counted, oracle_seconds, _ = timed(routed)
    require(bool(np.isclose(counted, ours, rtol=1e-9)), f"{topology}, {pattern}: {ours} and {counted}")
    best, program_seconds, _ = timed(programmed)
    require(best >= ours * (1 - 1e-7), f"{topology}, {pattern}: minimal routing {ours} beats the best {best}")
    each = taken["sweep"] / combinations
    return {
        "label": f"{topology}, {pattern}",
        "topology": topology,
        "pattern": pattern,
        "combinations": combinations,
        "seconds": taken["sweep"],
        "each": each,
        "per_second": 1.0 / each,
        "alone_seconds": taken["alone"],
        "oracle_seconds": oracle_seconds,
        "oracle_ratio": oracle_seconds / each,
        "program_seconds": program_seconds,
        "program_ratio": program_seconds / each,
        "of_best": ours / best,
    }


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Compare with the oracle and the linear program where these finish, then time all three."""
    found = list(pairs())
    each = COMBINATIONS[designs] // len(found)
    rng = np.random.default_rng(7)
    oracle()
    rows = []
    for topology, pattern in found:
        tell(f"{topology}, {pattern}")
        rows.append(measured(topology, pattern, each, rng))
    total = sum(row["seconds"] for row in rows)
    nodes = {name: int(oracle().number_of_nodes(name, SMALL[name])) for name in SMALL}
    return Section(
        "networks",
        f"Effective bandwidth of {len(rows) * each:,} combinations of shape, links and pattern (SYNTHETIC shapes), one "
        f"core, medians of {REPEATS}; oracle and linear program on one machine of {min(nodes.values())} to "
        f"{max(nodes.values())} nodes",
        [
            Column("label", "topology, pattern"),
            Column("per_second", "shapes/s", number),
            Column("each", "each in the sweep", seconds),
            Column("alone_seconds", "one alone", seconds),
            Column("oracle_seconds", "routing every flow", seconds),
            Column("oracle_ratio", "routing / dse", ratio),
            Column("program_seconds", "linear program", seconds),
            Column("program_ratio", "program / dse", ratio),
            Column("of_best", "of the best routing", lambda value: f"{100 * value:.0f} %"),
        ],
        rows,
        [],
        [f"{len(rows)} pairs on the small machine: the oracle's bandwidth to 1e-9, never above the linear program's"],
        [
            f"{len(rows) * each / total:,.0f} combinations/s over the whole sweep, {total:.2f} s in all",
            "linear program: largest common rate of all flows with the best possible routing (scipy, HiGHS)",
            "dragonfly shifts are counted once per different shape, all others elementwise",
        ],
    )
