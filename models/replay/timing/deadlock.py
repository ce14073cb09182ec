"""A circle of events that wait for one another, named."""

from __future__ import annotations

import numpy as np

from dse.errors import InputError
from dse.models.replay.timing.graph import NO_EDGE, POSTED, Graph
from dse.models.replay.trace.events import Trace

__all__ = ["Deadlock", "deadlock"]

_MOST_NAMED = 12


class Deadlock(InputError):
    """Events wait in a circle, so the run never ends. `circle` holds (rank, event) of each."""

    circle: tuple[tuple[int, int], ...] = ()


def deadlock(trace: Trace, graph: Graph, done: np.ndarray) -> Deadlock:
    """Return the error that names one circle.

    Parameters
    ----------
    trace : Trace
    graph : Graph
    done : ndarray of int
        Nodes that are in a level.
    """
    left = np.ones(graph.nodes + 1, dtype=bool)
    left[done] = False
    left[graph.nodes] = False
    node = int(np.flatnonzero(left)[0])
    seen: dict[int, int] = {}
    path: list[tuple[int, bool]] = []
    while node not in seen:
        seen[node] = len(path)
        before, posts = _waited_for(graph, left, node)
        path.append((node, posts))
        node = before
    circle = path[seen[node] :]
    links = _links(trace, graph, circle)
    deadlocked = Deadlock(
        _sentence(trace, links), allowed="smaller messages, receives before sends, or a larger eager limit"
    )
    deadlocked.circle = tuple(dict.fromkeys(trace.number(event) for link in links for event in link))
    return deadlocked


def _waited_for(graph: Graph, left: np.ndarray, node: int) -> tuple[int, bool]:
    """Return a node that is not done and that a node waits for, and whether a receive after it is meant."""
    if node >= graph.meetings:
        arrivals = graph.arrivals[node - graph.meetings]
        return int(arrivals[left[arrivals]][0]), False
    for slot in range(3):
        before = int(graph.before[slot, node])
        if graph.edge[slot, node] != NO_EDGE and left[before]:
            return before, graph.edge[slot, node] == POSTED
    raise AssertionError(node)


def _links(trace: Trace, graph: Graph, circle: list[tuple[int, bool]]) -> list[tuple[int, int]]:
    """Return pairs of events of a circle: the first cannot end, as the second, of another rank, has not come."""
    links = []
    for position, (node, posts) in enumerate(circle):
        other = circle[(position + 1) % len(circle)][0]
        event, waited = int(graph.owner[node]), int(graph.owner[other])
        if other >= graph.meetings:
            continue
        if node >= graph.meetings:  # between the member that came and the one that has not
            members = graph.members[node - graph.meetings]
            came = int(graph.owner[circle[position - 1][0]])
            event, waited = (int(members[trace.rank[node]]) for node in (came, waited))
        elif posts:
            waited = int(trace.partner[event])  # the receive, which comes after what is waited for
        if trace.rank[event] != trace.rank[waited]:
            links.append((event, waited))
    return links


def _sentence(trace: Trace, links: list[tuple[int, int]]) -> str:
    parts = [f"{trace.words(event)} waits for {trace.words(waited)}" for event, waited in links]
    cycle = "; ".join(parts[:_MOST_NAMED])
    more = f"; … ({len(parts) - _MOST_NAMED} more)" if len(parts) > _MOST_NAMED else ""
    return f"deadlock: {cycle}{more}"
