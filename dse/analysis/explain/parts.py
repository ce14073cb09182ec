"""A design along the parts of a split space: the same choices in every part, and the best of what is a part's own.

Where nodes take a space apart, this is how the time of a run falls with nodes at the node of the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.analysis.explain.brackets import brackets_of
from dse.analysis.explain.reach import Reach, reach_of

if TYPE_CHECKING:
    from dse.evaluation.problem import Problem
    from dse.space.axes import Axis
    from dse.space.design_space import Product
    from dse.study.study import Study

__all__ = ["Curve", "PartPoint", "along_parts", "curves_along"]

_MOST = 4_096


class PartPoint(NamedTuple):
    """The best design of the parts that have one value of a split column; objectives in the order of the study.

    Attributes
    ----------
    value : float
        Of the column.
    number : int
    part : str
    objectives : tuple of float
        As the model gives them.
    reach : Reach
        How far they reach by bands of laws and published errors; a row of one design.
    """

    value: float
    number: int
    part: str
    objectives: tuple[float, ...]
    reach: Reach


class Curve(NamedTuple):
    """An objective along the first split column, with all other choices of one design.

    Attributes
    ----------
    column, quantity : str
    unit, column_unit : str
    values, points : tuple of float
        Of the column, and of the objective there.
    band : tuple of (float, float)
        Its ends by bands of laws.
    reach : tuple of (float, float)
        Its ends with published errors beside them.
    others : dict of str to tuple of float
        Of the same designs with another component that is the other end of a bracket, by ``SLOT COMPONENT``.
    """

    column: str
    quantity: str
    unit: str
    column_unit: str
    values: tuple[float, ...]
    points: tuple[float, ...]
    band: tuple[tuple[float, float], ...]
    reach: tuple[tuple[float, float], ...]
    others: dict[str, tuple[float, ...]]

    @property
    def banded(self) -> bool:
        """Whether a band or a published error reaches the objective."""
        return any(low < high for low, high in self.reach)

    @property
    def efficiency(self) -> tuple[float, ...]:
        """Of a time: the share of what the first point would give if more of the column cut the time alike."""
        if self.unit != "s":
            return ()
        work = self.values[0] * self.points[0]
        return tuple(work / (value * point) for value, point in zip(self.values, self.points, strict=True))


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
            point = PartPoint(float(value), winner.number, part.name, winner.objectives, winner.reach)
            before = best.get(point.value)
            if before is None or _first(problem, point) < _first(problem, before):
                best[point.value] = point
    return [best[value] for value in sorted(best)]


def curves_along(study: Study, points: Sequence[PartPoint]) -> list[Curve]:
    """Return the objectives as curves over the points of `along_parts`, both ends of brackets beside each other."""
    if not points:
        return []
    column, units = study.spec.space.split[0], study.compiled.units
    brackets = brackets_of(study, [point.number for point in points])
    curves = []
    for place, objective in enumerate(study.compiled.objectives):
        others = {
            f"{bracket.slot} {bracket.other}": tuple(bracket.others[:, place].tolist())
            for bracket in brackets
            if (bracket.others[:, place] != bracket.own[:, place]).any()
        }
        reaches = [point.reach for point in points]
        curves.append(
            Curve(
                column,
                objective.quantity,
                units[objective.quantity],
                units.get(column, "1"),
                tuple(point.value for point in points),
                tuple(point.objectives[place] for point in points),
                tuple((float(own.band_low[0, place]), float(own.band_high[0, place])) for own in reaches),
                tuple((float(own.low[0, place]), float(own.high[0, place])) for own in reaches),
                others,
            )
        )
    return curves


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


class _Best(NamedTuple):
    number: int
    objectives: tuple[float, ...]
    reach: Reach


def _best(problem: Problem, numbers: Sequence[int]) -> _Best | None:
    (record,) = problem.quantities(numbers)
    system, count = problem.systems[record["product"]], len(numbers)
    feasible = np.ones(count, dtype=bool)
    for constraint in system.constraints:
        feasible &= np.broadcast_to(np.asarray(record["values"][constraint.quantity], dtype=bool).reshape(-1), count)
    if not feasible.any():
        return None
    names = [objective.quantity for objective in problem.objectives]
    columns = [np.broadcast_to(np.asarray(record["values"][name], dtype=float).reshape(-1), count) for name in names]
    place = int(np.argmin(np.where(feasible, columns[0] * problem.signs[0], np.inf)))
    reach = Reach(*(end[place : place + 1] for end in reach_of(system.graph, record["values"], names, count)))
    return _Best(int(numbers[place]), tuple(float(column[place]) for column in columns), reach)
