"""Numbers that are given to the functions of this family: floats in their range, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.errors import InputError, shown

__all__ = ["in_range"]


def in_range(name: str, values: Any, *, above: bool = False, infinite: bool = False) -> np.ndarray:
    """Return numbers as floats.

    Parameters
    ----------
    name : str
        How the message calls them.
    values : array_like
    above : bool
        Whether they must be above 0; else 0 or more.
    infinite : bool
        Whether they may be infinite.

    Raises
    ------
    InputError
        A number out of its range, or none at all.
    """
    numbers = np.asarray(values, dtype=float)
    wrong = ~(numbers > 0.0 if above else numbers >= 0.0) | (np.isinf(numbers) & (not infinite))
    if np.any(wrong):
        allowed = ("above 0" if above else "0 or more") + (", may be infinite" if infinite else ", finite")
        raise InputError(f"'{name}' is {shown(numbers[wrong].flat[0])}", allowed=allowed)
    return numbers
