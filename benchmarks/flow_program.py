"""The largest rate all flows of a pattern can have at once, over all routings: a linear program."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

__all__ = ["largest_flow"]


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
    flows = oracle.flows_of(topology, parameters, pattern, options)
    network = oracle.TOPOLOGIES[topology](parameters, "minimal")
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
    found = linprog(aim, A_ub=shared, b_ub=capacity, A_eq=balance, b_eq=np.zeros(balance.shape[0]), bounds=bounds)
    if not found.success:
        raise RuntimeError(f"the linear program of {topology} failed: {found.message}")
    return float(-found.fun * scale * per_node)
