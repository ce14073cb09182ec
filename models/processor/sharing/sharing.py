r"""Several threads on the cores of a chip: what each has of the shared level 3 and of the memory's bandwidth.

Equal threads have equal parts. Threads of different programs divide level 3 in proportion to their accesses per second
(Xu et al. 2010): shares S solve :math:`S_i / S_j = A_i / A_j` with :math:`A_i = f_i F3_i / CPI_i(S_i)`; and the
memory's bandwidth in proportion to what each would use of all of it. The fixed points have no form for ranges: points
only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dse.arithmetic.fixed_point import root_between, settle

__all__ = ["active_sharers", "bandwidth_shares", "cache_shares", "loaded_latency", "queueing_utilisation"]

DAMPING = 0.5
TOLERANCE = 1e-13
STEPS = 400
FULL = 1.0 - 2.0**-53


def active_sharers(threads: np.ndarray, cores: np.ndarray, shared_by: np.ndarray) -> np.ndarray:
    """Threads that share one instance of a level when threads spread evenly over the cores.

    Parameters
    ----------
    threads, cores : float or array
    shared_by : float or array
        Cores that share one instance.
    """
    result: np.ndarray = np.maximum(np.ceil(threads * shared_by / cores), 1.0)
    return result


def cache_shares(
    access_rates: Callable[[Sequence[Any]], Sequence[Any]], size_bytes: Any, members: Sequence[Any]
) -> tuple[list[Any], np.ndarray]:
    """Divide a cache among threads in proportion to how often they access it.

    Parameters
    ----------
    access_rates : callable
        Accesses per second of one thread of each program, for the bytes that one thread of each has.
    size_bytes : float or array
        Of the cache.
    members : sequence of (float or array)
        Threads of each program.

    Returns
    -------
    list of ndarray
        Bytes of one thread of each program; those of all threads add up to the cache.
    ndarray of bool
        Where the shares settled. Whole lines make the rates jump, so shares may go on changing by about a line.

    Notes
    -----
    A fixed point from equal shares (`dse.arithmetic.fixed_point`).
    """
    everyone = sum(members)
    scale = np.where(np.greater(size_bytes, 0.0), size_bytes, 1.0)

    def by_use(shares: Sequence[Any]) -> list[Any]:
        rates = access_rates(shares)
        total = sum(count * rate for count, rate in zip(members, rates, strict=True))
        demanded = np.greater(total, 0.0)
        return [
            np.where(demanded, size_bytes * rate / np.where(demanded, total, 1.0), size_bytes / everyone)
            for rate in rates
        ]

    equal = [np.asarray(size_bytes / everyone, dtype=float) for _ in members]
    return settle(by_use, equal, DAMPING, TOLERANCE * scale, STEPS)


def bandwidth_shares(demands: Sequence[Any], bandwidth_Bps: Any, members: Sequence[Any]) -> list[Any]:
    """Divide the memory's bandwidth in proportion to what one thread of each program would use of all of it.

    Parameters
    ----------
    demands : sequence of (float or array)
        Of one thread of each program [B/s].
    bandwidth_Bps : float or array
        Of the memory.
    members : sequence of (float or array)
        Threads of each program.

    Returns
    -------
    list of ndarray
        Of one thread of each program [B/s]; those of all threads add up to the bandwidth.
    """
    total = sum(count * demand for count, demand in zip(members, demands, strict=True))
    demanded = np.greater(total, 0.0)
    everyone = sum(members)
    return [
        np.where(demanded, bandwidth_Bps * demand / np.where(demanded, total, 1.0), bandwidth_Bps / everyone)
        for demand in demands
    ]


def loaded_latency(
    dram_latency: np.ndarray,
    utilisation: np.ndarray,
    line_bytes: np.ndarray,
    bandwidth_Bps: np.ndarray,
    f_core_hz: np.ndarray,
) -> np.ndarray:
    """Latency of a memory in use [cycles]: T0 and the waiting behind other lines, (b/B) u / (2 (1 - u)).

    Parameters
    ----------
    dram_latency : float or array
        Of an idle memory [cycles].
    utilisation : float or array
        Of its bandwidth, 0 to 1 (exclusive).
    line_bytes, bandwidth_Bps, f_core_hz : float or array
    """
    waiting = line_bytes / bandwidth_Bps * utilisation / (2.0 * (1.0 - utilisation))
    result: np.ndarray = dram_latency + waiting * f_core_hz
    return result


def queueing_utilisation(utilisation_at: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """Solve u = utilisation_at(u) between 0 and 1.

    Parameters
    ----------
    utilisation_at : callable
        Utilisation that results when latencies are those of a memory in use to u: not negative, and less than u near 1.
    shape : tuple of int
        Of the result.
    """
    return root_between(lambda used: utilisation_at(used) - used, np.zeros(shape), np.full(shape, FULL))
