"""The objectives of every design of a product, as arrays over its axes, and which designs meet the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from dse.evaluation.probe import axis_grids, fixed_grids
from dse.evaluation.problem import Problem
from dse.space.product import Product

__all__ = ["Slab", "rows_values", "slabs"]

_AT_ONCE = 1_000_000  # designs


class Slab(NamedTuple):
    """Some rows of the first axis of a product: values (objectives, rows, the other axes), and which are feasible."""

    begin: int
    end: int
    values: np.ndarray
    feasible: np.ndarray


def slabs(problem: Problem, index: int) -> Iterator[Slab]:
    """Evaluate a product, some rows of its first axis at a time, each quantity on the axes that it depends on.

    Parameters
    ----------
    problem : Problem
    index : int
        Which product.
    """
    product = problem.space.products[index]
    shape = product.shape or (1,)
    each = max(1, _AT_ONCE // max(1, prod(shape[1:])))
    for begin in range(0, shape[0], each):
        end = min(shape[0], begin + each)
        axes = product.axes
        if axes and (begin, end) != (0, shape[0]):
            axes = (axes[0].with_rows(range(begin, end)), *axes[1:])
        yield Slab(begin, end, *_evaluated(problem, index, replace(product, axes=axes)))


def _evaluated(problem: Problem, index: int, product: Product) -> tuple[np.ndarray, np.ndarray]:
    system = problem.systems[index]
    names = [objective.quantity for objective in problem.objectives]
    limits = [constraint.quantity for constraint in system.constraints]
    grids = {**fixed_grids(product, system.graph, system.assumptions), **axis_grids(product)}
    with np.errstate(all="ignore"):
        found = system.graph.evaluate({name: grids[name] for name in system.graph.inputs}, {*names, *limits})
    shape = product.shape or (1,)
    values = np.stack([np.broadcast_to(np.asarray(found[name], dtype=float), shape) for name in names])
    feasible = np.ones(shape, dtype=bool)
    for limit in limits:
        feasible &= np.broadcast_to(np.asarray(found[limit], dtype=bool), shape)
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
    from dse.evaluation.product import flat_inputs

    product, system = problem.space.products[index], problem.systems[index]
    count = len(rows[0]) if rows else 1
    names = [objective.quantity for objective in problem.objectives]
    limits = [constraint.quantity for constraint in system.constraints]
    inputs = flat_inputs(system.graph, product, system.assumptions, rows)
    with np.errstate(all="ignore"):
        found = system.graph.evaluate(inputs, {*names, *limits})
    values = np.stack([np.broadcast_to(np.asarray(found[name], dtype=float).reshape(-1), count) for name in names])
    feasible = np.ones(count, dtype=bool)
    for limit in limits:
        feasible &= np.broadcast_to(np.asarray(found[limit], dtype=bool).reshape(-1), count)
    return values, feasible
