"""The Skywalk as a component of a study: its parameters and the quantities behind its symbols; all counts are ours."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.floor_plan import CABLE_LATENCY, FloorPlan
from dse.models.network.graphs.inputs import OPTICAL_SOURCE
from dse.models.network.graphs.links import NODE
from dse.models.network.graphs.parameters import LONGEST
from dse.models.network.topologies.skywalk.closed_form import Skywalk
from dse.models.network.topologies.skywalk.counting import BETWEEN, CABINET
from dse.models.network.topologies.skywalk.picture import draw_skywalk
from dse.models.network.topologies.skywalk.route import FEWEST_LINKS, skywalk_network
from dse.models.sources import MATSUOKA_2014

__all__ = ["COMPONENTS", "PICTURES", "PLACE", "SKYWALK"]

PLACE = 70
"""In the list of the topologies, which messages and pages follow."""

_FLOOR = FloorPlan()
_OURS = "ours: a usual machine room"
_LENGTH = f"a length from 0 to {LONGEST:g} m"

skywalk_switches = parameter(unit="1", doc="Switches of a Skywalk, s", minimum=2, integer=True)
cabinets = parameter(unit="1", doc="Cabinets of a Skywalk, c, each with s/c switches", minimum=2, integer=True)
switch_degree = parameter(unit="1", doc="Links of a Skywalk switch to other switches, k", minimum=1, integer=True)
wiring_seed = assumption(
    1,
    unit="1",
    source="ours: one of many graphs that are alike; take the mean over several",
    doc="Seed of the random links of a Skywalk",
    minimum=1,
    integer=True,
)
cabinets_per_row = assumption(
    _FLOOR.cabinets_per_row, unit="1", source=_OURS, doc="Cabinets of a row on the floor", minimum=1, integer=True
)
cabinet_width = assumption(
    _FLOOR.cabinet_width,
    unit="m",
    source=_OURS,
    doc="Width of a cabinet: from one to the next of its row",
    minimum=0,
    maximum=LONGEST,
)
cabinet_depth = assumption(
    _FLOOR.cabinet_depth,
    unit="m",
    source=_OURS,
    doc="Depth of a cabinet with its aisle: from one row to the next",
    minimum=0,
    maximum=LONGEST,
)
cable_slack = assumption(
    _FLOOR.cable_slack,
    unit="m",
    source=_OURS,
    doc="What a cable between cabinets has beyond the way along the floor",
    minimum=0,
    maximum=LONGEST,
)
inside_cable = assumption(
    _FLOOR.inside_cable, unit="m", source=_OURS, doc="Cable inside a cabinet", minimum=0, maximum=LONGEST
)
cable_latency = assumption(
    CABLE_LATENCY,
    unit="s/m",
    source=f"{MATSUOKA_2014}, Section 5.3: optical cable",
    doc="Latency of a metre of cable",
    minimum=0,
)
optical_cabinet_share = assumption(
    0,
    unit="1",
    source=OPTICAL_SOURCE,
    doc="Share of Skywalk links inside cabinets that are optical",
    minimum=0,
    maximum=1,
)

SKYWALK = Skywalk(
    "skywalk",
    {
        "s": "switches",
        "c": "cabinets",
        "k": "links of a switch to others",
        "p": "nodes of a switch",
        "seed": "of the random links; default 1",
        "row": "cabinets of a row",
        "width": "of a cabinet, m",
        "depth": "of a cabinet with its aisle, m",
        "slack": "of a cable between cabinets, m",
        "inside": "cable inside a cabinet, m",
    },
    {"b0": "bandwidth of a node link", "b1": "bandwidth of a link between switches"},
    {"l0": "latency of a node link", "lm": "latency of a metre of cable between switches"},
    defaults={
        "seed": 1.0,
        "row": float(_FLOOR.cabinets_per_row),
        "width": _FLOOR.cabinet_width,
        "depth": _FLOOR.cabinet_depth,
        "slack": _FLOOR.cable_slack,
        "inside": _FLOOR.inside_cable,
    },
    lengths=dict.fromkeys(("width", "depth", "slack", "inside"), _LENGTH),
    counts_uniform=True,
    routings=("minimal", FEWEST_LINKS),
    flow_network=skywalk_network,
)

_SKYWALK = Component(
    "skywalk",
    SKYWALK,
    {
        "s": "skywalk_switches",
        "c": "cabinets",
        "k": "switch_degree",
        "p": "nodes_per_switch",
        "seed": "wiring_seed",
        "row": "cabinets_per_row",
        "width": "cabinet_width",
        "depth": "cabinet_depth",
        "slack": "cable_slack",
        "inside": "inside_cable",
    },
    {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
    {"l0": "node_link_latency", "lm": "cable_latency"},
    {NODE: "optical_node_share", CABINET: "optical_cabinet_share", BETWEEN: "optical_switch_share"},
)

COMPONENTS = (_SKYWALK, _SKYWALK.variant("skywalk-fewest-links", routing=FEWEST_LINKS))
PICTURES = (draw_skywalk,)
