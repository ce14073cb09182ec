"""Degrees: by which power of a positive factor the result of an unchanged model function grows.

A `Degree` stands for any value x f^p with f > 0 not known. Where every operation on the way keeps that form, designs
compare the same for every f, so f decides nothing. What does not keep it raises `TypeError`. A logarithm of one is
`Logarithm`, log x + p log f: sums of them with fixed weights keep that form, and their exponential is a power again, as
in a geometric mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from dse.arithmetic.duck_array import Operand, StandIn

__all__ = ["Degree", "Logarithm"]


class Degree(StandIn):
    """A value that grows as the power `degree` of a positive factor; of degree 0 it is free of it."""

    __slots__ = ("degree",)
    one, several = "a degree", "degrees"

    def __init__(self, degree: float) -> None:
        self.degree = degree

    def __repr__(self) -> str:
        return f"Degree({self.degree})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""
        return ()

    def astype(self, kind: object) -> Degree:
        """Convert to whole numbers, which only what is free of the factor keeps its degree in, or to floats."""
        return self if np.dtype(kind) == np.dtype(float) else _free("astype", self)  # type: ignore[call-overload]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Degree | Logarithm:
        """Answer for a ufunc."""
        name = ufunc.__name__
        Degree.check_ufunc(name, method, kwargs)
        if any(isinstance(value, Logarithm) for value in inputs):
            return NotImplemented  # type: ignore[no-any-return]
        if name == "log":
            (power,) = (_degree(value) or 0.0 for value in inputs)
            return Logarithm(power) if power else Degree(0.0)
        if name in _RULES:
            return _RULES[name](*inputs)
        return _free(name, *inputs)

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> Degree:
        """Answer for np.where and the like."""
        if kwargs or function not in (np.where, np.clip, np.interp, np.searchsorted):
            Degree.refuse_function(function.__name__)
        if function is np.where:
            _free("where", args[0])
            return _alike("where", *args[1:])
        if function is np.clip:
            return _alike("clip", *args)
        return _free(function.__name__, *(arg for arg in args if isinstance(arg, Degree)))


class Logarithm(StandIn):
    """The logarithm of a value that grows as the power `slope` of a positive factor, not 0."""

    __slots__ = ("slope",)
    one, several = "a logarithm of a degree", "logarithms of degrees"

    def __init__(self, slope: float) -> None:
        self.slope = slope

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""
        return ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Degree | Logarithm:
        """Answer for sums, fixed weights, and the way back by np.exp."""
        name = ufunc.__name__
        Logarithm.check_ufunc(name, method, kwargs)
        if name == "exp":
            return Degree(self.slope)
        if name in ("add", "subtract"):
            left, right = (_slope(name, value) for value in inputs)
            return _with_slope(left + right if name == "add" else left - right)
        if name in ("negative", "positive"):
            return _with_slope(-self.slope if name == "negative" else self.slope)
        if name in ("multiply", "divide", "true_divide"):
            value, weight = inputs if isinstance(inputs[0], Logarithm) else inputs[::-1]
            turned = name != "multiply" and not isinstance(inputs[0], Logarithm)
            if turned or isinstance(weight, StandIn) or np.asarray(weight).size != 1 or not np.any(weight):
                _lost(name)
            share = float(np.asarray(weight).reshape(-1)[0])
            return _with_slope(_slope(name, value) * (share if name == "multiply" else 1.0 / share))
        _lost(name)

    def __array_function__(
        self, function: Callable[..., object], types: object, args: tuple[Operand, ...], kwargs: dict[str, str]
    ) -> NoReturn:
        """Answer for no function: a choice of logarithms may be one of different slopes."""
        _lost(function.__name__)


def _slope(name: str, value: Operand) -> float:
    """Return the slope of a term: 0 of what is free of the factor."""
    if isinstance(value, Logarithm):
        return value.slope
    if _degree(value):
        _lost(name)
    return 0.0


def _with_slope(slope: float) -> Degree | Logarithm:
    return Logarithm(slope) if slope else Degree(0.0)


def _lost(name: str) -> NoReturn:
    raise TypeError(f"np.{name} does not keep a power of the factor")


def _degree(value: Operand) -> float | None:
    """Return the degree of a value; None of zeros, which have every degree."""
    if isinstance(value, Degree):
        return value.degree
    return 0.0 if np.any(np.asarray(value)) else None


def _alike(name: str, *values: Operand) -> Degree:
    """Return the degree that values share, which sums, extremes and choices of them have too."""
    degrees = {degree for value in values if (degree := _degree(value)) is not None}
    if len(degrees) > 1:
        _lost(name)
    return Degree(degrees.pop() if degrees else 0.0)


def _free(name: str, *values: Operand) -> Degree:
    if any(_degree(value) for value in values):
        _lost(name)
    return Degree(0.0)


def _compared(name: str) -> Callable[..., Degree]:
    def rule(x: Operand, y: Operand) -> Degree:
        _alike(name, x, y)
        return Degree(0.0)

    return rule


def _power(x: Operand, y: Operand) -> Degree:
    base = _degree(x) or 0.0
    if base == 0.0:
        return _free("power", y)
    if isinstance(y, StandIn) or np.asarray(y).size != 1:
        _lost("power")
    return Degree(base * float(np.asarray(y).reshape(-1)[0]))


def _root(share: float) -> Callable[[Operand], Degree]:
    return lambda x: Degree((_degree(x) or 0.0) * share)


_RULES: dict[str, Callable[..., Degree]] = {
    "multiply": lambda x, y: Degree((_degree(x) or 0.0) + (_degree(y) or 0.0)),
    "divide": lambda x, y: Degree((_degree(x) or 0.0) - (_degree(y) or 0.0)),
    "true_divide": lambda x, y: Degree((_degree(x) or 0.0) - (_degree(y) or 0.0)),
    "square": _root(2.0),
    "sqrt": _root(0.5),
    "cbrt": _root(1.0 / 3.0),
    "reciprocal": _root(-1.0),
    "negative": _root(1.0),
    "positive": _root(1.0),
    "absolute": _root(1.0),
    "fabs": _root(1.0),
    "power": _power,
    "float_power": _power,
    "remainder": lambda x, y: _alike("remainder", x, y),
    "floor_divide": _compared("floor_divide"),
    **{name: (lambda *values, name=name: _alike(name, *values)) for name in ("add", "subtract", "minimum", "maximum")},
    **{
        name: _compared(name)
        for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "floor_divide")
    },
}
