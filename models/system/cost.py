"""Cost of the machine as a weighted count of its devices: no prices, which change by the year and the customer.

The weights are relative to a node. A study that asks for the cost must give them: there are none to be quoted.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

_COUNT = "ours: devices by weight"

node_cost_weight = assumption(
    1.0, unit="1", source="the unit: all weights are relative to a node", doc="Weight of a node in the cost", minimum=0
)
switch_port_cost_weight = parameter(unit="1", doc="Weight in the cost of a port of a switch in use", minimum=0)
electrical_link_cost_weight = parameter(unit="1", doc="Weight of an electrical cable in the cost", minimum=0)
optical_link_cost_weight = parameter(unit="1", doc="Weight of an optical cable in the cost", minimum=0)
network_planes = assumption(
    1.0, unit="1", source="one network", doc="Networks of the machine, all alike", minimum=1, integer=True
)
nic_cost_weight = parameter(unit="1", doc="Weight of a network card in the cost", minimum=0)


@quantity(unit="1", source=_COUNT)
def nodes_cost(nodes, node_cost_weight):
    """Cost of the nodes."""
    return nodes * node_cost_weight


@quantity(unit="1", source=_COUNT)
def switches_cost(ports_in_use, network_planes, switch_port_cost_weight):
    """Cost of the switches, by their ports in use: a switch of many ports is no bargain."""
    return ports_in_use * network_planes * switch_port_cost_weight


@quantity(unit="1", source=_COUNT)
def links_cost(electrical_links, optical_links, network_planes, electrical_link_cost_weight, optical_link_cost_weight):
    """Cost of the cables."""
    electrical = electrical_links * electrical_link_cost_weight
    return (electrical + optical_links * optical_link_cost_weight) * network_planes


@quantity(unit="1", source=_COUNT)
def nics_cost(nodes, nics_per_node, nic_cost_weight):
    """Cost of the network cards."""
    return nodes * nics_per_node * nic_cost_weight


@quantity(
    unit="1",
    label="cost index of the machine",
    source=_COUNT,
    sum_of=("nodes_cost", "switches_cost", "links_cost", "nics_cost"),
)
def machine_cost(nodes_cost, switches_cost, links_cost, nics_cost):
    """Cost of the machine, in the unit of its weights: a node, unless a model of nodes has another."""
    return nodes_cost + switches_cost + links_cost + nics_cost
