"""Slim Fly: switches of degree (3q − 1)/2 with every other switch within two links, for a prime q = 4 w + 1.

An extension (topology of Besta and Hoefler, SC 2014, on the graphs of McKay, Miller and Siran); loads are ours. Flows
split equally over all shortest paths. The mean load of a link has a closed form; the largest is counted exactly from
one switch of each half of the graph, which looks the same from all switches of a half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dse.models.network.links import NODE, Traffic
from dse.models.network.topology import Fault, LinkSpec, NetworkParts, Shape, Topology, ratio, unknown_traffic

__all__ = ["SLIM_FLY", "SlimFly", "generator_sets"]

SWITCH = "switch"


class SlimFly(Topology):
    """2q² switches with p nodes each."""

    def nodes(self, shape: Shape) -> Any:
        """Return 2q²·p."""
        return 2.0 * shape["q"] ** 2 * shape["p"]

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """Only primes of the form 4 w + 1 are supported."""
        sizes = np.asarray(shape["q"])
        known = {size: _is_prime(int(size)) and size % 4 == 1 for size in np.unique(sizes)}
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
        if pattern != "uniform":
            return unknown_traffic(SWITCH)
        q, p, degree = np.asarray(shape["q"]), shape["p"], self.degree(shape)
        pairs = np.array([largest_uniform_load(int(one)) for one in q.reshape(-1)]).reshape(q.shape)
        others = 2.0 * q**2 - 1.0
        hops = p * (degree + 2.0 * (others - degree))
        return {SWITCH: Traffic(p**2 * pairs, ratio(hops, self.nodes(shape) - 1.0))}

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


def generator_sets(q: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the even and the odd powers of a primitive element modulo q: the neighbours within a column."""
    powers = next(
        candidates
        for root in range(2, q)
        if len(set(candidates := [pow(root, exponent, q) for exponent in range(q - 1)])) == q - 1
    )
    return frozenset(powers[0::2]), frozenset(powers[1::2])


@lru_cache(maxsize=1_024)
def largest_uniform_load(q: int) -> float:
    """Return the largest number of pairs of switches whose paths cross one directed link.

    Switch (0, x, y) is next to (0, x, y') for y − y' in X, (1, m, c) to (1, m, c') for c − c' in X', and (0, x, y) to
    (1, m, c) for y = m x + c. With C(u, w) common neighbours, a link u → v carries its own pair, 1/C(u, w) of each pair
    with u → v → w, and 1/C(w, v) of each pair with w → u → v.
    """
    inner, outer = generator_sets(q)
    first, second = _sharing(q, 0, inner, outer), _sharing(q, 1, inner, outer)
    loads = [1.0 + first[0, 0, y] + first[0, 0, -y % q] for y in inner]
    loads += [1.0 + second[1, 0, c] + second[1, 0, -c % q] for c in outer]
    # Shears and translations take every link between the halves to the one between (0, 0, 0) and (1, 0, 0).
    loads.append(1.0 + first[1, 0, 0] + second[0, 0, 0])
    return max(loads)


def _neighbours(q: int, switch: tuple[int, int, int], inner: frozenset[int], outer: frozenset[int]) -> Iterator[Any]:
    half, column, row = switch
    for step in outer if half else inner:
        yield half, column, (row + step) % q
    for other in range(q):
        yield 1 - half, other, (row + column * other if half else row - other * column) % q


def _sharing(q: int, half: int, inner: frozenset[int], outer: frozenset[int]) -> dict[tuple[int, int, int], float]:
    """Return, for each neighbour v of the first switch u of a half, the pairs (u, w) that go over v."""
    start = (half, 0, 0)
    near = list(_neighbours(q, start, inner, outer))
    known = {start, *near}
    beyond = {v: [w for w in _neighbours(q, v, inner, outer) if w not in known] for v in near}
    paths: dict[tuple[int, int, int], int] = {}
    for reached in beyond.values():
        for w in reached:
            paths[w] = paths.get(w, 0) + 1
    return {v: sum(1.0 / paths[w] for w in reached) for v, reached in beyond.items()}


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


SLIM_FLY = SlimFly(
    "slim-fly",
    {"q": "order of the field, a prime 4 w + 1", "p": "nodes of a switch"},
    {"b0": "bandwidth of a node link", "b1": "bandwidth of a link between switches"},
    {"l0": "latency of a node link", "l1": "latency of a link between switches"},
)
