"""Processes that share a node: messages that stay inside it, and those that leave.

The thesis has one process per node and names several as future work (Anghel 2017, Section 8.2). The slot
``node_processes`` takes ``one`` (default), which is Eq. 6.4, or ``several``: a share of the messages of a process goes
to others of its node (`inside_fraction`) and is copied through the memory, which all its processes use at once; the
others leave, at the effective bandwidth of a *process* over the messages that leave. Pipelined messages are pipelined
outside only. Messages that leave have the same mean size as those that do not, and the software of a node takes its
whole latency for each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.errors import InputError
from dse.models.network.graphs.inputs import processes_per_node
from dse.models.sources import ANGHEL_2017

__all__ = ["processes_per_node"]

_ONE: dict[str, Any] = {"slot": "node_processes", "provider": "one", "default": True}
_SEVERAL: dict[str, Any] = {"slot": "node_processes", "provider": "several"}
_INSIDE = "ours: messages inside a node are copies in its memory, shared by its processes"

intra_node_copies = assumption(
    2.0,
    unit="1",
    source="ours: a message is read once and written once",
    doc="Times the memory of a node moves the bytes of a message inside it",
    above=0,
)
intra_node_latency = parameter(unit="s", doc="Time of an empty message inside a node", minimum=0)
inside_fraction = parameter(
    unit="1", doc="Share of the messages of a process that go to others of its node", minimum=0, maximum=1
)
bandwidth_processes = parameter(
    unit="1",
    doc="Processes of a node that the effective bandwidth is for one of, over the messages that leave",
    minimum=1,
)
node_memory_bandwidth = parameter(unit="B/s", doc="Bandwidth of the memory of a node", above=0)


@quantity(unit="1", name="leaving_fraction", source=f"{ANGHEL_2017}, Chapter 6", points_only=True, **_ONE)
def all_messages_leave(processes_per_node):
    """Share of the messages of a process that leave its node: all, as no other process is there."""
    wrong = np.asarray(processes_per_node)[np.asarray(processes_per_node) != 1.0]
    if wrong.size:
        raise InputError(
            f"a node has {wrong.flat[0]:.12g} processes, and 'one' of the slot 'node_processes' is of one",
            allowed='processes_per_node = 1, or use.node_processes = "several"',
        )
    return np.ones(np.shape(processes_per_node))


@quantity(unit="1", name="leaving_fraction", source=_INSIDE, points_only=True, **_SEVERAL)
def others_leave(inside_fraction, processes_per_node, bandwidth_processes):
    """Share of the messages of a process that leave its node, of a network that as many processes share."""
    inside, each, of = np.broadcast_arrays(inside_fraction, processes_per_node, bandwidth_processes)
    if (each != of).any():
        wrong = np.flatnonzero((each != of).reshape(-1))[0]
        raise InputError(
            f"{each.flat[wrong]:.12g} processes share a node, and its effective_bandwidth is for one of "
            f"{of.flat[wrong]:.12g}: too much by that ratio",
            allowed='use.routing = "minimal-of-processes", or bandwidth_processes = processes_per_node',
        )
    return 1.0 - inside


@quantity(unit="1", source=_INSIDE)
def leaving_messages(messages, leaving_fraction):
    """Messages a process sends to other nodes."""
    return messages * leaving_fraction


@quantity(unit="B", source=_INSIDE)
def leaving_bytes(bytes_sent, leaving_fraction):
    """Bytes a process sends to other nodes."""
    return bytes_sent * leaving_fraction


@quantity(unit="B/s", source=_INSIDE, **_SEVERAL)
def copy_bandwidth(node_memory_bandwidth, intra_node_copies):
    """Bandwidth of copies inside a node, all its processes together, B_copy."""
    return node_memory_bandwidth / intra_node_copies


@quantity(unit="s", source=f"{_INSIDE}: M f_in (l_intra + m n_p / B_copy)", **_SEVERAL)
def inside_time(messages, message_size, inside_fraction, intra_node_latency, processes_per_node, copy_bandwidth):
    """Time the messages of a process take that stay inside its node."""
    message_time = intra_node_latency + message_size * processes_per_node / copy_bandwidth
    return messages * inside_fraction * message_time


@quantity(
    unit="s",
    name="communication_time",
    source=f"{ANGHEL_2017}, Eqs. 6.3 and 6.4; collective operations are ours",
    sum_of=("latency_time", "transfer_time", "collective_time", "progress_wait_time"),
    **_ONE,
)
def outside_communication_time(latency_time, transfer_time, collective_time, progress_wait_time):
    """Time the messages of a process and its collective operations take, Tcomm."""
    # In brackets, as both are mostly constants: their sum costs nothing per design.
    return latency_time + transfer_time + (collective_time + progress_wait_time)


@quantity(
    unit="s",
    name="communication_time",
    source=f"{ANGHEL_2017}, Eqs. 6.3 and 6.4 for messages that leave; {_INSIDE}",
    sum_of=("latency_time", "transfer_time", "inside_time", "collective_time", "progress_wait_time"),
    **_SEVERAL,
)
def whole_communication_time(latency_time, transfer_time, inside_time, collective_time, progress_wait_time):
    """Time the messages of a process take, inside its node and outside, and its collective operations, Tcomm."""
    return latency_time + transfer_time + inside_time + (collective_time + progress_wait_time)


@quantity(unit="s", name="call_time", source=f"{ANGHEL_2017}, Eqs. 6.3 and 6.4", **_ONE)
def outside_call_time(latency_time, transfer_time, collective_time):
    """Time a process is inside calls, waiting for the progress of messages left out."""
    return latency_time + transfer_time + collective_time


@quantity(unit="s", name="call_time", source=f"{ANGHEL_2017}, Eqs. 6.3 and 6.4; {_INSIDE}", **_SEVERAL)
def whole_call_time(latency_time, transfer_time, inside_time, collective_time):
    """Time a process is inside calls, inside its node and outside, waiting for the progress of messages left out."""
    return latency_time + transfer_time + inside_time + collective_time
