"""Dual numbers: arrays that carry derivatives through unchanged model functions.

A `Dual` holds an array of values and, for each of several directions (inputs, as a rule), the derivative along it: one
evaluation gives the derivatives of everything with respect to all inputs. The values are those of plain arrays to the
last bit. What has no derivative rule raises `TypeError`; nothing passes silently. Where a derivative does not say
everything, a `Mark` does:

- It is that of a step forward along the direction, however short. On a tie of minimum, maximum and clip it is that of
  the argument that wins after the step; at a knot of a table that of the stretch the step leads into. So it holds on
  one side only (`Mark.ONE_SIDED`): the other has a direction of its own, the opposite one.
- floor, ceil, trunc, rint, ``//``, ``%``, a lookup and a search in a table give steps: their derivative is that between
  two steps, and what the steps themselves add up to is not in it (`Mark.STEPS`).
- What loses against another argument of minimum, maximum and clip has no effect, and a step of it might win
  (`Mark.HIDDEN`).
- Comparisons give plain truth values, those of the values. So `np.where` has the derivative of the branch it takes.
  `undecided` collects the comparisons of equals, which the smallest change would decide otherwise, and those of what
  comes in steps.

An infinite derivative is that of a curve that rises upright (the root at 0); NaN means that it is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntFlag
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duck_array import BITWISE, Operand, StandIn
from dse.arithmetic.ranges import Side

__all__ = ["Dual", "Mark", "by_partials", "chained", "independent", "of_two_sides", "plain", "stepped", "undecided"]

_T = TypeVar("_T")
_undecided: ContextVar[list[np.ndarray] | None] = ContextVar("undecided", default=None)


class Mark(IntFlag):
    """What is to be said of a derivative.

    Attributes
    ----------
    NUMERIC
        It is a difference quotient of a function that has no form for dual numbers.
    ONE_SIDED
        It holds on one side only: on the other, another one does, or nothing is known.
    STEPS
        The effect comes in steps as well, or only, and they are not in it.
    HIDDEN
        Something in steps has no effect here, and may have one after a step.
    """

    NUMERIC = 1
    ONE_SIDED = 2
    STEPS = 4
    HIDDEN = 8


class Dual(StandIn):
    """An array with derivatives along several directions.

    Parameters
    ----------
    value : array_like
        Of any shape.
    derivative : array_like
        One more dimension than `value`, the last: one entry per direction. The others broadcast.
    marks : array_like of int
        `Mark` of each entry; broadcasts too.
    """

    __slots__ = ("derivative", "marks", "value")
    one, several = "a dual number", "dual numbers"

    def __init__(self, value: npt.ArrayLike, derivative: npt.ArrayLike, marks: npt.ArrayLike = 0) -> None:
        values, slopes, flags = (
            np.asarray(value),
            np.asarray(derivative, dtype=float),
            np.asarray(marks, dtype=np.uint8),
        )
        shape = np.broadcast_shapes((*values.shape, 1), slopes.shape, flags.shape)
        self.value = values if values.shape == shape[:-1] else np.broadcast_to(values, shape[:-1])
        self.derivative, self.marks = np.broadcast_to(slopes, shape), np.broadcast_to(flags, shape)

    @property
    def directions(self) -> int:
        """Number of directions."""
        result: int = self.derivative.shape[-1]
        return result

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions of the values."""
        return self.value.ndim

    def astype(self, kind: npt.DTypeLike) -> Dual:
        """Convert to whole numbers (towards zero, in steps) or to floats."""
        if np.dtype(kind) == np.dtype(int):
            return stepped(self.value.astype(int), self)
        if np.dtype(kind) == np.dtype(float):
            return Dual(self.value.astype(float), self.derivative, self.marks)
        self.refuse(f"astype({kind})", "astype(int) or astype(float)")

    def __repr__(self) -> str:
        return f"Dual(value={self.value!r}, derivative={self.derivative!r})"

    # NumPy takes other ways for x ** 2 than for np.power(x, 2), with other last bits.
    def __pow__(self, other: Operand) -> Dual:
        return _power(self.value ** plain(other), self, other)

    def __rpow__(self, other: Operand) -> Dual:
        return _power(other**self.value, other, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Dual | np.ndarray:
        """Answer for a ufunc."""
        name = ufunc.__name__
        self.check_ufunc(name, method, kwargs)
        if name in BITWISE:
            self.refuse_bits(name)
        values = [plain(value) for value in inputs]
        if name in _PREDICATES:
            _note_undecided(*inputs)
            result: Dual | np.ndarray = ufunc(*values)
            return result
        if name not in _RULES:
            self.refuse_function(name)
        value = ufunc(*values)
        with np.errstate(all="ignore"):
            return _RULES[name](value, *inputs)

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Dual:
        """Answer for the few other NumPy functions that have a form for dual numbers."""
        if function not in _FUNCTIONS:
            self.refuse_function(getattr(function, "__name__", str(function)))
        with np.errstate(all="ignore"):
            return _FUNCTIONS[function](*args, **kwargs)


def independent(values: Sequence[npt.ArrayLike]) -> list[Dual]:
    """Return arrays as dual numbers, each with a direction of its own.

    Examples
    --------
    >>> x, y = independent([np.array([3.0]), np.array([4.0])])
    >>> np.sqrt(x * x + y * y).derivative
    array([[0.6, 0.8]])
    """
    return [Dual(value, row) for value, row in zip(values, np.eye(len(values)), strict=True)]


@contextmanager
def undecided() -> Iterator[list[np.ndarray]]:
    """Collect the comparisons in the block that a small change may decide otherwise.

    Each as the marks it gives, by direction: `Mark.STEPS` where equals move apart, `Mark.HIDDEN` where one of the two
    comes in steps.
    """
    ties: list[np.ndarray] = []
    token = _undecided.set(ties)
    try:
        yield ties
    finally:
        _undecided.reset(token)


def _note_undecided(x: Operand, y: Operand = 0.0) -> None:
    ties = _undecided.get()
    if ties is not None:
        tie = np.asarray(plain(x) == plain(y))[..., None] & (_slopes(x) != _slopes(y))
        marks = tie * np.uint8(Mark.STEPS) | _hidden(_marks(x) | _marks(y))
        if marks.any():
            ties.append(np.bitwise_or.reduce(marks.reshape(-1, marks.shape[-1]), axis=0))


@overload
def plain(value: Dual) -> np.ndarray: ...
@overload
def plain(value: _T) -> _T: ...
def plain(value: Dual | _T) -> np.ndarray | _T:
    """Return the values of a dual number, and anything else as it is."""
    return value.value if isinstance(value, Dual) else value


def chained(
    value: npt.ArrayLike,
    operands: Sequence[Operand],
    partials: Sequence[npt.ArrayLike],
    marks: npt.ArrayLike = 0,
) -> Dual:
    """Return a result by the chain rule.

    Parameters
    ----------
    value : array_like
        The result.
    operands : sequence
        What it is made of; those that are no dual numbers are constants.
    partials : sequence of array_like
        The partial derivative with respect to each. Where it is 0 neither the derivative of the operand, known or not,
        nor its marks matter.
    marks : array_like of int
        What the step itself adds.
    """
    derivative: np.ndarray | float = 0.0
    flags = np.asarray(marks, dtype=np.uint8)
    for operand, partial in zip(operands, partials, strict=True):
        if isinstance(operand, Dual):
            slope = np.asarray(partial, dtype=float)[..., None]
            reached = slope != 0
            share = np.where(reached & (operand.derivative != 0), slope * operand.derivative, 0.0)
            derivative = derivative + share
            flags = flags | np.where(reached, operand.marks, np.uint8(0))
    return Dual(value, derivative, flags)


def of_two_sides(
    value: npt.ArrayLike,
    operands: Sequence[Operand],
    above: Sequence[npt.ArrayLike],
    below: Sequence[npt.ArrayLike],
    marks: npt.ArrayLike = 0,
) -> Dual:
    """Return a result by the chain rule, as `chained`, with other partial derivatives where an operand falls.

    Parameters
    ----------
    value, operands, marks
        As of `chained`.
    above, below : sequence of array_like
        The partial derivative with respect to each operand as it rises, and as it falls.
    """
    derivative: np.ndarray | float = 0.0
    flags = np.asarray(marks, dtype=np.uint8)
    for operand, *sides in zip(operands, above, below, strict=True):
        if isinstance(operand, Dual):
            rising, falling = (np.asarray(partial, dtype=float)[..., None] for partial in sides)
            slope = np.where(operand.derivative > 0, rising, falling)
            moves = operand.derivative != 0
            derivative = derivative + np.where(moves & (slope != 0), slope * operand.derivative, 0.0)
            reached = (rising != 0) | (falling != 0)
            bend = (rising != falling) & ~(np.isnan(rising) & np.isnan(falling))
            flags = flags | np.where(reached, operand.marks, _hidden(operand.marks)) | _one_sided(bend & moves)
    return Dual(value, derivative, flags)


def stepped(value: npt.ArrayLike, *operands: Operand) -> Dual:
    """Return a result that is constant between steps of its operands: derivative 0, with a mark."""
    marks: np.ndarray | np.uint8 = np.uint8(0)
    directions = 0
    for operand in operands:
        if isinstance(operand, Dual):
            directions = operand.directions
            marks = marks | operand.marks | _where_it_varies(operand) * np.uint8(Mark.STEPS)
    return Dual(value, np.zeros(directions), marks)


def by_partials(
    function: Callable[..., npt.ArrayLike], partials: Callable[..., Sequence[npt.ArrayLike]]
) -> Callable[..., Dual]:
    """Return the rule for dual numbers of a formula whose partial derivatives are known.

    Parameters
    ----------
    function : callable
        The formula, on arrays.
    partials : callable
        Returns its derivative with respect to each argument, from the same arguments.
    """

    def rule(*operands: Operand) -> Dual:
        values = [plain(operand) for operand in operands]
        with np.errstate(all="ignore"):
            slopes = partials(*values)
        return chained(function(*values), operands, slopes)

    return rule


def _where_it_varies(operand: Operand) -> np.ndarray:
    return operand.derivative != 0 if isinstance(operand, Dual) else np.asarray(False)


def _slopes(operand: Operand) -> np.ndarray:
    return operand.derivative if isinstance(operand, Dual) else np.zeros(1)


def _marks(operand: Operand) -> np.ndarray:
    return operand.marks if isinstance(operand, Dual) else np.zeros(1, dtype=np.uint8)


def _hidden(marks: np.ndarray) -> np.ndarray:
    """Return the marks of something that has no effect, by its own."""
    return np.where(marks & np.uint8(Mark.STEPS | Mark.HIDDEN), np.uint8(Mark.HIDDEN), np.uint8(0))


def _one_sided(where: np.ndarray) -> np.ndarray:
    return where * np.uint8(Mark.ONE_SIDED)


def _smooth(partial: Callable[[np.ndarray, np.ndarray], npt.ArrayLike]) -> Callable[[np.ndarray, Dual], Dual]:
    """Return the rule of a function of one argument from its derivative, given the result and the argument."""
    return lambda value, x: chained(value, [x], [partial(value, x.value)])


def _minimum(value: np.ndarray, x: Operand, y: Operand) -> Dual:
    return _winner(value, np.asarray(plain(x) <= plain(y)), np.minimum, x, y)


def _maximum(value: np.ndarray, x: Operand, y: Operand) -> Dual:
    return _winner(value, np.asarray(plain(x) >= plain(y)), np.maximum, x, y)


def _winner(value: np.ndarray, first: np.ndarray, choose: np.ufunc, x: Operand, y: Operand) -> Dual:
    """Return the operand that wins; on a tie the one that does after a step, with what is to be said of both."""
    first, tie = first[..., None], np.asarray(plain(x) == plain(y))[..., None]
    slopes, marks = (_slopes(x), _slopes(y)), (_marks(x), _marks(y))
    derivative = np.where(tie, choose(*slopes), np.where(first, *slopes))
    alone = np.where(first, marks[0] | _hidden(marks[1]), marks[1] | _hidden(marks[0]))
    corner = _one_sided(tie & (slopes[0] != slopes[1]))
    return Dual(value, derivative, np.where(tie, marks[0] | marks[1], alone) | corner)


def _absolute(value: np.ndarray, x: Dual) -> Dual:
    corner, negative = (x.value == 0)[..., None], (x.value < 0)[..., None]
    slopes = np.where(corner, np.abs(x.derivative), np.where(negative, -x.derivative, x.derivative))
    return Dual(value, slopes, x.marks | _one_sided(corner & _where_it_varies(x)))


def _power(value: np.ndarray, x: Operand, y: Operand) -> Dual:
    base, exponent = np.asarray(plain(x), dtype=float), np.asarray(plain(y), dtype=float)
    with np.errstate(all="ignore"):
        of_base = np.where(exponent == 0, 0.0, exponent * base ** (exponent - 1.0))
        of_exponent = np.where((base == 0) & (exponent > 0), 0.0, value * np.log(base))
        return chained(value, [x, y], [of_base, of_exponent])


def _remainder(value: np.ndarray, x: Operand, y: Operand) -> Dual:
    marks = (_where_it_varies(x) | _where_it_varies(y)) * np.uint8(Mark.STEPS)
    return chained(value, [x, y], [1.0, -np.floor_divide(plain(x), plain(y))], marks)


def _where(condition: Operand, *choices: Operand) -> Dual:
    if len(choices) != 2:
        Dual.refuse("np.where(condition) with no choices", "np.where(condition, x, y)")
    chosen = np.asarray(plain(condition)).astype(bool)
    value = np.where(chosen, *(plain(choice) for choice in choices))
    if not any(isinstance(choice, Dual) for choice in choices):
        return stepped(value, condition)
    return chained(value, choices, [chosen, ~chosen])


def _clip(*args: Operand, **kwargs: object) -> Dual:
    if len(args) != 3 or kwargs:
        Dual.refuse("np.clip with keywords", "np.clip(x, low, high) with positional arguments")
    x, low, high = (plain(value) for value in args)
    return _clipped(np.clip(x, low, high), *args)


def _clipped(value: np.ndarray, x: Operand, low: Operand, high: Operand) -> Dual:
    result: Any = np.minimum(np.maximum(x, low), high)  # NumPy types it as an array; one operand is a dual number
    return Dual(value, result.derivative, result.marks)


def _interp(*args: Operand, **kwargs: object) -> Dual:
    if len(args) != 3 or kwargs or not isinstance(args[0], Dual) or any(isinstance(row, Dual) for row in args[1:]):
        Dual.refuse("np.interp with keywords or with dual numbers as its table", "np.interp(x, table_x, table_y)")
    x, knots, values = args[0], np.asarray(args[1], dtype=float), np.asarray(args[2], dtype=float)
    if not (np.diff(knots) >= 0).all():
        Dual.refuse("np.interp with knots that do not rise", "knots in rising order")
    slopes = np.concatenate([[0.0], np.diff(values) / np.diff(knots), [0.0]])
    above = slopes[np.searchsorted(knots, x.value, side="right")]
    below = slopes[np.searchsorted(knots, x.value, side="left")]
    return of_two_sides(np.interp(x.value, knots, values), [x], [above], [below])


def _searchsorted(table: npt.ArrayLike, x: Dual, side: Side = "left") -> Dual:
    if isinstance(table, Dual):
        Dual.refuse("np.searchsorted in a table of dual numbers", "np.searchsorted(table, x)")
    return stepped(np.searchsorted(table, x.value, side=side), x)


_LN_2, _LN_10 = np.log(2.0), np.log(10.0)

_RULES: dict[str, Callable[..., Dual]] = {
    "add": lambda value, x, y: chained(value, [x, y], [1.0, 1.0]),
    "subtract": lambda value, x, y: chained(value, [x, y], [1.0, -1.0]),
    "multiply": lambda value, x, y: chained(value, [x, y], [plain(y), plain(x)]),
    "divide": lambda value, x, y: chained(value, [x, y], [1.0 / np.asarray(plain(y)), -value / plain(y)]),
    "negative": _smooth(lambda value, x: -1.0),
    "positive": _smooth(lambda value, x: 1.0),
    "absolute": _absolute,
    "fabs": _absolute,
    "square": _smooth(lambda value, x: 2.0 * x),
    "reciprocal": _smooth(lambda value, x: -value * value),
    "power": _power,
    "float_power": _power,
    "remainder": _remainder,
    "floor_divide": stepped,
    "minimum": _minimum,
    "maximum": _maximum,
    "clip": _clipped,
    "sqrt": _smooth(lambda value, x: 0.5 / value),
    "cbrt": _smooth(lambda value, x: 1.0 / (3.0 * value * value)),
    "floor": stepped,
    "ceil": stepped,
    "trunc": stepped,
    "rint": stepped,
    "exp": _smooth(lambda value, x: value),
    "exp2": _smooth(lambda value, x: _LN_2 * value),
    "expm1": _smooth(lambda value, x: np.exp(x)),
    "log": _smooth(lambda value, x: 1.0 / x),
    "log2": _smooth(lambda value, x: 1.0 / (_LN_2 * x)),
    "log10": _smooth(lambda value, x: 1.0 / (_LN_10 * x)),
    "log1p": _smooth(lambda value, x: 1.0 / (1.0 + x)),
}

_PREDICATES = frozenset(
    [
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        *("logical_and", "logical_or", "logical_xor", "logical_not"),
    ]
)

_FUNCTIONS: dict[Callable[..., object], Callable[..., Dual]] = {
    np.where: _where,
    np.clip: _clip,
    np.interp: _interp,
    np.searchsorted: _searchsorted,
}
