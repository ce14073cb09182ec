"""The full mesh as a component of a study: its parameters, the quantities behind its symbols, sources and accuracy."""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter
from dse.models.network.graphs.accuracy import simulated
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.links import NODE
from dse.models.network.topologies.full_mesh.closed_form import SWITCH, FullMesh
from dse.models.network.topologies.full_mesh.picture import draw_full_mesh
from dse.models.network.topologies.full_mesh.printed import PRINTED
from dse.models.network.topologies.full_mesh.route import full_mesh_network
from dse.models.sources import ANGHEL_2017

__all__ = ["COMPONENTS", "FULL_MESH", "PICTURES", "PLACE"]

PLACE = 10
"""In the list of the topologies, which messages and pages follow."""

mesh_switches = parameter(unit="1", doc="Switches of a full mesh, a", minimum=1, integer=True)

FULL_MESH = FullMesh(
    "full-mesh",
    {"a": "switches", "p": "nodes of a switch"},
    {"b0": "bandwidth of a node link", "b1": "bandwidth of a link between switches"},
    {"l0": "latency of a node link", "l1": "latency of a link between switches"},
    flow_network=full_mesh_network,
    printed=PRINTED,
)

_MESH = Component(
    "full-mesh",
    FULL_MESH,
    {"a": "mesh_switches", "p": "nodes_per_switch"},
    {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
    {"l0": "node_link_latency", "l1": "switch_link_latency"},
    {NODE: "optical_node_share", SWITCH: "optical_switch_share"},
    sources={
        "uniform": f"{ANGHEL_2017}, Eq. 5.8 (corrected: one switch has no links)",
        "shift": f"{ANGHEL_2017}, Eq. 5.50 (corrected: steps that wrap around)",
        "neighbour-2d": f"{ANGHEL_2017}, Table 5.5 (one rule for all rows, and the missing one)",
    },
    path_sources={
        "uniform": f"{ANGHEL_2017}, appendix table 1",
        "neighbour-2d": f"{ANGHEL_2017}, appendix table 3",
    },
    accuracy={
        "uniform": simulated("Table 5.10", 99.4, (1026, 1170), "p 13-80, a 13-80"),
        "shift": simulated("Table 5.11", 96.7, (96, 1536), "p 8-64, a 12-24"),
        "nearest-neighbour": simulated("Table 5.12", 97.8, (1024, 1024), "p 8-64, a 16-128"),
    },
)

COMPONENTS = (
    _MESH,
    _MESH.variant("full-mesh-as-printed", patterns=("uniform", "shift", "neighbour-2d"), equations="printed"),
)
PICTURES = (draw_full_mesh,)
