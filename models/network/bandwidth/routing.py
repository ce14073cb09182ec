"""Routing every flow over a topology by name, and filling in with it what has no closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.flow_routing import FlowNetwork, Routed, route_flows, route_neighbour_blocks
from dse.models.network.graphs.links import Traffic
from dse.models.network.graphs.topology import Topology
from dse.models.network.topologies import TOPOLOGIES

__all__ = ["flow_network", "route", "route_blocks", "routed_traffic"]


def route(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str,
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    routing: str = "minimal",
) -> Routed:
    """Route every flow of a pattern through one network.

    Parameters
    ----------
    topology : str
        A key of `TOPOLOGIES`.
    parameters : mapping of str to int
        Sizes of one network by their symbols, d as a sequence; anything else in it is not looked at.
    pattern : str
        One of `dse.models.network.patterns.patterns.PATTERNS`.
    pattern_parameters : mapping, optional
        As for `dse.models.network.patterns.patterns.read_options`.
    routing : str
        One of the routings of the topology. Minimal are shortest paths. Full mesh, HyperX, Slim Fly: equal split over
        all of them; torus: dimension 1 first, the shorter way round each ring, half each way at half the ring;
        dragonfly: local, global, local, equal split over the links of the two groups; Skywalk: of the shortest paths
        those with the shortest cables. ``"dimension-order"`` is for HyperX only, dimension 1 first;
        ``"fewest-links"`` for Skywalk only, all shortest paths.

    Returns
    -------
    Routed

    Raises
    ------
    InputError
        A wrong parameter, a pattern that does not exist on so many nodes, or more than `flow_routing.FLOW_LIMIT` flows.

    Examples
    --------
    >>> route("torus", {"d": (4, 4), "p": 1}, "transpose").loads
    {'dimension 1': 1.5, 'dimension 2': 1.5}
    """
    network = flow_network(topology, parameters, f"'{pattern}'", routing=routing)
    blocks = TOPOLOGIES[topology].tile_blocks(network.sizes)
    return route_flows(topology, network, pattern, pattern_parameters, blocks)


def flow_network(topology: str, parameters: Mapping[str, Any], flows: str, *, routing: str = "minimal") -> FlowNetwork:
    """Return one network as the engine sees it.

    Parameters
    ----------
    topology, parameters, routing
        As of `route`.
    flows : str
        What is to be routed, for messages.
    """
    if topology not in TOPOLOGIES:
        raise InputError(
            f"'{topology}'", key="topology", allowed=list(TOPOLOGIES), wrong=str(topology), candidates=TOPOLOGIES
        )
    kind = TOPOLOGIES[topology]
    if routing not in kind.routings:
        raise InputError(f"'{routing}' on the topology '{topology}'", key="routing", allowed=kind.routings)
    if kind.flow_network is None:
        raise InputError(f"{flows} on the topology '{topology}' has no closed form, and its flows are not routed")
    return kind.flow_network(parameters, routing)


def route_blocks(
    topology: str, parameters: Mapping[str, Any], grid: Sequence[int], block: Sequence[int], *, routing: str = "minimal"
) -> Routed:
    """Route the messages between neighbours on a grid of ranks, a block of which each node runs.

    Parameters
    ----------
    topology, parameters, routing
        As of `route`; sizes count nodes.
    grid, block : sequence of int
        Ranks along each dimension, of the machine and of a node.
    """
    metres = TOPOLOGIES[topology].lengths
    sizes = {
        name: tuple(int(size) for size in value)
        if isinstance(value, tuple)
        else value
        if name in metres
        else int(value)
        for name, value in parameters.items()
    }
    return route_neighbour_blocks(flow_network(topology, sizes, "neighbours", routing=routing), grid, block)


def routed_traffic(
    topology: Topology,
    shape: Mapping[str, Any],
    pattern: str,
    options: Mapping[str, Any],
    routing: str,
    closed: Mapping[str, Traffic],
    missing: Any,
) -> dict[str, Traffic]:
    """Fill in the designs without a closed form, each different one routed once."""
    leaves: list[Any] = []
    layout: list[tuple[str, int]] = []
    for name in topology.sizes:
        entries = shape[name] if isinstance(shape[name], tuple) else (shape[name],)
        layout.append((name, len(entries) if isinstance(shape[name], tuple) else 0))
        leaves.extend(entries)
    if pattern in ("shift", "exchange"):
        leaves.extend(options.values())
    elif pattern == "nearest-neighbour":
        leaves.extend(options["grid"])
        for tile in options["tiles"]:
            leaves.extend(tile)
    everything = np.broadcast_arrays(missing, *leaves)
    mask = everything[0].reshape(-1)
    designs = np.stack([leaf.reshape(-1)[mask] for leaf in everything[1:]], axis=1)
    different, back = np.unique(designs, axis=0, return_inverse=True)
    sides = len(options["grid"]) if pattern == "nearest-neighbour" else 0
    levels = len(options["tiles"]) if sides else 0
    results = [
        _route_once(topology.name, tuple(layout), tuple(row), pattern, sides, levels, routing)
        for row in different.tolist()
    ]
    filled = {}
    for name, traffic in closed.items():
        load = np.broadcast_to(traffic.load, everything[0].shape).astype(float).reshape(-1).copy()
        hops = np.broadcast_to(traffic.traversals, everything[0].shape).astype(float).reshape(-1).copy()
        load[mask] = np.array([result.loads[name] for result in results])[back.reshape(-1)]
        hops[mask] = np.array([result.traversals[name] for result in results])[back.reshape(-1)]
        length = np.broadcast_to(traffic.length, everything[0].shape).astype(float).reshape(-1).copy()
        length[mask] = np.array([result.lengths[name] for result in results])[back.reshape(-1)]
        filled[name] = Traffic(*(array.reshape(everything[0].shape) for array in (load, hops, length)))
    return filled


@lru_cache(maxsize=100_000)
def _route_once(
    topology: str,
    layout: tuple[tuple[str, int], ...],
    row: tuple[float, ...],
    pattern: str,
    sides: int,
    levels: int,
    routing: str,
) -> Routed:
    """Route one design, given by numbers: sizes as `layout` says, then the (whole) parameters of the pattern."""
    metres = TOPOLOGIES[topology].lengths
    given = iter(row)
    parameters: dict[str, Any] = {}
    for name, entries in layout:
        if name in metres:
            parameters[name] = next(given)
        else:
            parameters[name] = tuple(int(next(given)) for _ in range(entries)) if entries else int(next(given))
    numbers = map(int, given)
    options: dict[str, Any] = {}
    if pattern == "shift":
        options = {"step": next(numbers)}
    elif pattern == "exchange":
        options = {"exchange_bit": next(numbers)}
    elif pattern == "nearest-neighbour":
        options = {"grid": tuple(next(numbers) for _ in range(sides))}
        options["tiles"] = tuple(tuple(next(numbers) for _ in range(sides)) for _ in range(levels))
    return route(topology, parameters, pattern, options, routing=routing)
