"""Fat trees of two and three levels (XGFT) with tapering.

After Anghel 2017, Sections 5.4.2, 5.4.3, 5.5.2, 5.5.3, 5.6.3 and 5.6.4, with the corrections of shift and neighbours.
A node has w0 parallel links to one switch of level 1; the real switches are those of the extended generalized fat
tree (w1 switches of level 2 per subtree, w1·w2 of level 3), over which flows split equally. B is the effective
bandwidth of a node: flows per node F times the least of capacity over load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic
from dse.models.network.patterns.blocks import leaving, travelling
from dse.models.network.patterns.tiles import tiling, travelling_fraction

__all__ = ["LOWER", "UPPER", "FatTree", "blocks_below"]

LOWER, UPPER = "level 1-2", "level 2-3"


def blocks_below(shape: Shape) -> dict[str, Any]:
    """Return the nodes below a switch of level 1, and of a subtree when there are three levels, by the links above."""
    blocks = {LOWER: shape["m1"]}
    return blocks | {UPPER: shape["m1"] * shape["m2"]} if "m3" in shape else blocks


class FatTree(Topology):
    """A fat tree of two or three levels."""

    @property
    def levels(self) -> int:
        """Levels of switches."""
        return 3 if "m3" in self.sizes else 2

    @property
    def attached(self) -> str:
        """The nodes below a switch of level 1."""
        return "m1"

    def nodes(self, shape: Shape) -> Any:
        """Return m1·m2 or m1·m2·m3."""
        return shape["m1"] * shape["m2"] * shape.get("m3", 1.0)

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links, the bundle above a switch of level 1, and the bundle above a subtree."""
        node = LinkSpec(NODE, shape["w0"] * shape["b0"], shape["l0"], optical=False)
        lower = LinkSpec(LOWER, shape["w1"] * shape["b1"], shape["l1"], optical=True)
        if self.levels == 2:
            return node, lower
        return node, lower, LinkSpec(UPPER, shape["w1"] * shape["w2"] * shape["b2"], shape["l2"], optical=True)

    def printed_links(self, shape: Shape, pattern: str) -> tuple[LinkSpec, ...]:
        """Return the link classes; beyond the uniform pattern the thesis leaves out the parallel node links."""
        node, *others = self.links(shape)
        return (node, *others) if pattern == "uniform" else (replace(node, capacity=shape["b0"]), *others)

    def tile_blocks(self, shape: Shape) -> tuple[Any, ...]:
        """Return the nodes of a subtree, where there are three levels, and of a switch of level 1."""
        return tuple(reversed(blocks_below(shape).values()))

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows that leave a switch of level 1 and a subtree."""
        if pattern == "uniform":
            return self.uniform(shape)
        if pattern == "nearest-neighbour":
            return self.nearest_neighbours(shape, options)
        return self.permutation(shape, pattern, options)

    def uniform(self, shape: Shape) -> dict[str, Traffic]:
        """Uniform on a fat tree: `B = min(w0·b0, n·w1·b1/(m1·(n − m1)), n·w1·w2·b2/(m1·m2·(n − m1·m2)))`.

        F = n; the last term is of three levels. Of a block of m nodes, m·(n − m) flows leave (Anghel 2017, Eqs. 5.13
        and 5.19).
        """
        nodes = self.nodes(shape)
        return {
            name: Traffic(block * (nodes - block), 2.0 * ratio(nodes - block, nodes - 1.0))
            for name, block in blocks_below(shape).items()
        }

    def permutation(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> dict[str, Traffic]:
        """Shift, complement, … on a fat tree: `B = min(w0·b0, w1·b1/x(m1), w1·w2·b2/x(m1·m2))`.

        x(m) flows leave a block of m nodes. Shift by s (and tornado): x(m) = min(m, s, n − s) (Anghel 2017, Eqs. 5.54
        and 5.60, corrected); complement: m; exchange: m where 2^k >= m, else 0; the others: see `blocks.leaving`.
        F = 1.
        """
        nodes = self.nodes(shape)
        away = travelling(pattern, nodes, options)
        traffic = {}
        for name, block in blocks_below(shape).items():
            flows = leaving(pattern, block, nodes, options)
            traffic[name] = Traffic(flows.largest, 2.0 * ratio(flows.total, away))
        return traffic

    def nearest_neighbours(self, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
        """Nearest neighbours on a fat tree: `B = min(w0·b0, F·w1·b1/x(inner), F·w1·w2·b2/x(outer))`.

        The inner tile fills a switch of level 1, the outer one a subtree. F is twice the number of dimensions; x(tile)
        = Σ 2·face over the dimensions in which there are several tiles (Anghel 2017, Tables 5.6 and 5.7, appendix
        tables 4 and 5, corrected; any number of dimensions is ours).
        """
        blocks = blocks_below(shape)
        grid, tiles = options["grid"], options["tiles"]
        if not tiles:
            return unknown_traffic(*blocks)
        traffic = {}
        for name, tile in zip(blocks, reversed(tiles), strict=True):
            cut = tiling(grid, tile)
            traffic[name] = Traffic(cut.leaving, 2.0 * ratio(cut.leaving, travelling_fraction(grid) * cut.volume))
        return traffic

    def parts(self, shape: Shape) -> NetworkParts:
        """Return the switches and cables of the extended generalized fat tree."""
        m1, m2, m3 = shape["m1"], shape["m2"], shape.get("m3", np.array(1.0))
        w0, w1, w2 = shape["w0"], shape["w1"], shape.get("w2", np.array(0.0))
        nodes = self.nodes(shape)
        lower, upper = m2 * m3 * w1, m3 * w1 * w2
        first = m1 * w0 + w1
        if self.levels == 2:
            switches = m2 + w1
            ports = np.maximum(first, m2)
            diameter = np.where(m2 > 1, 2.0, 0.0)
            cut, even = shape["b1"] * w1 * m2 / 2.0, np.mod(m2, 2.0) == 0
        else:
            switches = m2 * m3 + m3 * w1 + w1 * w2
            ports = np.maximum(np.maximum(first, m2 + w2), m3)
            diameter = np.where(m3 > 1, 4.0, np.where(m2 > 1, 2.0, 0.0))
            cut = np.minimum(shape["b2"] * w1 * w2 * m3 / 2.0, shape["b1"] * w1 * m2 * m3 / 2.0)
            even = np.mod(m3, 2.0) == 0
        links = {NODE: nodes * w0, LOWER: lower} | ({UPPER: upper} if self.levels == 3 else {})
        return NetworkParts(
            nodes=nodes,
            switches=switches,
            node_links=nodes * w0,
            switch_links=lower + upper,
            links=links,
            electrical_links=nodes * w0,
            optical_links=lower + upper,
            ports=ports,
            diameter=diameter,
            bisection_bandwidth=np.minimum(cut, w0 * shape["b0"] * nodes / 2.0),
            bisection_exact=even,
        )
