"""Energy of a job with failures and checkpoints, and the interval that needs least of it.

Per second of useful work, with powers of the whole system: E = P_busy b + P_io c + P_restart r, exact for the shares of
`dse.models.resilience.time_shares`. The best interval for energy is longer or shorter than that for time as soon as
checkpoints and computing draw different powers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.resilience.optimum import optimal_interval
from dse.models.resilience.time_shares import TimeShares, time_shares

__all__ = ["energy_optimal_interval", "energy_per_useful_second", "first_order_energy"]

_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
_SECTIONS = 90  # the golden section to the 90th power is 2e-19


def energy_per_useful_second(shares: TimeShares, busy_power: Any, io_power: Any, restart_power: Any) -> Any:
    """Return the mean energy per second of useful work, P_busy b + P_io c + P_restart r [W].

    Parameters
    ----------
    shares : TimeShares
    busy_power, io_power, restart_power : array_like
        Power of the whole system while it computes, writes checkpoints, restarts [W].
    """
    return (
        np.asarray(busy_power) * shares.busy
        + np.asarray(io_power) * shares.checkpoints
        + np.asarray(restart_power) * shares.restarts
    )


def first_order_energy(
    interval: Any,
    cost: Any,
    mean_time_between_failures: Any,
    restart: Any,
    busy_power: Any,
    io_power: Any,
    restart_power: Any,
) -> Any:
    """Return the same in the first order [W]: completed checkpoints delta/tau, restarts W R/M, all else rework.

    Its total is within 1 % of the exact one; its parts are not, as checkpoints that a failure hits count as rework.
    """
    mean = np.asarray(mean_time_between_failures, dtype=float)
    wall = time_shares(interval, cost, mean, restart).wall
    checkpoints, restarts = np.asarray(cost) / interval, wall * restart / mean
    rework = wall - 1.0 - checkpoints - restarts
    return (
        np.asarray(busy_power) * (1.0 + rework)
        + np.asarray(io_power) * checkpoints
        + np.asarray(restart_power) * restarts
    )


def energy_optimal_interval(
    cost: Any, mean_time_between_failures: Any, restart: Any, busy_power: Any, io_power: Any, restart_power: Any
) -> Any:
    """Return the interval that needs least energy [s], by golden section over its logarithm.

    Searched between a hundredth of the best interval for time and a hundred times that; the energy has one minimum.
    Parameters are those of `time_shares` and `energy_per_useful_second`; a checkpoint must take time, and parts fail.
    """
    best = optimal_interval(cost, mean_time_between_failures)

    def energy(logarithm: Any) -> Any:
        shares = time_shares(best * np.exp(logarithm), cost, mean_time_between_failures, restart)
        return energy_per_useful_second(shares, busy_power, io_power, restart_power)

    shape = np.broadcast_shapes(*(np.shape(one) for one in (best, restart, busy_power, io_power, restart_power)))
    low, high = np.full(shape, -np.log(100.0)), np.full(shape, np.log(100.0))
    for _ in range(_SECTIONS):
        width = _GOLDEN * (high - low)
        left, right = high - width, low + width
        falls = energy(left) > energy(right)
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return best * np.exp(0.5 * (low + high))
