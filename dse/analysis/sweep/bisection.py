"""Where something changes between two values: by halving, for sweeps and for break-evens alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

__all__ = ["At", "halvings", "is_close", "narrowed"]


class At(Protocol):
    """What is known at a value."""

    @property
    def value(self) -> float:
        """The value."""


T = TypeVar("T", bound=At)


def narrowed(
    low: T,
    high: T,
    probe: Callable[[float], T],
    alike: Callable[[T, T], bool],
    *,
    close: float,
    whole: bool = False,
    geometric: bool = False,
    listener: Callable[[T, T], None] | None = None,
) -> tuple[T, T]:
    """Halve the stretch between two values until a change in it is known well enough.

    Parameters
    ----------
    low, high : object with ``value``
        What is known at both ends; not alike.
    probe : callable
        Finds out what is at a value.
    alike : callable
        Tells whether what is at a value is as it is at `low`: what is not counts as high, so that the first of several
        changes need not be the one that is found.
    close : float
        Width, as a share of the larger value, that ends it; whole numbers end at neighbours.
    whole : bool
        Whether values are whole numbers.
    geometric : bool
        Whether the middle is the geometric one, of positive values.
    listener : callable, optional
        Called with both ends before each halving is done.

    Returns
    -------
    low, high
        The last value as at `low`, and the first that was found not to be; both as `probe` gave them.
    """
    while not is_close(low.value, high.value, close, whole=whole):
        middle = _middle(low.value, high.value, whole=whole, geometric=geometric)
        if not low.value < middle < high.value and not high.value < middle < low.value:
            break
        here = probe(middle)
        if listener is not None:
            listener(low, high)
        low, high = (here, high) if alike(here, low) else (low, here)
    return low, high


def is_close(low: float, high: float, close: float, *, whole: bool = False) -> bool:
    """Tell whether a stretch is narrow enough."""
    width = abs(high - low)
    return width <= 1 if whole else width <= close * max(abs(low), abs(high))


def halvings(low: float, high: float, close: float, *, whole: bool = False) -> int:
    """Return about how many halvings a stretch takes."""
    width = 1.0 if whole else close * max(abs(low), abs(high))
    return max(0, math.ceil(math.log2(abs(high - low) / width)))


def _middle(low: float, high: float, *, whole: bool, geometric: bool) -> float:
    middle = math.sqrt(low) * math.sqrt(high) if geometric else low + (high - low) / 2
    return float(math.floor(middle)) if whole else middle
