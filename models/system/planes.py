"""Networks of several planes: every network card of a node is on a network of its own, all of one shape.

So a node of four cards has four times the bandwidth of one network, and the machine four times its switches and
cables. Traffic is spread evenly over the planes. Real machines with several cards come near it (dual-rail trees), or
put all cards on one larger network, which needs fewer cables for the same bandwidth of a group.
"""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import quantity
from dse.models.network.parts.power import nics_per_node

__all__ = ["nics_per_node"]

_PLANES = "ours: equal planes, evenly used"
_INTERCONNECT: dict[str, Any] = {"slot": "interconnect", "provider": "planes", "default": True}


@quantity(unit="1", source=_PLANES, **_INTERCONNECT)
def network_planes(nics_per_node):
    """Networks of the machine, all alike: one for each card of a node."""
    return nics_per_node * 1.0


@quantity(unit="B/s", source="all cards of a node", **_INTERCONNECT)
def node_injection_bandwidth(nics_per_node, node_link_bandwidth):
    """Bandwidth of all network cards of a node, in each direction."""
    return nics_per_node * node_link_bandwidth


@quantity(unit="B/s", source=_PLANES, **_INTERCONNECT)
def all_to_all_bandwidth(nics_per_node, uniform_bandwidth):
    """Effective bandwidth of a node when all send to all."""
    return nics_per_node * uniform_bandwidth


@quantity(
    unit="B/s",
    source="ours: neighbours are placed so that the links of the nodes bind first (confidence medium)",
    **_INTERCONNECT,
)
def halo_bandwidth(node_injection_bandwidth):
    """Effective bandwidth of a node that exchanges with its neighbours."""
    return node_injection_bandwidth * 1.0


@quantity(unit="s", source="latency of the network under uniform traffic", **_INTERCONNECT)
def message_latency(network_latency):
    """Time from sending to receiving an empty message."""
    return network_latency * 1.0


@quantity(
    unit="W", source=_PLANES, sum_of=("planes_switches_power", "planes_links_power", "nics_power"), **_INTERCONNECT
)
def interconnect_power(planes_switches_power, planes_links_power, nics_power):
    """Power of all planes at rest, with the cards of the nodes."""
    return planes_switches_power + planes_links_power + nics_power


@quantity(unit="W", source=_PLANES)
def planes_switches_power(network_planes, switches_power):
    """Power of the switches of all planes."""
    return network_planes * switches_power


@quantity(unit="W", source=_PLANES)
def planes_links_power(network_planes, links_power):
    """Power of the cables of all planes."""
    return network_planes * links_power
