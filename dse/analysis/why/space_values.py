"""The objectives of every design of a product, as arrays over its axes, and which designs meet the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from dse.evaluation.probe import axis_grids, fixed_grids
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.space.design_space import Product

__all__ = ["Slab", "long_axis", "rows_values", "slabs"]

_AT_ONCE = 1_000_000  # designs


class Slab(NamedTuple):
    """Some rows of the longest axis of a product, which comes first here.

    Attributes
    ----------
    begin, end : int
        The rows.
    values : ndarray
        (objectives, rows, the other axes).
    feasible : ndarray of bool
        (rows, the other axes).
    numbers : ndarray of int64
        The designs, of the same shape.
    """

    begin: int
    end: int
    values: np.ndarray
    feasible: np.ndarray
    numbers: np.ndarray


def long_axis(product: Product) -> int:
    """Return the place of the longest axis, along which slabs are cut."""
    return int(np.argmax(product.shape)) if product.shape else 0


def slabs(problem: Problem, index: int) -> Iterator[Slab]:
    """Evaluate a product, some rows of its longest axis at a time, each quantity on the axes that it depends on.

    Parameters
    ----------
    problem : Problem
    index : int
        Which product.
    """
    product = problem.space.products[index]
    shape, long = product.shape or (1,), long_axis(product)
    each = max(1, _AT_ONCE // max(1, prod(shape) // shape[long]))
    for begin in range(0, shape[long], each):
        end = min(shape[long], begin + each)
        axes = list(product.axes)
        if axes and (begin, end) != (0, shape[long]):
            axes[long] = axes[long].with_rows(range(begin, end))
        values, feasible = _evaluated(problem, index, replace(product, axes=tuple(axes)))
        numbers = np.full((1,) * len(shape), problem.space.offsets[index], dtype=np.int64)
        for place, stride in enumerate(product.strides):
            rows = np.arange(begin, end) if place == long else np.arange(shape[place])
            numbers = numbers + (rows * stride).reshape(
                [-1 if dimension == place else 1 for dimension in range(len(shape))]
            )
        yield Slab(
            begin,
            end,
            np.moveaxis(values, long + 1, 1),
            np.moveaxis(feasible, long, 0),
            np.moveaxis(np.broadcast_to(numbers, feasible.shape), long, 0),
        )


def _evaluated(problem: Problem, index: int, product: Product) -> tuple[np.ndarray, np.ndarray]:
    system = problem.systems[index]
    names = [objective.quantity for objective in problem.objectives]
    limits = [constraint.quantity for constraint in system.constraints]
    grids = {**fixed_grids(product, system.graph, system.assumptions), **axis_grids(product)}
    with np.errstate(all="ignore"):
        quantities = system.graph.evaluate({name: grids[name] for name in system.graph.inputs}, {*names, *limits})
    shape = product.shape or (1,)
    values = np.stack([np.broadcast_to(np.asarray(quantities[name], dtype=float), shape) for name in names])
    feasible = np.ones(shape, dtype=bool)
    for limit in limits:
        feasible &= np.broadcast_to(np.asarray(quantities[limit], dtype=bool), shape)
    return values, feasible


def rows_values(problem: Problem, index: int, rows: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate listed designs of a product.

    Parameters
    ----------
    problem : Problem
    index : int
    rows : tuple of (n,) ndarray
        The row of each axis.

    Returns
    -------
    values : (objectives, n) ndarray
    feasible : (n,) ndarray of bool
    """
    product, system = problem.space.products[index], problem.systems[index]
    count = len(rows[0]) if rows else 1
    names = [objective.quantity for objective in problem.objectives]
    limits = [constraint.quantity for constraint in system.constraints]
    inputs = flat_inputs(system.graph, product, system.assumptions, rows)
    with np.errstate(all="ignore"):
        quantities = system.graph.evaluate(inputs, {*names, *limits})
    values = np.stack([np.broadcast_to(np.asarray(quantities[name], dtype=float).reshape(-1), count) for name in names])
    feasible = np.ones(count, dtype=bool)
    for limit in limits:
        feasible &= np.broadcast_to(np.asarray(quantities[limit], dtype=bool).reshape(-1), count)
    return values, feasible
