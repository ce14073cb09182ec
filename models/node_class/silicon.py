"""Area and cost of the silicon of a socket: cores, vector units and caches, cut into dies of a size that yields well.

Costs are weights, next to a wafer of weight 1 (`dse.models.node.silicon`), not prices.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import LawError, assumption, quantity
from dse.models.node.silicon import defect_clustering, defect_density, wafer_cost, wafer_diameter
from dse.models.power.chip import chip_area, die_cost, die_yield, dies_per_wafer
from dse.models.power.technology import scaling_factor
from dse.models.sources import HENNESSY_2019, STAPPER_1983

__all__ = ["defect_clustering", "defect_density", "wafer_cost", "wafer_diameter"]

_DIES = (
    "ours: read off published areas of cores of 7 nm without level 2 (Zen 2 about 2.8 mm^2; recalled, confidence low)"
)
_SCALING = "spaces/power/scaling.csv, area of logic"

core_area = assumption(1.5e-6, unit="m^2", source=_DIES, doc="Area of a core of 7 nm without vector units", above=0)
vector_area = assumption(
    2.0e-6, unit="m^2", source=_DIES, doc="Area of 1,024 bits of vector units with their registers, at 7 nm", minimum=0
)
unlisted_socket_share = assumption(
    0.66,
    unit="1",
    source="ours: interfaces, fabric, dies for input and output of 17 sockets of known area (dse validate node_class)",
    doc="Share of the silicon of a socket that is neither core nor cache",
    minimum=0,
    maximum=0.9,
)
socket_area_factor = assumption(
    1.0,
    unit="1",
    source="the law as it is",
    doc="Area of a socket over what cores, caches and the share beside them give",
    above=0,
    law_error=LawError(0.25, "area of sockets of many cores", ("socket_area",), "17 sockets with known areas"),
)
largest_die = assumption(
    400e-6,
    unit="m^2",
    source="ours: sockets of more silicon are packages of several dies (half of the largest that can be exposed)",
    doc="Largest die",
    above=0,
)


@quantity(unit="1", source=_SCALING, points_only=True, dimensional=False, reason="a table over processes in metres")
def logic_area_factor(technology):
    """Area of logic next to that at 7 nm."""
    return scaling_factor("logic area", technology) / scaling_factor("logic area", np.array(7e-9))


@quantity(unit="m^2", source=f"{_DIES}; {_SCALING}; caches: McPAT 1.3 tables")
def socket_area(
    cores_per_socket,
    core_area,
    vector_area,
    vector_bits,
    vector_pipes,
    unit_area_ratio,
    logic_area_factor,
    core_caches_area,
    unlisted_socket_share,
    socket_area_factor,
):
    """Silicon of a socket."""
    width = vector_bits * vector_pipes / 1024.0 * unit_area_ratio
    logic = (core_area + vector_area * width) * logic_area_factor
    area = chip_area(((logic + core_caches_area, cores_per_socket),), unlisted_share=unlisted_socket_share)
    return area * socket_area_factor


@quantity(unit="1", source="ours: as few equal dies as the largest allows")
def dies_per_socket(socket_area, largest_die):
    """Dies of a socket."""
    return np.ceil(socket_area / largest_die)


@quantity(unit="1", source=f"{HENNESSY_2019}, Section 1.6; {STAPPER_1983}; a weight")
def socket_cost_weight(socket_area, dies_per_socket, wafer_cost, wafer_diameter, defect_density, defect_clustering):
    """Cost of the good dies of a socket, next to a wafer of weight 1."""
    return good_dies_cost(socket_area, dies_per_socket, wafer_cost, wafer_diameter, defect_density, defect_clustering)


@quantity(
    unit="1", name="node_silicon_cost_weight", source="all sockets; a weight", slot="node_class", provider="many-core"
)
def many_core_silicon_cost_weight(sockets, socket_cost_weight):
    """Cost of the good dies of a node, next to a wafer of weight 1."""
    return sockets * socket_cost_weight


def good_dies_cost(
    area: np.ndarray,
    dies: np.ndarray,
    wafer_cost: np.ndarray,
    wafer_diameter: np.ndarray,
    defect_density: np.ndarray,
    defect_clustering: np.ndarray,
) -> np.ndarray:
    """Cost of the good dies that make up an area, in the unit of `wafer_cost`.

    Parameters
    ----------
    area, dies : array_like
        All silicon (m^2), and how many equal dies it is cut into.
    wafer_cost, wafer_diameter, defect_density, defect_clustering : array_like
        As `dse.models.power.chip.die_cost` and `die_yield` take them (1, m, 1/m^2, 1).
    """
    die = area / dies
    good = die_yield(die, defect_density, clustering=defect_clustering)
    result: np.ndarray = dies * die_cost(wafer_cost, dies_per_wafer(die, wafer_diameter), good)
    return result
