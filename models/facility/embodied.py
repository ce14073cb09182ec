"""Greenhouse gases of making a node, by its class: per accelerator with its share of the node, or per socket.

Two published figures stand for all parts of their class: makers publish few, on different boundaries. So it tells
many parts from few, and no product from another. A study that knows better gives ``node_embodied_carbon``, without this
model.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, quantity
from dse.models.facility.inputs import node_embodied_carbon
from dse.models.node_class.accelerated import devices_per_node
from dse.models.node_class.many_core import sockets
from dse.models.sources import ARCHER2_EMISSIONS, CHIEN_2023

__all__ = ["devices_per_node", "node_embodied_carbon", "sockets"]

device_embodied_carbon = assumption(
    318.0,
    unit="kg",
    source=f"{CHIEN_2023}: an eighth of a cloud node of eight A100, host, memory and drives in it (confidence low)",
    doc="CO2 equivalents of making an accelerator and its share of the node",
    minimum=0,
)
socket_embodied_carbon = assumption(
    550.0,
    unit="kg",
    source=f"{ARCHER2_EMISSIONS}: half of a node of two sockets of 64 cores, 1,100 kg (confidence low)",
    doc="CO2 equivalents of making a socket of a many-core node and its share of the node",
    minimum=0,
)


@quantity(unit="kg", name="node_embodied_carbon", source=f"{CHIEN_2023}", slot="node_class", provider="accelerated")
def accelerated_node_embodied_carbon(devices_per_node, device_embodied_carbon):
    """CO2 equivalents of making an accelerated node."""
    return devices_per_node * device_embodied_carbon


@quantity(
    unit="kg", name="node_embodied_carbon", source=f"{ARCHER2_EMISSIONS}", slot="node_class", provider="many-core"
)
def many_core_node_embodied_carbon(sockets, socket_embodied_carbon):
    """CO2 equivalents of making a many-core node."""
    return sockets * socket_embodied_carbon
