"""Networks: effective bandwidth, latency, parts and power of every topology.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), chapters 5 and 6,
with its errors corrected (components named ``…-as-printed`` keep them) and with extensions of ours, marked in the
sources.

In a study, the slot ``topology`` takes one of the topologies, and each pattern of communication is a set of
quantities: ``uniform_bandwidth``, ``shift_bandwidth``, ``neighbour_2d_bandwidth`` … The slots ``pattern`` and
``routing`` choose what ``effective_bandwidth``, ``link_latency`` and ``network_latency`` mean. In Python,
`effective_bandwidth`, `mean_path` and `network_parts` answer for any shapes.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.network import traffic_choice
from dse.models.network.bandwidth.bandwidth import (
    ROUTINGS,
    MeanPath,
    effective_bandwidth,
    link_loads,
    mean_path,
    message_loads,
)
from dse.models.network.bandwidth.seeds import OverSeeds, over_seeds
from dse.models.network.bandwidth.shared_nodes import ProcessTraffic, process_traffic
from dse.models.network.components import component_functions, component_parameters
from dse.models.network.graphs.links import LinkClass, LinkLoads
from dse.models.network.graphs.topology import NetworkParts
from dse.models.network.parts import power
from dse.models.network.parts.parts import network_parts, shape_faults
from dse.models.network.patterns.patterns import PATTERNS
from dse.models.network.topologies import PICTURES, TOPOLOGIES

__all__ = [
    "PATTERNS",
    "ROUTINGS",
    "TOPOLOGIES",
    "LinkClass",
    "LinkLoads",
    "MeanPath",
    "NetworkParts",
    "OverSeeds",
    "ProcessTraffic",
    "effective_bandwidth",
    "link_loads",
    "mean_path",
    "message_loads",
    "network_parts",
    "over_seeds",
    "process_traffic",
    "shape_faults",
]
__all__ += sorted(PICTURES)  # draw_torus and the like

globals().update(component_parameters())
globals().update(declarations(traffic_choice, power))
globals().update(component_functions())
globals().update(traffic_choice.pattern_functions())
globals().update(traffic_choice.mapping_functions())
globals().update(sorted(PICTURES.items()))
