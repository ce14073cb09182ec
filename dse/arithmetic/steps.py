"""Steps: the elementary operations a function is made of, recorded once and replayed on anything the function runs on.

A function of quantities is called with stand-ins that do no arithmetic of their own: each operation they meet becomes a
step, with the numbers of its operands, in the order in which Python works:

    def total(a, b, c):               0 a   1 b   2 c        the arguments
        return 2.0 * (a + b + c)      3 2.0                  the constants
                                      4 add 0 1
                                      5 add 4 2              what was a + b is now a quantity of its own
                                      6 multiply 3 5         the result

The steps are those of the same floating-point program, never another bracketing, so they give the same bits. What the
operators of an array do beside the function of that name (``x ** 2`` is a square) is asked of an array.

A function that looks at its numbers (``if``, an index, a shape) or refuses some of them cannot be recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duck_array import Operand, StandIn

__all__ = ["NotRecorded", "Program", "Recorded", "Step", "record", "recorded"]


class NotRecorded(Exception):
    """A function cannot be taken apart into steps, for the reason given."""


@dataclass(frozen=True)
class Step:
    """One operation.

    Attributes
    ----------
    operation : str
        The name of the ufunc ("add", "less_equal", "square", …); "where", "clip", "interp", "searchsorted", "lookup";
        "astype" (towards zero, to whole numbers or floats); or that of a primitive of the project.
    operands : tuple of int
        Places in the program.
    apply : callable
        The operation itself, on arrays and on stand-ins.
    options : dict of str to str
        Keywords that are no numbers (`side` of "searchsorted", `kind` of "astype").
    """

    operation: str
    operands: tuple[int, ...]
    apply: Callable[..., object]
    options: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, values: Sequence[object]) -> object:
        """Return the result, from the values at all places so far."""
        return self.apply(*(values[place] for place in self.operands), **self.options)


@dataclass(frozen=True, eq=False)
class Program:
    """A function as its steps.

    Places count the arguments first, then the constants, then the steps in order; operands stand before what reads
    them.

    Attributes
    ----------
    arguments : tuple of str
        Their names.
    constants : tuple
        Numbers, arrays (the knots of an interpolation, a table) or texts, as the function holds them.
    steps : tuple of Step
    results : tuple of int
        The places of what the function returns.
    truths : frozenset of int
        The places that hold truth values, not numbers.
    """

    arguments: tuple[str, ...]
    constants: tuple[object, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    truths: frozenset[int]

    @property
    def first(self) -> int:
        """The place of the first step."""
        return len(self.arguments) + len(self.constants)

    def __len__(self) -> int:
        return self.first + len(self.steps)

    def __call__(self, *arguments: object) -> tuple[object, ...]:
        """Run the steps on arrays or stand-ins, and return the results."""
        values = [*arguments, *self.constants]
        for step in self.steps:
            values.append(step(values))
        return tuple(values[place] for place in self.results)

    def axes(self, arguments: Sequence[frozenset[int]]) -> list[frozenset[int]]:
        """Return the axes that each place depends on, from those of the arguments."""
        own = [*arguments, *(frozenset[int]() for _ in self.constants)]
        for step in self.steps:
            own.append(frozenset().union(*(own[place] for place in step.operands)))
        return own

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON, to be replayed by another program.

        ``{"arguments": ["a", "b"], "constants": [2.0], "steps": [["add", [0, 1]], ["multiply", [2, 3]]],
        "results": [4]}``; a step with options has them as a third entry. Arrays become lists.
        """

        def plain(value: object) -> object:
            return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

        return {
            "arguments": list(self.arguments),
            "constants": [plain(value) for value in self.constants],
            "steps": [
                [step.operation, list(step.operands), *([dict(step.options)] if step.options else [])]
                for step in self.steps
            ],
            "results": list(self.results),
        }


class _Recording:
    """The steps so far. Each is identified by ("argument" | "constant" | "step", number); equal ones are one."""

    def __init__(self) -> None:
        self.constants: list[object] = []
        self.steps: list[tuple[str, tuple[tuple[str, int], ...], Callable[..., object], Mapping[str, str]]] = []
        self.known: dict[Hashable, int] = {}
        self.truths: set[int] = set()

    def constant(self, value: object) -> tuple[str, int]:
        """Return the name of a constant."""
        # 0.0, -0.0, 0, and False are four constants.
        key = (type(value), id(value) if isinstance(value, np.ndarray) else repr(value))
        if key not in self.known:
            self.known[key] = len(self.constants)
            self.constants.append(value)  # which keeps the id of an array its own
        return "constant", self.known[key]

    def step(
        self, operation: str, apply: Callable[..., object], operands: Sequence[object], options: Mapping[str, str]
    ) -> Recorded:
        """Note an operation, and return what stands for its result."""
        named = tuple(operand.name if isinstance(operand, Recorded) else self.constant(operand) for operand in operands)
        samples = [operand.sample if isinstance(operand, Recorded) else operand for operand in operands]
        with np.errstate(all="ignore"):
            sample = np.asarray(apply(*samples, **options))
        if not (sample.dtype == np.float64 or sample.dtype == bool or operation == "searchsorted"):
            Recorded.refuse(f"a value of kind {sample.dtype}", "floats: between two steps a number is one of 64 bits")
        key = (operation, named, tuple(options.items()))
        if key not in self.known:
            self.known[key] = len(self.steps)
            self.steps.append((operation, named, apply, options))
            if sample.dtype == bool:
                self.truths.add(self.known[key])
        return Recorded(self, ("step", self.known[key]), sample)


class Recorded(StandIn):
    """What stands for an argument, or for the result of a step, while a function is recorded.

    Parameters
    ----------
    recording
        Where the steps are noted.
    name : (str, int)
    sample : ndarray
        Some of the numbers it stands for; the function cannot reach them.
    """

    __slots__ = ("name", "recording", "sample")
    one, several = "a recorded value", "recorded values"

    def __init__(self, recording: _Recording, name: tuple[str, int], sample: np.ndarray) -> None:
        self.recording, self.name, self.sample = recording, name, sample

    def astype(self, kind: npt.DTypeLike) -> Recorded:
        """Convert to whole numbers (towards zero) or to floats."""
        return self.recording.step("astype", _astype, [self], {"kind": np.dtype(kind).name})

    def __pow__(self, exponent: object) -> object:
        return self._as_arrays_do(exponent, np.power)

    def _as_arrays_do(self, other: object, ufunc: np.ufunc) -> object:
        if isinstance(other, Recorded):
            return ufunc(self, other)
        asked = np.ones(1).view(_Asked)
        asked.met = []
        _ = asked**other
        if len(asked.met) != 1:
            self.refuse(f"** {other!r}", "a plain number as exponent")
        met, operands = asked.met[0]
        return met(self) if operands == 1 else met(self, other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Recorded:
        """Note a ufunc."""
        self.check_ufunc(ufunc.__name__, method, kwargs)
        if ufunc.nout != 1:
            self.refuse_function(ufunc.__name__)
        return self.recording.step(ufunc.__name__, ufunc, inputs, {})

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Recorded:
        """Note one of the few other NumPy functions that have a form for stand-ins."""
        name = getattr(function, "__name__", str(function))
        if function not in (np.where, np.clip, np.interp, np.searchsorted):
            self.refuse_function(name)
        if any(not isinstance(value, str) for value in kwargs.values()):
            self.refuse(f"np.{name} with keywords", "positional arguments")
        return self.recording.step(name, function, [_as_constant(value) for value in args], kwargs)


class _Asked(np.ndarray):
    """An array that is asked which ufunc an operator of arrays calls."""

    met: list[tuple[np.ufunc, int]]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> object:
        self.met.append((ufunc, len(inputs)))
        return np.ones(1)


def _as_constant(value: object) -> object:
    return np.asarray(value) if isinstance(value, (list, tuple)) else value


def _astype(value: np.ndarray, *, kind: str) -> object:
    return value.astype(kind)


def recorded(operation: str, apply: Callable[..., object], operands: Sequence[object]) -> Recorded | None:
    """Note an operation of the project's own (a primitive, a look-up); None where no operand is recorded."""
    for operand in operands:
        if isinstance(operand, Recorded):
            return operand.recording.step(operation, apply, [_as_constant(value) for value in operands], {})
    return None


def record(
    function: Callable[..., object], names: Sequence[str], samples: Sequence[object], results: int | None = None
) -> Program:
    """Record a function.

    Parameters
    ----------
    function : callable
    names : sequence of str
        What its arguments are called.
    samples : sequence of ndarray or anything else
        Values that the arguments have, arrays of one length or of one entry; what is no array of numbers (a table, a
        text) is given to the function as it is, and no argument of the program.
    results : int, optional
        How many quantities it returns in a sequence; None: it returns one value.

    Returns
    -------
    Program
        Its arguments are those whose samples are arrays of numbers.

    Raises
    ------
    NotRecorded
        Where the function refuses the stand-ins, where it refuses NaN (its other refusals would not be met again), or
        where the steps do not give its bits on the samples.
    """
    recording = _Recording()
    given: list[object] = []
    arguments: list[str] = []
    unknown: list[object] = []
    for name, sample in zip(names, samples, strict=True):
        if isinstance(sample, np.ndarray) and sample.dtype.kind in "fb":
            given.append(Recorded(recording, ("argument", len(arguments)), sample))
            unknown.append(np.full(sample.shape, np.nan) if sample.dtype.kind == "f" else sample)
            arguments.append(name)
        else:
            given.append(sample)
            unknown.append(sample)
    try:
        with np.errstate(all="ignore"):
            returned = _several(function(*given), results)
            plain = _several(function(*samples), results)
            function(*unknown)
    except Exception as error:  # whatever a function of somebody's own raises
        raise NotRecorded(f"{type(error).__name__}: {error}") from error
    named = [value.name if isinstance(value, Recorded) else recording.constant(_small(value)) for value in returned]
    for value, right in zip(returned, plain, strict=True):
        _refuse_other_bits(value.sample if isinstance(value, Recorded) else value, right)
    return _program(recording, tuple(arguments), named)


def _several(value: object, results: int | None) -> list[object]:
    if results is None:
        return [value]
    if not isinstance(value, (tuple, list)) or len(value) != results:
        raise NotRecorded(f"it must return {results} quantities")
    return list(value)


def _small(value: object) -> object:
    if isinstance(value, (tuple, list)):
        raise NotRecorded("it returns several quantities")
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" or array.size != 1:
        raise NotRecorded("it returns something beside numbers")
    return float(array.reshape(-1)[0])


def _refuse_other_bits(given: object, right: object) -> None:
    ours, other = np.broadcast_arrays(np.asarray(given, dtype=float), np.asarray(right, dtype=float))
    same = np.ascontiguousarray(ours).view(np.int64) == np.ascontiguousarray(other).view(np.int64)
    if not (same | (np.isnan(ours) & np.isnan(other))).all():
        _no_match()


def _no_match() -> NoReturn:
    raise NotRecorded("its steps do not give its bits")


def _program(recording: _Recording, arguments: tuple[str, ...], named: Sequence[tuple[str, int]]) -> Program:
    """Number the places, and leave out what no result needs."""
    needed: set[tuple[str, int]] = set()
    todo = list(named)
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            if name[0] == "step":
                todo.extend(recording.steps[name[1]][1])
    constants = [number for number in range(len(recording.constants)) if ("constant", number) in needed]
    steps = [number for number in range(len(recording.steps)) if ("step", number) in needed]
    order = [("argument", number) for number in range(len(arguments))]
    order += [("constant", number) for number in constants] + [("step", number) for number in steps]
    place = {name: position for position, name in enumerate(order)}
    return Program(
        arguments,
        tuple(recording.constants[number] for number in constants),
        tuple(
            Step(operation, tuple(place[operand] for operand in operands), apply, options)
            for operation, operands, apply, options in (recording.steps[number] for number in steps)
        ),
        tuple(place[name] for name in named),
        frozenset(place["step", number] for number in steps if number in recording.truths),
    )
