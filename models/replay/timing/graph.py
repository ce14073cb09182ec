"""The graph of a replay: nodes that end at a time, edges that add one; the time of a run is its longest path.

A node stands for the completion of each event, for the last byte of each message that leaves its interface, for the
meeting of each collective operation, and for each request of a waitall but the last. At most three edges lead into a
node, those of a meeting apart. An edge is one of a few kinds, each a sum of latency and overheads; a node adds what
holds for all its edges: seconds of a compute, bytes of a message.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COMPUTE, IRECV, ISEND, RECV, SEND, WAITALL

__all__ = ["EDGES", "MESSAGE", "NO_EDGE", "Graph", "asking_sends", "graph_of"]

NO_EDGE, PLAIN, SENT, RECEIVE, MESSAGE, POSTED, ASKED = range(7)
EDGES = {
    NO_EDGE: "none",
    PLAIN: "0",
    SENT: "o",
    RECEIVE: "o_r",
    MESSAGE: "L + o_r",
    POSTED: "L",
    ASKED: "o + 2 L",
}
"""What each kind of edge adds."""


class Graph(NamedTuple):
    """Nodes, numbered: events, requests of waitalls, messages, meetings; then the start of the run.

    Attributes
    ----------
    before : ndarray of int, (3, nodes)
        Nodes that each waits for; the start where there are fewer.
    edge : ndarray of int, (3, nodes)
        Kinds of these edges.
    seconds, bytes : ndarray, (nodes,)
        What a node adds to its latest edge [s], and that over the bandwidth [B].
    owner : ndarray of int, (nodes,)
        The event of a node; of a meeting, that of rank 0.
    messages : int
        First node of the messages; they stand in the order of `Trace.sends`.
    meetings : int
        First node of the collective operations.
    arrivals : ndarray of int, (operations, ranks)
        Nodes that a meeting waits for.
    members : ndarray of int, (operations, ranks)
        Events that it lets go.
    """

    before: np.ndarray
    edge: np.ndarray
    seconds: np.ndarray
    bytes: np.ndarray
    owner: np.ndarray
    messages: int
    meetings: int
    arrivals: np.ndarray
    members: np.ndarray

    @property
    def nodes(self) -> int:
        """How many, the start left out; it has this number."""
        return len(self.seconds)


def graph_of(trace: Trace, eager_limit: float) -> Graph:
    """Return the graph of a trace; it holds for any latency, overhead and bandwidth.

    Parameters
    ----------
    trace : Trace
    eager_limit : float
        Blocking sends of more bytes wait for their receive [B].
    """
    asking = asking_sends(trace, eager_limit)
    key = ("graph", int(asking.sum()))  # limits that leave the same sends asking have one graph
    if key not in trace.graphs:
        trace.graphs.clear()  # they are large, and one is asked at a time
        trace.graphs[key] = _Building(trace, asking).graph()
    graph: Graph = trace.graphs[key]
    return graph


def asking_sends(trace: Trace, eager_limit: float) -> np.ndarray:
    """Return which of `Trace.sends` wait for their receive."""
    sends = trace.sends
    return np.asarray((trace.kind[sends] == SEND) & (trace.bytes[sends] > eager_limit))


class _Building:
    def __init__(self, trace: Trace, asking: np.ndarray) -> None:
        self.trace = trace
        events = trace.events
        self.sends = trace.sends
        self.asking = asking
        requests, members = trace.requests, trace.collectives.members
        in_order = np.lexsort((requests.made, requests.closed))
        self.made, self.closed = requests.made[in_order], requests.closed[in_order]
        last = np.append(self.closed[1:] != self.closed[:-1], True) if len(self.closed) else np.empty(0, dtype=bool)
        self.extra = np.flatnonzero(~last)
        self.messages = events + len(self.extra)
        self.meetings = self.messages + len(self.sends)
        self.nodes = self.meetings + len(members)
        self.last = last
        self.before = np.full((3, self.nodes), self.nodes, dtype=np.int32 if self.nodes < 2**31 - 1 else np.int64)
        self.edge = np.zeros((3, self.nodes), dtype=np.uint8)
        self.seconds, self.bytes = np.zeros(self.nodes), np.zeros(self.nodes)
        self.owner = np.arange(self.nodes, dtype=np.int64)
        self.previous = np.arange(-1, events - 1)
        self.previous[trace.first[:-1]] = self.nodes
        self.message = np.full(events, -1, dtype=np.int64)
        self.message[self.sends] = self.messages + np.arange(len(self.sends))

    def graph(self) -> Graph:
        trace, kind = self.trace, self.trace.kind
        for which, edge in ((COMPUTE, PLAIN), (ISEND, SENT), (IRECV, PLAIN), (WAITALL, PLAIN)):
            self._in_order(np.flatnonzero(kind == which), edge)
        computes = np.flatnonzero(kind == COMPUTE)
        self.seconds[computes] = trace.seconds[computes]
        self._add_sends()
        received = np.flatnonzero(kind == RECV)
        self._in_order(received, RECEIVE)
        self._set(1, received, self.message[trace.partner[received]], MESSAGE)
        self._add_waits()
        collectives = trace.collectives
        members = collectives.members
        meeting = self.meetings + np.arange(len(members))
        self._set(0, members.reshape(-1), np.repeat(meeting, trace.ranks), PLAIN)
        self.owner[meeting] = members[:, 0]
        return Graph(
            self.before,
            self.edge,
            self.seconds,
            self.bytes,
            self.owner,
            self.messages,
            self.meetings,
            self.previous[members],
            members,
        )

    def _set(self, slot: int, nodes: np.ndarray, before: np.ndarray, edge: int) -> None:
        self.before[slot, nodes], self.edge[slot, nodes] = before, edge

    def _in_order(self, events: np.ndarray, edge: int) -> None:
        self._set(0, events, self.previous[events], edge)

    def _add_sends(self) -> None:
        trace, sends, asking = self.trace, self.sends, self.asking
        message = self.message[sends]
        self.owner[message] = sends
        self.bytes[message] = trace.bytes[sends]
        eager, large = sends[~asking], sends[asking]
        self._in_order(eager, SENT)
        self._set(0, self.message[eager], eager, PLAIN)
        self._set(0, self.message[large], self.previous[large], ASKED)
        self._set(1, self.message[large], self.previous[trace.partner[large]], POSTED)
        self._set(0, large, self.message[large], PLAIN)
        same = np.flatnonzero(trace.rank[sends][1:] == trace.rank[sends][:-1]) + 1
        self._set(2, message[same], message[same - 1], PLAIN)

    def _add_waits(self) -> None:
        """Complete the requests of a wait or waitall one after the other, the last by the event itself."""
        trace = self.trace
        node = self.closed.copy()
        node[self.extra] = trace.events + np.arange(len(self.extra))
        self.owner[node] = self.closed
        before = self.previous[self.closed]
        follows = np.flatnonzero(~self.last[:-1]) + 1  # after another request of the same waitall
        before[follows] = node[follows - 1]
        of_send = trace.kind[self.made] == ISEND
        for chosen, edge, source, arrives in (
            (of_send, PLAIN, self.made, PLAIN),
            (~of_send, RECEIVE, trace.partner[self.made], MESSAGE),
        ):
            self._set(0, node[chosen], before[chosen], edge)
            self._set(1, node[chosen], self.message[source[chosen]], arrives)
