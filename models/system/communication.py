"""Time of a process: what it computes and what its messages take.

After Anghel 2017, Eqs. 6.1 to 6.4. The messages of a process follow one another, with one process per node unless a
study has several (module `node_processes`, which also adds up their time). No process waits for another, so what a
process waits for is not here (module `dependencies` bounds it from measurements). All messages have the mean size,
unless a profile has a histogram of them (`profiled_messages`), and go the mean way. Only sending counts: receiving is
inside the latency of the node.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.sources import ALEXANDROV_1995, ANGHEL_2017

__all__: list[str] = []

_SERIAL = f"{ANGHEL_2017}, Eq. 6.4: one message after the other"
_PIPELINED = (
    f"LogGP ({ALEXANDROV_1995}) with the latency of {ANGHEL_2017}, Eq. 6.4: the next message starts after the gap, "
    "the overhead, or when the bytes are out"
)
_RENDEZVOUS = "ours: the rendezvous of message passing libraries, a request and its answer before the bytes"


# No default, as a profile brings a component of its own: alone it is the one.
@quantity(unit="1", name="handshake_messages", source=_RENDEZVOUS, slot="message_sizes", provider="mean")
def mean_handshake_messages(leaving_messages, message_size, eager_limit):
    """Messages a process asks for leave to send: all, if their mean size is above the limit, or none."""
    return np.where(message_size > eager_limit, leaving_messages, 0.0)


@quantity(unit="s", name="late_start", source=_PIPELINED, slot="message_sizes", provider="mean")
def mean_late_start(message_overhead, message_gap, message_size, effective_bandwidth):
    """Time by which the next message starts later than the bytes of a message of mean size are out."""
    return np.maximum(np.maximum(message_overhead, message_gap) - message_size / effective_bandwidth, 0.0)


@quantity(unit="s", source=_RENDEZVOUS)
def handshake_latency(link_latency, path_switches, switch_latency):
    """Latency of a request to send and of its answer: links and switches, there and back."""
    return 2.0 * (link_latency + path_switches * switch_latency)


@quantity(unit="s", source=_RENDEZVOUS)
def handshake_time(handshake_messages, handshake_latency):
    """Time a process waits for leave to send. It hides behind no other message, pipelined or not."""
    return handshake_messages * handshake_latency


@quantity(unit="s", name="latency_time", source=_SERIAL, slot="message_pipelining", provider="serial", default=True)
def serial_latency_time(leaving_messages, network_latency, handshake_time):
    """Time a process spends on latencies of the network: that of every message, and handshakes."""
    return leaving_messages * network_latency + handshake_time


@quantity(
    unit="1", name="messages_overlap", source="the study", slot="message_pipelining", provider="serial", default=True
)
def messages_follow_one_another():
    """0: a message starts when the one before it has arrived."""
    return np.zeros(1)


@quantity(unit="1", name="messages_overlap", source="the study", slot="message_pipelining", provider="pipelined")
def messages_fly_together():
    """1: messages of a process are in flight at the same time."""
    return np.ones(1)


@quantity(unit="s", name="latency_time", source=_PIPELINED, slot="message_pipelining", provider="pipelined")
def pipelined_latency_time(leaving_messages, network_latency, late_start, handshake_time):
    """Time a process spends on latencies: of one message, of others that start later than their bytes, handshakes."""
    first, others = np.minimum(leaving_messages, 1.0), np.maximum(leaving_messages - 1.0, 0.0)
    return first * network_latency + others * late_start + handshake_time


@quantity(unit="B", source=f"{ANGHEL_2017}, Section 6.4")
def bytes_sent(messages, message_size):
    """Bytes a process sends in the whole run, Data."""
    return messages * message_size


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.4")
def transfer_time(leaving_bytes, effective_bandwidth):
    """Time the bytes of a process take at its effective bandwidth."""
    return leaving_bytes / effective_bandwidth


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.1; the overlap is ours")
def exposed_communication_time(occupied_time, communication_time, overlap_fraction):
    """Time of messages that no computation hides."""
    return communication_time - overlap_fraction * np.minimum(occupied_time, communication_time)


@quantity(
    unit="s",
    source=f"{ANGHEL_2017}, Eq. 6.1; the overlap is ours",
    sum_of=("occupied_time", "exposed_communication_time"),
)
def class_time(occupied_time, communication_time, overlap_fraction):
    """Time of a process: computation and messages, the shorter of them hidden as far as they overlap."""
    longer, shorter = np.maximum(occupied_time, communication_time), np.minimum(occupied_time, communication_time)
    return longer + (1.0 - overlap_fraction) * shorter


@quantity(unit="1", source=f"share of the terms of {ANGHEL_2017}, Eq. 6.1")
def communication_share(exposed_communication_time, class_time):
    """Share of the time of a process that goes into messages."""
    return exposed_communication_time / class_time
