"""The best interval between checkpoints, and the share of time that is useful at it.

Failures are exponential with mean M and strike during work, checkpoints and restarts. With useful work tau between
checkpoints of cost delta and a restart of cost R, a unit of work takes (Daly 2006, the complete form)::

    W(tau) = M e^(R/M) (e^((tau + delta)/M) - 1) / tau

Its least is where x = tau/M solves x + ln(1 - x) + y = 0 with y = delta/M, whatever R. There the useful share is
a = (1 - x) e^(-R/M), and as ln(1 - x) = -(x + y) that is e^-(x + y + R/M), which loses no digits for any y.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "LARGEST_EXPONENT",
    "daly_interval",
    "efficiency_at",
    "first_order_efficiency",
    "optimal_efficiency",
    "optimal_exponent",
    "optimal_interval",
    "young_interval",
]

LARGEST_EXPONENT = 700.0
"""Exponents are clipped here, so that no time becomes infinite: e^700 is 1e304."""

_STEPS = 6
_SERIES_BELOW = 1e-7  # the series of the root is exact to 3e-13 here, Newton's differences lose digits below
_ALL_LOST = 30.0  # 1 - x is e^-(1 + y) to the last digit above


def _optimal_share(y: Any) -> Any:
    """Return the root x of x + ln(1 - x) + y = 0 with 0 <= x <= 1, for y >= 0.

    Six steps of Newton from min(sqrt(2 y), 1 - e^(-1 - y)), which is above the root, so the steps fall to it; below
    y = 1e-7 three terms of its series in sqrt(2 y).
    """
    root = np.sqrt(2.0 * y)
    with np.errstate(over="ignore"):  # where it is not taken
        series = root * (1.0 + root * (-1.0 / 3.0 + root / 36.0))
    within = np.clip(y, _SERIES_BELOW, _ALL_LOST)
    x = np.minimum(np.sqrt(2.0 * within), -np.expm1(-1.0 - within))
    for _ in range(_STEPS):
        x = x + (x + np.log1p(-x) + within) * (1.0 - x) / x
    x = np.minimum(x, -np.expm1(-1.0 - within))
    return np.where(y < _SERIES_BELOW, series, np.where(y > _ALL_LOST, -np.expm1(-1.0 - y), x))


def optimal_exponent(cost: Any, mean_time_between_failures: Any) -> tuple[Any, Any]:
    """Return x = tau/M and y = delta/M at the best interval; x is 0 where nothing ever fails or a checkpoint is free.

    Parameters
    ----------
    cost : array_like
        Time of a checkpoint, delta [s], 0 or more.
    mean_time_between_failures : array_like
        Of the whole system, M [s], above 0; may be infinite.
    """
    y = np.asarray(cost, dtype=float) / np.asarray(mean_time_between_failures, dtype=float)
    return _optimal_share(y), y


def optimal_interval(cost: Any, mean_time_between_failures: Any) -> Any:
    """Return the useful work between checkpoints that loses least time, tau* [s]; it does not depend on the restart.

    Infinite where nothing fails. Parameters are those of `optimal_exponent`.
    """
    mean = np.asarray(mean_time_between_failures, dtype=float)
    x, _ = optimal_exponent(cost, mean)
    return np.where(np.isinf(mean), np.inf, x * np.where(np.isinf(mean), 1.0, mean))


def optimal_efficiency(cost: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> Any:
    """Return the useful share of time at the best interval, a(tau*) = (1 - tau*/M) e^(-R/M), above 0.

    Parameters
    ----------
    cost, mean_time_between_failures : array_like
        As in `optimal_exponent`.
    restart : array_like
        Time of a restart, R [s].
    """
    x, y = optimal_exponent(cost, mean_time_between_failures)
    after = np.asarray(restart, dtype=float) / mean_time_between_failures
    return np.exp(-np.minimum(x + y + after, LARGEST_EXPONENT))


def efficiency_at(interval: Any, cost: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> Any:
    """Return the useful share of time at any interval, 1/W(tau).

    Parameters
    ----------
    interval : array_like
        Useful work between checkpoints, tau [s], above 0.
    cost, mean_time_between_failures, restart : array_like
        As in `optimal_efficiency`.
    """
    mean = np.asarray(mean_time_between_failures, dtype=float)
    tau, delta = np.asarray(interval, dtype=float), np.asarray(cost, dtype=float)
    t = np.minimum((tau + delta) / mean, LARGEST_EXPONENT)
    grown = np.where(t > 0.0, np.expm1(t) / np.where(t > 0.0, t, 1.0), 1.0)
    return tau / (tau + delta) / grown * np.exp(-np.minimum(np.asarray(restart) / mean, LARGEST_EXPONENT))


def young_interval(cost: Any, mean_time_between_failures: Any) -> Any:
    """Return Young's interval, sqrt(2 delta M) [s] (Young 1974): the first order, above the exact one."""
    delta = np.asarray(cost, dtype=float)
    mean = np.where(delta > 0.0, mean_time_between_failures, 0.0)  # what is free is 0, also where nothing fails
    return np.sqrt(2.0 * delta * mean)


def daly_interval(cost: Any, mean_time_between_failures: Any) -> Any:
    """Return Daly's interval [s] (Daly 2006): three terms of the exact one less delta; M from delta = 2 M on."""
    mean = np.asarray(mean_time_between_failures, dtype=float)
    half = np.asarray(cost, dtype=float) / (2.0 * mean)
    with np.errstate(over="ignore"):  # of terms that are not taken
        terms = young_interval(cost, mean) * (1.0 + np.sqrt(half) / 3.0 + half / 9.0) - cost
    return np.where(half < 1.0, terms, mean)


def first_order_efficiency(cost: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> Any:
    """Return 1 - sqrt(2 delta/M) - R/M, for checkpoints much shorter than M alone; negative where many fail."""
    mean = np.asarray(mean_time_between_failures, dtype=float)
    return 1.0 - np.sqrt(2.0 * np.asarray(cost, dtype=float) / mean) - restart / mean
