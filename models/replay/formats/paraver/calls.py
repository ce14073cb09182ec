"""Calls of MPI of each task, and which call sent, posted and completed each message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.paraver.labels import CALLS, Header
from dse.models.replay.formats.paraver.records import Records

__all__ = ["Calls", "calls_of"]

SENDING, POSTING, COMPLETING = range(3)


@dataclass
class Calls:
    """Calls in the order of tasks and times.

    Attributes
    ----------
    first : ndarray of int, (ranks + 1,)
        Where those of each task begin.
    begin, end : ndarray
        In ticks.
    code : ndarray of int
        Index into `names`.
    names : tuple of str
    messages : tuple of (ndarray, ndarray)
        Messages by the call that sends, posts a receive for, and completes them, and where those of each call begin; a
        blocking receive does the last two.
    completed : ndarray of int
        The call that completes each message.
    """

    first: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    code: np.ndarray
    names: tuple[str, ...]
    messages: tuple[tuple[np.ndarray, np.ndarray], ...]
    completed: np.ndarray

    def messages_of(self, what: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the messages that a task sends, posts a receive for, or completes, and the call of each there."""
        order, starts = self.messages[what]
        first, stop = int(self.first[rank]), int(self.first[rank + 1])
        own = starts[first : stop + 1]
        return order[int(own[0]) : int(own[-1])], np.repeat(np.arange(stop - first), np.diff(own))


def calls_of(records: Records, header: Header, names: dict[int, tuple[str, dict[int, str]]]) -> Calls:
    """Pair begins and ends of calls, and find the calls of each message.

    Messages outside any call, as in traces without events of MPI, get calls of their own.

    Raises
    ------
    InputError
        A call that begins inside another, or ends and has not begun, with task and time.
    """
    task, begin, end, code, called = _pairs(records, header, names)
    table = records.messages
    sent, posted, ended = (
        _located(task, begin, end, table[:, of], table[:, at], late)
        for of, at, late in ((0, 1, False), (3, 4, False), (3, 5, True))
    )
    unsent, unreceived = sent < 0, (posted < 0) | (ended < 0)
    count = int(unsent.sum()) + int(unreceived.sum())
    if count:
        made = len(code)
        sent[unsent] = made + np.arange(int(unsent.sum()))
        posted[unreceived] = ended[unreceived] = made + int(unsent.sum()) + np.arange(int(unreceived.sum()))
        task = np.concatenate([task, table[unsent, 0], table[unreceived, 3]])
        begin = np.concatenate([begin, table[unsent, 1], table[unreceived, 4]])
        end = np.concatenate([end, table[unsent, 2], table[unreceived, 5]])
        own = np.repeat([len(called), len(called) + 1], [int(unsent.sum()), int(unreceived.sum())])
        code, called = np.concatenate([code, own.astype(code.dtype)]), (*called, "MPI_Send", "MPI_Recv")
        records.notes["messages outside any call of MPI got calls of their own"] += count
    order = np.lexsort((end, begin, task))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.searchsorted(task[order], np.arange(header.ranks + 1))
    by_call = tuple(_by_call(place[numbers], len(order)) for numbers in (sent, posted, ended))
    return Calls(first, begin[order], end[order], code[order], called, by_call, place[ended].astype(np.int32))


def _by_call(calls: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return messages in the order of their calls, and where those of each call begin."""
    order = np.argsort(calls, kind="stable").astype(np.int32)
    return order, np.searchsorted(calls[order], np.arange(count + 1)).astype(np.int32)


def _pairs(
    records: Records, header: Header, names: dict[int, tuple[str, dict[int, str]]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    starts, time, kind, value = records.calls
    task = np.repeat(np.arange(header.ranks, dtype=np.int32), np.diff(starts))
    begins = value != 0
    wrong = np.flatnonzero(begins != ((np.arange(len(task)) - starts[task]) % 2 == 0))
    if wrong.size:
        place = int(wrong[0])
        what = "a call begins inside another" if begins[place] else "a call ends and has not begun"
        raise InputError(
            f"{what} at {int(time[place])}", key=f"task {int(task[place]) + 1}", allowed="begin, end, begin"
        )
    first = np.flatnonzero(begins)
    has_end = np.zeros(len(first), dtype=bool)
    follows = first + 1 < len(task)
    has_end[follows] = task[first[follows] + 1] == task[first[follows]]
    if not has_end.all():
        place = int(first[np.argmin(has_end)])
        raise InputError(
            f"the call that begins at {int(time[place])} never ends",
            key=f"task {int(task[place]) + 1}",
            allowed="a whole trace",
        )
    numbers, place_of_number = np.unique(value[first], return_inverse=True)
    kinds, place_of_kind = np.unique(kind[first], return_inverse=True)
    codes, code = np.unique(place_of_kind * len(numbers) + place_of_number, return_inverse=True)
    pairs = [(int(kinds[both // len(numbers)]), int(numbers[both % len(numbers)])) for both in codes.tolist()]
    called = tuple(
        names.get(of, ("", {}))[1].get(number) or CALLS.get(number, f"call {number}") for of, number in pairs
    )
    return task[first], time[first], time[first + 1], code.astype(np.int32), called


def _located(
    task: np.ndarray, begin: np.ndarray, end: np.ndarray, of: np.ndarray, at: np.ndarray, late: bool
) -> np.ndarray:
    """Return the call of a task that holds a time, the earlier of two (`late`: times are ends of calls), or -1."""
    located = np.full(len(of), -1, dtype=np.int64)
    ranks = int(task.max(initial=-1)) + 1
    bounds = np.searchsorted(task, np.arange(ranks + 1))
    by_rank = np.argsort(of, kind="stable")
    begun = np.searchsorted(of[by_rank], np.arange(ranks + 1))
    for rank in range(ranks):
        first, stop = int(bounds[rank]), int(bounds[rank + 1])
        rows = by_rank[int(begun[rank]) : int(begun[rank + 1])]
        times = at[rows]
        sides: tuple[Literal["left", "right"], ...] = ("left", "right") if late else ("right", "left")
        place = np.full(len(rows), -1, dtype=np.int64)
        for side in sides:
            guess = np.searchsorted(begin[first:stop], times, side=side) - 1 + first
            fits = (guess >= first) & (place < 0)
            fits[fits] = end[guess[fits]] >= times[fits]
            place[fits] = guess[fits]
        located[rows] = place
    return located
