"""Full mesh of switches: every switch has a link to every other.

After Anghel 2017, Sections 5.4.1, 5.5.1 and 5.6.2, with the corrections at one switch and of shifts that wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.blocks import leaving, travelling
from dse.models.network.links import NODE, Traffic
from dse.models.network.offsets import switch_offsets
from dse.models.network.tiles import tiling, travelling_fraction
from dse.models.network.topology import LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic

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
        a, p, nodes = shape["a"], shape["p"], self.nodes(shape)
        several = np.greater(a, 1)
        if pattern == "uniform":
            return {SWITCH: Traffic(np.where(several, p * p, 0.0), ratio(p * (a - 1.0), nodes - 1.0))}
        if pattern == "nearest-neighbour":
            return {SWITCH: self._neighbours(options)} if options["tiles"] else unknown_traffic(SWITCH)
        flows = leaving(pattern, p, nodes, options)
        crossing = ratio(flows.total, travelling(pattern, nodes, options))
        if pattern in ("shift", "tornado"):
            load: Any = 0.0
            for offset, count in switch_offsets(pattern, a, p, options):
                load = np.maximum(load, np.where(np.mod(offset, a) != 0, count, 0.0))
        elif pattern == "complement":
            load = np.where(several, p, 0.0)
        elif pattern == "butterfly":
            load = np.where(several & (nodes >= 4), np.maximum(1.0, p / 2.0), 0.0)
        else:
            # p/a flows between each pair of switches; in a machine of two nodes both patterns leave all in place.
            load = np.where(several & (nodes >= 4), np.maximum(1.0, p / a), 0.0)
            load = np.where(np.isnan(flows.largest), np.nan, load)
        return {SWITCH: Traffic(load, crossing)}

    def _neighbours(self, options: Mapping[str, Any]) -> Traffic:
        """Anghel 2017, Table 5.5 and appendix table 3; any number of dimensions."""
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
