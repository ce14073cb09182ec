"""Which wait completes which send or receive that does not block."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dse.errors import InputError, one_of
from dse.models.replay.trace.columns import Columns
from dse.models.replay.trace.kinds import IRECV, ISEND, WAIT, WAITALL

__all__ = ["Requests", "requests_of"]

_AT_ONCE = 1 << 20
"""Events that are looked at together, at least."""


class Requests(NamedTuple):
    """Requests in the order they were made.

    Attributes
    ----------
    made : ndarray of int
        Events that made them: isend and irecv.
    closed : ndarray of int
        The wait or waitall that completes each.
    """

    made: np.ndarray
    closed: np.ndarray


def requests_of(trace: Columns) -> Requests:
    """Pair every isend and irecv with what completes it.

    A request is completed by the next wait for its number or the next waitall of its rank, whichever comes first.

    Raises
    ------
    InputError
        A number that is open already, a wait for none that is open, a request that is open at the end.
    """
    parts = [_requests_between(trace, begin, end) for begin, end in _parts(trace)]
    if len(parts) == 1:
        return parts[0]
    made, closed = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Requests(made, closed)


def _parts(trace: Columns) -> list[tuple[int, int]]:
    """Return ranges of events, each of whole ranks: what is made of a range is several times as large."""
    ends = trace.first[np.searchsorted(trace.first, np.arange(_AT_ONCE, trace.events, _AT_ONCE), side="right")]
    bounds = np.unique(np.concatenate([[0], ends, [trace.events]])).tolist()
    return list(pairwise(bounds)) or [(0, 0)]


def _requests_between(trace: Columns, begin: int, end: int) -> Requests:
    kind = trace.kind[begin:end]
    concerned = begin + np.flatnonzero((kind == ISEND) | (kind == IRECV) | (kind == WAIT))
    kind = trace.kind
    concerned = concerned[np.lexsort((concerned, trace.request[concerned], trace.rank[concerned]))]
    makes = kind[concerned] != WAIT
    same_as_next = np.zeros(len(concerned), dtype=bool)
    rank, request = trace.rank[concerned], trace.request[concerned]
    same_as_next[:-1] = (rank[1:] == rank[:-1]) & (request[1:] == request[:-1])
    following = np.append(concerned[1:], trace.events)
    next_wait = np.where(same_as_next & ~np.append(makes[1:], True), following, trace.events)
    of_all = _next_waitall(trace, concerned)
    closed = np.minimum(next_wait, of_all)
    _refuse_reused(
        trace, concerned, makes & same_as_next & np.append(makes[1:], False) & (following < of_all), following
    )
    after = np.zeros(len(concerned), dtype=bool)
    after[1:] = same_as_next[:-1] & makes[:-1] & (closed[:-1] == concerned[1:])
    _refuse_unknown(trace, concerned, ~makes & ~after)
    still = makes & (closed == trace.events)
    if still.any():
        event = int(concerned[still].min())
        raise InputError(
            f"request {int(trace.request[event])} ({trace.what(event)}) is open at the end",
            key=trace.place(event),
            allowed=f"a wait for {int(trace.request[event])}, or a waitall, after it",
        )
    made = concerned[makes]
    order = np.argsort(made)
    return Requests(made[order], closed[makes][order])


def _next_waitall(trace: Columns, events: np.ndarray) -> np.ndarray:
    """Return the next waitall of the same rank, or the number of events."""
    waitalls = np.append(np.flatnonzero(trace.kind == WAITALL), trace.events)
    following = waitalls[np.searchsorted(waitalls, events)]
    ends = trace.first[trace.rank[events] + 1]
    return np.where(following < ends, following, trace.events)


def _refuse_reused(trace: Columns, events: np.ndarray, wrong: np.ndarray, following: np.ndarray) -> None:
    if wrong.any():
        position = int(np.flatnonzero(wrong)[np.argmin(following[wrong])])
        first, second = int(events[position]), int(following[position])
        raise InputError(
            f"request {int(trace.request[second])} is open already, from event {trace.number(first)[1]}",
            key=trace.place(second),
            allowed="another number, or a wait between the two",
        )


def _refuse_unknown(trace: Columns, events: np.ndarray, wrong: np.ndarray) -> None:
    if not wrong.any():
        return
    event = int(events[wrong].min())
    rank = trace.number(event)[0]
    open_ones: dict[int, None] = {}
    for other in range(int(trace.first[rank]), event):
        if trace.kind[other] in (ISEND, IRECV):
            open_ones[int(trace.request[other])] = None
        elif trace.kind[other] == WAIT:
            open_ones.pop(int(trace.request[other]), None)
        elif trace.kind[other] == WAITALL:
            open_ones.clear()
    wanted = int(trace.request[event])
    near = min(open_ones, key=lambda number: abs(number - wanted), default=None)
    raise InputError(
        f"wait for request {wanted}, which is not open",
        key=trace.place(event),
        allowed=f"{one_of(map(str, open_ones))}; nearest: {near}" if open_ones else "no wait: no request is open here",
    )
