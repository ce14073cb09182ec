"""Calls of collective operations of a profile under the names of the operations, whatever the tool calls them.

``MPI_Allgatherv`` counts as allgather: the prefix and capitals go, and a variant for blocks of different sizes ("v",
"w") counts as the plain operation with the mean block. Operations of neighbours, and others, have no plain name. Calls
that make communicators set a program up: nothing is left out with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dse.models.workload.profile.profile import Collective

__all__ = ["COLLECTIVE_OPERATIONS", "SETUP_CALLS", "CollectiveCalls", "collective_calls", "plain_operation"]

COLLECTIVE_OPERATIONS = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "scan",
    "exscan",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce_scatter",
)
_OTHER_NAMES = {"reduce_scatter_block": "reduce_scatter", "alltoallw": "alltoall"} | {
    f"{name}v": name for name in ("gather", "scatter", "allgather", "alltoall")
}


SETUP_CALLS = frozenset(
    {"comm_create", "comm_create_group", "comm_split", "comm_split_type", "comm_dup", "cart_create"}
)
"""Calls that make communicators, without ``MPI_`` and in lower case."""


class CollectiveCalls(NamedTuple):
    """Calls of one process.

    Attributes
    ----------
    counted : dict of str to Collective
        By operation, those that are called: calls and bytes, None where bytes are not known.
    left_out : dict of str to int
        Calls of what is none of these operations, by the name that the profile has.
    """

    counted: dict[str, Collective]
    left_out: dict[str, int]


def plain_operation(name: str) -> str | None:
    """Return the operation that a tool calls by this name, or None.

    Examples
    --------
    >>> plain_operation("MPI_Allgatherv"), plain_operation("neighbor_alltoall")
    ('allgather', None)
    """
    plain = name.casefold().removeprefix("mpi_")
    plain = _OTHER_NAMES.get(plain, plain)
    return plain if plain in COLLECTIVE_OPERATIONS else None


def collective_calls(collectives: Mapping[str, Collective]) -> CollectiveCalls:
    """Return the calls of a process by operation."""
    counted: dict[str, Collective] = {}
    left_out: dict[str, int] = {}
    for name, calls in collectives.items():
        operation, count = plain_operation(name), calls.count or 0
        if operation is None:
            if count and name.casefold().removeprefix("mpi_") not in SETUP_CALLS:
                left_out[name] = count
        elif count or calls.bytes:
            before = counted.get(operation, Collective(0, 0))
            known = calls.bytes is not None and before.bytes is not None
            counted[operation] = Collective(
                (before.count or 0) + count, (before.bytes or 0) + (calls.bytes or 0) if known else None
            )
    return CollectiveCalls(counted, left_out)
