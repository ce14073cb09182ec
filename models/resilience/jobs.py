"""A job on a machine that fails: its time on the clock, where that goes, and its energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.authoring.declare.arguments import refuse_shapes
from dse.errors import InputError
from dse.models.resilience.checkpointing import checkpoint
from dse.models.resilience.energy import energy_per_useful_second
from dse.models.resilience.failure_rates import failures_in
from dse.models.resilience.ranges import in_range
from dse.models.resilience.time_shares import wall_time_without_checkpoints, whole_interval

__all__ = ["Job", "job"]


@dataclass(frozen=True)
class Job:
    """Expected figures of a job; arrays in the shape of what was given.

    Attributes
    ----------
    interval : ndarray
        Useful work between checkpoints [s].
    efficiency : ndarray
        Useful share of time.
    wall_time : ndarray
        Time on the clock [s]: useful time, rework, checkpoints, restarts.
    rework_time, checkpoint_time, restart_time : ndarray
        What is lost, in the whole job [s].
    failures : ndarray
        Number of failures.
    energy : ndarray
        Of the whole job [J]; NaN without powers.
    wall_time_without_checkpoints : ndarray
        Time on the clock if the job started anew after each failure [s]; restarts as long as with checkpoints.
    """

    interval: Any
    efficiency: Any
    wall_time: Any
    rework_time: Any
    checkpoint_time: Any
    restart_time: Any
    failures: Any
    energy: Any
    wall_time_without_checkpoints: Any


def job(
    useful_time: Any,
    cost: Any,
    mean_time_between_failures: Any,
    restart: Any = 0.0,
    *,
    busy_power: Any = None,
    io_power: Any = None,
    restart_power: Any = None,
    interval: Any = None,
    whole: bool = False,
) -> Job:
    """Return time and energy of a job with its failures.

    Parameters
    ----------
    useful_time : array_like
        Time of the job without failures and checkpoints, T [s].
    cost, mean_time_between_failures, restart, interval : array_like
        As in `dse.models.resilience.checkpoint`.
    busy_power, io_power, restart_power : array_like, optional
        Of the whole system while it computes, writes checkpoints and restarts [W]. Writing takes what computing does
        unless given, restarts what writing does.
    whole : bool
        Whether the job is cut into a whole number of intervals, T/ceil(T/tau*), in place of the best interval.

    Raises
    ------
    InputError
        A number out of its range, by name, powers below 0 too; shapes that do not broadcast.
    """
    time = in_range("useful_time", useful_time, above=True)
    if whole and interval is not None:
        raise InputError("'whole' and 'interval' both say how long an interval is", allowed="one of them")
    checkpoints = checkpoint(cost, mean_time_between_failures, restart, interval=interval)
    tau, efficiency, shares = checkpoints.interval, checkpoints.efficiency, checkpoints.shares
    if whole:  # checkpoints that cost nothing are made all the time, whatever the job
        costs = tau > 0.0
        cut = np.where(costs, whole_interval(time, np.where(costs, cost, 1.0), mean_time_between_failures), 1.0)
        other = checkpoint(cost, mean_time_between_failures, restart, interval=cut)
        tau, efficiency = np.where(costs, cut, tau), np.where(costs, other.efficiency, efficiency)
        shares = type(shares)(*(np.where(costs, a, b) for a, b in zip(other.shares, shares, strict=True)))
    busy, writing, restarting = (
        None if power is None else in_range(name, power)
        for name, power in (("busy_power", busy_power), ("io_power", io_power), ("restart_power", restart_power))
    )
    busy = np.asarray(np.nan) if busy is None else busy
    writing = busy if writing is None else writing
    powers = (busy, writing, writing if restarting is None else restarting)
    refuse_shapes(
        {
            "useful_time": time.shape,
            "cost and the other times": np.shape(shares.wall),
            **{f"{name}_power": power.shape for name, power in zip(("busy", "io", "restart"), powers, strict=True)},
        }
    )
    wall = time * shares.wall
    return Job(
        tau,
        efficiency,
        wall,
        time * (shares.busy - 1.0),
        time * shares.checkpoints,
        time * shares.restarts,
        failures_in(wall, mean_time_between_failures),
        time * energy_per_useful_second(shares, *powers),
        wall_time_without_checkpoints(time, mean_time_between_failures, restart),
    )
