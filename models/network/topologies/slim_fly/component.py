"""The Slim Fly as a component of a study: its parameters and the quantities behind its symbols; all loads are ours."""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.links import NODE
from dse.models.network.topologies.slim_fly.closed_form import SWITCH, SlimFly
from dse.models.network.topologies.slim_fly.picture import draw_slim_fly
from dse.models.network.topologies.slim_fly.route import slim_fly_network

__all__ = ["COMPONENTS", "PICTURES", "PLACE", "SLIM_FLY"]

PLACE = 60
"""In the list of the topologies, which messages and pages follow."""

field_order = parameter(unit="1", doc="Order of the field of a Slim Fly, a prime 4 w + 1, q", minimum=5, integer=True)

SLIM_FLY = SlimFly(
    "slim-fly",
    {"q": "order of the field, a prime 4 w + 1", "p": "nodes of a switch"},
    {"b0": "bandwidth of a node link", "b1": "bandwidth of a link between switches"},
    {"l0": "latency of a node link", "l1": "latency of a link between switches"},
    flow_network=slim_fly_network,
)

COMPONENTS = (
    Component(
        "slim-fly",
        SLIM_FLY,
        {"q": "field_order", "p": "nodes_per_switch"},
        {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
        {"l0": "node_link_latency", "l1": "switch_link_latency"},
        {NODE: "optical_node_share", SWITCH: "optical_switch_share"},
    ),
)
PICTURES = (draw_slim_fly,)
