"""Reading what a caller gives: numbers and sequences of them, and refusing what is neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from dse.errors import InputError, shown

__all__ = ["broadcast", "is_sequence", "plain", "read_mapping", "read_numbers", "shown"]


def read_numbers(what: str, value: Any, allowed: str) -> np.ndarray:
    """Return a number, or an array of numbers in any form, as a float array.

    Parameters
    ----------
    what : str
        What it is the value of, for messages.
    value : array_like
    allowed : str
        What it may be, for messages.

    Raises
    ------
    InputError
        Texts (also of digits), dates, complex numbers, None, masked entries, what is no array.
    """
    wrong = value
    if np.ma.is_masked(value):
        raise InputError(f"{what} has masked entries", allowed=allowed)
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return array.astype(float, copy=False)
        if array.dtype.kind == "O":
            strange = [item for item in array.flat if not isinstance(item, (Real, Decimal))]
            wrong = strange[0] if strange else value
            if not strange:
                return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{what} = {_short(wrong)} is not a number", allowed=allowed)


def _short(value: Any) -> str:
    text = str(value) if isinstance(value, int) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def is_sequence(value: Any) -> bool:
    """Return whether it is a sequence of entries in an order, not a text, a set, or a single number."""
    if isinstance(value, (str, bytes, bytearray, Mapping, Set)) or not hasattr(value, "__len__"):
        return False
    return np.ndim(value) > 0 if isinstance(value, (np.ndarray, np.generic)) else True


def read_mapping(what: str, value: Any, allowed: str) -> Mapping[str, Any]:
    """Return a mapping, or say that it is none."""
    if not isinstance(value, Mapping):
        raise InputError(f"{what} = {_short(value)}", allowed=allowed)
    return value


def broadcast(
    what: str, arrays: Mapping[str, Any], allowed: str = "numbers, and arrays of one shape"
) -> tuple[int, ...]:
    """Return the shape that arrays have together.

    Parameters
    ----------
    what : str
        For messages.
    arrays : mapping of str to ndarray, or to a tuple of them
        By name.

    Raises
    ------
    InputError
        They do not broadcast.
    """
    shapes = {name: _shapes(value) for name, value in arrays.items()}
    flat = [shape for several in shapes.values() for shape in several]
    try:
        return np.broadcast_shapes(*flat)
    except ValueError:
        shape_texts = {
            name: list(several) if isinstance(arrays[name], tuple) else several[0]
            for name, several in shapes.items()
            if any(several)
        }
        raise InputError(f"{what} have shapes that do not broadcast: {shape_texts}", allowed=allowed) from None


def _shapes(value: Any) -> Sequence[tuple[int, ...]]:
    return [np.shape(entry) for entry in value] if isinstance(value, tuple) else [np.shape(value)]


def plain(value: Any) -> Any:
    """Return a single number as Python's own."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array
