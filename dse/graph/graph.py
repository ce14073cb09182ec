"""The quantity graph: which function gives what, in an order in which it can be evaluated, listed and drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypedDict, TypeVar

import numpy as np

from dse.arithmetic.duck_array import StandIn
from dse.arithmetic.exact_floats import as_float64
from dse.arithmetic.ranges import Condition, Range
from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.picture import Picture
from dse.authoring.watch.faults import line_of
from dse.errors import InputError, ModelError
from dse.units import never_negative

__all__ = ["Graph", "Input", "Outside", "call"]


V = TypeVar("V")

Listed = TypedDict("Listed", {"name": str, "unit": str, "from": str, "needs": list[str], "source": str, "doc": str})
"""A quantity as listings show it."""


@dataclass(frozen=True)
class Input:
    """A quantity that no function gives.

    `kind` tells where it comes from: an axis (or a column of a part axis) of the space, a value the study sets, an
    assumption of a model, or a table. One that is `signed` may be negative whatever its unit.
    """

    name: str
    unit: str
    kind: Literal["axis", "set", "assumption", "table"]
    source: str
    doc: str = ""
    signed: bool = False


class Outside(NamedTuple):
    """Which quantities of some designs lie outside the range a model was validated on.

    Attributes
    ----------
    which : (n,) ndarray of int
        The place in `names` of each design: millions of designs share few sets of quantities.
    names : list of tuple of str
        Sets of quantities, the empty one among them.
    """

    which: np.ndarray
    names: list[tuple[str, ...]]

    @property
    def texts(self) -> np.ndarray:
        """The quantities of each design, separated by commas."""
        result: np.ndarray = np.array([", ".join(names) for names in self.names], dtype=object)[self.which]
        return result

    def of(self, design: int) -> list[str]:
        """Return the quantities of one of the designs."""
        return [*self.names[self.which[design]]]


@dataclass(frozen=True, eq=False)
class Graph:
    """A resolved system.

    Attributes
    ----------
    functions : tuple of ModelFunction
        In an order in which each comes after what it needs.
    inputs : dict of str to Input
    targets : tuple of str
    units : dict of str to str
        SI unit of every quantity.
    slots : dict of str to (str, bool)
        The component that fills each slot in use, and whether the study chose it (else it is the default).
    pictures : tuple of Picture
        Those that apply: of a component in use, and of quantities that are all here.
    """

    functions: tuple[ModelFunction, ...]
    inputs: Mapping[str, Input]
    targets: tuple[str, ...]
    units: Mapping[str, str]
    slots: Mapping[str, tuple[str, bool]]
    providers: Mapping[str, ModelFunction] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()

    def evaluate(self, inputs: Mapping[str, object], wanted: Collection[str] | None = None) -> dict[str, Any]:
        """Call every function once, in its order, and return all quantities by name.

        Parameters
        ----------
        inputs : mapping of str to array, Range, Dual or table
            A value for each of `self.inputs`, in SI units: arrays that broadcast (one axis per axis of the space, or
            one of designs), ranges of them (`dse.arithmetic.ranges`), dual numbers (`dse.arithmetic.duals`) or what a
            table parameter names. Functions that have no form for ranges or dual numbers refuse them.
        wanted : collection of str, optional
            Return only these, and let go of the others after their last use: the next ones then go where memory is
            still in the caches.

        Returns
        -------
        dict of str to array, Range or Dual
            Inputs and results; of the kind of what they depend on, and of the smallest shape.

        Raises
        ------
        InputError
            A function refuses a value, such as one outside its table.
        ModelError
            A function fails, or gives another number of results than it says.
        """
        values: dict[str, object] = {name: inputs[name] for name in self.inputs}
        for position, function in enumerate(self.functions):
            values.update(call(function, values))
            if wanted is not None:
                for name in self.last_used[position]:
                    if name not in wanted:
                        del values[name]
        return values if wanted is None else {name: values[name] for name in wanted}

    @cached_property
    def last_used(self) -> list[list[str]]:
        """Return, by position of the function, the quantities that no later one reads."""
        last = {name: position for position, function in enumerate(self.functions) for name in function.gives}
        for position, function in enumerate(self.functions):
            last.update(dict.fromkeys(function.needs, position))
        names: list[list[str]] = [[] for _ in self.functions]
        for name, position in last.items():
            names[position].append(name)
        return names

    @cached_property
    def unsigned(self) -> frozenset[str]:
        """The quantities that cannot be negative: times, powers, energies, … that are not declared as signed."""
        signed = {name for function in self.functions for name in function.signed}
        signed |= {name for name, item in self.inputs.items() if item.signed}
        return frozenset(name for name, unit in self.units.items() if never_negative(unit) and name not in signed)

    def below(self, names: Iterable[str]) -> set[str]:
        """Return every quantity the named ones depend on, themselves included."""
        below: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in below:
                below.add(name)
                if name in self.providers:
                    todo.extend(self.providers[name].needs)
        return below

    def outside_validity(self, values: Mapping[str, object], count: int) -> Outside:
        """Return, for each of some designs, the quantities outside the range a model was validated on.

        Quantities without a value are passed over.
        """
        which = np.zeros(count, dtype=np.intp)
        places: dict[tuple[str, ...], int] = {(): 0}
        for function in self.functions:
            for need, (low, high) in function.valid.items():
                if need not in values:
                    continue
                array = np.broadcast_to(np.asarray(values[need], dtype=float).reshape(-1), count)
                outside = np.flatnonzero((array < low) | (array > high))
                known = [*places]
                with_it = np.arange(len(known))
                for place in np.unique(which[outside]):
                    names = known[place]
                    if need not in names:
                        with_it[place] = places.setdefault((*names, need), len(places))
                which[outside] = with_it[which[outside]]
        return Outside(which, [*places])

    def listing(self) -> list[Listed]:
        """Return one record per quantity, inputs first: name, unit, origin, needs, source, doc."""
        rows: list[Listed] = [
            {"name": i.name, "unit": i.unit, "from": i.kind, "needs": [], "source": i.source, "doc": i.doc}
            for i in self.inputs.values()
        ]
        for function in self.functions:
            for name, unit in function.gives.items():
                doc = function.doc.split("\n")[0]
                rows.append(
                    {
                        "name": name,
                        "unit": unit,
                        "from": function.label,
                        "needs": list(function.needs),
                        "source": function.source,
                        "doc": doc,
                    }
                )
        return rows

    def draw(self) -> str:
        """Return the graph in the DOT language of Graphviz."""

        def quoted(text: str) -> str:
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

        lines = ["digraph system {", "  rankdir=LR; node [shape=box, fontname=sans];"]
        for item in self.inputs.values():
            label = quoted(f"{item.name} [{item.unit}]")
            lines.append(f"  {quoted(item.name)} [label={label}, style=rounded, color=gray];")
        for function in self.functions:
            for name, unit in function.gives.items():
                style = ", penwidth=2" if name in self.targets else ""
                lines.append(f"  {quoted(name)} [label={quoted(f'{name} [{unit}]')}{style}];")
                lines += [f"  {quoted(need)} -> {quoted(name)};" for need in function.needs]
        return "\n".join([*lines, "}"])


def call(function: ModelFunction, values: Mapping[str, V]) -> dict[str, V]:
    """Call one function and name its results, which are of the kind of the values: arrays, ranges, dual numbers.

    Whatever kind of number a function returns, the engine takes it over as float64, or refuses it by name: it then
    compares, negates and bounds one kind only. Truth values are 0 and 1 but where the unit is "bool" (constraints).

    Raises
    ------
    InputError, MemoryError
        As the function raises them.
    ModelError
        The function fails, returns another number of results than it says, or what is no float64.
    """
    try:
        result = function.function(*(values[need] for need in function.needs))
    except (InputError, ModelError, MemoryError):
        raise
    except SystemExit as error:
        raise ModelError(f"{function.label} ends the program{line_of(error, function.function)}") from error
    except Exception as error:
        # What a function says to a range or a dual number is no fault of a line, and may stand in a certificate.
        arrays = not any(isinstance(values[need], StandIn) for need in function.needs)
        place = line_of(error, function.function) if arrays else ""
        if isinstance(error, ValueError) and "read-only" in str(error):
            instead = "write x = x + y, not x += y or x[...] = y"
            raise ModelError(f"{function.label} changes one of its arguments; {instead}{place}") from error
        raise ModelError(f"{function.label} fails: {type(error).__name__}: {error}{place}") from error
    if len(function.gives) == 1:
        results = (result,)
    elif isinstance(result, (tuple, list)) and len(result) == len(function.gives):
        results = tuple(result)
    else:
        raise ModelError(f"{function.label} must return {len(function.gives)} quantities: {', '.join(function.gives)}")
    return {
        name: _taken_over(function, name, unit, value)
        for (name, unit), value in zip(function.gives.items(), results, strict=True)
    }


def _taken_over(function: ModelFunction, name: str, unit: str, value: object) -> Any:
    """Return a result as the engine takes it over."""
    if isinstance(value, StandIn):
        # A function that reads it adds truth values of arrays as numbers, so it must not find a condition here.
        return Range.of(value) if isinstance(value, Condition) and unit != "bool" else value
    if unit == "text":
        return np.asarray(value) if isinstance(value, np.generic) else value
    if unit == "bool":
        return np.asarray(value)
    try:
        return as_float64(value)
    except ValueError as error:
        raise ModelError(f"{function.label} gives '{name}', which {error}") from None
