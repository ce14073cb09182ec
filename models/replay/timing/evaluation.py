"""Times of all nodes of a graph on a network: level by level, for all designs at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.network.network import Network
from dse.models.replay.timing.deadlock import deadlock
from dse.models.replay.timing.graph import EDGES, Graph, graph_of
from dse.models.replay.timing.levels import Levels, levels_of
from dse.models.replay.timing.narrow import follow_nodes
from dse.models.replay.timing.operation_times import operation_times
from dse.models.replay.trace.events import Trace

__all__ = ["Plan", "node_times", "plan_of"]

_NUMBERS_AT_ONCE = 40_000_000
_NARROW = 12  # nodes of a level, in the mean, below which Python takes less time than a call of NumPy


class Plan(NamedTuple):
    """A graph in the order of its levels; it serves all modes and all designs.

    Attributes
    ----------
    graph : Graph
    levels : Levels
    place : ndarray of int, (nodes + 1,)
        Where each node stands in that order; the start stands last.
    before, edge : ndarray of int, (3, nodes)
        As of the graph, by place.
    """

    graph: Graph
    levels: Levels
    place: np.ndarray
    before: np.ndarray
    edge: np.ndarray


def plan_of(trace: Trace, eager_limit: float) -> Plan:
    """Return what the evaluation of a trace needs.

    Raises
    ------
    Deadlock
        Events wait for one another in a circle.
    """
    graph = graph_of(trace, eager_limit)
    key = "plan"  # of the graph that is kept
    if key not in trace.graphs:
        longest = int(np.diff(trace.first).max())  # each of its events is in a level of its own
        levels = levels_of(graph, one_by_one=graph.nodes < _NARROW * longest)
        if len(levels.order) < graph.nodes:
            raise deadlock(trace, graph, levels.order)
        place = np.empty(graph.nodes + 1, dtype=graph.before.dtype)
        place[levels.order] = np.arange(graph.nodes)
        place[graph.nodes] = graph.nodes
        before = np.ascontiguousarray(place[graph.before[:, levels.order]])
        trace.graphs[key] = Plan(graph, levels, place, before, np.ascontiguousarray(graph.edge[:, levels.order]))
    plan: Plan = trace.graphs[key]
    return plan


def node_times(trace: Trace, network: Network) -> np.ndarray:
    """Return when each node of the graph of a trace is done.

    Parameters
    ----------
    trace : Trace
    network : Network
        Its values single numbers, or arrays of one axis.

    Returns
    -------
    ndarray, (nodes,) or (nodes, designs)
        Seconds from the start, in the order of the graph.
    """
    plan = plan_of(trace, network.eager_limit)
    costs = operation_times(trace.collectives, trace.ranks, network)
    if not network.shape:
        result: np.ndarray = _single(plan, network, costs)[plan.place[:-1]]
        return result
    count = network.shape[0]
    times = np.empty((plan.graph.nodes, count))
    step = max(1, _NUMBERS_AT_ONCE // max(plan.graph.nodes, 1))
    values = [np.broadcast_to(value, network.shape) for value in _values(network)]
    for first in range(0, count, step):
        part = slice(first, min(first + step, count))
        times[:, part] = _several(plan, [value[part] for value in values], costs[:, part])[plan.place[:-1]]
    return times


def _values(network: Network) -> tuple[np.ndarray, ...]:
    return network.latency, network.overhead, network.receiver_overhead, network.byte_time


def _edge_costs(latency: np.ndarray, overhead: np.ndarray, receiver: np.ndarray) -> np.ndarray:
    """Return what each kind of edge adds [s]; an edge that is none is never the latest."""
    nothing = np.zeros(np.broadcast_shapes(np.shape(latency), np.shape(overhead), np.shape(receiver)))
    rows = [nothing - np.inf, nothing, overhead, receiver, latency + receiver, latency, overhead + 2.0 * latency]
    assert len(rows) == len(EDGES)
    return np.array([np.broadcast_to(row, nothing.shape) for row in rows])


def _meetings(plan: Plan) -> dict[int, list[tuple[int, int, np.ndarray]]]:
    """Return the meetings of each level: operation, place, places of the arrivals."""
    graph, levels = plan.graph, plan.levels
    places = plan.place[graph.meetings : graph.nodes]
    level = np.searchsorted(levels.ends, places, side="right")
    meetings: dict[int, list[tuple[int, int, np.ndarray]]] = {}
    for operation, (place, at_level) in enumerate(zip(places.tolist(), level.tolist(), strict=True)):
        meetings.setdefault(at_level, []).append((operation, place, plan.place[graph.arrivals[operation]]))
    return meetings


def _single(plan: Plan, network: Network, costs: np.ndarray) -> np.ndarray:
    graph, order = plan.graph, plan.levels.order
    latency, overhead, receiver, byte_time = _values(network)
    own = graph.seconds[order] + graph.bytes[order] * byte_time
    weights = _edge_costs(latency, overhead, receiver)[plan.edge]
    weights += own
    if len(order) < _NARROW * len(plan.levels.ends):
        return follow_nodes(plan.before, weights, plan.place, graph, costs)
    times = np.empty(graph.nodes + 1)
    times[-1] = 0.0
    meetings = _meetings(plan)
    first = 0
    for level, end in enumerate(plan.levels.ends.tolist()):
        arriving = times[plan.before[:, first:end]]
        arriving += weights[:, first:end]
        arriving.max(axis=0, out=times[first:end])
        if level in meetings:
            for operation, place, arrivals in meetings[level]:
                times[place] = times[arrivals].max() + costs[operation]
        first = end
    return times


def _several(plan: Plan, values: list[np.ndarray], costs: np.ndarray) -> np.ndarray:
    graph, order = plan.graph, plan.levels.order
    latency, overhead, receiver, byte_time = values
    of_edge = _edge_costs(latency, overhead, receiver)
    seconds, held = graph.seconds[order], graph.bytes[order]
    times = np.empty((graph.nodes + 1, len(latency)))
    times[-1] = 0.0
    meetings = _meetings(plan)
    first = 0
    for level, end in enumerate(plan.levels.ends.tolist()):
        part = slice(first, end)
        arriving = times[plan.before[:, part]]
        arriving += of_edge[plan.edge[:, part]] + (seconds[part, None] + held[part, None] * byte_time)
        arriving.max(axis=0, out=times[part])
        if level in meetings:
            for operation, place, arrivals in meetings[level]:
                times[place] = times[arrivals].max(axis=0) + costs[operation]
        first = end
    return times
