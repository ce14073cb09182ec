"""A trace: the events of a run, checked, with what meets what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dse.errors import InputError
from dse.models.replay.trace.collective_order import Collectives, collectives_of
from dse.models.replay.trace.columns import NONE, Columns
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, KINDS, OPERATIONS, SEND, WAIT
from dse.models.replay.trace.matching import partners_of
from dse.models.replay.trace.requests import Requests, requests_of

__all__ = ["MOST_BYTES", "MOST_SECONDS", "Trace"]

MOST_SECONDS, MOST_BYTES = 1e12, 1e18
"""Of one event: what is larger is a fault of the file, and sums of squares could overflow."""


class Trace(Columns):
    """The events of a run, as `Columns`, and which of them meet.

    Made by `dse.models.replay.read_trace` or `dse.models.replay.trace_of_rows`, which check it whole.
    """

    @cached_property
    def partner(self) -> np.ndarray:
        """The receive of each send, and the send of each receive; -1 of other events."""
        return partners_of(self)

    @cached_property
    def requests(self) -> Requests:
        """Which event completes each send and receive that does not block."""
        return requests_of(self)

    @cached_property
    def collectives(self) -> Collectives:
        """The collective operations, which every rank takes part in."""
        return collectives_of(self)

    def checked(self) -> Trace:
        """Return the trace after looking at every event, message, request and collective.

        Raises
        ------
        InputError
            The first fault, with rank and event.
        """
        _check_fields(self)
        _check_clock(self)
        _ = self.requests, self.partner, self.collectives
        return self


def _check_fields(trace: Columns) -> None:
    kind = trace.kind
    point_to_point = (kind >= SEND) & (kind <= IRECV)
    one_sided = kind > COLLECTIVE
    of_all = kind == KINDS.index("allfence")
    rules: Sequence[tuple[np.ndarray, np.ndarray, str, str]] = (
        (
            kind == COMPUTE,
            ~((trace.seconds >= 0.0) & (trace.seconds <= MOST_SECONDS)),
            "seconds",
            f"seconds from 0 to {MOST_SECONDS:g}",
        ),
        (
            point_to_point,
            (trace.peer < 0) | (trace.peer >= trace.ranks),
            "peer",
            f"a rank, 0 to {trace.ranks - 1}; a receive from any source needs the source that came",
        ),
        (point_to_point, trace.peer == trace.rank, "peer", "another rank: messages to oneself are left out"),
        (
            one_sided & ~(of_all & (trace.peer == NONE)),
            (trace.peer < 0) | (trace.peer >= trace.ranks),
            "peer",
            f"its target, 0 to {trace.ranks - 1}; only an allfence may leave it empty, and means all other ranks",
        ),
        (one_sided, trace.peer == trace.rank, "peer", "another rank"),
        (kind == COLLECTIVE, trace.operation < 0, "op", ", ".join(OPERATIONS)),
        (
            point_to_point | (kind >= COLLECTIVE),
            ~((trace.bytes >= 0.0) & (trace.bytes <= MOST_BYTES)),
            "bytes",
            f"bytes from 0 to {MOST_BYTES:g}",
        ),
        (
            (kind == ISEND) | (kind == IRECV) | (kind == WAIT),
            trace.request < 0,
            "request",
            "a whole number >= 0 of the request",
        ),
    )
    for concerned, wrong, name, allowed in rules:
        broken = np.flatnonzero(concerned & wrong)
        if broken.size:
            event = int(broken[0])
            value = getattr(trace, "operation" if name == "op" else name)[event]
            missing = np.isnan(value) if value.dtype.kind == "f" else value == NONE
            fault = f"{name} is missing{'' if value != value else ', or -1'}" if missing else f"{name} is {value:.12g}"
            raise InputError(f"{KINDS[kind[event]]}: {fault}", key=trace.place(event), allowed=allowed)


def _check_clock(trace: Columns) -> None:
    enter, leave = trace.enter, trace.exit
    if trace.one_sided.size:
        missing = np.flatnonzero((trace.kind != COMPUTE) & (np.isnan(enter) | np.isnan(leave)))
        if missing.size:
            fault = "enter and exit are missing in a trace with one-sided calls, which have measured times alone"
            raise InputError(fault, key=trace.place(int(missing[0])), allowed="both of every event but a compute")
    half = np.isnan(enter) != np.isnan(leave)
    infinite = np.isinf(enter) | np.isinf(leave)
    broken = np.flatnonzero(half | infinite | (leave < enter))
    if broken.size:
        event = int(broken[0])
        fault = f"enter is {enter[event]:.12g} s, exit {leave[event]:.12g} s"
        raise InputError(fault, key=trace.place(event), allowed="both or neither, enter <= exit")
    same = trace.rank[1:] == trace.rank[:-1]
    broken = np.flatnonzero(same & (enter[1:] < leave[:-1] - 1e-9 * np.abs(leave[:-1])))
    if broken.size:
        event = int(broken[0]) + 1
        fault = f"enters at {enter[event]:.12g} s, before the event before it has ended ({leave[event - 1]:.12g} s)"
        raise InputError(fault, key=trace.place(event), allowed="the outermost of nested calls, in program order")
