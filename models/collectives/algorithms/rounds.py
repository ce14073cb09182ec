"""Collective operations as rounds: who sends to whom, how much, one round after another.

Every process does its part of a round when it is done with the round before. The schedules are those of Hoefler and
Moor, "Energy, Memory, and Runtime Tradeoffs for Implementing Collective Communication Operations" (2014), Bruck et al.
(1997), and Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH" (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["ROUNDS", "Round", "flows_of_round", "rounds_of"]


class Round(NamedTuple):
    """Messages that are sent at the same time.

    Attributes
    ----------
    pattern : {"exchange", "shift", "tree", "fold", "unfold"}
        exchange: r with r XOR distance; shift: r to r + distance modulo the processes; tree: the multiples of twice the
        distance to r + distance; fold: the processes behind the first 2^q to r - distance; unfold: back to them.
    distance : int
        In ranks; a shift may have a negative one.
    share : float
        Bytes of a message, the largest of the round, in units of the size that the operation is asked with.
    times : int
        So many equal rounds one after another.
    taking_part : int
        An exchange is between the first so many processes.
    """

    pattern: str
    distance: int
    share: float
    times: int = 1
    taking_part: int = 0


def rounds_of(algorithm: str, processes: int) -> list[Round]:
    """Return the rounds of an algorithm.

    Parameters
    ----------
    algorithm : str
        A key of `ROUNDS`.
    processes : int
        P; a power of two for butterfly_pers, rabenseifner, reduce_scatter_halving, vdg_rd and vdg_ring.

    Returns
    -------
    list of Round
        Empty for a single process.

    Raises
    ------
    InputError
        An algorithm without rounds, a number of processes that it is not defined for.

    Examples
    --------
    >>> [(one.pattern, one.distance, one.share) for one in rounds_of("rabenseifner", 4)]
    [('exchange', 2, 0.5), ('exchange', 1, 0.25), ('exchange', 1, 0.25), ('exchange', 2, 0.5)]
    """
    if algorithm not in ROUNDS:
        raise InputError(
            f"'{algorithm}' has no rounds",
            key="algorithm",
            allowed=list(ROUNDS),
            wrong=str(algorithm),
            candidates=ROUNDS,
        )
    if algorithm in _POWERS_OF_TWO and processes & (processes - 1):
        raise InputError(f"{processes}", key="processes", allowed=f"for {algorithm}, powers of two")
    return ROUNDS[algorithm](processes) if processes > 1 else []


def flows_of_round(round_: Round, processes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return who sends to whom in a round: at most one message from each process, and to each."""
    ranks = np.arange(processes)
    if round_.pattern == "shift":
        return ranks, (ranks + round_.distance) % processes
    if round_.pattern == "exchange":
        ranks = ranks[: round_.taking_part]
        return ranks, ranks ^ round_.distance
    if round_.pattern == "tree":
        senders = ranks[:: 2 * round_.distance]
        senders = senders[senders + round_.distance < processes]
        return senders, senders + round_.distance
    surplus = ranks[round_.distance :]
    return (surplus, surplus - round_.distance) if round_.pattern == "fold" else (surplus - round_.distance, surplus)


def _ceil_log2(processes: int) -> int:
    return (processes - 1).bit_length()


def _exchanges(processes: int, share: Callable[[int], float]) -> list[Round]:
    """Return exchanges over the distances 1, 2, 4 … with the share of each."""
    return [
        Round("exchange", 2**bit, share(2**bit), taking_part=processes) for bit in range(processes.bit_length() - 1)
    ]


def _shifts(processes: int, share: Callable[[int], float], sign: int = 1) -> list[Round]:
    """Return shifts by 1, 2, 4 … below P with the share of each."""
    return [Round("shift", sign * 2**bit, share(2**bit)) for bit in range(_ceil_log2(processes))]


def _butterfly(processes: int) -> list[Round]:
    largest = 2 ** (processes.bit_length() - 1)
    inside = _exchanges(largest, lambda distance: 1.0)
    if largest == processes:
        return inside
    # Those beyond the largest power of two hand in their operand, and get the result.
    return [Round("fold", largest, 1.0), *inside, Round("unfold", largest, 1.0)]


def _butterfly_pers(processes: int) -> list[Round]:
    return _exchanges(processes, float)


def _halving(processes: int) -> list[Round]:
    """Return reduce-scatter by halves of a vector of size 1: the farthest partner first."""
    return _exchanges(processes, lambda distance: distance / processes)[::-1]


def _rabenseifner(processes: int) -> list[Round]:
    halves = _halving(processes)
    return halves + halves[::-1]


def _reduce_scatter_halving(processes: int) -> list[Round]:
    return [round_._replace(share=round_.share * processes) for round_ in _halving(processes)]


def _dissemination(processes: int) -> list[Round]:
    return _shifts(processes, lambda distance: 1.0)


def _bruck_allgather(processes: int) -> list[Round]:
    return _shifts(processes, lambda distance: float(min(distance, processes - distance)), sign=-1)


def _bruck_alltoall(processes: int) -> list[Round]:
    blocks = np.arange(processes)
    return _shifts(processes, lambda distance: float(np.count_nonzero(blocks & distance)))


def _ring_allgather(processes: int) -> list[Round]:
    return [Round("shift", 1, 1.0, processes - 1)]


def _ring_allreduce(processes: int) -> list[Round]:
    return [Round("shift", 1, 1.0 / processes, 2 * (processes - 1))]


def _pairwise(processes: int) -> list[Round]:
    return [Round("shift", distance, 1.0) for distance in range(1, processes)]


def _binomial(processes: int) -> list[Round]:
    return [Round("tree", 2**bit, 1.0) for bit in reversed(range(_ceil_log2(processes)))]


def _binomial_pers(processes: int) -> list[Round]:
    # The subtree of the root's child is the largest of a round.
    return [
        round_._replace(share=float(min(round_.distance, processes - round_.distance)))
        for round_ in _binomial(processes)
    ]


def _scattered(processes: int) -> list[Round]:
    """Return the rounds in which a message is scattered, a P-th to each."""
    return [round_._replace(share=round_.share / processes) for round_ in _binomial_pers(processes)]


def _vdg_rd(processes: int) -> list[Round]:
    gather = [round_._replace(share=round_.share / processes) for round_ in _butterfly_pers(processes)]
    return _scattered(processes) + gather


def _vdg_ring(processes: int) -> list[Round]:
    return [*_scattered(processes), Round("shift", 1, 1.0 / processes, processes - 1)]


ROUNDS: dict[str, Callable[[int], list[Round]]] = {
    "binomial": _binomial,
    "vdg_rd": _vdg_rd,
    "vdg_ring": _vdg_ring,
    "binomial_pers": _binomial_pers,
    "butterfly": _butterfly,
    "dissemination": _dissemination,
    "butterfly_pers": _butterfly_pers,
    "bruck_allgather": _bruck_allgather,
    "bruck_alltoall": _bruck_alltoall,
    "ring_allgather": _ring_allgather,
    "ring_allreduce": _ring_allreduce,
    "rabenseifner": _rabenseifner,
    "reduce_scatter_halving": _reduce_scatter_halving,
    "pairwise": _pairwise,
    "scan_dissemination": _dissemination,
}
"""Algorithms that are lists of rounds."""

_POWERS_OF_TWO = ("butterfly_pers", "rabenseifner", "reduce_scatter_halving", "vdg_rd", "vdg_ring")
