"""Power and energy of a training.

A device draws a share of its rated power that goes from waiting to busy with the share of a step in which it computes;
devices that no copy of the model uses wait. Checkpoints and restarts take the power of computing, an upper bound.
"""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.system.inputs import power_usage_effectiveness

__all__ = ["power_usage_effectiveness"]

_METERS = "MLCommons training v4.0, power logs: three runs of one node and one of eight (fitted)"
_POWER: dict[str, Any] = {"source": f"{_METERS}; parts of the host assumed"}

active_power_share = assumption(
    0.99,
    unit="1",
    source=_METERS,
    doc="Power of a device that computes over its rated power, omega_a",
    above=0,
    maximum=1.5,
)
waiting_device_power_share = assumption(
    0.34,
    unit="1",
    source=_METERS,
    doc="Power of a device that waits over its rated power, omega_w",
    minimum=0,
    maximum=1,
)
host_power = parameter(unit="W", doc="Power of a node beside its devices, for as many as host_devices says", minimum=0)
host_devices = assumption(
    8.0,
    unit="1",
    source="nodes of eight devices: two processors, memory, cards, scale-up switches; 1 where rows are per device",
    doc="Devices that the power of the host is for; a node has it once for each so many",
    minimum=1,
)


@quantity(unit="W", **_POWER)
def training_host_power(machine_devices, host_power, host_devices):
    """Power of the nodes beside their devices."""
    return machine_devices * (host_power / host_devices)


@quantity(unit="W", **_POWER)
def training_device_power(
    machine_devices, training_devices, device_power, device_busy_share, active_power_share, waiting_device_power_share
):
    """Power of all devices; those in use between waiting and active by the share in which they compute."""
    added = (active_power_share - waiting_device_power_share) * device_busy_share
    return device_power * (machine_devices * waiting_device_power_share + training_devices * added)


@quantity(
    unit="W",
    source="ours: nodes and network",
    label="power while training",
    sum_of=("training_device_power", "training_host_power", "training_network_power"),
)
def training_power(training_device_power, training_host_power, training_network_power):
    """Power of the machine while it trains."""
    return training_device_power + training_host_power + training_network_power


@quantity(unit="J", source="power times time", label="energy per token")
def energy_per_token(training_power, tokens_per_second):
    """Energy of the machine per token, without failures."""
    return training_power / tokens_per_second


@quantity(unit="J", source="power times time; an upper bound, as if restarts took the power of computing")
def training_energy(training_power, training_time):
    """Energy of the machine for the whole training, with failures."""
    return training_power * training_time


@quantity(unit="W", source="power of the machine and of what cools and feeds it")
def training_facility_power(training_power, power_usage_effectiveness):
    """Power of the facility while the machine trains."""
    return training_power * power_usage_effectiveness


@quantity(unit="J", source="energy of the machine and of what cools and feeds it")
def training_facility_energy(training_energy, power_usage_effectiveness):
    """Energy of the facility for the whole training."""
    return training_energy * power_usage_effectiveness
