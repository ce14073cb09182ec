"""What may not be looked up: a refusal, or, where the caller allows it, a mark on the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["Extrapolation", "refuse"]


def refuse(what: str, wrong: Any, values: Any, allowed: str) -> None:
    """Raise when any value is wrong.

    Parameters
    ----------
    what : str
        Name of the argument, for the message.
    wrong : array_like of bool
    values : array_like
    allowed : str
        What may stand there.

    Raises
    ------
    InputError
    """
    mask = np.asarray(wrong)
    if mask.any():
        raise InputError(f"{what} = {_first(values, mask)}", allowed=allowed)


def _first(values: Any, mask: np.ndarray) -> str:
    value = np.broadcast_to(np.asarray(values), mask.shape)[mask].flat[0]
    return f"{value:g}" if isinstance(value, (int, float, np.number)) else repr(str(value))


class Extrapolation:
    """Collects where a lookup goes beyond its tables.

    Parameters
    ----------
    allowed : bool
        Whether it may; otherwise the first such place is an `InputError`.

    Attributes
    ----------
    extrapolated : ndarray of bool
        Where.
    reasons : list of str
        Why, each once.
    """

    def __init__(self, allowed: bool) -> None:
        self.allowed = allowed
        self.extrapolated: np.ndarray = np.zeros((), dtype=bool)
        self.reasons: list[str] = []

    def add(self, what: str, wrong: Any, values: Any, allowed: str, reason: str) -> None:
        """Mark, or refuse, the places where `wrong` holds."""
        mask = np.asarray(wrong)
        if not mask.any():
            return
        if not self.allowed:
            hint = f"{allowed} (or allowed=True, which marks the result)"
            raise InputError(f"{what} = {_first(values, mask)}: {reason}", allowed=hint)
        self.extrapolated = self.extrapolated | mask
        if reason not in self.reasons:
            self.reasons.append(reason)

    def of_shape(self, *arrays: Any) -> np.ndarray:
        """Return the marks in the shape the arrays broadcast to."""
        shape = np.broadcast_shapes(self.extrapolated.shape, *(np.shape(array) for array in arrays))
        return np.broadcast_to(self.extrapolated, shape).copy()
