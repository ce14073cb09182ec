"""Skywalk: cabinets whose switches are all linked, and random links between cabinets, laid out on a floor.

After Matsuoka et al. 2014, Section 5.3: random links for short paths, with the floor plan in mind. How the links are
drawn is ours, a substitute for a construction that is not printed there (see `graph`), and so are all counts. Nothing
of it has a closed form: hops, cables and loads are counted over the best paths of the graph that a seed gives. B is
the effective bandwidth of a node: flows per node F times the least of bandwidth over load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.floor_plan import FloorPlan
from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import Fault, LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic
from dse.models.network.topologies.skywalk.counting import BETWEEN, CABINET, Machine, count_uniform
from dse.models.network.topologies.skywalk.graph import LARGEST

__all__ = ["Skywalk"]


class Skywalk(Topology):
    """s switches with p nodes and k links to others each, in c cabinets."""

    def nodes(self, shape: Shape) -> Any:
        """Return s·p."""
        return shape["s"] * shape["p"]

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """Cabinets are full and all alike, and matchings are possible."""
        s, c, k = shape["s"], shape["c"], shape["k"]
        together = s / c
        random = k - together + 1.0
        yield f"more than {LARGEST:,} switches, of which not all paths are counted", s > LARGEST
        yield "one cabinet is a full mesh, not a skywalk (c >= 2)", c < 2
        yield "the s switches do not fill the c cabinets evenly (s divisible by c)", np.mod(s, c) != 0
        yield "an odd number of switches has no perfect matching (s even)", np.mod(s, 2.0) != 0
        yield "too few links of a switch: none is left beside the s/c − 1 to its cabinet (k >= s/c)", random < 1
        yield (
            "fewer than three links leave a cabinet: they close a ring at best (k >= s/c − 1 + 3·c/s)",
            (random * together < 3),
        )
        yield "more links of a switch than other switches (k <= s − 1)", k > s - 1.0

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links, links inside cabinets and links between them; the latency of the latter is of cables."""
        return (
            LinkSpec(NODE, shape["b0"], shape["l0"], optical=False),
            LinkSpec(CABINET, shape["b1"], 0.0 * shape["lm"], optical=False, per_metre=shape["lm"]),
            LinkSpec(BETWEEN, shape["b1"], 0.0 * shape["lm"], optical=True, per_metre=shape["lm"]),
        )

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count the flows of the uniform pattern on the busiest links."""
        cables_count = routing == self.routings[0]
        return self.uniform(shape, cables_count) if pattern == "uniform" else unknown_traffic(CABINET, BETWEEN)

    def uniform(self, shape: Shape, cables_count: bool) -> dict[str, Traffic]:
        """Uniform on a Skywalk: `B = min(b0, n·b1/(p²·load))`, load that of one flow between any two switches."""

        def counted(machine: Machine) -> tuple[float, ...]:
            uniform = count_uniform(machine._replace(cables_count=cables_count))
            return *uniform.inside, *uniform.between

        counts = _of_each(shape, counted, 6)
        pairs, others = shape["p"] ** 2, self.nodes(shape) - 1.0
        return {
            name: Traffic(pairs * largest, ratio(pairs * total, self.nodes(shape) * others), ratio(cable, total))
            for name, (largest, total, cable) in zip((CABINET, BETWEEN), (counts[:3], counts[3:]), strict=True)
        }

    def parts(self, shape: Shape) -> NetworkParts:
        """Return s switches with p + k ports and s·k/2 cables, s·(s/c − 1)/2 of them inside cabinets.

        The bisection is an estimate: the mean over all draws of the links that cross between halves of whole cabinets,
        ``b1·random·half·(s − half)/(s − s/c)`` with random = k − s/c + 1 links of a switch. The smallest cut of a graph
        is below it.
        """
        s, c, k, nodes = shape["s"], shape["c"], shape["k"], self.nodes(shape)
        together = s / c
        inside, between = s * (together - 1.0) / 2.0, s * (k - together + 1.0) / 2.0
        half = np.floor(c / 2.0) * together
        cut = shape["b1"] * (k - together + 1.0) * half * (s - half) / (s - together)
        (across,) = _of_each(shape, lambda machine: (count_uniform(machine).diameter,), 1)
        return NetworkParts(
            nodes=nodes,
            switches=s + 0.0 * nodes,
            node_links=nodes,
            switch_links=inside + between,
            links={NODE: nodes, CABINET: inside, BETWEEN: between},
            electrical_links=nodes + inside,
            optical_links=between,
            ports=shape["p"] + k,
            diameter=across,
            bisection_bandwidth=np.minimum(cut, shape["b0"] * np.minimum(half, s - half) * shape["p"]),
            bisection_exact=np.zeros_like(nodes, dtype=bool),
        )


def _of_each(shape: Shape, counted: Callable[[Machine], tuple[float, ...]], many: int) -> tuple[np.ndarray, ...]:
    """Return counts of each design, each different graph and floor looked at once."""
    names = ("s", "c", "k", "seed", "row", "width", "depth", "slack", "inside")
    arrays = np.broadcast_arrays(*(np.asarray(shape[name], dtype=float) for name in names))
    rows = np.stack([array.reshape(-1) for array in arrays], axis=1)
    different, back = np.unique(rows, axis=0, return_inverse=True)
    counts = np.array([counted(_machine(row)) for row in different.tolist()], dtype=float).reshape(-1, many)
    return tuple(column[back.reshape(-1)].reshape(arrays[0].shape) for column in counts.T)


def _machine(row: list[float]) -> Machine:
    s, c, k, seed, cabinets_per_row = (int(size) for size in row[:5])
    return Machine(s, c, k, seed, FloorPlan(cabinets_per_row, *row[5:]))
