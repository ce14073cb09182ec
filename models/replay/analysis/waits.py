"""Waiting times inside calls: late senders, late receivers, late ranks of collectives (Hermanns et al. 2012)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.timing.graph import asking_sends
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import ISEND, RECV

__all__ = ["Waits", "waits_of"]


class Waits(NamedTuple):
    """What ranks wait for one another [s].

    Attributes
    ----------
    late_sender, late_receiver, collective : ndarray, (ranks,)
        Seconds that each rank waits: for a send that has not begun, for a receive that is not posted, for the last
        rank of a collective.
    events : ndarray, (events,)
        The same by event.
    waiting, causing : ndarray of int
        Pairs of ranks, sorted.
    seconds : ndarray
        Of each pair.
    caused : ndarray, (ranks,)
        Seconds that others wait for each rank.
    """

    late_sender: np.ndarray
    late_receiver: np.ndarray
    collective: np.ndarray
    events: np.ndarray
    waiting: np.ndarray
    causing: np.ndarray
    seconds: np.ndarray
    caused: np.ndarray

    @property
    def most(self) -> int | None:
        """The rank that others wait for the longest, if any."""
        return int(np.argmax(self.caused)) if self.caused.max(initial=0.0) > 0.0 else None


def waits_of(trace: Trace, enter: np.ndarray, leave: np.ndarray, overhead: float, eager_limit: float) -> Waits:
    """Return the waiting times of a run.

    Parameters
    ----------
    trace : Trace
    enter, leave : ndarray, (events,)
        Begin and end of each event on one clock [s], replayed or measured.
    overhead : float
        o of a send [s], after which it asks.
    eager_limit : float
        Blocking sends of more bytes wait for their receive [B].

    Notes
    -----
    Late sender: clip(enter of the send - enter of the receive or wait, 0, duration); of a waitall the part that each
    message adds to those before it. Late receiver: clip(post - (enter + o), 0, duration). Collective: latest enter -
    own enter.
    """
    received, of_wait = _late_senders(trace, enter, leave)
    sends = trace.sends[asking_sends(trace, eager_limit)]
    post = enter[trace.partner[sends]]
    late = np.clip(post - (enter[sends] + overhead), 0.0, leave[sends] - enter[sends])
    members = trace.collectives.members
    entered = enter[members]
    latest = entered.argmax(axis=1) if len(members) else np.empty(0, dtype=int)
    met = (entered.max(axis=1, initial=0.0)[:, None] - entered).reshape(-1) if len(members) else np.empty(0)
    parts = (
        (received[0], received[1], of_wait),
        (sends, trace.peer[sends], late),
        (members.reshape(-1), np.repeat(latest, trace.ranks), met),
    )
    of_rank = [np.bincount(trace.rank[events], weights=value, minlength=trace.ranks) for events, _, value in parts]
    events, causes, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    waiting = values > 0.0
    keys, of_key = np.unique(trace.rank[events[waiting]] * trace.ranks + causes[waiting], return_inverse=True)
    return Waits(
        of_rank[0],
        of_rank[1],
        of_rank[2],
        np.bincount(events, weights=values, minlength=trace.events),
        keys // trace.ranks,
        keys % trace.ranks,
        np.bincount(of_key, weights=values[waiting], minlength=len(keys)),
        np.bincount(causes.astype(np.int64), weights=values, minlength=trace.ranks),
    )


def _late_senders(
    trace: Trace, enter: np.ndarray, leave: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return the events that complete a receive, the ranks they wait for, and the seconds."""
    direct = np.flatnonzero(trace.kind == RECV)
    made, closed = trace.requests
    of_receive = trace.kind[made] != ISEND
    made, closed = made[of_receive], closed[of_receive]
    order = np.lexsort((made, closed))
    made, closed = made[order], closed[order]
    posts, ends = np.concatenate([direct, made]), np.concatenate([direct, closed])
    begun = np.clip(enter[trace.partner[posts]], enter[ends], leave[ends])
    before = enter[ends].copy()
    if len(made):
        # Inside a waitall a message adds what it begins later than all before it. Ranks of the values are whole
        # numbers, so that the running maximum of each waitall is exact.
        own = begun[len(direct) :]
        different, rank_of = np.unique(own, return_inverse=True)
        group = np.cumsum(np.append(0, closed[1:] != closed[:-1]))
        running = np.maximum.accumulate(group * len(different) + rank_of)
        so_far = different[running - group * len(different)]
        follows = np.flatnonzero(closed[1:] == closed[:-1])
        before[len(direct) + 1 + follows] = so_far[follows]
    return (ends, trace.peer[posts]), np.maximum(begun - before, 0.0)
