"""An accelerated node: devices of a catalogue, with a host of their own or the host in the package.

A device is a row of ``spaces/machines/devices.csv``: rate, memory and power come together, so that no device has the
rate of one and the power of another.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.node_class.silicon import defect_clustering, good_dies_cost, wafer_diameter
from dse.models.sources import HENNESSY_2019, STAPPER_1983

__all__ = ["defect_clustering", "wafer_diameter"]

_ROWS = "spaces/machines/devices.csv, each row with its source and confidence"

devices_per_node = parameter(unit="1", doc="Devices of a node", minimum=1, integer=True)
device_flop_rate = parameter(
    unit="flop/s", doc="Peak rate of 64-bit operations of a device with its share of the host", above=0
)
device_memory_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of the memory of a device", above=0)
device_memory_capacity = parameter(unit="B", doc="Capacity of the memory of a device", above=0)
device_power = parameter(unit="W", doc="Rated power of a device with its memory", above=0)
host_power = parameter(unit="W", doc="Rated power of the processors of the host; 0: in the package", minimum=0)
device_silicon_area = parameter(unit="m^2", doc="Area of all dies of a device", above=0)
device_dies = parameter(unit="1", doc="Dies of a device", minimum=1, integer=True)
device_wafer_cost = parameter(unit="1", doc="Cost weight of the wafers of a device (spaces/power/wafers.csv)", above=0)
device_defect_density = parameter(unit="1/m^2", doc="Defects per area of the wafers of a device", minimum=0)
nics_max = parameter(unit="1", doc="Network cards that a node takes at most", minimum=1, integer=True)
cards_fit = requirement(
    "nics_per_node <= nics_max",
    source="boards as they are sold (spaces/machines/boards.csv)",
    doc="A node has no more network cards than its board takes",
)
device_clock_factor = assumption(
    1.0,
    unit="1",
    source="the clock a device is rated at",
    doc="Clock of the devices over the one they are rated at: a cap on frequency, or on power",
    above=0,
    maximum=1,
)
dynamic_power_share = assumption(
    0.7,
    unit="1",
    source="ours: as of sockets under vector load, where leakage and all but cores are 25 to 35 % (a rule of thumb, "
    "confidence low)",
    doc="Share of the rated power of a device that goes with its clock; of no matter at the rated clock",
    minimum=0,
    maximum=1,
)
host_memory_power = assumption(
    50.0,
    unit="W",
    source="ours: 8 channels of DDR4 or DDR5 at about 6 W (spaces/processor/dram-types.csv; confidence low)",
    doc="Rated power of the memory of the host",
    minimum=0,
)
host_cost_weight = assumption(
    0.02,
    unit="1",
    source="a weight: about the good silicon of a server processor of 7 nm next to a wafer of 28 nm",
    doc="Cost of a host of its own next to a wafer of weight 1",
    minimum=0,
)


@quantity(unit="flop/s", name="node_peak_flop_rate", source=_ROWS, slot="node_class", provider="accelerated")
def accelerated_peak_flop_rate(devices_per_node, device_flop_rate, device_clock_factor):
    """Floating-point operations a node can do, of 64 bits."""
    return devices_per_node * device_flop_rate * device_clock_factor


@quantities(
    gives={"node_memory_bandwidth": "B/s", "node_memory_capacity": "B", "node_memory_power": "W"},
    source=_ROWS,
    slot="node_class",
    provider="accelerated",
)
def accelerated_memory(
    devices_per_node, device_memory_bandwidth, device_memory_capacity, host_power, host_memory_power
):
    """Memory of the devices of a node; power of the host's memory alone, as devices are rated with theirs."""
    return (
        devices_per_node * device_memory_bandwidth,
        devices_per_node * device_memory_capacity,
        np.where(host_power > 0.0, host_memory_power, 0.0),
    )


@quantity(unit="W", name="node_processors_power", source=_ROWS, slot="node_class", provider="accelerated")
def accelerated_processors_power(devices_per_node, device_power, host_power, device_clock_factor, dynamic_power_share):
    """Rated power of the devices and of the host; of slower devices P (1 - d (1 - f)), at an unchanged voltage.

    A lower clock needs less voltage, which nobody tells of a device, so what a slower device saves is a lower bound.
    """
    clocked = device_power * (1.0 - dynamic_power_share * (1.0 - device_clock_factor))
    return devices_per_node * clocked + host_power


@quantity(
    unit="1",
    name="node_silicon_cost_weight",
    source=f"{HENNESSY_2019}, Section 1.6; {STAPPER_1983}; a weight",
    slot="node_class",
    provider="accelerated",
)
def accelerated_silicon_cost_weight(
    devices_per_node,
    device_silicon_area,
    device_dies,
    device_wafer_cost,
    device_defect_density,
    wafer_diameter,
    defect_clustering,
    host_power,
    host_cost_weight,
):
    """Cost of the good dies of the devices and of the host, next to a wafer of weight 1."""
    device = good_dies_cost(
        device_silicon_area, device_dies, device_wafer_cost, wafer_diameter, device_defect_density, defect_clustering
    )
    return devices_per_node * device + np.where(host_power > 0.0, host_cost_weight, 0.0)
