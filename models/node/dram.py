"""The memory: bandwidth and capacity together with the power of the modules or stacks that have them.

The slot ``memory`` takes ``types`` (energies per bit, a row of ``processor/dram-types.csv``, times `dram_units`
channels, packages or stacks) or ``devices`` (currents of a data sheet, a row of ``processor/dram-devices.csv``, by the
MeSAP equations). A store that misses all caches is a write, any other miss a read, as published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.power.mesap import DramDevice, busy_share, mesap_power
from dse.models.sources import ANGHEL_2017, PODDAR_2017

__all__ = ["device_functions"]

_TYPES = "spaces/processor/dram-types.csv (energies per bit, each row with source and confidence)"
_DEVICES = f"MeSAP ({PODDAR_2017}; {ANGHEL_2017}, Section 4.3.3)"
_HAIR = 1e-9
_SIZE = {"dram_bandwidth": "B/s", "dram_capacity": "B"}

dram_units = parameter(
    unit="1",
    label="memory channels or stacks",
    doc="Channels, packages or stacks of the memory",
    minimum=1,
    integer=True,
)
dram_unit_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of a channel, package or stack", above=0)
dram_unit_capacity = parameter(unit="B", doc="Capacity of a channel, package or stack", above=0)
dram_activate_energy = parameter(unit="J", doc="Energy of opening a row", minimum=0)
dram_read_energy = parameter(unit="J/B", doc="Energy of a byte read from an open row", minimum=0)
dram_write_energy = parameter(unit="J/B", doc="Energy of a byte written to an open row", minimum=0)
dram_read_io_energy = parameter(unit="J/B", doc="Energy of a byte read at the pins", minimum=0)
dram_write_io_energy = parameter(unit="J/B", doc="Energy of a byte written at the pins", minimum=0)
dram_active_power = parameter(unit="W/B", doc="Power per capacity with rows open", minimum=0)
dram_precharged_power = parameter(unit="W/B", doc="Power per capacity with rows closed", minimum=0)
dram_refresh_power = parameter(unit="W/B", doc="Power per capacity of refreshing", minimum=0)
bytes_per_activation = assumption(
    64,
    unit="B",
    source="ours: accesses at random, so that every line opens a row (a stream uses a whole row)",
    doc="Bytes read or written per row that is opened",
    above=0,
)
dram_active_share = assumption(
    1.0,
    unit="1",
    source="ours: rows are left open, and nothing is powered down",
    doc="Share of the time with rows open; the rest they are closed",
    minimum=0,
    maximum=1,
)

dram_channels = parameter(unit="1", doc="Channels of the memory", minimum=1, integer=True)
enough_ranks = requirement(
    "dram_ranks >= dram_channels",
    name="ranks",
    source="ours: a channel reads and writes the devices of its ranks",
    doc="every channel of the memory has a rank",
)
dram_ranks = parameter(unit="1", doc="Ranks of all channels together", minimum=1, integer=True)
dram_rank_capacity = parameter(unit="B", doc="Capacity of a rank", above=0)
dram_clock = parameter(unit="Hz", doc="Clock of the memory", above=0)
dram_devices_per_rank = parameter(unit="1", doc="Devices of a rank", above=0)
dram_width = parameter(unit="1", doc="Width of a device in bits", above=0)
dram_transfers_per_clock = parameter(unit="1", doc="Transfers per clock of the memory", above=0)
dram_burst_length = parameter(unit="1", doc="Transfers of a burst", above=0)
dram_refresh_interval = parameter(unit="1", doc="Clocks between refreshes", above=0)
dram_refresh_cycles = parameter(unit="1", doc="Clocks of a refresh", above=0)
dram_active_cycles = parameter(unit="1", doc="Clocks that a row stays open", above=0)
dram_precharge_cycles = parameter(unit="1", doc="Clocks of closing a row", above=0)
dram_idd0 = parameter(unit="A", doc="Current of a device: activate and precharge", minimum=0)
dram_idd2n = parameter(unit="A", doc="Current of a device: precharged standby", minimum=0)
dram_idd3n = parameter(unit="A", doc="Current of a device: active standby", minimum=0)
dram_idd4r = parameter(unit="A", doc="Current of a device: reading", minimum=0)
dram_idd4w = parameter(unit="A", doc="Current of a device: writing", minimum=0)
dram_idd5b = parameter(unit="A", doc="Current of a device: refreshing", minimum=0)
dram_supply = parameter(unit="V", doc="Supply of the devices", above=0)
dram_read_pin_power = parameter(unit="W", doc="Power of a pin that is read", minimum=0)
dram_write_pin_power = parameter(unit="W", doc="Power of a pin that is written", minimum=0)
dram_buffer_power = assumption(
    0.0, unit="W", source=f"{ANGHEL_2017}, Section 4.3.4: buffer chips are not modelled",
    neglects="power of buffer chips", doc="Power of all buffer chips", minimum=0,
)  # fmt: skip


@quantities(gives={"dram_read_bytes": "B", "dram_written_bytes": "B"}, source=f"{ANGHEL_2017}, Eqs. 4.9 and 4.10")
def dram_bytes(instructions, running_threads, dram_accesses, cache_line, store_share):
    """Bytes that all threads read from and write to the memory."""
    moved = instructions * running_threads * dram_accesses * cache_line
    return moved * (1.0 - store_share), moved * store_share


@quantity(unit="1", source="demand over peak bandwidth")
def dram_load(dram_traffic, dram_bandwidth):
    """Traffic to the memory over its bandwidth."""
    return dram_traffic / dram_bandwidth


# ---- energies per bit ------------------------------------------------------------------------------------------------


@quantities(gives={**_SIZE, "dram_link_bandwidth": "B/s"}, source=_TYPES, slot="memory", provider="types", default=True)
def typed_size(dram_units, dram_unit_bandwidth, dram_unit_capacity):
    """Bandwidth and capacity of the memory, and bandwidth of one channel, package or stack."""
    return dram_units * dram_unit_bandwidth, dram_units * dram_unit_capacity, dram_unit_bandwidth * 1.0


@quantity(unit="W", name="dram_static_power", source=_TYPES, slot="memory", provider="types", default=True)
def typed_static_power(dram_capacity, dram_active_power, dram_precharged_power, dram_refresh_power, dram_active_share):
    """Power of the memory at rest, with its refresh."""
    background = dram_active_share * dram_active_power + (1.0 - dram_active_share) * dram_precharged_power
    return dram_capacity * (background + dram_refresh_power)


@quantity(
    unit="J",
    name="dram_dynamic_energy",
    source=_TYPES,
    valid={"dram_load": (0.0, 1.0 + _HAIR)},
    slot="memory",
    provider="types",
    default=True,
)
def typed_dynamic_energy(
    dram_read_bytes,
    dram_written_bytes,
    dram_activate_energy,
    bytes_per_activation,
    dram_read_energy,
    dram_read_io_energy,
    dram_write_energy,
    dram_write_io_energy,
    dram_load,
):
    """Energy of what is read from and written to the memory."""
    opened = dram_activate_energy / bytes_per_activation
    read = dram_read_bytes * (opened + dram_read_energy + dram_read_io_energy)
    return read + dram_written_bytes * (opened + dram_write_energy + dram_write_io_energy)


# ---- currents of a data sheet ----------------------------------------------------------------------------------------


@quantities(
    gives={**_SIZE, "dram_link_bandwidth": "B/s"},
    source="width and clock of the devices",
    slot="memory",
    provider="devices",
)
def device_size(
    dram_channels,
    dram_clock,
    dram_transfers_per_clock,
    dram_devices_per_rank,
    dram_width,
    dram_ranks,
    dram_rank_capacity,
):
    """Bandwidth and capacity of the memory, and bandwidth of one channel."""
    rate = dram_clock * dram_transfers_per_clock * dram_devices_per_rank * dram_width / 8.0
    return dram_channels * rate, dram_ranks * dram_rank_capacity, rate


_FIELDS = (
    *("clock", "devices_per_rank", "width", "transfers_per_clock", "burst_length"),
    *("refresh_interval", "refresh_cycles", "active_cycles", "precharge_cycles"),
    *("idd0", "idd2n", "idd3n", "idd4r", "idd4w", "idd5b", "supply", "read_pin_power", "write_pin_power"),
)
_DEMAND = ("dram_read_bytes", "dram_written_bytes", "run_time", "dram_ranks")


class Demand(TypedDict):
    """What is read and written, in which time, by how many ranks."""

    bytes_read: np.ndarray
    bytes_written: np.ndarray
    duration: np.ndarray
    ranks: np.ndarray


def _device_and_demand(given: Sequence[np.ndarray]) -> tuple[DramDevice, Demand]:
    device = DramDevice(**dict(zip(_FIELDS, given[: len(_FIELDS)], strict=True)))
    read, written, duration, ranks = given[len(_FIELDS) : len(_FIELDS) + len(_DEMAND)]
    return device, {"bytes_read": read, "bytes_written": written, "duration": duration, "ranks": ranks}


def _busy_share(*given):
    device, demand = _device_and_demand(given)
    return busy_share(device, **demand, refreshes="mean")


def _device_power(*given):
    device, demand = _device_and_demand(given)
    buffers = given[-2]
    power = mesap_power(device, **demand, buffer_power=buffers, refreshes="mean", over_demand="saturate")
    return power.static, power.dynamic * demand["duration"]


def device_functions() -> dict[str, ModelFunction]:
    """Return the functions of the component ``devices`` that read all columns of a device."""
    needs = (*(f"dram_{field}" for field in _FIELDS), *_DEMAND)
    share = ModelFunction(
        name="dram_busy_share",
        function=_busy_share,
        needs=needs,
        gives={"dram_busy_share": "1"},
        source=_DEVICES,
        doc="Clocks the ranks need over those that refresh leaves them.",
        module="node.dram",
    )
    power = ModelFunction(
        name="device_power",
        function=_device_power,
        needs=(*needs, "dram_buffer_power", "dram_busy_share"),
        gives={"dram_static_power": "W", "dram_dynamic_energy": "J"},
        source=_DEVICES,
        doc="Power of the memory in standby, and energy of commands, refresh and pins during the run.",
        valid={"dram_busy_share": (0.0, 1.0)},
        slot="memory",
        provider="devices",
        module="node.dram",
    )
    return {function.name: function for function in (share, power)}
