"""Bytes of a collective operation, from what a recorder says each process sent and received."""

from __future__ import annotations

import numpy as np

__all__ = ["bytes_of_arguments", "bytes_of_transfers", "counts_transfers"]

_OF_ALL = ("allreduce", "allgather", "alltoall", "reduce_scatter")
_RECEIVED = ("bcast", "scatter", "reduce_scatter")


def counts_transfers(creator: str) -> bool:
    """Return whether a recorder counts what goes to every member (Score-P), or the arguments of the call (EZTrace)."""
    return creator.startswith(("Score-P", "dse"))


def bytes_of_transfers(operation: str, members: int, sent: int, received: int, transfers: bool) -> float:
    """Return s of an operation [B].

    Parameters
    ----------
    operation : str
        One of `dse.models.replay.trace.kinds.OPERATIONS`.
    members : int
        n, of its communicator.
    sent, received : int
        Of this process [B].
    transfers : bool
        As of `counts_transfers`.

    Notes
    -----
    Score-P counts a message to each member, itself too: n s sent by all of allreduce, allgather, alltoall and
    reduce_scatter, (n - 1) s where the buffer is used in place; n s by the root of bcast and scatter, and received by
    that of gather and reduce; (n - r) s sent and (r + 1) s received by rank r of a scan. Others give the count times
    the size of the type, as the call has it.

    Examples
    --------
    >>> bytes_of_transfers("allreduce", 4, 32, 32, True), bytes_of_transfers("allreduce", 4, 8, 8, False)
    (8.0, 8.0)
    """
    if operation == "barrier":
        return 0.0
    if not transfers:
        if operation in _RECEIVED:
            return float(received or sent)
        return float(sent or received)
    if operation in _OF_ALL:
        return sent / _receivers(members, sent)
    if operation == "scan":
        return (sent + received) / (members - 1 if (sent + received) % (members + 1) and members > 1 else members + 1)
    if operation in ("bcast", "scatter"):
        return float(received) if received else sent / max(members - (operation == "scatter"), 1)
    return float(sent) if sent else received / max(members - 1, 1)


def bytes_of_arguments(operation: str, sent: np.ndarray, received: np.ndarray) -> np.ndarray:
    """Return s of many calls of an operation whose arguments are known [B], as `bytes_of_transfers` without transfers.

    Examples
    --------
    >>> bytes_of_arguments("bcast", np.array([8, 0]), np.array([0, 16])).tolist()
    [8.0, 16.0]
    """
    if operation == "barrier":
        return np.zeros(len(sent))
    wanted, other = (received, sent) if operation in _RECEIVED else (sent, received)
    return np.where(wanted != 0, wanted, other).astype(float)


def _receivers(members: int, sent: int) -> int:
    """Return n, or n - 1 where only that leaves whole words of four bytes, or whole bytes: a buffer used in place."""
    for word in (4, 1):
        for count in (members, members - 1):
            if count and sent % (word * count) == 0:
                return count
    return members
