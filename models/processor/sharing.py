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

__all__ = [
    "active_sharers",
    "bandwidth_shares",
    "cache_shares",
    "equal_share",
    "loaded_latency",
    "queueing_utilisation",
]

DAMPING = 0.5
TOLERANCE = 1e-13
STEPS = 400
FULL = 1.0 - 2.0**-53


def active_sharers(threads, cores, shared_by):
    """Threads that share one instance of a level when threads spread evenly over the cores.

    Parameters
    ----------
    threads, cores : float or array
    shared_by : float or array
        Cores that share one instance.
    """
    return np.maximum(np.ceil(threads * shared_by / cores), 1.0)


def equal_share(total, threads):
    """Part of one of several equal threads."""
    return total / threads


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
    A fixed point with damping 0.5 from equal shares. Shares that have settled stay as they are while others go on, so
    they are the same in any company.
    """
    everyone = sum(members)
    shares = [np.asarray(size_bytes / everyone, dtype=float) for _ in members]
    scale = np.where(np.greater(size_bytes, 0.0), size_bytes, 1.0)
    settled = np.zeros((), dtype=bool)
    for _ in range(STEPS):
        rates = access_rates(shares)
        total = sum(count * rate for count, rate in zip(members, rates, strict=True))
        some = np.greater(total, 0.0)
        wanted = [
            np.where(some, size_bytes * rate / np.where(some, total, 1.0), size_bytes / everyone) for rate in rates
        ]
        moved = [(1.0 - DAMPING) * share + DAMPING * want for share, want in zip(shares, wanted, strict=True)]
        still = np.ones((), dtype=bool)
        for new, old in zip(moved, shares, strict=True):
            still = still & (np.abs(new - old) <= TOLERANCE * scale)
        shares = [np.where(settled, old, new) for new, old in zip(moved, shares, strict=True)]
        settled = settled | still
        if settled.all():
            break
    return shares, settled


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
    some = np.greater(total, 0.0)
    everyone = sum(members)
    return [
        np.where(some, bandwidth_Bps * demand / np.where(some, total, 1.0), bandwidth_Bps / everyone)
        for demand in demands
    ]


def loaded_latency(dram_latency, utilisation, line_bytes, bandwidth_Bps, f_core_hz):
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
    return dram_latency + waiting * f_core_hz


def queueing_utilisation(utilisation_at: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """Solve u = utilisation_at(u) between 0 and 1.

    Parameters
    ----------
    utilisation_at : callable
        Utilisation that results when latencies are those of a memory in use to u: not negative, and less than u near 1.
    shape : tuple of int
        Of the result.

    Notes
    -----
    Chandrupatla's method ("A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
    without using derivatives", Advances in Engineering Software 28, 1997): it keeps the root between two points, and
    halves where a quadratic through three would not do better. What is found stays as it is while others go on, so it
    is the same in any company.
    """
    before, here = np.full(shape, FULL), np.zeros(shape)
    surplus_before, surplus = utilisation_at(before) - before, utilisation_at(here) - here
    best, done = here, np.less_equal(surplus, 0.0)
    step = np.full(shape, 0.5)
    for _ in range(STEPS):
        if done.all():
            break
        tried = here + step * (before - here)
        surplus_tried = utilisation_at(tried) - tried
        same = np.sign(surplus_tried) == np.sign(surplus)
        third, surplus_third = np.where(same, here, before), np.where(same, surplus, surplus_before)
        before, surplus_before = np.where(same, before, here), np.where(same, surplus_before, surplus)
        here, surplus = tried, surplus_tried
        nearer = np.where(np.abs(surplus) < np.abs(surplus_before), here, before)
        best = np.where(done, best, nearer)
        with np.errstate(divide="ignore", invalid="ignore"):  # where it is done
            least = 2.0 * np.finfo(float).eps * np.abs(nearer) / np.abs(before - here)
            step = _next_step(here, before, third, surplus, surplus_before, surplus_third)
        done = done | (least > 0.5) | (surplus == 0.0)
        step = np.clip(step, least, 1.0 - least)
    return best


def _next_step(here, before, third, surplus, surplus_before, surplus_third):
    """Return where between two points to look next: the zero of a quadratic through three, or half-way."""
    position = (here - before) / (third - before)
    height = (surplus - surplus_before) / (surplus_third - surplus_before)
    fits = (height**2 < position) & ((1.0 - height) ** 2 < 1.0 - position)
    first = surplus / (surplus_before - surplus) * surplus_third / (surplus_before - surplus_third)
    slope = (third - here) / (before - here) * surplus / (surplus_third - surplus)
    second = slope * surplus_before / (surplus_third - surplus_before)
    return np.where(fits, first + second, 0.5)
