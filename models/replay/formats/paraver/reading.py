"""Reading a Paraver trace: ``.prv``, and the names of the ``.pcf`` beside it."""

from __future__ import annotations

import gzip
import zlib
from collections import deque
from pathlib import Path
from typing import IO, cast

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.clocks import with_causal_clocks
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.formats.mpi_calls import WAITS, add_silent
from dse.models.replay.formats.otf2_archive.collective_bytes import bytes_of_transfers
from dse.models.replay.formats.paraver.calls import COMPLETING, POSTING, SENDING, Calls, calls_of
from dse.models.replay.formats.paraver.labels import (
    COMMUNICATOR,
    EXACT_COMPUTE,
    RECEIVED_SIZE,
    REQUEST,
    ROOT,
    SENT_SIZE,
    USER_FUNCTION,
    Header,
    header_of,
    names_of,
)
from dse.models.replay.formats.paraver.records import Records, read_records
from dse.models.replay.trace.coded import trace_of_codes
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import IRECV, ISEND, RECV, SEND, WAIT, WAITALL
from dse.models.workload.profile.collective_calls import plain_operation

__all__ = ["is_paraver", "read_paraver"]

_NOT_BLOCKING = ("MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend")
_GROUP = 1 << 32
_LARGEST_NAMES = 1 << 24


def is_paraver(data: bytes) -> bool:
    """Return whether a file begins as a trace of Paraver does."""
    return data.startswith(b"#Paraver ")


def read_paraver(path: Path, *, named: str = "") -> Trace:
    """Read a trace of one application, a rank for each task.

    Parameters
    ----------
    path : Path
        ``.prv`` or ``.prv.gz``; names of calls, regions and types are those of the ``.pcf`` beside it, or Extrae's.
    named : str

    Returns
    -------
    Trace
        With measured times: computing between calls of MPI, messages by their records, collectives by their sizes.

    Raises
    ------
    InputError
        No header, a line that is no record, a call that never ends, a task that says nothing.

    Notes
    -----
    Paraver has no record of when a send that does not block completes: a `MPI_Waitall` completes all that are open, a
    `MPI_Wait` in which no receive completes the oldest. Traces that dse wrote name the request.
    """
    try:
        with _opened(path) as file:
            header = header_of(file.readline(1 << 24).decode("utf-8", "replace"))
            records = read_records(file, header)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"is cut, or not compressed: {error}") from None
    names = _names_beside(path)
    calls = calls_of(records, header, names)
    records.sort_others()
    events = EventColumns()
    for rank in range(header.ranks):
        _Task(rank, header, records, calls, names, events).build()
    notes, ranks, tick = records.notes, header.ranks, header.tick
    del records, calls  # as large as what was made of them
    trace = trace_of_codes(
        events.arrays(),
        list(events.regions),
        ranks=ranks,
        warnings=[text if count == 1 else f"{text} ({count:,})" for text, count in sorted(notes.items())],
        name=named,
        source="Paraver",
        clock="of the trace, " + ("ns" if tick < 1e-6 else "µs"),
    )
    return with_causal_clocks(trace, tick).checked()


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix.casefold() == ".gz" else path.open("rb")


def _names_beside(path: Path) -> dict[int, tuple[str, dict[int, str]]]:
    beside = path.with_name(path.name.removesuffix(".gz")).with_suffix(".pcf")
    if not beside.is_file() or beside.stat().st_size > _LARGEST_NAMES:
        return {}
    return names_of(beside.read_text(encoding="utf-8", errors="replace"))


class _Task:
    def __init__(
        self,
        rank: int,
        header: Header,
        records: Records,
        calls: Calls,
        names: dict[int, tuple[str, dict[int, str]]],
        events: EventColumns,
    ) -> None:
        self.rank, self.header, self.records, self.calls, self.events = rank, header, records, calls, events
        self.functions = names.get(USER_FUNCTION, ("", {}))[1]
        own = np.arange(*np.searchsorted(records.task, [rank, rank + 1]))
        self.at: dict[int, dict[int, list[int]]] = {}
        for kind in (SENT_SIZE, RECEIVED_SIZE, ROOT, COMMUNICATOR, REQUEST):
            chosen = own[records.type[own] == kind]
            values: dict[int, list[int]] = {}
            for time, value in zip(records.time[chosen].tolist(), records.value[chosen].tolist(), strict=True):
                values.setdefault(time, []).append(value)
            self.at[kind] = values
        self.exact = deque(self._pairs(own, EXACT_COMPUTE))
        self.is_exact = bool((records.type == EXACT_COMPUTE).any())
        self.regions = deque(self._pairs(own, USER_FUNCTION))
        self.region = 0
        running = records.running[records.running[:, 0] == rank]
        times = records.time[own]
        first, most = 2**62, -1
        self.last = min(int(times.min(initial=first)), int(running[:, 1].min(initial=first)))
        self.last = 0 if self.last == first else self.last
        self.until = max(int(times.max(initial=most)), int(running[:, 2].max(initial=most)))
        self.open: deque[tuple[int, int]] = deque()  # sends: request of the file, number

    def _pairs(self, own: np.ndarray, kind: int) -> list[tuple[int, int]]:
        chosen = own[self.records.type[own] == kind]
        return list(zip(self.records.time[chosen].tolist(), self.records.value[chosen].tolist(), strict=True))

    def seconds(self, ticks: int) -> float:
        return ticks * self.header.tick

    def build(self) -> None:
        first, stop = int(self.calls.first[self.rank]), int(self.calls.first[self.rank + 1])
        numbers: dict[int, int] = {}
        for call in range(first, stop):
            begin, end = max(int(self.calls.begin[call]), self.last), max(int(self.calls.end[call]), self.last)
            self._computed(begin)
            self._call(call, begin, end, numbers)
            self.last = end
        self._computed(max(self.until, self.last))
        if self.open:
            now = self.seconds(self.last)
            self.events.add(self.rank, WAITALL, now, now)
            self.records.notes["a closing waitall was added to ranks with open sends"] += 1

    def _computed(self, until: int) -> None:
        """Add what was computed since the last call."""
        begin = self.last
        if self.is_exact:
            while self.exact and self.exact[0][0] < max(until, begin + 1):
                time, length = self.exact.popleft()
                self._region_at(time)
                following = self.exact[0][0] if self.exact and self.exact[0][0] < until else until
                self._add_exact(time, following, length * 1e-15)
        elif until > begin:
            self._region_at(begin)
            self.events.add_compute(self.rank, self.seconds(begin), self.seconds(until), self._region())
        self.last = max(until, begin)

    def _add_exact(self, begin: int, end: int, seconds: float) -> None:
        if seconds > 0.0:
            place = len(self.events)
            self.events.add_compute(self.rank, self.seconds(begin), self.seconds(max(end, begin + 1)), self._region())
            self.events.columns["seconds"][place] = seconds
            self.events.columns["exit"][place] = min(self.seconds(end), self.seconds(begin) + seconds)

    def _region_at(self, time: int) -> None:
        while self.regions and self.regions[0][0] <= time:
            self.region = self.regions.popleft()[1]

    def _region(self) -> int:
        name = self.functions.get(self.region, f"function {self.region}") if self.region else ""
        return self.events.region(name) if name else NONE

    def _call(self, call: int, begin: int, end: int, numbers: dict[int, int]) -> None:
        name, start = self.calls.name(call), int(self.calls.begin[call])
        sends, posts, ends = (self.calls.messages_of(of, call) for of in (SENDING, POSTING, COMPLETING))
        enter, leave = self.seconds(begin), self.seconds(end)
        operation = plain_operation(name) if name != "MPI_Exscan" else None
        requests = self.at[REQUEST].get(start, [])
        rows: list[tuple[int, int, int, int, int]] = []
        direct = [message for message in ends if message in posts]
        table = self.records.messages
        if len(sends) == 1 and len(direct) == 1 and len(posts) == 1:
            sent, got = table[sends[0]], table[direct[0]]
            self.events.add_exchange(
                self.rank,
                (int(got[0]), int(got[7]), float(got[6])),
                (int(sent[3]), int(sent[7]), float(sent[6])),
                enter,
                leave,
            )
            return
        for message in sends:
            peer, held, tag = (int(table[message, place]) for place in (3, 6, 7))
            number = NONE
            if name in _NOT_BLOCKING:
                number = self.events.request()
                self.open.append((requests[0] if requests else NONE, number))
            rows.append((SEND if number == NONE else ISEND, peer, held, tag, number))
        for message in posts:
            peer, held, tag = (int(table[message, place]) for place in (0, 6, 7))
            if message in direct:
                rows.append((RECV, peer, held, tag, NONE))
            else:
                numbers[message] = self.events.request()
                rows.append((IRECV, peer, held, tag, numbers[message]))
        completed = sorted(numbers.pop(message) for message in ends if message in numbers)
        completed += self._sends_done(name, requests, bool(completed) or bool(sends) or bool(posts))
        rows += [(WAIT, NONE, 0, 0, number) for number in sorted(completed)]
        if rows:
            for place, (kind, peer, held, tag, number) in enumerate(rows):
                begun = leave if place else enter
                self.events.add(self.rank, kind, begun, leave, peer=peer, held=float(held), tag=tag, request=number)
        elif operation is not None:
            self._collective(operation, start, enter, leave)
        elif not (self.is_exact and name in WAITS):
            add_silent(self.events, self.rank, name, enter, leave, self.records.notes)

    def _sends_done(self, name: str, requests: list[int], busy: bool) -> list[int]:
        """Return the sends a wait completes: those it names, all of a waitall, else the oldest of an empty wait."""
        if name not in WAITS or not self.open:
            return []
        if self.is_exact or requests:
            done = [number for request, number in self.open if request in requests]
            self.open = deque(pair for pair in self.open if pair[1] not in done)
            return done
        if name == "MPI_Waitall":
            done = [number for _, number in self.open]
            self.open.clear()
            return done
        return [] if busy else [self.open.popleft()[1]]

    def _collective(self, operation: str, start: int, enter: float, leave: float) -> None:
        sent, received = (sum(self.at[kind].get(start, [0])[:1]) for kind in (SENT_SIZE, RECEIVED_SIZE))
        comm = self.at[COMMUNICATOR].get(start, [NONE])[0]
        members = self.header.communicators.get(comm, tuple(range(self.header.ranks)))
        if self.rank not in members:
            raise InputError(f"task {self.rank + 1} is not in communicator {comm}", key=f"time {start}")
        if len(members) < 2 <= self.header.ranks:
            return
        held = bytes_of_transfers(operation, len(members), sent, received, False)
        if len(members) == self.header.ranks:
            self.events.add_collective(self.rank, operation, held, enter, leave)
            return
        self.records.notes[f"collective operations of groups of ranks, replayed as messages: {operation}"] += 1
        root = self.at[ROOT].get(start, [0])[0]
        place = members.index(root - 1) if root - 1 in members else 0
        self.events.add_group(self.rank, operation, members, held, place, comm * _GROUP, enter, leave)
