"""Where the time goes, per second of useful work: busy, checkpoints, restarts; and jobs without checkpoints.

Exact for exponential failures. At an interval tau, with x = tau/M and y = delta/M::

    busy        b = e^y (e^x - 1)/x       useful work 1, rework b - 1
    checkpoints c = (e^y - 1)/x           those completed, delta/tau, and those lost
    restarts    r = W (1 - e^(-R/M))
    W = b + c + r

Without failures b = 1, c = delta/tau and r = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.models.resilience.optimum import LARGEST_EXPONENT, optimal_exponent, optimal_interval

__all__ = [
    "TimeShares",
    "availability_without_checkpoints",
    "optimal_time_shares",
    "time_shares",
    "wall_time_without_checkpoints",
    "whole_interval",
]

_LARGEST_SHARE = 1e304  # as e^700: times stay finite, and so do sums of three of them


class TimeShares(NamedTuple):
    """Seconds per second of useful work.

    Attributes
    ----------
    busy : ndarray
        Computing, useful (1) or lost; b.
    checkpoints : ndarray
        Writing checkpoints, completed or lost; c.
    restarts : ndarray
        Restarting, completed or struck again; r.
    """

    busy: Any
    checkpoints: Any
    restarts: Any

    @property
    def wall(self) -> Any:
        """Seconds on the clock per second of useful work, W = b + c + r."""
        return self.busy + self.checkpoints + self.restarts

    @property
    def efficiency(self) -> Any:
        """Useful share of time, 1/W."""
        return 1.0 / self.wall


def time_shares(interval: Any, cost: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> TimeShares:
    """Return where the time goes at an interval.

    Parameters
    ----------
    interval : array_like
        Useful work between checkpoints, tau [s], above 0.
    cost : array_like
        Time of a checkpoint, delta [s].
    mean_time_between_failures : array_like
        Of the whole system, M [s]; infinite: nothing fails.
    restart : array_like
        Time of a restart, R [s].
    """
    mean = np.asarray(mean_time_between_failures, dtype=float)
    tau, delta = np.asarray(interval, dtype=float), np.asarray(cost, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):  # an infinite interval where nothing fails; none at all
        x = np.where(np.isinf(mean), 0.0, tau / mean)
        per_interval = np.where(delta > 0.0, delta / tau, 0.0)
    return _shares(x, delta / mean, np.asarray(restart, dtype=float) / mean, per_interval)


def optimal_time_shares(cost: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> TimeShares:
    """Return where the time goes at the best interval; parameters are those of `time_shares`."""
    mean = np.asarray(mean_time_between_failures, dtype=float)
    x, y = optimal_exponent(cost, mean)
    per_interval = np.where(y > 0.0, y / np.where(x > 0.0, x, 1.0), 0.0)
    return _shares(x, y, np.asarray(restart, dtype=float) / mean, per_interval)


def _shares(x: Any, y: Any, after: Any, per_interval: Any) -> TimeShares:
    """Return the shares from tau/M, delta/M, R/M and delta/tau, clipped so that all stay finite."""
    x = np.minimum(x, LARGEST_EXPONENT)
    y = np.minimum(y, LARGEST_EXPONENT - x)
    after = np.minimum(after, LARGEST_EXPONENT)
    with np.errstate(over="ignore"):
        busy = np.exp(y) * _growth(x)
        checkpoints = np.minimum(per_interval * _growth(y), _LARGEST_SHARE)
        restarts = np.minimum((busy + checkpoints) * np.expm1(after), _LARGEST_SHARE)
    return TimeShares(busy + 0.0 * restarts, checkpoints + 0.0 * restarts, restarts)


def _growth(x: Any) -> Any:
    """Return (e^x - 1)/x, 1 at 0."""
    return np.where(x > 0.0, np.expm1(x) / np.where(x > 0.0, x, 1.0), 1.0)


def wall_time_without_checkpoints(useful_time: Any, mean_time_between_failures: Any, restart: Any = 0.0) -> Any:
    """Return the expected time of a job that starts anew after each failure, M e^(R/M) (e^(T/M) - 1) [s].

    The better choice for a job shorter than the best interval. Exponents are clipped at 700.

    Parameters
    ----------
    useful_time : array_like
        Work of the job, T [s].
    mean_time_between_failures, restart : array_like
        As in `time_shares`.
    """
    mean = np.asarray(mean_time_between_failures, dtype=float)
    work = np.asarray(useful_time, dtype=float)
    x = np.minimum(work / mean, LARGEST_EXPONENT)
    after = np.minimum(np.asarray(restart, dtype=float) / mean, LARGEST_EXPONENT - x)
    with np.errstate(over="ignore"):
        return np.minimum(work * _growth(x) * np.exp(after), _LARGEST_SHARE)


def whole_interval(useful_time: Any, cost: Any, mean_time_between_failures: Any) -> Any:
    """Return the interval of a job cut into a whole number of them, T/ceil(T/tau*) [s], the job where that is shorter.

    Parameters
    ----------
    useful_time : array_like
        Work of the job, T [s].
    cost, mean_time_between_failures : array_like
        As in `time_shares`.
    """
    best = optimal_interval(cost, mean_time_between_failures)
    return np.asarray(useful_time, dtype=float) / np.maximum(np.ceil(useful_time / best), 1.0)


def availability_without_checkpoints(mean_time_between_failures: Any, mean_time_to_repair: Any) -> Any:
    """Return the share of time a repaired system is up, MTBF/(MTBF + MTTR), where nothing is lost but repair."""
    return 1.0 / (1.0 + np.asarray(mean_time_to_repair, dtype=float) / mean_time_between_failures)
