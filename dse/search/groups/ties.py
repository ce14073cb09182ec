"""Designs that were pruned although their objectives equal those of the frontier, looked up after the search.

A pruned row of a group stands behind a kept one that is no worse in any column at the same key. In a design of the
frontier the kept row is therefore at the place where the pruned one can be tried:

    frontier design         (kept row, the other axes)
    tried                   (each row of the same class that is no better in any column, the same other axes)

It belongs to the frontier when it is feasible and every objective is the same number. Group by group this finds every
such design: what one look-up finds is a start of the next. Bundles of rows are bounded first, so that few are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.errors import InputError, ModelError
from dse.evaluation.product_evaluator import bounds_of, flat_inputs
from dse.graph.graph import V, call
from dse.search.bundles.order import alike_order
from dse.search.proof.monotone import Group, Monotonicity
from dse.search.proof.reduction import Factor, Rows, classes, every_row

__all__ = ["LARGEST", "TieFinder"]

LARGEST = 4_000_000
_SIZES = (8, 64, 512, 4096)
_PIECE = 16_384
_DESIGNS = 4_096


class _Bundles:
    """Bundles of rows: the classes in each, the most of every column, the bounds of every quantity."""

    def __init__(self, size: int, own: np.ndarray, columns: np.ndarray, values: dict[str, np.ndarray]) -> None:
        starts = np.arange(0, len(own), size)
        self.first, self.last = own[starts], np.maximum.reduceat(own, starts)
        self.most = np.maximum.reduceat(columns, starts, axis=0) if columns.shape[1] else columns[starts]
        self.low = {name: np.minimum.reduceat(column, starts) for name, column in values.items()}
        self.high = {name: np.maximum.reduceat(column, starts) for name, column in values.items()}


class TieFinder:
    """Looks up the rows of one group that can stand in for those of frontier designs.

    Parameters
    ----------
    known : Monotonicity
    group : Group
        With at most `LARGEST` rows.
    factors : sequence of Factor, optional
        What its rows are combined from; default its axes.

    Attributes
    ----------
    tried : int
        Designs whose objectives were computed.
    """

    def __init__(self, known: Monotonicity, group: Group, factors: Sequence[Factor] | None = None) -> None:
        self.known, self.group = known, group
        blocks = list(every_row(known, group, factors))
        names = [name for name in blocks[0].values if name not in group.limits]
        rows = Rows(
            np.concatenate([block.numbers for block in blocks]),
            {name: np.concatenate([block.values[name] for block in blocks]) for name in names},
        )
        own = classes(rows, group.compared)
        alike = alike_order(rows.values, 0, len(rows), dict.fromkeys(rows.values, 1.0))
        order = alike[np.argsort(own[alike], kind="stable")]
        self.rows, self.own = rows.take(order), own[order]
        self.columns = self.rows.columns(group)
        self.place = np.argsort(self.rows.numbers)
        self.levels = [_Bundles(size, self.own, self.columns, self.rows.values) for size in _SIZES]
        self.mixing = [
            position
            for position in known.positions
            if any(self._mixes(name) for name in known.graph.functions[position].gives)
        ]
        self.bounded = known.on_points.isdisjoint(self.mixing)
        self.tried = 0

    def _mixes(self, name: str) -> bool:
        own = self.known.axes(name)
        return not own.isdisjoint(self.group.axes) and not own <= self.group.axes

    def find(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the designs that equal some of the product (points to be minimised, numbers), these left out.

        Parameters
        ----------
        numbers : (n,) ndarray of int64
            Designs of the frontier.
        """
        points, equal = [np.empty((0, len(self.known.problem.objectives)))], [np.empty(0, dtype=np.int64)]
        for begin in range(0, len(numbers), _DESIGNS):
            for points_here, which in self._find(np.asarray(numbers[begin : begin + _DESIGNS], dtype=np.int64)):
                points.append(points_here)
                equal.append(which)
        return np.concatenate(points), np.concatenate(equal)

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        """Tell which designs of the product have a row of this group that those inside it left."""
        return np.isin(self._local(numbers), self.rows.numbers)

    def _local(self, numbers: np.ndarray) -> np.ndarray:
        """Return what the axes of the group add to the number within the product."""
        product = self.known.product
        axis_rows = self.known.problem.space.decode(self.known.index, numbers)
        local = np.zeros(len(numbers), dtype=np.int64)
        for axis in self.group.axes:
            local += axis_rows[axis] * product.strides[axis]
        return local

    def _find(self, numbers: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        problem, index = self.known.problem, self.known.index
        product, graph = self.known.product, self.known.graph
        # A start that was closed may hold rows that groups inside this one left out; a design that is left equals it.
        numbers = numbers[self.holds(numbers)]
        if not len(numbers):
            return []
        axis_rows, local = problem.space.decode(index, numbers), self._local(numbers)
        place = self.place[np.searchsorted(self.rows.numbers[self.place], local)]
        inputs = flat_inputs(graph, product, self.known.system.assumptions, axis_rows)
        with np.errstate(all="ignore"):
            flat = graph.evaluate(inputs)
        self._designs = numbers - local
        self._flat, self._at = flat, place
        every = np.arange(len(numbers))
        self._target = self._objectives(self._evaluated(every, place), len(numbers))
        size = _SIZES[-1]
        first = np.searchsorted(self.own, self.own[place]) // size
        last = (np.searchsorted(self.own, self.own[place], side="right") - 1) // size
        which = np.repeat(every, last - first + 1)
        bundle = np.arange(len(which)) - np.repeat(np.r_[0, np.cumsum(last - first + 1)[:-1]], last - first + 1)
        result: list[tuple[np.ndarray, np.ndarray]] = []
        self._descend(len(_SIZES) - 1, which, bundle + np.repeat(first, last - first + 1), result)
        return result

    def _descend(
        self, level: int, which: np.ndarray, bundle: np.ndarray, result: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        for begin in range(0, len(which), _PIECE):
            chosen, inside = which[begin : begin + _PIECE], bundle[begin : begin + _PIECE]
            keep = self._may_hold(self.levels[level], chosen, inside)
            chosen, inside = chosen[keep], inside[keep]
            if not len(chosen):
                continue
            parts = _SIZES[level] // (_SIZES[level - 1] if level else 1)
            children = (inside[:, None] * parts + np.arange(parts)).reshape(-1)
            chosen = np.repeat(chosen, parts)
            real = children < (len(self.levels[level - 1].first) if level else len(self.own))
            if level:
                self._descend(level - 1, chosen[real], children[real], result)
            else:
                self._try(chosen[real], children[real], result)

    def _may_hold(self, bundles: _Bundles, which: np.ndarray, bundle: np.ndarray) -> np.ndarray:
        """Tell which bundles may hold a row that equals a design's in what it leads to."""
        at = self._at[which]
        keep: np.ndarray = (bundles.first[bundle] <= self.own[at]) & (bundles.last[bundle] >= self.own[at])
        keep &= (bundles.most[bundle] >= self.columns[at]).all(axis=1)
        chosen = np.flatnonzero(keep)
        if not len(chosen) or not self.bounded:
            return keep
        overlapping, inside = which[chosen], bundle[chosen]
        values: dict[str, Range | Condition] = {
            name: Range(bundles.low[name][inside], bundles.high[name][inside]) for name in self.rows.values
        }
        try:
            bounds = self._joined(values, overlapping)
        except (InputError, ModelError):  # no form for ranges: every row is tried
            self.bounded = False
            return keep
        possible = np.ones(len(chosen), dtype=bool)
        for constraint in self.known.system.constraints:
            if constraint.quantity not in self.group.limits:
                possible &= Condition.of(bounds[constraint.quantity]).can_be_true
        for column, objective in enumerate(self.known.problem.objectives):
            low, high = bounds_of(bounds[objective.quantity])
            best = -high if objective.sense == "max" else low
            possible &= ~(best > self._target[overlapping, column])
        keep[chosen] = possible
        return keep

    def _try(self, which: np.ndarray, rows: np.ndarray, result: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Try rows one by one."""
        at = self._at[which]
        keep = (self.own[rows] == self.own[at]) & (rows != at) & (self.columns[rows] >= self.columns[at]).all(axis=1)
        which, rows = which[keep], rows[keep]
        if not len(which):
            return
        self.tried += len(which)
        values = self._evaluated(which, rows)
        points = self._objectives(values, len(which))
        same = (points == self._target[which]).all(axis=1)
        for constraint in self.known.system.constraints:
            if constraint.quantity not in self.group.limits:
                same &= np.broadcast_to(np.asarray(values[constraint.quantity], dtype=bool), len(which))
        if same.any():
            result.append((points[same], self._designs[which[same]] + self.rows.numbers[rows[same]]))

    def _evaluated(self, which: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
        return self._joined({name: column[rows] for name, column in self.rows.values.items()}, which)

    def _joined(self, values: dict[str, V], which: np.ndarray) -> dict[str, V]:
        """Add what is made of the group's quantities and of those of the designs' other axes."""
        joined = dict(values)
        functions = [self.known.graph.functions[position] for position in self.mixing]
        made = {name for function in functions for name in function.gives if self._mixes(name)}
        for name in [*(need for function in functions for need in function.needs), *self.known.results]:
            if name not in joined and name not in made:
                joined[name] = self._of_other_axes(name, which)
        with np.errstate(all="ignore"):
            for function in functions:
                for name, value in call(function, joined).items():
                    if name in made:
                        joined[name] = value
        return joined

    def _of_other_axes(self, name: str, which: np.ndarray) -> Any:
        value = self._flat[name]  # an array, a text or a table
        return value.take(which) if isinstance(value, np.ndarray) and value.size > 1 else value

    def _objectives(self, values: dict[str, np.ndarray], count: int) -> np.ndarray:
        columns = [
            np.broadcast_to(np.asarray(values[objective.quantity], dtype=float), count) * objective.sign + 0.0
            for objective in self.known.problem.objectives
        ]
        return np.stack(columns, axis=1)
