"""Energy of a job with failures and checkpoints, and the interval that needs least of it.

Per second of useful work, with powers of the whole system: E = P_busy b + P_io c + P_restart r, exact for the shares of
`dse.models.resilience.time_shares`. The best interval for energy is longer or shorter than that for time as soon as
checkpoints and computing draw different powers.

At the interval tau, with x = tau/M, y = delta/M and k = e^(R/M) - 1, it is E = (A e^y (e^x - 1) + B (e^y - 1))/x with
A = P_busy + k P_restart and B = P_io + k P_restart. Its least is where e^x (x - 1) + 1 = q, q = (B/A)(1 - e^-y); with
equal powers that is the interval of least time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.arguments import refuse_shapes
from dse.errors import InputError
from dse.models.resilience.ranges import in_range
from dse.models.resilience.time_shares import TimeShares, time_shares

__all__ = ["energy_optimal_interval", "energy_per_useful_second", "first_order_energy"]

_STEPS = 12  # from above, of a convex function: the root of the largest q takes ten
_SERIES_BELOW = 1e-2  # of sqrt(2 q): five terms are exact to 3e-12 here, the differences below lose digits
_LARGEST_RATIO = 1e300  # of powers, so that no exponential overflows


def energy_per_useful_second(shares: TimeShares, busy_power: Any, io_power: Any, restart_power: Any) -> Any:
    """Return the mean energy per second of useful work, P_busy b + P_io c + P_restart r [W].

    Parameters
    ----------
    shares : TimeShares
    busy_power, io_power, restart_power : array_like
        Power of the whole system while it computes, writes checkpoints, restarts [W].
    """
    with np.errstate(over="ignore"):  # where hardly anything is useful
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
    """Return the interval that needs least energy [s], exact: the root of e^x (x - 1) + 1 = q times M.

    Infinite where nothing fails; 0, the limit, where checkpoints take no time, or neither they nor restarts any power.

    Parameters
    ----------
    cost : array_like
        Time of a checkpoint, delta [s], 0 or more.
    mean_time_between_failures : array_like
        Of the whole system, M [s], above 0; may be infinite.
    restart : array_like
        Time of a restart, R [s], 0 or more.
    busy_power, io_power, restart_power : array_like
        Power of the whole system while it computes, writes checkpoints, restarts [W], 0 or more.

    Raises
    ------
    InputError
        A number out of its range; neither computing nor restarts take power, so that no checkpoint ever pays.
    """
    delta = in_range("cost", cost)
    mean = in_range("mean_time_between_failures", mean_time_between_failures, above=True, infinite=True)
    restarted = in_range("restart", restart)
    busy, writes, restarts = (
        in_range(name, power)
        for name, power in (("busy_power", busy_power), ("io_power", io_power), ("restart_power", restart_power))
    )
    read = {"cost": delta, "mean_time_between_failures": mean, "restart": restarted}
    read |= {"busy_power": busy, "io_power": writes, "restart_power": restarts}
    refuse_shapes({name: values.shape for name, values in read.items()})
    after = -np.expm1(-restarted / mean)  # the share of a failure's time that is restarts
    restarts = restarts * after
    computing, writing = busy * (1.0 - after) + restarts, writes * (1.0 - after) + restarts
    if np.any((computing == 0.0) & (delta > 0.0) & np.isfinite(mean)):
        raise InputError(
            "'busy_power' is 0, and so is that of restarts: work done again costs no energy, so the longer the "
            "interval the better",
            allowed="a 'busy_power' above 0",
        )
    ratio = np.where(computing > 0.0, writing / np.where(computing > 0.0, computing, 1.0), 0.0)
    x = _least_energy(np.minimum(ratio * -np.expm1(-delta / mean), _LARGEST_RATIO))
    return np.where(np.isinf(mean), np.inf, x * np.where(np.isinf(mean), 1.0, mean))


def _least_energy(q: Any) -> Any:
    """Return the root x >= 0 of e^x (x - 1) + 1 = q for q >= 0, by Newton from above; by its series where q is small.

    The series in p = sqrt(2 q) is that of Lambert's W at its branch point: x = 1 + W((q - 1)/e).
    """
    p = np.sqrt(2.0 * q)
    series = p * (1.0 + p * (-1.0 / 3.0 + p * (11.0 / 72.0 + p * (-43.0 / 540.0 + p * (769.0 / 17280.0)))))
    x = np.maximum(np.minimum(p, 1.0 + np.log1p(q)), _SERIES_BELOW / 2.0)
    for _ in range(_STEPS):
        rising = x * np.exp(x)
        x = np.maximum(x - (rising - np.expm1(x) - q) / rising, _SERIES_BELOW / 4.0)
    return np.where(p < _SERIES_BELOW, series, x)
