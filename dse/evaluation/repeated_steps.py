"""What designs of one product do with unknowns, as one list of elementary steps that another program can repeat.

    columns (what no unknown reaches)   c0 c1 …      one value per design
    unknowns                            u0 u1 …
    constants, tables                   k0 … t0 …
    steps                               multiply c0 u0, add …, less_equal …
    results                             objectives, limits

Functions are recorded (`dse.arithmetic.steps`), primitives are taken apart into what they compute, and whatever no
unknown reaches is computed here, once. The steps give the bits of the functions but where an operation is not the same
in every library (`dse.evaluation.step_operations`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.arithmetic.power import power
from dse.arithmetic.steps import NotRecorded, record
from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.affected import AffectedDesigns
from dse.evaluation.step_operations import OPERATIONS
from dse.graph.graph import call

__all__ = ["RepeatedSteps", "Unrepeatable", "repeated_steps", "unrepeatable"]

_TABLES = {"lookup": (0,), "interp": (1, 2), "searchsorted": (0,)}
_ALIKE = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor"}
_OF_TRUTHS = {"add": "logical_or", "multiply": "logical_and", "invert": "logical_not"}
_ROUNDED_ONCE = {2.0: "square", 1.0: "positive", 0.5: "sqrt", -1.0: "reciprocal"}


class Unrepeatable(Exception):
    """A function cannot be written as steps that another program repeats, for the reason given."""


@dataclass(frozen=True)
class RepeatedSteps:
    """Places count the columns first, then the unknowns, the constants, the tables, and the steps.

    Attributes
    ----------
    columns : (c, n) ndarray of float
        Truth values are 0 and 1.
    unknowns : tuple of str
        The inputs that stand for unknowns.
    constants : tuple of float
    tables : tuple of ndarray
    steps : tuple of (str, tuple of int)
    objectives, limits : tuple of int
        Their places.
    """

    columns: np.ndarray
    unknowns: tuple[str, ...]
    constants: tuple[float, ...]
    tables: tuple[np.ndarray, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    objectives: tuple[int, ...]
    limits: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Node:
    """A value on the way: known for each design (`value`), an unknown (`name`), or a step."""

    value: Any = None
    name: str = ""
    operation: str = ""
    operands: tuple[_Node, ...] = ()
    sample: Any = None

    @property
    def known(self) -> bool:
        return not self.name and not self.operation


def _known(value: object) -> _Node:
    return _Node(value=value, sample=value)


def unrepeatable(designs: AffectedDesigns) -> dict[str, tuple[frozenset[str], str]]:
    """Return what cannot be repeated: by the label of a function, the inputs that reach it and why it cannot."""
    values, reasons = _nominal(designs), {}
    inputs = set(designs.unknown.entering(designs.index))
    reached: dict[str, frozenset[str]] = {name: frozenset([name]) for name in inputs}
    for function in designs.again:
        above = frozenset[str]().union(*(reached.get(need, frozenset()) for need in function.needs))
        reached.update(dict.fromkeys(function.gives, above))
        try:
            nodes = {
                name: _Node(name=name, sample=value) if reached.get(name) else _known(value)
                for name, value in values.items()
            }
            _of_function(function, nodes, values)
        except Unrepeatable as error:
            reasons[function.label] = (above, str(error))
        values.update(_called(function, values))
    return reasons


def repeated_steps(designs: AffectedDesigns) -> RepeatedSteps:
    """Return the steps of designs of one product, all of whose unknowns designs share.

    Raises
    ------
    Unrepeatable
        A function that an unknown reaches cannot be repeated.
    """
    values = _nominal(designs)
    entering = list(designs.unknown.entering(designs.index))
    nodes = {name: _known(value) for name, value in values.items()}
    nodes |= {name: _Node(name=name, sample=values[name]) for name in entering}
    for function in designs.again:
        nodes |= _of_function(function, nodes, values)
        values.update(_called(function, values))
    objectives = [nodes[objective.quantity] for objective in designs.problem.objectives]
    limits = [nodes[constraint.quantity] for constraint in designs.problem.systems[designs.index].constraints]
    return _numbered(objectives, limits, entering, len(designs))


def _nominal(designs: AffectedDesigns) -> dict[str, object]:
    """Return what no unknown reaches and the unknowns at the values of the study: one dimension, of designs."""
    unknown = designs.unknown
    drawn = {
        at: np.array([0.0 if unknown.relative else unknown.nominal]) for at, unknown in enumerate(unknown.unknowns)
    }
    values = {
        name: value.reshape(-1) if isinstance(value, np.ndarray) else value for name, value in designs.base.items()
    }
    return values | {name: np.asarray(value) for name, value in unknown.given(designs.index, drawn).items()}


def _called(function: ModelFunction, values: dict[str, object]) -> dict[str, object]:
    with np.errstate(all="ignore"):
        return call(function, values)


def _of_function(function: ModelFunction, nodes: dict[str, _Node], values: dict[str, object]) -> dict[str, _Node]:
    given = [nodes[need] for need in function.needs]
    results = len(function.gives) if len(function.gives) > 1 else None
    made = _recorded(function.function, [values[need] for need in function.needs], given, results)
    return dict(zip(function.gives, made, strict=True))


def _recorded(
    function: Callable[..., object], samples: Sequence[object], given: Sequence[_Node], results: int | None
) -> list[_Node]:
    """Return nodes of what a function returns, from those of its arguments."""
    names = [str(at) for at in range(len(samples))]
    try:
        program = record(function, names, samples, results)
    except NotRecorded as error:
        raise Unrepeatable(str(error)) from error
    places: list[_Node] = [given[int(name)] for name in program.arguments]
    places += [_known(value) for value in program.constants]
    for number, step in enumerate(program.steps):
        operands = tuple(places[operand] for operand in step.operands)
        sampled = [operand.sample for operand in operands]
        with np.errstate(all="ignore"):
            sample = step.apply(*sampled, **step.options)
        if all(operand.known for operand in operands):
            places.append(_known(sample))
            continue
        truth = program.first + number in program.truths
        places.append(_step(step.operation, step.apply, dict(step.options), operands, sample, truth=truth))
    return [places[place] for place in program.results]


def _step(
    operation: str,
    apply: Callable[..., object],
    options: dict[str, str],
    operands: tuple[_Node, ...],
    sample: object,
    *,
    truth: bool,
) -> _Node:
    if operation == "astype":
        if options != {"kind": "float64"}:
            raise Unrepeatable(f"a conversion to {options.get('kind')}")
        return operands[0]
    if apply is power:
        return _power(operands, sample)
    if hasattr(apply, "__wrapped__") and operation not in OPERATIONS:
        samples = [np.asarray(operand.sample) for operand in operands]
        return _recorded(apply.__wrapped__, samples, operands, None)[0]
    if operation == "searchsorted":
        operation = f"searchsorted {options.get('side', 'left')}"
    operation = _ALIKE.get(operation, operation)
    if truth and operation in _OF_TRUTHS:
        operation = _OF_TRUTHS[operation]
    if operation not in OPERATIONS or len(operands) != OPERATIONS[operation].operands:
        raise Unrepeatable(f"{operation} of {len(operands)} operands, which the page cannot repeat")
    if any(not operands[place].known for place in _TABLES.get(operation.split()[0], ())):
        raise Unrepeatable("a table whose entries are not known")
    return _Node(operation=operation, operands=operands, sample=sample)


def _power(operands: tuple[_Node, ...], sample: object) -> _Node:
    base, exponent = operands
    if exponent.known and np.size(exponent.value) == 1:
        own = _ROUNDED_ONCE.get(float(np.reshape(exponent.value, -1)[0]))
        if own is not None:
            return _Node(operation=own, operands=(base,), sample=sample)
    elif not exponent.known or np.isin(exponent.value, list(_ROUNDED_ONCE)).any():
        raise Unrepeatable("a power whose exponent differs from design to design")
    return _Node(operation="power", operands=operands, sample=sample)


def _numbered(
    objectives: Sequence[_Node], limits: Sequence[_Node], unknowns: Sequence[str], count: int
) -> RepeatedSteps:
    """Number what the results need; equal columns and equal constants are one."""
    columns: list[np.ndarray] = []
    constants: list[float] = []
    tables: list[np.ndarray] = []
    steps: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    known: dict[object, tuple[str, int]] = {}

    def value(given: object, *, table: bool) -> tuple[str, int]:
        array = np.asarray(given)
        if array.dtype.kind not in "fiub":
            raise Unrepeatable("something beside numbers")
        array = np.ascontiguousarray(array, dtype=float).reshape(-1)
        kind: list[Any] = tables if table else constants if array.size == 1 else columns
        if not table and array.size not in (1, count):
            raise Unrepeatable(f"{array.size} values of {count} designs")
        key = (id(kind), array.tobytes())
        if key not in known:
            known[key] = ("table" if table else "constant" if array.size == 1 else "column", len(kind))
            kind.append(float(array[0]) if kind is constants else array)
        return known[key]

    def place(node: _Node) -> tuple[str, int]:
        if node.known:
            return value(node.value, table=False)
        if node.name:
            return "unknown", list(unknowns).index(node.name)
        if id(node) not in known:
            of_tables = _TABLES.get(node.operation.split()[0], ())
            operands = tuple(
                value(operand.value, table=True) if at in of_tables else place(operand)
                for at, operand in enumerate(node.operands)
            )
            step = (node.operation, operands)
            if step not in known:
                known[step] = ("step", len(steps))
                steps.append(step)
            known[id(node)] = known[step]
        return known[id(node)]

    results = [[place(node) for node in group] for group in (objectives, limits)]
    first: dict[str, int] = {"column": 0, "unknown": len(columns)}
    first["constant"] = first["unknown"] + len(unknowns)
    first["table"] = first["constant"] + len(constants)
    first["step"] = first["table"] + len(tables)

    def number(named: tuple[str, int]) -> int:
        return first[named[0]] + named[1]

    return RepeatedSteps(
        np.stack(columns) if columns else np.empty((0, count)),
        tuple(unknowns),
        tuple(constants),
        tuple(tables),
        tuple((operation, tuple(map(number, operands))) for operation, operands in steps),
        tuple(map(number, results[0])),
        tuple(map(number, results[1])),
    )
