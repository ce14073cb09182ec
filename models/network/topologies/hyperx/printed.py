"""HyperX of two dimensions as Anghel 2017 prints it: Eq. 5.41 (uniform) and Table 5.8 (neighbours)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.grid import class_name
from dse.models.network.graphs.links import Traffic
from dse.models.network.graphs.printed import Pair, Rows, first_row, refuse_unprinted, two_sides, with_self
from dse.models.network.graphs.topology import Formula, Shape, Topology, ratio

__all__ = ["PRINTED"]


def _uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.41, even for one switch along a dimension; appendix table 1."""
    with_self(topology, options)
    p, nodes = shape["p"], topology.nodes(shape)
    traffic = {
        class_name(position): Traffic(p * nodes / size, ratio(nodes - nodes / size, nodes - 1.0))
        for position, size in enumerate(_two_dimensions("uniform", topology, shape))
    }
    return traffic | _no_links(shape)


def _neighbours(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    grid = two_sides(topology, options)
    sizes = _two_dimensions("nearest-neighbour", topology, shape)
    if options["tiles"]:
        raise InputError("the thesis prints no formula for neighbours with tiles on 'hyperx'", allowed="tiles = ()")
    traffic, missing = _rows(grid, sizes, shape["p"])
    why = "rows of the grid must fill whole switches of dimension 1, D1 = m·p and D2 = d2·d1/m > 2"
    refuse_unprinted("nearest-neighbour", topology, missing, why)
    return traffic | _no_links(shape)


def _rows(grid: Pair, sizes: Pair, nodes_per_switch: Any) -> Rows:
    """Table 5.8 and appendix table 6: a row of the grid on m switches, k rows on a line of switches, D2 > 2."""
    p, (width, height), (d1, d2) = nodes_per_switch * 1.0, grid, sizes
    m = width / p
    k = d1 / m
    mapped = (m == np.floor(m)) & (k == np.floor(k)) & (m >= 1) & (k >= 1) & (height == k * d2) & (height > 2)
    none = 0.0 * p
    rows = [
        ((m == 1) & (k > 2), p, p / 2.0),
        ((m == 1) & (k == 1), none, p),
        ((m == 1) & (k == 2), 2.0 * p, p / 2.0),
        ((m == 2) & (k > 2), np.maximum(2.0, p), p / 2.0),
        ((m == 2) & (k == 1), none + 2.0, p),
        ((m == 2) & (k == 2), 2.0 * p, p / 2.0),
        ((m > 2) & (k > 2), p, p / 2.0),
        ((m > 2) & (k == 1), none + 1.0, p),
        ((m > 2) & (k == 2), 2.0 * p, p / 2.0),
    ]
    along = first_row([(mask & mapped, load) for mask, load, _ in rows])
    across = first_row([(mask & mapped, load) for mask, _, load in rows])
    east = np.where(m >= 2, 1.0 / (2.0 * p), 0.0)
    north = np.where(k >= 2, 0.5, 0.0)
    traffic = {class_name(0): Traffic(along, east + north), class_name(1): Traffic(across, 1.0 / (2.0 * k))}
    return traffic, ~mapped


def _two_dimensions(pattern: str, topology: Topology, shape: Shape) -> tuple[Any, Any]:
    """Return the sizes of a HyperX of two dimensions; further ones must be 1."""
    sizes = shape["d"]
    refuse_unprinted(pattern, topology, len(sizes) < 2, "its HyperX has two dimensions")
    for size in sizes[2:]:
        refuse_unprinted(pattern, topology, np.greater(size, 1), "its HyperX has two dimensions")
    return sizes[0], sizes[1]


def _no_links(shape: Shape) -> dict[str, Traffic]:
    """Return no traffic for the dimensions of a HyperX beyond the second, which have one switch."""
    return {class_name(position): Traffic(0.0, 0.0) for position in range(2, len(shape["d"]))}


PRINTED: dict[str, Formula] = {"uniform": _uniform, "nearest-neighbour": _neighbours}
