"""Signs: stand-ins that carry, beside the bounds of a value, which way it goes with each of some seeds.

A `Signed` says of every seed (a quantity that starts it) whether the value is free of it, rises or falls with it (in
the weak sense: never the other way), or that nothing is known. The claim is made of the *floating-point* program, for
all seeds at once: move any number of seeds, each in the direction the value rises with it (those of which nothing is
known not at all), and the value does not fall. Each operation hands the claim on:

    x + y            keeps a sign that both have                         rounding is monotone
    x * y            times the sign of the other factor                  which must not change inside its bounds
    x / y            likewise, of a divisor that cannot be 0
    min, max, clip   keep a sign that both have; one operand alone where the bounds say that it is the result
    where(c, x, y)   a sign that both choices have, if c is free of the seed or its choice only helps
    sqrt, floor, …   keep it
    exp, log, power  keep it: taken to be monotone to the last bit (`ASSUMED`)

The bounds may be those of the values that really occur, since no step looks at values that do not. Where they hold NaN
nothing is claimed. A mathematically monotone formula need not be monotone in floating point, and its sign stays
unknown: ``x / (x + c)``. Operations without a rule give "unknown"; those without bounds raise `TypeError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duck_array import Operand, StandIn
from dse.arithmetic.ranges import Condition, Range, Side

__all__ = ["ASSUMED", "FALLS", "FREE", "RISES", "UNKNOWN", "Signed"]
__all__ += ["bounds_of", "join", "looked_up", "seeds", "unsigned"]

_T = TypeVar("_T")

FREE, RISES, FALLS, UNKNOWN = 0, 1, -1, 2

ASSUMED = frozenset(
    ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "power", "float_power"],
)
"""Functions of the mathematical library that are taken to be monotone to the last bit; no standard promises it."""


class Signed(StandIn):
    """Bounds of an array, and one sign per seed.

    Parameters
    ----------
    bounds : Range or Condition
    signs : (seeds,) array_like of int
        `FREE`, `RISES`, `FALLS` or `UNKNOWN`, one for the whole array; a condition rises when it becomes true.
    """

    __slots__ = ("bounds", "signs")
    one, several = "a signed range", "signed ranges"

    def __init__(self, bounds: Range | Condition, signs: npt.ArrayLike) -> None:
        self.bounds = bounds
        known = np.asarray(signs, dtype=np.int8)
        if _fixed(bounds):
            known = np.zeros_like(known)
        elif isinstance(bounds, Range) and (np.isnan(bounds.low).any() or np.isnan(bounds.high).any()):
            known = np.where(known == FREE, known, np.int8(UNKNOWN))
        self.signs = known

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that is bounded."""
        return self.bounds.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def astype(self, kind: npt.DTypeLike) -> Signed:
        """Convert to whole numbers (towards zero) or to floats."""
        return Signed(self.bounds.astype(kind), self.signs)

    def __repr__(self) -> str:
        return f"Signed(bounds={self.bounds!r}, signs={self.signs.tolist()})"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Signed:
        """Answer for a ufunc."""
        name = ufunc.__name__
        self.check_ufunc(name, method, kwargs)
        bounds = ufunc(*(bounds_of(value) for value in inputs))
        if _by_nothing_but_zero(name, inputs):
            return Signed(bounds, np.full(len(self.signs), UNKNOWN, dtype=np.int8))
        rule: Callable[..., np.ndarray] = _RULES.get(name, _unknown)
        return Signed(bounds, rule(*(_operand(value, len(self.signs)) for value in inputs)))

    def __array_function__(
        self, function: Callable[..., Range], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Signed:
        """Answer for the few other NumPy functions that have a form for signed ranges."""
        if function not in _FUNCTIONS:
            self.refuse_function(getattr(function, "__name__", str(function)))
        bounds = function(*(bounds_of(value) for value in args), **kwargs)
        return Signed(bounds, _FUNCTIONS[function](len(self.signs), *args, **kwargs))


def seeds(bounds: Sequence[Range]) -> list[Signed]:
    """Return ranges as signed ones, each with a seed of its own that it rises with.

    Examples
    --------
    >>> x, y = seeds([Range([1.0], [10.0]), Range([2.0], [8.0])])
    >>> (np.maximum(x, y) / y).signs.tolist(), (x * x - y).signs.tolist()
    ([1, 2], [1, -1])
    """
    return [Signed(box, row) for box, row in zip(bounds, np.eye(len(bounds), dtype=np.int8), strict=True)]


@overload
def bounds_of(value: Signed) -> Range | Condition: ...
@overload
def bounds_of(value: _T) -> _T: ...
def bounds_of(value: Signed | _T) -> Range | Condition | _T:
    """Return the bounds of a signed range, and anything else as it is."""
    return value.bounds if isinstance(value, Signed) else value


def join(*signs: np.ndarray) -> np.ndarray:
    """Return the sign that all have which are not free of the seed, else "unknown"."""
    result = signs[0]
    for other in signs[1:]:
        either = np.where(result == FREE, other, result)
        result = np.where((result == other) | (result == FREE) | (other == FREE), either, np.int8(UNKNOWN))
    return result


def unsigned(bounds: Range | Condition, *operands: Operand) -> Signed:
    """Return bounds with the signs of an operation without a rule: unknown for every seed that reaches an operand."""
    count = next(len(value.signs) for value in operands if isinstance(value, Signed))
    return Signed(bounds, _unknown(*(_operand(value, count) for value in operands)))


def _fixed(bounds: Range | Condition) -> bool:
    """Tell whether every element has one value only."""
    if isinstance(bounds, Condition):
        return not (bounds.can_be_true & bounds.can_be_false).any()
    return bool(np.all(bounds.low == bounds.high))


def _by_nothing_but_zero(name: str, operands: Sequence[Operand]) -> bool:
    """Tell whether something is divided by what is 0 throughout: of -0.0 or 0.0, whatever its signs say."""
    if name not in _DIVISIONS:
        return False
    divisor = Range.of(bounds_of(operands[0 if name in ("reciprocal", "power", "float_power") else 1]))
    return bool(((divisor.low == 0) & (divisor.high == 0)).any())


class _Operand:
    """The bounds (as numbers) and the signs of an operand."""

    def __init__(self, bounds: Range, signs: np.ndarray) -> None:
        self.low, self.high, self.signs = bounds.low, bounds.high, signs

    @property
    def sign(self) -> int:
        """The sign that no value inside the bounds contradicts: 1, -1, or `UNKNOWN`."""
        return RISES if np.all(self.low >= 0) else FALLS if np.all(self.high <= 0) else UNKNOWN

    @property
    def strict_sign(self) -> int:
        """The sign of all values, none of them 0."""
        return RISES if np.all(self.low > 0) else FALLS if np.all(self.high < 0) else UNKNOWN


def _operand(value: Operand, count: int) -> _Operand:
    if isinstance(value, Signed):
        return _Operand(Range.of(value.bounds), value.signs)
    return _Operand(Range.of(value), np.zeros(count, dtype=np.int8))


def _times(signs: np.ndarray, sign: int) -> np.ndarray:
    """Return signs after a factor of known or unknown sign."""
    if sign == UNKNOWN:
        return np.where(signs == FREE, signs, np.int8(UNKNOWN))
    return np.where(signs == UNKNOWN, signs, signs * np.int8(sign))


def _unknown(*operands: _Operand) -> np.ndarray:
    return _times(join(*(operand.signs for operand in operands)), UNKNOWN)


def _keeps(x: _Operand) -> np.ndarray:
    return x.signs


def _turns(x: _Operand) -> np.ndarray:
    return _times(x.signs, FALLS)


def _both(x: _Operand, y: _Operand) -> np.ndarray:
    return join(x.signs, y.signs)


def _difference(x: _Operand, y: _Operand) -> np.ndarray:
    return join(x.signs, _turns(y))


def _reversed_difference(x: _Operand, y: _Operand) -> np.ndarray:
    return _difference(y, x)


def _product(x: _Operand, y: _Operand) -> np.ndarray:
    return join(_times(x.signs, y.sign), _times(y.signs, x.sign))


def _quotient(x: _Operand, y: _Operand) -> np.ndarray:
    if y.strict_sign == UNKNOWN:
        return _unknown(x, y)
    return join(_times(x.signs, y.strict_sign), _times(_turns(y), x.sign))


def _reciprocal(x: _Operand) -> np.ndarray:
    return _times(_turns(x), RISES if x.strict_sign != UNKNOWN else UNKNOWN)


def _by_own_sign(x: _Operand) -> np.ndarray:
    return _times(x.signs, x.sign)


def _minimum(x: _Operand, y: _Operand) -> np.ndarray:
    if np.all(x.high <= y.low):
        return x.signs
    return y.signs if np.all(y.high <= x.low) else join(x.signs, y.signs)


def _maximum(x: _Operand, y: _Operand) -> np.ndarray:
    if np.all(x.low >= y.high):
        return x.signs
    return y.signs if np.all(y.low >= x.high) else join(x.signs, y.signs)


def _power(x: _Operand, y: _Operand) -> np.ndarray:
    if np.all(x.low >= 0):
        with_exponent = RISES if np.all(x.low >= 1) else FALLS if np.all((x.low > 0) & (x.high <= 1)) else UNKNOWN
        positive = y.sign != FALLS or bool(np.all(x.low > 0))
        return join(_times(x.signs, y.sign if positive else UNKNOWN), _times(y.signs, with_exponent))
    exponent = y.low.reshape(-1)[0] if y.low.size == 1 and np.all(y.low == y.high) else None
    if exponent == 1.0:
        return x.signs
    if exponent == 2.0:
        return _by_own_sign(x)
    return _unknown(x, y)


def _where(count: int, condition: Operand, *choices: Operand) -> np.ndarray:
    chosen, (x, y) = _operand(condition, count), (_operand(choice, count) for choice in choices)
    if np.all(chosen.low == chosen.high):  # decided everywhere, if not by one choice
        taken = np.asarray(chosen.low != 0)
        return join(*([x.signs] if taken.any() else []), *([y.signs] if not taken.all() else []))
    better = RISES if np.all(x.low >= y.high) else FALLS if np.all(x.high <= y.low) else UNKNOWN
    truth = chosen.signs if _is_condition(condition) else _times(chosen.signs, UNKNOWN)
    return join(_times(truth, better), x.signs, y.signs)


def _is_condition(value: Operand) -> bool:
    return isinstance(bounds_of(value), Condition)


def _clip(count: int, x: Operand, low: Operand, high: Operand) -> np.ndarray:
    below = np.maximum(bounds_of(x), bounds_of(low))
    raised = _Operand(Range.of(below), _maximum(_operand(x, count), _operand(low, count)))
    return _minimum(raised, _operand(high, count))


def _interp(count: int, x: Operand, knots: npt.ArrayLike, values: npt.ArrayLike) -> np.ndarray:
    where, heights = np.asarray(knots, dtype=float), np.asarray(values, dtype=float)
    # Between two knots every operation is monotone; at a knot the last value before it may pass it by a rounding.
    before = np.interp(np.nextafter(where[1:], -np.inf), where, heights)
    slope = UNKNOWN
    if np.all(np.diff(where) > 0):
        if np.all(np.diff(heights) >= 0) and np.all(before <= heights[1:]):
            slope = RISES
        elif np.all(np.diff(heights) <= 0) and np.all(before >= heights[1:]):
            slope = FALLS
    return _times(_operand(x, count).signs, slope)


def _searchsorted(count: int, table: npt.ArrayLike, x: Operand, side: Side = "left") -> np.ndarray:
    rising = bool(np.all(np.diff(np.asarray(table, dtype=float)) >= 0))
    return _times(_operand(x, count).signs, RISES if rising else UNKNOWN)


def looked_up(index: Signed, table: np.ndarray, bounds: Range) -> Signed:
    """Return the entry of a table at an index: it keeps a sign as far as the table rises or falls there."""
    place = Range.of(index.bounds)
    slope = UNKNOWN
    if np.all((place.low > -1) & (place.high < len(table))):
        steps = np.diff(table[int(np.min(place.low)) : int(np.max(place.high)) + 1])
        slope = RISES if np.all(steps >= 0) else FALLS if np.all(steps <= 0) else UNKNOWN
    return Signed(bounds, _times(index.signs, slope))


def _less(x: _Operand, y: _Operand) -> np.ndarray:
    return _reversed_difference(x, y)


_DIVISIONS = frozenset(["divide", "true_divide", "floor_divide", "remainder", "reciprocal", "power", "float_power"])

_RULES: dict[str, Callable[..., np.ndarray]] = {
    "add": _both,
    "subtract": _difference,
    "multiply": _product,
    "divide": _quotient,
    "true_divide": _quotient,
    "negative": _turns,
    "positive": _keeps,
    "absolute": _by_own_sign,
    "fabs": _by_own_sign,
    "square": _by_own_sign,
    "reciprocal": _reciprocal,
    "power": _power,
    "float_power": _power,
    "minimum": _minimum,
    "maximum": _maximum,
    **dict.fromkeys(["sqrt", "floor", "ceil", "trunc", "rint"], _keeps),
    **dict.fromkeys(["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt"], _keeps),
    "less": _less,
    "less_equal": _less,
    "greater": _difference,
    "greater_equal": _difference,
    **dict.fromkeys(["bitwise_and", "logical_and", "bitwise_or", "logical_or"], _both),
    **dict.fromkeys(["invert", "logical_not"], _turns),
}

_FUNCTIONS: dict[Callable[..., object], Callable[..., np.ndarray]] = {
    np.where: _where,
    np.clip: _clip,
    np.interp: _interp,
    np.searchsorted: _searchsorted,
}
