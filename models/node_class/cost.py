"""Rated power and cost weight of a node, whatever its class."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

memory_cost_weight = parameter(
    unit="1/B", doc="Cost of a byte of memory next to a wafer of weight 1: a weight, for the user to replace", minimum=0
)
node_base_cost_weight = assumption(
    0.02,
    unit="1",
    source="a weight: board, power supply, cooling and rack of a node next to a wafer of 28 nm",
    doc="Cost of a node without silicon and memory next to a wafer of weight 1",
    minimum=0,
)


@quantity(
    unit="W",
    label="thermal design power of a node",
    source="rated powers of what computes and stores",
    sum_of=("node_processors_power", "node_memory_power"),
)
def node_thermal_design_power(node_processors_power, node_memory_power):
    """Rated power of the processors, devices and memory of a node."""
    return node_processors_power + node_memory_power


@quantity(unit="1", source="a weight")
def node_memory_cost_weight(node_memory_capacity, memory_cost_weight):
    """Cost of the memory of a node next to a wafer of weight 1."""
    return node_memory_capacity * memory_cost_weight


@quantity(
    unit="1",
    source="a weight, not a price",
    sum_of=("node_silicon_cost_weight", "node_memory_cost_weight", "node_base_cost_weight"),
)
def node_cost_weight(node_silicon_cost_weight, node_memory_cost_weight, node_base_cost_weight):
    """Cost of a node without its network, next to a wafer of weight 1."""
    return node_silicon_cost_weight + node_memory_cost_weight + node_base_cost_weight
