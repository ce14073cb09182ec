"""Full mesh of switches: every switch has a link to every other.

After Anghel 2017, Sections 5.4.1, 5.5.1 and 5.6.2, with the corrections at one switch and of shifts that wrap around.
B is the effective bandwidth of a node: flows per node F times the least of capacity over load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic
from dse.models.network.patterns.blocks import leaving, travelling
from dse.models.network.patterns.offsets import switch_offsets
from dse.models.network.patterns.tiles import tiling, travelling_fraction

__all__ = ["SWITCH", "FullMesh"]

SWITCH = "switch"


class FullMesh(Topology):
    """a switches with p nodes each."""

    def nodes(self, shape: Shape) -> Any:
        """Return a·p."""
        return shape["a"] * shape["p"]

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links and switch links."""
        return (
            LinkSpec(NODE, shape["b0"], shape["l0"], optical=False),
            LinkSpec(SWITCH, shape["b1"], shape["l1"], optical=True),
        )

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows between two switches; each pair has a link of its own."""
        if pattern == "uniform":
            return {SWITCH: self.uniform(shape)}
        if pattern == "nearest-neighbour":
            return {SWITCH: self.nearest_neighbours(options)} if options["tiles"] else unknown_traffic(SWITCH)
        p, nodes = shape["p"], self.nodes(shape)
        flows = leaving(pattern, p, nodes, options)
        load = {
            "shift": self.shift_load,
            "tornado": self.shift_load,
            "complement": self.complement_load,
            "butterfly": self.butterfly_load,
            "exchange": self.exchange_load,
            "transpose": self.scattered_load,
            "bit-reversal": self.scattered_load,
        }[pattern](shape, pattern, options)
        if pattern in ("transpose", "bit-reversal"):
            load = np.where(np.isnan(flows.largest), np.nan, load)
        return {SWITCH: Traffic(load, ratio(flows.total, travelling(pattern, nodes, options)))}

    def uniform(self, shape: Shape) -> Traffic:
        """Uniform on a full mesh: `B = min(b0, b1·a/p)`; F = a·p (Anghel 2017, Eq. 5.8, corrected at a = 1).

        p² flows cross a link. With one switch `B = b0`: there are no links between switches.
        """
        a, p = shape["a"], shape["p"]
        load = np.where(np.greater(a, 1), p * p, 0.0)
        return Traffic(load, ratio(p * (a - 1.0), self.nodes(shape) - 1.0))

    def shift_load(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Any:
        """Shift on a full mesh by s = Q·p + R, and tornado: `B = min(b0, b1/max(p − R, R))`.

        p − R flows of a switch go to the Q-th next switch, R to the one after it; those that stay in their switch do
        not count; F = 1 (Anghel 2017, Eq. 5.50, corrected).
        """
        load: Any = 0.0
        for offset, count in switch_offsets(pattern, shape["a"], shape["p"], options):
            load = np.maximum(load, np.where(np.mod(offset, shape["a"]) != 0, count, 0.0))
        return load

    def complement_load(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Any:
        """Complement on a full mesh: `B = min(b0, b1/p)`; all nodes of a switch send to the same other one."""
        return np.where(np.greater(shape["a"], 1), shape["p"], 0.0)

    def butterfly_load(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Any:
        """Butterfly on a full mesh: `B = min(b0, b1/max(1, p/2))`; half of a switch sends to the same other one."""
        several = np.greater(shape["a"], 1) & (self.nodes(shape) >= 4)
        return np.where(several, np.maximum(1.0, shape["p"] / 2.0), 0.0)

    def exchange_load(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Any:
        """Exchange on a full mesh: `B = min(b0, b1/p)` where 2^k >= p: a switch sends all to one other; else b0."""
        return np.where(2.0 ** options["exchange_bit"] >= shape["p"], shape["p"], 0.0)

    def scattered_load(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Any:
        """Transpose and bit reversal on a full mesh: `B = min(b0, b1/max(1, p/a))`; F = 1.

        Each switch sends p/a flows to every other. In a machine of two nodes both patterns leave all in place.
        """
        several = np.greater(shape["a"], 1) & (self.nodes(shape) >= 4)
        return np.where(several, np.maximum(1.0, shape["p"] / shape["a"]), 0.0)

    def nearest_neighbours(self, options: Mapping[str, Any]) -> Traffic:
        """Nearest neighbours on a full mesh, a tile per switch: `B = min(b0, F·b1/(face·k))`, least over dimensions.

        F is twice the number of dimensions of the process grid, k = 2 where both neighbours are on the same switch
        (two tiles along the dimension), else 1 (Anghel 2017, Table 5.5 and appendix table 3; any number of dimensions
        is ours).
        """
        grid, (tile,) = options["grid"], options["tiles"]
        cut = tiling(grid, tile)
        load: Any = 0.0
        for face, count in zip(cut.faces, cut.counts, strict=True):
            load = np.maximum(load, face * np.where(count <= 1, 0.0, np.where(count <= 2, 2.0, 1.0)))
        return Traffic(load, ratio(cut.leaving, travelling_fraction(grid) * cut.volume))

    def parts(self, shape: Shape) -> NetworkParts:
        """Return a switches with p + a − 1 ports and a(a − 1)/2 cables between them."""
        a, p, nodes = shape["a"], shape["p"], self.nodes(shape)
        cables = a * (a - 1.0) / 2.0
        cut = np.where(a > 1, shape["b1"] * np.floor(a / 2.0) * np.ceil(a / 2.0), np.inf)
        return NetworkParts(
            nodes=nodes,
            switches=a * 1.0,
            node_links=nodes,
            switch_links=cables,
            links={NODE: nodes, SWITCH: cables},
            electrical_links=nodes,
            optical_links=cables,
            ports=p + a - 1.0,
            diameter=np.where(a > 1, 1.0, 0.0),
            bisection_bandwidth=np.minimum(cut, shape["b0"] * nodes / 2.0),
            bisection_exact=np.greater(a, 0),
        )
