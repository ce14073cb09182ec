"""Nodes that several processes share: what stays inside a node, and the bandwidth of a process for what leaves it.

Ranks fill one node after the other. The links between switches carry the flows of all processes, as if a switch had so
many times its nodes; the link of a node carries the flows of its processes that leave it. With F flows of a process to
other nodes, on average,

    bandwidth of a process outside = F · min over link classes of (capacity / largest load)

It is ours, by the method of Anghel 2017, Section 5.3; the thesis has one process per node. Messages of a node still
share one link and one network card. One process per node is the node, its messages to itself counted as they are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.bandwidth.bandwidth import minimal_traffic
from dse.models.network.graphs.links import NODE
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.topology import Topology, ratio
from dse.models.network.patterns.blocks import leaving, travelling
from dse.models.network.patterns.destinations import destinations
from dse.models.network.patterns.patterns import flows_per_node, read_options
from dse.models.network.patterns.reading import broadcast, plain, read_numbers
from dse.models.network.patterns.tiles import tiling, travelling_fraction
from dse.models.network.topologies import topology_named

__all__ = ["ProcessTraffic", "process_traffic"]

_ALLOWED = "a whole number >= 1"


class ProcessTraffic(NamedTuple):
    """The messages of a process on a node that it shares.

    Attributes
    ----------
    bandwidth : float or ndarray
        Of a process, for the messages that leave its node [B/s]; that of its part of the link where none leaves.
    inside_fraction : float or ndarray
        Share of its messages that stay inside the node.
    link_latency : float or ndarray
        Mean sum of the latencies of the links of a message that leaves [s].
    links : float or ndarray
        Mean number of them, node links included.
    by_class : dict of str to float or ndarray
        The same of each class.
    routed : bool or ndarray
        Where loads were counted by routing every flow, because there is no closed form.
    """

    bandwidth: Any
    inside_fraction: Any
    link_latency: Any
    links: Any
    by_class: Mapping[str, Any]
    routed: Any


def process_traffic(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str = "uniform",
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    processes_per_node: Any,
    node_tile: Sequence[Any] | None = None,
    routing: str = "minimal",
    need: Sequence[str] = ("bandwidths", "latencies"),
) -> ProcessTraffic:
    """Return what the processes of shared nodes have of a network when all communicate in a pattern.

    Parameters
    ----------
    topology, parameters
        As of `bandwidth.effective_bandwidth`, with bandwidths and latencies; sizes count nodes.
    pattern, pattern_parameters
        The same, of processes: the step of a shift, the sides of a process grid and the bit of an exchange are in
        ranks, and tiles hold the processes of a hardware block. Uniform is without messages to oneself.
    processes_per_node : array_like of int
        n_p.
    node_tile : sequence of array_like, optional
        Of neighbours that are mapped with tiles: the processes of a node along each dimension, a tile within the
        innermost one.
    routing : str
        A minimal routing of the topology.
    need : sequence of {"bandwidths", "latencies"}
        What must be among the parameters; without it the answer is NaN.

    Returns
    -------
    ProcessTraffic

    Raises
    ------
    InputError
        As of `bandwidth.effective_bandwidth`, and a tile that does not hold the processes of a node.

    Examples
    --------
    >>> torus = {"d": (4, 4), "p": 2, "b0": 10e9, "b": 10e9, "l0": 5e-9, "l": 30e-9}
    >>> found = process_traffic("torus", torus, "shift", {"step": 3}, processes_per_node=4)
    >>> found.bandwidth, found.inside_fraction
    (2500000000.0, 0.25)
    """
    kind = topology_named(topology)
    if routing not in kind.routings:
        raise InputError(f"{topology} has no minimal routing '{routing}'", allowed=list(kind.routings))
    shape = read_parameters(kind, parameters, need=need)
    each = read_numbers("processes_per_node", processes_per_node, _ALLOWED)
    if (~((each >= 1) & (each == np.floor(each)))).any():
        raise InputError(f"processes_per_node = {processes_per_node}", allowed=_ALLOWED)
    designs = broadcast(f"{topology}: parameters and processes_per_node", {**shape, "processes_per_node": each})
    # To the links between switches processes are so many more nodes.
    as_nodes = {**shape, kind.attached: shape[kind.attached] * each}
    processes = kind.nodes(as_nodes)
    options = read_options(pattern, pattern_parameters, processes, kind.tile_blocks(as_nodes), designs)
    traffic, routed = minimal_traffic(kind, as_nodes, pattern, options, routing, "corrected")
    every = processes - 1.0 if pattern == "uniform" else flows_per_node(pattern, options, processes)
    out = _leaving_nodes(kind, as_nodes, pattern, options, processes, each, node_tile)
    alone = np.equal(each, 1.0)
    flows, of_node = np.where(alone, every, out.flows), np.where(alone, every, out.of_node)
    none = np.equal(flows, 0.0)
    bandwidth: Any = np.inf
    by_class: dict[str, Any] = {}
    latency: Any = np.array(0.0)
    for spec in kind.links(shape):
        if spec.name == NODE:
            crossed, one_link = np.array(2.0), spec.latency
            share = np.where(none, spec.capacity / each, spec.capacity * ratio(flows, of_node))
        else:
            load, hops, _ = traffic[spec.name]
            crossed = np.where(alone, hops, ratio(hops * out.moving, out.flows))
            share = np.where(none | np.equal(load, 0.0), np.inf, spec.capacity * ratio(flows, load))
            one_link = spec.latency_under(traffic[spec.name])
        bandwidth = np.minimum(bandwidth, share)
        by_class[spec.name] = plain(crossed)
        latency = latency + crossed * one_link
    inside = np.where(alone, 0.0, 1.0 - ratio(out.flows, every))
    return ProcessTraffic(
        plain(bandwidth), plain(inside), plain(latency), plain(sum(by_class.values())), by_class, plain(routed)
    )


class _Leaving(NamedTuple):
    """Flows that leave nodes.

    Attributes
    ----------
    flows : ndarray
        Of a process to other nodes, on average.
    of_node : ndarray
        The most that leave one node.
    moving : ndarray
        Of a process to other processes, on average.
    """

    flows: Any
    of_node: Any
    moving: Any


def _leaving_nodes(
    kind: Topology,
    as_nodes: Mapping[str, Any],
    pattern: str,
    options: Mapping[str, Any],
    processes: Any,
    each: Any,
    node_tile: Sequence[Any] | None,
) -> _Leaving:
    if pattern == "uniform":
        others = processes - each
        return _Leaving(others * 1.0, each * others, processes - 1.0)
    if pattern == "nearest-neighbour":
        if node_tile is not None or options["tiles"]:
            return _of_tiles(options, each, node_tile)
        return _counted(kind, as_nodes, pattern, options, processes, each)
    moving = travelling(pattern, processes, options) / processes
    leaves = leaving(pattern, each, processes, options)
    if np.isnan(leaves.largest).any() or (pattern == "tornado" and "d" in kind.sizes):
        return _counted(kind, as_nodes, pattern, options, processes, each)
    return _Leaving(leaves.total / processes, leaves.largest, moving)


def _of_tiles(options: Mapping[str, Any], each: Any, node_tile: Sequence[Any] | None) -> _Leaving:
    """Return the flows that leave the tile of a node: Σ 2·face over the dimensions with several tiles."""
    grid = options["grid"]
    around = options["tiles"][-1] if options["tiles"] else grid
    sides = (
        [np.array(1.0)] * len(grid)
        if node_tile is None
        else [read_numbers("node_tile", s, _ALLOWED) for s in node_tile]
    )
    fault = f"node_tile = {node_tile}"
    if len(sides) != len(grid):
        raise InputError(fault, allowed=f"{len(grid)} sides, as the grid")
    whole: Any = 1.0
    for side, length in zip(sides, around, strict=True):
        if np.any(np.less(side, 1.0)) or np.any(np.mod(length, side) != 0):
            raise InputError(fault, allowed="sides that divide those of the tile, or grid, around it")
        whole = whole * side
    if np.any(np.not_equal(whole, each)):
        raise InputError(fault, allowed="one process for each that a node has: their product is processes_per_node")
    cut = tiling(grid, sides)
    return _Leaving(cut.leaving / cut.volume, cut.leaving, travelling_fraction(grid))


def _counted(
    kind: Topology, as_nodes: Mapping[str, Any], pattern: str, options: Mapping[str, Any], processes: Any, each: Any
) -> _Leaving:
    """Count the flows of one machine."""
    if broadcast(kind.name, {**as_nodes, **{name: value for name, value in options.items() if name != "tiles"}}):
        raise InputError(f"'{pattern}' of several processes per node is counted", allowed="one machine at a time")
    number, shared = int(processes), int(each)
    rings = tuple(int(size) for size in as_nodes["d"]) if kind.name == "torus" else ()
    given = {name: value for name, value in options.items() if name != "tiles"}
    source, destination = destinations(
        pattern, number, given, rings=rings, nodes_per_switch=int(as_nodes[kind.attached])
    )
    out = source // shared != destination // shared
    nodes = number // shared
    up = np.bincount(source[out] // shared, minlength=nodes)
    down = np.bincount(destination[out] // shared, minlength=nodes)
    moving = np.count_nonzero(source != destination) / number
    return _Leaving(np.count_nonzero(out) / number, float(max(up.max(), down.max())), moving)
