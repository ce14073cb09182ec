"""Records of a ``.prv``, read block by block into arrays: no line is a Python object of its own."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

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

__all__ = ["Records", "read_records"]

_BLOCK = 1 << 24
_KEPT = np.array(
    [*MPI_TYPES, SENT_SIZE, RECEIVED_SIZE, ROOT, COMMUNICATOR, USER_FUNCTION, REQUEST, EXACT_COMPUTE], dtype=np.int64
)
_EVENT_FIELDS, _STATE_FIELDS, _MESSAGE_FIELDS = 6, 8, 15


@dataclass
class Records:
    """What a trace holds of one application, threads beside the first left out.

    Attributes
    ----------
    task, time, type, value : ndarray
        Of the events that say something here.
    running : ndarray, (runs, 3)
        Task, begin and end of each state "Running".
    messages : ndarray, (messages, 8)
        Sending task, logical and physical time; receiving task, logical and physical time; bytes and tag.
    notes : Counter of str
        What was left out.
    """

    task: np.ndarray
    time: np.ndarray
    type: np.ndarray
    value: np.ndarray
    running: np.ndarray
    messages: np.ndarray
    notes: Counter[str]

    def sort_others(self) -> None:
        """Keep the events that are no begin or end of a call, by task and time."""
        chosen = np.flatnonzero(~np.isin(self.type, MPI_TYPES))
        # The first and the last event of a task say when it begins and ends.
        order = np.lexsort((self.time, self.task))
        edges = np.flatnonzero(np.diff(self.task[order], prepend=-1, append=-1))
        ends = order[np.unique(np.concatenate([edges[:-1], edges[1:] - 1]))] if len(order) else order
        del order
        chosen = np.union1d(chosen, ends)
        chosen = chosen[np.lexsort((self.time[chosen], self.task[chosen]))]
        for name in ("task", "time", "type", "value"):
            setattr(self, name, getattr(self, name)[chosen])


class _Parts:
    def __init__(self) -> None:
        self.events: tuple[list[np.ndarray], ...] = ([], [], [], [])
        self.running: list[np.ndarray] = []
        self.messages: list[np.ndarray] = []
        self.notes: Counter[str] = Counter()
        self.records = 0


def read_records(file: IO[bytes], header: Header) -> Records:
    """Read the records after the first line.

    Raises
    ------
    InputError
        A line that is no record, with its number; a task that the header has not; more than `MOST_EVENTS` records.
    """
    parts = _Parts()
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
    task, time, kind, value = (_joined(column) for column in parts.events)
    return Records(
        task,
        time,
        kind,
        value,
        np.concatenate(parts.running) if parts.running else np.empty((0, 3), dtype=np.int64),
        np.concatenate(parts.messages) if parts.messages else np.empty((0, 8), dtype=np.int64),
        parts.notes,
    )


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
    if first.size:
        parts.running.append(np.stack([values[first + 3] - 1, values[first + 5], values[first + 6]], axis=1))


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
    task = (values[first[line] + 3] - 1).astype(np.int32)
    columns = (task, values[first[line] + 5], kind[kept].astype(np.int32), values[place + 1])
    for column, part in zip(parts.events, columns, strict=True):
        column.append(part)


def _messages(values: np.ndarray, first: np.ndarray, parts: _Parts) -> None:
    first = _first_threads(values, first, parts)
    if not first.size:
        return
    columns = [values[first + place] for place in (3, 5, 6, 9, 11, 12, 13, 14)]
    columns[0], columns[3] = columns[0] - 1, columns[3] - 1
    parts.messages.append(np.stack(columns, axis=1))
