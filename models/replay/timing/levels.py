"""Levels of a graph: every node stands above all that it waits for, so that one level is one step of arrays.

Nodes without an open predecessor make a frontier; what waits only for frontiers makes the next. The work is that of the
edges, and a few calls of NumPy for each level. What is left over waits in a circle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.timing.graph import MESSAGE, NO_EDGE, Graph
from dse.models.replay.timing.narrow import levels_one_by_one

__all__ = ["Levels", "levels_of"]


class Levels(NamedTuple):
    """Nodes by level.

    Attributes
    ----------
    order : ndarray of int
        Nodes, level by level.
    ends : ndarray of int
        Where each level ends in `order`.
    """

    order: np.ndarray
    ends: np.ndarray


def levels_of(graph: Graph, *, one_by_one: bool = False) -> Levels:
    """Return the levels of a graph; nodes that wait in a circle, and those after them, are in none.

    Parameters
    ----------
    graph : Graph
    one_by_one : bool
        Whether nodes are taken one after the other, which is quicker where few share a level.
    """
    followers = _followers(graph)
    open_edges = ((graph.edge != NO_EDGE) & (graph.before != graph.nodes)).sum(axis=0)
    open_edges[graph.meetings :] = (graph.arrivals != graph.nodes).sum(axis=1)
    waiting = np.append(open_edges.astype(np.int32), np.int32(2**31 - 1))
    if one_by_one:
        nodes, ends = levels_one_by_one(graph, followers, waiting)
        return Levels(np.array(nodes, dtype=followers.dtype), np.array(ends, dtype=np.int64))
    mark = np.zeros(graph.nodes + 1, dtype=np.int32)
    frontier = np.flatnonzero(waiting == 0).astype(followers.dtype)
    meets = len(graph.members) > 0
    levels = []
    while frontier.size:
        levels.append(frontier)
        reached = followers[frontier].ravel()
        np.subtract.at(waiting, reached, 1)
        waiting[-1] = 2**31 - 1
        ready = reached[waiting[reached] == 0]
        places = np.arange(ready.size, dtype=np.int32)
        mark[ready] = places
        ready = ready[mark[ready] == places]  # each once
        if meets:
            meetings = frontier[frontier >= graph.meetings]
            if meetings.size:
                freed = graph.members[meetings - graph.meetings].reshape(-1)
                ready = np.concatenate([ready, freed.astype(ready.dtype)])
        frontier = ready
    order = np.concatenate(levels) if levels else np.empty(0, dtype=followers.dtype)
    return Levels(order, np.cumsum([len(level) for level in levels], dtype=np.int64))


def _followers(graph: Graph) -> np.ndarray:
    """Return the nodes that wait for each, at most three; of a meeting its members are not among them.

    What is completed lets go the next node of its rank, its message, and a send that waits for the receive after it;
    a message lets go its receive, its send or the wait for that, and the next message of its rank.
    """
    followers = np.full((graph.nodes + 1, 3), graph.nodes, dtype=graph.before.dtype)
    before, messages, meetings = graph.before, graph.messages, graph.meetings
    chain = np.arange(messages)
    eager = np.arange(messages, meetings)
    asked = before[1, eager] != graph.nodes
    is_asking = graph.edge[1, eager] != NO_EDGE
    _link(followers, 0, before[0, chain], chain, before[0, chain] < meetings)
    _link(followers, 0, before[0, eager], eager, is_asking)
    _link(followers, 1, before[0, eager], eager, ~is_asking)
    _link(followers, 2, before[1, eager], eager, is_asking & asked)
    second = before[1, chain]
    received = graph.edge[1, chain] == MESSAGE
    _link(followers, 1, second, chain, received)
    _link(followers, 0, second, chain, (graph.edge[1, chain] != NO_EDGE) & ~received)
    _link(followers, 2, before[2, eager], eager, graph.edge[2, eager] != NO_EDGE)
    meeting = np.repeat(np.arange(meetings, graph.nodes), graph.arrivals.shape[1])
    _link(followers, 0, graph.arrivals.reshape(-1), meeting, np.ones(len(meeting), dtype=bool))
    followers[graph.nodes] = graph.nodes
    return followers


def _link(followers: np.ndarray, column: int, source: np.ndarray, target: np.ndarray, where: np.ndarray) -> None:
    followers[source[where], column] = target[where]
