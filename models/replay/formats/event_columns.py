"""Columns of a trace that grow event by event, each value in as few bytes as it needs."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dse.models.replay.formats.group_collectives import Step, group_steps
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, OPERATIONS, RECV, SEND, WAIT

__all__ = ["GROUP_TAG", "LEFT_OUT", "EventColumns"]

LEFT_OUT = -2
"""The kind of an event that was taken back."""

GROUP_TAG = 1 << 31
"""Added to the tag of messages of a collective operation of a group, which meet no others."""

_TYPES = {
    "rank": "i",
    "kind": "b",
    "seconds": "d",
    "peer": "i",
    "bytes": "d",
    "tag": "q",
    "request": "q",
    "operation": "b",
    "enter": "d",
    "exit": "d",
    "region": "i",
}


class EventColumns:
    """Events of a run as they are read, those of a rank in program order.

    Attributes
    ----------
    columns : dict of str to array
    requests : int
        Requests that were made; each has a number of its own.
    regions : dict of str to int
        Names of regions and their numbers.
    """

    def __init__(self) -> None:
        self.columns: dict[str, array[Any]] = {name: array(code) for name, code in _TYPES.items()}
        self.requests = 0
        self.regions: dict[str, int] = {}
        self._appends = [self.columns[name].append for name in _TYPES]

    def __len__(self) -> int:
        return len(self.columns["kind"])

    def region(self, name: str) -> int:
        """Return the number of a region."""
        return self.regions.setdefault(name, len(self.regions))

    def add(
        self,
        rank: int,
        kind: int,
        enter: float,
        leave: float,
        *,
        seconds: float = 0.0,
        peer: int = NONE,
        held: float = 0.0,
        tag: int = 0,
        request: int = NONE,
        operation: int = NONE,
        region: int = NONE,
    ) -> int:
        """Add an event; return its place."""
        values = (rank, kind, seconds, peer, held, tag, request, operation, enter, leave, region)
        for append, value in zip(self._appends, values, strict=True):
            append(value)
        return len(self) - 1

    def request(self) -> int:
        """Return a number for a request that no other has."""
        self.requests += 1
        return self.requests - 1

    def add_compute(self, rank: int, enter: float, leave: float, region: int = NONE) -> None:
        """Add a compute event, unless it takes no time."""
        if leave > enter:
            self.add(rank, COMPUTE, enter, leave, seconds=leave - enter, region=region)

    def add_collective(self, rank: int, operation: str, held: float, enter: float, leave: float) -> None:
        """Add a collective operation of all ranks."""
        self.add(rank, COLLECTIVE, enter, leave, held=held, operation=OPERATIONS.index(operation))

    def add_group(
        self,
        rank: int,
        operation: str,
        ranks: Sequence[int],
        held: float,
        root: int,
        tag: int,
        enter: float,
        leave: float,
    ) -> None:
        """Add a collective operation of a group, as its messages: the first has the whole time."""
        own = ranks.index(rank)
        steps = list(group_steps(operation, len(ranks), own, held, root))
        for number, step in enumerate(steps):
            self._add_step(rank, step, ranks, tag + GROUP_TAG, leave if number else enter, leave)

    def _add_step(self, rank: int, step: Step, ranks: Sequence[int], tag: int, enter: float, leave: float) -> None:
        if step.to is None or step.source is None:
            kind, peer = (RECV, step.source) if step.to is None else (SEND, step.to)
            assert peer is not None
            self.add(rank, kind, enter, leave, peer=ranks[peer], held=step.bytes, tag=tag)
            return
        self.add_exchange(rank, (ranks[step.source], tag, step.bytes), (ranks[step.to], tag, step.bytes), enter, leave)

    def add_exchange(
        self, rank: int, received: tuple[int, int, float], sent: tuple[int, int, float], enter: float, leave: float
    ) -> None:
        """Add a receive and a send at the same time, neither of which waits for the other: peer, tag and bytes."""
        first, second = self.request(), self.request()
        self.add(rank, IRECV, enter, enter, peer=received[0], tag=received[1], held=received[2], request=first)
        self.add(rank, ISEND, enter, enter, peer=sent[0], tag=sent[1], held=sent[2], request=second)
        self.add(rank, WAIT, enter, leave, request=first)
        self.add(rank, WAIT, leave, leave, request=second)

    def take_back(self, places: Iterable[int]) -> None:
        """Take events back."""
        for place in places:
            self.columns["kind"][place] = LEFT_OUT

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the columns, without what was taken back, and forget them."""
        kind = np.frombuffer(self.columns["kind"], dtype=np.int8)
        keep = kind != LEFT_OUT
        whole = bool(keep.all())
        taken: dict[str, np.ndarray] = {}
        for name in _TYPES:
            column = np.frombuffer(self.columns.pop(name), dtype=_TYPES[name] if name != "kind" else np.int8)
            taken[name] = column if whole else column[keep]
        return taken
