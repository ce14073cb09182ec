"""Patterns without a root: everyone sends in every round, or to everyone in turn.

In all formulas m = ceil(lg P), a = o + sG and b = L + o_r.
"""

from __future__ import annotations

import numpy as np

from dse.models.collectives.algorithms.geometry import bits_set, ceil_log2, floor_log2, is_power_of_two
from dse.models.collectives.algorithms.loggp import LogGP, steps
from dse.models.collectives.algorithms.parts import Parts, only

__all__ = [
    "bruck_allgather",
    "bruck_alltoall",
    "butterfly",
    "butterfly_pers",
    "direct",
    "direct_single_engine",
    "dissemination",
    "pairwise",
    "rabenseifner",
    "reduce_scatter_halving",
    "ring_allgather",
    "ring_allreduce",
    "scan_direct",
    "scan_dissemination",
    "vdg_rd",
    "vdg_ring",
]


def direct(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Everyone sends its block to everyone in turn, receiving meanwhile: T = (P - 1) a + b."""
    start, hop, byte = steps(net)
    others = processes - 1.0
    all_pairs = processes * others
    return only(processes, Parts(others * (start + size * byte) + hop, all_pairs, all_pairs * size, others))


def direct_single_engine(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The same where a process does not receive while it sends, and sends first.

    T = max(max(n a, a + L) + n o_r, n a + L + o_r), n = P - 1.
    """
    start, hop, byte = steps(net)
    others = processes - 1.0
    send, receive = start + size * byte, np.asarray(net.receiver_overhead)
    flight = hop - receive
    time = np.maximum(np.maximum(others * send, send + flight) + others * receive, others * send + hop)
    all_pairs = processes * others
    return only(processes, Parts(time, all_pairs, all_pairs * size, others))


def butterfly(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Ranks exchange all of s at distances 1, 2, 4 …: T = m (a + b) for powers of two.

    Of other P the r = P - 2^q surplus ranks, q = floor(lg P), hand in before and get the result after:
    T = q (a + b) + 2 (a + b), messages 2^q q + 2 r. That is rounds in step: ranks
    without a surplus one begin at once, so the true time is from half of it to q o_r more.
    """
    start, hop, byte = steps(net)
    exchange = start + size * byte + hop
    rounds = floor_log2(processes)
    inner = 1 << rounds
    surplus = processes - inner
    folded = surplus > 0
    messages = inner * 1.0 * rounds + 2.0 * surplus
    sends = rounds + 1.0 * folded
    return only(processes, Parts((rounds + 2.0 * folded) * exchange, messages, messages * size, sends))


def dissemination(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """In round k rank r sends to r + 2^k: T = m (a + b), for any P."""
    start, hop, byte = steps(net)
    rounds = ceil_log2(processes)
    messages = processes * 1.0 * rounds
    return only(processes, Parts(rounds * (start + size * byte + hop), messages, messages * size, rounds * 1.0))


def bruck_allgather(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Blocks double from round to round: T = m (o + b) + (P - 1) sG, for any P."""
    start, hop, byte = steps(net)
    rounds, others = ceil_log2(processes), processes - 1.0
    time = rounds * (start + hop) + others * size * byte
    return only(processes, Parts(time, processes * 1.0 * rounds, processes * others * size, rounds * 1.0))


def butterfly_pers(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Recursive doubling: an allgather by exchanges at distances 1, 2, 4 …, as `bruck_allgather`, for powers of two."""
    return only(processes, bruck_allgather(processes, size, net), is_power_of_two(processes))


def bruck_alltoall(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """In round k everyone sends on the blocks whose way has bit k: T = m (o + b) + sG B, for any P.

    B is the number of bits set in all numbers below P: P m / 2 for powers of two.
    """
    start, hop, byte = steps(net)
    rounds, blocks = ceil_log2(processes), bits_set(processes)
    time = rounds * (start + hop) + size * byte * blocks
    return only(processes, Parts(time, processes * 1.0 * rounds, processes * blocks * size, rounds * 1.0))


def ring_allgather(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Everyone passes on to its neighbour what it got last: T = (P - 1)(a + b)."""
    start, hop, byte = steps(net)
    others = processes - 1.0
    messages = processes * others
    return only(processes, Parts(others * (start + size * byte + hop), messages, messages * size, others))


def pairwise(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """An all-to-all in rounds, each at one distance and after the one before: T = (P - 1)(a + b)."""
    return ring_allgather(processes, size, net)


def ring_allreduce(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The parts of the vector go round twice: T = 2 (P - 1)(o + sG/P + b)."""
    start, hop, byte = steps(net)
    others = processes - 1.0
    time = 2.0 * others * (start + size / processes * byte + hop)
    return only(processes, Parts(time, 2.0 * processes * others, 2.0 * others * size, 2.0 * others))


def rabenseifner(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Halving, then doubling: T = 2m (o + b) + 2 sG (P - 1)/P, for powers of two."""
    start, hop, byte = steps(net)
    rounds, others = ceil_log2(processes), processes - 1.0
    time = 2.0 * rounds * (start + hop) + 2.0 * size * byte * (others / processes)
    parts = Parts(time, 2.0 * processes * rounds, 2.0 * others * size, 2.0 * rounds)
    return only(processes, parts, is_power_of_two(processes))


def reduce_scatter_halving(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The first half of `rabenseifner` on a vector of P s: T = m (o + b) + (P - 1) sG, for powers of two."""
    return butterfly_pers(processes, size, net)


def vdg_rd(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """A broadcast by a binomial scatter and recursive doubling: T = 2m (o + b) + 2 sG (P - 1)/P, powers of two."""
    start, hop, byte = steps(net)
    rounds, others = ceil_log2(processes), processes - 1.0
    time = 2.0 * rounds * (start + hop) + 2.0 * size * byte * (others / processes)
    messages, moved = others + processes * 1.0 * rounds, size * (rounds / 2.0 + others)
    return only(processes, Parts(time, messages, moved, 2.0 * rounds), is_power_of_two(processes))


def vdg_ring(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The same with a ring: T = m (o + b) + sG (P - 1)/P + (P - 1)(o + b + sG/P), for powers of two."""
    start, hop, byte = steps(net)
    rounds, others = ceil_log2(processes), processes - 1.0
    scatter = rounds * (start + hop) + size * byte * (others / processes)
    time = scatter + others * (start + hop + size / processes * byte)
    messages, moved = others + processes * others, size * (rounds / 2.0 + others)
    return only(processes, Parts(time, messages, moved, rounds + others), is_power_of_two(processes))


def scan_direct(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Rank r sends to r + 1, r + 2 … in this order: T = (P - 1) a + b, for any P."""
    start, hop, byte = steps(net)
    others = processes - 1.0
    pairs = processes * others / 2.0
    return only(processes, Parts(others * (start + size * byte) + hop, pairs, pairs * size, others))


def scan_dissemination(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """In round k rank r sends to r + 2^k where that exists: T = m (a + b), messages P m - (2^m - 1).

    Exact for powers of two, an upper bound for other P.
    """
    start, hop, byte = steps(net)
    rounds = ceil_log2(processes)
    messages = processes * 1.0 * rounds - ((1 << rounds) - 1.0)
    return only(processes, Parts(rounds * (start + size * byte + hop), messages, messages * size, rounds * 1.0))
