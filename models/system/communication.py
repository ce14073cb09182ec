"""Time of a process: what it computes and what its messages take.

After Anghel 2017, Eqs. 6.1 to 6.4. The messages of a process follow one another, with one process per node; no process
waits for another, so what a process waits for is not here (module `dependencies` bounds it from measurements). All
messages have the mean size and go the mean way. Only sending counts: receiving is inside the latency of the node.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declaration import quantity
from dse.models.sources import ALEXANDROV_1995, ANGHEL_2017

__all__: list[str] = []

_SERIAL = f"{ANGHEL_2017}, Eq. 6.4: one message after the other"
_PIPELINED = (
    f"LogGP ({ALEXANDROV_1995}) with the latency of {ANGHEL_2017}, Eq. 6.4: the next message starts after the gap, "
    "the overhead, or when the bytes are out"
)


@quantity(unit="s", name="latency_time", source=_SERIAL, slot="message_pipelining", provider="serial", default=True)
def serial_latency_time(messages, network_latency):
    """Time a process spends on latencies: that of every message."""
    return messages * network_latency


@quantity(unit="s", name="latency_time", source=_PIPELINED, slot="message_pipelining", provider="pipelined")
def pipelined_latency_time(messages, network_latency, message_overhead, message_gap, message_size, effective_bandwidth):
    """Time a process spends on latencies: that of one message, and what the others start later than their bytes."""
    started_after = np.maximum(message_overhead, message_gap)
    late = np.maximum(started_after - message_size / effective_bandwidth, 0.0)
    return np.minimum(messages, 1.0) * network_latency + np.maximum(messages - 1.0, 0.0) * late


@quantity(unit="B", source=f"{ANGHEL_2017}, Section 6.4")
def bytes_sent(messages, message_size):
    """Bytes a process sends in the whole run, Data."""
    return messages * message_size


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.4")
def transfer_time(bytes_sent, effective_bandwidth):
    """Time the bytes of a process take at the effective bandwidth of its node."""
    return bytes_sent / effective_bandwidth


@quantity(unit="s", source=f"{ANGHEL_2017}, Eqs. 6.3 and 6.4", sum_of=("latency_time", "transfer_time"))
def communication_time(latency_time, transfer_time):
    """Time the messages of a process take, Tcomm."""
    return latency_time + transfer_time


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.1; the overlap is ours")
def exposed_communication_time(compute_time, communication_time, overlap_fraction):
    """Time of messages that no computation hides."""
    return communication_time - overlap_fraction * np.minimum(compute_time, communication_time)


@quantity(
    unit="s",
    source=f"{ANGHEL_2017}, Eq. 6.1; the overlap is ours",
    sum_of=("compute_time", "exposed_communication_time"),
)
def class_time(compute_time, communication_time, overlap_fraction):
    """Time of a process: computation and messages, the shorter of them hidden as far as they overlap."""
    longer, shorter = np.maximum(compute_time, communication_time), np.minimum(compute_time, communication_time)
    return longer + (1.0 - overlap_fraction) * shorter


@quantity(unit="1", source=f"share of the terms of {ANGHEL_2017}, Eq. 6.1")
def communication_share(exposed_communication_time, class_time):
    """Share of the time of a process that goes into messages."""
    return exposed_communication_time / class_time
