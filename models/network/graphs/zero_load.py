"""Latency of an empty network of any links whose switches stand in cabinets on a floor, and a bound of its hops.

What Matsuoka et al. 2014, Section 5.3, compare topologies by: a header takes some time in every switch, and some for
every metre of cable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.equal_cost_paths import equal_cost_paths
from dse.models.network.graphs.floor_plan import CABLE_LATENCY, HOP_LATENCY, FloorPlan

__all__ = ["ZeroLoad", "least_mean_hops", "zero_load"]


class ZeroLoad(NamedTuple):
    """Means over all ordered pairs of different switches: links, cable [m] and latency [s] of their best path."""

    hops: float
    cable: float
    latency: float


def zero_load(
    neighbours: np.ndarray,
    *,
    cabinets: int,
    floor: FloorPlan | None = None,
    hop_latency: float = HOP_LATENCY,
    cable_latency: float = CABLE_LATENCY,
) -> ZeroLoad:
    """Return the mean latency between switches without load: ``(hops + 1) · hop_latency + cable · cable_latency``.

    Parameters
    ----------
    neighbours : ndarray of int, shape (switches, links of a switch)
        The switch at the other end of each link; as of `equal_cost_paths`.
    cabinets : int
        Switches fill them in the order of their numbers, as many in each.
    floor : FloorPlan, optional
        Where the cabinets stand; the default floor.
    hop_latency, cable_latency : float
        Of a switch, s, and of a metre of cable, s/m.

    Raises
    ------
    InputError
        The switches do not fill the cabinets evenly.

    Examples
    --------
    >>> ring = np.array([[1, 3], [0, 2], [1, 3], [0, 2]])
    >>> found = zero_load(ring, cabinets=2, floor=FloorPlan(cabinet_width=1.0))
    >>> round(found.hops, 4), round(found.cable, 4), round(found.latency * 1e9, 2)
    (1.3333, 3.3333, 156.67)
    """
    switches = len(neighbours)
    if cabinets < 1 or switches % cabinets:
        raise InputError(f"cabinets = {cabinets}", allowed=f"a number that divides the {switches} switches")
    cabinet = np.arange(switches) // (switches // cabinets)
    lengths = (floor or FloorPlan()).cable_lengths(cabinet[:, None], cabinet[neighbours])
    best = equal_cost_paths(neighbours, lengths)
    pairs = max(switches * (switches - 1), 1)
    hops, cable = float(best.hops.sum() / pairs), float(best.cable.sum() / pairs)
    return ZeroLoad(hops, cable, (hops + 1.0) * hop_latency + cable * cable_latency)


def least_mean_hops(switches: int, degree: int) -> float:
    """Return a lower bound of the mean hops between switches (Moore): as if no two paths met before all are reached.

    With `degree` links of a switch at most ``degree · (degree − 1)^(h − 1)`` others are h links away.

    Examples
    --------
    >>> round(least_mean_hops(256, 5), 3)
    3.471
    """
    left, reached, hops, total = switches - 1, degree, 1, 0
    while left > 0 and reached > 0:
        here = min(left, reached)
        total += hops * here
        left, reached, hops = left - here, reached * (degree - 1), hops + 1
    return total / max(switches - 1, 1) if left == 0 else np.inf
