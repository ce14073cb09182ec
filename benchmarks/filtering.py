"""The filter in front of the frontier on hard data, beside moocore alone on everything at once."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import moocore
import numpy as np

from benchmarks.machine import require, timed
from benchmarks.report import Column, Section, number, ratio, seconds
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter

BLOCK = 49_152
SEEDS = 30_000
REPEATS = 3
POINTS = {"full": 1_000_000, "small": 100_000}


def sphere(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """All on the frontier: the positive part of a sphere."""
    points = np.abs(rng.standard_normal((n, d)))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def simplex(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """(Nearly) all on the frontier: coordinates that add up to 1, up to rounding."""
    return rng.dirichlet(np.ones(d), n)


def levels(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Many ties: ten levels each, thousands of copies of the best."""
    return rng.integers(0, 10, (n, d)).astype(float)


def tied_front(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Many ties on the frontier: thirty levels near a plane."""
    points = rng.integers(0, 30, (n, d)).astype(float)
    points[:, -1] = 60.0 - points[:, :-1].sum(axis=1) + rng.integers(0, 20, n)
    return points


def duplicates(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """A thousand designs of a sphere, each a thousand times."""
    return sphere(rng, 1_000, d)[rng.integers(0, 1_000, n)]


def single(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """One objective of ten thousand levels."""
    return rng.integers(0, 10_000, (n, d)).astype(float)


def independent(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Independent and uniform."""
    return rng.random((n, d))


def correlated(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Objectives that agree: few on the frontier."""
    return rng.random((n, 1)) + 0.1 * rng.random((n, d))


def opposed(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Objectives that contradict one another: a thick shell above a simplex."""
    return simplex(rng, n, d) * (1.0 + 0.1 * rng.random((n, 1)))


def signs(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Negative and positive values, zeros of both signs among them."""
    points = rng.standard_normal((n, d)) * np.array([1e-6, 1.0, 1e6])[:d]
    points[rng.random((n, d)) < 0.01] = -0.0
    return points + 0.0


def wide(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Contradicting values over sixty orders of magnitude."""
    logs = rng.uniform(-30, 30, (n, d))
    logs[:, -1] = -logs[:, :-1].sum(axis=1) + rng.random(n)
    return np.power(10.0, logs)


# name, how it is made, objectives, share of the points (the costly ones get fewer)
CASES: list[tuple[str, Callable[[np.random.Generator, int, int], np.ndarray], int, float]] = [
    ("all on the frontier: sphere", sphere, 3, 1.0),
    ("all on the frontier: simplex", simplex, 3, 1.0),
    ("few levels", levels, 3, 1.0),
    ("few levels, ties on the frontier", tied_front, 3, 1.0),
    ("duplicates on the frontier", duplicates, 3, 1.0),
    ("one objective", single, 1, 1.0),
    ("two objectives, opposed", opposed, 2, 1.0),
    ("independent", independent, 3, 1.0),
    ("correlated", correlated, 3, 1.0),
    ("anti-correlated", opposed, 3, 1.0),
    ("mixed signs and zeros", signs, 3, 1.0),
    ("sixty orders of magnitude", wide, 3, 1.0),
    ("4 objectives, independent", independent, 4, 1.0),
    ("4 objectives, anti-correlated", opposed, 4, 0.5),
    ("4 objectives, all on the frontier", sphere, 4, 0.2),
    ("6 objectives, independent", independent, 6, 1.0),
    ("6 objectives, anti-correlated", opposed, 6, 0.1),
    ("6 objectives, all on the frontier", sphere, 6, 0.05),
]


def streamed(points: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the rows on the frontier as a search finds them, block by block, and how many passed the filter."""
    count, objectives = points.shape
    archive = Archive(objectives, Prefilter(objectives))
    start = np.sort(np.random.default_rng(0).choice(count, min(SEEDS, count // 4), replace=False))
    archive.add(points[start], start)
    archive.merge()
    passed = 0
    for first in range(0, count, BLOCK):
        block = points[first : first + BLOCK]
        rows = np.flatnonzero(archive.prefilter.may_pass(list(block.T)))
        passed += len(rows)
        archive.add(block[rows], first + rows)
    return archive.result()[1], passed


def alone(points: np.ndarray) -> np.ndarray:
    """Return the rows on the frontier as moocore finds them in all points at once."""
    return np.flatnonzero(moocore.is_nondominated(points, keep_weakly=True))


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Compare, then time, every case."""
    rows: list[dict[str, Any]] = []
    for name, make, objectives, share in CASES:
        tell(name)
        rows.append(case(name, make, objectives, round(POINTS[designs] * share)))
    slowest = min(rows, key=lambda one: one["ratio"])
    return Section(
        "filter",
        f"Front filter on hard data (SYNTHETIC points), streamed in blocks of {BLOCK:,}, beside moocore alone; "
        f"one core, medians of {REPEATS}",
        [
            Column("label", "data"),
            Column("objectives", "objectives"),
            Column("points", "points", number),
            Column("frontier", "on the frontier", number),
            Column("passed", "passed the filter", number),
            Column("seconds", "dse", seconds),
            Column("moocore_seconds", "moocore alone", seconds),
            Column("ratio", "moocore / dse", ratio),
        ],
        rows,
        [],
        [f"frontiers of all {len(rows)} cases, dse and moocore alone: the same rows"],
        [
            f"worst case for the stream: {slowest['label']}, {ratio(slowest['ratio'])} moocore's speed",
            "dse sees one block at a time and keeps only its archive; moocore alone needs all points in memory",
        ],
    )


def case(
    name: str, make: Callable[[np.random.Generator, int, int], np.ndarray], objectives: int, count: int
) -> dict[str, Any]:
    """Compare the two frontiers of one case, then time both in turn."""
    points = np.ascontiguousarray(make(np.random.default_rng(1), count, objectives))
    points.setflags(write=False)
    expected = alone(points)
    found, passed = streamed(points)
    require(np.array_equal(found, expected), f"frontier of '{name}': {len(found)} and {len(expected)} rows")
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(timed(lambda: streamed(points))[1])
        theirs.append(timed(lambda: alone(points))[1])
    return {
        "label": name,
        "objectives": objectives,
        "points": count,
        "frontier": len(expected),
        "passed": passed,
        "seconds": median(ours),
        "moocore_seconds": median(theirs),
        "ratio": median(theirs) / median(ours),
    }
