"""The events of a task, made of its calls, messages and other records as arrays: no event is an object of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.dumpi_text import OTHER
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.formats.mpi_calls import WAITS, silent_call
from dse.models.replay.formats.otf2_archive.collective_bytes import bytes_of_arguments
from dse.models.replay.formats.paraver.calls import COMPLETING, POSTING, SENDING, Calls
from dse.models.replay.formats.paraver.event_rows import EventRows, Regions
from dse.models.replay.formats.paraver.labels import (
    COMMUNICATOR,
    EXACT_COMPUTE,
    RECEIVED_SIZE,
    REQUEST,
    ROOT,
    SENT_SIZE,
    USER_FUNCTION,
    Header,
)
from dse.models.replay.formats.paraver.open_sends import completed_by_number, completed_by_rule
from dse.models.replay.formats.paraver.records import Records
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, OPERATIONS, RECV, SEND, WAIT, WAITALL
from dse.models.workload.profile.collective_calls import plain_operation

__all__ = ["CallNames", "Source", "task_events"]

_NOT_BLOCKING = ("MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend")
_GROUP = 1 << 32
_AHEAD = 1 << 40
"""More than there are events: puts some of a step before or behind all others of it."""
_COMPUTED, _FIRST, _POSTED, _COMPLETED, _CLOSED = range(5)
"""Steps of a call, the computing before it the first, and a waitall after the last call the last."""


@dataclass
class CallNames:
    """What each code of a call is, found once for all of them."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        self.not_blocking = np.array([name in _NOT_BLOCKING for name in self.names], dtype=bool)
        self.waits = np.array([name in WAITS for name in self.names], dtype=bool)
        self.waits_for_all = np.array([name == "MPI_Waitall" for name in self.names], dtype=bool)
        plain = [plain_operation(name) if name != "MPI_Exscan" else None for name in self.names]
        self.operation = np.array([NONE if name is None else OPERATIONS.index(name) for name in plain], dtype=np.int8)


@dataclass
class Source:
    """What the tasks of a file have in common.

    Attributes
    ----------
    functions : mapping of int to str
        Names of regions, by the values of the event type "user function".
    notes : Counter of str
        What is told of the whole.
    requests : int
        Requests that were made so far.
    """

    header: Header
    records: Records
    calls: Calls
    functions: Mapping[int, str]
    notes: Counter[str]
    regions: Regions = field(default_factory=Regions)
    requests: int = 0

    def __post_init__(self) -> None:
        self.names = CallNames(self.calls.names)
        types = self.records.others.type
        self.is_exact = bool((types == EXACT_COMPUTE).any())
        self.names_requests = self.is_exact or bool((types == REQUEST).any())


def task_events(source: Source, rank: int) -> dict[str, np.ndarray]:
    """Return the columns of a task's events, in program order."""
    return _Task(source, rank).columns()


class _Task:
    def __init__(self, source: Source, rank: int) -> None:
        self.source, self.rank, self.rows = source, rank, EventRows()
        self.tick = source.header.tick
        calls = source.calls
        own = slice(int(calls.first[rank]), int(calls.first[rank + 1]))
        self.first = own.start
        self.start, self.code = calls.begin[own], calls.code[own]
        says_something = source.records.ends[rank] >= 0
        self.until = int(source.records.ends[rank])
        since = int(source.records.begins[rank]) if says_something else 0
        # Calls that stand for messages outside any may overlap: each begins where the one before it has ended.
        ended = np.maximum.accumulate(np.concatenate([[since], calls.end[own]]))
        self.free = ended
        self.begin, self.end = np.maximum(self.start, ended[:-1]), ended[1:]
        self.count = len(self.start)

    def columns(self) -> dict[str, np.ndarray]:
        busy = self._messages()
        self._quiet_calls(~busy)
        self._computing()
        return self.rows.columns(self.rank, self.begin * self.tick, self.end * self.tick)

    def _records(self, kind: int) -> tuple[np.ndarray, np.ndarray]:
        return self.source.records.others.of_task(self.rank, kind)

    def _messages(self) -> np.ndarray:
        """Add sends, receives and what completes them; return which calls have any of these."""
        source, names = self.source, self.source.names
        table, count = source.records.messages, self.count
        sent, send_call = source.calls.messages_of(SENDING, self.rank)
        posted, post_call = source.calls.messages_of(POSTING, self.rank)
        _, done_call = source.calls.messages_of(COMPLETING, self.rank)
        completed = source.calls.completed[posted] - self.first
        direct = completed == post_call
        sends, posts = (np.bincount(of, minlength=count) for of in (send_call, post_call))
        exchange = (sends == 1) & (posts == 1) & (np.bincount(post_call[direct], minlength=count) == 1)
        is_open = names.not_blocking[self.code[send_call]] & ~exchange[send_call]
        later = ~direct
        both_send, both_receive = exchange[send_call], exchange[post_call]

        # Requests are numbered in the order they are made: call by call, sends before receives.
        made_call = np.concatenate(
            [send_call[is_open], post_call[later], post_call[both_receive], send_call[both_send]]
        )
        made_step = np.repeat([1, 2, 0, 1], [is_open.sum(), later.sum(), both_receive.sum(), both_send.sum()])
        order = np.lexsort((np.arange(len(made_call)), made_step, made_call))
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = source.requests + np.arange(len(order))
        source.requests += len(order)
        bounds = np.cumsum([is_open.sum(), later.sum(), both_receive.sum()])
        of_send, of_receive, of_first, of_second = np.split(numbers, bounds)

        request = np.full(len(sent), NONE, dtype=np.int64)
        request[is_open], request[both_send] = of_send, of_second
        kind = np.where(is_open | both_send, ISEND, SEND)
        self._add(table[sent], send_call, kind, request, to=3, at_begin=both_send, place=both_send.astype(np.int64))
        request = np.full(len(posted), NONE, dtype=np.int64)
        request[later], request[both_receive] = of_receive, of_first
        kind = np.where(direct & ~both_receive, RECV, IRECV)
        step = np.where(both_receive, _FIRST, _POSTED)
        self._add(table[posted], post_call, kind, request, to=0, at_begin=both_receive, step=step)

        busy = (sends > 0) | (posts > 0)
        busy[done_call] = True
        # A receive that ends before its post has nothing to wait for: it stays open, and is refused.
        waited = completed[later] > post_call[later]
        finished = self._sends_completed(send_call[is_open], busy)
        done = finished >= 0
        wait_call = np.concatenate(
            [completed[later][waited], finished[done], post_call[both_receive], send_call[both_send]]
        )
        request = np.concatenate([of_receive[waited], of_send[done], of_first, of_second])
        of_exchange = np.arange(len(request)) >= len(request) - len(of_first) - len(of_second)
        self.rows.add(wait_call, _COMPLETED, request - _AHEAD * of_exchange, WAIT, request=request, spread=True)
        if not done.all():
            now = max(self.until, int(self.free[-1])) * self.tick
            self.rows.add(np.array([count]), _CLOSED, 0, WAITALL, enter=now, leave=now)
            source.notes["a closing waitall was added to ranks with open sends"] += 1
        busy[finished[done]] = True
        return busy

    def _add(
        self,
        table: np.ndarray,
        call: np.ndarray,
        kind: np.ndarray,
        request: np.ndarray,
        *,
        to: int,
        at_begin: np.ndarray,
        place: np.ndarray | int = 0,
        step: np.ndarray | int = _FIRST,
    ) -> None:
        """Add messages; those of an exchange (`at_begin`) take no time, and its waits have it all."""
        order = np.arange(len(call)) + _AHEAD * np.asarray(place)
        enter = np.where(at_begin, self.begin[call] * self.tick, np.nan)
        self.rows.add(
            call,
            step,
            order,
            kind,
            peer=table[:, to],
            held=table[:, 6].astype(float),
            tag=table[:, 7],
            request=request,
            enter=enter,
            leave=enter,
            spread=~at_begin,
        )

    def _sends_completed(self, send_call: np.ndarray, busy: np.ndarray) -> np.ndarray:
        """Return the call that completes each send that does not block, or -1."""
        names = self.source.names
        waits = names.waits[self.code]
        if self.source.names_requests:
            return completed_by_number(send_call, self.start, np.flatnonzero(waits), *self._records(REQUEST))
        for_all = names.waits_for_all[self.code]
        return completed_by_rule(send_call, np.flatnonzero(waits & ~for_all & ~busy), np.flatnonzero(for_all))

    def _quiet_calls(self, quiet: np.ndarray) -> None:
        """Add calls without messages: collective operations, and the time of all others."""
        names, notes = self.source.names, self.source.notes
        operation = names.operation[self.code]
        self._collectives(np.flatnonzero(quiet & (operation != NONE)), operation)
        silent = quiet & (operation == NONE) & (self.end > self.begin)
        if self.source.is_exact:
            silent &= ~names.waits[self.code]
        for code, count in zip(*np.unique(self.code[silent], return_counts=True), strict=True):
            counts, text = silent_call(names.names[int(code)])
            notes[text] += int(count)
            if counts:
                chosen = np.flatnonzero(silent & (self.code == code))
                self._add_computing(
                    chosen, _FIRST, self.begin[chosen], self.end[chosen], self.source.regions.code(OTHER)
                )

    def _add_computing(
        self, call: np.ndarray, step: int, begin: np.ndarray, end: np.ndarray, region: np.ndarray | int
    ) -> None:
        enter, leave = begin * self.tick, end * self.tick
        order = np.arange(len(call))
        self.rows.add(call, step, order, COMPUTE, seconds=leave - enter, enter=enter, leave=leave, region=region)

    def _collectives(self, calls: np.ndarray, operation: np.ndarray) -> None:
        if not len(calls):
            return
        header, start = self.source.header, self.start[calls]
        sent, received, comm, root = (
            self._first_at(kind, start, absent)
            for kind, absent in ((SENT_SIZE, 0), (RECEIVED_SIZE, 0), (COMMUNICATOR, NONE), (ROOT, 0))
        )
        held = np.zeros(len(calls))
        for code in np.unique(operation[calls]).tolist():
            chosen = operation[calls] == code
            held[chosen] = bytes_of_arguments(OPERATIONS[code], sent[chosen], received[chosen])
        of_all = np.zeros(len(calls), dtype=bool)
        for number in np.unique(comm).tolist():
            members = header.communicators.get(number, tuple(range(header.ranks)))
            chosen = np.flatnonzero(comm == number)
            if self.rank not in members:
                raise InputError(
                    f"task {self.rank + 1} is not in communicator {number}", key=f"time {int(start[chosen[0]])}"
                )
            if len(members) == header.ranks:
                of_all[chosen] = True
            elif len(members) > 1:
                self._group(calls[chosen], operation[calls[chosen]], members, held[chosen], root[chosen], number)
        self.rows.add(
            calls[of_all], _FIRST, 0, COLLECTIVE, held=held[of_all], operation=operation[calls[of_all]], spread=True
        )

    def _group(
        self,
        calls: np.ndarray,
        operation: np.ndarray,
        members: tuple[int, ...],
        held: np.ndarray,
        root: np.ndarray,
        number: int,
    ) -> None:
        """Add collective operations of a group, as messages."""
        events, owners = EventColumns(), []
        columns = (calls.tolist(), operation.tolist(), held.tolist(), root.tolist())
        for call, code, size, first in zip(*columns, strict=True):
            name, before = OPERATIONS[code], len(events)
            place = members.index(first - 1) if first - 1 in members else 0
            enter, leave = float(self.begin[call] * self.tick), float(self.end[call] * self.tick)
            events.add_group(self.rank, name, members, size, place, number * _GROUP, enter, leave)
            owners += [call] * (len(events) - before)
            self.source.notes[f"collective operations of groups of ranks, replayed as messages: {name}"] += 1
        made, order = events.arrays(), np.arange(len(owners))
        request = np.where(made["request"] == NONE, NONE, made["request"] + self.source.requests)
        self.source.requests += events.requests
        self.rows.add(
            np.array(owners, dtype=np.int64),
            _FIRST,
            order,
            made["kind"],
            peer=made["peer"],
            held=made["bytes"],
            tag=made["tag"],
            request=request,
            enter=made["enter"],
            leave=made["exit"],
        )

    def _first_at(self, kind: int, times: np.ndarray, absent: int) -> np.ndarray:
        """Return the first value of a type at each time."""
        at, values = self._records(kind)
        place = np.searchsorted(at, times)
        there = place < len(at)
        there[there] = at[place[there]] == times[there]
        first_values = np.full(len(times), absent, dtype=np.int64)
        first_values[there] = values[place[there]]
        return first_values

    def _computing(self) -> None:
        """Add what was computed before each call and after the last."""
        until = np.append(self.begin, max(self.until, int(self.free[-1])))
        if not self.source.is_exact:
            calls = np.flatnonzero(until > self.free)
            begin = self.free[calls]
            self._add_computing(calls, _COMPUTED, begin, until[calls], self._regions_at(begin))
            return
        time, femtoseconds = self._records(EXACT_COMPUTE)
        gap = np.searchsorted(np.maximum(until, self.free + 1)[:-1], time, side="right")
        following = np.append(time[1:], until[-1])
        following = np.where(np.append(gap[1:] == gap[:-1], False) & (following < until[gap]), following, until[gap])
        kept = femtoseconds > 0
        gap, time, following, seconds = gap[kept], time[kept], following[kept], femtoseconds[kept] * 1e-15
        enter = time * self.tick
        leave = np.minimum(following * self.tick, enter + seconds)
        order = np.arange(len(gap))
        regions = self._regions_at(time)
        self.rows.add(gap, _COMPUTED, order, COMPUTE, seconds=seconds, enter=enter, leave=leave, region=regions)

    def _regions_at(self, times: np.ndarray) -> np.ndarray:
        """Return the region a task is in at each time: that of the last user function it noted."""
        at, values = self._records(USER_FUNCTION)
        place = np.searchsorted(at, times, side="right") - 1
        inside = np.where(place >= 0, values[np.maximum(place, 0)] if len(values) else 0, 0)
        numbers, of_number = np.unique(inside, return_inverse=True)
        functions, regions = self.source.functions, self.source.regions
        codes = [
            regions.code(functions.get(number, f"function {number}")) if number else NONE for number in numbers.tolist()
        ]
        return np.array(codes, dtype=np.int32)[of_number] if len(codes) else np.empty(0, dtype=np.int32)
