"""Closed forms of Hoefler and Moor 2014 as they are printed, where the models take a corrected one."""

from __future__ import annotations

from math import floor, log

from dse.models.collectives.algorithms.loggp import LogGP

__all__ = [
    "binary_trees_for_an_allreduce",
    "bruck",
    "direct",
    "height",
    "personalised_kary",
    "simplified_pbt",
    "two_trees_allgather",
]


def height(processes: int, arity: int) -> int:
    """Height of a k-ary tree, floor(log_k P)."""
    return floor(log(processes) / log(arity) + 1e-12)


def personalised_kary(processes: int, size: float, arity: int, net: LogGP) -> float:
    """Time h (L + o (k + 1)) + sG sum_{i=0..h} (h - i) k^i [s], Section 3.1.2."""
    levels = height(processes, arity)
    blocks = sum((levels - i) * arity**i for i in range(levels + 1))
    result: float = levels * (_latency(net) + _overhead(net) * (arity + 1)) + size * _byte(net) * blocks
    return result


def direct(processes: int, size: float, net: LogGP) -> float:
    """Time L + (P - 1)(o + sG) [s], Section 3.1.6."""
    return _latency(net) + (processes - 1) * (_overhead(net) + size * _byte(net))


def simplified_pbt(processes: int, size: float, pieces: int, net: LogGP) -> float:
    """Time lg P (L + 3o + sG/N) [s], Section 3.1.4 and Tables 1 and 2."""
    return height(processes, 2) * (_latency(net) + 3 * _overhead(net) + size * _byte(net) / pieces)


def bruck(processes: int, size: float, net: LogGP) -> tuple[float, float]:
    """Time m (2o + L) + sG (P - 1) [s], bytes P (P - 1) s [B], Section 3.1.7, for an all-to-all too."""
    rounds = (processes - 1).bit_length()
    time = rounds * (2 * _overhead(net) + _latency(net)) + size * _byte(net) * (processes - 1)
    return time, processes * (processes - 1) * size


def two_trees_allgather(processes: int, size: float, arity: int, net: LogGP) -> tuple[float, float]:
    """Time 2 (L + k o) log_k P + 2 sGP [s], energy 2P (e + sE log_k P) [J], Table 2."""
    levels = log(processes) / log(arity)
    time = 2 * (_latency(net) + arity * _overhead(net)) * levels + 2 * size * _byte(net) * processes
    return time, 2 * processes * (float(net.message_energy) + size * float(net.byte_energy) * levels)


def binary_trees_for_an_allreduce(processes: int, size: float, net: LogGP) -> float:
    """Two binary trees of the printed height, 2 h (L + 3o + 2sG) [s], as drawn in Fig. 5."""
    level = _latency(net) + 3 * _overhead(net) + 2 * size * _byte(net)
    return 2 * height(processes, 2) * level


def _latency(net: LogGP) -> float:
    return float(net.latency)


def _overhead(net: LogGP) -> float:
    return float(net.overhead)


def _byte(net: LogGP) -> float:
    return float(net.byte_time)
