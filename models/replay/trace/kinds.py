"""The kinds of events of a trace, and the operations of its collectives."""

from __future__ import annotations

from dse.models.workload.profile.collective_calls import COLLECTIVE_OPERATIONS

__all__ = [
    "COLLECTIVE",
    "COMPUTE",
    "IRECV",
    "ISEND",
    "KINDS",
    "ONE_SIDED",
    "OPERATIONS",
    "RECV",
    "SEND",
    "WAIT",
    "WAITALL",
    "of_differing_blocks",
]

ONE_SIDED = ("get", "put", "accumulate", "rmw", "fence", "allfence")
"""Kinds that one rank alone makes; they need measured times, for no replay knows when their target serves them."""

KINDS = ("compute", "send", "isend", "recv", "irecv", "wait", "waitall", "collective", *ONE_SIDED)
COMPUTE, SEND, ISEND, RECV, IRECV, WAIT, WAITALL, COLLECTIVE = range(len(KINDS) - len(ONE_SIDED))

OPERATIONS = tuple(name for name in COLLECTIVE_OPERATIONS if name != "exscan")
"""barrier, bcast, reduce, allreduce, scan, gather, scatter, allgather, alltoall, reduce_scatter: over all ranks."""

_DIFFERING = ("gather", "scatter", "allgather", "alltoall", "reduce_scatter")


def of_differing_blocks(operation: str) -> bool:
    """Return whether the ranks may give an operation blocks of different sizes; the largest counts then."""
    return operation in _DIFFERING
