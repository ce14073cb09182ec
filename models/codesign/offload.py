r"""Kernels on devices of a node, and what goes between host and device: messages of a link of the node.

The slot ``offload`` takes ``none`` (default: all is computed by the cores of the host) or ``kernels``. A rank then
computes what its profile holds, hands its kernels to a device and waits for them,

    computing_time  = compute_time * progress_compute_factor + device_time
    device_time     = max(kernels, transfers) + (1 - overlap) * min(kernels, transfers)
    kernels         = repetitions * turns * (roofline of the kernels of a rank, `processor.device_kernel`)
    transfers       = repetitions * turns * (copies * latency + bytes / bandwidth)
    turns           = ceil(processes_per_node / devices_per_node), the ranks that share the fullest device

Transfers are counted both ways, one after the other (as messages without overlap, Anghel 2017, Eq. 6.4); that host and
device exchange data beside the profile is Section 8.2 of the thesis, as future work. Counts are those of a rank at the
size of the study: laws of the program do not scale them. Devices take their rated power throughout the run (ours, an
upper end); cores of the host rest while they wait.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.models.processor.core import device_kernel
from dse.models.sources import ANGHEL_2017
from dse.models.system import computing, energy

__all__: list[str] = []

_OURS = "ours: a rank waits for its kernels, and ranks of a device take turns"
_LINK = f"{ANGHEL_2017}, Section 8.2 (host and device exchange data); latency and bandwidth as Eq. 6.4"
_NONE: dict[str, Any] = {"slot": "offload", "provider": "none", "default": True}
_KERNELS: dict[str, Any] = {"slot": "offload", "provider": "kernels"}
_HAIR = 1e-9

device_transfers = parameter(
    unit="1", doc="Copies between host and device of a rank in the recorded run, both ways", minimum=0
)
device_transfer_bytes = parameter(
    unit="B", doc="Bytes between host and device of a rank in the recorded run, both ways", minimum=0
)
device_link_bandwidth = parameter(unit="B/s", doc="Bandwidth of the link of a device to the host, one way", above=0)
device_link_latency = parameter(unit="s", doc="Time of a copy between host and device without bytes", minimum=0)
devices_per_node = parameter(unit="1", doc="Devices of a node", minimum=1, integer=True)
device_power = parameter(unit="W", doc="Rated power of a device", minimum=0)
device_overlap_fraction = assumption(
    0.0,
    unit="1",
    source="ours: copies and kernels follow one another, as without streams",
    doc="Share of the shorter of kernels and transfers that the longer one hides",
    minimum=0,
    maximum=1,
)

computing_on_host = quantity(unit="s", name="computing_time", source=computing.computing_time.source, **_NONE)(
    computing.computing_time.function
)
hosts_at_rest = quantity(unit="W", name="class_static_power", source=energy.class_static_power.source, **_NONE)(
    energy.class_static_power.function
)


@quantity(unit="1", source=_OURS, **_KERNELS)
def device_turns(processes_per_node, devices_per_node):
    """Ranks that take turns on the device with most of them."""
    return np.ceil(processes_per_node / devices_per_node * (1.0 - _HAIR))


kernels_of_a_rank = quantities(
    gives={"rank_kernel_compute_time": "s", "rank_kernel_memory_time": "s", "rank_kernel_time": "s"},
    source=device_kernel.kernel_roofline.source,
    **_KERNELS,
)(device_kernel.kernel_roofline.function)


@quantity(unit="s", source=_OURS, **_KERNELS)
def device_kernel_time(repetitions, device_turns, rank_kernel_time):
    """Time a rank waits for kernels in the whole run: its own, and those of the ranks it shares a device with."""
    return repetitions * device_turns * rank_kernel_time


@quantity(unit="s", source=_LINK, **_KERNELS)
def device_latency_time(repetitions, device_turns, device_transfers, device_link_latency):
    """Time of all copies of the whole run but for their bytes."""
    return repetitions * device_turns * device_transfers * device_link_latency


@quantity(unit="s", source=_LINK, **_KERNELS)
def device_bytes_time(repetitions, device_turns, device_transfer_bytes, device_link_bandwidth):
    """Time the bytes of all copies of the whole run take on the link of a device."""
    return repetitions * device_turns * device_transfer_bytes / device_link_bandwidth


@quantity(unit="s", source=_LINK, sum_of=("device_latency_time", "device_bytes_time"), **_KERNELS)
def device_transfer_time(device_latency_time, device_bytes_time):
    """Time of what goes between host and device in the whole run."""
    return device_latency_time + device_bytes_time


@quantity(unit="s", source=_OURS, **_KERNELS)
def exposed_transfer_time(device_kernel_time, device_transfer_time, device_overlap_fraction):
    """Time of what goes between host and device that no kernel hides."""
    return device_transfer_time - device_overlap_fraction * np.minimum(device_kernel_time, device_transfer_time)


@quantity(unit="s", source=_OURS, sum_of=("device_kernel_time", "exposed_transfer_time"), **_KERNELS)
def device_time(device_kernel_time, device_transfer_time, device_overlap_fraction):
    """Time a rank waits for its device: kernels and transfers, the shorter hidden as far as they overlap."""
    longer = np.maximum(device_kernel_time, device_transfer_time)
    return longer + (1.0 - device_overlap_fraction) * np.minimum(device_kernel_time, device_transfer_time)


@quantity(unit="s", source=computing.computing_time.source, **_KERNELS)
def host_computing_time(compute_time, progress_compute_factor):
    """Time a rank computes on the host, on the cores that progress leaves."""
    return compute_time * progress_compute_factor


@quantity(unit="s", name="computing_time", source=_OURS, sum_of=("host_computing_time", "device_time"), **_KERNELS)
def computing_with_devices(host_computing_time, device_time):
    """Time a rank computes on the host and waits for its device."""
    return host_computing_time + device_time


@quantity(unit="W", name="class_static_power", source=_OURS, **_KERNELS)
def hosts_and_devices(class_nodes, node_static_power, devices_per_node, device_power):
    """Power at rest of the nodes of a class, and of their devices as rated."""
    return class_nodes * (node_static_power + devices_per_node * device_power)
