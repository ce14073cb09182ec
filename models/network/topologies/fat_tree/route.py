"""Which links of a fat tree the flows cross: up to the first common level and down again, equally over the switches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from dse.models.network.graphs.flow_routing import Crossed, FlowNetwork, Flows, read_sizes
from dse.models.network.topologies.fat_tree.closed_form import LOWER, UPPER

__all__ = ["three_level_network", "two_level_network"]


def two_level_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a fat tree of two levels as the engine sees it."""
    m1, m2 = read_sizes("fat-tree-2-level", parameters, "m1", "m2")
    return FlowNetwork({"m1": m1, "m2": m2}, m2, m1, (LOWER,), partial(_loads, (1,)), merged=False)


def three_level_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a fat tree of three levels as the engine sees it."""
    m1, m2, m3 = read_sizes("fat-tree-3-level", parameters, "m1", "m2", "m3")
    sizes = {"m1": m1, "m2": m2, "m3": m3}
    return FlowNetwork(sizes, m2 * m3, m1, (LOWER, UPPER), partial(_loads, (1, m2)), merged=False)


def _loads(subtrees: tuple[int, ...], flows: Flows) -> list[Crossed]:
    """Count the flows that leave and that enter each subtree: Anghel 2017, Sections 5.4.2, 5.4.3.

    Parameters
    ----------
    subtrees : tuple of int
        First-level switches of a subtree of each level.
    """
    crossed = []
    for size in subtrees:
        source, destination, number = flows
        if size > 1:
            source, destination = source // size, destination // size
            other = source != destination
            source, destination, number = source[other], destination[other], number[other]
        up, down = np.bincount(source, number), np.bincount(destination, number)
        largest = float(max(up.max(initial=0.0), down.max(initial=0.0)))
        crossed.append(Crossed(largest, 2.0 * float(number.sum())))
    return crossed
