"""Arguments of functions that people call from Python: sequences become arrays, and what cannot be is refused by name.

    optimal_interval = checked(cost=Range(least=0), mean=Range(above=0, infinite=True))(optimum.optimal_interval)

Functions that the engine calls stay as they are: their arguments are within the limits of what is declared.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import numpy as np

from dse.errors import InputError, shown

__all__ = ["Range", "checked", "read_numbers", "refuse_shapes"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Range:
    """What numbers an argument takes: from `least` to `most`, more than `above`; infinite ones where it says so."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    infinite: bool = False

    @property
    def as_text(self) -> str:
        """The range, as an error says it."""
        if self.above is not None:
            words = f"above {self.above:g}"
        else:
            words = "any number" if self.least is None else f"{self.least:g} or more"
        if self.most is not None:
            words += f", at most {self.most:g}"
        return words + (", may be infinite" if self.infinite else ", finite" if self.most is None else "")

    def read(self, name: str, value: object) -> np.ndarray:
        """Return an argument as floats.

        Raises
        ------
        InputError
            No number, or one out of range.
        """
        numbers = read_numbers(name, value, f"numbers, {self.as_text}")
        wrong = np.isnan(numbers) | (np.isinf(numbers) & (not self.infinite))
        if self.least is not None:
            wrong = wrong | (numbers < self.least)
        if self.most is not None:
            wrong = wrong | (numbers > self.most)
        if self.above is not None:
            wrong = wrong | (numbers <= self.above)
        if np.any(wrong):
            raise InputError(f"'{name}' is {shown(numbers[wrong].flat[0])}", allowed=self.as_text)
        return numbers


def read_numbers(name: str, value: object, allowed: str) -> np.ndarray:
    """Return an argument as floats.

    Raises
    ------
    InputError
        Texts (a time is a number of seconds here, not "60 s"), nothing, sequences of different lengths.
    """
    try:
        read = np.asarray(value)
        if read.dtype.kind in "SUb" or (read.dtype.kind == "O" and any(_no_number(entry) for entry in read.flat)):
            raise TypeError
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"'{name}' is {shown(value)}", allowed=allowed) from None


def _no_number(value: object) -> bool:
    return isinstance(value, (str, bytes)) or value is None


def checked(**ranges: Range | tuple[Range, ...] | type) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a function of arrays one that reads its arguments first.

    Parameters
    ----------
    **ranges : Range, tuple of Range, or type
        By name of the argument; several where the argument is a tuple, a class where it is an instance of it. None is
        left as it is where that is the default.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        signature = inspect.signature(function)
        unknown = [name for name in ranges if name not in signature.parameters]
        if unknown:
            raise TypeError(f"{function.__qualname__} has no argument {unknown[0]!r}")

        @functools.wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            given = signature.bind(*args, **kwargs)
            shapes: dict[str, tuple[int, ...]] = {}
            for name, allowed in ranges.items():
                value = given.arguments.get(name)
                if value is None and (name not in given.arguments or signature.parameters[name].default is None):
                    continue
                if isinstance(allowed, type):
                    if not isinstance(value, allowed):
                        raise InputError(f"'{name}' is {shown(value)}", allowed=f"a {allowed.__name__}")
                    continue
                if isinstance(allowed, Range):
                    given.arguments[name] = numbers = allowed.read(name, value)
                    shapes[name] = numbers.shape
                else:
                    if not isinstance(value, (tuple, list)) or len(value) != len(allowed):
                        raise InputError(f"'{name}' is {shown(value)}", allowed=f"{len(allowed)} numbers or arrays")
                    each = [allowed_range.read(f"{name}[{i}]", value[i]) for i, allowed_range in enumerate(allowed)]
                    given.arguments[name] = tuple(each)
                    shapes |= {f"{name}[{i}]": array.shape for i, array in enumerate(each)}
            refuse_shapes(shapes)
            return function(*given.args, **given.kwargs)

        return call

    return decorate


def refuse_shapes(shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse arguments whose shapes do not broadcast, by name."""
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        shapes_text = ", ".join(f"'{name}' has the shape {shape}" for name, shape in shapes.items() if shape)
        raise InputError(shapes_text, allowed="shapes that broadcast") from None
