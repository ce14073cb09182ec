"""What is known of the quantities of one product: the axes they depend on, their bounds, and what reads them.

Functions are taken apart into their steps (`dse.evaluation.step_graph`), so a partial sum is a quantity as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.errors import InputError, ModelError
from dse.evaluation.probe import Given, as_grid, axis_grids, fixed_grids
from dse.evaluation.problem import Problem
from dse.evaluation.step_graph import StepGraph
from dse.graph.graph import call

__all__ = ["Quantities", "Refused", "finite"]

_LARGEST_TABLE = 1_000_000


def finite(hull: Range | Condition) -> bool:
    """Tell whether bounds are finite everywhere."""
    bounds = Range.of(hull)
    return bool(np.isfinite(bounds.low).all() and np.isfinite(bounds.high).all())


class Refused(Exception):
    """Nothing can be pruned in a product, for the reason given."""


class Quantities:
    """What is known of the quantities of one product: their axes, their bounds, and who reads them.

    Parameters
    ----------
    problem : Problem
    index : int
        The product.
    unknown : mapping of str to Range, optional
        Inputs that are not known. What is proved holds at all their values; rows of a group that reaches the results
        through a quantity that they change are not compared.

    Attributes
    ----------
    hulls : dict of str to Range or Condition
        Bounds of every quantity over the whole product: of its table where that is small enough.
    graph, structure, origin
        Of functions taken apart (`dse.evaluation.step_graph`).
    changed : frozenset of str
        What depends on inputs that are not known.
    on_points : frozenset of int
        The functions that only points may be given to: integers wrap around, which ranges and signs do not see.
    """

    def __init__(self, problem: Problem, index: int, unknown: Mapping[str, Range] = {}) -> None:
        self.problem, self.index, self.unknown = problem, index, unknown
        self.product, self.system = problem.space.products[index], problem.systems[index]
        self.results = problem.results(index)
        self._take(problem.apart(index))
        wild = self._not_finite()
        if wild:
            self._take(problem.apart(index, wild))

    def _take(self, steps: StepGraph) -> None:
        """Take over a graph, and bound all of its quantities."""
        self.graph, self.structure, self.origin = steps.graph, steps.structure, steps.origin
        self.on_points = self.structure.integers
        self.changed = self._changed()
        wanted = self.graph.below(self.results)
        self.positions = [
            position
            for position, function in enumerate(self.graph.functions)
            if any(name in wanted for name in function.gives)
        ]
        self.readers: dict[str, list[int]] = {}
        for position in self.positions:
            for need in self.graph.functions[position].needs:
                self.readers.setdefault(need, []).append(position)
        self.constants: dict[str, Any] = {}  # texts and tables, which go to functions whatever the others are
        self.hulls: dict[str, Range | Condition] = {}
        self._bound()

    def _changed(self) -> frozenset[str]:
        """Return what depends on inputs that are not known."""
        changed = set(self.unknown)
        for function in self.graph.functions:
            if not changed.isdisjoint(function.needs):
                changed.update(function.gives)
        return frozenset(changed)

    def _not_finite(self) -> frozenset[int]:
        """Return the functions with a part between arguments and results that is not finite: they are not cut."""
        own = self.problem.systems[self.index].graph.units
        return frozenset(
            self.origin[position]
            for position in self.positions
            for name in self.graph.functions[position].gives
            if name not in own and not finite(self.hulls[name])
        )

    def axes(self, name: str) -> frozenset[int]:
        """Return the axes a quantity depends on."""
        return self.structure.axes.get(name, frozenset())

    def rows(self, axes: frozenset[int]) -> int:
        """Return the number of combinations of some axes."""
        return prod(self.product.shape[axis] for axis in axes)

    def _bound(self) -> None:
        """Bound every quantity, by its table where that is small, else by the bounds of what it is made of."""
        dimensions = max(1, len(self.product.axes))
        tables: dict[str, Given] = {
            **fixed_grids(self.product, self.graph, self.system.assumptions),
            **axis_grids(self.product),
        }
        for name in self.graph.inputs:
            if name in self.unknown:
                self.hulls[name] = self.unknown[name]
                del tables[name]
            else:
                self._note(name, tables[name])
        last = {need: position for position in self.positions for need in self.graph.functions[position].needs}
        with np.errstate(all="ignore"):
            for position in self.positions:
                function = self.graph.functions[position]
                size = max(self.rows(self.axes(name)) for name in function.gives)
                if size <= _LARGEST_TABLE and all(need in tables for need in function.needs):
                    for name, result in call(function, tables).items():
                        tables[name] = as_grid(result, dimensions)
                        self._note(name, tables[name])
                else:
                    hulls = self._on_bounds(position)
                    self.hulls.update({name: bounds for name, bounds in hulls.items() if name not in self.hulls})
                for need in function.needs:
                    if last[need] == position:
                        tables.pop(need, None)

    def _note(self, name: str, table: Given) -> None:
        if not isinstance(table, np.ndarray) or table.dtype.kind not in "fiub":
            self.constants[name] = table
        elif table.dtype.kind == "b":
            self.hulls[name] = Condition(np.array([table.any()]), np.array([not table.all()]))
        else:
            self.hulls[name] = Range(np.array([table.min()], dtype=float), np.array([table.max()], dtype=float))

    def _on_bounds(self, position: int) -> Mapping[str, Range | Condition]:
        function = self.graph.functions[position]
        unknown = Range(np.array([np.nan]), np.array([np.nan]))
        try:
            self.refuse_points(position)
            results = call(function, {**self.constants, **self.hulls})
        except (ModelError, InputError, KeyError):
            return {name: unknown for name, unit in function.gives.items() if unit != "text"}
        return {
            name: result if isinstance(result, (Range, Condition)) else Range.of(result)
            for name, result in results.items()
            if function.gives[name] != "text"
        }

    def refuse_points(self, position: int) -> None:
        """Refuse a function that ranges must not be given to."""
        if position in self.on_points:
            raise ModelError(f"{self.graph.functions[position].label} has no form for ranges")

    def check_finite(self) -> None:
        """Make sure that no design could be refused for what is not finite: such designs must not be pruned unseen.

        Raises
        ------
        Refused
        """
        for objective in self.problem.objectives:
            if not finite(self.hulls[objective.quantity]):
                raise Refused(f"the bounds of '{objective.quantity}' are not finite{self._origin(objective.quantity)}")
        for constraint in self.system.constraints:
            if not Condition.of(self.hulls[constraint.quantity]).can_be_true.any():
                raise Refused(f"no design meets '{constraint.text}'")
            for need in constraint.expression.needs:
                if need in self.hulls:
                    bounds = Range.of(self.hulls[need])
                    if np.isnan(bounds.low).any() or np.isnan(bounds.high).any():
                        what = f"'{need}' in the constraint '{constraint.text}'"
                        raise Refused(f"{what} has no bounds{self._origin(need)}")

    def always_met(self) -> list[str]:
        """Return the constraints that every design meets, by their bounds: no quantity is to be compared for them."""
        return [
            constraint.text
            for constraint in self.system.constraints
            if not Condition.of(self.hulls[constraint.quantity]).can_be_false.any()
        ]

    def _origin(self, name: str) -> str:
        """Name the first quantity below another one whose bounds are not finite."""
        below = self.graph.below([name])
        for position in self.positions:
            for given in self.graph.functions[position].gives:
                if given in below and given != name and given in self.hulls and not finite(self.hulls[given]):
                    return f"; the first whose bounds are not: '{given}'"
        return ""

    def candidates(self) -> list[frozenset[int]]:
        """Return the sets of axes on which some quantity depends, and each axis, not the whole product."""
        varying = frozenset(axis for axis, count in enumerate(self.product.shape) if count > 1)
        groups: dict[frozenset[int], None] = {frozenset([axis]): None for axis in varying if len(varying) > 1}
        for position in self.positions:
            for name in self.graph.functions[position].gives:
                own = self.axes(name) & varying
                if own and own != varying:
                    groups[own] = None
        return list(groups)

    def inside(self, name: str, axes: frozenset[int]) -> bool:
        """Tell whether a quantity depends on some of the axes and on no others."""
        own = self.axes(name)
        return bool(own) and own <= axes

    def interface(self, axes: frozenset[int]) -> list[str]:
        """Return the quantities through which the axes reach the results."""
        names = [*self.graph.inputs, *(n for p in self.positions for n in self.graph.functions[p].gives)]
        interface = []
        for name in names:
            if self.inside(name, axes):
                read = any(
                    not self.inside(given, axes) and self.used(given)
                    for position in self.readers.get(name, ())
                    for given in self.graph.functions[position].gives
                )
                if read or name in self.results:
                    interface.append(name)
        return interface

    def used(self, name: str) -> bool:
        """Tell whether a quantity is read, or wanted itself."""
        return name in self.readers or name in self.results
