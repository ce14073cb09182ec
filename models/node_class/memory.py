"""Memory of a many-core node: units of one type (channels, packages or stacks) at each socket.

The types are rows of ``spaces/processor/dram-types.csv``, with their energies per bit and powers per capacity.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.models.node.dram import (
    dram_activate_energy,
    dram_active_power,
    dram_read_energy,
    dram_read_io_energy,
    dram_refresh_power,
    dram_unit_bandwidth,
    dram_unit_capacity,
    dram_units,
)
from dse.models.power.dram import DramType, type_power

__all__ = [
    "dram_activate_energy",
    "dram_active_power",
    "dram_read_energy",
    "dram_read_io_energy",
    "dram_refresh_power",
    "dram_unit_bandwidth",
    "dram_unit_capacity",
    "dram_units",
]

_TYPES = "spaces/processor/dram-types.csv (energies per bit, each row with source and confidence)"

streamed_bytes_per_activation = assumption(
    1024,
    unit="B",
    source="ours: the smallest row of the types, so that a stream reads at least as much of each",
    doc="Bytes a stream reads of each row it opens",
    above=0,
)


_SPEED = 10.0  # 1/s: a stack in the package is read ten times a second and more, a module of DIMMs less


@quantity(
    unit="1",
    source="ours: as of real machines, by how often a second a memory can be read",
    dimensional=False,
    reason="a limit in reads per second",
)
def memory_in_package(dram_unit_bandwidth, dram_unit_capacity):
    """Whether the memory is stacks in the package (1), which a socket is rated with, or modules outside (0)."""
    return np.where(dram_unit_bandwidth >= _SPEED * dram_unit_capacity, 1.0, 0.0)


@quantity(unit="B/s", source="units of the memory at every socket")
def socket_memory_bandwidth(dram_units, dram_unit_bandwidth):
    """Peak bandwidth of the memory of a socket."""
    return dram_units * dram_unit_bandwidth


@quantity(unit="B", source="units of the memory at every socket")
def socket_memory_capacity(dram_units, dram_unit_capacity):
    """Capacity of the memory of a socket."""
    return dram_units * dram_unit_capacity


@quantity(unit="W", source=f"{_TYPES}; all rows open, a stream at peak bandwidth")
def socket_memory_power(
    socket_memory_bandwidth,
    socket_memory_capacity,
    dram_unit_bandwidth,
    dram_unit_capacity,
    dram_activate_energy,
    dram_read_energy,
    dram_read_io_energy,
    dram_active_power,
    dram_refresh_power,
    streamed_bytes_per_activation,
    memory_in_package,
):
    """Rated power of the memory of a socket outside its package; what is in it is rated with the socket."""
    dram = DramType(
        unit_bandwidth=dram_unit_bandwidth,
        unit_capacity=dram_unit_capacity,
        row=streamed_bytes_per_activation,
        activate_energy=dram_activate_energy,
        read_energy=dram_read_energy,
        write_energy=0.0,
        read_io_energy=dram_read_io_energy,
        write_io_energy=0.0,
        active_power=dram_active_power,
        precharged_power=0.0,
        down_power=0.0,
        refresh_power=dram_refresh_power,
    )
    power = type_power(
        dram,
        read_bandwidth=socket_memory_bandwidth,
        write_bandwidth=0.0,
        capacity=socket_memory_capacity,
        bytes_per_activation=streamed_bytes_per_activation,
    )
    return np.where(memory_in_package > 0.0, 0.0, power.static + power.dynamic)
