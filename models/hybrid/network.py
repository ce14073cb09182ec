"""Messages between the nodes, and how long the network works on them."""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.hybrid.inputs import interpolated, one_value
from dse.models.sources import RAMAPANTULU_2015

__all__ = ["channel_busy_time", "link_time", "message_latency", "message_service_time", "message_size"]
__all__ += ["messages_per_node", "network_bandwidth", "network_service_time", "pk_waiting_factor", "port_channels"]
__all__ += ["printed_waiting_factor", "shared_channel", "single_wait", "waiting_weight", "waits_of_the_run"]


@quantity(
    unit="1", source=f"{RAMAPANTULU_2015}, Table 1 (eta, of one node); the power law is ours", valid={"nodes": (1, 8)}
)
def messages_per_node(messages, iterations, nodes):
    """Messages each node sends in the run, eta; none on one node."""
    sent = one_value(messages, "messages_per_iteration") * iterations
    return np.where(nodes > 1, sent * nodes ** one_value(messages, "messages_exponent"), 0.0)


@quantity(
    unit="B", source=f"{RAMAPANTULU_2015}, Table 1 (nu, per message); the power law is ours", valid={"nodes": (1, 8)}
)
def message_size(messages, nodes):
    """Size of a message, nu."""
    return one_value(messages, "bytes_per_message") * nodes ** one_value(messages, "bytes_exponent")


@quantity(unit="B/s", source=f"{RAMAPANTULU_2015}, Section III-E-2 (B)", points_only=True)
def network_bandwidth(power, frequency):
    """Achieved throughput of the link of a node (linear in frequency)."""
    return interpolated(power, "network_bandwidth", frequency=frequency)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Section III-E-2 (latency)", points_only=True)
def message_latency(power, frequency):
    """Time a message takes beside its transfer (linear in frequency)."""
    return interpolated(power, "message_latency", frequency=frequency)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 5 (y), with the latency of Section III-E-2")
def message_service_time(message_latency, message_size, network_bandwidth):
    """Time the network works on one message, y."""
    return message_latency + message_size / network_bandwidth


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 6, second term, with the latency of Section III-E-2")
def link_time(messages_per_node, message_service_time):
    """Time the network works on the messages of one node, eta y."""
    return messages_per_node * message_service_time


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 6, corrected: nothing on one node")
def network_service_time(nodes, cpu_utilisation, compute_time, link_time):
    """Communication that computing does not hide, T_s,net: the link, or the work of the cores on messages."""
    return np.where(nodes > 1, np.maximum((1.0 - cpu_utilisation) * compute_time, link_time), 0.0)


@quantity(
    unit="1",
    name="switch_channels",
    source="ours: a non-blocking switch; with the paper's single server its own UCR of 0.05 is out of reach",
    slot="switch_channels",
    provider="port",
    default=True,
)
def port_channels(nodes):
    """Messages the switch passes at the same time, k: one per node."""
    return nodes * 1.0


@quantity(
    unit="1",
    name="switch_channels",
    source=f"{RAMAPANTULU_2015}, Section III-A: the switch is one server",
    slot="switch_channels",
    provider="shared",
)
def shared_channel():
    """Messages the switch passes at the same time, k: one."""
    return np.ones(1)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 5 (rho T)")
def channel_busy_time(nodes, link_time, switch_channels):
    """Time one channel of the switch is busy during the run, a = n eta y / k."""
    return nodes * link_time / switch_channels


@quantity(
    unit="1",
    name="waiting_factor",
    source=f"Pollaczek-Khinchine formula; {RAMAPANTULU_2015}, Eq. 5 at service_scv = 1",
    slot="network_wait",
    provider="pollaczek-khinchine",
    default=True,
)
def pk_waiting_factor(service_scv):
    """Factor of the waiting time that the variation of the service time gives, (1 + scv)/2."""
    return (1.0 + service_scv) / 2.0


@quantity(
    unit="1",
    name="waiting_factor",
    source=f"{RAMAPANTULU_2015}, Eq. 5 as printed (the hat read as the mean service time)",
    slot="network_wait",
    provider="as-printed",
)
def printed_waiting_factor():
    """Factor of the waiting time as printed: 1, which is exponential service."""
    return np.ones(1)


@quantity(
    unit="1",
    name="waits_per_run",
    source=f"{RAMAPANTULU_2015}, Eq. 5, corrected: Eq. 1 needs the waiting of all messages of the run",
    slot="wait_total",
    provider="run",
    default=True,
)
def waits_of_the_run(messages_per_node):
    """Messages whose waiting counts: all that a node sends."""
    return messages_per_node * 1.0


@quantity(
    unit="1",
    name="waits_per_run",
    source=f"{RAMAPANTULU_2015}, Eqs. 1 and 5 as printed: the waiting of one message",
    slot="wait_total",
    provider="message",
)
def single_wait(messages_per_node):
    """Messages whose waiting counts, as printed: one (none where none is sent)."""
    return np.where(messages_per_node > 0, 1.0, 0.0)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 5")
def waiting_weight(waiting_factor, waits_per_run, message_service_time):
    """What the waiting time of a run is proportional to at small load, q."""
    return waiting_factor * waits_per_run * message_service_time
