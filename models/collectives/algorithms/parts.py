"""What an algorithm takes before energy is priced: its time, messages, bytes and the sends of its busiest process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Parts", "only"]


class Parts(NamedTuple):
    """Arrays that broadcast against each other.

    Attributes
    ----------
    time : ndarray
        When the last process has what it should have [s]; NaN where the algorithm is not defined.
    messages : ndarray
        Of all processes together.
    bytes : ndarray
        Moved over all hops [B].
    sends : ndarray
        Of the process that sends most; a descriptor each when the operation is offloaded.
    """

    time: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray
    sends: np.ndarray


def only(processes: np.ndarray, parts: Parts, where: np.ndarray | bool = True) -> Parts:
    """Return the parts with 0 everywhere for a single process, and NaN where the algorithm is not defined."""
    alone = processes == 1
    masked = [np.where(alone, 0.0, np.where(where, part, np.nan)) for part in parts]
    return Parts(*masked)
