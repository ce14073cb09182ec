"""What a study gives a network of any topology: nodes of a switch, links, the step of a shift, the bit of an exchange.

What one topology alone has stands in its own ``component.py``; sizes of the dimensions of a grid in `grid_inputs`.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.sources import ANGHEL_2017

__all__ = ["OPTICAL_SOURCE", "SAME_LATENCY"]

SAME_LATENCY = f"{ANGHEL_2017}, Section 7.2: one latency for all links between switches"
OPTICAL_SOURCE = (
    "ours: the thesis does not say; short links (to a node, within a group) are taken electrical, all others optical"
)

nodes_per_switch = parameter(unit="1", doc="Nodes of a switch, p", minimum=1, integer=True)

node_link_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a link between node and switch, in each direction", above=0
)
switch_link_bandwidth = parameter(
    unit="B/s",
    doc="Bandwidth of a link between switches (tree: levels 1 and 2; dragonfly: in a group), in each direction",
    above=0,
)
node_link_latency = assumption(
    2.5e-9, unit="s", source=f"{ANGHEL_2017}, Section 7.2", doc="Latency of a link between node and switch", minimum=0
)
switch_link_latency = assumption(
    12e-9, unit="s", source=f"{ANGHEL_2017}, Section 7.2", doc="Latency of a link between switches", minimum=0
)

shift_step = parameter(
    unit="1", doc="Step of the pattern shift, in nodes (in ranks, with several processes per node)", integer=True
)
processes_per_node = assumption(
    1,
    unit="1",
    source=f"{ANGHEL_2017}, Chapter 6: one process per node",
    doc="Processes of each node; ranks fill one node after the other",
    minimum=1,
    integer=True,
)
exchange_bit = parameter(
    unit="1", doc="Bit in which the numbers of two nodes differ in the pattern exchange", minimum=0, integer=True
)

optical_node_share = assumption(
    0,
    unit="1",
    source=OPTICAL_SOURCE,
    doc="Share of links between node and switch that are optical",
    minimum=0,
    maximum=1,
)
optical_switch_share = assumption(
    1, unit="1", source=OPTICAL_SOURCE, doc="Share of links between switches that are optical", minimum=0, maximum=1
)
