"""What the network between scale-up domains gives a device.

Slot ``training_network``: ``given`` (the study's bandwidth and latency), ``from-topology`` (the machine's: neighbours
for rings and hops, uniform traffic for the exchange of experts, the latency of a message and of its software).
"""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.applications.inputs import all_to_all_bandwidth, halo_bandwidth, message_latency
from dse.models.sources import LLAMA_2024

__all__ = ["all_to_all_bandwidth", "halo_bandwidth", "message_latency"]

_GIVEN: dict[str, Any] = {"slot": "training_network", "provider": "given", "default": True}
_TOPOLOGY: dict[str, Any] = {"slot": "training_network", "provider": "from-topology"}

scale_out_bandwidth = parameter(
    unit="B/s", doc="Bandwidth of a device to other scale-up domains, per direction, X", above=0
)
scale_out_share = assumption(
    0.70,
    unit="1",
    source="MLPerf training rounds on H100, the whole series in view; 0.38, read from a log of gathers on LUMI, where "
    "the library is not tuned to the fabric; 0.3 to 0.9",
    doc="Share of the bandwidth between domains that collective operations sustain, phi",
    above=0,
    maximum=1,
)
scale_out_latency = assumption(
    20e-6,
    unit="s",
    source="ours: one round between nodes with its software (confidence low)",
    doc="Time of a round between scale-up domains, l_x",
    minimum=0,
)
exchange_software_latency = assumption(
    18e-6,
    unit="s",
    source="ours: l_x of 20 us without about 2 us of a network (confidence low)",
    doc="Time of a round that software takes, beside the latency of the network",
    minimum=0,
)
scale_out_power = assumption(
    0.0,
    unit="W",
    source="none: switches and cables of the network are left out; cards are in the power of the host",
    neglects="power of switches and cables between nodes",
    doc="Power of switches and cables between scale-up domains",
    minimum=0,
)
planes_switches_power = parameter(unit="W", doc="Power of the switches of all planes", minimum=0)
planes_links_power = parameter(unit="W", doc="Power of the cables of all planes", minimum=0)
_SHARE = f"ours: the share that collective operations sustain; {LLAMA_2024} and MLPerf in view"


@quantity(unit="B/s", source=_SHARE, **_GIVEN)
def scale_out_rate(scale_out_bandwidth, scale_out_share):
    """Bandwidth of a device between domains in gathers and hops, x'."""
    return scale_out_bandwidth * scale_out_share


@quantity(unit="B/s", source=_SHARE, **_GIVEN)
def scale_out_uniform_rate(scale_out_bandwidth, scale_out_share):
    """Bandwidth of a device between domains when all send to all."""
    return scale_out_bandwidth * scale_out_share


@quantity(unit="s", source="the study", **_GIVEN)
def scale_out_round(scale_out_latency):
    """Time of a round between domains, l_x."""
    return scale_out_latency * 1.0


@quantity(unit="W", source="the study", **_GIVEN)
def training_network_power(scale_out_power):
    """Power of switches and cables between domains."""
    return scale_out_power * 1.0


@quantity(unit="B/s", name="scale_out_rate", source=_SHARE, **_TOPOLOGY)
def neighbour_rate(halo_bandwidth, devices_per_node, scale_out_share):
    """Bandwidth of a device between domains in gathers and hops, whose rings are laid out along neighbours."""
    return halo_bandwidth * scale_out_share / devices_per_node


@quantity(unit="B/s", name="scale_out_uniform_rate", source=_SHARE, **_TOPOLOGY)
def uniform_rate(all_to_all_bandwidth, devices_per_node, scale_out_share):
    """Bandwidth of a device between domains when all send to all."""
    return all_to_all_bandwidth * scale_out_share / devices_per_node


@quantity(unit="s", name="scale_out_round", source="the network, and software", **_TOPOLOGY)
def network_round(message_latency, exchange_software_latency):
    """Time of a round between domains: network and software."""
    return message_latency + exchange_software_latency


@quantity(unit="W", name="training_network_power", source="planes of the network", **_TOPOLOGY)
def planes_power(planes_switches_power, planes_links_power):
    """Power of switches and cables of all planes; the cards are in the power of the host."""
    return planes_switches_power + planes_links_power
