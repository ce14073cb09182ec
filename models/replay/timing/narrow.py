"""Nodes of a graph one after the other: quicker than arrays where few nodes share a level."""

from __future__ import annotations

import numpy as np

from dse.models.replay.timing.graph import Graph

__all__ = ["follow_nodes", "levels_one_by_one"]


def follow_nodes(
    before: np.ndarray, weights: np.ndarray, place: np.ndarray, graph: Graph, costs: np.ndarray
) -> np.ndarray:
    """Return when each node is done.

    Parameters
    ----------
    before : ndarray of int, (3, nodes)
        Places that each place waits for.
    weights : ndarray, (3, nodes)
        What the edges add [s].
    place : ndarray of int, (nodes + 1,)
        Place of each node of the graph.
    graph : Graph
    costs : ndarray, (operations,)
        Of the collective operations [s].

    Returns
    -------
    ndarray, (nodes + 1,)
        Seconds by place; 0 of the start.
    """
    count = graph.nodes
    times = [0.0] * (count + 1)
    meetings = dict(zip(place[graph.meetings : count].tolist(), range(len(graph.members)), strict=True))
    arrivals = place[graph.arrivals].tolist()
    rows = zip(*before.tolist(), *weights.tolist(), strict=True)
    for number, (first, second, third, to_first, to_second, to_third) in enumerate(rows):
        if number in meetings:
            operation = meetings[number]
            times[number] = max(times[arrival] for arrival in arrivals[operation]) + float(costs[operation])
            continue
        time = times[first] + to_first
        other = times[second] + to_second
        if other > time:
            time = other
        other = times[third] + to_third
        times[number] = other if other > time else time
    return np.array(times)


def levels_one_by_one(graph: Graph, followers: np.ndarray, waiting: np.ndarray) -> tuple[list[int], list[int]]:
    """Return the nodes level by level, and where each level ends.

    Parameters
    ----------
    graph : Graph
    followers : ndarray of int, (nodes + 1, 3)
        Nodes that wait for each; the start where there are fewer.
    waiting : ndarray of int, (nodes + 1,)
        Edges that lead into each; of the start so many that it never is ready.
    """
    rows, left, members = followers.tolist(), waiting.tolist(), graph.members.tolist()
    frontier = np.flatnonzero(waiting == 0).tolist()
    order: list[int] = []
    ends: list[int] = []
    while frontier:
        order += frontier
        ends.append(len(order))
        ready: list[int] = []
        for node in frontier:
            for other in rows[node]:
                left[other] -= 1
                if not left[other]:
                    ready.append(other)
            if node >= graph.meetings:
                ready += members[node - graph.meetings]
        frontier = ready
    return order, ends
