"""What must be equal before a time means anything. Each function raises `Unequal`, or says what it compared."""

from __future__ import annotations

from itertools import islice
from math import prod

import numpy as np

from benchmarks import flat, loop
from benchmarks.machine import require
from benchmarks.native import QUANTITIES, Native
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import Blocks
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, SearchResult, search
from dse.search.frontier.pareto import pareto_mask

CLOSE = 1e-12
_BLOCKS = 24


def sweep_equals_flat(problem: Problem, designs: int, rng: np.random.Generator) -> str:
    """Compare objectives of random designs in random blocks of the sweep with flat arrays, to the last bit."""
    product = ExhaustiveProduct(problem, 0)
    total = prod(product.counts)
    chosen = np.sort(rng.choice(total, min(total, _BLOCKS), replace=False))
    blocks = Blocks(product.evaluator, product.steps)
    each = -(-designs // len(chosen))
    compared = 0
    for linear in chosen:
        ranges = blocks.ranges(np.unravel_index(linear, product.counts))
        values = blocks.evaluate(ranges)
        shape = tuple(end - begin for begin, end in ranges)
        rows = np.unravel_index(rng.integers(0, prod(shape), each), shape)
        numbers = np.zeros(each, dtype=np.int64)
        for own, row, (begin, _) in zip(product.evaluator.numbers, rows, ranges, strict=True):
            numbers += own[begin + row]
        swept = np.stack([np.broadcast_to(values[o.quantity], shape)[rows] for o in problem.objectives], axis=1)
        require(swept.tobytes() == flat.objectives(problem, numbers).tobytes(), "objectives of sweep and flat arrays")
        compared += each
    return (
        f"objectives of {compared:,} random designs in {len(chosen)} blocks of the sweep and on flat arrays: every bit"
    )


def searches_agree(problem: Problem) -> tuple[SearchResult, str]:
    """Compare the bytes of the frontiers of the plain search and of bundles, and their values with flat arrays."""
    plain, bundles = (search(problem, SearchOptions(method=method)) for method in ("exhaustive", "bundles"))
    require(plain.certificate.method != bundles.certificate.method, "bundles fell back to the plain search")
    require(plain.numbers.tobytes() == bundles.numbers.tobytes(), "designs of plain search and bundles")
    require(plain.values.tobytes() == bundles.values.tobytes(), "values of plain search and bundles")
    require(plain.values.tobytes() == flat.objectives(problem, plain.numbers).tobytes(), "values on the frontier")
    return plain, f"frontier of {len(plain.numbers):,} designs, plain search and bundles: the same bytes"


def frontier_is_exact(problem: Problem, most: int) -> str:
    """Compare the frontiers of a thinned space with moocore's on all its designs at once."""
    small = flat.thinned(problem, most)
    points = flat.objectives(small, np.arange(small.space.size))
    expected = np.flatnonzero(pareto_mask(points))
    for method in ("exhaustive", "bundles"):
        found = search(small, SearchOptions(method=method))
        require(np.array_equal(found.numbers, expected), f"frontier of the thinned space, {method}")
        require(found.values.tobytes() == points[expected].tobytes(), f"values of the thinned space, {method}")
    return f"thinned space of {small.space.size:,} designs: {len(expected):,} on the frontier, as moocore finds in all"


def native_equals_flat(problem: Problem, native: Native, loops: tuple[str, ...], rng: np.random.Generator) -> str:
    """Compare every quantity of random designs, and the sums over a range, with NumPy."""
    numbers = rng.integers(0, problem.space.size, 20_000)
    values = flat.all_quantities(problem, numbers)
    given = native.quantities(problem, numbers)
    worst = 0.0
    for column, name in enumerate(QUANTITIES):
        worst = max(worst, distance(given[:, column], values[name]))
    require(worst <= CLOSE, f"quantities in C ({native.path.name}): {worst:.1e} away")
    first, designs = problem.space.size // 3, min(100_000, problem.space.size // 3)
    sums = flat.objectives(problem, np.arange(first, first + designs)).sum(axis=0)
    for one in loops:
        apart = distance(native.sums(problem, one, first, designs), sums)
        require(apart <= 1e-10, f"sums of {one} in C ({native.path.name}): {apart:.1e} away")
    return f"{len(QUANTITIES)} quantities of {len(numbers):,} random designs in C and NumPy: within {worst:.1e}"


def loop_equals_flat(problem: Problem, designs: int) -> str:
    """Compare every quantity of the Python loop with NumPy."""
    values = flat.all_quantities(problem, np.arange(designs))
    rows = np.array([loop.evaluate(*x) for x in islice(loop.designs(problem, designs), designs)])
    worst = max(distance(rows[:, column], values[name]) for column, name in enumerate(QUANTITIES))
    require(worst <= CLOSE, f"quantities of the Python loop: {worst:.1e} away")
    return f"{len(QUANTITIES)} quantities of {designs:,} designs in the Python loop and NumPy: within {worst:.1e}"


def distance(given: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest relative difference; 0 where both are equal (to 0, say)."""
    expected = np.broadcast_to(expected, np.shape(given))
    apart = np.abs(given - expected)
    scale = np.where(apart == 0, 1.0, np.abs(expected))
    return float(np.max(apart / scale))
