"""Breadth-first search of large graphs: memory by scale, edges traversed in a second and by a joule.

The slot ``traversal_rate`` says where the rate comes from: ``per-node``, a measured rate of each node; ``search-time``,
the edges of the graph over the time of a search, such as that of `dse.models.applications`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.sources import MATSUOKA_2014

__all__ = ["graph_bytes"]

_CLASSES = f"{MATSUOKA_2014}, classes of Graph 500: 17 GB at scale 26"
_DISTRIBUTED = f"{MATSUOKA_2014}, distributed search on 1,366 nodes of TSUBAME at scale 35: 462.25 GTEPS"
VERTEX_BYTES = 17e9 / 2.0**26
"""17 GB at scale 26 [B per vertex]."""

nodes = parameter(unit="1", doc="Nodes that search", minimum=1, integer=True)
graph_scale = parameter(unit="1", doc="Scale of the graph: 2^scale vertices", minimum=0)
edge_factor = parameter(unit="1", doc="Undirected edges per vertex", above=0)
breadth_first_search_time = parameter(
    unit="s", label="time of the graph search", doc="Time of a breadth-first search", above=0
)
search_power = parameter(unit="W", doc="Power of the machine while it searches", above=0)
graph_vertex_bytes = assumption(VERTEX_BYTES, unit="B", source=_CLASSES, doc="Memory of the graph per vertex", above=0)
node_traversal_rate = assumption(
    462.25e9 / 1366,
    unit="1/s",
    source=f"{_DISTRIBUTED}, shared out over its nodes",
    doc="Edges that a node traverses in a second",
    above=0,
)


def graph_bytes(scale: Any, vertex_bytes: Any = VERTEX_BYTES) -> np.ndarray:
    """Return the memory of a graph of 2^scale vertices, 17 GB x 2^(scale - 26) [B].

    Parameters
    ----------
    scale : array_like
        Of Graph 500, with 16 edges per vertex.
    vertex_bytes : array_like
        Memory per vertex [B].
    """
    result: np.ndarray = vertex_bytes * np.exp2(scale)
    return result


@quantity(unit="B", source=_CLASSES, valid={"graph_scale": (26, 42)})
def graph_memory(graph_scale, graph_vertex_bytes):
    """Memory of the graph."""
    return graph_bytes(graph_scale, graph_vertex_bytes)


@quantity(
    unit="1/s",
    name="traversed_edge_rate",
    source=f"{_DISTRIBUTED}; in proportion to nodes, at most",
    slot="traversal_rate",
    provider="per-node",
    default=True,
    valid={"nodes": (1, 1366)},
)
def rate_of_nodes(nodes, node_traversal_rate):
    """Edges traversed in a second (TEPS)."""
    return nodes * node_traversal_rate


@quantity(
    unit="1/s",
    name="traversed_edge_rate",
    source="edges of the graph over the time of a search, as Graph 500 counts",
    slot="traversal_rate",
    provider="search-time",
)
def rate_of_search(graph_scale, edge_factor, breadth_first_search_time):
    """Edges traversed in a second (TEPS)."""
    return edge_factor * np.exp2(graph_scale) / breadth_first_search_time


@quantity(unit="1/J", source=f"{MATSUOKA_2014}, Green Graph 500: edges traversed in a second per watt")
def traversed_edges_per_energy(traversed_edge_rate, search_power):
    """Edges traversed by a joule (TEPS/W)."""
    return traversed_edge_rate / search_power
