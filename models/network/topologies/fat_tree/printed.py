"""Fat trees as Anghel 2017 prints them: Eqs. 5.13, 5.19 (uniform), 5.54, 5.60 (shift), Tables 5.6, 5.7 (neighbours)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.printed import (
    FLOWS,
    Pair,
    Rows,
    first_row,
    leaving_flows,
    shift_step,
    tile_counts,
    tiled_neighbours,
    with_self,
)
from dse.models.network.graphs.topology import Formula, Shape, Topology, ratio
from dse.models.network.topologies.fat_tree.closed_form import LOWER, UPPER, blocks_below

__all__ = ["PRINTED_2", "PRINTED_3"]


def _uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.13 and 5.19; appendix table 1."""
    with_self(topology, options)
    nodes = topology.nodes(shape)
    return {
        name: Traffic(block * (nodes - block), 2.0 * ratio(nodes - block, nodes - 1.0))
        for name, block in blocks_below(shape).items()
    }


def _shift(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.54 and 5.60, which forget that a step of n − s is as good as one of s."""
    step, nodes = shift_step(topology, options), topology.nodes(shape)
    return {
        name: Traffic(np.where(step < block, step, block) + 0.0 * nodes, np.nan)
        for name, block in blocks_below(shape).items()
    }


def _tiles_of_switches(grid: Pair, tile: Pair) -> Rows:
    """Table 5.6 and appendix table 4, which has no row for a single switch."""
    (d1, d2), (across, down) = tile, tile_counts(grid, tile)
    rows = [
        ((across >= 2) & (down >= 2), 2.0 * (d1 + d2)),
        ((across == 1) & (down >= 2), 2.0 * d1),
        ((across >= 2) & (down == 1), 2.0 * d2),
        ((across == 1) & (down == 1), 0.0),
    ]
    load = first_row(rows)
    return {LOWER: Traffic(load, 2.0 * leaving_flows(grid, tile) / (FLOWS * d1 * d2))}, np.isnan(load)


def _tiles_of_subtrees(grid: Pair, outer: Pair, inner: Pair) -> Rows:
    """Table 5.7, whose row 1 names the wrong side of the outer tile, and appendix table 5."""
    (o1, o2), (i1, i2) = outer, inner
    (a, b), (x, y) = tile_counts(grid, outer), tile_counts(outer, inner)
    wide, tall, flat, thin = (a >= 2) & (b >= 2), (a == 1) & (b >= 2), (a >= 2) & (b == 1), x == 1
    both, column, row = 2.0 * (i1 + i2), 2.0 * i1, 2.0 * i2
    cases = [
        (wide, both, 2.0 * (o1 + i2)),
        (tall & (x >= 2), both, 2.0 * o1),
        (tall & thin & (y >= 2), column, 2.0 * o1),
        (flat & (y >= 2), both, 2.0 * o2),
        (flat & (x >= 2) & (y == 1), row, 2.0 * o2),
    ]
    lower = first_row([(mask, load) for mask, load, _ in cases])
    upper = first_row([(mask, load) for mask, _, load in cases])
    node, over_first, over_second = _subtree_paths(outer, inner, tall, flat, x, y)
    traffic = {
        NODE: Traffic(FLOWS, node),
        LOWER: Traffic(lower, over_first),
        UPPER: Traffic(upper, over_second),
    }
    return traffic, np.isnan(lower)


def _subtree_paths(outer: Pair, inner: Pair, tall: Any, flat: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Appendix table 5: links of each class per message. Its numbers of flows do not always add up to all flows."""
    (o1, o2), (i1, i2) = outer, inner
    subtree, switch = FLOWS * o1 * o2, FLOWS * i1 * i2
    leaving_switch = 2.0 * o1 + 2.0 * i2
    cases = [  # rows in the order of the table: out of the subtree, out of the switch only, inside the switch
        (tall & (x == 1), 2.0 * i2, subtree - switch, switch - 2.0 * o1),
        (tall, 2.0 * i2, subtree - switch + leaving_switch - 2.0 * o1, switch - leaving_switch),
        (flat & (y == 1), 2.0 * o2, subtree - switch, switch - 2.0 * o2),
        (flat, 2.0 * o2, subtree - switch + leaving_switch - 2.0 * o2, switch - leaving_switch),
        (
            ~tall & ~flat,
            2.0 * o1 + 2.0 * o2,
            subtree - switch + leaving_switch - 2.0 * o1 - 2.0 * o2,
            switch - leaving_switch,
        ),
    ]
    out, up, inside = (first_row([(case[0], case[place]) for case in cases]) for place in (1, 2, 3))
    return 2.0 * (out + up + inside) / subtree, 2.0 * (out + up) / subtree, 2.0 * out / subtree


PRINTED_2: dict[str, Formula] = {
    "uniform": _uniform,
    "shift": _shift,
    "nearest-neighbour": tiled_neighbours(_tiles_of_switches),
}
PRINTED_3: dict[str, Formula] = {
    "uniform": _uniform,
    "shift": _shift,
    "nearest-neighbour": tiled_neighbours(_tiles_of_subtrees),
}
