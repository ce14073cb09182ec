"""A design along the parts of a split space: the same choices in every part, and the best of what is a part's own.

Where nodes take a space apart, this is how the time of a run falls with nodes at the node of the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dse.evaluation.problem import Problem
    from dse.space.axes import Axis
    from dse.space.design_space import Product
    from dse.study.study import Study

__all__ = ["PartPoint", "along_parts"]

_MOST = 4_096


class PartPoint(NamedTuple):
    """The best design of the parts that have one value of a split column.

    Attributes
    ----------
    value : float
        Of the column.
    number : int
    part : str
    objectives : tuple of float
        As the model gives them, in the order of the study.
    """

    value: float
    number: int
    part: str
    objectives: tuple[float, ...]


def along_parts(study: Study, number: int) -> list[PartPoint]:
    """Return the best feasible design with the choices of one, at each value of the first split column.

    Axes whose rows are a part's own, such as the shapes of a network, take all their rows. The best has the best first
    objective. Empty where the space is not split, or where there are too many such rows.

    Parameters
    ----------
    study : Study
    number : int
        Design number.
    """
    if not study.spec.space.split:
        return []
    problem, column = study.compiled, study.spec.space.split[0]
    index, rows = problem.space.rows_of(number)
    own = problem.space.products[index]
    chosen = {axis.name: axis.label(int(row)) for axis, row in zip(own.axes, rows, strict=True)}
    shared = {axis.name: _labels(axis) for axis in own.axes}
    apart = {
        axis.name
        for part in problem.space.products
        for axis in part.axes
        if axis.name in shared and _labels(axis) != shared[axis.name]
    }
    best: dict[float, PartPoint] = {}
    for place, part in enumerate(problem.space.products):
        numbers = _numbers(part, problem.space.offsets[place], chosen, apart)
        value = part.fixed.get(column)
        if not numbers or value is None or isinstance(value, str):
            continue
        winner = _best(problem, numbers)
        if winner is not None:
            point = PartPoint(float(value), winner[0], part.name, winner[1])
            before = best.get(point.value)
            if before is None or _first(problem, point) < _first(problem, before):
                best[point.value] = point
    return [best[value] for value in sorted(best)]


def _first(problem: Problem, point: PartPoint) -> float:
    return float(point.objectives[0] * problem.signs[0])


def _labels(axis: Axis) -> list[str]:
    return [axis.label(row) for row in range(len(axis))]


def _numbers(part: Product, offset: int, chosen: dict[str, str], apart: set[str]) -> list[int]:
    """Return the designs of a part that have the choices of a design; none where it has other axes."""
    if {axis.name for axis in part.axes} != chosen.keys():
        return []
    rows: list[Sequence[int]] = [
        range(len(axis)) if axis.name in apart else [_labels(axis).index(chosen[axis.name])] for axis in part.axes
    ]
    if np.prod([len(own_rows) for own_rows in rows]) > _MOST:
        return []
    return [
        offset + sum(row * int(stride) for row, stride in zip(place, part.strides, strict=True))
        for place in combinations(*rows)
    ]


def _best(problem: Problem, numbers: Sequence[int]) -> tuple[int, tuple[float, ...]] | None:
    (record,) = problem.quantities(numbers)
    feasible = np.ones(len(numbers), dtype=bool)
    for constraint in problem.systems[record["product"]].constraints:
        feasible &= np.broadcast_to(
            np.asarray(record["values"][constraint.quantity], dtype=bool).reshape(-1), len(numbers)
        )
    if not feasible.any():
        return None
    columns = [
        np.broadcast_to(np.asarray(record["values"][o.quantity], dtype=float).reshape(-1), len(numbers))
        for o in problem.objectives
    ]
    place = int(np.argmin(np.where(feasible, columns[0] * problem.signs[0], np.inf)))
    return int(numbers[place]), tuple(float(column[place]) for column in columns)
