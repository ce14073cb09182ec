"""Which receive takes which send: the k-th of a source, a destination and a tag meets the k-th (non-overtaking)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dse.errors import InputError
from dse.models.replay.trace.columns import Columns
from dse.models.replay.trace.kinds import IRECV, ISEND, RECV, SEND

__all__ = ["partners_of"]


def partners_of(trace: Columns) -> np.ndarray:
    """Return the receive of each send and the send of each receive, -1 of all other events.

    Raises
    ------
    InputError
        A send or receive that has no partner, with the nearest that has none either.
    """
    sends = trace.sends
    receives = np.flatnonzero((trace.kind == RECV) | (trace.kind == IRECV))
    ends = (trace.rank[sends], trace.peer[sends]), (trace.peer[receives], trace.rank[receives])
    sends, receives = (
        events[np.lexsort((events, trace.tag[events], destination, source))]
        for events, (source, destination) in zip((sends, receives), ends, strict=True)
    )
    fits = len(sends) == len(receives) and all(
        np.array_equal(sent, other)
        for sent, other in (
            (trace.rank[sends], trace.peer[receives]),
            (trace.peer[sends], trace.rank[receives]),
            (trace.tag[sends], trace.tag[receives]),
        )
    )
    if not fits:
        raise _unmatched(trace, sends, receives)
    partners = np.full(trace.events, -1, dtype=np.int64)
    partners[sends], partners[receives] = receives, sends
    return partners


def _triples(trace: Columns, events: np.ndarray, *, receives: bool) -> list[tuple[int, int, int, int]]:
    """Return (source, destination, tag, occurrence) of sorted events."""
    ranks, peers = trace.rank[events].tolist(), trace.peer[events].tolist()
    source, destination = (peers, ranks) if receives else (ranks, peers)
    seen: Counter[tuple[int, int, int]] = Counter()
    triples = []
    for triple in zip(source, destination, trace.tag[events].tolist(), strict=True):
        triples.append((*triple, seen[triple]))
        seen[triple] += 1
    return triples


def _unmatched(trace: Columns, sends: np.ndarray, receives: np.ndarray) -> InputError:
    of_send = dict(zip(_triples(trace, sends, receives=False), sends.tolist(), strict=True))
    of_receive = dict(zip(_triples(trace, receives, receives=True), receives.tolist(), strict=True))
    left = {key: event for key, event in of_send.items() if key not in of_receive}
    over = {key: event for key, event in of_receive.items() if key not in of_send}
    events = [*left.values(), *over.values()]
    first = min(events, key=lambda event: (trace.number(event)[1], event))
    is_send = trace.kind[first] in (SEND, ISEND)
    own = next(key for key, event in (left if is_send else over).items() if event == first)
    others = over if is_send else left
    what = "receive" if is_send else "send"
    allowed = (
        f"a recv or irecv of rank {own[1]} from {own[0]} with tag {own[2]}"
        if is_send
        else f"a send or isend of rank {own[0]} to {own[1]} with tag {own[2]}"
    )
    near = max(others, key=lambda key: sum(a == b for a, b in zip(own, key, strict=True)), default=None)
    if near is not None and sum(a == b for a, b in zip(own[:3], near[:3], strict=True)) > 1:
        allowed += f"; nearest: {trace.words(others[near])}"
    return InputError(f"{trace.what(first)} has no {what}", key=trace.place(first), allowed=allowed)
