"""Words and numbers of Paraver: the header of a ``.prv``, the names of a ``.pcf``, and the types that Extrae writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dse.errors import InputError, shown

__all__ = [
    "CALLS",
    "CALL_NUMBERS",
    "COMMUNICATOR",
    "EXACT_COMPUTE",
    "MPI_TYPES",
    "RECEIVED_SIZE",
    "REQUEST",
    "ROOT",
    "SENT_SIZE",
    "STATES",
    "USER_FUNCTION",
    "Header",
    "header_of",
    "names_of",
]

POINT_TO_POINT, COLLECTIVE_CALL, OTHER_CALL = 50000001, 50000002, 50000003
MPI_TYPES = (POINT_TO_POINT, COLLECTIVE_CALL, OTHER_CALL, 50000004, 50000005)
"""Event types whose value is the call of MPI that begins, and 0 where it ends."""

SENT_SIZE, RECEIVED_SIZE, ROOT, COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
"""Of a collective operation, at its begin."""

USER_FUNCTION = 60000019
REQUEST, EXACT_COMPUTE = 50900001, 50900002
"""Of traces that dse wrote: the request of a call, from 1, and femtoseconds of a compute, which ns would round."""

CALLS = {
    1: "MPI_Send",
    2: "MPI_Recv",
    3: "MPI_Isend",
    4: "MPI_Irecv",
    5: "MPI_Wait",
    6: "MPI_Waitall",
    7: "MPI_Bcast",
    8: "MPI_Barrier",
    9: "MPI_Reduce",
    10: "MPI_Allreduce",
    11: "MPI_Alltoall",
    12: "MPI_Alltoallv",
    13: "MPI_Gather",
    14: "MPI_Gatherv",
    15: "MPI_Scatter",
    16: "MPI_Scatterv",
    17: "MPI_Allgather",
    18: "MPI_Allgatherv",
    30: "MPI_Scan",
    31: "MPI_Init",
    32: "MPI_Finalize",
    41: "MPI_Sendrecv",
    80: "MPI_Reduce_scatter",
}
"""Calls as Extrae numbers them, for traces without a ``.pcf``."""

CALL_NUMBERS = {name: number for number, name in CALLS.items()}

STATES = {
    0: "Idle",
    1: "Running",
    3: "Waiting a message",
    4: "Blocking Send",
    8: "Wait/WaitAll",
    10: "Immediate Send",
    11: "Immediate Receive",
    13: "Group Communication",
}

_HEADER = re.compile(r"#Paraver \((?P<when>[^)]*)\):(?P<length>\d+)(?P<unit>_ns)?:(?P<rest>.*)$")
_TASKS = re.compile(r"(\d+)\(([\d:,]+)\)(?:,\d+)?$")
_MOST_TASKS = 1 << 20


@dataclass
class Header:
    """What the first line and the lines of communicators say.

    Attributes
    ----------
    ranks : int
        Tasks of the application.
    tick : float
        Unit of the times [s].
    length : int
        Of the run, in ticks.
    communicators : dict of int to tuple of int
        Ranks of each, from 0.
    """

    ranks: int
    tick: float
    length: int
    communicators: dict[int, tuple[int, ...]] = field(default_factory=dict)


def header_of(line: str) -> Header:
    """Read the first line of a trace.

    Examples
    --------
    >>> header_of("#Paraver (27/11/2026 at 10:00):900_ns:1(2):1:2(1:1,1:1),1").ranks
    2
    """
    match = _HEADER.match(line.strip())
    if match is None:
        raise InputError(
            shown(line[:80]),
            key="line 1",
            allowed="#Paraver (date):length_ns:nodes:applications:tasks(threads:node,...)",
        )
    rest = re.sub(r"^(?:\d+\([\d,]*\)|\d+):", "", match["rest"], count=1)
    count, _, tasks = rest.partition(":")
    if count != "1":
        raise InputError(f"{shown(count)} applications", key="line 1", allowed="1")
    tasked = _TASKS.match(tasks.strip())
    if tasked is None or not 0 < int(tasked[1]) <= _MOST_TASKS:
        raise InputError(f"tasks {shown(tasks[:80])}", key="line 1", allowed="tasks(threads:node,...)")
    return Header(int(tasked[1]), 1e-9 if match["unit"] else 1e-6, int(match["length"]))


def names_of(text: str) -> dict[int, tuple[str, dict[int, str]]]:
    """Return the event types of a ``.pcf``: name of each, and of its values."""
    types: dict[int, tuple[str, dict[int, str]]] = {}
    current: list[int] = []
    in_values = False
    for line in text.splitlines():
        words = line.split(None, 2)
        if not words or words[0] == "EVENT_TYPE":
            current, in_values = [], False
        elif words[0] == "VALUES":
            in_values = True
        elif in_values and words[0].isdigit():
            for kind in current:
                types[kind][1][int(words[0])] = line.split(None, 1)[1].strip() if len(words) > 1 else ""
        elif len(words) == 3 and words[0].isdigit() and words[1].isdigit():
            current.append(int(words[1]))
            types[int(words[1])] = words[2].strip(), {}
    return types
