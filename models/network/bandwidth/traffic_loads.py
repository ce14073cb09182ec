"""Link classes under a traffic, the traffic of Valiant routing, and the better of two routings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, LinkClass, LinkLoads, Traffic
from dse.models.network.graphs.topology import LinkSpec, Topology

__all__ = ["assembled_loads", "better_loads", "valiant_traffic"]


def valiant_traffic(topology: Topology, shape: Mapping[str, Any], flows: Any) -> dict[str, Traffic]:
    """Return twice the uniform traffic, whatever the pattern: all its patterns are balanced (our extension)."""
    uniform = topology.traffic(shape, "uniform", {"include_self": np.array(True)}, topology.routings[0])
    nodes = topology.nodes(shape)
    return {
        name: Traffic(2.0 * alone.load / nodes * flows, 2.0 * alone.traversals, alone.length)
        for name, alone in uniform.items()
    }


def assembled_loads(specs: Sequence[LinkSpec], flows: Any, traffic: Mapping[str, Traffic], routed: Any) -> LinkLoads:
    """Return the link classes under a traffic, with the links of the nodes, which every flow crosses twice."""
    everything = {NODE: Traffic(flows, np.array(2.0)), **traffic}
    classes = tuple(
        LinkClass(
            spec.name,
            spec.capacity,
            everything[spec.name].load,
            everything[spec.name].traversals,
            spec.latency_under(everything[spec.name]),
            spec.optical,
        )
        for spec in specs
    )
    return LinkLoads(flows, classes, routed)


def better_loads(direct: LinkLoads, other: LinkLoads) -> LinkLoads:
    """Return for each design the loads with the larger bandwidth, `direct` of equals."""
    first = direct.effective_bandwidth >= other.effective_bandwidth
    classes = tuple(
        LinkClass(
            a.name,
            a.capacity,
            np.where(first, a.load, b.load),
            np.where(first, a.traversals, b.traversals),
            a.latency if a.latency is b.latency else np.where(first, a.latency, b.latency),
            a.optical,
        )
        for a, b in zip(direct.classes, other.classes, strict=True)
    )
    return LinkLoads(direct.flows_per_node, classes, direct.routed)
