"""The synthetic functions on flat arrays: one entry per design, every quantity for every design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dse.axes import Axis
from dse.evaluation import flat_inputs
from dse.problem import Problem
from dse.space import Space


def all_quantities(problem: Problem, numbers: np.ndarray) -> dict[str, Any]:
    """Decode design numbers and call every function on them."""
    (product,), (system,) = problem.space.products, problem.systems
    rows = np.unravel_index(numbers, product.shape)  # twice as fast as dividing by strides
    return system.graph.evaluate(flat_inputs(system.graph, product, system.assumptions, rows))


def objectives(problem: Problem, numbers: np.ndarray) -> np.ndarray:
    """Return the objectives of listed designs, (n, objectives)."""
    values = all_quantities(problem, numbers)
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
