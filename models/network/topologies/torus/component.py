"""The torus as a component of a study: its parameters, the quantities behind its symbols, sources and accuracy."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption
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
from dse.models.network.topologies.torus.closed_form import Torus
from dse.models.network.topologies.torus.picture import draw_torus
from dse.models.network.topologies.torus.printed import PRINTED
from dse.models.network.topologies.torus.route import torus_network
from dse.models.sources import ANGHEL_2017

__all__ = ["COMPONENTS", "PICTURES", "PLACE", "TORUS", "dimension_1", "dimension_2", "dimension_3", "dimension_4"]
__all__ += ["dimension_5", "dimension_6"]

PLACE = 30
"""In the list of the topologies, which messages and pages follow."""

links_in_ring_of_two = assumption(
    2,
    unit="1",
    source=f"{ANGHEL_2017}, Eq. 5.23: the formulas count two links in each direction between two switches of a ring",
    doc="Links in each direction along a torus dimension of two switches: 2 or 1",
    minimum=1,
    maximum=2,
    integer=True,
)

TORUS = Torus(
    "torus",
    {"d": "switches along each dimension", "p": "nodes of a switch", "double_link_at_2": "two links in a ring of two"},
    {"b0": "bandwidth of a node link", "b": "bandwidth of a link of each dimension"},
    {"l0": "latency of a node link", "l": "latency of a link of each dimension"},
    per_dimension=frozenset(("d", "b", "l")),
    defaults={"double_link_at_2": 1.0},
    flags={"double_link_at_2": "True (two links) or False (one)"},
    flow_network=torus_network,
    printed=PRINTED,
)

_TORUS = Component(
    "torus",
    TORUS,
    {**GRID_SIZES, "double_link_at_2": "links_in_ring_of_two"},
    GRID_BANDWIDTHS,
    GRID_LATENCIES,
    GRID_OPTICAL,
    sources={"uniform": f"{ANGHEL_2017}, Eqs. 5.23 to 5.34"},
    path_sources={"uniform": f"{ANGHEL_2017}, appendix table 1 (corrected: messages to oneself left out)"},
    accuracy={"uniform": simulated("Table 5.10", 83.4, (8, 3375), "p 1, d1 2-15, d2 2-64, d3 2-80")},
    converted={"double_link_at_2": lambda links: links - 1.0},
)

COMPONENTS = (_TORUS, _TORUS.variant("torus-as-printed", patterns=("uniform",), equations="printed"))
PICTURES = (draw_torus,)
