"""What the panel says of one design: breakdowns, bounds and slacks, computed for many designs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.analysis.explain.bottlenecks import RateAxis, rate_axes

if TYPE_CHECKING:
    from dse.evaluation.problem import Problem

__all__ = ["BINDING", "Details", "Limit", "Stack", "collect_details"]

BINDING = 0.01  # relative slack below which a constraint is said to bind
_SLACKS = ("<=", "<", ">=", ">")


class Stack(NamedTuple):
    """A quantity that is the sum ("sum") or the maximum ("max") of others, in some alternatives (`products`)."""

    quantity: str
    kind: str
    unit: str
    parts: tuple[str, ...]
    products: tuple[int, ...]


class Limit(NamedTuple):
    """A constraint; `left` and `right` name the columns with its two sides, empty where it is no plain comparison."""

    left: str
    relation: str
    right: str
    unit: str


class Details(NamedTuple):
    """Numbers behind the first `rows` designs of the page.

    Attributes
    ----------
    rows : int
    stacks : tuple of Stack
        The most comprehensive first.
    rates : tuple of (RateAxis, tuple of int)
        Axes with bounds as rates, each with the alternatives that have it.
    limits : tuple of Limit
        One per constraint of the study.
    columns : dict of str to ndarray
        SI values by quantity, one per row, NaN where an alternative has no such quantity.
    extrapolated : list of str
        For each row, the quantities outside the range a model was validated on.
    binding : float
        Relative slack below which a constraint is said to bind.
    """

    rows: int
    stacks: tuple[Stack, ...]
    rates: tuple[tuple[RateAxis, tuple[int, ...]], ...]
    limits: tuple[Limit, ...]
    columns: dict[str, np.ndarray]
    extrapolated: list[str]
    binding: float

    @property
    def bytes(self) -> int:
        """Size of the columns on the page, constants left out."""
        return sum(4 * len(c) for c in self.columns.values() if len(c) and not (c == c[0]).all())


def collect_details(problem: Problem, numbers: np.ndarray) -> Details:
    """Evaluate the designs and keep what breakdowns, bounds and slacks need."""
    stacks, rates, limits = _stacks(problem), _rates(problem), _limits(problem)
    wanted = dict.fromkeys(name for stack in stacks for name in (stack.quantity, *stack.parts))
    wanted |= dict.fromkeys(axis.achieved for axis, _ in rates)
    count = len(numbers)
    columns = {name: np.full(count, np.nan) for name in wanted}
    for limit in limits:
        if limit.left:
            columns[limit.left], columns[limit.right] = np.full(count, np.nan), np.full(count, np.nan)
    extrapolated = np.full(count, "", dtype=object)
    for record in problem.quantities(numbers):
        here, values = record["positions"], record["values"]
        for name in wanted:
            if name in values:
                columns[name][here] = _flat(values[name], len(here))
        for constraint in problem.systems[record["product"]].constraints:
            limit = limits[constraint.place]
            if limit.left and constraint.expression.sides is not None:
                left, _, right = constraint.expression.sides
                needs = {name: values[name] for name in constraint.expression.needs}
                columns[limit.left][here] = _flat(left.compute(needs), len(here))
                columns[limit.right][here] = _flat(right.compute(needs), len(here))
        extrapolated[here] = problem.outside_validity(record["product"], values, len(here)).texts
    return Details(count, stacks, rates, limits, columns, extrapolated.tolist(), BINDING)


def _flat(value: object, count: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(value, dtype=float).reshape(-1), count)


def _stacks(problem: Problem) -> tuple[Stack, ...]:
    stacks: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    units: dict[str, str] = {}
    for index, system in enumerate(problem.systems):
        known = system.graph.units
        for function in reversed(system.graph.functions):
            (name,) = list(function.gives)[:1]
            for kind, parts in (("sum", function.sum_of), ("max", function.max_of)):
                if parts and all(known.get(part, "text") not in ("text", "table", "bool") for part in parts):
                    stacks.setdefault((name, kind, tuple(parts)), []).append(index)
                    units[name] = known[name]
    return tuple(Stack(name, kind, units[name], parts, tuple(at)) for (name, kind, parts), at in stacks.items())


def _rates(problem: Problem) -> tuple[tuple[RateAxis, tuple[int, ...]], ...]:
    rates: dict[RateAxis, list[int]] = {}
    for index, system in enumerate(problem.systems):
        for axis in rate_axes(system.graph):
            rates.setdefault(axis, []).append(index)
    return tuple((axis, tuple(at)) for axis, at in rates.items())


def _limits(problem: Problem) -> tuple[Limit, ...]:
    limits = []
    for place, constraint in enumerate(problem.constraints):
        limit = Limit("", "", "", "")
        if constraint.expression.sides is not None:
            left, relation, right = constraint.expression.sides
            if relation in _SLACKS and left.unit not in ("bool", "text"):
                unit = right.unit if left.is_zero else left.unit
                limit = Limit(f"{place} left", relation, f"{place} right", unit)
        limits.append(limit)
    return tuple(limits)
