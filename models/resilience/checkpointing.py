"""Everything about checkpoints of one cost, or on two levels, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.authoring.declare.arguments import refuse_shapes
from dse.errors import InputError, shown
from dse.models.resilience.optimum import (
    daly_interval,
    efficiency_at,
    first_order_efficiency,
    optimal_interval,
    young_interval,
)
from dse.models.resilience.ranges import in_range
from dse.models.resilience.time_shares import TimeShares, optimal_time_shares, time_shares
from dse.models.resilience.two_level_search import best_two_level_intervals
from dse.models.resilience.two_levels import (
    TwoLevelIntervals,
    first_order_two_level_efficiency,
    two_level_efficiency,
    two_level_intervals,
    two_level_shares,
)

__all__ = ["Checkpointing", "TwoLevelCheckpointing", "checkpoint", "two_level_checkpoint"]


@dataclass(frozen=True)
class Checkpointing:
    """Checkpoints of one cost; arrays in the shape of what was given, times in seconds.

    Attributes
    ----------
    interval : ndarray
        Useful work between checkpoints, tau: the best one unless another was given. Infinite where nothing fails.
    efficiency : ndarray
        Useful share of time, a = 1/W.
    shares : TimeShares
        Seconds per useful second: busy (useful and rework), checkpoints, restarts; `shares.wall` is W.
    young, daly : ndarray
        The intervals of Young and of Daly.
    efficiency_young, efficiency_daly : ndarray
        Useful share of time at them; NaN where they are 0 or infinite.
    first_order : ndarray
        1 - sqrt(2 delta/M) - R/M, for checkpoints much shorter than M.
    """

    interval: Any
    efficiency: Any
    shares: TimeShares
    young: Any
    daly: Any
    efficiency_young: Any
    efficiency_daly: Any
    first_order: Any


@dataclass(frozen=True)
class TwoLevelCheckpointing:
    """Checkpoints on two levels; arrays in the shape of what was given.

    Attributes
    ----------
    interval : ndarray
        Useful work between checkpoints of either kind, tau_1 [s].
    per_global : ndarray
        Checkpoints up to and with a global one, k.
    efficiency : ndarray
        Useful share of time, a.
    first_order : ndarray
        Useful share of time in the first order: use it above 0.9 only.
    shares : TimeShares
        Seconds per useful second: busy (useful and rework), checkpoints of both kinds, restarts.
    closed : TwoLevelIntervals
        The intervals of the closed form, at which the search begins.
    """

    interval: Any
    per_global: Any
    efficiency: Any
    first_order: Any
    shares: TimeShares
    closed: TwoLevelIntervals

    @property
    def wall(self) -> Any:
        """Seconds on the clock per second of useful work, W."""
        return 1.0 / self.efficiency


def checkpoint(
    cost: Any, mean_time_between_failures: Any, restart: Any = 0.0, *, interval: Any = None
) -> Checkpointing:
    """Return the best interval between checkpoints, the useful share of time, and where the rest goes.

    Parameters
    ----------
    cost : array_like
        Time of a checkpoint, delta [s], 0 or more. 0: what recovers without checkpoints, such as algorithms that
        tolerate a single failure.
    mean_time_between_failures : array_like
        Of the whole system, M [s], above 0; infinite where nothing fails.
    restart : array_like
        Time of a restart, R [s], 0 or more; 0 unless given.
    interval : array_like, optional
        Useful work between checkpoints, tau [s], above 0, in place of the best one.

    Raises
    ------
    InputError
        A number out of its range, by name.

    Examples
    --------
    >>> found = checkpoint(60.0, 3600.0, 60.0)
    >>> round(float(found.interval), 3), round(float(found.efficiency), 6)
    (617.891, 0.814672)
    """
    cost = in_range("cost", cost)
    mean = in_range("mean_time_between_failures", mean_time_between_failures, above=True, infinite=True)
    restart = in_range("restart", restart)
    read = {"cost": cost, "mean_time_between_failures": mean, "restart": restart}
    if interval is not None:
        read["interval"] = in_range("interval", interval, above=True)
    refuse_shapes({name: values.shape for name, values in read.items()})
    if interval is None:
        tau, shares = optimal_interval(cost, mean), optimal_time_shares(cost, mean, restart)
    else:
        tau = read["interval"]
        shares = time_shares(tau, cost, mean, restart)
    young, daly = young_interval(cost, mean), daly_interval(cost, mean)
    return Checkpointing(
        tau,
        shares.efficiency,
        shares,
        young,
        daly,
        _at(young, cost, mean, restart),
        _at(daly, cost, mean, restart),
        first_order_efficiency(cost, mean, restart),
    )


def two_level_checkpoint(
    local_cost: Any,
    local_failures: Any,
    local_restart: Any,
    global_cost: Any,
    global_failures: Any,
    global_restart: Any,
    *,
    interval: Any = None,
    per_global: Any = None,
) -> TwoLevelCheckpointing:
    """Return the best intervals with quick local checkpoints and slow global ones, the useful share of time, the rest.

    Interval and number are searched (`two_level_search`), as those of the closed form lose up to 0.033 of useful time
    where costs are near one another or failures frequent.

    Parameters
    ----------
    local_cost, local_failures, local_restart : array_like
        Class 1: time of a local checkpoint, mean time between the failures it survives (infinite where none come), time
        of a restart from the last checkpoint of either kind [s].
    global_cost, global_failures, global_restart : array_like
        Class 2: time of a global checkpoint, mean time between the failures that only it survives, time of a restart
        from it [s].
    interval, per_global : array_like, optional
        tau_1 [s] and k, in place of the best; one of them given, the best of the other is searched.

    Examples
    --------
    >>> levels = two_level_checkpoint(10.0, 3600.0, 10.0, 600.0, 14400.0, 600.0)
    >>> int(levels.per_global), round(float(levels.efficiency), 4)
    (16, 0.6382)

    Raises
    ------
    InputError
        A number out of its range, by name.
    """
    local = (
        in_range("local_cost", local_cost, above=interval is None),
        in_range("local_failures", local_failures, above=True, infinite=True),
        in_range("local_restart", local_restart),
    )
    whole = (
        in_range("global_cost", global_cost),
        in_range("global_failures", global_failures, above=True),
        in_range("global_restart", global_restart),
    )
    named = ("local_cost", "local_failures", "local_restart", "global_cost", "global_failures", "global_restart")
    read = dict(zip(named, (*local, *whole), strict=True))
    tau = None if interval is None else in_range("interval", interval, above=True)
    k = None if per_global is None else in_range("per_global", per_global, above=True)
    if k is not None and np.any(k != np.rint(k)):
        raise InputError(f"'per_global' is {shown(k[k != np.rint(k)].flat[0])}", allowed="whole numbers, 1 or more")
    read |= {name: values for name, values in (("interval", tau), ("per_global", k)) if values is not None}
    refuse_shapes({name: values.shape for name, values in read.items()})
    if tau is None or k is None:
        tau, k = best_two_level_intervals(local, whole, interval=tau, per_global=k)
    return TwoLevelCheckpointing(
        tau,
        k,
        two_level_efficiency(tau, k, local, whole),
        first_order_two_level_efficiency(local, whole),
        two_level_shares(tau, k, local, whole),
        two_level_intervals(*local[:2], *whole[:2]),
    )


def _at(interval: Any, cost: Any, mean: Any, restart: Any) -> Any:
    usable = np.isfinite(interval) & (interval > 0.0)
    return np.where(usable, efficiency_at(np.where(usable, interval, 1.0), cost, mean, restart), np.nan)
