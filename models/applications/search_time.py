"""Time of a breadth-first search whose messages are gathered along rows and columns of a square of nodes.

The volume is that of `breadth_first_search`. Without gathering, the empty messages of the reference code alone take
seconds on 100,000 nodes whatever the machine; with it a node sends a message to each of its row and its column per
level, and every record travels twice. The slot ``breadth_first_search_exchange`` takes ``law`` (that) or
``collectives`` (and a reduction of one number per level, which the reference code makes too).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity

__all__: list[str] = []

record_traffic = assumption(
    128,
    unit="B",
    source="ours: a line of 64 bytes read and written at random for each record that arrives (confidence low)",
    doc="Memory traffic of a record at its destination",
    minimum=0,
)
record_hops = assumption(
    2,
    unit="1",
    source="ours: first along the row of a square of nodes, then along the column",
    doc="Times a record is sent",
    minimum=1,
    integer=True,
)


@quantity(unit="s", source="traffic over bandwidth")
def search_memory_time(process_records, record_traffic, node_memory_bandwidth):
    """Time of the memory accesses of the records of a node."""
    return process_records * record_traffic / node_memory_bandwidth


@quantity(unit="s", source="volume over bandwidth")
def search_exchange_time(sent_records, record_size, record_hops, all_to_all_bandwidth):
    """Time of the bytes a node sends."""
    return sent_records * record_size * record_hops / all_to_all_bandwidth


@quantity(
    unit="s",
    source="a message to every other node of a row and of a column, per level",
    slot="breadth_first_search_exchange",
    provider="law",
    default=True,
)
def search_latency_time(search_levels, nodes, message_latency):
    """Time of the messages of a node beyond their bytes."""
    return search_levels * 2.0 * (np.sqrt(nodes) - 1.0) * message_latency


@quantity(
    unit="s",
    name="search_latency_time",
    source="a message to every other node of a row and of a column, per level, and the reductions",
    slot="breadth_first_search_exchange",
    provider="collectives",
)
def latency_time_with_reductions(search_levels, nodes, message_latency, all_reduces, number_reduction_time):
    """Time of the messages of a node beyond their bytes, and of the reductions over all nodes."""
    messages = search_levels * 2.0 * (np.sqrt(nodes) - 1.0) * message_latency
    return messages + all_reduces * number_reduction_time


@quantity(
    unit="s",
    label="time of the graph search",
    source="no overlap of computing and exchanging",
    sum_of=("search_memory_time", "search_exchange_time", "search_latency_time"),
)
def breadth_first_search_time(search_memory_time, search_exchange_time, search_latency_time):
    """Time of one search."""
    return search_memory_time + search_exchange_time + search_latency_time
