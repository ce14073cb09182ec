"""Collective operations of groups of nodes in a machine: fixed time and time per byte of every algorithm, as arrays.

The nodes stand in a square of R = sqrt(nodes) rows and columns. A row is R nodes one behind the other, a column every
R-th node, and all rows, or all columns, communicate at once. Each time is affine in the bytes s of a message,

    T = latency + s per_byte = sum over the rounds of (hop + share s/B)

with the latency of a message ("hop", both ends included) and the bandwidth B of each round. R need not be whole: it
stands for a grid whose sides are near it, and takes ceil(lg R) rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["COSTS", "Cost", "Hops", "cost_names", "group_costs"]

MOST_ROUNDS = 20
"""Doublings of a group: up to 2^20 nodes."""

SHIFTS = 32
"""Shifts of an exchange of all with all that are looked at, spread evenly over all of them; the mean stands for all.

Within 1 % of all shifts of 64 to 128 nodes on HyperX and dragonflies, 7 % on a torus of 16,384 nodes.
"""

Cost = tuple[Any, Any]
"""Latency [s] and time per byte [s/B]."""


class Hops(NamedTuple):
    """Rounds of one kind, an entry of the last axis each: latency of a message [s], and time of a byte [s/B]."""

    latency: Any
    byte_time: Any


class Rounds(NamedTuple):
    """What the messages of a group get.

    Attributes
    ----------
    exchanges, short_exchanges, shifts : Hops
        Of distances 1, 2, 4 … of the group: exchanges, the same over shortest paths alone, shifts.
    next_one : Hops
        Shift by one node of the group.
    others : Hops
        Shifts by distances spread over all of the group.
    alone : ndarray
        Time of a byte of a single message on its worst path [s/B].
    """

    exchanges: Hops
    short_exchanges: Hops
    shifts: Hops
    next_one: Hops
    others: Hops
    alone: Any


class Group(NamedTuple):
    """Nodes of a group, software at both ends of a message [s], and pieces that a chain cuts its message into."""

    nodes: Any
    ends: Any
    pieces: Any

    @property
    def doublings(self) -> Any:
        """Return ceil(lg n)."""
        return np.ceil(np.log2(self.nodes) - 1e-12)

    @property
    def weights(self) -> Any:
        """Return 1 for each round there is and 0 for those beyond."""
        return np.less(np.arange(MOST_ROUNDS), self.doublings[..., None]) * 1.0

    @property
    def folds(self) -> Any:
        """Return 1 for a whole number of nodes that is no power of two: those beyond it hand in, and get back."""
        whole = np.equal(self.nodes, np.rint(self.nodes))
        return np.where(whole & np.not_equal(2.0**self.doublings, self.nodes), 1.0, 0.0)

    @property
    def halves(self) -> Any:
        """Return the share 2^k/2^m of the rounds of halving and doubling."""
        return self.weights * 2.0 ** (np.arange(MOST_ROUNDS) - self.doublings[..., None])

    @property
    def blocks(self) -> Any:
        """Return of each round k of Bruck's exchange how many numbers below n have bit k."""
        count, distance = np.ceil(self.nodes)[..., None], 2.0 ** np.arange(MOST_ROUNDS)
        full = np.floor(count / (2.0 * distance)) * distance
        return full + np.maximum(np.mod(count, 2.0 * distance) - distance, 0.0)


def _sum(weights: Any, values: Any) -> Any:
    return np.sum(weights * values, axis=-1)


def _folded(group: Group, over: Hops, latency: Any, per_byte: Any) -> Cost:
    """Add two rounds over the largest distance, and take one off, where nodes beyond a power of two fold.

    The closed form is that of 2^floor(lg n) nodes with a round of the full operand before and after.
    """
    last = np.maximum(group.doublings - 1.0, 0.0).astype(int)[..., None]
    hop, byte = (np.take_along_axis(np.broadcast_to(hops, group.weights.shape), last, -1)[..., 0] for hops in over)
    return latency + group.folds * hop, per_byte + group.folds * byte


def _butterfly(group: Group, over: Hops) -> Cost:
    return _folded(group, over, _sum(group.weights, over.latency), _sum(group.weights, over.byte_time))


def _binomial(group: Group, rounds: Rounds) -> Cost:
    return _sum(group.weights, rounds.exchanges.latency), group.doublings * rounds.alone


def _scatter(group: Group, rounds: Rounds) -> Cost:
    return _sum(group.weights, rounds.exchanges.latency), np.sum(group.halves, axis=-1) * rounds.alone


def _chain(group: Group, rounds: Rounds) -> Cost:
    """Pieces N: N x + b + (n - 2)(x + b), with x = o + s G/N and b = L + o."""
    half, more = group.ends / 2.0, np.maximum(group.nodes - 2.0, 0.0)
    rest = rounds.next_one.latency - half
    return (group.pieces + more) * half + (1.0 + more) * rest, rounds.alone * (group.pieces + more) / group.pieces


def _vdg_ring(group: Group, rounds: Rounds) -> Cost:
    latency, per_byte = _scatter(group, rounds)
    others = group.nodes - 1.0
    # A side below 2 stands for machines of 2 or 3 nodes: ring and scatter together carry the whole message there too.
    ring = np.maximum(others / group.nodes, 2.0**-group.doublings) * rounds.next_one.byte_time
    return latency + others * rounds.next_one.latency, per_byte + ring


def _vdg_rd(group: Group, rounds: Rounds) -> Cost:
    latency, per_byte = _scatter(group, rounds)
    gather = _sum(group.halves, rounds.exchanges.byte_time)
    return latency + _sum(group.weights, rounds.exchanges.latency), per_byte + gather


def _direct(group: Group, rounds: Rounds) -> Cost:
    """One message after the other: L + o (n - 1) + o, and the byte time of each shift."""
    others = group.nodes - 1.0
    latency = np.mean(rounds.others.latency, axis=-1) + group.ends / 2.0 * (others - 1.0)
    return latency, others * np.mean(rounds.others.byte_time, axis=-1)


def _bruck(group: Group, rounds: Rounds) -> Cost:
    return _sum(group.weights, rounds.shifts.latency), _sum(group.weights * group.blocks, rounds.shifts.byte_time)


_Costing = Callable[[Group, Rounds], Cost]

# Reductions of a few bytes: Rabenseifner's, of twice the messages, overtakes at tens of kilobytes.
_ALLREDUCE: dict[str, _Costing] = {
    "butterfly": lambda group, rounds: _butterfly(group, rounds.short_exchanges),
    "butterfly_over_detours": lambda group, rounds: _butterfly(group, rounds.exchanges),
}
_BCAST: dict[str, _Costing] = {"binomial": _binomial, "chain": _chain, "vdg_rd": _vdg_rd, "vdg_ring": _vdg_ring}
_ALLTOALL: dict[str, _Costing] = {"direct": _direct, "bruck_alltoall": _bruck}

COSTS: dict[str, dict[str, dict[str, _Costing]]] = {
    "machine": {"allreduce": {"butterfly": _ALLREDUCE["butterfly"]}},
    "row": {"bcast": _BCAST, "alltoall": _ALLTOALL},
    "column": {
        "allreduce": _ALLREDUCE,
        "alltoall": _ALLTOALL,
        "shift": {"neighbour": lambda group, rounds: (rounds.next_one.latency, rounds.next_one.byte_time)},
    },
}
"""By group and operation, the algorithms that machines may choose from."""

Messages = Callable[[Any, Any, Any], tuple[Hops, Hops, Hops]]
"""From distances [nodes], bits (NaN where the distance is no power of two) and nodes that a group spans: shifts,
exchanges and exchanges over shortest paths."""


def group_costs(nodes: Any, node_latency: Any, alone: Any, pieces: Any, messages: Messages) -> dict[str, Cost]:
    """Return latency and time per byte of everything in `COSTS`, by names such as ``row_bcast_chain``.

    Parameters
    ----------
    nodes, node_latency, alone, pieces : (designs,) ndarray
        Nodes of the machine, software of both ends of a message [s], time of a byte of a single message [s/B], pieces
        of a chain.
    messages : callable
        What messages get (`Messages`), of arrays (designs, rounds).
    """
    most = np.max(nodes, initial=1.0)
    if most > 2.0**MOST_ROUNDS:
        raise InputError(
            f"'nodes' is {most:g}", allowed=f"at most {2**MOST_ROUNDS} for collective operations of groups"
        )
    side = np.sqrt(nodes)
    costs = {}
    for name, size, stride in (("machine", nodes, nodes * 0.0 + 1.0), ("row", side, side * 0.0 + 1.0),
                               ("column", side, side)):  # fmt: skip
        group = Group(size, node_latency, pieces)
        rounds = _rounds(size, stride, alone, messages, all_shifts="alltoall" in COSTS[name])
        for label, (latency, per_byte) in _costs(name, group, rounds):
            costs[label] = np.where(size > 1.0, latency, 0.0), np.where(size > 1.0, per_byte, 0.0)
    return costs


def cost_names() -> list[str]:
    """Return the names of all costs, such as ``row_bcast_chain``."""
    return [
        f"{group}_{operation}_{algorithm}"
        for group, operations in COSTS.items()
        for operation, algorithms in operations.items()
        for algorithm in algorithms
    ]


def _costs(name: str, group: Group, rounds: Rounds) -> Iterator[tuple[str, Cost]]:
    for operation, algorithms in COSTS[name].items():
        for algorithm, cost in algorithms.items():
            yield f"{name}_{operation}_{algorithm}", cost(group, rounds)


def _rounds(size: Any, stride: Any, alone: Any, messages: Messages, *, all_shifts: bool) -> Rounds:
    span = (size * stride)[:, None]
    doubled = stride[:, None] * 2.0 ** np.arange(MOST_ROUNDS)
    shifts, exchanges, short = messages(np.rint(doubled), np.log2(doubled), span)
    next_one = Hops(shifts.latency[:, 0], shifts.byte_time[:, 0])
    if not all_shifts:
        return Rounds(exchanges, short, shifts, next_one, shifts, alone)
    last = np.maximum(np.ceil(size)[:, None] - 1.0, 1.0)
    steps = np.floor((np.arange(SHIFTS) + 0.5) * last / SHIFTS) + 1.0
    others, _, _ = messages(np.rint(np.minimum(steps, last) * stride[:, None]), None, span)
    return Rounds(exchanges, short, shifts, next_one, others, alone)
