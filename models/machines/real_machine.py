"""A real machine as quantities of a study: the component ``real-machine`` of three slots.

``node_class``: what a node computes, stores and draws; ``topology``: how many nodes, ports and cables there are;
``interconnect``: what the network carries. Its parameters are the columns that the enumeration `real_machines` makes of
``spaces/machines/systems.csv``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_TABLE = "spaces/machines/systems.csv, each row with its source and confidence"
_MACHINE: dict[str, Any] = {"slot": "node_class", "provider": "real-machine"}
_NETWORK: dict[str, Any] = {"slot": "topology", "provider": "real-machine"}
_INTERCONNECT: dict[str, Any] = {"slot": "interconnect", "provider": "real-machine"}
_RATED = "rated powers of what is in a node"
_SPEED = 10.0  # 1/s: a stack of memory is read ten times a second and more, a module of DIMMs less

machine_nodes = parameter(unit="1", doc="Nodes that ran HPL", minimum=1)
machine_node_flop_rate = parameter(
    unit="flop/s", doc="Peak rate of a node: of its devices as the catalogue has them, else as listed", above=0
)
machine_clock_kept = parameter(
    unit="1",
    doc="Whether processors keep the clock of their peak rate under load (1); 0 with accelerators",
    minimum=0,
    maximum=1,
)
machine_year = parameter(unit="1", doc="Year the machine went into service", minimum=1940)
machine_processors = parameter(unit="1", doc="Processors of a node that are in no accelerator's package", minimum=0)
machine_processor_power = parameter(unit="W", doc="Rated power of one of them", minimum=0)
machine_devices = parameter(unit="1", doc="Accelerators of a node", minimum=0)
machine_device_power = parameter(unit="W", doc="Rated power of one of them", minimum=0)
machine_memory_capacity = parameter(unit="B", doc="Memory of a node", above=0)
machine_memory_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of the fastest memory of a node", above=0)
machine_injection_bandwidth = parameter(unit="B/s", doc="Bandwidth of all network cards of a node", above=0)
machine_taper = parameter(
    unit="1",
    doc="Injection bandwidth over that when all send to all; by kind of network where no shape is known",
    above=0,
)
machine_switch_ports = parameter(unit="1", doc="Ports of switches for each link of a node", minimum=0)
machine_optical_ends = parameter(unit="1", doc="Ends of optical cables for each link of a node", minimum=0)

machine_adapters = parameter(
    unit="1", doc="Share of the network cards and routers that is not on the processor's die", minimum=0, maximum=1
)

machine_law_error = parameter(
    unit="1", doc="Standard error of the logarithm of what the law of its device gives", minimum=0
)
machine_operating_error = parameter(
    unit="1", doc="Standard deviation of the logarithm of the power of machines with one device", minimum=0
)
machine_power_doubted = parameter(unit="1", doc="Whether its measured power is doubted (1)", minimum=0, maximum=1)
machine_matrix_units = parameter(
    unit="1",
    doc="Whether the cores of its processors have units of outer products, by the table of sockets (1)",
    minimum=0,
    maximum=1,
)
machine_left_out_rate = parameter(unit="1", doc="Share of the peak by laws without it, over measured", above=0)
machine_left_out_rate_errors = parameter(
    unit="1", doc="The difference of their logarithms in standard errors", signed=True
)
machine_left_out_power = parameter(unit="1", doc="Share of the rated power by laws without it, over measured", above=0)
machine_left_out_power_errors = parameter(
    unit="1", doc="The difference of their logarithms in standard errors", signed=True
)
machine_left_out_efficiency = parameter(
    unit="1", doc="Share of the rated efficiency by laws without it, over measured", above=0
)
machine_left_out_efficiency_errors = parameter(
    unit="1", doc="The difference of their logarithms in standard errors", signed=True
)
machine_linpack_flop_rate = parameter(unit="flop/s", doc="Measured rate of HPL, Rmax", above=0)
machine_linpack_power = parameter(unit="W", doc="Measured power at HPL", above=0)
machine_gradient_flop_rate = parameter(unit="flop/s", doc="Measured rate of HPCG", above=0)

machine_message_latency = assumption(
    3.0e-6,
    unit="s",
    source=f"{ANGHEL_2017}, Section 7.2: 0.9 us of software and three switches of 0.7 us (no table has it by machine)",
    doc="Time from sending to receiving an empty message",
    minimum=0,
)
outside_memory_energy = assumption(
    140e-12,
    unit="J/B",
    source="15 to 20 pJ/bit of DDR modules with controller and lines (confidence low)",
    doc="Energy of a byte of a memory outside the packages, which no rated power has in it",
    minimum=0,
)
adapter_power_per_bandwidth = assumption(
    772e-12,
    unit="J/B",
    source="spaces/network/nics.csv, the middle row: 96.5 pJ/bit (medium); routers in or beside processors are alike",
    doc="Power of network cards over their bandwidth",
    minimum=0,
)
switch_port_power_per_bandwidth = assumption(
    253e-12,
    unit="J/B",
    source="spaces/network/switches.csv, the middle one of three InfiniBand boxes: 31.6 pJ/bit (medium)",
    doc="Power of a port of a switch over its bandwidth",
    minimum=0,
)
optical_end_power_per_bandwidth = assumption(
    180e-12,
    unit="J/B",
    source="spaces/network/cables.csv, optical cables of 200 and 400 Gbit/s: 22.5 pJ/bit (medium)",
    doc="Power of one end of an optical cable over its bandwidth",
    minimum=0,
)


@quantity(unit="1", source=_TABLE, **_NETWORK)
def nodes(machine_nodes):
    """Nodes that run the program."""
    return machine_nodes * 1.0


@quantity(unit="1", source=_TABLE, **_MACHINE)
def accelerated(machine_devices):
    """Whether the nodes have accelerators (1) or not (0)."""
    return np.where(machine_devices > 0.0, 1.0, 0.0)


@quantity(unit="flop/s", source=f"{_TABLE}; spaces/machines/devices.csv", **_MACHINE)
def node_peak_flop_rate(machine_node_flop_rate):
    """Peak rate of a node: of its devices as the catalogue of designs has them, else the listed one over its nodes."""
    return machine_node_flop_rate * 1.0


@quantity(unit="B", source=_TABLE, **_MACHINE)
def node_memory_capacity(machine_memory_capacity):
    """Memory of a node."""
    return machine_memory_capacity * 1.0


@quantity(unit="B/s", source=_TABLE, **_MACHINE)
def node_memory_bandwidth(machine_memory_bandwidth):
    """Peak bandwidth of the fastest memory of a node."""
    return machine_memory_bandwidth * 1.0


@quantity(unit="B/s", source=_TABLE, **_INTERCONNECT)
def node_injection_bandwidth(machine_injection_bandwidth):
    """Bandwidth of all network cards of a node, in each direction."""
    return machine_injection_bandwidth * 1.0


@quantity(
    unit="B/s", source="injection over taper: tori by dse.models.network, others by stated assumptions", **_INTERCONNECT
)
def all_to_all_bandwidth(machine_injection_bandwidth, machine_taper):
    """Effective bandwidth of a node when all send to all."""
    return machine_injection_bandwidth / machine_taper


@quantity(unit="B/s", source="ours: neighbours are near, so the links of a node bind first (medium)", **_INTERCONNECT)
def halo_bandwidth(machine_injection_bandwidth):
    """Effective bandwidth of a node that exchanges with its neighbours."""
    return machine_injection_bandwidth * 1.0


@quantity(unit="s", source="one latency for all machines", **_INTERCONNECT)
def message_latency(machine_message_latency):
    """Time from sending to receiving an empty message."""
    return machine_message_latency * 1.0


@quantity(unit="W", source=_TABLE, **_MACHINE)
def node_processors_power(machine_processors, machine_processor_power, machine_devices, machine_device_power):
    """Rated power of the processors and accelerators of a node."""
    return machine_processors * machine_processor_power + machine_devices * machine_device_power


@quantity(unit="W", source=f"{_RATED}; memory of accelerators and stacks in a package are rated with them", **_MACHINE)
def node_memory_power(machine_memory_bandwidth, machine_memory_capacity, machine_devices, outside_memory_energy):
    """Power of the memory of a node that stands outside the packages, at full bandwidth; a host's is not counted."""
    drawn = machine_memory_bandwidth * outside_memory_energy
    outside = np.where(machine_memory_bandwidth < _SPEED * machine_memory_capacity, drawn, 0.0)
    return np.where(machine_devices > 0.0, 0.0, outside)


@quantity(unit="W", source=_RATED, **_INTERCONNECT)
def node_network_power(
    machine_injection_bandwidth,
    machine_adapters,
    machine_switch_ports,
    machine_optical_ends,
    adapter_power_per_bandwidth,
    switch_port_power_per_bandwidth,
    optical_end_power_per_bandwidth,
):
    """Power of the network cards of a node and of its share of switches and cables."""
    return machine_injection_bandwidth * (
        machine_adapters * adapter_power_per_bandwidth
        + machine_switch_ports * switch_port_power_per_bandwidth
        + machine_optical_ends * optical_end_power_per_bandwidth
    )


@quantity(unit="W", source=_RATED, **_INTERCONNECT)
def interconnect_power(nodes, node_network_power):
    """Power of the network of the machine with the cards of the nodes."""
    return nodes * node_network_power
