"""Writing an OTF2 archive, which Vampir, Score-P's tools and `read_otf2` open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.otf2_archive.library import high_level, silenced
from dse.models.replay.formats.otf2_archive.rank_events import COMPUTING, NOT_RECORDED
from dse.models.replay.formats.written_times import EventTimes, ticks_of
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import (
    COLLECTIVE,
    COMPUTE,
    IRECV,
    ISEND,
    KINDS,
    OPERATIONS,
    RECV,
    SEND,
    WAIT,
    WAITALL,
)
from dse.version import __version__

__all__ = ["write_otf2"]

_CALLS = {SEND: "MPI_Send", ISEND: "MPI_Isend", RECV: "MPI_Recv", IRECV: "MPI_Irecv", WAIT: "MPI_Wait"}
_CALLS |= {WAITALL: "MPI_Waitall"}
_ONE_SIDED = {"get": "MPI_Get", "put": "MPI_Put", "accumulate": "MPI_Accumulate", "rmw": "MPI_Fetch_and_op"}
_ONE_SIDED |= {"allfence": "MPI_Win_fence"}
_ROOT = 0


def write_otf2(trace: Trace, anchor: Path, times: EventTimes) -> None:
    """Write a trace as an archive: ``NAME.otf2``, and its folder ``NAME`` beside it.

    Parameters
    ----------
    trace : Trace
    anchor : Path
    times : EventTimes
        When each event begins and ends.

    Raises
    ------
    InputError
        Bytes that are not whole, negative tags, one-sided fences of one target: the format has no words for them.
    """
    otf2 = high_level()
    _refuse(trace)
    if anchor.with_suffix("").exists():
        raise InputError(
            "the folder of the archive exists already", file=anchor.with_suffix(""), allowed="another name"
        )
    resolution, enter, leave = ticks_of(times)
    with silenced():
        writer = otf2.writer.Writer(
            str(anchor.parent), archive_name=anchor.name.removesuffix(".otf2"), timer_resolution=resolution
        )
        writer.creator = f"dse {__version__}"
        try:
            _Archive(otf2, writer, trace, enter, leave).write()
        finally:
            writer.close()


def _refuse(trace: Trace) -> None:
    broken = np.flatnonzero(trace.bytes != np.floor(trace.bytes))
    if broken.size:
        event = int(broken[0])
        raise InputError(
            f"{trace.bytes[event]:.12g} bytes", key=trace.place(event), allowed="whole bytes in this format"
        )
    negative = np.flatnonzero(trace.tag < 0)
    if negative.size:
        event = int(negative[0])
        raise InputError(f"tag {int(trace.tag[event])}", key=trace.place(event), allowed="tags from 0 in this format")
    fences = np.flatnonzero(trace.kind == KINDS.index("fence"))
    if fences.size:
        raise InputError("a fence of one target has no record", key=trace.place(int(fences[0])), allowed="allfence")


class _Archive:
    def __init__(self, otf2: Any, writer: Any, trace: Trace, enter: np.ndarray, leave: np.ndarray) -> None:
        self.otf2, self.writer, self.trace = otf2, writer, trace
        self.enter, self.leave = enter.tolist(), leave.tolist()
        self.regions: dict[str, Any] = {}
        requests = trace.requests
        self.number = dict(zip(requests.made.tolist(), range(len(requests.made)), strict=True))
        self.closes: dict[int, list[int]] = {}
        for made, closed in zip(requests.made.tolist(), requests.closed.tolist(), strict=True):
            self.closes.setdefault(closed, []).append(made)

    def write(self) -> None:
        definitions, trace, enums = self.writer.definitions, self.trace, self.otf2.enums
        node = definitions.system_tree_node("dse")
        locations = []
        for rank in range(trace.ranks):
            group = definitions.location_group(f"rank {rank}", system_tree_parent=node)
            locations.append(definitions.location(f"rank {rank}", group=group))
        definitions.group(
            "", group_type=self.otf2.GroupType.COMM_LOCATIONS, paradigm=enums.Paradigm.MPI, members=locations
        )
        world = definitions.group(
            "MPI_COMM_WORLD",
            group_type=self.otf2.GroupType.COMM_GROUP,
            paradigm=enums.Paradigm.MPI,
            members=locations,
        )
        parts = np.unique(trace.tag >> 32).tolist()
        self.comms = {
            part: definitions.comm(f"communicator {part}" if part else "MPI_COMM_WORLD", world)
            for part in sorted({0, *parts})
        }
        window = definitions.rma_win("window", comm=self.comms[0]) if trace.one_sided.size else None
        for rank, location in enumerate(locations):
            out = self.writer.event_writer_from_location(location)
            self._rank(rank, out, window)

    def _region(self, name: str) -> Any:
        if name not in self.regions:
            paradigm = self.otf2.enums.Paradigm.MPI if name.startswith("MPI_") else self.otf2.enums.Paradigm.USER
            self.regions[name] = self.writer.definitions.region(name, paradigm=paradigm)
        return self.regions[name]

    def _rank(self, rank: int, out: Any, window: Any) -> None:
        trace = self.trace
        last = self.enter[int(trace.first[rank])]
        for event in range(int(trace.first[rank]), int(trace.first[rank + 1])):
            begin, end = max(self.enter[event], last), max(self.leave[event], last)
            kind = int(trace.kind[event])
            if begin > last:
                self._span(out, NOT_RECORDED, last, begin)
            if kind == COMPUTE:
                region = int(trace.region[event])
                self._span(out, trace.regions[region] if region != NONE else COMPUTING, begin, end)
            else:
                region = self._region(self._call(kind, event))
                out.enter(begin, region)
                self._record(out, rank, event, kind, begin, end, window)
                out.leave(end, region)
            last = end

    def _span(self, out: Any, name: str, begin: int, end: int) -> None:
        region = self._region(name if not name.startswith("MPI_") else f"({name})")
        out.enter(begin, region)
        out.leave(end, region)

    def _call(self, kind: int, event: int) -> str:
        if kind == COLLECTIVE:
            return f"MPI_{OPERATIONS[self.trace.operation[event]].capitalize()}"
        return _CALLS.get(kind) or _ONE_SIDED[KINDS[kind]]

    def _record(self, out: Any, rank: int, event: int, kind: int, begin: int, end: int, window: Any) -> None:
        trace = self.trace
        tag = int(trace.tag[event])
        comm, low, peer, held = (
            self.comms[tag >> 32],
            tag & (2**32 - 1),
            int(trace.peer[event]),
            int(trace.bytes[event]),
        )
        if kind == SEND:
            out.mpi_send(begin, peer, comm, low, held)
        elif kind == ISEND:
            out.mpi_isend(begin, peer, comm, low, held, self.number[event])
        elif kind == RECV:
            out.mpi_recv(end, peer, comm, low, int(trace.bytes[trace.partner[event]]))
        elif kind == IRECV:
            out.mpi_irecv_request(begin, self.number[event])
        elif kind in (WAIT, WAITALL):
            for made in self.closes.get(event, ()):
                self._completion(out, made, end)
        elif kind == COLLECTIVE:
            self._collective(out, rank, event, begin, end)
        else:
            self._one_sided(out, KINDS[kind], peer, held, begin, end, window)

    def _completion(self, out: Any, made: int, end: int) -> None:
        trace = self.trace
        if trace.kind[made] == ISEND:
            out.mpi_isend_complete(end, self.number[made])
            return
        tag, held = int(trace.tag[made]), int(trace.bytes[trace.partner[made]])
        out.mpi_irecv(end, int(trace.peer[made]), self.comms[tag >> 32], tag & (2**32 - 1), held, self.number[made])

    def _collective(self, out: Any, rank: int, event: int, begin: int, end: int) -> None:
        """Write the bytes as Score-P counts them: a message to each member, the own one too."""
        trace = self.trace
        name, held, ranks = OPERATIONS[trace.operation[event]], int(trace.bytes[event]), trace.ranks
        is_root = rank == _ROOT
        sent, received = ranks * held, ranks * held
        root = self.otf2.enums.CollectiveRoot.NONE.value
        if name in ("bcast", "scatter"):
            sent, received, root = (ranks * held if is_root else 0), held, _ROOT
        elif name in ("gather", "reduce"):
            sent, received, root = held, (ranks * held if is_root else 0), _ROOT
        elif name == "scan":
            sent, received = (ranks - rank) * held, (rank + 1) * held
        elif name == "barrier":
            sent = received = 0
        operation = getattr(self.otf2.CollectiveOp, name.upper())
        out.mpi_collective_begin(begin)
        out.mpi_collective_end(end, operation, self.comms[0], root, sent, received)

    def _one_sided(self, out: Any, name: str, peer: int, held: int, begin: int, end: int, window: Any) -> None:
        if name == "get":
            out.rma_get(begin, window, peer, held, 0)
        elif name == "put":
            out.rma_put(begin, window, peer, held, 0)
        elif name == "allfence":
            out.rma_collective_begin(begin)
            levels = self.otf2.enums.RmaSyncLevel.PROCESS
            barrier = self.otf2.CollectiveOp.BARRIER
            out.rma_collective_end(end, barrier, levels, window, self.otf2.enums.CollectiveRoot.NONE.value, 0, 0)
        else:
            kinds = self.otf2.enums.RmaAtomicType
            kind = kinds.ACCUMULATE if name == "accumulate" else kinds.FETCH_AND_ADD
            out.rma_atomic(begin, window, peer, kind, held, held, 0)
