"""Which groups of axes reach the objectives through few quantities, and in which of these everything is monotone.

A *group* is a set of axes. Its *interface* are the quantities that depend on no other axes and are read by the rest of
the system, or are wanted themselves. Every result is a function of the interface and of the other axes:

    cores, clock, cache ──▶ node_rate, node_power, node_cost ──▶ time, power, cost ◀── bandwidth ◀── link, radix

Each quantity of the interface is seeded with a sign, the functions outside the group run on signed ranges, and what
comes out says how every objective and constraint goes with it. Where all agree, it is a *column*: less of it (or more)
is never worse. Where they disagree, or nothing is known, it is a *key*: only rows of the same key can be compared.
Nothing here is measured or sampled: the signs hold for the floating-point program (`dse.arithmetic.monotonicity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from dse.arithmetic.monotonicity import ASSUMED, FALLS, FREE, RISES, UNKNOWN, Signed, seeds
from dse.arithmetic.ranges import Condition, Range
from dse.errors import InputError, ModelError
from dse.evaluation.probe import Given, as_grid, axis_grids, fixed_grids
from dse.evaluation.problem import Problem
from dse.evaluation.step_graph import StepGraph
from dse.graph.graph import call

__all__ = ["Group", "Monotonicity", "Refused"]

_LARGEST_TABLE = 1_000_000


@dataclass(frozen=True)
class Group:
    """A set of axes with its interface.

    Attributes
    ----------
    axes : frozenset of int
    columns : dict of str to int
        Quantities of the interface in which everything is monotone: 1 where less is better, -1 where more is.
    keys : dict of str to str
        The others, each with the reason in words.
    limits : tuple of str
        Constraints (their quantities) that read the group alone.
    assumed : frozenset of str
        Functions of the mathematical library the proof takes to be monotone.
    """

    axes: frozenset[int]
    columns: Mapping[str, int]
    keys: Mapping[str, str]
    limits: tuple[str, ...]
    assumed: frozenset[str]


def _finite(hull: Range | Condition) -> bool:
    bounds = Range.of(hull)
    return bool(np.isfinite(bounds.low).all() and np.isfinite(bounds.high).all())


class Refused(Exception):
    """Nothing can be pruned in a product, for the reason given."""


class Monotonicity:
    """What is known of the quantities of one product, to prove signs with.

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
        self.__dict__.pop("_changed", None)  # that of another graph
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

    def _not_finite(self) -> frozenset[int]:
        """Return the functions with a part between arguments and results that is not finite: they are not cut."""
        own = self.problem.systems[self.index].graph.units
        return frozenset(
            self.origin[position]
            for position in self.positions
            for name in self.graph.functions[position].gives
            if name not in own and not _finite(self.hulls[name])
        )

    @cached_property
    def _changed(self) -> set[str]:
        """What depends on inputs that are not known."""
        changed = set(self.unknown)
        for position in self.positions:
            if not changed.isdisjoint(self.graph.functions[position].needs):
                changed.update(self.graph.functions[position].gives)
        return changed

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
            self._refuse_points(position)
            results = call(function, {**self.constants, **self.hulls})
        except (ModelError, InputError, KeyError):
            return {name: unknown for name, unit in function.gives.items() if unit != "text"}
        return {
            name: result if isinstance(result, (Range, Condition)) else Range.of(result)
            for name, result in results.items()
            if function.gives[name] != "text"
        }

    def _refuse_points(self, position: int) -> None:
        if position in self.on_points:
            raise ModelError(f"{self.graph.functions[position].label} has no form for ranges")

    def check_finite(self) -> None:
        """Make sure that no design could be refused for what is not finite: such designs must not be pruned unseen.

        Raises
        ------
        Refused
        """
        for objective in self.problem.objectives:
            if not _finite(self.hulls[objective.quantity]):
                raise Refused(f"the bounds of '{objective.quantity}' are not finite{self._origin(objective.quantity)}")
        for constraint in self.system.constraints:
            for need in constraint.expression.needs:
                if need in self.hulls:
                    bounds = Range.of(self.hulls[need])
                    if np.isnan(bounds.low).any() or np.isnan(bounds.high).any():
                        what = f"'{need}' in the constraint '{constraint.text}'"
                        raise Refused(f"{what} has no bounds{self._origin(need)}")

    def _origin(self, name: str) -> str:
        """Name the first quantity below another one whose bounds are not finite."""
        below = self.graph.below([name])
        for position in self.positions:
            for given in self.graph.functions[position].gives:
                if given in below and given != name and given in self.hulls and not _finite(self.hulls[given]):
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

    def _inside(self, name: str, axes: frozenset[int]) -> bool:
        own = self.axes(name)
        return bool(own) and own <= axes

    def interface(self, axes: frozenset[int]) -> list[str]:
        """Return the quantities through which the axes reach the results."""
        names = [*self.graph.inputs, *(n for p in self.positions for n in self.graph.functions[p].gives)]
        interface = []
        for name in names:
            if self._inside(name, axes):
                read = any(
                    not self._inside(given, axes) and self.used(given)
                    for position in self.readers.get(name, ())
                    for given in self.graph.functions[position].gives
                )
                if read or name in self.results:
                    interface.append(name)
        return interface

    def used(self, name: str) -> bool:
        """Tell whether a quantity is read, or wanted itself."""
        return name in self.readers or name in self.results

    def prove(self, axes: frozenset[int]) -> Group | None:
        """Prove what can be proved of a group; None where its interface holds texts or tables."""
        names = self.interface(axes)
        if any(name not in self.hulls or name in self._changed for name in names):
            return None
        limits = tuple(c.quantity for c in self.system.constraints if c.quantity in names)
        names = [name for name in names if name not in limits or self.readers.get(name)]
        signed: dict[str, Signed] = dict(zip(names, seeds([Range.of(self.hulls[name]) for name in names]), strict=True))
        lost: dict[str, str] = {}
        assumed: set[str] = set()
        for position in self.positions:
            function = self.graph.functions[position]
            if all(name in signed or self._inside(name, axes) for name in function.gives):
                continue
            if not any(need in signed for need in function.needs):
                continue
            for name, value in self._signed(position, signed).items():
                if not self._inside(name, axes):
                    operands = [signed[need] for need in function.needs if need in signed]
                    self._note_lost(names, function.label, value, operands, lost)
                    if ((value.signs == RISES) | (value.signs == FALLS)).any():
                        assumed |= self.structure.inexact[position] & ASSUMED
                    signed[name] = value
        return self._judge(axes, names, limits, signed, lost, assumed)

    def _signed(self, position: int, signed: Mapping[str, Signed]) -> dict[str, Signed]:
        """Call a function on signed ranges; what has no form for them has unknown signs."""
        function = self.graph.functions[position]
        operands = [signed[need] for need in function.needs if need in signed]
        count = len(operands[0].signs)
        free = np.zeros(count, dtype=np.int8)
        others = {need: Signed(self.hulls[need], free) for need in function.needs if need in self.hulls}
        given = {**self.constants, **others, **signed}
        try:
            self._refuse_points(position)
            with np.errstate(all="ignore"):
                results = call(function, given)
        except (ModelError, InputError, KeyError):
            reached = np.any([operand.signs != FREE for operand in operands], axis=0)
            unknown = np.where(reached, np.int8(UNKNOWN), np.int8(FREE))
            return {name: Signed(self.hulls[name], unknown) for name in function.gives if name in self.hulls}
        # Bounds of values that really occur: the signs hold for these.
        return {
            name: Signed(self.hulls[name], value.signs if isinstance(value, Signed) else free)
            for name, value in results.items()
            if name in self.hulls
        }

    @staticmethod
    def _note_lost(names: list[str], label: str, value: Signed, operands: list[Signed], lost: dict[str, str]) -> None:
        for seed, name in enumerate(names):
            before = any(operand.signs[seed] == UNKNOWN for operand in operands)
            if value.signs[seed] == UNKNOWN and not before and name not in lost:
                lost[name] = label

    def _judge(
        self,
        axes: frozenset[int],
        names: list[str],
        limits: tuple[str, ...],
        signed: Mapping[str, Signed],
        lost: Mapping[str, str],
        assumed: set[str],
    ) -> Group:
        wishes = [(o.quantity, RISES if o.sense == "min" else FALLS, o.quantity) for o in self.problem.objectives]
        wishes += [(c.quantity, FALLS, f"'{c.text}'") for c in self.system.constraints if c.quantity not in limits]
        columns: dict[str, int] = {}
        keys: dict[str, str] = {}
        for seed, name in enumerate(names):
            if not _finite(self.hulls[name]):
                keys[name] = "it is not finite everywhere"
                continue
            wanted: dict[int, str] = {}
            for target, sense, called in wishes:
                sign = int(signed[target].signs[seed]) if target in signed else FREE
                if sign != FREE:
                    wanted.setdefault(UNKNOWN if sign == UNKNOWN else sign * sense, called)
            if UNKNOWN in wanted:
                where = f", in {lost[name]}" if name in lost else ""
                keys[name] = f"{wanted[UNKNOWN]} may rise or fall with it{where}"
            elif len(wanted) > 1:
                keys[name] = f"{wanted[RISES]} wants less of it and {wanted[FALLS]} more"
            elif wanted:
                columns[name] = next(iter(wanted))
        return Group(axes, columns, keys, limits, frozenset(assumed))
