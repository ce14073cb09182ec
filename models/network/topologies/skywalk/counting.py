"""What the flows of a Skywalk cross, counted over its best paths: each graph and floor once."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dse.models.network.graphs.equal_cost_paths import EqualCostPaths, equal_cost_paths
from dse.models.network.graphs.floor_plan import FloorPlan
from dse.models.network.graphs.flow_routing import Crossed
from dse.models.network.topologies.skywalk.graph import skywalk_neighbours

__all__ = ["BETWEEN", "CABINET", "Machine", "Uniform", "count_flows", "count_uniform"]

CABINET, BETWEEN = "cabinet", "between"
"""The classes of links: inside cabinets, and between them."""


class Machine(NamedTuple):
    """The switches of a Skywalk, the floor they stand on, and whether only paths of the shortest cables are taken."""

    switches: int
    cabinets: int
    degree: int
    seed: int
    floor: FloorPlan
    cables_count: bool = True


class Uniform(NamedTuple):
    """What uniform traffic does to the links inside and between cabinets, and the most links of a best path."""

    inside: Crossed
    between: Crossed
    diameter: int


@lru_cache(maxsize=2)
def _paths(machine: Machine) -> EqualCostPaths:
    neighbours = skywalk_neighbours(machine.switches, machine.cabinets, machine.degree, machine.seed)
    cabinet = np.arange(machine.switches) // (machine.switches // machine.cabinets)
    lengths = machine.floor.cable_lengths(cabinet[:, None], cabinet[neighbours])
    return equal_cost_paths(neighbours, lengths, cables_count=machine.cables_count)


def count_flows(machine: Machine, flows: np.ndarray) -> list[Crossed]:
    """Return what flows do to the links inside and between cabinets.

    Parameters
    ----------
    machine : Machine
    flows : ndarray, shape (switches, switches)
        From the switch of the column to that of the row.
    """
    paths = _paths(machine)
    carried = paths.loads(flows)
    inside = machine.switches // machine.cabinets - 1
    return [
        Crossed(
            float(carried[:, columns].max(initial=0.0)),
            float(carried[:, columns].sum()),
            float((carried[:, columns] * paths.lengths[:, columns]).sum()),
        )
        for columns in (slice(inside), slice(inside, None))
    ]


@lru_cache(maxsize=65_536)
def count_uniform(machine: Machine) -> Uniform:
    """Return what one flow from every switch to every other does to the links, and how far these are apart."""
    inside, between = count_flows(machine, 1.0 - np.eye(machine.switches))
    return Uniform(inside, between, int(_paths(machine).hops.max()))
