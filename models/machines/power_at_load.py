"""Power of a machine at HPL: rated powers of what is in it, times the share that machines of its class draw of them.

The same for real machines and for designs: what differs is where the rated powers come from.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity
from dse.models.machines.classes import FITTED

__all__: list[str] = []


@quantity(unit="W", source=FITTED)
def machine_processors_power(nodes, node_processors_power, machine_power_share):
    """Power of processors and accelerators of all nodes at HPL."""
    return nodes * node_processors_power * machine_power_share


@quantity(unit="W", source=FITTED)
def machine_memory_power(nodes, node_memory_power, machine_power_share):
    """Power at HPL of the memory of all nodes that is not rated with a processor or accelerator."""
    return nodes * node_memory_power * machine_power_share


@quantity(unit="W", source=FITTED)
def machine_network_power(interconnect_power, machine_power_share):
    """Power of the network at HPL."""
    return interconnect_power * machine_power_share


@quantity(
    unit="W",
    label="power of the machine",
    source=FITTED,
    sum_of=("machine_processors_power", "machine_memory_power", "machine_network_power"),
)
def machine_power(machine_processors_power, machine_memory_power, machine_network_power):
    """Power of the machine at HPL."""
    return machine_processors_power + machine_memory_power + machine_network_power


@quantity(unit="B", label="memory of the machine", source="the memory of all nodes")
def total_memory_capacity(nodes, node_memory_capacity):
    """Memory of the machine."""
    return nodes * node_memory_capacity
