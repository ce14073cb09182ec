"""Checkpoints and failures in a machine: interval, availability, time on the clock and energy of a job.

The best interval is found once per combination of cost, failures and restart, and tabulated; what joins a machine is a
plain product, ``wall_time = useful_time * wall_time_factor``. All are of a campaign of such jobs in its steady state. A
job that fills no interval has ``wall_time_without_checkpoints`` beside them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.resilience.optimum import LARGEST_EXPONENT, optimal_interval
from dse.models.resilience.time_shares import optimal_time_shares
from dse.models.resilience.two_levels import two_level_efficiency, two_level_intervals
from dse.models.sources import DALY_2006

__all__: list[str] = []

_EXACT = f"{DALY_2006}: the complete form at its least; where time goes: ours, exact"
_TWO_LEVEL = "ours: two classes of failures, checked by event simulation; checkpoints and restarts in the first order"
_GIVES = {
    "checkpoint_interval": "s",
    "checkpoint_efficiency": "1",
    "rework_share": "1",
    "checkpoint_share": "1",
    "restart_share": "1",
}
_LEAST_COST = 1e-6
"""Time of a checkpoint without data on two levels [s]: the ratio of two intervals that are both 0 is none."""
_STORE: dict[str, Any] = {"slot": "checkpoint_store"}


@quantities(gives=_GIVES, source=_EXACT, points_only=True, **_STORE, provider="shared", default=True)
def one_level(checkpoint_cost, system_mean_time_between_failures, restart_cost):
    """Best interval, useful share of time, and seconds per useful one of rework, checkpoints and restarts."""
    shares = optimal_time_shares(checkpoint_cost, system_mean_time_between_failures, restart_cost)
    interval = optimal_interval(checkpoint_cost, system_mean_time_between_failures)
    rework = np.maximum(shares.busy - 1.0, 0.0)
    return (interval + 0.0 * restart_cost, shares.efficiency, rework, shares.checkpoints, shares.restarts)


node_local = replace(one_level, name="node_local", provider="node-local", default=False)


@quantities(
    gives={**_GIVES, "checkpoints_per_global": "1"}, source=_TWO_LEVEL, points_only=True, **_STORE, provider="two-level"
)
def checkpoints_on_two_levels(
    local_checkpoint_cost,
    system_mean_time_between_failures,
    local_restart_cost,
    checkpoint_cost,
    store_mtbf,
    restart_cost,
):
    """Interval between checkpoints of either kind, useful share of time, where the rest goes, checkpoints per global.

    Failures of the slot ``failure_rate`` restart from a local checkpoint, those of `store_mtbf` from a global one.
    """
    local = (np.maximum(local_checkpoint_cost, _LEAST_COST), system_mean_time_between_failures, local_restart_cost)
    whole = (np.maximum(checkpoint_cost, _LEAST_COST), store_mtbf, restart_cost)
    interval, per_global = two_level_intervals(*local[:2], *whole[:2])
    efficiency = two_level_efficiency(interval, per_global, local, whole)
    written = ((per_global - 1.0) * local_checkpoint_cost + checkpoint_cost) / (per_global * interval)
    lost = 1.0 / efficiency - 1.0
    written = np.minimum(written, lost)
    restarts = local_restart_cost / system_mean_time_between_failures + restart_cost / store_mtbf
    restarts = np.minimum(restarts / efficiency, lost - written)
    every = np.zeros_like(efficiency)
    return interval + every, efficiency, lost - written - restarts, written, restarts, per_global + every


@quantity(unit="1", source="what checkpoints and maintenance leave", valid={"checkpoint_efficiency": (0.05, 1.0)})
def availability(checkpoint_efficiency, maintenance_share):
    """Useful share of all time: checkpoints, failures and maintenance taken off."""
    return checkpoint_efficiency * (1.0 - maintenance_share)


@quantity(unit="1", source="one over the availability", points_only=True)
def wall_time_factor(availability):
    """Time on the clock over that without failures, checkpoints and maintenance."""
    return 1.0 / availability


@quantity(unit="1", source="where time goes, at the power of each", points_only=True)
def energy_time_factor(rework_share, checkpoint_share, restart_share, waiting_power_share):
    """Energy of the machine over that of the useful time, the store left out; waiting takes its share of the power."""
    return 1.0 + rework_share + waiting_power_share * (checkpoint_share + restart_share)


@quantity(
    unit="s",
    label="time on the clock",
    source="useful time over availability",
    sum_of=("useful_time", "rework_time", "checkpoint_time", "restart_total_time", "maintenance_time"),
)
def wall_time(useful_time, wall_time_factor):
    """Time of the job on the clock, with failures, checkpoints and maintenance."""
    return useful_time * wall_time_factor


@quantity(unit="s", source=_EXACT)
def rework_time(useful_time, rework_share):
    """Time of computing what failures had destroyed, in the whole job."""
    return useful_time * rework_share


@quantity(unit="s", source=_EXACT)
def checkpoint_time(useful_time, checkpoint_share):
    """Time of writing checkpoints in the whole job, those lost with them."""
    return useful_time * checkpoint_share


@quantity(unit="s", source=_EXACT)
def restart_total_time(useful_time, restart_share):
    """Time of all restarts of the job."""
    return useful_time * restart_share


@quantity(unit="s", source="share of all time")
def maintenance_time(useful_time, wall_time_factor, maintenance_share):
    """Time of maintenance during the job."""
    return useful_time * wall_time_factor * maintenance_share


@quantity(unit="s", source="all failures stop the job", **_STORE, provider="shared", default=True)
def job_mean_time_between_failures(system_mean_time_between_failures):
    """Mean time between the failures of a job."""
    return system_mean_time_between_failures * 1.0


failures_with_local_stores = replace(
    job_mean_time_between_failures, name="failures_with_local_stores", provider="node-local", default=False
)


@quantity(
    unit="s", name="job_mean_time_between_failures", source="failures of both classes", **_STORE, provider="two-level"
)
def failures_of_both_classes(system_mean_time_between_failures, store_mtbf):
    """Mean time between the failures of a job, of either class."""
    return 1.0 / (1.0 / system_mean_time_between_failures + 1.0 / store_mtbf)


@quantity(unit="1", source="time over mean time between failures")
def job_failures(useful_time, checkpoint_efficiency, job_mean_time_between_failures):
    """Expected failures of the job, without those during maintenance."""
    return useful_time / (checkpoint_efficiency * job_mean_time_between_failures)


@quantity(unit="s", name="wall_time_without_checkpoints", source=f"{DALY_2006}: a job that is one interval")
def time_without_checkpoints(useful_time, job_mean_time_between_failures, restart_time):
    """Time on the clock of a job that starts anew after each failure, without any checkpoint and maintenance."""
    x = np.minimum(useful_time / job_mean_time_between_failures, 0.5 * LARGEST_EXPONENT)
    after = np.minimum(restart_time / job_mean_time_between_failures, 0.5 * LARGEST_EXPONENT)
    return job_mean_time_between_failures * np.exp(after) * np.expm1(x)


@quantity(unit="J", source="where time goes, at the power of each")
def machine_job_energy(useful_time, busy_power, energy_time_factor):
    """Energy of the machine for the whole job with its failures, the store left out."""
    return useful_time * busy_power * energy_time_factor


@quantity(unit="J", source="power of the store while checkpoints are written")
def store_job_energy(useful_time, checkpoint_share, store_power):
    """Energy of the store for the whole job."""
    return useful_time * checkpoint_share * store_power


@quantity(
    unit="J",
    label="energy with failures and checkpoints",
    source="where time goes, at the power of each",
    sum_of=("machine_job_energy", "store_job_energy"),
)
def resilience_energy(useful_time, busy_power, energy_time_factor, checkpoint_share, store_power):
    """Energy of the whole job with its failures and checkpoints: in place of that without them, never beside it."""
    return useful_time * (busy_power * energy_time_factor + checkpoint_share * store_power)


@quantity(unit="J", source="definition of the power usage effectiveness")
def resilience_facility_energy(resilience_energy, power_usage_effectiveness):
    """Energy of the whole job with its failures, with cooling and conversion."""
    return resilience_energy * power_usage_effectiveness
