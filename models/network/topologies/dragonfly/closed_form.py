"""Dragonfly with minimal routing: local, global, local; groups are full meshes, pairs of groups have K links each.

An extension (the topology is that of Kim, Dally, Scott and Abts, ISCA 2008); every formula is ours. Wiring: see
`wiring`; the links of a pair of groups share its flows equally. B is the effective bandwidth of a node: flows per
node F times the least of bandwidth over load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

_ENTRIES = 30_000  # of the matrices of local links that are held at once


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
        counted = _counted(different.astype(np.int64))
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


def _counted(designs: np.ndarray) -> np.ndarray:
    """Count the loads of designs (a, p, h, g, step), those with as many switches in a group together."""
    counted = np.zeros((len(designs), 4))
    for switches in np.unique(designs[:, 0]):
        own = np.flatnonzero(designs[:, 0] == switches)
        for rows in np.array_split(own, -(-len(own) * int(switches) ** 2 // _ENTRIES)):
            counted[rows] = _loads(int(switches), *designs[rows, 1:].T)
    counted[designs[:, 4] == 0] = 0.0
    return counted


def _loads(a: int, p: np.ndarray, h: np.ndarray, g: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Route the flows of one group under a shift; the pattern looks the same from every group.

    The nodes before the last ``step mod a·p`` reach one group, these the group after it.

    Returns
    -------
    (n, 4) ndarray of float
        Largest load and mean traversals of local links, then of global links.
    """
    group, copies = a * p, links_per_pair(a, h, np.maximum(g, 2))
    groups_on, on = step // group, step % group
    # All flows of an offset are spread over the same links, so that switches count for their nodes: what a pair of them
    # carries is a product of what the two count for, and whole numbers are exact in floats.
    senders, receivers = np.zeros((len(p), a, 4)), np.zeros((len(p), 4, a))
    within: list[tuple[np.ndarray, np.ndarray]] = []
    far, far_hops = np.zeros_like(p), np.zeros_like(p)
    begin = np.arange(a) * p[:, None]
    ends = begin + p[:, None]
    for place, (away, low, high, moved) in enumerate(
        (
            (groups_on % g, np.zeros_like(p), group - on, on),
            ((groups_on + 1) % g, group - on, group, on - group),
        )
    ):
        first, last = np.maximum(begin, low[:, None]), np.minimum(ends, high[:, None])  # of those that send
        leaving = np.maximum(last - first, 0)
        reached = begin - moved[:, None]  # the first that sends to a switch
        arriving = np.maximum(np.minimum(reached + p[:, None], high[:, None]) - np.maximum(reached, low[:, None]), 0)
        inside = np.flatnonzero(away == 0)
        between = np.minimum(last[inside, :, None], (reached + p[:, None])[inside, None, :])
        between -= np.maximum(first[inside, :, None], reached[inside, None, :])
        within.append((inside, copies[inside, None, None] * np.maximum(between, 0)))
        out = np.flatnonzero(away)
        exits, entries = (
            _links_of_switches(a, h[out], g[out], groups_away, copies[out])
            for groups_away in (away[out], (g - away)[out])
        )
        senders[out, :, 2 * place], receivers[out, 2 * place] = leaving[out], exits
        senders[out, :, 2 * place + 1], receivers[out, 2 * place + 1] = entries, arriving[out]
        flows = leaving[out].sum(axis=1)
        far[out], far_hops[out] = np.maximum(far[out], flows), far_hops[out] + flows
    local = senders @ receivers
    for inside, flows_inside in within:
        local[inside] += flows_inside
    local[:, np.arange(a), np.arange(a)] = 0.0
    return np.stack(
        [local.max(axis=(1, 2)) / copies, local.sum(axis=(1, 2)) / copies / group, far / copies, far_hops / group],
        axis=1,
    )


def _links_of_switches(a: int, h: np.ndarray, g: np.ndarray, away: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Return how many of the links to another group, `away` groups further on, each switch of a group has."""
    design = np.repeat(np.arange(len(h)), copies)
    number = np.arange(len(design)) - np.repeat(np.cumsum(copies) - copies, copies)
    switch = switch_of_port(port_to(away[design], number, g[design]), h[design])
    return np.bincount(design * a + switch, minlength=len(h) * a).reshape(len(h), a)
