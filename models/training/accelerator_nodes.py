"""Nodes that are scale-up domains: network cards and cost by the device, whatever the size of the domain.

A study of machines names it beside `training`; `system.planes` and `system.cost` read what it gives.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.training.cut.parallelism import devices_per_node
from dse.models.training.machine.devices import scale_up_bandwidth
from dse.models.training.machine.domains import scale_up_width

__all__ = ["devices_per_node", "scale_up_bandwidth", "scale_up_width"]

nics_per_device = parameter(unit="1", doc="Network cards of a node for each of its devices; 0.5: one for two", above=0)
device_cost_weight = parameter(unit="1", doc="Weight of a device with its part of the host in the cost", minimum=0)
scale_up_cost_weight = parameter(
    unit="1",
    doc="Weight in the cost of 1 GB/s of scale-up bandwidth of a device, with the switches behind it",
    minimum=0,
)


@quantity(unit="1", source="ours: whole cards")
def nics_per_node(devices_per_node, nics_per_device):
    """Network cards of a node."""
    return np.ceil(devices_per_node * nics_per_device)


@quantity(
    unit="1",
    source="ours: devices by weight, and their scale-up links by bandwidth",
    dimensional=False,
    reason="weights of cost are per byte and per rate",
)
def node_cost_weight(devices_per_node, device_cost_weight, scale_up_cost_weight, scale_up_bandwidth, scale_up_width):
    """Cost of a node of devices, in the unit of the weights."""
    links = scale_up_cost_weight * (scale_up_bandwidth * 1e-9) * scale_up_width
    return devices_per_node * (device_cost_weight + links)
