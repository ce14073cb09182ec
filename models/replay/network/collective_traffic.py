"""Messages of collective operations, by an algorithm for each: what a trace does not hold.

All messages of a round count with the largest size of the round, as in the times of algorithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import COLLECTIVES
from dse.models.collectives.algorithms.rounds import ROUNDS, flows_of_round, rounds_of
from dse.models.collectives.costs.best import best
from dse.models.replay.network.network import Network
from dse.models.replay.network.traffic import Traffic
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import OPERATIONS

__all__ = ["NOT_EXPANDED", "Expanded", "with_collectives"]

NOT_EXPANDED = "no algorithm known"
_TO_ALL = ("direct", "direct_single_engine")
_FROM_ROOT = ("flat", "flat_pers")
_TOWARDS_ROOT = ("reduce", "gather")


class Expanded(NamedTuple):
    """Traffic with that of the collectives, and the algorithms that it is of, by operation."""

    traffic: Traffic
    algorithms: dict[str, tuple[str, ...]]


def with_collectives(trace: Trace, traffic: Traffic, network: Network) -> Expanded:
    """Add the messages of the collective operations of a trace to its traffic; rank 0 is the root of all.

    Parameters
    ----------
    trace : Trace
    traffic : Traffic
        Of its sends.
    network : Network
        Single numbers. The algorithm is the one it names, else the quickest of those whose messages are known here:
        rounds, direct exchange, flat trees. `NOT_EXPANDED` stands where none is defined for so many ranks.
    """
    parts = [(traffic.source, traffic.destination, traffic.bytes, traffic.messages)]
    chosen: dict[str, dict[str, None]] = {}
    _, which, held = trace.collectives
    for operation, size in sorted(set(zip(which.tolist(), held.tolist(), strict=True))):
        name = OPERATIONS[operation]
        count = int(((which == operation) & (held == size)).sum())
        algorithm = _algorithm(name, size, trace.ranks, network)
        chosen.setdefault(name, {})[algorithm] = None
        if algorithm == NOT_EXPANDED:
            continue
        for source, destination, share, times in _flows(name, algorithm, trace.ranks):
            number = np.full(len(source), float(count * times))
            parts.append((source, destination, number * size * share, number))
    source, destination, sizes, messages = (np.concatenate(column) for column in zip(*parts, strict=True))
    apart = source != destination
    added = Traffic.of_flows(trace.ranks, source[apart], destination[apart], sizes[apart], messages[apart])
    return Expanded(added, {name: tuple(algorithms) for name, algorithms in chosen.items()})


def _algorithm(name: str, size: float, ranks: int, network: Network) -> str:
    known = tuple(
        algorithm for algorithm in COLLECTIVES[name] if algorithm in ROUNDS or algorithm in (*_TO_ALL, *_FROM_ROOT)
    )
    named = None if isinstance(network.collectives, str) else network.collectives.get(name)
    if named in known:
        return str(named)
    if ranks == 1:
        return known[0]
    net = LogGP(
        latency=network.latency,
        overhead=network.overhead,
        receiver_overhead=np.minimum(network.receiver_overhead, network.overhead),
        byte_time=network.byte_time,
    )
    try:
        return str(best(name, ranks, size, net, among=known).algorithm)
    except InputError:  # none of them is defined for so many ranks
        return NOT_EXPANDED


def _flows(name: str, algorithm: str, ranks: int) -> Iterator[tuple[np.ndarray, np.ndarray, float, int]]:
    """Yield sources, destinations, size of a message over that of the operation, and how often."""
    rank = np.arange(ranks)
    if algorithm in _TO_ALL:
        for step in range(1, ranks):
            yield rank, (rank + step) % ranks, 1.0, 1
        return
    if algorithm in _FROM_ROOT:
        root, others = np.zeros(ranks - 1, dtype=rank.dtype), rank[1:]
        yield (others, root, 1.0, 1) if name in _TOWARDS_ROOT else (root, others, 1.0, 1)
        return
    for round_ in rounds_of(algorithm, ranks):
        source, destination = flows_of_round(round_, ranks)
        ends = (destination, source) if name in _TOWARDS_ROOT else (source, destination)
        yield *ends, round_.share, round_.times
