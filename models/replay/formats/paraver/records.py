"""Records of a ``.prv``, read block by block into arrays: no line is a Python object of its own."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, NamedTuple

import numpy as np

from dse.errors import InputError, shown
from dse.models.replay.formats.paraver.labels import (
    COMMUNICATOR,
    EXACT_COMPUTE,
    MPI_TYPES,
    RECEIVED_SIZE,
    REQUEST,
    ROOT,
    SENT_SIZE,
    USER_FUNCTION,
    Header,
)
from dse.models.replay.trace.assembling import MOST_EVENTS

__all__ = ["EventTable", "Records", "read_records"]

_BLOCK = 1 << 22
_KEPT = np.array(
    [*MPI_TYPES, SENT_SIZE, RECEIVED_SIZE, ROOT, COMMUNICATOR, USER_FUNCTION, REQUEST, EXACT_COMPUTE], dtype=np.int64
)
_NEVER = 2**62
_EVENT_FIELDS, _STATE_FIELDS, _MESSAGE_FIELDS = 6, 8, 15


class EventTable(NamedTuple):
    """Events of a trace, those of a task in the order of their times.

    Attributes
    ----------
    first : ndarray of int, (ranks + 1,)
        Where those of each task begin.
    time, type, value : ndarray of int
    """

    first: np.ndarray
    time: np.ndarray
    type: np.ndarray
    value: np.ndarray

    def of_task(self, rank: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times and values of a task's events of a type."""
        own = slice(int(self.first[rank]), int(self.first[rank + 1]))
        chosen = self.type[own] == kind
        return self.time[own][chosen], self.value[own][chosen]


@dataclass
class Records:
    """What a trace holds of one application, threads beside the first left out.

    Attributes
    ----------
    calls : EventTable
        Begins and ends of calls of MPI.
    others : EventTable
        What else says something here.
    begins, ends : ndarray of int, (ranks,)
        First and last time of each task; the last is below the first where it says nothing.
    messages : ndarray, (messages, 8)
        Sending task, logical and physical time; receiving task, logical and physical time; bytes and tag.
    notes : Counter of str
        What was left out.
    """

    calls: EventTable
    others: EventTable
    begins: np.ndarray
    ends: np.ndarray
    messages: np.ndarray
    notes: Counter[str]


class _Parts:
    """What is taken from the file, block by block, each value in as few bytes as it needs."""

    def __init__(self, ranks: int) -> None:
        self.calls: tuple[list[np.ndarray], ...] = ([], [], [], [])
        self.others: tuple[list[np.ndarray], ...] = ([], [], [], [])
        self.messages: list[np.ndarray] = []
        self.notes: Counter[str] = Counter()
        self.records = 0
        self.begins = np.full(ranks, _NEVER, dtype=np.int64)
        self.ends = np.full(ranks, -1, dtype=np.int64)

    def span(self, task: np.ndarray, begin: np.ndarray, end: np.ndarray) -> None:
        """Note when tasks say something."""
        np.minimum.at(self.begins, task, begin)
        np.maximum.at(self.ends, task, end)


def read_records(file: IO[bytes], header: Header) -> Records:
    """Read the records after the first line.

    Raises
    ------
    InputError
        A line that is no record, with its number; a task that the header has not; more than `MOST_EVENTS` records.
    """
    parts = _Parts(header.ranks)
    line = 2
    left = b""
    while True:
        block = file.read(_BLOCK)
        data = left + block
        if block:
            end = data.rfind(b"\n") + 1
            left, data = data[end:], data[:end]
        if data.strip():
            line = _take(data, header, parts, line)
        if not block:
            break
    if not parts.records:
        raise InputError("no records", allowed="lines of states (1), events (2) and communications (3)")
    calls, others = (_by_task(columns, header.ranks) for columns in (parts.calls, parts.others))
    messages = np.concatenate(parts.messages) if parts.messages else np.empty((0, 8), dtype=np.int64)
    return Records(calls, others, parts.begins, parts.ends, messages, parts.notes)


def _by_task(columns: tuple[list[np.ndarray], ...], ranks: int) -> EventTable:
    """Return events by task and time; those of one time stay in the order of the file."""
    task, time = _joined(columns[0]), _joined(columns[1])
    # Traces are sorted by time, and numbers of two bytes are sorted without comparing any.
    narrow = task.astype(np.int16) if ranks < 1 << 15 else task
    is_sorted = bool((time[1:] >= time[:-1]).all())
    order = np.argsort(narrow, kind="stable") if is_sorted else np.lexsort((time, task))
    first = np.concatenate([[0], np.cumsum(np.bincount(task, minlength=ranks))]).astype(np.int64)
    del task, narrow
    time = time[order]
    return EventTable(first, time, _joined(columns[2])[order], _joined(columns[3])[order])


def _joined(column: list[np.ndarray]) -> np.ndarray:
    """Return the parts of a column as one, and forget them."""
    whole = np.concatenate(column) if column else np.empty(0, dtype=np.int64)
    column.clear()
    return whole


def _take(data: bytes, header: Header, parts: _Parts, line: int) -> int:
    """Take a block of whole lines; return the number of the line after it."""
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if b"\nc:" in data or data.startswith(b"c:") or b"#" in data or b"\r" in data or b"\n\n" in data:
        data, numbers = _without_words(data, header, line)
        if not data:
            return line + lines
    else:
        numbers = range(line, line + lines)
    data = data if data.endswith(b"\n") else data + b"\n"
    plain = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(plain == 10)
    separators = np.flatnonzero((plain == 58) | (plain == 10))
    allowed = ((plain >= 48) & (plain <= 58)) | (plain == 10) | (plain == 45)
    if not allowed.all():
        wrong = int(np.searchsorted(ends, int(np.argmin(allowed))))
        raise _no_record(data, ends, wrong, numbers)
    values = _numbers(data)
    if len(values) != len(separators):
        raise _no_record(data, ends, _first_wrong(data), numbers)
    last = np.searchsorted(separators, ends)
    first = np.concatenate([[0], last[:-1] + 1])
    count = last - first + 1
    kind = values[first]
    even = (count >= _EVENT_FIELDS + 2) & (count % 2 == 0)
    good = np.where(
        kind == 1, count == _STATE_FIELDS, np.where(kind == 2, even, (kind == 3) & (count == _MESSAGE_FIELDS))
    )
    if not good.all():
        raise _no_record(data, ends, int(np.argmin(good)), numbers)
    parts.records += len(kind)
    if parts.records > MOST_EVENTS:
        raise InputError(f"more than {MOST_EVENTS:,} records", allowed=f"at most {MOST_EVENTS:,}")
    _check_tasks(values, first, kind, header, numbers)
    _states(values, first[kind == 1], parts)
    _events(values, first[kind == 2], count[kind == 2], parts)
    _messages(values, first[kind == 3], parts)
    return line + lines


def _numbers(data: bytes) -> np.ndarray:
    """Return all numbers of a block, or none where one of them is wrong."""
    try:
        return np.fromstring(data.replace(b"\n", b":")[:-1].decode("ascii"), dtype=np.int64, sep=":")
    except (ValueError, OverflowError, DeprecationWarning):
        return np.empty(0, dtype=np.int64)


def _first_wrong(data: bytes) -> int:
    for number, text in enumerate(data.split(b"\n")):
        words = text.split(b":")
        if not all(word.removeprefix(b"-").isdigit() and len(word) < 19 for word in words):
            return number
    return 0


def _without_words(data: bytes, header: Header, line: int) -> tuple[bytes, Sequence[int]]:
    """Take the lines of communicators and comments out of a block; return the numbers of the others, too."""
    kept, numbers = [], array("q")
    for number, text in enumerate(data.split(b"\n")):
        text = text.rstrip(b"\r")
        if text.startswith(b"c:"):
            try:
                _, application, comm, count, *members = (
                    int(word) if word.isdigit() else 0 for word in text.split(b":")
                )
            except ValueError:
                raise InputError(shown(text.decode("utf-8", "replace")), key=f"line {line + number}") from None
            if count != len(members) or any(not 0 < member <= header.ranks for member in members) or application != 1:
                raise InputError(
                    f"communicator {shown(text.decode('utf-8', 'replace')[:80])}",
                    key=f"line {line + number}",
                    allowed=f"c:1:NUMBER:COUNT:TASK:..., tasks 1 to {header.ranks}",
                )
            header.communicators[comm] = tuple(member - 1 for member in members)
        elif text and not text.startswith(b"#"):
            kept.append(text)
            numbers.append(line + number)
    return b"\n".join(kept) + b"\n" if kept else b"", numbers


def _no_record(data: bytes, ends: np.ndarray, number: int, numbers: Sequence[int]) -> InputError:
    begin = int(ends[number - 1]) + 1 if number else 0
    text = data[begin : int(ends[min(number, len(ends) - 1)])].decode("utf-8", "replace")
    return InputError(
        f"{shown(text[:80])} is no record",
        key=f"line {numbers[number]}",
        allowed="1:cpu:appl:task:thread:begin:end:state, 2:...:time:type:value, 3: of 15 numbers; was the file cut?",
    )


def _check_tasks(
    values: np.ndarray, first: np.ndarray, kind: np.ndarray, header: Header, numbers: Sequence[int]
) -> None:
    task = values[first + 3]
    receiver = np.where(kind == 3, values[np.minimum(first + 9, len(values) - 1)], 1)
    wrong = np.flatnonzero((task < 1) | (task > header.ranks) | (receiver < 1) | (receiver > header.ranks))
    if wrong.size:
        number = int(wrong[0])
        named = int(task[number]) if not 1 <= task[number] <= header.ranks else int(receiver[number])
        raise InputError(
            f"task {named}", key=f"line {numbers[number]}", allowed=f"1 to {header.ranks}, as the header says"
        )


def _first_threads(values: np.ndarray, first: np.ndarray, parts: _Parts) -> np.ndarray:
    of_first = values[first + 4] == 1
    if not of_first.all():
        parts.notes["records of threads beside the first were left out"] += int((~of_first).sum())
    return np.asarray(first[of_first])


def _states(values: np.ndarray, first: np.ndarray, parts: _Parts) -> None:
    first = _first_threads(values, first, parts)
    first = first[values[first + 7] == 1]
    parts.span(values[first + 3] - 1, values[first + 5], values[first + 6])


def _events(values: np.ndarray, first: np.ndarray, count: np.ndarray, parts: _Parts) -> None:
    of_first = values[first + 4] == 1
    if not of_first.all():
        parts.notes["records of threads beside the first were left out"] += int((~of_first).sum())
        first, count = first[of_first], count[of_first]
    pairs = (count - _EVENT_FIELDS) // 2
    line = np.repeat(np.arange(len(first)), pairs)
    number = np.arange(len(line)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    place = first[line] + _EVENT_FIELDS + 2 * number
    kind = values[place]
    kept = np.isin(kind, _KEPT)
    unknown = int((~kept).sum())
    if unknown:
        parts.notes["events of types that say nothing here were left out"] += unknown
    line, place = line[kept], place[kept]
    task, time = (values[first[line] + 3] - 1).astype(np.int32), values[first[line] + 5]
    parts.span(task, time, time)
    columns = (task, time, kind[kept].astype(np.int32), values[place + 1])
    is_call = np.isin(columns[2], MPI_TYPES)
    for chosen, into in ((is_call, parts.calls), (~is_call, parts.others)):
        for column, part in zip(into, columns, strict=True):
            column.append(part[chosen])


def _messages(values: np.ndarray, first: np.ndarray, parts: _Parts) -> None:
    first = _first_threads(values, first, parts)
    if not first.size:
        return
    columns = [values[first + place] for place in (3, 5, 6, 9, 11, 12, 13, 14)]
    columns[0], columns[3] = columns[0] - 1, columns[3] - 1
    parts.messages.append(np.stack(columns, axis=1))
