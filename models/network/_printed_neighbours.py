"""Neighbours on a grid of two dimensions as Anghel 2017 prints them: Tables 5.5 to 5.8 and appendix tables 3 to 6.

Each function returns the traffic by link class, and where the thesis has no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dse.models.network.grid import class_name
from dse.models.network.links import NODE, Traffic
from dse.models.network.topologies.fat_tree.closed_form import LOWER, UPPER
from dse.models.network.topologies.full_mesh.closed_form import SWITCH

__all__ = ["hyperx_rows", "mesh_tiles", "subtree_tiles", "tree_tiles"]

Pair = Sequence[Any]
Rows = tuple[dict[str, Traffic], Any]

_FLOWS = 4.0


def mesh_tiles(grid: Pair, tile: Pair) -> Rows:
    """Table 5.5 and appendix table 3, rows in the order of the table.

    The table lacks D1 = d1, D2 = 2 d2; Section 5.6.2 prints b1/(2 d2) for it, where b1/(2 d1) is meant.
    """
    (d1, d2), (across, down) = tile, _counts(grid, tile)
    rows = [
        ((across > 2) & (down > 2), np.maximum(d1, d2)),
        ((across == 2) & (down > 2), np.maximum(d1, 2.0 * d2)),
        ((across > 2) & (down == 2), np.maximum(2.0 * d1, d2)),
        ((across == 2) & (down == 2), np.maximum(2.0 * d1, 2.0 * d2)),
        ((across == 1) & (down > 2), d1 * 1.0),
        ((across > 2) & (down == 1), d2 * 1.0),
        ((across == 2) & (down == 1), 2.0 * d2),
        ((across == 1) & (down == 2), 2.0 * d2),
    ]
    load = _first_row(rows)
    return {SWITCH: Traffic(load, _leaving(grid, tile) / (_FLOWS * d1 * d2))}, np.isnan(load)


def tree_tiles(grid: Pair, tile: Pair) -> Rows:
    """Table 5.6 and appendix table 4, which has no row for a single switch."""
    (d1, d2), (across, down) = tile, _counts(grid, tile)
    rows = [
        ((across >= 2) & (down >= 2), 2.0 * (d1 + d2)),
        ((across == 1) & (down >= 2), 2.0 * d1),
        ((across >= 2) & (down == 1), 2.0 * d2),
        ((across == 1) & (down == 1), 0.0),
    ]
    load = _first_row(rows)
    return {LOWER: Traffic(load, 2.0 * _leaving(grid, tile) / (_FLOWS * d1 * d2))}, np.isnan(load)


def subtree_tiles(grid: Pair, outer: Pair, inner: Pair) -> Rows:
    """Table 5.7, whose row 1 names the wrong side of the outer tile, and appendix table 5."""
    (o1, o2), (i1, i2) = outer, inner
    (a, b), (x, y) = _counts(grid, outer), _counts(outer, inner)
    wide, tall, flat, thin = (a >= 2) & (b >= 2), (a == 1) & (b >= 2), (a >= 2) & (b == 1), x == 1
    both, column, row = 2.0 * (i1 + i2), 2.0 * i1, 2.0 * i2
    cases = [
        (wide, both, 2.0 * (o1 + i2)),
        (tall & (x >= 2), both, 2.0 * o1),
        (tall & thin & (y >= 2), column, 2.0 * o1),
        (flat & (y >= 2), both, 2.0 * o2),
        (flat & (x >= 2) & (y == 1), row, 2.0 * o2),
    ]
    lower = _first_row([(mask, load) for mask, load, _ in cases])
    upper = _first_row([(mask, load) for mask, _, load in cases])
    node, over_first, over_second = _subtree_paths(outer, inner, tall, flat, x, y)
    found = {
        NODE: Traffic(_FLOWS, node),
        LOWER: Traffic(lower, over_first),
        UPPER: Traffic(upper, over_second),
    }
    return found, np.isnan(lower)


def _subtree_paths(outer: Pair, inner: Pair, tall: Any, flat: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Appendix table 5: links of each class per message. Its numbers of flows do not always add up to all flows."""
    (o1, o2), (i1, i2) = outer, inner
    subtree, switch = _FLOWS * o1 * o2, _FLOWS * i1 * i2
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
    out, up, inside = (_first_row([(case[0], case[place]) for case in cases]) for place in (1, 2, 3))
    return 2.0 * (out + up + inside) / subtree, 2.0 * (out + up) / subtree, 2.0 * out / subtree


def hyperx_rows(grid: Pair, sizes: Pair, nodes_per_switch: Any) -> Rows:
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
    along = _first_row([(mask & mapped, load) for mask, load, _ in rows])
    across = _first_row([(mask & mapped, load) for mask, _, load in rows])
    east = np.where(m >= 2, 1.0 / (2.0 * p), 0.0)
    north = np.where(k >= 2, 0.5, 0.0)
    found = {class_name(0): Traffic(along, east + north), class_name(1): Traffic(across, 1.0 / (2.0 * k))}
    return found, ~mapped


def _counts(outer: Pair, inner: Pair) -> tuple[Any, Any]:
    return outer[0] / inner[0], outer[1] / inner[1]


def _leaving(grid: Pair, tile: Pair) -> Any:
    """Appendix tables 3 and 4: flows that leave a tile; they have no row for a tile that is the whole grid."""
    (d1, d2), (across, down) = tile, _counts(grid, tile)
    return _first_row(
        [
            ((across == 1) & (down > 1), 2.0 * d1),
            ((across > 1) & (down == 1), 2.0 * d2),
            ((across > 1) & (down > 1), 2.0 * d2 + 2.0 * d1),
        ]
    )


def _first_row(rows: Sequence[tuple[Any, Any]]) -> Any:
    """Return the value of the first row whose condition holds, NaN where none does."""
    value: Any = np.nan
    for condition, entry in reversed(rows):
        value = np.where(condition, entry, value)
    return value
