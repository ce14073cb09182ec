"""The synthetic functions on flat arrays: one entry per design, every quantity for every design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.space.axes import Axis
from dse.space.design_space import Space


def all_quantities(problem: Problem, numbers: np.ndarray) -> dict[str, Any]:
    """Decode design numbers and call every function on them."""
    return _evaluated(problem, numbers, None)


def wanted_quantities(problem: Problem, numbers: np.ndarray) -> dict[str, Any]:
    """Decode design numbers, call every function on them, and keep no more of its results than later ones need."""
    return _evaluated(problem, numbers, [objective.quantity for objective in problem.objectives])


def _evaluated(problem: Problem, numbers: np.ndarray, wanted: list[str] | None) -> dict[str, Any]:
    (product,), (system,) = problem.space.products, problem.systems
    rows = decoded(numbers, product.shape)
    return system.graph.evaluate(flat_inputs(system.graph, product, system.assumptions, rows), wanted)


def decoded(numbers: np.ndarray, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return the row of each axis: what `np.unravel_index` does, in a third of the time."""
    rest = numbers.astype(np.uint32 if prod(shape) < 2**32 else np.uint64)
    rows = []
    for length in reversed(shape):
        above = rest // rest.dtype.type(length)
        rows.append((rest - above * rest.dtype.type(length)).astype(np.intp))
        rest = above
    return rows[::-1]


def objectives(problem: Problem, numbers: np.ndarray) -> np.ndarray:
    """Return the objectives of listed designs, (n, objectives)."""
    values = wanted_quantities(problem, numbers)
    return np.stack([np.broadcast_to(values[o.quantity], len(numbers)) for o in problem.objectives], axis=1)


def walk(
    problem: Problem,
    first: int,
    designs: int,
    chunk: int,
    evaluate: Callable[[Problem, np.ndarray], Any] = all_quantities,
) -> None:
    """Evaluate a range of designs in chunks and forget the values."""
    for start in range(first, first + designs, chunk):
        evaluate(problem, np.arange(start, min(first + designs, start + chunk)))


def thinned(problem: Problem, most: int) -> Problem:
    """Return the problem with at most `most` values on each axis, spread evenly from the first to the last."""
    (product,) = problem.space.products
    axes = []
    for axis in product.axes:
        rows = np.unique(np.linspace(0, len(axis) - 1, min(most, len(axis))).round().astype(int))
        columns = {name: values[rows] for name, values in axis.columns.items()}
        axes.append(Axis(axis.name, columns, axis.units, axis.source))
    return Problem(Space((replace(product, axes=tuple(axes)),)), problem.systems, problem.objectives)
