"""Time, power and energy of a job over its nodes in closed form: what Amdahl and Gustafson leave possible.

One node that works draws 1, one that waits k = `idle_share`; multiplied by the power of a node (W) and the time on one
node (s) these are watts and joules. In the serial part one node works and n - 1 wait; in the parallel part all work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "grown_energy",
    "grown_time",
    "serial_growth_energy",
    "strong_energy",
    "strong_energy_delay_product",
    "strong_least_energy_delay_nodes",
    "strong_power",
    "strong_speedup",
    "strong_time",
    "weak_energy",
    "weak_power",
    "weak_speedup",
]


def _waiting(nodes: Any, idle_share: Any) -> Any:
    """Return the power while one node works and the others wait, 1 + (n - 1) k."""
    return 1.0 + (nodes - 1.0) * idle_share


def strong_time(nodes: Any, parallel_share: Any) -> Any:
    """Return the time over that on one node, T(n)/T(1) = (1 - p) + p/n (Amdahl; Eq. 1).

    Parameters
    ----------
    nodes : float or ndarray
        n, 1 or more.
    parallel_share : float or ndarray
        p, the share of the time on one node that is spread over the nodes, 0 to 1.

    Returns
    -------
    ndarray
    """
    return (1.0 - parallel_share) + parallel_share / nodes


def strong_speedup(nodes: Any, parallel_share: Any) -> Any:
    """Return S(n) = 1/((1 - p) + p/n)."""
    return 1.0 / strong_time(nodes, parallel_share)


def strong_energy(nodes: Any, idle_share: Any, parallel_share: Any) -> Any:
    """Return the energy over that on one node, E(n)/E(1) = 1 + (n - 1) k (1 - p) (Eq. 4): affine in n.

    Parameters
    ----------
    nodes : float or ndarray
        n, 1 or more.
    idle_share : float or ndarray
        k, power of a node that waits over that of one that works, 0 to 1.
    parallel_share : float or ndarray
        p, 0 to 1.

    Returns
    -------
    ndarray
    """
    return 1.0 + (nodes - 1.0) * idle_share * (1.0 - parallel_share)


def strong_power(nodes: Any, idle_share: Any, parallel_share: Any) -> Any:
    """Return the mean power over that of one node, P(n) = (1 + (n - 1) k (1 - p))/((1 - p) + p/n) (Eq. 3)."""
    return strong_energy(nodes, idle_share, parallel_share) / strong_time(nodes, parallel_share)


def strong_energy_delay_product(nodes: Any, idle_share: Any, parallel_share: Any) -> Any:
    """Return energy times time over those on one node, ((1 - p) + p/n) (1 + (n - 1) k (1 - p))."""
    return strong_time(nodes, parallel_share) * strong_energy(nodes, idle_share, parallel_share)


def strong_least_energy_delay_nodes(idle_share: Any, parallel_share: Any) -> Any:
    """Return the number of nodes with the least energy-delay product: sqrt(p (1 - k (1 - p)))/((1 - p) sqrt(k)).

    It is continuous; below 1 the least is at 1, and infinite where nothing is serial or nodes that wait draw nothing.
    """
    serial = 1.0 - np.asarray(parallel_share, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        nodes = np.sqrt(parallel_share * (1.0 - idle_share * serial)) / (serial * np.sqrt(idle_share))
    grows = (serial > 0.0) & (np.asarray(idle_share) > 0.0)
    return np.where(grows, nodes, np.where(np.asarray(parallel_share) > 0.0, np.inf, 0.0))


def weak_speedup(nodes: Any, parallel_share: Any) -> Any:
    """Return the scaled speedup S(n) = (1 - p*) + n p* (Gustafson; Eq. 5)."""
    return (1.0 - parallel_share) + nodes * parallel_share


def weak_power(nodes: Any, idle_share: Any, parallel_share: Any) -> Any:
    """Return the mean power over that of one node while the problem grows with n (Eq. 6): affine in n.

    P(n) = (1 - p*) (1 + (n - 1) k) + p* n, with p* the share of the time **on n nodes** that is parallel.
    """
    n = nodes
    return (1.0 - parallel_share) * _waiting(n, idle_share) + parallel_share * n


def weak_energy(nodes: Any, idle_share: Any, parallel_share: Any) -> Any:
    """Return the energy over that of the problem on one node: the time stays, so it is the power (Eq. 6)."""
    return weak_power(nodes, idle_share, parallel_share)


def grown_time(nodes: Any, parallel_growth: Any) -> Any:
    """Return the time of an n-fold problem over that on one node, q + (1 - q) n.

    With q = 1 all that is added runs beside the rest (weak scaling), with q = 0 one after the other.
    """
    return parallel_growth + (1.0 - parallel_growth) * nodes


def grown_energy(nodes: Any, idle_share: Any, parallel_growth: Any) -> Any:
    """Return the energy of an n-fold problem over that on one node, q n + (1 - q) n (1 + (n - 1) k).

    Linear in n at q = 1; quadratic at q < 1 where nodes that wait draw power.
    """
    n = nodes
    return parallel_growth * n + (1.0 - parallel_growth) * n * _waiting(n, idle_share)


def serial_growth_energy(nodes: Any, idle_share: Any) -> Any:
    """Return the energy when the whole n-fold problem runs on one node while the others wait, n (1 + (n - 1) k).

    The quadratic bound of weak scaling. It needs a time that grows as n: with the constant time of Eq. 6 the energy is
    affine for every share.
    """
    return grown_energy(nodes, idle_share, 0.0)
