"""Time of a collective operation once all ranks have come, T_op."""

from __future__ import annotations

import numpy as np

from dse.errors import InputError
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import cost
from dse.models.replay.network.network import Network
from dse.models.replay.trace.collective_order import Collectives
from dse.models.replay.trace.kinds import OPERATIONS

__all__ = ["operation_times", "simple_time"]

_OF_ROUNDS = ("barrier", "bcast", "reduce", "allreduce", "scan")


def simple_time(operation: str, ranks: int, held: np.ndarray, network: Network) -> np.ndarray:
    """Return T_op by one closed form for each operation.

    Parameters
    ----------
    operation : str
        One of `OPERATIONS`.
    ranks : int
        P.
    held : ndarray
        s [B], of a barrier 0.
    network : Network

    Returns
    -------
    ndarray
        Seconds. ``m (o + o_r + L + s/B)`` with ``m = ceil(log2 P)`` for barrier, bcast, reduce, allreduce and scan;
        ``L + o (P-1) + o_r + (P-1) s/B`` for gather, scatter, allgather, alltoall and reduce_scatter; 0 for P = 1.
    """
    if ranks == 1:
        return np.zeros(np.broadcast_shapes(np.shape(held), network.shape))
    moved = held * network.byte_time
    latency, overhead, receiver = network.latency, network.overhead, network.receiver_overhead
    if operation in _OF_ROUNDS:
        rounds = float((ranks - 1).bit_length())
        return np.asarray(rounds * (overhead + receiver + latency + moved))
    return np.asarray(latency + overhead * (ranks - 1.0) + receiver + (ranks - 1.0) * moved)


def operation_times(collectives: Collectives, ranks: int, network: Network) -> np.ndarray:
    """Return T_op of every collective operation of a trace.

    Parameters
    ----------
    collectives : Collectives
    ranks : int
    network : Network
        Its arrays flat: shape () or (designs,).

    Returns
    -------
    ndarray, (operations,) or (operations, designs)
        Seconds.
    """
    times = np.zeros((len(collectives.operation), *network.shape))
    if ranks == 1 or not len(times):
        return times
    for which in np.unique(collectives.operation):
        rows = np.flatnonzero(collectives.operation == which)
        sizes, of_size = np.unique(collectives.bytes[rows], return_inverse=True)
        held = sizes.reshape(-1, *(1 for _ in network.shape))
        times[rows] = _time(OPERATIONS[which], ranks, held, network)[of_size]
    return times


def _time(operation: str, ranks: int, held: np.ndarray, network: Network) -> np.ndarray:
    chosen = network.collectives
    algorithm = chosen if isinstance(chosen, str) else chosen.get(operation, "best")
    shape = np.broadcast_shapes(held.shape, network.shape)
    if algorithm == "simple":
        return np.broadcast_to(simple_time(operation, ranks, held, network), shape)
    values = (network.latency, network.overhead, network.receiver_overhead, network.byte_time)
    if not any(np.any(value) for value in values):
        return np.zeros(shape)
    try:
        net = LogGP(
            latency=network.latency,
            overhead=network.overhead,
            receiver_overhead=network.receiver_overhead,
            byte_time=network.byte_time,
        )
    except InputError as error:
        raise InputError(
            error.problem, key=error.key, allowed=f'{error.allowed}; or collectives "simple", which has no such limit'
        ) from None
    held = np.broadcast_to(held, shape)
    if algorithm == "best":
        return np.asarray(best(operation, ranks, held, net).time)
    return np.asarray(cost(algorithm, operation, ranks, held, net).time)
