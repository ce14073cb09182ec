"""Power of the devices that serve, and energy per token.

A device draws a share of its rated power that goes from waiting to active with the share of a step in which it reads
or computes. No power was measured while serving: this is a wager. The shares are those of training.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, quantity
from dse.models.system.inputs import power_usage_effectiveness
from dse.models.training.energy import active_power_share, host_devices, host_power, waiting_device_power_share

__all__ = [
    "active_power_share",
    "host_devices",
    "host_power",
    "power_usage_effectiveness",
    "waiting_device_power_share",
]

_WAGER = "ours: a wager; shares from meters of training runs, no power was measured while serving"

replicas = assumption(
    1.0, unit="1", source="one", doc="How many times the worker, or the workers, stand there", minimum=1
)


@quantity(unit="1", source=_WAGER)
def decode_busy_share(decoding_gap_time, decoding_step_time):
    """Share of a step of decoding in which a device reads or computes: all but the gaps."""
    return 1.0 - decoding_gap_time / decoding_step_time


@quantity(unit="W", source=_WAGER)
def decode_device_power(
    device_power, active_power_share, waiting_device_power_share, decode_busy_share, host_power, host_devices
):
    """Power of a device that decodes, with its part of the host."""
    added = (active_power_share - waiting_device_power_share) * decode_busy_share
    return device_power * (waiting_device_power_share + added) + host_power / host_devices


@quantity(unit="W", source=_WAGER)
def full_device_power(device_power, active_power_share, host_power, host_devices):
    """Power of a device that is busy all the time, with its part of the host."""
    return device_power * active_power_share + host_power / host_devices


@quantity(unit="W", source="power of the machine and of what cools and feeds it", label="power of a device")
def serving_device_power(engine_power, serving_devices, power_usage_effectiveness):
    """Power of a device in the mean over all, with its part of hosts, cooling and conversion."""
    return engine_power / serving_devices * power_usage_effectiveness


@quantity(unit="J", source=_WAGER)
def engine_energy_per_token(engine_power, power_usage_effectiveness, serving_tokens_per_second):
    """Energy of devices, hosts, cooling and conversion per token answered."""
    return engine_power * power_usage_effectiveness / serving_tokens_per_second


@quantity(unit="W", source="ours: workers counted", label="power of all workers")
def machine_power(engine_power, replicas):
    """Power of all workers without cooling and conversion, as `site_power` of facility takes it."""
    return engine_power * replicas


@quantity(unit="1", source="ours: workers counted")
def site_devices(serving_devices, replicas):
    """Devices of all workers."""
    return serving_devices * replicas


@quantity(unit="1/s", source="ours: workers counted", label="tokens per second of all workers")
def site_tokens_per_second(serving_tokens_per_second, replicas):
    """Tokens that all workers answer in a second."""
    return serving_tokens_per_second * replicas
