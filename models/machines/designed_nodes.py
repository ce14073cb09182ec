"""What nodes of `dse.models.node_class` sustain: as real machines of their class and, of accelerators, their device."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.machines.classes import FITTED, LARGEST_NARROW, power_share
from dse.models.node_class.many_core import vector_bits, vector_pipes

__all__ = ["vector_bits", "vector_pipes"]

_CORES: dict[str, Any] = {"slot": "node_class", "provider": "many-core"}
_DEVICES: dict[str, Any] = {"slot": "node_class", "provider": "accelerated"}


@quantity(unit="1", name="linpack_peak_share", source=FITTED, **_CORES)
def cores_peak_share(vector_bits, vector_pipes, narrow_core_peak_share, wide_core_peak_share):
    """Share of their peak rate that nodes of cores sustain in products of matrices, by the width of the cores."""
    operations = 2.0 * vector_pipes * vector_bits / 64.0
    return np.where(operations > LARGEST_NARROW, wide_core_peak_share, narrow_core_peak_share)


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
def cores_power_share(processor_power_share):
    """Power at HPL over rated power of nodes of cores."""
    return processor_power_share * 1.0


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
