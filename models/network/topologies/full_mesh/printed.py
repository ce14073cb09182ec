"""Full mesh as Anghel 2017 prints it: Eqs. 5.8 (uniform) and 5.50 (shift), Table 5.5 (neighbours)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.links import Traffic
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
from dse.models.network.topologies.full_mesh.closed_form import SWITCH

__all__ = ["PRINTED"]


def _uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.8, even for one switch; appendix table 1."""
    with_self(topology, options)
    a, p, nodes = shape["a"], shape["p"], topology.nodes(shape)
    return {SWITCH: Traffic(p * p + 0.0 * a, ratio(p * (a - 1.0), nodes - 1.0))}


def _shift(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.50; the last s mod p flows of a shift that wraps around do not leave their switch, which it forgets."""
    step, p = shift_step(topology, options), shape["p"]
    rest = np.mod(step, p)
    load = np.where(step < p, step, np.where(rest == 0, p, np.maximum(rest, p - rest)))
    return {SWITCH: Traffic(load + 0.0 * shape["a"], np.nan)}


def _tiles(grid: Pair, tile: Pair) -> Rows:
    """Table 5.5 and appendix table 3, rows in the order of the table.

    The table lacks D1 = d1, D2 = 2 d2; Section 5.6.2 prints b1/(2 d2) for it, where b1/(2 d1) is meant.
    """
    (d1, d2), (across, down) = tile, tile_counts(grid, tile)
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
    load = first_row(rows)
    return {SWITCH: Traffic(load, leaving_flows(grid, tile) / (FLOWS * d1 * d2))}, np.isnan(load)


PRINTED: dict[str, Formula] = {
    "uniform": _uniform,
    "shift": _shift,
    "nearest-neighbour": tiled_neighbours(_tiles),
}
