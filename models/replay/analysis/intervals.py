"""A run in twenty windows: is its traffic uniform in time and space? After Anghel 2017, Section 2.5, Fig. 2.7."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.replay.network.traffic import spread_of
from dse.models.replay.trace.events import Trace

__all__ = ["LIKE_UNIFORM", "Intervals", "intervals_of"]

LIKE_UNIFORM = 0.2
"""Largest relative deviation of a window that is like uniform."""


class Intervals(NamedTuple):
    """Traffic of equal windows of the run, each value an array over the windows; NaN where nothing is sent.

    Attributes
    ----------
    begin : ndarray
        Of each window [s].
    active_share : ndarray
        Share of the ordered pairs of ranks that communicate.
    mean_bytes, bytes_deviation : ndarray
        Bytes of an active pair, and their standard deviation over the mean.
    mean_size, size_deviation : ndarray
        Mean message size of an active pair [B], and its standard deviation over the mean.
    messages : ndarray
    like_uniform : ndarray of bool
        All pairs are active, and both deviations below `LIKE_UNIFORM`.
    all_active_share, even_sizes_share, like_uniform_share : float
        Shares of the windows where all pairs are active, where sizes do not vary, that are like uniform.
    """

    begin: np.ndarray
    active_share: np.ndarray
    mean_bytes: np.ndarray
    bytes_deviation: np.ndarray
    mean_size: np.ndarray
    size_deviation: np.ndarray
    messages: np.ndarray
    like_uniform: np.ndarray
    all_active_share: float
    even_sizes_share: float
    like_uniform_share: float


def intervals_of(trace: Trace, entered: np.ndarray, time: float, count: int = 20) -> Intervals:
    """Return the traffic of a run by windows.

    Parameters
    ----------
    trace : Trace
    entered : ndarray, (events,)
        When each event begins [s]; a message belongs to the window ``min(n - 1, floor(n t / T))`` of its send.
    time : float
        T of the run [s].
    count : int
        Windows, n.
    """
    if count < 1:
        raise InputError(f"{count} windows", key="count", allowed="at least 1")
    sends = trace.sends
    pairs = trace.ranks * (trace.ranks - 1)
    begun = entered[sends]
    places = np.floor(count * (begun / time)) if time > 0.0 else np.zeros(len(sends))
    window = np.clip(places, 0, count - 1).astype(np.int64)
    keys, of_key = np.unique(
        (window * trace.ranks + trace.rank[sends]) * trace.ranks + trace.peer[sends], return_inverse=True
    )
    held = np.bincount(of_key, weights=trace.bytes[sends], minlength=len(keys))
    number = np.bincount(of_key, minlength=len(keys)).astype(float)
    of_window = keys // trace.ranks**2
    figures = np.full((4, count), np.nan)
    active, messages = np.zeros(count), np.zeros(count)
    for number_of_window in np.unique(of_window):
        rows = of_window == number_of_window
        volumes, sizes = spread_of(held[rows]), spread_of(held[rows] / number[rows])
        figures[:, number_of_window] = volumes.mean, volumes.relative_deviation, sizes.mean, sizes.relative_deviation
        active[number_of_window], messages[number_of_window] = rows.sum() / pairs, number[rows].sum()
    all_active = active == 1.0
    even = figures[3] < LIKE_UNIFORM
    like = all_active & even & (figures[1] < LIKE_UNIFORM)
    return Intervals(
        np.arange(count) * (time / count),
        active,
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        messages,
        like,
        float(all_active.mean()),
        float(even.mean()),
        float(like.mean()),
    )
