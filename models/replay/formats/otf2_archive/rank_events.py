"""The events of one location of an archive, made into the events of a rank.

What passes between two calls of MPI is computing, by the region it passes in; what happens inside a call (a message,
the completion of a request, a collective operation) is the event, and the call gives its times. A call without any such
record counts as computing of the region `other communication`; calls that set up or end the run count nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from dse.errors import InputError
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.formats.mpi_calls import WAITS, add_silent
from dse.models.replay.formats.otf2_archive.collective_bytes import bytes_of_transfers
from dse.models.replay.formats.otf2_archive.definitions import Communicator, Definitions
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.kinds import COLLECTIVE, IRECV, ISEND, KINDS, RECV, SEND, WAIT, WAITALL
from dse.models.workload.profile.collective_calls import plain_operation

__all__ = ["COMPUTING", "NOT_RECORDED", "RankEvents"]

COMPUTING = "(computing)"
"""The region of computes of no region, where dse wrote the archive."""

NOT_RECORDED = "(not recorded)"
"""The region of time of which a trace says nothing; it is no computing."""

_RECORDERS_OWN = frozenset({"EZTrace finalize", "TRACE BUFFER FLUSH", "MEASUREMENT OFF"})
_COMM_TAG = 1 << 32


class _Record(NamedTuple):
    kind: int
    peer: int = NONE
    bytes: float = 0.0
    tag: int = 0
    request: int = NONE
    operation: str = ""
    members: tuple[int, ...] = ()
    root: int = 0


class RankEvents:
    """Takes the records of one location in their order.

    Parameters
    ----------
    rank : int
    events : EventColumns
        Where its events go.
    definitions : Definitions
    transfers : bool
        As of `dse.models.replay.formats.otf2_archive.collective_bytes.counts_transfers`.
    notes : Counter
        What was left out or added, for all ranks.
    """

    def __init__(
        self, rank: int, events: EventColumns, definitions: Definitions, transfers: bool, notes: Counter[str]
    ) -> None:
        self.rank, self.events, self.definitions, self.transfers, self.notes = (
            rank,
            events,
            definitions,
            transfers,
            notes,
        )
        self.tick = 1.0 / definitions.resolution
        self.stack: list[int] = []
        self.depth = 0  # of calls of MPI
        self.call, self.entered = "", 0.0
        self.last: float | None = None  # end of what is written
        self.mark = 0.0  # since when the region on top runs
        self.gap: dict[int, float] = {}
        self.records: list[_Record] = []
        self.open: dict[int, tuple[int, int, int]] = {}  # request of the file: place, kind, number
        self.started: list[int] = []  # sends whose completion the recorder may have left out: numbers
        self.counters: dict[str, float] = {}
        self.latest = 0

    def time(self, ticks: int) -> float:
        """Return seconds since the start of the archive, and refuse a clock that goes back."""
        if ticks < self.latest:
            raise InputError(
                f"its clock goes back by {(self.latest - ticks) * self.tick:.6g} s",
                key=f"rank {self.rank}, time stamp {ticks}",
                allowed="time stamps that rise",
            )
        self.latest = ticks
        seconds = (ticks - self.definitions.offset) * self.tick
        if self.last is None:
            self.last = self.mark = seconds
        return seconds

    def enter(self, ticks: int, region: int) -> None:
        """A region begins."""
        now = self.time(ticks)
        if region in self.definitions.mpi_regions:
            if not self.depth:
                self._computed(now)
                self.call, self.entered = self.definitions.regions[region].removeprefix("P"), now
            self.depth += 1
        elif not self.depth:
            self._segment(now)
            self.stack.append(region)

    def leave(self, ticks: int, region: int) -> None:
        """A region ends."""
        now = self.time(ticks)
        if region in self.definitions.mpi_regions:
            self.depth = max(self.depth - 1, 0)
            if not self.depth:
                self._finish(now)
        elif not self.depth:
            self._segment(now)
            if self.stack:
                self.stack.pop()

    def message(self, ticks: int, kind: int, comm: int, partner: int, tag: int, held: int, request: int = NONE) -> None:
        """A send, a receive, or a send that does not block."""
        group = self._communicator(comm)
        if not group.ranks:
            self.notes["messages to oneself were left out"] += 1
            return
        if partner >= len(group.ranks):
            raise InputError(
                f"partner {partner} of a communicator of {len(group.ranks)}",
                key=f"rank {self.rank}, time stamp {ticks}",
                allowed=f"0 to {len(group.ranks) - 1}",
            )
        peer = group.ranks[partner]
        if peer == self.rank:
            self.notes["messages to oneself were left out"] += 1
            return
        number = self.events.request() if kind in (ISEND, IRECV) else NONE
        record = _Record(kind, peer, float(held), tag + group.number * _COMM_TAG, number)
        if kind == ISEND:
            self.open[request] = (NONE, ISEND, number)
            self.started.append(number)
        self._add(ticks, record)

    def receive_posted(self, ticks: int, request: int) -> None:
        """A receive that does not block; who sends is known when it completes."""
        number = self.events.request()
        if not self.depth:
            self._computed(self.time(ticks))
        self.open[request] = (len(self.events) + len(self.records), IRECV, number)
        self._add(ticks, _Record(IRECV, request=number))

    def received(self, ticks: int, comm: int, partner: int, tag: int, held: int, request: int) -> None:
        """The completion of a receive."""
        place, kind, number = self.open.pop(request, (NONE, NONE, NONE))
        group = self._communicator(comm)
        if kind != IRECV:
            self.message(ticks, RECV, comm, partner, tag, held)
            return
        if partner >= len(group.ranks) or group.ranks[partner] == self.rank:
            self.events.take_back([place])
            self.notes["messages to oneself were left out"] += 1
            return
        columns = self.events.columns
        columns["peer"][place] = group.ranks[partner]
        columns["tag"][place] = tag + group.number * _COMM_TAG
        columns["bytes"][place] = float(held)
        self._add(ticks, _Record(WAIT, request=number))

    def sent(self, ticks: int, request: int) -> None:
        """The completion of a send."""
        _, kind, number = self.open.pop(request, (NONE, NONE, NONE))
        if kind == ISEND:
            self.started.remove(number)
            self._add(ticks, _Record(WAIT, request=number))

    def cancelled(self, request: int) -> None:
        """A request that is taken back, and its receive with it."""
        place, kind, _ = self.open.pop(request, (NONE, NONE, NONE))
        if kind == IRECV:
            self.events.take_back([place])
            self.notes["receives that were cancelled were left out"] += 1

    def collective(self, ticks: int, operation: str, comm: int, root: int, sent: int, received: int) -> None:
        """The end of a collective operation."""
        plain = plain_operation(operation.lower())
        if plain is None or plain == "exscan":
            return  # creation of a communicator and the like: time of other communication
        group = self._communicator(comm)
        if len(group.ranks) < 2 <= len(self.definitions.locations):
            return
        held = bytes_of_transfers(plain, len(group.ranks), sent, received, self.transfers)
        everyone = len(group.ranks) == len(self.definitions.locations)
        members = () if everyone else group.ranks
        if not everyone:
            self.notes[f"collective operations of groups of ranks, replayed as messages: {plain}"] += 1
        place = root if root < len(group.ranks) else 0
        self._add(
            ticks,
            _Record(COLLECTIVE, NONE, held, group.number * _COMM_TAG, NONE, plain, members, place),
        )

    def one_sided(self, ticks: int, kind: str, window: int, remote: int, held: int) -> None:
        """A one-sided call, or the end of all of an epoch (allfence)."""
        code = KINDS.index(kind)
        peer = NONE
        if kind != "allfence":
            group = self._communicator(self.definitions.windows.get(window, NONE))
            if remote >= len(group.ranks):
                raise InputError(f"target {remote} of a window of {len(group.ranks)}", key=f"rank {self.rank}")
            peer = group.ranks[remote]
            if peer == self.rank:
                self.notes["one-sided calls to oneself were left out"] += 1
                return
        self._add(ticks, _Record(code, peer, float(held)))

    def metric(self, metric: int, values: list[Any], types: list[Any]) -> None:
        """Readings of counters: what accumulates since the start counts by its last, what is relative is summed."""
        for member, value, kind in zip(self.definitions.metrics.get(metric, ()), values, types, strict=False):
            word = str(kind)
            reading = float(
                value.floating_point
                if "DOUBLE" in word or "FLOAT" in word
                else value.unsigned_int
                if "UINT" in word
                else value.signed_int
            )
            if member.accumulates:
                self.counters[member.name] = reading
            else:
                self.counters[member.name] = self.counters.get(member.name, 0.0) + reading

    def end(self) -> None:
        """Complete what is open after the last record."""
        now = (self.latest - self.definitions.offset) * self.tick
        if self.depth:
            self.depth = 0
            self._finish(now)
        self._computed(now)
        lost = [request for request, (_, kind, _) in self.open.items() if kind == IRECV]
        if lost:
            raise InputError(
                f"{len(lost)} receives are posted, and no record says when they complete and from whom",
                key=f"rank {self.rank}",
                allowed="a recorder that notes MpiIrecv in MPI_Wait and MPI_Waitall (EZTrace 2.0 does not)",
            )
        if self.started:
            self.events.add(self.rank, WAITALL, now, now)
            self.notes["a closing waitall was added to ranks with open sends"] += 1

    def _communicator(self, comm: int) -> Communicator:
        group = self.definitions.communicators.get(comm)
        if group is None:
            between = comm in self.definitions.communicators
            fault = f"communicator {comm} is {'between two groups' if between else 'not defined'}"
            raise InputError(fault, key=f"rank {self.rank}", allowed="communicators of one group, with a definition")
        return group

    def _add(self, ticks: int, record: _Record) -> None:
        now = self.time(ticks)
        if self.depth:
            self.records.append(record)
            return
        self._computed(now)
        self._write(record, now, now)
        self.last = self.mark = now

    def _segment(self, now: float) -> None:
        if now > self.mark:
            top = self.stack[-1] if self.stack else NONE
            self.gap[top] = self.gap.get(top, 0.0) + now - self.mark
        self.mark = now

    def _computed(self, now: float) -> None:
        """Write what was computed since the last call, region by region."""
        self._segment(now)
        begin = self.last if self.last is not None else now
        regions = list(self.gap.items())
        self.gap.clear()
        for number, (region, seconds) in enumerate(regions):
            end = now if number == len(regions) - 1 else min(begin + seconds, now)
            name = "" if region == NONE else self.definitions.regions.get(region, f"region {region}")
            if name in _RECORDERS_OWN:
                self.notes[f"time of the recorder was left out: {name}"] += 1
            elif name != NOT_RECORDED:
                code = NONE if name in ("", COMPUTING) else self.events.region(name)
                self.events.add_compute(self.rank, begin, end, code)
            begin = end
        self.last = now

    def _finish(self, now: float) -> None:
        """Write the events of a call of MPI that ends."""
        records, self.records = self.records, []
        if not records:
            self._silent(now)
        elif {SEND, RECV} == {record.kind for record in records} and len(records) == 2:
            sent, received = sorted(records, key=lambda record: record.kind)  # SEND is the lower
            self.events.add_exchange(
                self.rank,
                (received.peer, received.tag, received.bytes),
                (sent.peer, sent.tag, sent.bytes),
                self.entered,
                now,
            )
        else:
            records = self._in_order_made(records)
            for number, record in enumerate(records):
                self._write(record, now if number else self.entered, now)
        self.last = self.mark = now
        self.gap.clear()

    def _in_order_made(self, records: list[_Record]) -> list[_Record]:
        """Sort the completions of one call by when their requests were made, as a waitall completes them."""
        if any(record.kind != WAIT for record in records):
            return records
        return sorted(records, key=lambda record: record.request)

    def _silent(self, now: float) -> None:
        """A call that left no record: a wait of which the recorder notes nothing, or no communication at all."""
        if self.call in WAITS and self.started:
            count = len(self.started) if self.call == "MPI_Waitall" else 1
            for place, number in enumerate(self.started[:count]):
                self.events.add(self.rank, WAIT, now if place else self.entered, now, request=number)
            closed = set(self.started[:count])
            del self.started[:count]
            for request in [request for request, held in self.open.items() if held[2] in closed]:
                del self.open[request]
            self.notes[f"{self.call} without a record completes the oldest open sends"] += 1
            return
        add_silent(self.events, self.rank, self.call, self.entered, now, self.notes)

    def _write(self, record: _Record, enter: float, leave: float) -> None:
        if record.kind == COLLECTIVE and not record.members:
            self.events.add_collective(self.rank, record.operation, record.bytes, enter, leave)
        elif record.kind == COLLECTIVE:
            self.events.add_group(
                self.rank, record.operation, record.members, record.bytes, record.root, record.tag, enter, leave
            )
        else:
            self.events.add(
                self.rank,
                record.kind,
                enter,
                leave,
                peer=record.peer,
                held=record.bytes,
                tag=record.tag,
                request=record.request,
            )
