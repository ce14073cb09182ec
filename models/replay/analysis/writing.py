"""Writing a trace in any format: those made of times get the measured ones, or those of a replay."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from dse.models.replay.formats import files
from dse.models.replay.formats.written_times import EventTimes
from dse.models.replay.network.network import Network
from dse.models.replay.timing.modes import replay
from dse.models.replay.trace.events import Trace

__all__ = ["replayed_times", "write_trace"]

_NO_NETWORK = Network(1e-7, 1e-7, np.inf, eager_limit=np.inf, collectives="simple")


def replayed_times(trace: Trace, network: Network) -> EventTimes:
    """Return when each event of a trace begins and ends on a network: each begins where the one before it ends."""
    end = replay(trace, network).completion
    assert end is not None
    begin = np.empty_like(end)
    begin[1:] = end[:-1]
    begin[trace.first[:-1]] = 0.0
    return EventTimes(begin, end, False)


def write_trace(trace: Trace, path: str | os.PathLike[str], *, network: Network | None = None) -> Path:
    """Write a trace as its name ends.

    Parameters
    ----------
    trace : Trace
    path : path
        ``.csv``, ``.csv.gz``, ``.parquet``, ``.otf2``, ``.prv``, or ``.ti``, ``.txt`` or ``.trace`` for SimGrid's text.
    network : Network, optional
        For OTF2 and Paraver, which hold times: write those of a replay on it. Without it, the measured times; where
        there are none, those of a replay with 0.1 us of latency and overhead and infinite bandwidth, so that no two
        events of a rank have one time.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        Another ending, a file that cannot be written, or events that the format has no words for.
    """
    times = None
    if files.is_made_of_times(path) and (network is not None or not trace.is_measured):
        times = replayed_times(trace, network if network is not None else _NO_NETWORK)
    return files.write_trace(trace, path, times)
