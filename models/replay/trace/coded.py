"""A trace from columns of numbers, as readers of large files fill them: kinds and operations by their codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dse.errors import InputError, refuse_control
from dse.models.replay.trace.assembling import MOST_EVENTS
from dse.models.replay.trace.events import Trace

__all__ = ["trace_of_codes"]


def trace_of_codes(
    columns: dict[str, np.ndarray],
    regions: Sequence[str],
    *,
    ranks: int,
    warnings: Iterable[str] = (),
    metrics: Mapping[str, np.ndarray] | None = None,
    **header: Any,
) -> Trace:
    """Return a checked trace of columns as `EventColumns.arrays` gives them.

    Parameters
    ----------
    columns : dict of str to ndarray
        Emptied, so that no column is held twice.
    regions : sequence of str
        Names of the codes of the column "region".
    ranks : int
        P; each must have an event.
    warnings : iterable of str
    metrics : mapping of str to ndarray, (ranks,), optional
        Counters of each rank.
    **header
        name, source, clock.
    """
    refuse_control(list(regions), key="region")
    refuse_control(header)
    rank = columns.pop("rank")
    if len(rank) > MOST_EVENTS:
        raise InputError(f"{len(rank):,} events", allowed=f"at most {MOST_EVENTS:,}")
    counts = np.bincount(rank, minlength=ranks) if len(rank) else np.zeros(ranks, dtype=int)
    if not len(rank) or not counts.all():
        absent = int(np.argmin(counts != 0)) if len(rank) else 0
        raise InputError(f"rank {absent} has no events", allowed="at least one of each rank")
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    if (rank[1:] < rank[:-1]).any():
        order = np.argsort(rank, kind="stable")
        for name in list(columns):
            columns[name] = columns[name][order]
        del order
    del rank
    return Trace(
        first=first,
        kind=columns.pop("kind"),
        seconds=columns.pop("seconds"),
        peer=columns.pop("peer").astype(np.int64),
        bytes=columns.pop("bytes"),
        tag=columns.pop("tag"),
        request=columns.pop("request"),
        operation=columns.pop("operation"),
        enter=columns.pop("enter"),
        exit=columns.pop("exit"),
        region=columns.pop("region"),
        regions=tuple(regions),
        warnings=tuple(warnings),
        metrics=dict(metrics or {}),
        **header,
    )
