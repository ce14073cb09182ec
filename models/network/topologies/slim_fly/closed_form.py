"""Slim Fly: switches of degree (3q − 1)/2 with every other switch within two links, for a prime q = 4 w + 1.

An extension (topology of Besta and Hoefler, SC 2014, on the graphs of McKay, Miller and Siran); loads are ours. Flows
split equally over all shortest paths. B is the effective bandwidth of a node: flows per node F times the least of
bandwidth over load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import Fault, LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic
from dse.models.network.topologies.slim_fly.graph import is_field_order

__all__ = ["SWITCH", "SlimFly"]

SWITCH = "switch"


class SlimFly(Topology):
    """2q² switches with p nodes each."""

    def nodes(self, shape: Shape) -> Any:
        """Return 2q²·p."""
        return 2.0 * shape["q"] ** 2 * shape["p"]

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """Only primes of the form 4 w + 1 are supported."""
        sizes = np.asarray(shape["q"])
        known = {size: is_field_order(int(size)) for size in np.unique(sizes)}
        sound = np.array([known[size] for size in sizes.reshape(-1)], dtype=bool).reshape(sizes.shape)
        yield "q must be a prime with q mod 4 = 1 (5, 13, 17, 29, 37, 41, 53, …)", ~sound

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links and switch links."""
        return (
            LinkSpec(NODE, shape["b0"], shape["l0"], optical=False),
            LinkSpec(SWITCH, shape["b1"], shape["l1"], optical=True),
        )

    def degree(self, shape: Shape) -> Any:
        """Return the switches next to a switch, (3q − 1)/2."""
        return (3.0 * shape["q"] - 1.0) / 2.0

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows of the uniform pattern on the busiest link."""
        return {SWITCH: self.uniform(shape)} if pattern == "uniform" else unknown_traffic(SWITCH)

    def uniform(self, shape: Shape) -> Traffic:
        """Uniform on a Slim Fly: `B = min(b0, 2·q²·b1/(p·(3·q − 2)))`, F = n = 2·q²·p.

        The links between the two halves carry most: 3·q − 2 pairs of switches, links within a half 2·q + 3 at most.
        """
        q, p, degree = shape["q"], shape["p"], self.degree(shape)
        others = 2.0 * q**2 - 1.0
        hops = p * (degree + 2.0 * (others - degree))
        return Traffic(p**2 * (3.0 * q - 2.0), ratio(hops, self.nodes(shape) - 1.0))

    def parts(self, shape: Shape) -> NetworkParts:
        """Return 2q² switches with p + (3q − 1)/2 ports; no closed form of the bisection."""
        switches, nodes, degree = 2.0 * shape["q"] ** 2, self.nodes(shape), self.degree(shape)
        cables = switches * degree / 2.0
        return NetworkParts(
            nodes=nodes,
            switches=switches,
            node_links=nodes,
            switch_links=cables,
            links={NODE: nodes, SWITCH: cables},
            electrical_links=nodes,
            optical_links=cables,
            ports=shape["p"] + degree,
            diameter=np.full_like(switches, 2.0),
            bisection_bandwidth=np.full_like(nodes, np.nan),
            bisection_exact=np.zeros_like(nodes, dtype=bool),
        )
