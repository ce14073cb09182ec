"""HyperX of any number of dimensions: a full mesh along every line of switches.

After Anghel 2017, Sections 5.4.7 (uniform, Eq. 5.41) and 5.6.5 (neighbours, Table 5.8, corrected at d2 <= 2), and
appendix tables 1 and 6. More dimensions, shift and complement are ours.

Flows split equally over all orders of the dimensions (``minimal``), or take dimension 1 first (``dimension-order``).
B is the effective bandwidth of a node: flows per node F times the least of bandwidth b over load, over the dimensions;
b0 is the bandwidth of a node link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.models.network.graphs.grid import GridTopology, Offset
from dse.models.network.graphs.topology import Shape, ratio
from dse.models.network.patterns.offsets import switch_offsets
from dse.models.network.patterns.tiles import travelling_fraction

__all__ = ["HyperX"]


class HyperX(GridTopology):
    """Full meshes in every dimension."""

    def uniform_load(self, size: Any, shape: Shape) -> Any:
        """Uniform on a HyperX: `B = min(b0, b·d/p)`, least over the dimensions d, F = p·∏d (Anghel 2017, Eq. 5.41).

        The load is p²·∏d/d; a dimension of one switch has no links.
        """
        return np.where(size > 1, shape["p"] ** 2 * (self.switches(shape) / size), 0.0)

    def distance(self, size: Any, offset: Any) -> Any:
        """Return 1 for every other switch of the line."""
        return np.where(np.equal(offset, 0), 0.0, 1.0)

    def mean_distance(self, size: Any) -> Any:
        """Anghel 2017, appendix table 1."""
        return (size - 1.0) / size

    def complement_load(self, size: Any, shape: Shape) -> Any:
        """Complement on a HyperX: `B = min(b0, b/p)`, F = 1: every pair of switches has a link of its own."""
        return shape["p"] * 1.0

    def complement_distance(self, size: Any) -> Any:
        """Return the share of coordinates that are not in the middle."""
        return (size - np.mod(size, 2.0)) / size

    def neighbour_load(self, size: Any, face: Any, shape: Shape) -> Any:
        """Nearest neighbours on a HyperX, a tile per switch: `B = min(b0, F·b/face)`, least over dimensions.

        F is twice the number of dimensions of the process grid; at d = 2, where both neighbours are the same switch, a
        link carries 2·face.
        """
        return face * np.where(np.equal(size, 2), 2.0, 1.0)

    def offset_load(self, size: Any, offsets: Sequence[Offset], shape: Shape) -> Any:
        """Shift on a HyperX, dimension 1 first: `B = min(b0, b/load)`, the load the most flows of one offset."""
        return _most_alike(offsets)

    def shift_loads(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> list[Any]:
        """Shift and tornado on a HyperX, equal split: `B = min(b0, b/load)`; F = 1.

        For up to two dimensions longer than 1. Along the first dimension the load is the most flows with one offset,
        along the second the most halves of flows with one offset, as seen from where they turn.
        """
        if routing == "dimension-order":
            return super().shift_loads(shape, pattern, options, routing)
        sizes = shape["d"]
        first, second, place = _two_longer_than_one(sizes)
        offsets = list(switch_offsets(pattern, self.switches(shape), shape["p"], options))
        along_first = _most_alike([(np.mod(offset, first), flows) for offset, flows in offsets])
        along_second: Any = 0.0
        steps = [np.mod(offset, first) for offset, _ in offsets]
        # Half of the flows turn at the source's coordinate x, half at the destination's: constant between these x.
        for start in (0.0, *steps, *(np.mod(first - step, first) for step in steps)):
            here = []
            for (offset, flows), step in zip(offsets, steps, strict=True):
                whole = np.floor(offset / first)
                here.append((np.mod(whole + np.less(start, step), second), flows / 2.0))
                here.append((np.mod(whole + np.greater_equal(start, first - step), second), flows / 2.0))
            along_second = np.maximum(along_second, _most_alike(here))
        longer = place[-1] if place else 0
        loads = []
        for size, order in zip(sizes, place, strict=True):
            load = np.where(np.equal(order, 1), along_first, along_second)
            load = np.where(size > 1, load, 0.0)
            loads.append(np.where(np.greater(longer, 2), np.nan, load))
        return loads

    def _loads(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        if pattern == "tornado":
            return self.shift_loads(shape, pattern, options, routing)
        if (rows := self._rows(shape, pattern, options)) is not None:
            return self.nearest_neighbours_in_rows(shape, rows, routing)
        return super()._loads(shape, pattern, options, routing)

    def nearest_neighbours_in_rows(self, shape: Shape, rows: tuple[Any, Any, Any, Any], routing: str) -> list[Any]:
        """Nearest neighbours on a HyperX, rows of the grid along dimension 1: `B = min(b0, F·b1/x, F·b2/y)`, F = 4.

        Anghel 2017, Table 5.8, corrected at d2 <= 2: a row of the grid is on m switches, k rows on a line of d1 = m·k.
        x is the larger of 0, 2, 1 for m = 1, 2, more, and of 0, 2·p, p for k = 1, 2, more. y = p/2 with equal split, p
        in the order of the dimensions and at d2 = 2; for k = 1 it is p, and 2·p at d2 = 2.
        """
        known, across, down, second = rows
        p = shape["p"]
        east = np.where(across == 1, 0.0, np.where(across == 2, 2.0, 1.0))
        north = np.where(down == 1, 0.0, np.where(down == 2, 2.0 * p, p))
        whole = np.where(second == 2, 2.0 * p, p)
        split = np.where(second == 2, p, p if routing == "dimension-order" else p / 2.0)
        vertical = np.where(second == 1, 0.0, np.where(down == 1, whole, split))
        loads = [np.maximum(east, north), vertical][: len(shape["d"])]
        loads += [np.array(0.0)] * (len(shape["d"]) - 2)
        return [np.where(known, load, np.nan) for load in loads]

    def _traversals(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        if pattern == "tornado":
            return list(self._shift_traversals(shape, pattern, options))
        if (rows := self._rows(shape, pattern, options)) is not None:
            known, across, down, second = rows
            away = travelling_fraction(options["grid"])
            first = 2.0 * np.greater(across, 1) / shape["p"] + 2.0 * np.greater(down, 1)
            traversals = [ratio(first, away), ratio(2.0 * np.greater(second, 1) / down, away)][: len(shape["d"])]
            traversals += [np.array(0.0)] * (len(shape["d"]) - 2)
            return [np.where(known, hops, np.nan) for hops in traversals]
        return super()._traversals(shape, pattern, options, routing)

    def _rows(self, shape: Shape, pattern: str, options: Mapping[str, Any]) -> tuple[Any, Any, Any, Any] | None:
        """Anghel 2017, Section 5.6.5: rows of the process grid fill whole switches of a line of dimension 1.

        Returns where that holds, switches of a row, rows of a line, and the size of dimension 2.
        """
        if pattern != "nearest-neighbour" or options["tiles"] or len(options["grid"]) != 2:
            return None
        sizes, (width, height) = shape["d"], options["grid"]
        first = sizes[0]
        second = sizes[1] if len(sizes) > 1 else np.array(1.0)
        across = width / shape["p"]
        down = first / across
        known = (across == np.floor(across)) & (down == np.floor(down)) & (across >= 1) & (down >= 1)
        known = known & np.equal(height, down * second)
        for size in sizes[2:]:
            known = known & np.equal(size, 1)
        return known, across, down, second

    def ports_of_dimension(self, size: Any, shape: Shape) -> Any:
        """Return one per other switch of the line."""
        return size - 1.0

    def eccentricity(self, size: Any) -> Any:
        """Return 1, or 0 in a dimension of one switch."""
        return np.where(size > 1, 1.0, 0.0)

    def cut_links(self, size: Any, shape: Shape) -> Any:
        """Return the links between two halves of a line."""
        return np.floor(size / 2.0) * np.ceil(size / 2.0)


def _most_alike(offsets: Sequence[Offset]) -> Any:
    """Return the largest sum of flows with one offset other than 0."""
    most: Any = 0.0
    for offset, _ in offsets:
        alike: Any = 0.0
        for other, flows in offsets:
            alike = alike + np.where(np.equal(offset, other), flows, 0.0)
        most = np.maximum(most, np.where(np.equal(offset, 0), 0.0, alike))
    return most


def _two_longer_than_one(sizes: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
    """Return the first two sizes above 1, and how many sizes above 1 there are up to each dimension."""
    first: Any = 1.0
    second: Any = 1.0
    count: Any = 0
    place = []
    for size in sizes:
        longer = np.greater(size, 1)
        count = count + longer
        first = np.where(longer & np.equal(count, 1), size, first)
        second = np.where(longer & np.equal(count, 2), size, second)
        place.append(count)
    return first, second, place
