"""Numbers that are given to the functions of this family: floats in their range, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.arguments import read_numbers
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
    allowed = ("above 0" if above else "0 or more") + (", may be infinite" if infinite else ", finite")
    numbers = read_numbers(name, values, f"numbers, {allowed}")
    wrong = ~(numbers > 0.0 if above else numbers >= 0.0) | (np.isinf(numbers) & (not infinite))
    if np.any(wrong):
        raise InputError(f"'{name}' is {shown(numbers[wrong].flat[0])}", allowed=allowed)
    return numbers
