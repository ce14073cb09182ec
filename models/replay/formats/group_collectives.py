"""Collective operations of some of the ranks, written as the messages of an algorithm.

A trace has collective operations of all ranks. Those of a group, as on a communicator of one row of processes or of one
tensor-parallel group, are replayed as messages: rounds in which each member sends and receives at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["SHORT", "Step", "group_steps"]

SHORT = 8192.0
"""Most bytes of an allreduce that goes by rounds of whole vectors; longer ones go round a ring in parts [B]."""


class Step(NamedTuple):
    """What a member does in a round: a send, a receive, or both at once.

    Attributes
    ----------
    to, source : int, optional
        Members, by their place in the group.
    bytes : float
        Of each message [B].
    """

    to: int | None
    source: int | None
    bytes: float


def group_steps(operation: str, members: int, own: int, held: float, root: int = 0) -> Iterator[Step]:
    """Yield the rounds of one member of a group.

    Parameters
    ----------
    operation : str
        One of `dse.models.replay.trace.kinds.OPERATIONS`.
    members : int
        n, of the group.
    own : int
        Its place in the group.
    held : float
        s, as of the collective operations of a trace: of each process, or for each destination [B].
    root : int
        Of bcast, reduce, gather and scatter.

    Notes
    -----
    barrier, allreduce up to `SHORT`: ``ceil(log2 n)`` rounds with the member 2^k further; longer allreduces: a ring of
    ``2 (n - 1)`` rounds of s/n; allgather, reduce_scatter: a ring of ``n - 1`` rounds of s; alltoall: ``n - 1`` rounds
    of s with the member k further; bcast, reduce: a binomial tree; gather, scatter: the root with each; scan: a chain.

    Examples
    --------
    >>> [tuple(step) for step in group_steps("allgather", 3, 0, 8.0)]
    [(1, 2, 8.0), (1, 2, 8.0)]
    """
    if members < 2:
        return
    if operation == "barrier" or (operation == "allreduce" and held <= SHORT):
        distance = 1
        while distance < members:
            yield Step((own + distance) % members, (own - distance) % members, held)
            distance *= 2
    elif operation in ("allreduce", "allgather", "reduce_scatter"):
        rounds, part = (2 * (members - 1), held / members) if operation == "allreduce" else (members - 1, held)
        for _ in range(rounds):
            yield Step((own + 1) % members, (own - 1) % members, part)
    elif operation == "alltoall":
        for distance in range(1, members):
            yield Step((own + distance) % members, (own - distance) % members, held)
    elif operation in ("bcast", "reduce"):
        yield from _tree(operation, members, own, held, root)
    elif operation in ("gather", "scatter"):
        others = [member for member in range(members) if member != root]
        if own != root:
            yield Step(root, None, held) if operation == "gather" else Step(None, root, held)
        else:
            for other in others:
                yield Step(None, other, held) if operation == "gather" else Step(other, None, held)
    else:  # scan
        if own:
            yield Step(None, own - 1, held)
        if own < members - 1:
            yield Step(own + 1, None, held)


def _tree(operation: str, members: int, own: int, held: float, root: int) -> Iterator[Step]:
    """Yield the messages of a binomial tree: down from the root, or up to it."""
    place = (own - root) % members
    parent = (place & (place - 1)) if place else None
    lowest = (place & -place) if place else 1 << (members - 1).bit_length()
    children: list[int] = []
    distance = 1
    while distance < lowest and place + distance < members:
        children.append(place + distance)
        distance *= 2

    def member(number: int) -> int:
        return (number + root) % members

    if operation == "bcast":
        if parent is not None:
            yield Step(None, member(parent), held)
        for child in reversed(children):
            yield Step(member(child), None, held)
        return
    for child in children:
        yield Step(None, member(child), held)
    if parent is not None:
        yield Step(member(parent), None, held)
