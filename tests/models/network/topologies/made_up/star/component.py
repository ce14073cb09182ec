"""The star as a component of a study."""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.links import NODE
from dse.models.network.topologies.star.closed_form import ARM, Star
from dse.models.network.topologies.star.picture import draw_star
from dse.models.network.topologies.star.route import star_network

__all__ = ["COMPONENTS", "PICTURES", "PLACE", "STAR"]

PLACE = 25

arms = parameter(unit="1", doc="Arms of a star, s", minimum=2, integer=True)

STAR = Star(
    "star",
    {"s": "arms", "p": "nodes of a switch"},
    {"b0": "bandwidth of a node link", "b1": "bandwidth of an arm"},
    {"l0": "latency of a node link", "l1": "latency of an arm"},
    flow_network=star_network,
)
COMPONENTS = (
    Component(
        "star",
        STAR,
        {"s": "arms", "p": "nodes_per_switch"},
        {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
        {"l0": "node_link_latency", "l1": "switch_link_latency"},
        {NODE: "optical_node_share", ARM: "optical_switch_share"},
    ),
)
PICTURES = (draw_star,)
