"""Time, energy and power of one job on n nodes in a study: measured, or by Amdahl's and Gustafson's bounds.

They are of the job as it was measured or modelled; failures, idle nodes and the facility are in or out as the
measurement had them. So they never stand beside the energy of a system that is added up from its parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.measured_laws.kinds.energy import bounds
from dse.models.sources import SHOUKOURIAN_2014

__all__: list[str] = []

_OTHERS = ("system_energy", "resilience_energy")
_CLOSED = {"job_time": "s", "job_energy": "J", "job_power": "W"}
_LABELS = {"job_time": "time of the job", "job_energy": "energy of the job", "job_power": "power of the job"}
_FITTED: dict[str, Any] = {
    "source": f"{SHOUKOURIAN_2014}, Section 3.2: curve through measurements; its choice is ours",
    "slot": "job_scaling",
    "provider": "measured",
    "default": True,
    "points_only": True,
}
_OUTSIDE = "are predicted outside of the nodes that were measured"
_MISFIT = "rest on a curve whose error is beyond its limit: none was within"


def _with_marks(value: Any, job_measurements: Any, nodes: Any) -> tuple[Any, Any, Any]:
    outside = np.asarray(job_measurements.model.extrapolated(nodes), dtype=float)
    return value, outside, np.full(np.shape(nodes), float(not job_measurements.within_limit))


@quantities(
    gives={"job_energy": "J", "job_energy_extrapolated": "1", "job_energy_misfit": "1"},
    marks=("job_energy_extrapolated", "job_energy_misfit"),
    mark_words={"job_energy_extrapolated": _OUTSIDE, "job_energy_misfit": _MISFIT},
    labels={"job_energy": _LABELS["job_energy"]},
    excludes=_OTHERS,
    **_FITTED,
)
def measured_energy(job_measurements, nodes):
    """Energy to solution as measured, between and beyond by the fitted curve."""
    return _with_marks(job_measurements.model.energy(nodes), job_measurements, nodes)


@quantities(
    gives={"job_power": "W", "job_power_extrapolated": "1", "job_power_misfit": "1"},
    marks=("job_power_extrapolated", "job_power_misfit"),
    mark_words={"job_power_extrapolated": _OUTSIDE, "job_power_misfit": _MISFIT},
    labels={"job_power": _LABELS["job_power"]},
    **_FITTED,
)
def measured_power(job_measurements, nodes):
    """Mean power of the run as measured, between and beyond by the fitted curve."""
    return _with_marks(job_measurements.model.power(nodes), job_measurements, nodes)


@quantities(
    gives={"job_time": "s", "job_time_extrapolated": "1", "job_time_misfit": "1"},
    marks=("job_time_extrapolated", "job_time_misfit"),
    mark_words={"job_time_extrapolated": _OUTSIDE, "job_time_misfit": _MISFIT},
    labels={"job_time": _LABELS["job_time"]},
    **_FITTED,
)
def measured_time(job_measurements, nodes):
    """Time to solution as measured, between and beyond by the fitted curve."""
    return _with_marks(job_measurements.model.time(nodes), job_measurements, nodes)


@quantity(
    name="job_energy_scope",
    unit="text",
    source="the file of the measurements",
    slot="job_scaling",
    provider="measured",
    default=True,
    points_only=True,
)
def measured_scope(job_measurements):
    """What the measurement counts."""
    return np.array(job_measurements.scope, dtype=object)


@quantities(
    gives=_CLOSED,
    source=f"{SHOUKOURIAN_2014}, Eqs. 1 to 4 (Amdahl)",
    slot="job_scaling",
    provider="strong",
    labels=_LABELS,
    excludes=_OTHERS,
)
def strong_job(nodes, job_one_node_time, job_node_power, job_idle_share, job_parallel_share):
    """Time, energy and mean power of a problem of fixed size."""
    time = job_one_node_time * bounds.strong_time(nodes, job_parallel_share)
    energy = job_one_node_time * job_node_power * bounds.strong_energy(nodes, job_idle_share, job_parallel_share)
    return time, energy, energy / time


@quantities(
    gives=_CLOSED,
    source=f"{SHOUKOURIAN_2014}, Eqs. 5 and 6 (Gustafson)",
    slot="job_scaling",
    provider="weak",
    labels=_LABELS,
    excludes=_OTHERS,
)
def weak_job(nodes, job_one_node_time, job_node_power, job_idle_share, job_scaled_parallel_share):
    """Time, energy and mean power of a problem that grows with the nodes, in constant time."""
    power = job_node_power * bounds.weak_power(nodes, job_idle_share, job_scaled_parallel_share)
    return job_one_node_time, job_one_node_time * power, power


@quantities(
    gives=_CLOSED,
    source="ours: between Eq. 6 and a problem that grows and runs on one node",
    slot="job_scaling",
    provider="weak-partly-serial",
    labels=_LABELS,
    excludes=_OTHERS,
)
def partly_serial_job(nodes, job_one_node_time, job_node_power, job_idle_share, job_parallel_growth):
    """Time, energy and mean power of a problem that grows with the nodes, a share of it one after the other."""
    time = job_one_node_time * bounds.grown_time(nodes, job_parallel_growth)
    energy = job_one_node_time * job_node_power * bounds.grown_energy(nodes, job_idle_share, job_parallel_growth)
    return time, energy, energy / time
