"""Fat trees of two and three levels as components of a study: parameters, quantities, sources and accuracy."""

from __future__ import annotations

from dataclasses import replace

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.network.graphs.accuracy import simulated
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.inputs import OPTICAL_SOURCE, SAME_LATENCY
from dse.models.network.graphs.links import NODE
from dse.models.network.topologies.fat_tree.closed_form import LOWER, UPPER, FatTree
from dse.models.network.topologies.fat_tree.picture import draw_fat_tree_2, draw_fat_tree_3
from dse.models.network.topologies.fat_tree.printed import PRINTED_2, PRINTED_3
from dse.models.network.topologies.fat_tree.route import three_level_network, two_level_network
from dse.models.sources import ANGHEL_2017

__all__ = ["COMPONENTS", "PICTURES", "PLACE", "THREE_LEVELS", "TWO_LEVELS"]

PLACE = 20
"""In the list of the topologies, which messages and pages follow."""

tree_children_1 = parameter(unit="1", doc="Nodes below a switch of level 1 of a fat tree, m1", minimum=1, integer=True)
tree_children_2 = parameter(
    unit="1", doc="Switches of level 1 of a fat tree (of a subtree, with three levels), m2", minimum=1, integer=True
)
tree_children_3 = parameter(unit="1", doc="Subtrees of a fat tree of three levels, m3", minimum=1, integer=True)
tree_uplinks_0 = assumption(
    1,
    unit="1",
    source=f"{ANGHEL_2017}, Section 7.2",
    doc="Parallel links from a node to its switch, w0",
    minimum=1,
    integer=True,
)
tree_uplinks_1 = parameter(unit="1", doc="Links up from a switch of level 1, w1", minimum=1, integer=True)
tree_uplinks_2 = parameter(unit="1", doc="Links up from a switch of level 2, w2", minimum=1, integer=True)

upper_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a tree link between levels 2 and 3, in each direction", above=0
)
upper_link_latency = assumption(
    12e-9, unit="s", source=SAME_LATENCY, doc="Latency of a tree link between levels 2 and 3", minimum=0
)
optical_upper_share = assumption(
    1,
    unit="1",
    source=OPTICAL_SOURCE,
    doc="Share of tree links between levels 2 and 3 that are optical",
    minimum=0,
    maximum=1,
)

_SIZES = {
    "m1": "nodes below a switch of level 1",
    "m2": "switches of level 1 (of a subtree, when there are three levels)",
    "w0": "parallel links from a node to its switch",
    "w1": "links up from a switch of level 1",
}
_BANDWIDTHS = {"b0": "bandwidth of a node link", "b1": "bandwidth of a link between levels 1 and 2"}
_LATENCIES = {"l0": "latency of a node link", "l1": "latency of a link between levels 1 and 2"}

TWO_LEVELS = FatTree(
    "fat-tree-2-level",
    _SIZES,
    _BANDWIDTHS,
    _LATENCIES,
    defaults={"w0": 1.0},
    flow_network=two_level_network,
    printed=PRINTED_2,
)
THREE_LEVELS = FatTree(
    "fat-tree-3-level",
    _SIZES | {"m3": "subtrees", "w2": "links up from a switch of level 2"},
    _BANDWIDTHS | {"b2": "bandwidth of a link between levels 2 and 3"},
    _LATENCIES | {"l2": "latency of a link between levels 2 and 3"},
    defaults={"w0": 1.0},
    flow_network=three_level_network,
    printed=PRINTED_3,
)

_TREE_2 = Component(
    "fat-tree-2-level",
    TWO_LEVELS,
    {"m1": "tree_children_1", "m2": "tree_children_2", "w0": "tree_uplinks_0", "w1": "tree_uplinks_1"},
    {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
    {"l0": "node_link_latency", "l1": "switch_link_latency"},
    {NODE: "optical_node_share", LOWER: "optical_switch_share"},
    sources={
        "uniform": f"{ANGHEL_2017}, Eq. 5.13",
        "shift": f"{ANGHEL_2017}, Eq. 5.54 (corrected: steps that wrap around, w0)",
        "neighbour-2d": f"{ANGHEL_2017}, Table 5.6 (one rule for all rows, w0)",
    },
    path_sources={
        "uniform": f"{ANGHEL_2017}, appendix table 1",
        "neighbour-2d": f"{ANGHEL_2017}, appendix table 4",
    },
    accuracy={
        "uniform": simulated("Table 5.10", 98.9, (1024, 1224), "w0 1, w1 2-39, m1 25-61, m2 20-42"),
        "shift": simulated("Table 5.11", 92.8, (24, 1024), "w0 1, w1 2-8, m1 12-64, m2 2-16"),
        "nearest-neighbour": simulated("Table 5.12", 91.1, (1024, 1024), "w0 1, w1 2, 4, 8, m1 8-32, m2 32-128"),
    },
)
_TREE_3 = replace(
    _TREE_2,
    provider="fat-tree-3-level",
    topology=THREE_LEVELS,
    sizes={**_TREE_2.sizes, "m3": "tree_children_3", "w2": "tree_uplinks_2"},
    bandwidths={**_TREE_2.bandwidths, "b2": "upper_link_bandwidth"},
    latencies={**_TREE_2.latencies, "l2": "upper_link_latency"},
    optical={**_TREE_2.optical, UPPER: "optical_upper_share"},
    sources={
        "uniform": f"{ANGHEL_2017}, Eq. 5.19",
        "shift": f"{ANGHEL_2017}, Eq. 5.60 (corrected: steps that wrap around, w0)",
        "neighbour-2d": f"{ANGHEL_2017}, Eq. 5.66 and Table 5.7 (corrected: row 1, w0)",
    },
    path_sources={
        "uniform": f"{ANGHEL_2017}, appendix table 1",
        "neighbour-2d": f"{ANGHEL_2017}, appendix table 5 (corrected)",
    },
    accuracy={
        "uniform": simulated("Table 5.10", 98.8, (1026, 1200), "w0 1, w1 3-39, w2 2-6, m1 18-61, m2 3-10, m3 6"),
        "shift": simulated("Table 5.11", 94.1, (48, 1280), "w0 1, w1 2-4, w2 4-8, m1 12-40, m2 2-8, m3 2-4"),
        "nearest-neighbour": simulated(
            "Table 5.12", 89.7, (1024, 1024), "w0 1, w1 2, 4, w2 4, m1 2, 8, 32, m2 4, 16, m3 2-128"
        ),
    },
)
_AS_PRINTED = ("uniform", "shift", "neighbour-2d")

COMPONENTS = (
    _TREE_2,
    _TREE_3,
    _TREE_2.variant("fat-tree-2-level-as-printed", patterns=_AS_PRINTED, equations="printed"),
    _TREE_3.variant("fat-tree-3-level-as-printed", patterns=_AS_PRINTED, equations="printed"),
)
PICTURES = (draw_fat_tree_2, draw_fat_tree_3)
