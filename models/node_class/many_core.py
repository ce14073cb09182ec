"""A many-core node: sockets of equal cores with vector or matrix units, two levels of cache, one memory.

What a socket draws is in `dse.models.node_class.socket_power`, its area in `dse.models.node_class.silicon`;
`dse validate node_class` shows what both make of sockets one can buy.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.power.caches import cache_energies

__all__: list[str] = []

_MCPAT = "McPAT 1.3 tables (spaces/power), HP transistors, scaled below 22 nm"
_SOME_SLICE = 1048576.0  # a tabulated size, asked for where there is no level 3

sockets = parameter(unit="1", label="sockets per node", doc="Sockets of a node", minimum=1, integer=True)
cores_per_socket = parameter(unit="1", doc="Cores of a socket", minimum=1, integer=True)
core_frequency = parameter(
    unit="Hz", label="clock of the cores", doc="Clock of the cores under full vector load", above=0
)
vector_bits = parameter(unit="1", label="bits per vector", doc="Width of a vector unit in bits", minimum=64)
vector_pipes = parameter(
    unit="1",
    label="vector units per core",
    doc="Vector units of a core, each with fused multiply-add",
    minimum=1,
    integer=True,
)
private_cache = parameter(unit="B", label="level 2 cache per core", doc="Level 2 of a core", above=0)
shared_cache = parameter(
    unit="B", label="level 3 cache per core", doc="Level 3 of a socket per core; 0: none", minimum=0
)
clock_within = requirement(
    "core_frequency <= core_built_frequency",
    source="what a core is built for",
    doc="Cores run at no higher clock than they are built for",
)
technology = parameter(unit="m", doc="Technology, as its maker calls it", above=0)

cache_temperature = assumption(
    360.0, unit="K", source="the temperature of the McPAT tables", doc="Temperature the caches leak at", above=0
)


@quantities(
    gives={"core_caches_area": "m^2", "caches_outside_tables": "1"},
    source=_MCPAT,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
def core_caches(private_cache, shared_cache, technology, cache_temperature):
    """Area of the caches of a core, its share of level 3 with them; whether a size is extrapolated."""
    private = cache_energies(
        "L2", size=private_cache, technology=technology, temperature=cache_temperature, allowed=True
    )
    there = np.greater(shared_cache, 0.0)
    slices = np.where(there, shared_cache, _SOME_SLICE)
    shared = cache_energies("L3", size=slices, technology=technology, temperature=cache_temperature, allowed=True)
    outside = np.where(there, 1.0 * shared.extrapolated, 0.0)
    return (
        private.area + np.where(there, shared.area, 0.0),
        np.maximum(1.0 * private.extrapolated, outside),
    )


@quantity(unit="flop/s", source="operations of each unit and cycle, 64-bit numbers")
def core_peak_flop_rate(core_frequency, instruction_operations, vector_pipes):
    """Floating-point operations a core can do."""
    return core_frequency * (instruction_operations * vector_pipes)


@quantity(unit="B", source="level 2 and the share of level 3")
def core_cache(private_cache, shared_cache):
    """Cache of a core that keeps what it works on."""
    return private_cache + shared_cache


@quantity(unit="1", source="all sockets", slot="node_class", provider="many-core")
def cores_per_node(sockets, cores_per_socket):
    """Cores of a node."""
    return sockets * cores_per_socket


@quantity(
    unit="flop/s",
    name="node_peak_flop_rate",
    source="all cores of all sockets",
    slot="node_class",
    provider="many-core",
)
def many_core_peak_flop_rate(sockets, cores_per_socket, core_peak_flop_rate):
    """Floating-point operations a node can do, of 64 bits."""
    return sockets * cores_per_socket * core_peak_flop_rate


@quantities(
    gives={"node_memory_bandwidth": "B/s", "node_memory_capacity": "B", "node_memory_power": "W"},
    source="the memory of all sockets",
    slot="node_class",
    provider="many-core",
)
def many_core_memory(sockets, socket_memory_bandwidth, socket_memory_capacity, socket_memory_power):
    """Memory of a node: bandwidth, capacity, rated power."""
    return sockets * socket_memory_bandwidth, sockets * socket_memory_capacity, sockets * socket_memory_power


@quantity(
    unit="W",
    name="node_processors_power",
    source="all sockets",
    slot="node_class",
    provider="many-core",
)
def many_core_processors_power(sockets, socket_power):
    """Rated power of the processors of a node."""
    return sockets * socket_power
