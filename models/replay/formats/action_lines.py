"""The actions of a time-independent trace, each made an event."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from dse.errors import InputError, one_of, shown
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, OPERATIONS, RECV, SEND, WAIT, WAITALL

__all__ = ["ACTIONS", "SKIPPED", "TYPE_SIZES", "ActionLine", "Actions"]

TYPE_SIZES = {0: 8.0, 1: 4.0, 2: 1.0, 3: 2.0, 4: 8.0, 5: 4.0, 6: 1.0}
"""Bytes of a type by its code: double, int, char, short, long, float, byte."""

SKIPPED = ("test", "comm_size", "comm_split", "comm_dup", "location", "finalize")


class ActionLine(NamedTuple):
    """A line of the file, as words."""

    words: list[str]
    file: str
    number: int

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.file}line {self.number}"


class Actions:
    """The events read so far, as columns, and the open requests of every rank."""

    def __init__(self, ranks: int, flop_rate: float | None, type_sizes: Mapping[int, float]) -> None:
        self.ranks = ranks
        self.flop_rate = flop_rate
        self.sizes = {**TYPE_SIZES, **type_sizes}
        self.default = [1.0] * ranks
        self.made = [0] * ranks
        self.open: list[dict[int, tuple[int, int, int]]] = [{} for _ in range(ranks)]
        self.of_triple: dict[tuple[int, tuple[int, int, int]], deque[int]] = {}
        self.warnings: list[str] = []
        self.rank: list[int] = []
        self.kind: list[int] = []
        self.seconds: list[float] = []
        self.peer: list[int] = []
        self.bytes: list[float] = []
        self.tag: list[int] = []
        self.request: list[int] = []
        self.operation: list[int] = []

    def add(
        self,
        rank: int,
        kind: int,
        *,
        seconds: float = 0.0,
        peer: int = -1,
        held: float = 0.0,
        tag: int = 0,
        request: int = -1,
        operation: int = -1,
    ) -> None:
        """Append an event."""
        self.rank.append(rank)
        self.kind.append(kind)
        self.seconds.append(seconds)
        self.peer.append(peer)
        self.bytes.append(held)
        self.tag.append(tag)
        self.request.append(request)
        self.operation.append(operation)

    def tell(self, text: str) -> None:
        """Keep a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def size(self, line: ActionLine, position: int) -> float:
        """Return the bytes of the type whose code stands at a position, of the default type where nothing stands."""
        if position >= len(line.words):
            return self.default[int(line.words[0])]
        code = whole(line, position)
        if code not in self.sizes:
            raise InputError(
                f"type {code}",
                key=line.place,
                allowed=f"{one_of(map(str, self.sizes))}; others by their size, --type-size {code}=8",
            )
        return self.sizes[code]

    def compute(self, line: ActionLine, flops: float) -> None:
        """Append the time of some flops, if there are any."""
        if flops > 0.0 and self.flop_rate is None:
            raise InputError(
                f"computes {flops:g} flops, and no rate is given", key=line.place, allowed="--flop-rate, such as 1e9"
            )
        if flops < 0.0:
            raise InputError(f"{flops:g} flops", key=line.place, allowed="0 or more")
        self.add(int(line.words[0]), COMPUTE, seconds=flops / self.flop_rate if flops and self.flop_rate else 0.0)

    def open_request(self, rank: int, triple: tuple[int, int, int]) -> int:
        """Return the number of a new request of a source, a destination and a tag."""
        number = self.made[rank]
        self.made[rank] += 1
        self.open[rank][number] = triple
        self.of_triple.setdefault((rank, triple), deque()).append(number)
        return number

    def close(self, rank: int, number: int) -> None:
        """Take a request as completed."""
        triple = self.open[rank].pop(number)
        self.of_triple[rank, triple].remove(number)

    def close_all(self, rank: int) -> None:
        """Take all requests of a rank as completed."""
        for triple in self.open[rank].values():
            self.of_triple.pop((rank, triple), None)
        self.open[rank].clear()

    def close_what_is_open(self) -> None:
        """Append a waitall to each rank that has open requests at the end."""
        left = [rank for rank in range(self.ranks) if self.open[rank]]
        for rank in left:
            self.add(rank, WAITALL)
            self.close_all(rank)
        if left:
            self.tell(f"a closing waitall was added to {len(left)} ranks with open requests: {one_of(map(str, left))}")


def number(line: ActionLine, position: int) -> float:
    """Return the number at a position of a line."""
    if position >= len(line.words):
        raise InputError(f"{line.words[1]} has {len(line.words) - 2} values", key=line.place, allowed="more of them")
    text = line.words[position]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise InputError(shown(text), key=line.place, allowed="a number")
    return value


def whole(line: ActionLine, position: int) -> int:
    """Return the whole number at a position of a line."""
    value = number(line, position)
    if value != math.floor(value) or abs(value) >= 2.0**53:
        raise InputError(shown(line.words[position]), key=line.place, allowed="a whole number")
    return int(value)


def _init(actions: Actions, line: ActionLine) -> None:
    actions.default[int(line.words[0])] = 8.0 if len(line.words) > 2 else 1.0


def _compute(actions: Actions, line: ActionLine) -> None:
    actions.compute(line, number(line, 2))


def _sleep(actions: Actions, line: ActionLine) -> None:
    seconds = number(line, 2)
    if seconds < 0.0:
        raise InputError(f"sleep {seconds:g}", key=line.place, allowed="seconds >= 0")
    actions.add(int(line.words[0]), COMPUTE, seconds=seconds)


def _message(kind: int) -> Callable[[Actions, ActionLine], None]:
    sends, asks = kind in (SEND, ISEND), kind in (ISEND, IRECV)

    def read(actions: Actions, line: ActionLine) -> None:
        rank, peer = int(line.words[0]), whole(line, 2)
        tagged = len(line.words) > 4
        tag, count = (whole(line, 3), number(line, 4)) if tagged else (0, number(line, 3))
        if count < 0.0 and sends:
            raise InputError(f"{line.words[1]} of {count:g}", key=line.place, allowed="a count >= 0")
        held = max(count, 0.0) * actions.size(line, 5)
        triple = (rank, peer, tag) if sends else (peer, rank, tag)
        request = actions.open_request(rank, triple) if asks else -1
        actions.add(rank, kind, peer=peer, held=held, tag=tag, request=request)

    return read


def _wait(actions: Actions, line: ActionLine) -> None:
    rank = int(line.words[0])
    opened = actions.open[rank]
    if len(line.words) == 2:
        if not opened:
            raise InputError("wait, and no request is open", key=line.place, allowed="an isend or irecv before it")
        request = next(reversed(opened))
    else:
        triple = (whole(line, 2), whole(line, 3), whole(line, 4))
        waiting = actions.of_triple.get((rank, triple))
        if not waiting:
            near = max(opened.values(), key=lambda candidate: sum(map(int.__eq__, candidate, triple)), default=None)
            raise InputError(
                f"wait {' '.join(map(str, triple))}, and no such request is open",
                key=line.place,
                allowed="source, destination and tag of an open request"
                + (f"; nearest: wait {' '.join(map(str, near))}" if near else ""),
            )
        request = waiting[0]
    actions.close(rank, request)
    actions.add(rank, WAIT, request=request)


def _waitall(actions: Actions, line: ActionLine) -> None:
    rank = int(line.words[0])
    actions.close_all(rank)
    actions.add(rank, WAITALL)


def _collective(
    operation: str, *, flops: bool = False, root: bool = False, counts: int = 1
) -> Callable[[Actions, ActionLine], None]:
    """Return what reads ``count [flops] [root] [type]``; two counts where sent and received may differ."""
    which = OPERATIONS.index(operation)

    def read(actions: Actions, line: ActionLine) -> None:
        after = 2 + counts + flops
        extra = len(line.words) - after
        # An allgather has no root in SimGrid; a third value can only be one.
        has_root = root or (operation == "allgather" and extra > 2)
        held = number(line, 2) * actions.size(line, after + has_root)
        _add(actions, line, which, held)
        if flops and (work := number(line, 2 + counts)):
            actions.compute(line, work)

    return read


def _add(actions: Actions, line: ActionLine, operation: int, held: float) -> None:
    if held < 0.0:
        raise InputError(f"{line.words[1]} of {held:g} B", key=line.place, allowed="a count >= 0")
    actions.add(int(line.words[0]), COLLECTIVE, held=held, operation=operation)


def _barrier(actions: Actions, line: ActionLine) -> None:
    _add(actions, line, OPERATIONS.index("barrier"), 0.0)


def _of_blocks(
    operation: str, first: int, after: int, *, root: bool = False, flops: bool = False
) -> Callable[[Actions, ActionLine], None]:
    """Return what reads an operation with a count for each rank: the mean of them counts.

    `first` is where the counts begin, `after` how many values stand between them and the root or the type; minus one:
    another row of counts with a size before it.
    """
    which = OPERATIONS.index(operation)

    def read(actions: Actions, line: ActionLine) -> None:
        ranks = actions.ranks
        counts = [number(line, first + rank) for rank in range(ranks)]
        place = first + ranks + (after if after >= 0 else ranks + 1) + root
        if operation == "allgather" and len(line.words) - place >= ranks + 2:
            place = len(line.words) - 2  # displacements stand before the types
        elif operation == "allgather" and len(line.words) - place == ranks > 2:
            place = len(line.words)
        _add(actions, line, which, sum(counts) / ranks * actions.size(line, place))
        if flops and (work := number(line, first + ranks)):
            actions.compute(line, work)

    return read


ACTIONS: dict[str, Callable[[Actions, ActionLine], None]] = {
    "init": _init,
    "compute": _compute,
    "sleep": _sleep,
    "send": _message(SEND),
    "isend": _message(ISEND),
    "recv": _message(RECV),
    "irecv": _message(IRECV),
    "wait": _wait,
    "waitall": _waitall,
    "barrier": _barrier,
    "bcast": _collective("bcast", root=True),
    "reduce": _collective("reduce", flops=True, root=True),
    "allreduce": _collective("allreduce", flops=True),
    "scan": _collective("scan", flops=True),
    "alltoall": _collective("alltoall", counts=2),
    "gather": _collective("gather", root=True, counts=2),
    "scatter": _collective("scatter", root=True, counts=2),
    "allgather": _collective("allgather", counts=2),
    "reducescatter": _of_blocks("reduce_scatter", 2, 1, flops=True),
    "alltoallv": _of_blocks("alltoall", 3, -1),
    "allgatherv": _of_blocks("allgather", 3, 0),
    "gatherv": _of_blocks("gather", 3, 0, root=True),
    "scatterv": _of_blocks("scatter", 2, 1, root=True),
}
"""What reads each action; a reduction's flops are computed after it."""
