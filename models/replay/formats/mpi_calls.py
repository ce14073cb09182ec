"""Names of MPI's calls, sorted by what a trace without a record inside them says."""

from __future__ import annotations

from collections import Counter

from dse.models.replay.formats.dumpi_text import OTHER
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.workload.profile.collective_calls import SETUP_CALLS

__all__ = ["WAITS", "add_silent", "silent_call"]

WAITS = ("MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall")
_MESSAGES = ("MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace")
_SETUP = frozenset({f"mpi_{name}" for name in SETUP_CALLS} | {"mpi_init", "mpi_init_thread", "mpi_finalize"})


def add_silent(events: EventColumns, rank: int, call: str, enter: float, leave: float, notes: Counter[str]) -> None:
    """Add a call of which nothing is recorded but its times: set-up is left out, else it is other communication."""
    if leave <= enter:
        return
    counts, text = silent_call(call)
    notes[text] += 1
    if counts:
        events.add_compute(rank, enter, leave, events.region(OTHER))


def silent_call(call: str) -> tuple[bool, str]:
    """Return whether the time of such a call counts as other communication, and what is told of it."""
    if call.lower() in _SETUP:
        return False, f"time of calls that set up or end the run was left out: {call}"
    unseen = " (no record of its messages)" if call in _MESSAGES else ""
    return True, f"time of {OTHER}, computed through: {call}{unseen}"
