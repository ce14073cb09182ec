"""A strong start: random designs, then their one-step neighbours, so that the filter works from the first block."""

from __future__ import annotations

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product import ProductEvaluator
from dse.search.archive import Archive
from dse.search.prefilter import Prefilter

__all__ = ["sample_seeds"]

_DESIGNS = 30_000
_LEAST = 64  # of an alternative
_WORTHWHILE = 4  # times as many designs as the start has, at least, make a start worth its time
_SMALLEST_SPACE = 300_000
_ROUNDS = 6
_NEIGHBOURS = 150_000


def sample_seeds(
    problem: Problem, evaluators: list[ProductEvaluator], *, last: int | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a first frontier (points to be minimised, design numbers), or None where the space is small.

    None too where alternatives are so many and small that the start would be a good part of the search.
    """
    space = problem.space
    shares = [max(_LEAST, round(_DESIGNS * product.size / space.size)) for product in space.products]
    if space.size < _SMALLEST_SPACE or sum(shares) * _WORTHWHILE > space.size:
        return None
    rng = np.random.default_rng(problem.seed)
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives), last=last))
    for index, product in enumerate(space.products):
        rows = tuple(rng.integers(0, count, shares[index]) for count in product.shape)
        archive.add(*_evaluate(problem, index, evaluators[index], rows))
    archive.merge()
    for _ in range(_ROUNDS):
        before = archive.numbers
        for index in range(len(space.products)):
            near = _neighbours(problem, index, archive.numbers)
            if near is not None:
                archive.add(*_evaluate(problem, index, evaluators[index], near))
        archive.merge()
        if np.array_equal(before, archive.numbers):
            break
    return archive.result()


def _evaluate(
    problem: Problem, index: int, evaluator: ProductEvaluator, rows: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the feasible and finite ones of some designs."""
    values = evaluator.at_rows(evaluator.atom_rows(rows))
    count = len(rows[0]) if rows else 1
    good = np.ones(count, dtype=bool)
    for constraint in problem.systems[index].constraints:
        good &= np.broadcast_to(values[constraint.quantity], count)
    points = np.stack([np.broadcast_to(values[o.quantity], count) * o.sign + 0.0 for o in problem.objectives], axis=1)
    good &= np.isfinite(points).all(axis=1)
    product = problem.space.products[index]
    numbers = np.full(count, problem.space.offsets[index], dtype=np.int64)
    for row, stride in zip(rows, product.strides, strict=True):
        numbers += row * stride
    return points[good], numbers[good]


def _neighbours(problem: Problem, index: int, numbers: np.ndarray) -> tuple[np.ndarray, ...] | None:
    product, first = problem.space.products[index], problem.space.offsets[index]
    here = numbers[(numbers >= first) & (numbers < first + product.size)]
    if len(here) == 0:
        return None
    most = max(1, _NEIGHBOURS // (2 * max(1, len(product.axes))))
    if len(here) > most:
        here = here[:: -(-len(here) // most)]
    rows = problem.space.decode(index, here)
    moved: list[list[np.ndarray]] = [[] for _ in rows]
    for axis, count in enumerate(product.shape):
        for step in (-1, 1):
            target = rows[axis] + step
            inside = (target >= 0) & (target < count)
            for other, row in enumerate(rows):
                moved[other].append(target[inside] if other == axis else row[inside])
    return tuple(np.concatenate(parts) for parts in moved) if rows else None
