"""DUMPI traces as text, what ``dumpi2ascii`` writes: a block for each call, with the times it began and ended.

What passes between two calls is computing. Calls that are no events here count as time of other communication: they
become computes of the region `OTHER` and are named in a warning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError, one_of, shown
from dse.models.replay.trace.assembling import assembled
from dse.models.replay.trace.events import Trace
from dse.models.workload.profile.collective_calls import plain_operation

__all__ = ["OTHER", "is_dumpi", "read_dumpi"]

OTHER = "other communication"
_EDGE = re.compile(r"^(\w+) (entering|returning) at walltime ([0-9.eE+-]+), cputime")
_FIELD = re.compile(r"^\w[\w ]*? (\w+)(?:\[\d*\])?=(.*)$")
_WORLD = "MPI_COMM_WORLD"
_SIZES = {
    **dict.fromkeys(("CHAR", "SIGNED_CHAR", "UNSIGNED_CHAR", "BYTE", "PACKED", "CHARACTER", "INTEGER1"), 1.0),
    **dict.fromkeys(("SHORT", "UNSIGNED_SHORT", "INTEGER2"), 2.0),
    **dict.fromkeys(
        ("INT", "UNSIGNED", "UNSIGNED_INT", "FLOAT", "INTEGER", "INTEGER4", "REAL", "REAL4", "LOGICAL"), 4.0
    ),
    **dict.fromkeys(("LONG", "UNSIGNED_LONG", "LONG_LONG_INT", "LONG_LONG", "UNSIGNED_LONG_LONG", "DOUBLE"), 8.0),
    **dict.fromkeys(("DOUBLE_PRECISION", "REAL8", "INTEGER8", "FLOAT_INT", "2INT", "COMPLEX", "2INTEGER"), 8.0),
    **dict.fromkeys(("DOUBLE_COMPLEX", "LONG_DOUBLE", "2DOUBLE_PRECISION"), 16.0),
}
_SENDS = {"MPI_Send": "send", "MPI_Ssend": "send", "MPI_Bsend": "send", "MPI_Rsend": "send", "MPI_Isend": "isend"}
_RECEIVES = {"MPI_Recv": "recv", "MPI_Irecv": "irecv"}
_SENT_COUNT = ("gather", "scatter", "allgather", "alltoall")
_OWN_REQUESTS = 2**40


class _Call(NamedTuple):
    name: str
    enter: float
    exit: float
    fields: dict[str, str]
    place: str


def is_dumpi(text: str) -> bool:
    """Return whether a text is of DUMPI."""
    return " entering at walltime " in text[:65536]


def read_dumpi(
    texts: list[tuple[str, str]], *, type_sizes: Mapping[int, float] | None = None, named: str = ""
) -> Trace:
    """Read the texts of all ranks, in the order of the ranks.

    Parameters
    ----------
    texts : list of (str, str)
        As of `dse.models.replay.formats.text_files.texts_of`.
    type_sizes : mapping of int to float, optional
        Bytes of types that the program made, by their codes.
    named : str
        What the trace is called.
    """
    rows: list[dict[str, Any]] = []
    left_out: Counter[str] = Counter()
    closed = 0
    for rank, (file, text) in enumerate(texts):
        reader = _Rank(rank, type_sizes or {}, left_out)
        for call in _calls(text, file):
            reader.add(call)
        closed += reader.close()
        rows += reader.rows
    if not rows:
        raise InputError("no calls", allowed="what dumpi2ascii writes")
    warnings = []
    if left_out:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(left_out.items()))
        warnings.append(f"time of {OTHER}, computed through: {named}")
    if closed:
        warnings.append(f"a closing waitall was added to {closed} ranks with open requests")
    names = ("rank", "kind", "seconds", "peer", "bytes", "tag", "request", "op", "enter", "exit", "region")
    texts_in = ("kind", "op", "region")
    columns = {
        name: np.array(
            [row.get(name, "" if name in texts_in else np.nan) for row in rows],
            dtype=object if name in texts_in else float,
        )
        for name in names
    }
    return assembled(columns, {"clock": "walltime of each rank"}, warnings, named=named)


def _calls(text: str, file: str) -> Iterator[_Call]:
    """Yield the calls of a rank; those inside another call are part of it."""
    outer: tuple[str, float, str] | None = None
    fields: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        edge = _EDGE.match(line)
        if edge is None:
            field = _FIELD.match(line) if outer is not None else None
            if field is not None:
                fields.setdefault(field[1], field[2])
            continue
        name, what, time = edge[1], edge[2], edge[3]
        place = f"{file}line {number}"
        try:
            at = float(time)
        except ValueError:
            raise InputError(shown(time), key=place, allowed="seconds") from None
        if what == "entering":
            if outer is None:
                outer, fields = (name, at, place), {}
        elif outer is None:
            raise InputError(f"{name} returns and was not entered", key=place, allowed="a line 'entering' before it")
        elif name == outer[0]:
            yield _Call(name, outer[1], at, fields, outer[2])
            outer = None
    if outer is not None:
        raise InputError(f"{outer[0]} never returns", key=outer[2], allowed="a line 'returning' after it")


class _Rank:
    def __init__(self, rank: int, type_sizes: Mapping[int, float], left_out: Counter[str]) -> None:
        self.rank, self.type_sizes, self.left_out = rank, type_sizes, left_out
        self.rows: list[dict[str, Any]] = []
        self.open: dict[int, None] = {}
        self.last: float | None = None
        self.made = _OWN_REQUESTS

    def add(self, call: _Call) -> None:
        if self.last is not None and call.enter > self.last:
            self._row("compute", self.last, call.enter, seconds=call.enter - self.last)
        enter = call.enter if self.last is None else max(call.enter, self.last)
        self.last = max(call.exit, enter)
        self._event(call, enter, self.last)

    def close(self) -> bool:
        """Complete what is open at the end; return whether anything was."""
        if self.open:
            end = self.last or 0.0
            self._row("waitall", end, end)
        return bool(self.open)

    def _row(self, kind: str, enter: float, leave: float, **rest: Any) -> None:
        self.rows.append({"rank": self.rank, "kind": kind, "enter": enter, "exit": leave, **rest})

    def _event(self, call: _Call, enter: float, leave: float) -> None:
        name = call.name
        operation = plain_operation(name) if name != "MPI_Exscan" else None
        world = _WORLD in call.fields.get("comm", _WORLD)
        if not world:
            self._other(call, enter, leave, f"{name} on another communicator")
        elif name in _SENDS:
            request = {"request": self._request(call)} if name == "MPI_Isend" else {}
            held = self._bytes(call, "count", "datatype")
            self._row(
                _SENDS[name], enter, leave, peer=_number(call, "dest"), tag=_number(call, "tag"), bytes=held, **request
            )
        elif name in _RECEIVES:
            request = {"request": self._request(call)} if name == "MPI_Irecv" else {}
            held = self._bytes(call, "count", "datatype")
            self._row(
                _RECEIVES[name], enter, leave, peer=self._source(call), tag=self._tag(call), bytes=held, **request
            )
        elif name == "MPI_Sendrecv":
            self._both(call, enter, leave)
        elif name in ("MPI_Wait", "MPI_Waitall"):
            self._wait(call, enter, leave)
        elif operation is not None:
            self._row("collective", enter, leave, op=operation, bytes=self._collective(call, operation))
        else:
            self._other(call, enter, leave, name)

    def _other(self, call: _Call, enter: float, leave: float, reason: str) -> None:
        self.left_out[reason] += 1
        if leave > enter:
            self._row("compute", enter, leave, seconds=leave - enter, region=OTHER)

    def _request(self, call: _Call) -> int:
        requests = _numbers(call.fields.get("request", ""))
        if not requests:
            raise InputError(
                f"{call.name} without a request", key=call.place, allowed="a line such as MPI_Request request=[4]"
            )
        self.open[requests[-1]] = None
        return requests[-1]

    def _wait(self, call: _Call, enter: float, leave: float) -> None:
        """Complete the requests that are named and open; null requests are left out."""
        count = _number(call, "count") if call.name == "MPI_Waitall" else 1
        text = call.fields.get("requests", call.fields.get("request", ""))
        named = [request for request in dict.fromkeys(_numbers(text)[-count:] if count else []) if request in self.open]
        for place, request in enumerate(named):
            del self.open[request]
            self._row("wait", enter, leave if place == len(named) - 1 else enter, request=request)
            enter = leave if place == len(named) - 1 else enter
        if not named and leave > enter:
            self._row("compute", enter, leave, seconds=leave - enter, region=OTHER)

    def _both(self, call: _Call, enter: float, leave: float) -> None:
        """A send and a receive at the same time: neither waits for the other."""
        received, sent = self.made, self.made + 1
        self.made += 2
        held = self._bytes(call, "recvcount", "recvtype"), self._bytes(call, "sendcount", "sendtype")
        source, tag = self._source(call), self._tag(call, "recvtag")
        self._row("irecv", enter, enter, peer=source, tag=tag, bytes=held[0], request=received)
        self._row(
            "isend", enter, enter, peer=_number(call, "dest"), tag=_number(call, "sendtag"), bytes=held[1], request=sent
        )
        self._row("wait", enter, enter, request=received)
        self._row("wait", enter, leave, request=sent)

    def _source(self, call: _Call) -> int:
        return self._any(call, "source", "MPI_ANY_SOURCE")

    def _tag(self, call: _Call, name: str = "tag") -> int:
        return self._any(call, name, "MPI_ANY_TAG", "tag")

    def _any(self, call: _Call, name: str, wildcard: str, in_status: str = "source") -> int:
        """Return a source or tag; of one that was left open, the one that came, as the status has it."""
        text = call.fields.get(name, "")
        if wildcard not in text and not text.strip().startswith("-"):
            return _number(call, name)
        came = re.search(rf"{in_status}=(\d+)", call.fields.get("status", call.fields.get("statuses", "")))
        if came is None:
            raise InputError(
                f"{call.name} from {text}, and its status is not there",
                key=call.place,
                allowed="receives with the source and the tag that came",
            )
        return int(came[1])

    def _bytes(self, call: _Call, count: str, kind: str) -> float:
        return _number(call, count) * self._size(call, kind)

    def _size(self, call: _Call, kind: str) -> float:
        text = call.fields.get(kind, "")
        code, named = _numbers(text.partition("(")[0]), re.search(r"MPI_(\w+)", text)
        if code and code[0] in self.type_sizes:
            return self.type_sizes[code[0]]
        if named is not None and named[1] in _SIZES:
            return _SIZES[named[1]]
        example = f"--type-size {code[0]}=8" if code else "--type-size CODE=BYTES"
        raise InputError(
            f"type {shown(text)}", key=call.place, allowed=f"{one_of(_SIZES)}; others by their size, {example}"
        )

    def _collective(self, call: _Call, operation: str) -> float:
        if operation == "barrier":
            return 0.0
        if operation in _SENT_COUNT:
            many = next((call.fields[name] for name in ("sendcounts", "recvcounts") if name in call.fields), None)
            if many is not None:
                counts = _numbers(many.partition("]")[2] or many)
                kind = "sendtype" if "sendtype" in call.fields else "recvtype"
                return sum(counts) / max(len(counts), 1) * self._size(call, kind)
            name = "sendcount" if "sendcount" in call.fields else "recvcount"
            return self._bytes(call, name, "sendtype" if name == "sendcount" else "recvtype")
        if operation == "reduce_scatter":
            counts = _numbers(call.fields.get("recvcounts", call.fields.get("recvcount", "")))
            return sum(counts) / max(len(counts), 1) * self._size(call, "datatype")
        return self._bytes(call, "count", "datatype")


def _numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"(?<![\w.])\d{1,15}(?![\w.])", text)]


def _number(call: _Call, name: str) -> int:
    match = re.match(r"\s*\[?(\d{1,15})\b", call.fields.get(name, ""))
    if match is None:
        fault = f"{name}={call.fields[name]}" if name in call.fields else f"no '{name}'"
        raise InputError(f"{call.name}: {fault}", key=call.place, allowed="a whole number >= 0")
    return int(match[1])
