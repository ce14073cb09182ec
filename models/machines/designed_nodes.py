"""What nodes of `dse.models.node_class` sustain: as real machines of their class and, of accelerators, their device."""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import quantity
from dse.models.machines.classes import FITTED, cores_share, power_share

__all__: list[str] = []

_CORES: dict[str, Any] = {"slot": "node_class", "provider": "many-core"}
_DEVICES: dict[str, Any] = {"slot": "node_class", "provider": "accelerated"}


@quantity(unit="1", name="linpack_peak_share", source=FITTED, **_CORES)
def cores_peak_share(kept_clock_peak_share):
    """Share of their peak rate that nodes of cores sustain in products of matrices; theirs is the clock under load."""
    return kept_clock_peak_share * 1.0


@quantity(unit="1", name="linpack_peak_share", source=FITTED, **_DEVICES)
def devices_peak_share(accelerator_peak_share, device_peak_factor):
    """Share of their peak rate that accelerated nodes sustain in products of matrices."""
    return accelerator_peak_share * device_peak_factor


@quantity(unit="1", name="conjugate_gradient_bandwidth_share", source=FITTED, **_CORES)
def cores_bandwidth_share(gradient_bandwidth_share):
    """Share of the peak bandwidth of their memory that nodes of cores sustain in HPCG."""
    return gradient_bandwidth_share * 1.0


@quantity(unit="1", name="conjugate_gradient_bandwidth_share", source=FITTED, **_DEVICES)
def devices_bandwidth_share(gradient_bandwidth_share, device_gradient_factor):
    """Share of the peak bandwidth of their memory that accelerated nodes sustain in HPCG."""
    return gradient_bandwidth_share * device_gradient_factor


@quantity(unit="1", name="machine_power_share", source=FITTED, **_CORES)
def cores_power_share(
    construction_year, processor_power_share, processor_power_trend, least_power_share, processor_power_factor
):
    """Power at HPL over rated power of nodes of cores, by the year they are built in."""
    share = cores_share(construction_year, processor_power_share, processor_power_trend, least_power_share)
    return share * processor_power_factor


@quantity(unit="1", name="machine_power_share", source=FITTED, **_DEVICES)
def devices_power_share(
    linpack_peak_share,
    accelerator_efficiency_share,
    device_efficiency_factor,
    device_measured_machines,
    accelerator_power_share,
):
    """Power at HPL over rated power: share of the peak rate over that of the efficiency, else the mean of the class."""
    efficiency = accelerator_efficiency_share * device_efficiency_factor
    return power_share(linpack_peak_share, efficiency, device_measured_machines, accelerator_power_share)
