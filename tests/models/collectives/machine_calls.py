"""Calls of a collective operation in a machine, from numbers: what the tests of whole machines ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.collectives import whole_machine
from dse.models.collectives.algorithms.registry import number_of
from dse.models.collectives.in_machines.costs import METRICS

LINKS = {
    "node_link_bandwidth": 1e10,
    "switch_link_bandwidth": 1e10,
    "upper_link_bandwidth": 1e10,
    "global_link_bandwidth": 1e10,
    "node_link_latency": 5e-9,
    "switch_link_latency": 30e-9,
    "upper_link_latency": 30e-9,
    "global_link_latency": 30e-9,
    "links_in_ring_of_two": 2,
    "parallel_node_links": 1,
    "tree_uplinks_0": 1,
    "node_latency": 0.9e-6,
    "switch_latency": 1e-7,
    "network_planes": 1,
    "collective_detours": 0,
    "processes_per_node": 1,
    "inside_latency": 0,
    "inside_byte_time": 0,
    "electrical_hop_energy": 2e-10,
    "optical_hop_energy": 5e-10,
    "switch_energy": 0,
    "optical_node_share": 0,
    "optical_switch_share": 1,
    "optical_local_share": 0,
    "optical_global_share": 1,
    "optical_upper_share": 1,
    "message_energy": 0,
    "multicast_recovery": 0,
    "collective_flat": 0,
    "flat_latency": 0,
    "flat_near_bandwidth": 1,
    "flat_far_bandwidth": 1,
    "flat_byte_energy": 0,
    "collective_topology": 0,
    **{f"dimension_{number}": 1 for number in range(1, 7)},
}
GRID = {"nodes_per_switch": 2, "dimension_1": 4, "dimension_2": 4}
MACHINES: dict[str, tuple[str, dict[str, float]]] = {
    "torus": ("torus", GRID),
    "hyperx": ("hyperx", {**GRID, "switch_link_bandwidth": 5e9}),
    "tree": ("fat_tree_2_level", {"tree_children_1": 8, "tree_children_2": 4, "tree_uplinks_1": 2}),
}
"""Three machines of 32 nodes."""


def called(
    collective: str, topology: str, size: Any, processes: Any, algorithm: str = "best", **given: Any
) -> dict[str, np.ndarray]:
    """Return what a call costs, by the last part of the name of each quantity."""
    function = getattr(whole_machine, f"{topology}_{collective}")
    metric = METRICS.index(given.pop("metric", "time"))
    values = {
        **LINKS,
        f"{collective}_calls": 1.0,
        f"{collective}_size": size,
        f"{collective}_algorithm": -1.0 if algorithm == "best" else number_of(algorithm),
        "collective_metric": metric,
        "machine_processes": processes,
        **given,
    }
    found = function(*(np.atleast_1d(np.asarray(values[need], dtype=float)) for need in function.needs))
    return {name.removeprefix(f"{collective}_"): one for name, one in zip(function.gives, found, strict=True)}


def mesh(processes: int, **given: Any) -> dict[str, Any]:
    """Return a full mesh of one node per switch, where all messages to others are alike: L is that of its links."""
    return {
        "mesh_switches": processes,
        "nodes_per_switch": 1,
        "node_link_latency": 1e-6,
        "switch_link_latency": 4e-6,
        "switch_latency": 0.0,
        **given,
    }
