"""The HyperX as components of a study, with equal split and in the order of the dimensions: quantities and sources."""

from __future__ import annotations

from dse.models.network.graphs.accuracy import simulated
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.grid_inputs import (
    GRID_BANDWIDTHS,
    GRID_LATENCIES,
    GRID_OPTICAL,
    GRID_SIZES,
    dimension_1,
    dimension_2,
    dimension_3,
    dimension_4,
    dimension_5,
    dimension_6,
)
from dse.models.network.topologies.hyperx.closed_form import HyperX
from dse.models.network.topologies.hyperx.picture import draw_hyperx
from dse.models.network.topologies.hyperx.printed import PRINTED
from dse.models.network.topologies.hyperx.route import hyperx_network
from dse.models.sources import ANGHEL_2017

__all__ = ["COMPONENTS", "HYPERX", "PICTURES", "PLACE", "dimension_1", "dimension_2", "dimension_3", "dimension_4"]
__all__ += ["dimension_5", "dimension_6"]

PLACE = 40
"""In the list of the topologies, which messages and pages follow."""

HYPERX = HyperX(
    "hyperx",
    {"d": "switches along each dimension", "p": "nodes of a switch"},
    {"b0": "bandwidth of a node link", "b": "bandwidth of a link of each dimension"},
    {"l0": "latency of a node link", "l": "latency of a link of each dimension"},
    per_dimension=frozenset(("d", "b", "l")),
    routings=("minimal", "dimension-order"),
    flow_network=hyperx_network,
    printed=PRINTED,
)

_HYPERX = Component(
    "hyperx",
    HYPERX,
    GRID_SIZES,
    GRID_BANDWIDTHS,
    GRID_LATENCIES,
    GRID_OPTICAL,
    sources={
        "uniform": f"{ANGHEL_2017}, Eq. 5.41 (corrected: a dimension of one switch has no links; more dimensions ours)",
        "neighbour-2d": f"{ANGHEL_2017}, Table 5.8 (corrected at d2 <= 2)",
    },
    path_sources={
        "uniform": f"{ANGHEL_2017}, appendix table 1",
        "neighbour-2d": f"{ANGHEL_2017}, appendix table 6",
    },
    accuracy={
        "uniform": simulated("Table 5.10", 97.9, (16, 1200), "p 2-14, d1 = d2 4-10"),
        "nearest-neighbour": simulated("Table 5.12", 83.0, (100, 1000), "p 1-5, 10, d1 = d2 = 10, k and m 1, 2, 5, 10"),
    },
)

COMPONENTS = (
    _HYPERX,
    _HYPERX.variant("hyperx-dimension-order", routing="dimension-order"),
    # The thesis maps rows of the process grid, no tiles, onto a HyperX.
    _HYPERX.variant("hyperx-as-printed", patterns=("uniform", "neighbour-2d"), equations="printed", sub_domains=False),
)
PICTURES = (draw_hyperx,)
