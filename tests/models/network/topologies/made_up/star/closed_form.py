"""Star of s arms: a switch with p nodes at the end of each, and one in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import Fault, LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic

__all__ = ["ARM", "Star"]

ARM = "arm"


class Star(Topology):
    """s switches with p nodes each, all linked with one."""

    def nodes(self, shape: Shape) -> Any:
        """Return s·p."""
        return shape["s"] * shape["p"]

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """A star has two arms at least."""
        yield "one arm is no star (s >= 2)", np.less(shape["s"], 2)

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links and arms."""
        return (
            LinkSpec(NODE, shape["b0"], shape["l0"], optical=False),
            LinkSpec(ARM, shape["b1"], shape["l1"], optical=True),
        )

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows on an arm; only of the uniform pattern."""
        return {ARM: self.uniform(shape)} if pattern == "uniform" else unknown_traffic(ARM)

    def uniform(self, shape: Shape) -> Traffic:
        """Uniform on a star: `B = min(b0, n·b1/(p·(n − p)))`, F = n."""
        nodes, p = self.nodes(shape), shape["p"]
        return Traffic(p * (nodes - p), 2.0 * ratio(nodes - p, nodes - 1.0))

    def parts(self, shape: Shape) -> NetworkParts:
        """Return s + 1 switches and s cables between them."""
        s, p, nodes = shape["s"], shape["p"], self.nodes(shape)
        return NetworkParts(
            nodes=nodes,
            switches=s + 1.0,
            node_links=nodes,
            switch_links=s,
            links={NODE: nodes, ARM: s},
            electrical_links=nodes,
            optical_links=s,
            ports=np.maximum(p + 1.0, s),
            diameter=np.full_like(nodes, 2.0),
            bisection_bandwidth=np.minimum(shape["b1"] * np.floor(s / 2.0), shape["b0"] * nodes / 2.0),
            bisection_exact=np.mod(s, 2.0) == 0,
        )
