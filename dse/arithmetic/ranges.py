"""Ranges: arrays of bounds that run through unchanged model functions.

A `Range` holds the lower and the upper bound of every element. Bounds always contain the floating-point value of
the same function at any points inside: addition, subtraction, multiplication, division, square root, minimum,
maximum and rounding to integers are monotone in floating point, so their bounds are exact; everything
transcendental is widened by four units in the last place. What cannot be bounded raises `TypeError`; nothing passes
silently. NaN or infinite bounds mean "anything may happen inside".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NoReturn

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duck_array import BITWISE, Operand, StandIn

__all__ = ["Condition", "Range"]

_ULPS = 4.0

Side = Literal["left", "right"]
"""Of equal entries of a table, the place before or behind them, as `numpy.searchsorted` takes it."""


def _refuse(what: str, instead: str) -> NoReturn:
    Range.refuse(what, instead)


class Range(StandIn):
    """Lower and upper bounds of an array of numbers.

    Parameters
    ----------
    low, high : array_like
        Bounds that broadcast against each other; ``low <= high`` wherever both are numbers.
    """

    __slots__ = ("high", "low")
    one, several = "a range", "ranges"

    def __init__(self, low: npt.ArrayLike, high: npt.ArrayLike) -> None:
        self.low = np.asarray(low)
        self.high = np.asarray(high)

    @staticmethod
    def of(value: Operand) -> Range:
        """Return `value` as a range: points have width 0, a condition lies between 0 and 1."""
        if isinstance(value, Range):
            return value
        if isinstance(value, Condition):
            return Range((~value.can_be_false).astype(float), value.can_be_true.astype(float))
        array = np.asarray(value, dtype=float)
        return Range(array, array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that is bounded."""
        return np.broadcast_shapes(self.low.shape, self.high.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def astype(self, kind: npt.DTypeLike) -> Range:
        """Convert to whole numbers (towards zero) or to floats."""
        if np.dtype(kind) == np.dtype(int):
            return Range(np.trunc(self.low), np.trunc(self.high))
        if np.dtype(kind) == np.dtype(float):
            return self
        _refuse(f"astype({kind})", "astype(int) or astype(float)")

    def __repr__(self) -> str:
        return f"Range(low={self.low!r}, high={self.high!r})"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Range | Condition:
        """Answer for a ufunc."""
        return _ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Range:
        """Answer for the few other NumPy functions that have a form for ranges."""
        return _array_function(function, args, kwargs)


class Condition(StandIn):
    """What is known of a comparison of ranges: where it can be true and where it can be false."""

    __slots__ = ("can_be_false", "can_be_true")
    one, several = Range.one, Range.several

    def __init__(self, can_be_true: npt.ArrayLike, can_be_false: npt.ArrayLike) -> None:
        self.can_be_true = np.asarray(can_be_true, dtype=bool)
        self.can_be_false = np.asarray(can_be_false, dtype=bool)

    @staticmethod
    def of(value: Operand) -> Condition:
        """Return `value` as a condition; numbers are true where they are not 0."""
        if isinstance(value, Condition):
            return value
        if isinstance(value, Range):
            result: Condition = value != 0
            return result
        array = np.asarray(value).astype(bool)
        return Condition(array, ~array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the comparison."""
        return np.broadcast_shapes(self.can_be_true.shape, self.can_be_false.shape)

    def astype(self, kind: npt.DTypeLike) -> Range:
        """Convert to 0 and 1."""
        return Range.of(self).astype(kind)

    def __repr__(self) -> str:
        return f"Condition(can_be_true={self.can_be_true!r}, can_be_false={self.can_be_false!r})"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Range | Condition:
        """Answer for a ufunc."""
        return _ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Range:
        """Answer for np.where and the like."""
        return _array_function(function, args, kwargs)


def _ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[Operand, ...], kwargs: Mapping[str, object]
) -> Range | Condition:
    name = ufunc.__name__
    Range.check_ufunc(name, method, kwargs)
    if name in BITWISE and not all(_is_condition(value) for value in inputs):
        Range.refuse_bits(name)
    if name == "add" and all(_is_condition(value) for value in inputs):
        name = "logical_or"  # as NumPy adds truth values
    elif name not in _OF_CONDITIONS and all(_is_condition(value) for value in inputs):
        _refuse(f"np.{name} of a condition", "np.where(condition, 1.0, 0.0) first")  # NumPy: float16, int8 or an error
    if name in _CONDITIONS:
        return _CONDITIONS[name](*(Condition.of(value) for value in inputs))
    if name not in _RULES:
        Range.refuse_function(name)
    with np.errstate(all="ignore"):
        if name == "multiply" and inputs[0] is inputs[1]:
            return _square(Range.of(inputs[0]))
        return _RULES[name](*(Range.of(value) for value in inputs))


def _is_condition(value: Operand) -> bool:
    return isinstance(value, Condition) or (not isinstance(value, Range) and np.asarray(value).dtype == bool)


def _array_function(function: Callable[..., object], args: tuple[Operand, ...], kwargs: dict[str, str]) -> Range:
    name = getattr(function, "__name__", str(function))
    if function not in _FUNCTIONS:
        Range.refuse_function(name)
    with np.errstate(all="ignore"):
        return _FUNCTIONS[function](*args, **kwargs)


def _widened(low: np.ndarray, high: np.ndarray) -> Range:
    return Range(low - _ULPS * np.spacing(np.abs(low)), high + _ULPS * np.spacing(np.abs(high)))


def _rising(ufunc: np.ufunc) -> Callable[[Range], Range]:
    return lambda x: Range(ufunc(x.low), ufunc(x.high))


def _rising_widened(ufunc: np.ufunc, least: float = -np.inf) -> Callable[[Range], Range]:
    def rule(x: Range) -> Range:
        result = _widened(ufunc(x.low), ufunc(x.high))
        return Range(np.where(np.isinf(ufunc(x.low)), ufunc(x.low), np.maximum(result.low, least)), result.high)

    return rule


def _corners(function: Callable[..., np.ndarray], x: Range, y: Range) -> Range:
    a, b = function(x.low, y.low), function(x.low, y.high)
    c, d = function(x.high, y.low), function(x.high, y.high)
    return Range(
        np.minimum(np.minimum(a, b), np.minimum(c, d)),
        np.maximum(np.maximum(a, b), np.maximum(c, d)),
    )


def _guarded(result: Range, x: Range, y: Range) -> Range:
    """Return a result of arithmetic with NaN bounds where points inside could give NaN: inf - inf, 0 · inf, inf / inf.

    Infinite bounds alone would not survive np.clip and the like, and a bundle with such a point must be looked into.
    """
    if not (np.isinf(result.low).any() or np.isinf(result.high).any()):
        return result
    wild = [np.isinf(side.low) | np.isinf(side.high) for side in (x, y)]
    zero = [(side.low <= 0) & (side.high >= 0) for side in (x, y)]
    hidden = (wild[0] & (wild[1] | zero[1])) | (wild[1] & zero[0])
    return Range(np.where(hidden, np.nan, result.low), np.where(hidden, np.nan, result.high))


def _multiply(x: Range, y: Range) -> Range:
    if x.low.min(initial=0.0) >= 0 and y.low.min(initial=0.0) >= 0:
        return _guarded(Range(x.low * y.low, x.high * y.high), x, y)
    return _guarded(_corners(np.multiply, x, y), x, y)


def _divide(x: Range, y: Range) -> Range:
    if y.low.min(initial=np.inf) > 0:
        if x.low.min(initial=0.0) >= 0:
            return _guarded(Range(x.low / y.high, x.high / y.low), x, y)
        return _guarded(_corners(np.divide, x, y), x, y)
    quotient = _corners(np.divide, x, y)
    holds_zero = ~((y.low > 0) | (y.high < 0))
    # 0 / 0 is NaN, which infinite bounds would not survive: np.clip and others make them finite again.
    nothing = ~((x.low > 0) | (x.high < 0)) | np.isnan(y.low) | np.isnan(y.high)
    low, high = np.where(nothing, np.nan, -np.inf), np.where(nothing, np.nan, np.inf)
    return Range(np.where(holds_zero, low, quotient.low), np.where(holds_zero, high, quotient.high))


def _square(x: Range) -> Range:
    low, high = np.square(x.low), np.square(x.high)
    inside = (x.low <= 0) & (x.high >= 0)
    return Range(np.where(inside, 0.0, np.minimum(low, high)), np.maximum(low, high))


def _absolute(x: Range) -> Range:
    low, high = np.abs(x.low), np.abs(x.high)
    inside = (x.low <= 0) & (x.high >= 0)
    return Range(np.where(inside, 0.0, np.minimum(low, high)), np.maximum(low, high))


def _power(x: Range, y: Range) -> Range:
    fixed = y.low.size == 1 and y.low is y.high
    exponent = float(y.low.reshape(-1)[0]) if fixed else None
    if exponent == 2.0:
        square = _square(x)
        return Range(np.maximum(_widened(square.low, square.high).low, 0.0), _widened(square.low, square.high).high)
    if exponent == 1.0:
        return x
    if exponent == -1.0:
        inverse = _divide(Range.of(1.0), x)
        return _widened(inverse.low, inverse.high)
    if np.any(x.low < 0):
        _refuse("a power of a base that can be negative", "the product, x * x * x")
    result = _corners(np.power, x, y)
    widened = _widened(result.low, result.high)
    return Range(np.maximum(widened.low, 0.0), widened.high)


def _floor_divide(x: Range, y: Range) -> Range:
    quotient = _divide(x, y)
    widened = _widened(quotient.low, quotient.high)
    return Range(np.floor(widened.low), np.floor(widened.high))


def _remainder(x: Range, y: Range) -> Range:
    if np.any(y.low <= 0):
        _refuse("% with a divisor that can be 0 or negative", "a positive divisor")
    one_period = (y.low == y.high) & (np.floor_divide(x.low, y.low) == np.floor_divide(x.high, y.low))
    unknown = ~(np.isfinite(x.low) & np.isfinite(x.high)) | np.isnan(y.low) | np.isnan(y.high)
    low = np.where(unknown, np.nan, np.where(one_period, np.remainder(x.low, y.low), 0.0))
    high = np.where(unknown, np.nan, np.where(one_period, np.remainder(x.high, y.low), y.high))
    return Range(low, high)


def _unordered(x: Range, y: Range) -> np.ndarray:
    result: np.ndarray = np.isnan(x.low) | np.isnan(x.high) | np.isnan(y.low) | np.isnan(y.high)
    return result


def _less(x: Range, y: Range) -> Condition:
    unordered = _unordered(x, y)
    return Condition((x.low < y.high) | unordered, ~(x.high < y.low) | unordered)


def _less_equal(x: Range, y: Range) -> Condition:
    unordered = _unordered(x, y)
    return Condition((x.low <= y.high) | unordered, ~(x.high <= y.low) | unordered)


def _equal(x: Range, y: Range) -> Condition:
    unordered = _unordered(x, y)
    overlap = (x.low <= y.high) & (y.low <= x.high)
    same_point = (x.low == x.high) & (y.low == y.high) & (x.low == y.low)
    return Condition(overlap | unordered, ~same_point | unordered)


def _not(condition: Condition) -> Condition:
    return Condition(condition.can_be_false, condition.can_be_true)


def _and(p: Condition, q: Condition) -> Condition:
    return Condition(p.can_be_true & q.can_be_true, p.can_be_false | q.can_be_false)


def _or(p: Condition, q: Condition) -> Condition:
    return Condition(p.can_be_true | q.can_be_true, p.can_be_false & q.can_be_false)


def _xor(p: Condition, q: Condition) -> Condition:
    return _or(_and(p, _not(q)), _and(_not(p), q))


def _where(condition: Operand, *choices: Operand) -> Range:
    if len(choices) != 2:
        _refuse("np.where(condition) with no choices", "np.where(condition, x, y)")
    known = Condition.of(condition)
    x, y = (Range.of(choice) for choice in choices)
    low = np.where(known.can_be_true, np.where(known.can_be_false, np.minimum(x.low, y.low), x.low), y.low)
    high = np.where(known.can_be_true, np.where(known.can_be_false, np.maximum(x.high, y.high), x.high), y.high)
    return Range(low, high)


def _clip(*args: Operand, **kwargs: object) -> Range:
    if len(args) != 3 or kwargs:
        _refuse("np.clip with keywords", "np.clip(x, low, high) with positional arguments")
    x, low, high = (Range.of(value) for value in args)
    return Range(np.minimum(np.maximum(x.low, low.low), high.low), np.minimum(np.maximum(x.high, low.high), high.high))


def _interp(*args: Operand, **kwargs: object) -> Range:
    if len(args) != 3 or kwargs or isinstance(args[1], Range) or isinstance(args[2], Range):
        _refuse("np.interp with keywords or with ranges as its table", "np.interp(x, table_x, table_y)")
    x, knots, values = Range.of(args[0]), np.asarray(args[1], dtype=float), np.asarray(args[2], dtype=float)
    if not (np.diff(knots) >= 0).all():
        _refuse("np.interp with knots that do not rise", "knots in rising order")
    first, last = np.interp(x.low, knots, values), np.interp(x.high, knots, values)
    begin, end = np.searchsorted(knots, x.low, side="left"), np.searchsorted(knots, x.high, side="right")
    inside = begin < end
    least, most = extremes(values, np.minimum(begin, len(knots) - 1), np.maximum(end - 1, 0))
    low = np.where(inside, np.minimum(np.minimum(first, last), least), np.minimum(first, last))
    high = np.where(inside, np.maximum(np.maximum(first, last), most), np.maximum(first, last))
    slack = _ULPS * np.spacing(np.max(np.abs(values)))
    return Range(low - slack, high + slack)


def _searchsorted(table: npt.ArrayLike, x: Operand, side: Side = "left") -> Range:
    values = Range.of(x)
    unknown = np.isnan(values.low) | np.isnan(values.high)  # NaN itself sorts behind everything
    low = np.searchsorted(table, np.where(unknown, -np.inf, values.low), side=side)
    return Range(low, np.searchsorted(table, np.where(unknown, np.nan, values.high), side=side))


def extremes(table: np.ndarray, first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the minimum and the maximum of ``table[first..last]`` (inclusive) for arrays of index pairs.

    Two overlapping windows of a power-of-two length cover every stretch, so each answer reads two entries.
    """
    last = np.maximum(last, first)
    least, most = [table], [table]
    while 2 ** len(least) <= len(table):
        half = 2 ** (len(least) - 1)
        least.append(np.minimum(least[-1][:-half], least[-1][half:]))
        most.append(np.maximum(most[-1][:-half], most[-1][half:]))
    lengths = np.array([2**level for level in range(len(least))])
    level = np.searchsorted(lengths, last - first + 1, side="right") - 1
    low, high = np.empty(level.shape), np.empty(level.shape)
    for depth in np.unique(level):
        here = level == depth
        begin, end = first[here], last[here] - 2 ** int(depth) + 1
        low[here] = np.minimum(least[depth][begin], least[depth][end])
        high[here] = np.maximum(most[depth][begin], most[depth][end])
    return low, high


_RULES: dict[str, Callable[..., Range | Condition]] = {
    "add": lambda x, y: _guarded(Range(x.low + y.low, x.high + y.high), x, y),
    "subtract": lambda x, y: _guarded(Range(x.low - y.high, x.high - y.low), x, y),
    "multiply": _multiply,
    "divide": _divide,
    "true_divide": _divide,
    "negative": lambda x: Range(-x.high, -x.low),
    "positive": lambda x: x,
    "absolute": _absolute,
    "fabs": _absolute,
    "square": _square,
    "reciprocal": lambda x: _divide(Range.of(1.0), x),
    "power": _power,
    "float_power": _power,
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "minimum": lambda x, y: Range(np.minimum(x.low, y.low), np.minimum(x.high, y.high)),
    "maximum": lambda x, y: Range(np.maximum(x.low, y.low), np.maximum(x.high, y.high)),
    "clip": _clip,
    "sqrt": _rising(np.sqrt),
    "floor": _rising(np.floor),
    "ceil": _rising(np.ceil),
    "trunc": _rising(np.trunc),
    "rint": _rising(np.rint),
    "exp": _rising_widened(np.exp, 0.0),
    "exp2": _rising_widened(np.exp2, 0.0),
    "expm1": _rising_widened(np.expm1, -1.0),
    "log": _rising_widened(np.log),
    "log2": _rising_widened(np.log2),
    "log10": _rising_widened(np.log10),
    "log1p": _rising_widened(np.log1p),
    "cbrt": _rising_widened(np.cbrt),
    "less": _less,
    "less_equal": _less_equal,
    "greater": lambda x, y: _less(y, x),
    "greater_equal": lambda x, y: _less_equal(y, x),
    "equal": _equal,
    "not_equal": lambda x, y: _not(_equal(x, y)),
}

_CONDITIONS: dict[str, Callable[..., Condition]] = {
    "bitwise_and": _and,
    "logical_and": _and,
    "bitwise_or": _or,
    "logical_or": _or,
    "bitwise_xor": _xor,
    "logical_xor": _xor,
    "invert": _not,
    "logical_not": _not,
}

_OF_CONDITIONS = frozenset(
    [
        *_CONDITIONS,
        "multiply",
        "minimum",
        "maximum",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
    ]
)

_FUNCTIONS: dict[Callable[..., object], Callable[..., Range]] = {
    np.where: _where,
    np.clip: _clip,
    np.interp: _interp,
    np.searchsorted: _searchsorted,
}
