"""What a study gives a network: sizes of each topology, bandwidths and latencies of its links, and the pattern."""

from __future__ import annotations

from dse.authoring.declaration import assumption, parameter

__all__ = ["DIMENSIONS", "THESIS"]

THESIS = "Anghel 2017"
DIMENSIONS = 6
"""Dimensions a study may give a torus or a HyperX."""

_ONE = "one switch along a dimension: the network has fewer dimensions"

nodes_per_switch = parameter(unit="1", doc="Nodes of a switch, p", minimum=1, integer=True)
mesh_switches = parameter(unit="1", doc="Switches of a full mesh, a", minimum=1, integer=True)

tree_children_1 = parameter(unit="1", doc="Nodes below a switch of level 1 of a fat tree, m1", minimum=1, integer=True)
tree_children_2 = parameter(
    unit="1", doc="Switches of level 1 of a fat tree (of a subtree, with three levels), m2", minimum=1, integer=True
)
tree_children_3 = parameter(unit="1", doc="Subtrees of a fat tree of three levels, m3", minimum=1, integer=True)
tree_uplinks_0 = assumption(
    1,
    unit="1",
    source=f"{THESIS}, Section 7.2",
    doc="Parallel links from a node to its switch, w0",
    minimum=1,
    integer=True,
)
tree_uplinks_1 = parameter(unit="1", doc="Links up from a switch of level 1, w1", minimum=1, integer=True)
tree_uplinks_2 = parameter(unit="1", doc="Links up from a switch of level 2, w2", minimum=1, integer=True)

dimension_1 = parameter(unit="1", doc="Switches along dimension 1 of a torus or HyperX", minimum=1, integer=True)
dimension_2 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 2", minimum=1, integer=True)
dimension_3 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 3", minimum=1, integer=True)
dimension_4 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 4", minimum=1, integer=True)
dimension_5 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 5", minimum=1, integer=True)
dimension_6 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 6", minimum=1, integer=True)
links_in_ring_of_two = assumption(
    2,
    unit="1",
    source=f"{THESIS}, Eq. 5.23: the formulas count two links in each direction between two switches of a ring",
    doc="Links in each direction along a torus dimension of two switches: 2 or 1",
    minimum=1,
    maximum=2,
    integer=True,
)

group_switches = parameter(unit="1", doc="Switches of a dragonfly group, a", minimum=1, integer=True)
global_ports = parameter(unit="1", doc="Global links of a dragonfly switch, h", minimum=1, integer=True)
groups = parameter(unit="1", doc="Groups of a dragonfly, g", minimum=2, integer=True)

field_order = parameter(unit="1", doc="Order of the field of a Slim Fly, a prime 4 w + 1, q", minimum=5, integer=True)

node_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a link between node and switch, in each direction", above=0
)
switch_link_bandwidth = parameter(
    unit="B/s",
    doc="Bandwidth of a link between switches (tree: levels 1 and 2; dragonfly: in a group), in each direction",
    above=0,
)
upper_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a tree link between levels 2 and 3, in each direction", above=0
)
global_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a dragonfly link between groups, in each direction", above=0
)

_SAME = f"{THESIS}, Section 7.2: one latency for all links between switches"
node_link_latency = assumption(
    2.5e-9, unit="s", source=f"{THESIS}, Section 7.2", doc="Latency of a link between node and switch", minimum=0
)
switch_link_latency = assumption(
    12e-9, unit="s", source=f"{THESIS}, Section 7.2", doc="Latency of a link between switches", minimum=0
)
upper_link_latency = assumption(
    12e-9, unit="s", source=_SAME, doc="Latency of a tree link between levels 2 and 3", minimum=0
)
global_link_latency = assumption(
    12e-9, unit="s", source=_SAME, doc="Latency of a dragonfly link between groups", minimum=0
)

shift_step = parameter(unit="1", doc="Step of the pattern shift, in nodes", integer=True)

_KIND = (
    "ours: the thesis does not say; short links (to a node, within a group) are taken electrical, all others optical"
)
optical_node_share = assumption(
    0, unit="1", source=_KIND, doc="Share of links between node and switch that are optical", minimum=0, maximum=1
)
optical_switch_share = assumption(
    1, unit="1", source=_KIND, doc="Share of links between switches that are optical", minimum=0, maximum=1
)
optical_upper_share = assumption(
    1, unit="1", source=_KIND, doc="Share of tree links between levels 2 and 3 that are optical", minimum=0, maximum=1
)
optical_local_share = assumption(
    0, unit="1", source=_KIND, doc="Share of dragonfly links within a group that are optical", minimum=0, maximum=1
)
optical_global_share = assumption(
    1, unit="1", source=_KIND, doc="Share of dragonfly links between groups that are optical", minimum=0, maximum=1
)
