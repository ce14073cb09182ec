"""The record of calls of a trace with measured times: every event that is no computing is a call.

One-sided kinds keep their target; all others make progress and wait for nobody here. What receives and collectives
wait for is told by `dse.models.replay.analysis.waits`.
"""

from __future__ import annotations

import numpy as np

from dse.errors import InputError
from dse.models.progress.call_record import CallRecord, record_of_rows
from dse.models.replay import Trace
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.kinds import COMPUTE, KINDS, ONE_SIDED

__all__ = ["record_of_trace"]


def record_of_trace(trace: Trace) -> CallRecord:
    """Return the calls of a trace, those of rank 0 first.

    Parameters
    ----------
    trace : Trace
        With enter and exit of every event but computing.

    Raises
    ------
    InputError
        No calls, or one whose times were not measured.
    """
    import pandas as pd

    calls = np.flatnonzero(trace.kind != COMPUTE)
    if not len(calls):
        raise InputError("has no calls", allowed="events that communicate")
    missing = calls[np.isnan(trace.enter[calls]) | np.isnan(trace.exit[calls])]
    if missing.size:
        raise InputError(
            f"{trace.what(int(missing[0]))}: no measured times, and waits for progress are measured",
            key=trace.place(int(missing[0])),
            allowed="enter and exit of every call; dse trace show replays what has none",
        )
    rank, leave = trace.rank[calls], trace.exit[calls]
    # Traces allow for rounding of the clock between two calls; the record does not.
    before = np.where(np.append(False, rank[1:] == rank[:-1]), np.append(-np.inf, leave[:-1]), -np.inf)
    enter = np.minimum(np.maximum(trace.enter[calls], before), leave)
    of_record = np.array([kind if kind in ONE_SIDED else "other" for kind in KINDS], dtype=object)
    peer = trace.peer[calls]
    targeted = np.isin(trace.kind[calls], [KINDS.index(kind) for kind in ONE_SIDED]) & (peer != NONE)
    rows = {
        "rank": rank,
        "enter": enter,
        "exit": leave,
        "kind": of_record[trace.kind[calls]],
        "targets": np.where(targeted, peer.astype(str), ""),
    }
    if trace.regions:
        rows["region"] = np.array([*trace.regions, ""], dtype=object)[trace.region[calls]]
    return record_of_rows(pd.DataFrame(rows))
