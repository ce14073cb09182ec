"""Writing a trace for Paraver: ``.prv`` with records, ``.pcf`` with names, ``.row`` with the ranks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.paraver.labels import (
    CALL_NUMBERS,
    CALLS,
    COMMUNICATOR,
    EXACT_COMPUTE,
    MPI_TYPES,
    RECEIVED_SIZE,
    REQUEST,
    ROOT,
    SENT_SIZE,
    STATES,
    USER_FUNCTION,
)
from dse.models.replay.formats.written_times import EventTimes
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, OPERATIONS, RECV, SEND, WAIT, WAITALL

__all__ = ["write_paraver"]

_NAMES = {SEND: "MPI_Send", RECV: "MPI_Recv", ISEND: "MPI_Isend", IRECV: "MPI_Irecv", WAIT: "MPI_Wait"}
_NAMES |= {WAITALL: "MPI_Waitall"}
_STATE_OF = {COMPUTE: 1, SEND: 4, RECV: 3, ISEND: 10, IRECV: 11, WAIT: 8, WAITALL: 8, COLLECTIVE: 13}
_POINT, _TOGETHER = MPI_TYPES[:2]


def write_paraver(trace: Trace, path: Path, times: EventTimes) -> None:
    """Write a trace as ``NAME.prv``, ``NAME.pcf`` and ``NAME.row``.

    Parameters
    ----------
    trace : Trace
    path : Path
    times : EventTimes
        When each event begins and ends. Paraver has nanoseconds, and a call takes one at least; seconds of computes
        are kept to a femtosecond by an event of their own.

    Raises
    ------
    InputError
        One-sided calls, and bytes that are not whole: the format has no words for them.
    """
    if trace.one_sided.size:
        raise InputError(
            f"{trace.what(int(trace.one_sided[0]))} has no record in Paraver", key=trace.place(int(trace.one_sided[0]))
        )
    broken = np.flatnonzero(trace.bytes != np.floor(trace.bytes))
    if broken.size:
        event = int(broken[0])
        raise InputError(f"{trace.bytes[event]:.12g} bytes", key=trace.place(event), allowed="whole bytes here")
    begin, end = _nanoseconds(trace, times)
    lines = [(time, text) for time, text in chain(_events(trace, begin, end), _messages(trace, begin, end))]
    order = np.argsort([time for time, _ in lines], kind="stable").tolist()
    ranks, length = trace.ranks, int(end.max(initial=0))
    tasks = ",".join(["1:1"] * ranks)
    members = ":".join(str(rank + 1) for rank in range(ranks))
    with path.open("w", encoding="ascii") as out:
        out.write(f"#Paraver (01/01/2000 at 00:00):{length}_ns:1({ranks}):1:{ranks}({tasks}),1\n")
        out.write(f"c:1:1:{ranks}:{members}\n")
        out.writelines(lines[number][1] for number in order)
    path.with_suffix(".pcf").write_text(_labels(trace), encoding="utf-8")
    rows = "\n".join(f"THREAD 1.{rank + 1}.1" for rank in range(ranks))
    cpus = "\n".join(f"CPU {rank + 1}" for rank in range(ranks))
    path.with_suffix(".row").write_text(
        f"LEVEL CPU SIZE {ranks}\n{cpus}\n\nLEVEL NODE SIZE 1\ndse\n\nLEVEL THREAD SIZE {ranks}\n{rows}\n",
        encoding="ascii",
    )


def _nanoseconds(trace: Trace, times: EventTimes) -> tuple[np.ndarray, np.ndarray]:
    """Return begins and ends so that of one rank none is the same and all rise."""
    begin = np.rint(times.enter * 1e9).astype(np.int64).tolist()
    end = np.rint(times.exit * 1e9).astype(np.int64).tolist()
    for rank in range(trace.ranks):
        last = -1
        for event in range(int(trace.first[rank]), int(trace.first[rank + 1])):
            begin[event] = max(begin[event], last + 1)
            end[event] = last = max(end[event], begin[event] + 1)
    return np.array(begin, dtype=np.int64), np.array(end, dtype=np.int64)


def _events(trace: Trace, begin: np.ndarray, end: np.ndarray) -> Iterator[tuple[int, str]]:
    requests = trace.requests
    request = dict(zip(requests.made.tolist(), range(1, len(requests.made) + 1), strict=True))
    closes: dict[int, list[int]] = {}
    for made, closed in zip(requests.made.tolist(), requests.closed.tolist(), strict=True):
        closes.setdefault(closed, []).append(request[made])
    columns = (trace.rank, trace.kind, begin, end, trace.bytes, trace.operation, trace.region, trace.seconds)
    yield int(begin[0]), f"2:1:1:1:1:{begin[0]}:{EXACT_COMPUTE}:0\n"  # so that gaps are no computing
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for event, (rank, kind, start, stop, held, operation, region, seconds) in enumerate(rows):
        who = f"{rank + 1}:1:{rank + 1}:1"
        yield start, f"1:{who}:{start}:{stop}:{_STATE_OF[kind]}\n"
        if kind == COMPUTE:
            exact = f":{EXACT_COMPUTE}:{round(seconds * 1e15)}"
            yield start, f"2:{who}:{start}:{USER_FUNCTION}:{region + 1 if region != NONE else 0}{exact}\n"
            continue
        if kind == COLLECTIVE:
            name = f"MPI_{OPERATIONS[operation].capitalize()}"
            sizes = f":{SENT_SIZE}:{int(held)}:{RECEIVED_SIZE}:{int(held)}:{ROOT}:1:{COMMUNICATOR}:1"
            yield start, f"2:{who}:{start}:{_TOGETHER}:{CALL_NUMBERS[name]}{sizes}\n"
            yield stop, f"2:{who}:{stop}:{_TOGETHER}:0\n"
            continue
        numbers = [request[event]] if event in request else closes.get(event, [])
        named = "".join(f":{REQUEST}:{number}" for number in numbers)
        yield start, f"2:{who}:{start}:{_POINT}:{CALL_NUMBERS[_NAMES[kind]]}{named}\n"
        yield stop, f"2:{who}:{stop}:{_POINT}:0\n"


def _messages(trace: Trace, begin: np.ndarray, end: np.ndarray) -> Iterator[tuple[int, str]]:
    completion = np.arange(trace.events)
    requests = trace.requests
    completion[requests.made] = requests.closed
    sends = trace.sends
    received = trace.partner[sends]
    columns = (
        trace.rank[sends],
        begin[sends],
        end[sends],
        trace.rank[received],
        begin[received],
        end[completion[received]],
        trace.bytes[sends].astype(np.int64),
        trace.tag[sends],
    )
    for source, out, left, target, posted, came, held, tag in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        here, there = f"{source + 1}:1:{source + 1}:1", f"{target + 1}:1:{target + 1}:1"
        yield out, f"3:{here}:{out}:{left}:{there}:{posted}:{came}:{held}:{tag}\n"


def _labels(trace: Trace) -> str:
    """Return the names of states, calls and regions."""
    parts = ["DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n", "STATES"]
    parts += [f"{number} {name}" for number, name in STATES.items()]
    for kind, label, names in (
        (_POINT, "MPI Point-to-point", set(_NAMES.values())),
        (_TOGETHER, "MPI Collective Comm", {f"MPI_{name.capitalize()}" for name in OPERATIONS}),
    ):
        values = [f"{number} {name}" for number, name in CALLS.items() if name in names]
        parts += ["", "EVENT_TYPE", f"9 {kind} {label}", "VALUES", *values, "0 Outside MPI"]
    for kind, label in (
        (SENT_SIZE, "Send Size in MPI Global OP"),
        (RECEIVED_SIZE, "Recv Size in MPI Global OP"),
        (ROOT, "Root in MPI Global OP"),
        (COMMUNICATOR, "Communicator in MPI Global OP"),
        (REQUEST, "Request (dse)"),
        (EXACT_COMPUTE, "Computing, in femtoseconds (dse)"),
    ):
        parts += ["", "EVENT_TYPE", f"0 {kind} {label}"]
    regions = [f"{number} {name}" for number, name in enumerate(trace.regions, 1)]
    parts += ["", "EVENT_TYPE", f"0 {USER_FUNCTION} User function", "VALUES", "0 End", *regions, ""]
    return "\n".join(parts) + "\n"
