"""What the messages of a permutation get on many shapes at once, from closed forms alone: nothing is routed.

A collective operation is rounds of permutations, and a space has thousands of shapes with dozens of rounds each, of
which flows cannot be routed one by one. Where a topology has no closed form of its minimal routing, another minimal
routing stands in that has one (a HyperX of three dimensions, in the order of the dimensions), or else Valiant routing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.models.network.links import NODE, LinkClass, LinkLoads, Traffic
from dse.models.network.topology import Shape, Topology

__all__ = ["Way", "Ways", "alone", "permutation_ways"]


class Way(NamedTuple):
    """What a message gets: effective bandwidth of its node [B/s], latency of the links [s], and links on its path."""

    bandwidth: Any
    link_latency: Any
    links: Any


class Ways(NamedTuple):
    """The same messages over shortest paths, and with the larger bandwidth of those and of Valiant routing.

    `closed` tells where shortest paths have a closed form.
    """

    minimal: Way
    best: Way
    closed: Any


def permutation_ways(
    topology: Topology, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str = "minimal"
) -> Ways:
    """Return what the messages of a shift or an exchange get.

    Parameters
    ----------
    topology : Topology
    shape : mapping
        Sizes, bandwidths and latencies as `read_parameters` gives them.
    pattern : {"shift", "exchange"}
    options : mapping
        ``step`` or ``exchange_bit``, arrays that broadcast with those of the shape.
    routing : str
        The minimal routing.

    Returns
    -------
    Ways
        Where there is no closed form of any minimal routing, both are Valiant's.
    """
    shortest = _way(topology, shape, topology.traffic(shape, pattern, options, routing))
    for other in topology.routings:
        if other != routing and np.isnan(shortest.bandwidth).any():
            shortest = _filled(shortest, _way(topology, shape, topology.traffic(shape, pattern, options, other)))
    uniform = topology.traffic(shape, "uniform", {"include_self": np.array(True)}, topology.routings[0])
    nodes = topology.nodes(shape)
    twice = {name: Traffic(2.0 * one.load / nodes, 2.0 * one.traversals, one.length) for name, one in uniform.items()}
    detour = _way(topology, shape, twice)
    closed = ~np.isnan(shortest.bandwidth)
    shortest = _filled(shortest, detour)
    short = shortest.bandwidth >= detour.bandwidth
    return Ways(shortest, Way(*(np.where(short, a, b) for a, b in zip(shortest, detour, strict=True))), closed)


def alone(topology: Topology, shape: Shape) -> Any:
    """Return the bandwidth of a single message on its worst path: the least capacity of the links it may cross."""
    uniform = topology.traffic(shape, "uniform", {"include_self": np.array(True)}, topology.routings[0])
    least: Any = np.inf
    for spec in topology.links(shape):
        used = spec.name == NODE or uniform[spec.name].traversals > 0.0
        least = np.minimum(least, np.where(used, spec.capacity, np.inf))
    return least


def _way(topology: Topology, shape: Shape, traffic: Mapping[str, Traffic]) -> Way:
    everything = {NODE: Traffic(np.array(1.0), np.array(2.0)), **traffic}
    classes = tuple(
        LinkClass(
            spec.name,
            spec.capacity,
            everything[spec.name].load,
            everything[spec.name].traversals,
            spec.latency_under(everything[spec.name]),
            spec.optical,
        )
        for spec in topology.links(shape)
    )
    loads = LinkLoads(np.array(1.0), classes, np.array(False))
    return Way(*np.broadcast_arrays(loads.effective_bandwidth, loads.link_latency, loads.links))


def _filled(one: Way, other: Way) -> Way:
    """Return the first where it is known, and else the other."""
    known = ~(np.isnan(one.bandwidth) | np.isnan(one.link_latency) | np.isnan(one.links))
    return Way(*(np.where(known, a, b) for a, b in zip(one, other, strict=True)))
