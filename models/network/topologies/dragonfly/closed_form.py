"""Dragonfly with minimal routing: local, global, local; groups are full meshes, pairs of groups have K links each.

An extension (the topology is that of Kim, Dally, Scott and Abts, ISCA 2008); every formula is ours. Wiring: see
`wiring`; the links of a pair of groups share its flows equally. B is the effective bandwidth of a node: flows per
node F times the least of bandwidth over load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import Fault, LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic
from dse.models.network.patterns.blocks import shift_step, travelling
from dse.models.network.topologies.dragonfly.wiring import (
    GLOBAL,
    LOCAL,
    all_pairs_once,
    links_per_pair,
    port_to,
    switch_of_port,
    uneven,
)

__all__ = ["Dragonfly"]


class Dragonfly(Topology):
    """g groups of a switches with p nodes and h global links each."""

    def complete(self, shape: dict[str, Any]) -> dict[str, Any]:
        """Add g = a·h + 1, one link between each pair of groups."""
        if "g" not in shape and "a" in shape and "h" in shape:
            shape["g"] = all_pairs_once(shape["a"], shape["h"])
        return shape

    def nodes(self, shape: Shape) -> Any:
        """Return a·p·g."""
        return shape["a"] * shape["p"] * shape["g"]

    def copies(self, shape: Shape) -> Any:
        """Return the links between two groups, K."""
        return links_per_pair(shape["a"], shape["h"], shape["g"])

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """Global links must reach every other group, equally often."""
        ports, others = shape["a"] * shape["h"], shape["g"] - 1.0
        yield "one group is a full mesh, not a dragonfly (g >= 2)", others < 1
        yield "too few global links: a·h ports of a group cannot reach g − 1 other groups", ports < others
        apart = uneven(shape["a"], shape["h"], shape["g"])
        yield "a·h global ports of a group do not spread evenly over the g − 1 other groups", apart

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node, local and global links."""
        return (
            LinkSpec(NODE, shape["b0"], shape["l0"], optical=False),
            LinkSpec(LOCAL, shape["bl"], shape["ll"], optical=False),
            LinkSpec(GLOBAL, shape["bg"], shape["lg"], optical=True),
        )

    def tile_blocks(self, shape: Shape) -> tuple[Any, ...]:
        """Return the nodes of a group, and of a switch."""
        return shape["a"] * shape["p"], shape["p"]

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows on local and on global links."""
        if pattern == "uniform":
            return self.uniform(shape)
        if pattern in ("shift", "tornado"):
            return self.shift(shape, shift_step(pattern, self.nodes(shape), options))
        if pattern == "complement":
            return self.complement(shape, travelling(pattern, self.nodes(shape), options))
        return unknown_traffic(LOCAL, GLOBAL)

    def uniform(self, shape: Shape) -> dict[str, Traffic]:
        """Uniform on a dragonfly: `B = min(b0, a·g·bl/(p·(2·g − 1)), g·h·bg/(p·(g − 1)))`, F = n = a·p·g.

        A local link carries p² flows within its group, p² to and p² from each other one; the global links of a group
        carry the a·p·(n − a·p) flows that leave it, equally.
        """
        a, p, h, g, nodes = shape["a"], shape["p"], shape["h"], shape["g"], self.nodes(shape)
        group = a * p
        local = np.where(a > 1, p**2 * (2.0 * g - 1.0), 0.0)
        hops = p * (a - 1.0) + 2.0 * (nodes - group) * (a - 1.0) / a
        return {
            LOCAL: Traffic(local, ratio(hops, nodes - 1.0)),
            GLOBAL: Traffic(a * p**2 * (g - 1.0) / h, ratio(nodes - group, nodes - 1.0)),
        }

    def complement(self, shape: Shape, away: Any) -> dict[str, Traffic]:
        """Complement on a dragonfly: `B = min(b0, bl/p, bg/(a·p))`; one link per pair of groups, a > 1; F = 1."""
        a, p, g = shape["a"], shape["p"], shape["g"]
        known = (self.copies(shape) == 1) & (a > 1)
        middle = np.mod(g, 2.0)
        across = 2.0 * p * (g - middle) * (a - 1.0) + p * middle * (a - np.mod(a, 2.0))
        return {
            LOCAL: Traffic(np.where(known, p, np.nan), np.where(known, ratio(across, away), np.nan)),
            GLOBAL: Traffic(np.where(known, a * p, np.nan), np.where(known, ratio(a * p * (g - middle), away), np.nan)),
        }

    def shift(self, shape: Shape, step: Any) -> dict[str, Traffic]:
        """Shift and tornado on a dragonfly: `B = min(b0, bl/local, bg/global)`; F = 1.

        The pattern looks the same from every group, so that the loads are counted for the flows of one.
        """
        arrays = np.broadcast_arrays(*(np.asarray(shape[name]) for name in "aphg"), np.asarray(step))
        designs = np.stack([array.reshape(-1) for array in arrays], axis=1)
        different, back = np.unique(designs, axis=0, return_inverse=True)
        counted = np.array([_walk(*(int(size) for size in design)) for design in different]).reshape(-1, 4)
        local, local_hops, far, far_hops = (column[back.reshape(-1)].reshape(arrays[0].shape) for column in counted.T)
        return {LOCAL: Traffic(local, local_hops), GLOBAL: Traffic(far, far_hops)}

    def parts(self, shape: Shape) -> NetworkParts:
        """Return a·g switches with p + a − 1 + h ports; the bisection is an upper bound."""
        a, p, h, g, nodes = shape["a"], shape["p"], shape["h"], shape["g"], self.nodes(shape)
        local, far = g * a * (a - 1.0) / 2.0, g * a * h / 2.0
        cut = shape["bg"] * self.copies(shape) * np.floor(g / 2.0) * np.ceil(g / 2.0)
        return NetworkParts(
            nodes=nodes,
            switches=a * g,
            node_links=nodes,
            switch_links=local + far,
            links={NODE: nodes, LOCAL: local, GLOBAL: far},
            electrical_links=nodes + local,
            optical_links=far,
            ports=p + a - 1.0 + h,
            diameter=np.where(a > 1, 3.0, 1.0),
            bisection_bandwidth=np.minimum(cut, shape["b0"] * nodes / 2.0),
            bisection_exact=np.zeros_like(g, dtype=bool),
        )


@lru_cache(maxsize=65_536)
def _walk(a: int, p: int, h: int, g: int, step: int) -> tuple[float, float, float, float]:
    """Route the flows of one group under a shift; the pattern looks the same from every group.

    Returns
    -------
    tuple of float
        Largest load and mean traversals of local links, then of global links.
    """
    if step == 0:
        return 0.0, 0.0, 0.0, 0.0
    group = a * p
    copies = links_per_pair(a, h, g)
    source = np.arange(group)
    target = source + step
    offset = target // group % g
    here, there = source // p, target % group // p
    inside = offset == 0
    local = copies * np.bincount(here[inside] * a + there[inside], minlength=a * a).reshape(a, a)
    far, far_hops = 0, 0
    # All flows of an offset are spread over the same links, so that switches count for their nodes.
    for away in sorted({int(offset[0]), int(offset[-1])} - {0}):
        sent = offset == away
        leaving, arriving = (np.bincount(end[sent], minlength=a) for end in (here, there))
        exits, entries = (_links_of_switches(a, h, g, groups_away) for groups_away in (away, g - away))
        local += np.outer(leaving, exits) + np.outer(entries, arriving)
        flows = int(leaving.sum())
        far, far_hops = max(far, flows), far_hops + flows
    np.fill_diagonal(local, 0)
    each = float(copies)
    return local.max() / each, local.sum() / each / group, far / each, far_hops / group


@lru_cache(maxsize=65_536)
def _links_of_switches(a: int, h: int, g: int, away: int) -> np.ndarray:
    """Return how many of the links to another group, `away` groups further on, each switch of a group has."""
    number = np.arange(links_per_pair(a, h, g))
    return np.bincount(switch_of_port(port_to(away, number, g), h), minlength=a)
