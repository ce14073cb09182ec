"""The dragonfly as a component of a study: its parameters, and the quantities behind its symbols."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.inputs import OPTICAL_SOURCE, SAME_LATENCY
from dse.models.network.graphs.links import NODE
from dse.models.network.topologies.dragonfly.closed_form import Dragonfly
from dse.models.network.topologies.dragonfly.picture import draw_dragonfly
from dse.models.network.topologies.dragonfly.route import dragonfly_network
from dse.models.network.topologies.dragonfly.wiring import GLOBAL, LOCAL

__all__ = ["COMPONENTS", "DRAGONFLY", "PICTURES", "PLACE"]

PLACE = 50
"""In the list of the topologies, which messages and pages follow."""

group_switches = parameter(unit="1", doc="Switches of a dragonfly group, a", minimum=1, integer=True)
global_ports = parameter(unit="1", doc="Global links of a dragonfly switch, h", minimum=1, integer=True)
groups = parameter(unit="1", doc="Groups of a dragonfly, g", minimum=2, integer=True)

global_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a dragonfly link between groups, in each direction", above=0
)
global_link_latency = assumption(
    12e-9, unit="s", source=SAME_LATENCY, doc="Latency of a dragonfly link between groups", minimum=0
)
optical_local_share = assumption(
    0,
    unit="1",
    source=OPTICAL_SOURCE,
    doc="Share of dragonfly links within a group that are optical",
    minimum=0,
    maximum=1,
)
optical_global_share = assumption(
    1,
    unit="1",
    source=OPTICAL_SOURCE,
    doc="Share of dragonfly links between groups that are optical",
    minimum=0,
    maximum=1,
)

DRAGONFLY = Dragonfly(
    "dragonfly",
    {
        "a": "switches of a group",
        "p": "nodes of a switch",
        "h": "global links of a switch",
        "g": "groups; default a·h + 1",
    },
    {
        "b0": "bandwidth of a node link",
        "bl": "bandwidth of a link within a group",
        "bg": "bandwidth of a link between groups",
    },
    {
        "l0": "latency of a node link",
        "ll": "latency of a link within a group",
        "lg": "latency of a link between groups",
    },
    flow_network=dragonfly_network,
)

COMPONENTS = (
    Component(
        "dragonfly",
        DRAGONFLY,
        {"a": "group_switches", "p": "nodes_per_switch", "h": "global_ports", "g": "groups"},
        {"b0": "node_link_bandwidth", "bl": "switch_link_bandwidth", "bg": "global_link_bandwidth"},
        {"l0": "node_link_latency", "ll": "switch_link_latency", "lg": "global_link_latency"},
        {NODE: "optical_node_share", LOCAL: "optical_local_share", GLOBAL: "optical_global_share"},
    ),
)
PICTURES = (draw_dragonfly,)
