"""The largest rate all flows of a pattern can have at once, over all routings: a linear program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

__all__ = ["bound_by_lengths", "largest_common_rate", "largest_flow"]


def largest_flow(
    oracle: ModuleType, topology: str, parameters: dict[str, Any], pattern: str, options: dict[str, Any]
) -> float:
    """Return the bandwidth of a node when flows are routed in the best way.

    Maximum concurrent flow, one commodity per destination switch: all flows get the same rate, links carry at most
    their capacity. Node links bound the rate by themselves.

    Parameters
    ----------
    oracle : module
        The explicit networks of the tests.
    topology, parameters, pattern, options
        Of one machine, as of the oracle.

    Returns
    -------
    float
        B/s.
    """
    network = oracle.TOPOLOGIES[topology](parameters, "minimal")
    return largest_common_rate(network, oracle.flows_of(topology, parameters, pattern, options))


def largest_common_rate(network: Any, flows: Sequence[Sequence[int]], method: str = "highs") -> float:
    """Return the bandwidth of a node when flows are routed in the best way over a network.

    Parameters
    ----------
    network : Network of the tests' oracle
        Parallel links may be one of their joint capacity.
    flows : sequence of sequence of int
        Destinations of each node, as many of each.
    method : {"highs", "highs-ipm", "highs-ds"}

    Returns
    -------
    float
        B/s.
    """
    per_node = len(flows[0])
    rate = network.node_capacity / per_node
    demand: Counter = Counter()
    for source, targets in enumerate(flows):
        for target in targets:
            ends = network.attached[source], network.attached[target]
            if ends[0] != ends[1]:
                demand[ends] += 1
    if not demand:
        return rate * per_node
    switches = {switch: position for position, switch in enumerate(network.switches)}
    links = list(network.links)
    targets = sorted({end for _, end in demand}, key=switches.__getitem__)
    # Columns: flow of each destination on each link, then the common rate. Rows: balance at every switch but it.
    rows, columns, values = [], [], []
    for commodity, target in enumerate(targets):
        first = commodity * len(switches)
        for position, link in enumerate(links):
            for switch, sign in ((link[0], 1.0), (link[1], -1.0)):
                if switch != target:
                    rows.append(first + switches[switch])
                    columns.append(commodity * len(links) + position)
                    values.append(sign)
        for switch in switches:
            if demand[switch, target]:
                rows.append(first + switches[switch])
                columns.append(len(targets) * len(links))
                values.append(-float(demand[switch, target]))
    width = len(targets) * len(links) + 1
    balance = coo_array((values, (rows, columns)), shape=(len(targets) * len(switches), width)).tocsr()
    shared = coo_array(
        (
            np.ones(width - 1),
            (np.tile(np.arange(len(links)), len(targets)), np.arange(width - 1)),
        ),
        shape=(len(links), width),
    ).tocsr()
    scale = max(network.capacity.values())
    capacity = np.array([network.capacity[network.links[link]] for link in links]) / scale
    aim = np.zeros(width)
    aim[-1] = -1.0
    bounds = [(0.0, None)] * (width - 1) + [(0.0, rate / scale)]
    balanced = np.zeros(balance.shape[0])
    best = linprog(aim, A_ub=shared, b_ub=capacity, A_eq=balance, b_eq=balanced, bounds=bounds, method=method)
    if not best.success:
        raise RuntimeError(f"the linear program failed: {best.message}")
    return float(-best.fun * scale * per_node)


def bound_by_lengths(network: Any, flows: Sequence[Sequence[int]], rounds: int = 60) -> float:
    """Return a bandwidth of a node that no routing exceeds, where the linear program is too large to solve.

    The dual of the same program: whatever lengths links have, a common rate of all flows is at most the sum of capacity
    times length of the links over the sum of the distances of the flows. Lengths grow where shortest paths crowd, and
    the least bound of all rounds is returned: at least the maximum concurrent flow, nearer to it with more rounds.

    Parameters
    ----------
    network, flows
        As of `largest_common_rate`.
    rounds : int

    Returns
    -------
    float
        B/s.
    """
    per_node = len(flows[0])
    place = {switch: position for position, switch in enumerate(network.switches)}
    count = len(place)
    capacity = np.zeros((count, count))
    for link, name in network.links.items():
        capacity[place[link[0]], place[link[1]]] += network.capacity[name]
    demand = np.zeros((count, count))
    attached = np.array([place[switch] for switch in network.attached])
    for source, targets in enumerate(flows):
        np.add.at(demand, (attached[source], attached[np.asarray(targets)]), 1.0)
    np.fill_diagonal(demand, 0.0)
    own = network.node_capacity / per_node
    if not demand.any():
        return float(own * per_node)
    links = capacity > 0
    # Of the order of 1: a dense graph takes smaller ones than 1e-8 for no link.
    length = np.where(links, capacity.max(), 0.0) / np.where(links, capacity, 1.0)
    least = np.inf
    for _ in range(rounds):
        away, before = dijkstra(length, return_predecessors=True)
        least = min(least, float((capacity * length).sum() / (demand * away).sum()))
        load = _tree_loads(demand, away, before)
        crowding = np.where(links, load / np.where(links, capacity, 1.0), 0.0)
        length = np.where(links, length * np.exp(0.2 * (crowding / crowding.max() - 1.0)), 0.0)
        length /= length.max()
    return float(min(least, own) * per_node)


def _tree_loads(demand: np.ndarray, away: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the flows on each link when all go along one shortest path."""
    count = len(demand)
    through, load, every = demand.copy(), np.zeros_like(demand), np.arange(count)
    for ends in np.argsort(-away, axis=1).T:
        parents = before[every, ends]
        moved = np.flatnonzero(parents >= 0)
        np.add.at(load, (parents[moved], ends[moved]), through[moved, ends[moved]])
        np.add.at(through, (moved, parents[moved]), through[moved, ends[moved]])
    return load
