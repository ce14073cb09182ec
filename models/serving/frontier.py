"""Frontiers of (rate of a user, rate per device), and the area under them, by which they are compared."""

from __future__ import annotations

import numpy as np

__all__ = ["area_under", "on_frontier"]


def on_frontier(user_rate: np.ndarray, device_rate: np.ndarray) -> np.ndarray:
    """Return the places of the points that no other beats in both rates, by falling rate of a user."""
    order = np.lexsort((-device_rate, -user_rate))
    best = np.maximum.accumulate(np.concatenate([[0.0], device_rate[order]]))
    return order[device_rate[order] > best[:-1]]


def area_under(user_rate: np.ndarray, device_rate: np.ndarray) -> float:
    """Return the area under the frontier of some points, from the origin.

    Points by falling rate of a user: area += (rate per device - best so far) x user rate, where it rises.

    Parameters
    ----------
    user_rate, device_rate : (n,) ndarray of float
        Tokens a second of a user, and of a device.
    """
    places = on_frontier(user_rate, device_rate)
    return float((np.diff(device_rate[places], prepend=0.0) * user_rate[places]).sum())
