"""The graph of a product in which functions that join several axes are taken apart into parts.

    total(t1, t2, t3, t4)                    axes 1 2 3 4
    ────────────────────────────────────     ────────────
    t1 + t2                in total          axes 1 2
    t1 + t2 + t3           in total          axes 1 2 3
    total                                    axes 1 2 3 4

A part is what other parts with other axes read, so that a group of axes can end inside a function. Parts are those of
the recorded steps, in their order, and give the bits of the function (`dse.arithmetic.steps`). A function that cannot
be recorded, that must be tabulated, or whose inner values are all of the same axes stays as it is.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dse.arithmetic.monotonicity import UNKNOWN, seeds
from dse.arithmetic.ranges import Range
from dse.arithmetic.steps import NotRecorded, Program, Step, record
from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.probe import Given, Structure
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import Graph
from dse.space.design_space import Product

__all__ = ["Records", "StepGraph", "record_function", "sampled_values", "take_apart"]

_SAMPLES = 16
_LONGEST = 60
_INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}

_AROUND_PRODUCTS = ("add behind", "subtract behind", "multiply", "divide")

Records = MutableMapping[Hashable, Program | None]
"""The programs of functions, by what identifies them and the tables and texts they are given; None: not recorded."""


@dataclass(frozen=True, eq=False)
class StepGraph:
    """A graph some of whose functions are taken apart.

    Attributes
    ----------
    graph : Graph
    structure : Structure
        Of this graph.
    origin : tuple of int
        For each function of this graph, the position of the one of the whole graph that it is, or is a part of.
    """

    graph: Graph
    structure: Structure
    origin: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Part:
    """Some steps of a program: from quantities to what is read elsewhere."""

    constants: tuple[object, ...]
    steps: tuple[Step, ...]
    result: int

    def __call__(self, *arguments: object) -> Any:
        values = [*arguments, *self.constants]
        for step in self.steps:
            values.append(step(values))
        return values[self.result]


def sampled_values(graph: Graph, product: Product, assumptions: Mapping[str, float], seed: int = 0) -> dict[str, Given]:
    """Return every quantity of some random designs, of the first and of the last one."""
    rng = np.random.default_rng(seed)
    rows = [np.r_[0, len(axis) - 1, rng.integers(0, len(axis), _SAMPLES)] for axis in product.axes]
    with np.errstate(all="ignore"):
        return graph.evaluate(flat_inputs(graph, product, assumptions, rows))


def record_function(function: ModelFunction, values: Mapping[str, Any], known: Records | None = None) -> Program | None:
    """Record a function from values of what it needs; None where that cannot be done."""
    given = [values[need] for need in function.needs]
    others = tuple(id(value) for value in given if not _numbers(value))
    key = (id(function), others)
    if known is not None and key in known:
        return known[key]
    program: Program | None
    try:
        several = len(function.gives) if len(function.gives) > 1 else None
        program = record(function.function, function.needs, given, several)
    except NotRecorded:
        program = None
    if known is not None:
        known[key] = program
    return program


def _numbers(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fb"


def take_apart(
    graph: Graph,
    structure: Structure,
    values: Mapping[str, Given],
    whole: frozenset[int] = frozenset(),
    known: Records | None = None,
) -> StepGraph:
    """Take the functions of a graph apart.

    Parameters
    ----------
    graph, structure
    values : dict of str to array, text or table
        Every quantity of some designs (`sampled_values`).
    whole : frozenset of int
        Functions that stay as they are.
    known : dict, optional
        Programs of functions that were recorded before; new ones are added.
    """
    functions: list[ModelFunction] = []
    origin: list[int] = []
    operations: list[int] = []
    inexact: list[frozenset[str]] = []
    integers: set[int] = set()
    axes, units = dict(structure.axes), dict(graph.units)
    for position, function in enumerate(graph.functions):
        parts = [function]
        joins = len({axis for need in function.needs for axis in axes.get(need, ())}) > 1
        tabulated = position in whole or function.points_only or position in structure.integers
        program = record_function(function, values, known) if joins and not tabulated else None
        if program is not None:
            parts = _parts(function, program, axes, units, values)
        for part in parts:
            if position in structure.integers:
                integers.add(len(functions))
            functions.append(part)
            origin.append(position)
            if isinstance(part.function, _Part):
                names = frozenset(step.operation for step in part.function.steps)
                operations.append(max(1, len(part.function.steps)))
                inexact.append(structure.inexact[position] & names)
            else:
                operations.append(structure.operations[position])
                inexact.append(structure.inexact[position])
    providers = {name: function for function in functions for name in function.gives}
    return StepGraph(
        replace(graph, functions=tuple(functions), units=units, providers=providers),
        Structure(axes, tuple(operations), tuple(inexact), frozenset(integers)),
        tuple(origin),
    )


def _parts(
    function: ModelFunction,
    program: Program,
    axes: dict[str, frozenset[int]],
    units: dict[str, str],
    values: Mapping[str, Any],
) -> list[ModelFunction]:
    """Return the parts of a function, in an order in which each comes after what it needs; itself where it is one.

    The axes and units of what lies between are added to those of the quantities.
    """
    own = program.axes([axes.get(name, frozenset()) for name in program.arguments])
    if any(
        own[place] != axes.get(name, frozenset()) for name, place in zip(function.gives, program.results, strict=True)
    ):
        return [function]
    results = set(program.results)
    inner = _inner(program, own, [values[name] for name in program.arguments])
    if not inner - results and len({own[place] for place in program.results}) == 1:
        return [function]
    names: dict[int, str] = dict(enumerate(program.arguments))
    parts: list[ModelFunction] = []
    given = dict(zip(function.gives, program.results, strict=True))
    for place in range(program.first, len(program)):
        wanted = [name for name, result in given.items() if result == place]
        if place in inner and (place in program.truths or not wanted):  # a truth value is given as a number
            name = _named(function, program, place, axes)
            axes[name], units[name] = own[place], "1"
            parts.append(_part(function, program, place, name, "1", names))
            names[place] = name
        for name in wanted:
            parts.append(_part(function, program, place, name, function.gives[name], names))
            names.setdefault(place, name)
    for name, result in given.items():
        if result < program.first:
            parts.append(_part(function, program, result, name, function.gives[name], names))
    return parts


def _inner(program: Program, own: Sequence[frozenset[int]], values: Sequence[object]) -> set[int]:
    """Return the steps that others with other axes read, and that say more than what they are made of.

    What follows from one value alone, and rises or falls with it, is left to its readers: to compare rows it stands for
    nothing that the value does not. What seems to be a constant may show that the value is of no influence.
    """
    read = {
        operand
        for number, step in enumerate(program.steps)
        for operand in step.operands
        if operand >= program.first and own[operand] and own[operand] != own[program.first + number]
    }
    samples: list[Any] = [*values, *program.constants]
    with np.errstate(all="ignore"):
        for step in program.steps:
            samples.append(step(samples))
    samples = [
        np.asarray(sample, dtype=float) if place in program.truths else sample for place, sample in enumerate(samples)
    ]
    inner = {place for place in range(len(program.arguments)) if own[place]}
    for place in sorted(read):
        part, arguments = _cut(program, place, inner | set(range(len(program.arguments))))
        varying = [argument for argument in arguments if own[argument]]
        constant = (samples[place] == samples[place].flat[0]).all()  # perhaps whatever it is made of
        if len(varying) > 1 or constant or not _monotone(part, [samples[argument] for argument in arguments]):
            inner.add(place)
    return inner & read


def _monotone(part: _Part, samples: Sequence[np.ndarray]) -> bool:
    """Tell whether a part rises or falls throughout with the one of its arguments that varies."""
    given = seeds([Range(np.min(sample, keepdims=True), np.max(sample, keepdims=True)) for sample in samples])
    with np.errstate(all="ignore"):
        try:
            signs = part(*given).signs
        except TypeError:
            return False
    return not (signs == UNKNOWN).any()


def _part(
    function: ModelFunction, program: Program, place: int, name: str, unit: str, names: Mapping[int, str]
) -> ModelFunction:
    """Return the function from the named places to one place; a truth value between two parts is 1 or 0."""
    body, arguments = _cut(program, place, names, as_number=place in program.truths and unit != "bool")
    return ModelFunction(
        function.name,
        body,
        tuple(names[argument] for argument in arguments),
        {name: unit},
        function.source,
        module=function.module,
        signed=(name,) if name in function.signed else (),
    )


def _cut(program: Program, place: int, known: Container[int], *, as_number: bool = False) -> tuple[_Part, list[int]]:
    """Return the steps from known places to one place, and which of these they read.

    Truth values come as numbers, and go as one where that is asked for: columns of rows hold numbers alone.
    """
    needed, todo = set[int](), [place]
    while todo:
        operand = todo.pop()
        if operand not in needed:
            needed.add(operand)
            if operand not in known and operand >= program.first:
                todo.extend(program.steps[operand - program.first].operands)
    arguments = sorted(step for step in needed if step in known)
    constants = sorted(step for step in needed if step not in known and step < program.first)
    places = {step: number for number, step in enumerate([*arguments, *constants])}
    values = [program.constants[step - len(program.arguments)] for step in constants]
    half, true, zero = (len(places) + number for number in range(3))
    steps: list[Step] = []

    def placed(step: Step) -> int:
        steps.append(step)
        return zero + len(steps)

    for operand in arguments:
        if operand in program.truths:
            places[operand] = placed(Step("greater", (places[operand], half), np.greater))
    for operand in sorted(needed):
        if operand not in known and operand >= program.first:
            step = program.steps[operand - program.first]
            places[operand] = placed(replace(step, operands=tuple(places[operand] for operand in step.operands)))
    result = placed(Step("where", (places[place], true, zero), np.where)) if as_number else places[place]
    return _Part((*values, 0.5, 1.0, 0.0), tuple(steps), result), arguments


def _named(function: ModelFunction, program: Program, place: int, taken: Mapping[str, object]) -> str:
    """Return what a step is called: its formula where that is short. Quantities of a study hold no blanks."""
    formula = _formula(program, place)
    name = f"{formula} in {function.name}" if formula else f"step {place} of {function.name}"
    return name if name not in taken else f"{name} (step {place})"


def _around(operation: str, number: int) -> str:
    return "" if operation not in _INFIX else f"{operation} behind" if number else operation


def _formula(program: Program, place: int, inside: str = "") -> str:
    """Return the formula of a place, or nothing where it is long."""
    if place < len(program.arguments):
        return program.arguments[place]
    if place < program.first:
        value = program.constants[place - len(program.arguments)]
        return f"{value:g}" if isinstance(value, (int, float)) else ""
    step = program.steps[place - program.first]
    terms = [
        _formula(program, operand, _around(step.operation, number)) for number, operand in enumerate(step.operands)
    ]
    if not all(terms):
        return ""
    if step.operation in _INFIX:
        text = f" {_INFIX[step.operation]} ".join(terms)
        product = step.operation in ("multiply", "divide")
        if inside and not (inside in ("add", "subtract") or (product and inside in _AROUND_PRODUCTS)):
            text = f"({text})"
    else:
        text = f"{step.operation}({', '.join(terms)})"
    return text if len(text) <= _LONGEST else ""
