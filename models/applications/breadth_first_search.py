"""Messages of a breadth-first search over a random graph, as the reference code of Graph 500 sends them.

Closed forms, so no profile is needed: every undirected edge is sent once in each direction as a record (vertex and
predecessor, two 64-bit integers) to the process that owns the vertex, one process per node. The code (mpi/bfs_simple.c
of Graph 500, version 2) gathers the records for each other process in a buffer and sends it when it is full. At the end
of a level it sends every partly filled buffer, then an empty message to every other process, then reduces one number.

The slot ``coalescing`` says how full buffers are (``buffers``, as the code does; ``full``, as if each were; ``none``, a
message per record), ``end_markers`` whether the empty messages count.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.errors import InputError
from dse.models.network.graphs.inputs import processes_per_node
from dse.models.sources import ANGHEL_2017, GRAPH_500_CODE

__all__ = ["processes_per_node"]

CODE = f"{GRAPH_500_CODE}, mpi/bfs_simple.c"
_SCALES, _PROCESSES = (16, 26), (16, 256)  # runs of Anghel 2017, Chapter 2
_LEAST = 1e-300  # a machine of one node sends nothing

nodes = parameter(unit="1", doc="Nodes of the machine, one process each", minimum=1, integer=True)
graph_scale = parameter(unit="1", doc="Scale of the graph: 2^scale vertices", minimum=0)
edge_factor = parameter(unit="1", doc="Undirected edges per vertex", above=0)
record_size = assumption(16, unit="B", source=f"{CODE}: two 64-bit integers", doc="Bytes of a record", above=0)
buffer_size = assumption(4096, unit="B", source=f"{CODE}: 256 records", doc="Bytes of a full message", above=0)
search_levels = assumption(
    6,
    unit="1",
    source=f"from the messages counted in {ANGHEL_2017}, Chapter 2: 8.5 per pair beyond full buffers, about 1.5 per "
    "level (6 ± 1 for Kronecker graphs with 16 edges per vertex and more; confidence medium)",
    doc="Levels of the search",
    minimum=1,
    integer=True,
)


@quantity(unit="1", source=f"{CODE}: each edge once per direction", valid={"graph_scale": _SCALES})
def graph_records(graph_scale, edge_factor):
    """Records of all processes together."""
    return 2.0 * edge_factor * np.exp2(graph_scale)


@quantity(unit="1", source=CODE, valid={"nodes": _PROCESSES})
def process_records(graph_records, nodes):
    """Records that a process finds, those for itself included."""
    return graph_records / nodes


@quantity(unit="B", source=f"{CODE}; {ANGHEL_2017}, Chapter 2 measures the same")
def pair_bytes(process_records, record_size, nodes):
    """Bytes from each process to each other one."""
    return process_records * record_size / nodes


@quantity(unit="1", source=f"{CODE}: edges of one's own vertices are not sent")
def sent_records(process_records, nodes):
    """Records that a process sends to others."""
    return process_records * (1.0 - 1.0 / nodes)


@quantity(
    unit="1",
    name="data_messages",
    source=f"{CODE}: per level and pair the full buffers and one that is not; equal levels, records at random are ours",
    slot="coalescing",
    provider="buffers",
    default=True,
)
def buffered_messages(pair_bytes, record_size, buffer_size, search_levels, nodes):
    """Messages with records that a process sends.

    Per level and pair, as many as the mean number of records fills or begins; where that is small, the chance that a
    pair has a record at all, with records spread at random.
    """
    of_level = pair_bytes / search_levels
    filled = -np.expm1(-of_level / record_size)
    return (nodes - 1.0) * search_levels * np.ceil(of_level / buffer_size) * filled


@quantity(
    unit="1",
    name="data_messages",
    source="ours: every message is a full buffer, whatever its destinations",
    slot="coalescing",
    provider="full",
)
def full_messages(sent_records, record_size, buffer_size):
    """Messages with records that a process sends if it fills every buffer."""
    return sent_records * record_size / buffer_size


@quantity(unit="1", name="data_messages", source="ours: no coalescing", slot="coalescing", provider="none")
def single_messages(sent_records):
    """Messages with records that a process sends if every record goes by itself."""
    return sent_records * 1.0


@quantity(
    unit="1",
    name="marker_messages",
    source=f"{CODE}: an empty message to every other process at the end of a level",
    slot="end_markers",
    provider="sent",
    default=True,
)
def sent_markers(search_levels, nodes):
    """Empty messages that a process sends."""
    return search_levels * (nodes - 1.0)


@quantity(unit="1", name="marker_messages", source="ours: left out", slot="end_markers", provider="none")
def no_markers(nodes):
    """Empty messages: not counted."""
    return nodes * 0.0


@quantity(unit="1", source=CODE, points_only=True)
def search_processes_per_node(processes_per_node):
    """Processes of a node that the laws here are of: one, as they read the nodes as the number of processes."""
    wrong = np.asarray(processes_per_node)[np.asarray(processes_per_node) != 1.0]
    if wrong.size:
        raise InputError(
            f"the messages of a breadth-first search are laws of one process per node, and a node has "
            f"{wrong.flat[0]:.12g}",
            key="processes_per_node",
            allowed="1, or messages and message_size from the study or a profile",
        )
    return np.ones(np.shape(processes_per_node))


@quantity(unit="1", source=CODE, slot="application", provider="breadth-first-search")
def messages(data_messages, marker_messages, search_processes_per_node):
    """Messages a process sends in the whole search."""
    return (data_messages + marker_messages) * search_processes_per_node


@quantity(unit="B", source=CODE, slot="application", provider="breadth-first-search")
def message_size(sent_records, record_size, messages):
    """Mean size of a message, empty ones included."""
    return sent_records * record_size / np.maximum(messages, _LEAST)


@quantity(unit="1", source=f"{CODE}: one per level, and one to begin with")
def all_reduces(search_levels):
    """Reductions of one number of 8 bytes over all processes."""
    return search_levels + 1.0
