"""The n-th collective operation of every rank is one operation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.replay.trace.columns import Columns
from dse.models.replay.trace.kinds import COLLECTIVE, OPERATIONS, of_differing_blocks
from dse.units import with_unit

__all__ = ["Collectives", "collectives_of"]


class Collectives(NamedTuple):
    """Collective operations in order.

    Attributes
    ----------
    members : ndarray of int, (operations, ranks)
        The event of each rank.
    operation : ndarray of int
        Index into `OPERATIONS`.
    bytes : ndarray
        s of the largest rank [B].
    """

    members: np.ndarray
    operation: np.ndarray
    bytes: np.ndarray


def collectives_of(trace: Columns) -> Collectives:
    """Line up the collective operations of the ranks.

    Raises
    ------
    InputError
        Ranks that disagree on the n-th: the operation, or its bytes where they must agree.
    """
    events = np.flatnonzero(trace.kind == COLLECTIVE)
    count = np.bincount(trace.rank[events], minlength=trace.ranks)
    least = int(count.min(initial=len(events))) if trace.ranks else 0
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    members = events[start[None, :] + np.arange(least)[:, None]] if least else np.empty((0, trace.ranks), dtype=int)
    operation = trace.operation[members]
    _refuse_other_operations(trace, members, operation)
    if (count != least).any():
        _refuse_other_counts(trace, events, start, count, least)
    held = trace.bytes[members]
    differing = np.array([of_differing_blocks(name) or name == "barrier" for name in OPERATIONS])
    which = operation[:, 0] if least else np.empty(0, dtype=int)
    _refuse_other_bytes(trace, members, held, ~differing[which])
    most = held.max(axis=1, initial=0.0)
    return Collectives(members, which, np.where(which == OPERATIONS.index("barrier"), 0.0, most))


def _refuse_other_operations(trace: Columns, members: np.ndarray, operation: np.ndarray) -> None:
    wrong = operation != operation[:, :1]
    if wrong.any():
        number, rank = (int(index[0]) for index in np.nonzero(wrong))
        event, other = int(members[number, rank]), int(members[number, 0])
        raise InputError(
            f"collective {number} is {OPERATIONS[trace.operation[event]]}, and that of rank 0 "
            f"(event {trace.number(other)[1]}) is {OPERATIONS[trace.operation[other]]}",
            key=trace.place(event),
            allowed=f"the same on all ranks; nearest: {OPERATIONS[trace.operation[other]]}",
        )


def _refuse_other_counts(trace: Columns, events: np.ndarray, start: np.ndarray, count: np.ndarray, least: int) -> None:
    rank, few = int(np.argmax(count)), int(np.argmin(count))
    event = int(events[start[rank] + least])
    raise InputError(
        f"collective {least} is {OPERATIONS[trace.operation[event]]}, and rank {few} has {int(count[few])} in all",
        key=trace.place(event),
        allowed=f"as many on all ranks; nearest: {OPERATIONS[trace.operation[event]]} at the end of rank {few}",
    )


def _refuse_other_bytes(trace: Columns, members: np.ndarray, held: np.ndarray, must_agree: np.ndarray) -> None:
    wrong = (held != held[:, :1]) & must_agree[:, None]
    if wrong.any():
        number, rank = (int(index[0]) for index in np.nonzero(wrong))
        event, other = int(members[number, rank]), int(members[number, 0])
        raise InputError(
            f"{OPERATIONS[trace.operation[event]]} of {with_unit(float(held[number, rank]), 'B')}, and of "
            f"{with_unit(float(held[number, 0]), 'B')} on rank 0 (event {trace.number(other)[1]})",
            key=trace.place(event),
            allowed=f"the same bytes on all ranks; nearest: {with_unit(float(held[number, 0]), 'B')}",
        )
