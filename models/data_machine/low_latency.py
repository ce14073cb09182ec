"""Topologies of low latency on one floor: Skywalk beside torus, hypercube, HyperX, dragonfly, and links at random.

The test network of Matsuoka et al. 2014, Section 5.3: 256 switches in 64 cabinets, a time for every switch and one for
every metre of cable. The cabinets stand on the floor of `dse.models.network.graphs.floor_plan` for all, and switches
fill them in the order of their numbers. HyperX of 4 × 8 × 8 switches and a dragonfly of 16 groups of 16 with four links
between each two are our reading of "degree 17" and "degree 19".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.bandwidth.seeds import FEWEST
from dse.models.network.graphs.floor_plan import FloorPlan
from dse.models.network.graphs.zero_load import ZeroLoad, least_mean_hops, zero_load
from dse.models.network.topologies.dragonfly.wiring import port_to, switch_of_port
from dse.models.network.topologies.skywalk.graph import skywalk_neighbours

__all__ = ["CABINETS", "DEGREES", "SWITCHES", "OnOneFloor", "hyperx_neighbours", "low_latency_topologies"]
__all__ += ["torus_neighbours"]

SWITCHES, CABINETS = 256, 64
DEGREES = (5, 7, 9, 11)
"""Of the Skywalks compared; 11 is the most of Matsuoka et al. 2014."""


class OnOneFloor(NamedTuple):
    """A topology on the floor.

    Attributes
    ----------
    name : str
    degree : int
        Links of a switch to others.
    mean : ZeroLoad
        Hops, cable and latency, means over pairs of switches; where it is drawn at random over seeds too.
    deviation : ZeroLoad
        Standard deviations of single seeds; 0 where nothing is drawn.
    least_hops : float
        Lower bound of the mean hops with so many links of a switch.
    """

    name: str
    degree: int
    mean: ZeroLoad
    deviation: ZeroLoad
    least_hops: float


def low_latency_topologies(
    seeds: Sequence[int] = (1, 2, 3, 4, 5), *, floor: FloorPlan | None = None
) -> list[OnOneFloor]:
    """Return the topologies of 256 switches in 64 cabinets, compared on one floor.

    Parameters
    ----------
    seeds : sequence of int
        Of what is drawn at random: at least five.
    floor : FloorPlan, optional
        Another floor.

    Returns
    -------
    list of OnOneFloor
        The random topologies are links at random without regard to cabinets, of the same degrees as the Skywalks.

    Raises
    ------
    InputError
        Fewer than five seeds.

    Examples
    --------
    >>> torus = low_latency_topologies()[0]
    >>> torus.name, torus.degree, round(torus.mean.hops, 4), round(torus.mean.latency * 1e9, 1)
    ('torus 16x16', 4, 8.0314, 709.6)
    """
    if len(set(seeds)) < FEWEST:
        raise InputError(f"seeds = {list(seeds)}", allowed=f"at least {FEWEST} different ones")
    topologies = [_fixed(name, neighbours(), floor) for name, neighbours in _FIXED.items()]
    for name, cabinets in (("skywalk", CABINETS), ("random", SWITCHES)):
        for degree in DEGREES:
            graphs = (skywalk_neighbours(SWITCHES, cabinets, degree, seed) for seed in seeds)
            topologies.append(_drawn(f"{name} k={degree}", degree, graphs, floor))
    return topologies


def _fixed(name: str, neighbours: np.ndarray, floor: FloorPlan | None) -> OnOneFloor:
    degree = neighbours.shape[1]
    mean = zero_load(neighbours, cabinets=CABINETS, floor=floor)
    return OnOneFloor(name, degree, mean, ZeroLoad(0.0, 0.0, 0.0), least_mean_hops(SWITCHES, degree))


def _drawn(name: str, degree: int, graphs: Iterable[np.ndarray], floor: FloorPlan | None) -> OnOneFloor:
    each = np.array([zero_load(graph, cabinets=CABINETS, floor=floor) for graph in graphs])
    mean, deviation = (ZeroLoad(*moment.tolist()) for moment in (each.mean(axis=0), each.std(axis=0, ddof=1)))
    return OnOneFloor(name, degree, mean, deviation, least_mean_hops(SWITCHES, degree))


def torus_neighbours(sides: Sequence[int]) -> np.ndarray:
    """Return the neighbours in a torus; dimension 1 of the switches runs fastest."""
    return _grid(sides, lambda size: (1, size - 1))


def hyperx_neighbours(sides: Sequence[int]) -> np.ndarray:
    """Return the neighbours in a HyperX: all others along each dimension."""
    return _grid(sides, lambda size: tuple(range(1, size)))


def _grid(sides: Sequence[int], steps: Callable[[int], Sequence[int]]) -> np.ndarray:
    switches = np.arange(int(np.prod(sides)))
    columns, below = [], 1
    for size in sides:
        place = switches // below % size
        columns += [switches + ((place + step) % size - place) * below for step in steps(size)]
        below *= size
    return np.column_stack(columns)


def _dragonfly(a: int, h: int, g: int) -> np.ndarray:
    """Return the neighbours in a dragonfly; global ports that do not reach all other groups evenly have no cable."""
    switches = np.arange(a * g)
    rows = [
        [other for other in range(switch // a * a, switch // a * a + a) if other != switch]
        for switch in switches.tolist()
    ]
    for group, offset, copy in product(range(g), range(1, g), range(a * h // (g - 1))):
        here, there = (switch_of_port(port_to(away, copy, g), h) for away in (offset, g - offset))
        rows[group * a + here].append((group + offset) % g * a + there)
    degree = a - 1 + h
    return np.array([row + [switch] * (degree - len(row)) for switch, row in enumerate(rows)])


_FIXED: Mapping[str, Callable[[], np.ndarray]] = {
    "torus 16x16": lambda: torus_neighbours((16, 16)),
    "hypercube": lambda: hyperx_neighbours((2,) * 8),
    "HyperX 4x8x8": lambda: hyperx_neighbours((4, 8, 8)),
    "dragonfly a=16, g=16, h=4": lambda: _dragonfly(16, 4, 16),
}
