"""Traces written as time-independent text of SimGrid: seconds as sleep, sizes in bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dse.errors import InputError
from dse.models.replay.formats.header import header_values
from dse.models.replay.trace.columns import Columns
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

__all__ = ["write_time_independent"]

_REDUCTIONS = ("reduce", "allreduce", "scan")
_TWO_COUNTS = ("gather", "scatter", "allgather", "alltoall")


def write_time_independent(trace: Trace, path: Path) -> None:
    """Write a trace as text; reading it gives the same events, requests numbered anew.

    The format has no words for measured times and regions. A wait names source, destination and tag there and means
    the oldest such request.

    Raises
    ------
    InputError
        A wait for another than the oldest request of its source, destination and tag; a one-sided call.
    """
    if trace.one_sided.size:
        event = int(trace.one_sided[0])
        raise InputError(
            f"{trace.what(event)}: text has no words for one-sided calls",
            key=trace.place(event),
            allowed=".csv or .parquet",
        )
    path.write_text("\n".join(_lines(trace)) + "\n", encoding="utf-8")


def _lines(trace: Trace) -> Iterator[str]:
    yield from (f"# {name}: {value}" for name, value in header_values(trace).items())
    for rank in range(trace.ranks):
        yield f"{rank} init"
        opened: dict[int, tuple[int, int, int]] = {}
        for event in range(int(trace.first[rank]), int(trace.first[rank + 1])):
            yield f"{rank} {_action(trace, rank, event, opened)}"
        yield f"{rank} finalize"


def _plain(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def _action(trace: Columns, rank: int, event: int, opened: dict[int, tuple[int, int, int]]) -> str:
    kind, peer, tag = int(trace.kind[event]), int(trace.peer[event]), int(trace.tag[event])
    held, request = _plain(trace.bytes[event]), int(trace.request[event])
    if kind == COMPUTE:
        return f"sleep {_plain(trace.seconds[event])}"
    if kind in (ISEND, IRECV):
        opened[request] = (rank, peer, tag) if kind == ISEND else (peer, rank, tag)
    if kind in (SEND, ISEND, RECV, IRECV):
        return f"{KINDS[kind]} {peer} {tag} {held}"
    if kind == WAITALL:
        opened.clear()
        return "waitall"
    if kind == WAIT:
        triple = opened[request]
        oldest = next(number for number, triple_of_it in opened.items() if triple_of_it == triple)
        if oldest != request:
            raise InputError(
                f"wait for request {request}, while the older {oldest} has the same partner and tag",
                key=trace.place(event),
                allowed="text names no requests; write .csv or .parquet",
            )
        del opened[request]
        return f"wait {' '.join(map(str, triple))}"
    assert kind == COLLECTIVE
    name = OPERATIONS[trace.operation[event]]
    if name == "barrier":
        return "barrier"
    if name == "bcast":
        return f"bcast {held}"
    if name in _REDUCTIONS:
        return f"{name} {held} 0"
    if name in _TWO_COUNTS:
        return f"{name} {held} {held}"
    return f"reducescatter {' '.join([held] * trace.ranks)} 0"
