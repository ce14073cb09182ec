"""Which links of a full mesh the flows cross: the direct one of each pair of switches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dse.models.network.graphs.flow_routing import Crossed, FlowNetwork, Flows, LinkTable, read_sizes
from dse.models.network.topologies.full_mesh.closed_form import SWITCH

__all__ = ["full_mesh_network"]


def full_mesh_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a full mesh as the engine sees it."""
    a, p = read_sizes("full-mesh", parameters, "a", "p")
    return FlowNetwork({"a": a, "p": p}, a, p, (SWITCH,), partial(_loads, a), merged=False)


def _loads(switches: int, flows: Flows) -> list[Crossed]:
    """Put the flows of each pair of switches on its link."""
    table = LinkTable(switches**2, len(flows.source))
    table.add(flows.source * switches + flows.destination, flows.number)
    return [Crossed(table.largest(), float(flows.number.sum()))]
