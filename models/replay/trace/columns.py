"""The columns of a trace: what every rank of a run did, event by event."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, KINDS, OPERATIONS, RECV, SEND, WAIT
from dse.units import with_unit

__all__ = ["NONE", "Columns"]

NONE = -1
"""What stands in a whole-number column where an event has no such field."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The events of a run, those of rank 0 first, of each rank in program order.

    Attributes
    ----------
    first : ndarray of int, (ranks + 1,)
        Where the events of each rank begin; the last entry is the number of events.
    kind : ndarray of int
        Index into `KINDS`.
    seconds : ndarray
        Of a compute event [s]; 0 elsewhere.
    peer, tag, request : ndarray of int
        Partner and tag of a message, target of a one-sided call, request of what does not block; -1, 0 and -1 where
        there is none.
    bytes : ndarray
        Of a message or collective operation [B].
    operation : ndarray of int
        Index into `OPERATIONS` of a collective; -1 elsewhere.
    enter, exit : ndarray
        As measured [s], NaN where not.
    region : ndarray of int
        Index into `regions`, -1 where none is given.
    regions : tuple of str
    name, source, licence, clock : str
        What the file says of itself.
    synthetic : bool
        Whether the run is made up.
    warnings : tuple of str
        What reading it added or left out.
    metrics : dict of str to ndarray, (ranks,)
        Counters that the file has beside its events, summed for each rank.
    """

    first: np.ndarray
    kind: np.ndarray
    seconds: np.ndarray
    peer: np.ndarray
    bytes: np.ndarray
    tag: np.ndarray
    request: np.ndarray
    operation: np.ndarray
    enter: np.ndarray
    exit: np.ndarray
    region: np.ndarray
    regions: tuple[str, ...] = ()
    name: str = ""
    source: str = ""
    licence: str = ""
    clock: str = ""
    synthetic: bool = False
    warnings: tuple[str, ...] = ()
    metrics: dict[str, np.ndarray] = field(default_factory=dict)
    graphs: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        made_up = ", synthetic" if self.synthetic else ""
        return f"<{type(self).__name__} {self.name!r}: {self.ranks} ranks, {self.events} events{made_up}>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: {} if name == "graphs" else value for name, value in self.__dict__.items()}

    @property
    def ranks(self) -> int:
        """P."""
        return len(self.first) - 1

    @property
    def events(self) -> int:
        """Events of all ranks."""
        return len(self.kind)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the trace comes from."""
        return (self.source,) if self.source else ()

    @cached_property
    def rank(self) -> np.ndarray:
        """Rank of each event."""
        return np.repeat(np.arange(self.ranks), np.diff(self.first))

    @cached_property
    def is_measured(self) -> bool:
        """Whether every event has the times at which it began and ended."""
        return bool(self.events) and not (np.isnan(self.enter).any() or np.isnan(self.exit).any())

    @cached_property
    def one_sided(self) -> np.ndarray:
        """Events that are one-sided calls."""
        return np.flatnonzero(self.kind > COLLECTIVE)

    @cached_property
    def sends(self) -> np.ndarray:
        """Events that send, blocking or not."""
        return np.flatnonzero((self.kind == SEND) | (self.kind == ISEND))

    def number(self, event: int) -> tuple[int, int]:
        """Return the rank of an event and its number there, from 0."""
        rank = int(np.searchsorted(self.first, event, side="right")) - 1
        return rank, int(event - self.first[rank])

    def place(self, event: int) -> str:
        """Return where an event stands: ``rank 0 event 3``."""
        rank, number = self.number(event)
        return f"rank {rank} event {number}"

    def words(self, event: int) -> str:
        """Return where and what an event is: ``rank 0 event 3 (send 100 kB to 1)``."""
        return f"{self.place(event)} ({self.what(event)})"

    def what(self, event: int) -> str:
        """Return what an event is: ``send 100 kB to 1``."""
        kind = int(self.kind[event])
        if kind == COMPUTE:
            return f"compute {with_unit(float(self.seconds[event]), 's')}"
        if kind == COLLECTIVE:
            result: str = OPERATIONS[self.operation[event]]
            return result
        if kind == WAIT:
            return f"wait for request {int(self.request[event])}"
        if kind > COLLECTIVE and self.peer[event] != NONE:
            return f"{KINDS[kind]} of {int(self.peer[event])}"
        if kind not in (SEND, ISEND, RECV, IRECV):
            return KINDS[kind]
        held = with_unit(float(self.bytes[event]), "B") + " " if self.bytes[event] > 0 else ""
        way = "to" if kind in (SEND, ISEND) else "from"
        tag = f", tag {int(self.tag[event])}" if self.tag[event] else ""
        return f"{KINDS[kind]} {held}{way} {int(self.peer[event])}{tag}"
