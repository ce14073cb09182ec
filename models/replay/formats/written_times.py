"""Times of events for formats that have nothing else: as measured, or as replayed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COMPUTE

__all__ = ["EventTimes", "measured_times", "ticks_of"]

_EXACT = 2.0**52


class EventTimes(NamedTuple):
    """When each event begins and ends [s], and whether a computer measured it."""

    enter: np.ndarray
    exit: np.ndarray
    measured: bool


def measured_times(trace: Trace) -> EventTimes:
    """Return the measured times of a trace, from 0.

    Raises
    ------
    InputError
        No times, or computes that last otherwise than their times say: a format of times would lose their seconds.
    """
    if not trace.is_measured:
        raise InputError("no measured times", allowed="a trace with enter and exit, or times of a replay")
    computes = np.flatnonzero(trace.kind == COMPUTE)
    length = trace.exit[computes] - trace.enter[computes]
    span = float(trace.exit.max() - trace.enter.min())
    wrong = np.flatnonzero(np.abs(length - trace.seconds[computes]) > 1e-6 * np.maximum(length, 1e-3 * span))
    if wrong.size:
        event = int(computes[wrong[0]])
        raise InputError(
            f"computes {trace.seconds[event]:.9g} s, and its times are {length[wrong[0]]:.9g} s apart",
            key=trace.place(event),
            allowed="computes as long as their times say: this format holds times alone",
        )
    start = float(trace.enter.min())
    return EventTimes(trace.enter - start, trace.exit - start, True)


def ticks_of(times: EventTimes, most: int = 10**18) -> tuple[int, np.ndarray, np.ndarray]:
    """Return ticks a second, a power of ten so fine that nothing of a double is lost, and the ticks of all times."""
    span = max(float(times.exit.max(initial=0.0)), 1e-12)
    resolution = 1
    while resolution * 10 <= most and span * resolution * 10 < _EXACT:
        resolution *= 10
    return (
        resolution,
        np.rint(times.enter * resolution).astype(np.int64),
        np.rint(times.exit * resolution).astype(np.int64),
    )
