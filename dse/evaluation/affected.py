"""Designs evaluated at many values of what is not known: only what an unknown reaches is computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Condition, Range
from dse.evaluation.distinct_rows import DistinctRows
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import bounds_of
from dse.evaluation.row_tables import RowTables
from dse.evaluation.unknowns import ALTERNATIVE, UncertainProblem
from dse.graph.graph import call

__all__ = ["AffectedDesigns", "affected_designs", "bounds_at"]

_KEPT, _LISTS = 20_000, 3  # designs of a list that is kept, and lists


def affected_designs(unknown: UncertainProblem, numbers: np.ndarray) -> list[AffectedDesigns]:
    """Return listed designs by product, in the order of the list within each; those of the last few lists are kept."""
    kept, key = unknown.looked_at, numbers.tobytes()
    if key not in kept:
        space = unknown.problem.space
        designs = [AffectedDesigns(unknown, index, numbers[here], here) for index, here in space.by_product(numbers)]
        if len(numbers) > _KEPT:
            return designs
        while len(kept) >= _LISTS:
            kept.pop(next(iter(kept)))
        kept[key] = designs
    listed = kept[key]
    assert isinstance(listed, list)
    return listed


class AffectedDesigns:
    """Designs of one product, along the first dimension; values of the unknowns are along the second.

    Parameters
    ----------
    unknown : UncertainProblem
    index : int
        The product.
    numbers : (n,) ndarray of int64
    positions : (n,) ndarray of int
        Their places in the list they come from.
    """

    def __init__(self, unknown: UncertainProblem, index: int, numbers: np.ndarray, positions: np.ndarray) -> None:
        self.unknown, self.index, self.numbers, self.positions = unknown, index, numbers, positions
        self.problem = unknown.problem
        self.graph = self.problem.systems[index].graph
        self.rows = self.problem.space.decode(index, numbers)
        reached = unknown.affected(index)
        wanted = self.graph.below(self.problem.results(index))
        self.again = [
            function
            for function in (self.graph.functions[position] for position in reached)
            if not wanted.isdisjoint(function.gives)
        ]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def base(self) -> dict[str, Any]:
        """What no unknown reaches and is read, one entry per design (constants: one) along the first dimension."""
        results = self.problem.results(self.index)
        made = {name for function in self.again for name in function.gives} | set(self.unknown.entering(self.index))
        named = dict.fromkeys([*(need for function in self.again for need in function.needs), *results])
        read = [name for name in named if name not in made]
        below = self.graph.below(read)
        positions = [at for at, function in enumerate(self.graph.functions) if not below.isdisjoint(function.gives)]
        if self.index not in self.unknown.tables:
            product, system = self.problem.space.products[self.index], self.problem.systems[self.index]
            self.unknown.tables[self.index] = RowTables(self.graph, product, system.assumptions)
        values = DistinctRows(self.unknown.tables[self.index], self.rows).evaluate(positions, read)
        return {
            name: value.reshape(-1, 1) if isinstance(value, np.ndarray) else value for name, value in values.items()
        }

    @cached_property
    def boundary(self) -> dict[str, tuple[str, ...]]:
        """By objective: what it depends on that no unknown reaches, as far as functions that one reaches read it."""
        return {objective.quantity: self.boundary_of([objective.quantity]) for objective in self.problem.objectives}

    def boundary_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return what quantities depend on that no unknown reaches, as far as functions that one reaches read it."""
        below = self.graph.below(names)
        own = [function for function in self.again if not below.isdisjoint(function.gives)]
        made = {name for function in own for name in function.gives}
        entering = set(self.unknown.entering(self.index))
        read = dict.fromkeys(need for function in own for need in function.needs if need not in made | entering)
        return tuple(dict.fromkeys([*read, *(name for name in names if name not in made | entering)]))

    def row_labels(self, axis: str) -> np.ndarray | None:
        """Return the label of each design's row of an axis, or of what it is joined by; None where there is none."""
        if axis == ALTERNATIVE:
            return np.full(len(self), self.problem.space.products[self.index].name, dtype=object)
        for at, own in enumerate(self.problem.space.products[self.index].axes):
            names = own.names(axis)
            if names is not None:
                return np.asarray(np.array(names, dtype=object)[self.rows[at]])
        return None

    def whole(self) -> dict[int, Operand]:
        """Return every unknown as the range of all its values."""
        drawn: dict[int, Operand] = {}
        for place, unknown in enumerate(self.unknown.unknowns):
            low, high = np.array([[unknown.low]]), np.array([[unknown.high]])
            if unknown.scope == "each":
                low, high = self.row_interval(place)
            drawn[place] = Range(low, high)
        return drawn

    def row_interval(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the interval of each design's row, of an unknown that each row of an axis has of its own."""
        unknown = self.unknown.unknowns[place]
        labels = self.row_labels(unknown.axis)
        if labels is None:
            return np.zeros((1, 1)), np.zeros((1, 1))
        low, high = unknown.intervals(list(labels))
        return low[:, None], high[:, None]

    def values(self, drawn: Mapping[int, Operand]) -> dict[str, np.ndarray]:
        """Return the quantities of the results at values of the unknowns: arrays that broadcast to (n, m).

        Parameters
        ----------
        drawn : mapping of int to array or Range
            By place of the unknown: its values, (1, m) or (n, m).
        """
        values = dict(self.base)
        values.update(self.unknown.given(self.index, drawn))
        with np.errstate(all="ignore"):
            for function in self.again:
                values.update(call(function, values))
        return values

    def bounds(self, drawn: Mapping[int, Operand], count: int = 1) -> tuple[np.ndarray, ...]:
        """Return bounds of the objectives, and where limits can be and are certainly met: (n, m, d) and (n, m)."""
        return bounds_at(self.problem, self.index, self.values(drawn), (len(self), count))


def bounds_at(
    problem: Problem, index: int, values: Mapping[str, Operand], shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return bounds of the objectives of designs (to be minimised), and where limits can be and are certainly met.

    A bound that is not known is infinite, and a limit that reads such a one may be met or not.
    """
    low, high = [], []
    for objective in problem.objectives:
        least, most = bounds_of(values[objective.quantity])
        if objective.sense == "max":
            least, most = -most, -least
        sure = np.isfinite(least) & np.isfinite(most)
        low.append(np.broadcast_to(np.where(sure, least + 0.0, -np.inf), shape))
        high.append(np.broadcast_to(np.where(sure, most + 0.0, np.inf), shape))
    can, must = np.ones(shape, dtype=bool), np.ones(shape, dtype=bool)
    for constraint in problem.systems[index].constraints:
        condition = Condition.of(values[constraint.quantity])
        open_ = np.zeros(1, dtype=bool)
        for need in constraint.expression.needs:
            bounds = values[need]
            if isinstance(bounds, Range):
                open_ = open_ | ~(np.isfinite(bounds.low) & np.isfinite(bounds.high))
        can &= condition.can_be_true | open_
        must &= ~(condition.can_be_false | open_)
    return np.stack(low, axis=-1), np.stack(high, axis=-1), can, must
