"""Networks as tables for the packet simulator: links by number, and the links a packet may take next.

The graphs are those of the tests' oracle, every link on its own. Routes are made again here, hop by hop, and must put
the same expected load on every link as the oracle's paths (`expected_loads`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

__all__ = ["NONE", "Choice", "Tables", "expected_loads", "tables_of"]

NONE, HOP, DATELINE = 0, 1, 2
"""What numbers the virtual channels of a phase: nothing (trees), hops made, or a wrap of the ring passed (torus)."""

Choice = tuple[int, int, int, int, float]
"""Layer, switch, aim, link, weight: of the links from a switch towards an aim."""


@dataclass(frozen=True)
class Tables:
    """A network as the simulator reads it.

    Attributes
    ----------
    nodes, switches, layers : int
    names : tuple of str
        The class of each link: "node" for the first two times `nodes`.
    source, target : ndarray of int32, (links,)
        Switches at its ends, -1 for a node.
    capacity, latency : ndarray, (links,)
        B/s, s.
    dimension, wrap : ndarray of int32, (links,)
    attached : ndarray of int32, (nodes,)
    stops : ndarray of int32
        Switches with nodes, where Valiant's packets may go first.
    first : ndarray of int64, (layers * switches**2 + 1,)
        Where the links of (layer, switch, aim) begin in `links`.
    links : ndarray of int32
    upto : ndarray
        The sums of their shares so far.
    rule, channels : int
        How the channels of a phase are numbered, and how many there are.
    """

    nodes: int
    switches: int
    layers: int
    names: tuple[str, ...]
    source: np.ndarray
    target: np.ndarray
    capacity: np.ndarray
    latency: np.ndarray
    dimension: np.ndarray
    wrap: np.ndarray
    attached: np.ndarray
    stops: np.ndarray
    first: np.ndarray
    links: np.ndarray
    upto: np.ndarray
    rule: int
    channels: int

    def choices(self, layer: int, switch: int, aim: int) -> list[tuple[int, float]]:
        """Return the links from a switch towards an aim, each with its share."""
        at = (layer * self.switches + switch) * self.switches + aim
        here = slice(self.first[at], self.first[at + 1])
        shares = np.diff(self.upto[here], prepend=0.0)
        return list(zip(self.links[here].tolist(), shares.tolist(), strict=True))


def tables_of(network: Any, topology: str, parameters: Mapping[str, Any], routing: str = "minimal") -> Tables:
    """Return the tables of a network.

    Parameters
    ----------
    network : Network of the tests' oracle
        With every link on its own.
    topology : str
    parameters : mapping of str to int, float or sequence
        Sizes by symbol.
    routing : {"minimal", "dimension-order", "fewest-links"}
    """
    place = {switch: number for number, switch in enumerate(network.switches)}
    nodes, between = len(network.attached), list(network.links)
    attached = np.array([place[switch] for switch in network.attached], dtype=np.int32)
    source = np.array([place[link[0]] for link in between], dtype=np.int32)
    target = np.array([place[link[1]] for link in between], dtype=np.int32)
    names = [network.links[link] for link in between]
    outside = np.full(nodes, -1, dtype=np.int32)
    graph = _Graph(network.switches, between, source, target, topology, parameters)
    layers, rule, channels, choices = graph.routes(routing)
    first, links, upto = _sorted_choices(choices, layers, len(place), 2 * nodes)
    dimension, wrap = graph.rings()
    capacity = [network.node_capacity] * (2 * nodes) + [network.capacity[name] for name in names]
    latency = [network.node_latency] * (2 * nodes) + [network.latency[name] for name in names]
    return Tables(
        nodes=nodes,
        switches=len(place),
        layers=layers,
        names=("node",) * (2 * nodes) + tuple(names),
        source=np.concatenate([outside, attached, source]),
        target=np.concatenate([attached, outside, target]),
        capacity=np.array(capacity),
        latency=np.array(latency),
        dimension=np.concatenate([np.full(2 * nodes, -1, dtype=np.int32), dimension]),
        wrap=np.concatenate([np.zeros(2 * nodes, dtype=np.int32), wrap]),
        attached=attached,
        stops=np.unique(attached),
        first=first,
        links=links,
        upto=upto,
        rule=rule,
        channels=channels,
    )


Routes = tuple[int, int, int, Sequence[np.ndarray]]
"""Layers, rule, channels of a phase, and columns of (layer, switch, aim, link, weight)."""


@dataclass(frozen=True)
class _Graph:
    switches: Sequence[tuple[Any, ...]]
    between: Sequence[tuple[Any, Any, str]]
    source: np.ndarray
    target: np.ndarray
    topology: str
    parameters: Mapping[str, Any]

    def routes(self, routing: str) -> Routes:
        if self.topology == "torus":
            return 1, DATELINE, 2, self._by_dimension(ring=True)
        if self.topology == "hyperx" and routing == "dimension-order":
            return 1, HOP, len(self.parameters["d"]), self._by_dimension(ring=False)
        if self.topology == "dragonfly":
            return 2, HOP, 3, self._by_groups()
        lengths = None
        if self.topology == "skywalk" and routing != "fewest-links":
            lengths = np.array([float(tag.split()[-1]) for *_, tag in self.between])
        hops, columns = self._by_distance(lengths)
        tree = self.topology.startswith("fat-tree")
        return 1, NONE if tree else HOP, 1 if tree else hops, columns

    def rings(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the dimension of each link of a torus, and whether it closes a ring; 0 of others."""
        none = np.zeros(len(self.between), dtype=np.int32)
        if self.topology != "torus":
            return none, none
        dimension, way, sizes = self._steps()
        at = np.array(self.switches)[self.source, dimension]
        wraps = np.where(way > 0, at == sizes[dimension] - 1, at == 0)
        return dimension.astype(np.int32), wraps.astype(np.int32)

    def _steps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return dimension and way of each link of a grid."""
        points, sizes = np.array(self.switches), np.array(self.parameters["d"])
        moved = points[self.target] - points[self.source]
        dimension = np.argmax(moved != 0, axis=1)
        step = moved[np.arange(len(moved)), dimension]
        tagged = np.array([{"+": 1, "-": -1}.get(tag, 0) for *_, tag in self.between])
        return dimension, np.where(tagged != 0, tagged, np.sign(step)), sizes

    def _by_dimension(self, *, ring: bool) -> Sequence[np.ndarray]:
        points = np.array(self.switches)
        dimension, way, sizes = self._steps()
        columns = []
        for link, (here, there) in enumerate(zip(self.source.tolist(), self.target.tolist(), strict=True)):
            axis = dimension[link]
            open_here = (points[:, :axis] == points[here, :axis]).all(axis=1)
            ahead = (points[:, axis] - points[here, axis]) % sizes[axis]
            if not ring:
                wanted = points[:, axis] == points[there, axis]
            elif self.between[link][2] == "only":
                wanted = ahead == 1
            else:
                wanted = (2 * ahead <= sizes[axis]) if way[link] > 0 else (2 * ahead >= sizes[axis])
            aims = np.flatnonzero(open_here & wanted & (ahead > 0))
            columns.append((np.zeros_like(aims), np.full_like(aims, here), aims, np.full_like(aims, link)))
        layer, switch, aim, numbers = (np.concatenate(column) for column in zip(*columns, strict=True))
        return layer, switch, aim, numbers, np.ones(len(numbers))

    def _by_groups(self) -> Sequence[np.ndarray]:
        """Local, global, local: after a first hop a packet is at the end of its link to the other group."""
        place = {switch: number for number, switch in enumerate(self.switches)}
        local: dict[tuple[int, int], int] = {}
        direct: dict[tuple[int, int], list[int]] = {}
        for link, (here, there, _) in enumerate(self.between):
            if here[0] == there[0]:
                local[place[here], place[there]] = link
            else:
                direct.setdefault((here[0], there[0]), []).append(link)
        return tuple(np.array(column) for column in zip(*self._group_choices(place, local, direct), strict=True))

    def _group_choices(
        self,
        place: Mapping[tuple[Any, ...], int],
        local: Mapping[tuple[int, int], int],
        direct: Mapping[tuple[int, int], Sequence[int]],
    ) -> Iterator[Choice]:
        for switch, here in place.items():
            for other, aim in place.items():
                if here == aim:
                    continue
                if switch[0] == other[0]:
                    for layer in (0, 1):
                        yield layer, here, aim, local[here, aim], 1.0
                    continue
                for link in direct[switch[0], other[0]]:
                    begins = int(self.source[link])
                    if begins == here:
                        for layer in (0, 1):
                            yield layer, here, aim, link, 1.0
                    else:
                        yield 0, here, aim, local[here, begins], 1.0

    def _by_distance(self, lengths: np.ndarray | None) -> tuple[int, Sequence[np.ndarray]]:
        """Fewest links, among these the least length where given; every such path in equal shares."""
        count = len(self.switches)
        near = coo_array((np.ones(len(self.source)), (self.source, self.target)), shape=(count, count)).tocsr()
        hops = shortest_path(near, unweighted=True)
        if lengths is None:
            away, cost = hops, np.ones(len(self.source))
        else:
            # One number orders by hops first: no sum of lengths reaches a hop.
            hop = 2.0 ** np.ceil(np.log2(lengths.max() * (hops.max() + 1) + 1))
            cost = hop + lengths
            away = shortest_path(coo_array((cost, (self.source, self.target)), shape=(count, count)).tocsr())
        on_path = away[self.target] + cost[:, None] == away[self.source]
        paths = np.eye(count)
        for step in range(1, int(hops.max()) + 1):
            ends = on_path & (hops[self.source] == step)
            links, aims = np.nonzero(ends)
            np.add.at(paths, (self.source[links], aims), paths[self.target[links], aims])
        links, aims = np.nonzero(on_path)
        weight = paths[self.target[links], aims]
        return max(1, int(hops.max())), (np.zeros(len(links), dtype=int), self.source[links], aims, links, weight)


def _sorted_choices(
    columns: Sequence[np.ndarray], layers: int, switches: int, offset: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    layer, switch, aim, link, weight = columns
    key = (layer.astype(np.int64) * switches + switch) * switches + aim
    order = np.lexsort((link, key))
    key, weight = key[order], weight[order].astype(float)
    first = np.searchsorted(key, np.arange(layers * switches * switches + 1))
    total = np.concatenate([[0.0], np.cumsum(weight)])
    before = total[first[key]]
    whole = total[first[key + 1]] - before
    upto = (total[1:] - before) / whole
    return first.astype(np.int64), (link[order] + offset).astype(np.int32), upto


def expected_loads(tables: Tables, flows: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the mean number of flows on each link that the tables send them over; plain Python, for small networks."""
    load = np.zeros(len(tables.names))
    for node, targets in enumerate(flows):
        for other in targets:
            load[node] += 1
            load[tables.nodes + other] += 1
            waiting = [(int(tables.attached[node]), 0, 1.0)]
            goal = int(tables.attached[other])
            while waiting:
                here, hop, share = waiting.pop()
                if here == goal:
                    continue
                for link, part in tables.choices(min(hop, tables.layers - 1), here, goal):
                    load[link] += share * part
                    waiting.append((int(tables.target[link]), hop + 1, share * part))
    return load
