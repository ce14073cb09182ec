"""The formulas of Anghel 2017 as printed, errors included: what ``equations="printed"`` stands for.

Each topology has its own (``topologies/*/printed.py``). Bandwidths: Eqs. 5.8, 5.13, 5.19, 5.34, 5.41 (uniform), 5.50,
5.54, 5.60 (shift), Tables 5.5 to 5.8 (neighbours). Path lengths: appendix tables 1 and 3 to 6; the thesis prints none
for a shift. The default equations of this family are these with the errors corrected, and hold for many more pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.links import Traffic
from dse.models.network.graphs.topology import Formula, Shape, Topology

__all__ = ["FLOWS", "Pair", "Rows", "first_row", "leaving_flows", "printed_traffic", "refuse_unprinted", "shift_step"]
__all__ += ["tile_counts", "tiled_neighbours", "two_sides", "with_self"]

Pair = Sequence[Any]
Rows = tuple[dict[str, Traffic], Any]
"""Traffic by link class, and where the thesis has no row."""

FLOWS = 4.0
"""Flows of a process to its neighbours on a grid of two dimensions."""


def printed_traffic(topology: Topology, shape: Shape, pattern: str, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Return load and traversals by link class as the thesis prints them.

    Parameters
    ----------
    topology : Topology
    shape : mapping of str to ndarray
        Checked parameters.
    pattern : str
    options : mapping
        Checked pattern parameters.

    Returns
    -------
    dict of str to Traffic
        By link class; with the node links where the printed path does not have two of them. Traversals are NaN where
        the thesis has no path length: for every shift, and for neighbours below a single switch of a tree.

    Raises
    ------
    InputError
        A pair, a shape or a mapping for which the thesis prints no bandwidth.
    """
    formula = topology.printed.get(pattern)
    if formula is None:
        raise InputError(
            f"the thesis prints no formula for the pattern '{pattern}' on the topology '{topology.name}'",
            allowed=[
                "equations 'corrected'",
                *(f"{pattern_name} on {topology.name}" for pattern_name in topology.printed),
            ],
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return formula(topology, shape, options)


# ---- what the formulas hold for --------------------------------------------------------------------------------------


def with_self(topology: Topology, options: Mapping[str, Any]) -> None:
    """Refuse uniform traffic without messages of a node to itself."""
    without = np.equal(options["include_self"], False)
    refuse_unprinted("uniform", topology, without, "it counts messages of a node to itself (include_self)")


def shift_step(topology: Topology, options: Mapping[str, Any]) -> Any:
    """Return the step of a shift; negative ones are refused."""
    refuse_unprinted("shift", topology, np.less(options["step"], 0), "its steps are not negative")
    return options["step"]


def two_sides(topology: Topology, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the sides of a process grid of two dimensions; others are refused."""
    refuse_unprinted("nearest-neighbour", topology, len(options["grid"]) != 2, "its grid has two dimensions")
    first, second = options["grid"]
    return first, second


def refuse_unprinted(pattern: str, topology: Topology, mask: Any, why: str) -> None:
    """Refuse designs the thesis has no formula for."""
    wrong = np.atleast_1d(mask)
    if wrong.any():
        where = f" (design {int(np.flatnonzero(wrong)[0])} of {wrong.size})" if wrong.size > 1 else ""
        raise InputError(
            f"the thesis prints no such formula for the pattern '{pattern}' on '{topology.name}'{where}: {why}"
        )


# ---- tables of neighbours on a periodic grid -------------------------------------------------------------------------


def tiled_neighbours(rows: Callable[..., Rows]) -> Formula:
    """Make a table of neighbours with tiles a formula."""

    def neighbours(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
        grid, tiles = two_sides(topology, options), options["tiles"]
        if not tiles:
            raise InputError(f"the thesis prints no formula for neighbours without tiles on '{topology.name}'")
        traffic, missing = rows(grid, *tiles)
        refuse_unprinted("nearest-neighbour", topology, missing, "this mapping is in none of its tables")
        return traffic

    return neighbours


def tile_counts(outer: Pair, inner: Pair) -> tuple[Any, Any]:
    """Return the tiles along each dimension."""
    return outer[0] / inner[0], outer[1] / inner[1]


def leaving_flows(grid: Pair, tile: Pair) -> Any:
    """Appendix tables 3 and 4: flows that leave a tile; they have no row for a tile that is the whole grid."""
    (d1, d2), (across, down) = tile, tile_counts(grid, tile)
    return first_row(
        [
            ((across == 1) & (down > 1), 2.0 * d1),
            ((across > 1) & (down == 1), 2.0 * d2),
            ((across > 1) & (down > 1), 2.0 * d2 + 2.0 * d1),
        ]
    )


def first_row(rows: Sequence[tuple[Any, Any]]) -> Any:
    """Return the value of the first row whose condition holds, NaN where none does."""
    value: Any = np.nan
    for condition, entry in reversed(rows):
        value = np.where(condition, entry, value)
    return value
