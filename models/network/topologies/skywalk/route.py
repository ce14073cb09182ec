"""Which links of a Skywalk flows cross: fewest links, among these the shortest cables, equal split over such paths.

With the routing "fewest-links" the cables do not count: flows split over all paths of fewest links.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.floor_plan import FloorPlan
from dse.models.network.graphs.flow_routing import Crossed, FlowNetwork, Flows, read_sizes, read_whole_number
from dse.models.network.topologies.skywalk.counting import BETWEEN, CABINET, Machine, count_flows
from dse.models.network.topologies.skywalk.graph import LARGEST

__all__ = ["FEWEST_LINKS", "skywalk_network"]

FEWEST_LINKS = "fewest-links"

_FLOOR = FloorPlan()


def skywalk_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a Skywalk as the engine sees it."""
    s, c, k, p = read_sizes("skywalk", parameters, "s", "c", "k", "p")
    if s > LARGEST:
        raise InputError(f"a skywalk of {s:,} switches is too large to count its paths", allowed=f"s up to {LARGEST:,}")
    seed = read_whole_number("seed", parameters.get("seed", 1))
    row = read_whole_number("row", parameters.get("row", _FLOOR.cabinets_per_row))
    floor = FloorPlan(
        row,
        float(parameters.get("width", _FLOOR.cabinet_width)),
        float(parameters.get("depth", _FLOOR.cabinet_depth)),
        float(parameters.get("slack", _FLOOR.cable_slack)),
        float(parameters.get("inside", _FLOOR.inside_cable)),
    )
    machine = Machine(s, c, k, seed, floor, routing != FEWEST_LINKS)
    sizes = {"s": s, "c": c, "k": k, "p": p, "seed": seed}
    return FlowNetwork(sizes, s, p, (CABINET, BETWEEN), partial(_loads, machine))


def _loads(machine: Machine, flows: Flows) -> list[Crossed]:
    table = np.zeros((machine.switches, machine.switches))
    np.add.at(table, (flows.destination, flows.source), flows.number)
    return count_flows(machine, table)
