"""What tori and HyperX have in common: switches on a grid of any number of dimensions, dimension 1 fastest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import LinkSpec, NetworkParts, Shape, Tiles, Topology, ratio
from dse.models.network.patterns.blocks import travelling
from dse.models.network.patterns.offsets import switch_offsets
from dse.models.network.patterns.tiles import Tiling, tiling, travelling_fraction

__all__ = ["GridTopology", "Offset", "class_name"]

Offset = tuple[Any, Any]
"""Distance along a dimension, modulo its size, and the flows that go so far."""


def class_name(position: int) -> str:
    """Return the name of the link class of a dimension, counted from 0."""
    return f"dimension {position + 1}"


class GridTopology(Topology):
    """Switches on a grid, p nodes each."""

    def nodes(self, shape: Shape) -> Any:
        """Return p·∏d."""
        return shape["p"] * prod(shape["d"])

    def switches(self, shape: Shape) -> Any:
        """Return ∏d."""
        return prod(shape["d"])

    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return node links and the links of each dimension."""
        node = LinkSpec(NODE, shape["b0"], shape["l0"], optical=False)
        pairs = enumerate(zip(shape["b"], shape["l"], strict=True))
        return node, *(LinkSpec(class_name(i), bandwidth, latency, optical=True) for i, (bandwidth, latency) in pairs)

    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Count flows dimension by dimension."""
        loads = self._loads(shape, pattern, options, routing)
        crossed = self._traversals(shape, pattern, options, routing)
        return {class_name(i): Traffic(load, hops) for i, (load, hops) in enumerate(zip(loads, crossed, strict=True))}

    def tiles(self, grid: tuple[int, ...], blocks: tuple[int, ...], dimensions: tuple[int, ...]) -> Tiles:
        """Return the tile that makes the grid of tiles the grid of switches, if there is one."""
        sizes = dimensions[: len(grid)] + (1,) * (len(grid) - len(dimensions))
        if prod(dimensions[len(grid) :]) != 1 or any(side % size for side, size in zip(grid, sizes, strict=True)):
            return ()
        tile = tuple(side // size for side, size in zip(grid, sizes, strict=True))
        return (tile,) if prod(tile) == blocks[0] else ()

    # ---- what the two differ in ----------------------------------------------------------------------------------

    @abstractmethod
    def uniform_load(self, size: Any, shape: Shape) -> Any:
        """Return the load of a link of a dimension of this size: all switches exchange p² flows."""

    @abstractmethod
    def distance(self, size: Any, offset: Any) -> Any:
        """Return the links crossed by a flow that goes this far along a dimension."""

    @abstractmethod
    def complement_load(self, size: Any, shape: Shape) -> Any:
        """Return the load of a link when every coordinate x becomes d − 1 − x."""

    @abstractmethod
    def neighbour_load(self, size: Any, face: Any, shape: Shape) -> Any:
        """Return the load of a link when `face` processes of a switch talk to each of the two next switches."""

    @abstractmethod
    def offset_load(self, size: Any, offsets: Sequence[Offset], shape: Shape) -> Any:
        """Return the load of a link when every switch of a line sends flows to the given offsets."""

    def shift_loads(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> list[Any]:
        """Return the loads of a shift, routed dimension by dimension."""
        loads = []
        below: Any = 1.0
        offsets = list(switch_offsets(pattern, self.switches(shape), shape["p"], options))
        for size in shape["d"]:
            load: Any = 0.0
            # The carry from the lower dimensions makes the offsets piecewise constant along a line of switches.
            for start in (0.0, *(np.mod(offset, below) for offset, _ in offsets)):
                here = [
                    (np.mod(np.floor(offset / below) + np.less(start, np.mod(offset, below)), size), flows)
                    for offset, flows in offsets
                ]
                load = np.maximum(load, self.offset_load(size, here, shape))
            loads.append(load)
            below = below * size
        return loads

    def exchange_loads(self, shape: Shape, options: Mapping[str, Any]) -> list[Any]:
        """Exchange on a grid of switches, its bit k of dimension d: `B = min(b0, b/x)`; F = 1.

        The partner is e = 2^k/(p·P) switches away, with P switches in the dimensions before, so that x = p on a HyperX
        and x = p·e on a torus (where 2·e < d), p·d/4 half of the ring away, p there over a single link. Half of the
        switches send forward, half backward, each link as busy as under a shift by e. Within a switch x = 0.
        """
        steps = self.exchange_steps(shape, options)
        pairs = zip(shape["d"], steps, strict=True)
        return [self.offset_load(size, [(step, np.where(step > 0, shape["p"], 0.0))], shape) for size, step in pairs]

    def exchange_steps(self, shape: Shape, options: Mapping[str, Any]) -> Iterator[Any]:
        """Yield how far along each dimension the partner of an exchange is, 0 in all but one of them."""
        distance = 2.0 ** options["exchange_bit"] / shape["p"]
        for size in shape["d"]:
            yield np.where((distance >= 1.0) & (distance < size), distance, 0.0)
            distance = distance / size

    # ---- loads and traversals ------------------------------------------------------------------------------------

    def _loads(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        sizes = shape["d"]
        if pattern == "uniform":
            return [self.uniform_load(size, shape) for size in sizes]
        if pattern == "complement":
            return [np.where(size > 1, self.complement_load(size, shape), 0.0) for size in sizes]
        if pattern == "shift":
            return self.shift_loads(shape, pattern, options, routing)
        if pattern == "exchange":
            return self.exchange_loads(shape, options)
        if pattern == "nearest-neighbour" and (cut := self.aligned(shape, options)) is not None:
            known, tiles = cut
            loads = [
                np.where(size > 1, self.neighbour_load(size, face, shape), 0.0)
                for size, face in zip(sizes, tiles.faces, strict=False)
            ]
            loads += [np.array(0.0)] * (len(sizes) - len(loads))
            return [np.where(known, load, np.nan) for load in loads]
        return [np.nan] * len(sizes)

    def _traversals(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        sizes, nodes = shape["d"], self.nodes(shape)
        if pattern == "uniform":
            return [ratio(nodes, nodes - 1.0) * self.mean_distance(size) for size in sizes]
        if pattern == "complement":
            return [
                ratio(nodes, travelling(pattern, nodes, options)) * self.complement_distance(size) for size in sizes
            ]
        if pattern == "shift":
            return list(self._shift_traversals(shape, pattern, options))
        if pattern == "exchange":
            steps = self.exchange_steps(shape, options)
            return [self.distance(size, step) for size, step in zip(sizes, steps, strict=True)]
        if pattern == "nearest-neighbour" and (cut := self.aligned(shape, options)) is not None:
            known, tiles = cut
            away = travelling_fraction(options["grid"]) * tiles.volume
            traversals = [
                ratio(2.0 * face * np.greater(size, 1), away) for size, face in zip(sizes, tiles.faces, strict=False)
            ]
            traversals += [np.array(0.0)] * (len(sizes) - len(traversals))
            return [np.where(known, hops, np.nan) for hops in traversals]
        return [np.nan] * len(sizes)

    def _shift_traversals(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> Iterator[Any]:
        offsets = list(switch_offsets(pattern, self.switches(shape), shape["p"], options))
        below: Any = 1.0
        for size in shape["d"]:
            total: Any = 0.0
            for offset, flows in offsets:
                carried = np.mod(offset, below) / below
                whole = np.floor(offset / below)
                near = self.distance(size, np.mod(whole, size))
                far = self.distance(size, np.mod(whole + 1.0, size))
                total = total + flows / shape["p"] * ((1.0 - carried) * near + carried * far)
            yield total
            below = below * size

    @abstractmethod
    def mean_distance(self, size: Any) -> Any:
        """Return the mean distance along a dimension between two switches, equal ones included."""

    @abstractmethod
    def complement_distance(self, size: Any) -> Any:
        """Return the mean distance between x and d − 1 − x."""

    def aligned(self, shape: Shape, options: Mapping[str, Any]) -> tuple[Any, Tiling] | None:
        """Return where the grid of tiles is the grid of switches, and the tiles; None when there are no tiles.

        The dimension beyond the shorter of both must have size 1.
        """
        if len(options["tiles"]) != 1:
            return None
        cut = tiling(options["grid"], options["tiles"][0])
        sizes = shape["d"]
        known: Any = np.array(True)
        for position in range(max(len(sizes), len(cut.counts))):
            size = sizes[position] if position < len(sizes) else 1.0
            count = cut.counts[position] if position < len(cut.counts) else 1.0
            known = known & np.equal(size, count)
        return known, cut

    # ---- counts --------------------------------------------------------------------------------------------------

    @abstractmethod
    def ports_of_dimension(self, size: Any, shape: Shape) -> Any:
        """Return the ports a switch needs for a dimension."""

    @abstractmethod
    def eccentricity(self, size: Any) -> Any:
        """Return the largest distance along a dimension."""

    @abstractmethod
    def cut_links(self, size: Any, shape: Shape) -> Any:
        """Return the links in one direction that a cut across a dimension breaks, per line of switches."""

    def parts(self, shape: Shape) -> NetworkParts:
        """Return ∏d switches and the cables of each dimension."""
        sizes, nodes, switches = shape["d"], self.nodes(shape), self.switches(shape)
        cables = [switches * self.ports_of_dimension(size, shape) / 2.0 for size in sizes]
        cut: Any = np.inf
        even: Any = np.array(True)
        for size, bandwidth in zip(sizes, shape["b"], strict=True):
            lines = switches / size
            here = np.where(size > 1, bandwidth * self.cut_links(size, shape) * lines, np.inf)
            cut = np.where(np.isnan(bandwidth), np.nan, np.minimum(cut, here))
            even = even & ((size == 1) | (np.mod(size, 2.0) == 0))
        return NetworkParts(
            nodes=nodes,
            switches=switches,
            node_links=nodes,
            switch_links=sum(cables),
            links={NODE: nodes} | {class_name(i): count for i, count in enumerate(cables)},
            electrical_links=nodes,
            optical_links=sum(cables),
            ports=shape["p"] + sum(self.ports_of_dimension(size, shape) for size in sizes),
            diameter=sum(self.eccentricity(size) for size in sizes),
            bisection_bandwidth=np.minimum(cut, shape["b0"] * nodes / 2.0),
            bisection_exact=even,
        )
