"""Mean time between failures of a system, from those of its parts: independent exponential parts in series.

The slot ``failure_rate`` takes ``nodes`` (nodes without accelerators, with switches and drives where their failures
are given), ``devices`` (a rate per accelerator, measured on whole jobs: all causes are in it, and nothing is added) or
``node-class`` (devices where the component of the slot ``node_class`` has accelerators, nodes where it has none).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.errors import InputError, shown
from dse.models.machines.real_machine import machine_devices
from dse.models.resilience.ranges import in_range
from dse.models.sources import LLAMA_2024

__all__ = ["failures_in", "machine_devices", "mean_time_between_failures"]

_SERIES = "independent exponential parts in series: rates add up"
_OF_NODES = f"{_SERIES}; one rate for nodes"
_OF_DEVICES = f"{_SERIES}; rate per device of {LLAMA_2024}"
_RATE: dict[str, Any] = {"slot": "failure_rate"}


def mean_time_between_failures(*parts: tuple[Any, Any]) -> Any:
    """Return the mean time between failures of parts in series, 1/sum(n_k/M_k) [s].

    Parameters
    ----------
    *parts : (array_like, array_like)
        Number of parts of a kind, and the mean time between failures of one [s]. Without parts: infinite.
    """
    rate: Any = np.zeros(())
    for part in parts:
        if not isinstance(part, (tuple, list)) or len(part) != 2:
            raise InputError(f"a part is {shown(part)}", allowed="(number of parts, mean time between failures of one)")
        number, mean = part
        lasts = in_range("mean time between failures of a part", mean, above=True, infinite=True)
        many = in_range("number of parts", number)
        try:
            rate = rate + many / lasts
        except ValueError:
            shapes_text = f"numbers of parts {many.shape}, mean times {lasts.shape}, the parts before {rate.shape}"
            raise InputError(f"the arrays have the shapes: {shapes_text}", allowed="shapes that broadcast") from None
    with np.errstate(divide="ignore"):
        return 1.0 / np.asarray(rate)


def failures_in(wall_time: Any, mean_time_between_failures: Any) -> Any:
    """Return the expected number of failures in a time on the clock, wall/M."""
    return np.asarray(wall_time, dtype=float) / mean_time_between_failures


@quantity(
    unit="s",
    name="system_mean_time_between_failures",
    label="mean time between failures",
    source=_OF_NODES,
    **_RATE,
    provider="nodes",
    default=True,
)
def failures_of_nodes(nodes, node_mtbf, switches, network_planes, switch_mtbf, drives, drive_mtbf):
    """Mean time between failures of the system, from its nodes, and switches and drives where theirs are given."""
    of_switches = np.where(
        switch_mtbf > 0.0, switches * network_planes / np.where(switch_mtbf > 0.0, switch_mtbf, 1.0), 0.0
    )
    of_drives = np.where(drive_mtbf > 0.0, drives / np.where(drive_mtbf > 0.0, drive_mtbf, 1.0), 0.0)
    return 1.0 / (nodes / node_mtbf + of_switches + of_drives)


@quantity(unit="s", name="system_mean_time_between_failures", source=_OF_DEVICES, **_RATE, provider="devices")
def failures_of_devices(nodes, devices_per_node, device_mtbf):
    """Mean time between failures of the system, from its devices, all causes in their rate."""
    return device_mtbf / (nodes * devices_per_node)


@quantity(
    unit="s",
    name="system_mean_time_between_failures",
    source=f"{_SERIES}; by what the nodes are",
    **_RATE,
    provider="node-class",
)
def failures_by_node_class(nodes, node_mean_time_between_failures):
    """Mean time between failures of the system: of its devices where the nodes have any, else of its nodes."""
    return node_mean_time_between_failures / nodes


@quantity(
    unit="s",
    name="node_mean_time_between_failures",
    source=_OF_DEVICES,
    slot="node_class",
    provider="accelerated",
)
def failures_of_accelerated_node(devices_per_node, device_mtbf):
    """Mean time between failures that a node of accelerators causes, from its devices."""
    return device_mtbf / devices_per_node


@quantity(unit="s", name="node_mean_time_between_failures", source=_OF_NODES, slot="node_class", provider="many-core")
def failures_of_many_core_node(node_mtbf):
    """Mean time between failures of a node without accelerators."""
    return node_mtbf * 1.0


@quantity(
    unit="s",
    name="node_mean_time_between_failures",
    source=f"{_SERIES}; by what the machine has",
    slot="node_class",
    provider="real-machine",
)
def failures_of_real_node(machine_devices, device_mtbf, node_mtbf):
    """Mean time between failures of a node of a real machine, from its devices where it has any."""
    return np.where(machine_devices > 0.0, device_mtbf / np.maximum(machine_devices, 1.0), node_mtbf)
