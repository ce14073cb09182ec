"""What the messages of a permutation get on many shapes at once, from closed forms alone: nothing is routed.

A collective operation is rounds of permutations, and a space has thousands of shapes with dozens of rounds each, of
which flows cannot be routed one by one. Where a topology has no closed form of its minimal routing, another minimal
routing stands in that has one (a HyperX of three dimensions, in the order of the dimensions), or else Valiant routing.

Counting flows is what costs, and it needs sizes alone: `permutation_flows` counts once for a shape, `permutation_ways`
says what these flows get with the links of each fabric.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.models.network.bandwidth.traffic_loads import assembled_loads, valiant_traffic
from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.topology import Shape, Topology

__all__ = ["Flows", "Way", "Ways", "alone", "mean_way", "one_or_other", "permutation_flows", "permutation_ways"]

_ONE_FLOW = np.array(1.0)


class Flows(NamedTuple):
    """Load and traversals by link class: of minimal routings, each where those before have none, and of a detour."""

    minimal: tuple[Mapping[str, Traffic], ...]
    detour: Mapping[str, Traffic]

    def of_rows(self, rows: np.ndarray) -> Flows:
        """Return the flows of listed shapes, which lie along the first dimension."""

        def taken(traffic: Mapping[str, Traffic]) -> dict[str, Traffic]:
            return {name: Traffic(*(_taken(np.asarray(part), rows) for part in both)) for name, both in traffic.items()}

        return Flows(tuple(taken(traffic) for traffic in self.minimal), taken(self.detour))


def _taken(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return values.take(rows, axis=0) if values.ndim and values.shape[0] > 1 else values


class Way(NamedTuple):
    """What a message gets, in the mean over the messages of a pattern.

    Attributes
    ----------
    bandwidth : ndarray
        Effective bandwidth of its node, where all send at once [B/s].
    link_latency : ndarray
        Latency of the links on its path [s].
    links : ndarray
        Links on its path.
    optical_links : ndarray
        Optical ones among them; 0 where no shares of optical links are given.
    alone : ndarray
        Least capacity of the links between switches that the pattern crosses, which a single message has for itself
        [B/s]; infinite where it crosses none, and where no shares are given.
    """

    bandwidth: Any
    link_latency: Any
    links: Any
    optical_links: Any = 0.0
    alone: Any = np.inf


class Ways(NamedTuple):
    """The same messages over shortest paths, and with the larger bandwidth of those and of Valiant routing.

    `closed` tells where shortest paths have a closed form.
    """

    minimal: Way
    best: Way
    closed: Any


def permutation_flows(
    topology: Topology, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str = "minimal"
) -> Flows:
    """Count the flows of a shift or an exchange.

    Parameters
    ----------
    topology : Topology
    shape : mapping
        Sizes as `read_parameters` gives them; bandwidths and latencies are not looked at.
    pattern : {"shift", "exchange"}
    options : mapping
        ``step`` or ``exchange_bit``, arrays that broadcast with those of the shape.
    routing : str
        The minimal routing.
    """
    minimal = [topology.traffic(shape, pattern, options, routing)]
    unknown = _unknown(minimal[0])
    for other in topology.routings:
        if other != routing and unknown.any():
            minimal.append(topology.traffic(shape, pattern, options, other))
            unknown = unknown & _unknown(minimal[-1])
    return Flows(tuple(minimal), valiant_traffic(topology, shape, _ONE_FLOW))


def _unknown(traffic: Mapping[str, Traffic]) -> np.ndarray:
    """Tell where any class has no closed form."""
    parts = [np.isnan(np.asarray(part, dtype=float)) for traffic in traffic.values() for part in traffic]
    result: np.ndarray = np.logical_or.reduce(np.broadcast_arrays(*parts))
    return result


def permutation_ways(
    topology: Topology, shape: Shape, flows: Flows, optical_shares: Mapping[str, Any] | None = None
) -> Ways:
    """Return what the messages of a shift or an exchange get.

    Parameters
    ----------
    topology : Topology
    shape : mapping
        Sizes, bandwidths and latencies as `read_parameters` gives them.
    flows : Flows
        Of these shapes.
    optical_shares : mapping, optional
        By link class the share of optical links, for the last two of `Way`.

    Returns
    -------
    Ways
        Where there is no closed form of any minimal routing, both are Valiant's.
    """
    shortest = _way(topology, shape, flows.minimal[0], optical_shares)
    for other in flows.minimal[1:]:
        shortest = _filled(shortest, _way(topology, shape, other, optical_shares))
    detour = _way(topology, shape, flows.detour, optical_shares)
    closed = ~np.isnan(shortest.bandwidth)
    shortest = _filled(shortest, detour)
    short = shortest.bandwidth >= detour.bandwidth
    return Ways(shortest, one_or_other(short, shortest, detour), closed)


def one_or_other(where: Any, first: Way, other: Way) -> Way:
    """Return the first way where a condition holds, else the second; what both lack stays as it is."""
    return Way(*(a if a is b else np.where(where, a, b) for a, b in zip(first, other, strict=True)))


def mean_way(topology: Topology, shape: Shape, optical_shares: Mapping[str, Any] | None = None) -> Way:
    """Return what the messages of all nodes to all others get: uniform traffic."""
    traffic = topology.traffic(shape, "uniform", {"include_self": np.array(True)}, topology.routings[0])
    return _way(topology, shape, traffic, optical_shares, flows=topology.nodes(shape))


def alone(topology: Topology, shape: Shape) -> Any:
    """Return the bandwidth of a single message on its worst path: the least capacity of the links it may cross."""
    uniform = topology.traffic(shape, "uniform", {"include_self": np.array(True)}, topology.routings[0])
    least: Any = np.inf
    for spec in topology.links(shape):
        used = spec.name == NODE or uniform[spec.name].traversals > 0.0
        least = np.minimum(least, np.where(used, spec.capacity, np.inf))
    return least


def _way(
    topology: Topology,
    shape: Shape,
    traffic: Mapping[str, Traffic],
    optical_shares: Mapping[str, Any] | None = None,
    flows: Any = _ONE_FLOW,
) -> Way:
    loads = assembled_loads(topology.links(shape), np.asarray(flows), traffic, np.array(False))
    parts = [loads.effective_bandwidth, loads.link_latency, loads.links]
    if optical_shares is not None:
        parts.append(sum(optical_shares[link_class.name] * link_class.traversals for link_class in loads.classes))
        least: Any = np.inf
        for link_class in loads.classes[1:]:
            least = np.minimum(least, np.where(np.greater(link_class.traversals, 0.0), link_class.capacity, np.inf))
        parts.append(least)
    return Way(*np.broadcast_arrays(*parts))


def _filled(first: Way, other: Way) -> Way:
    """Return the first where it is known, and else the other."""
    known = ~(np.isnan(first.bandwidth) | np.isnan(first.link_latency) | np.isnan(first.links))
    return one_or_other(known, first, other)
