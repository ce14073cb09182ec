"""A many-core node: sockets of equal cores with vector units, two levels of private and shared cache, one memory.

Power of a core goes with its clock, the square of its supply, the width of its vector units and the technology;
supplies go with clocks, so no clock comes without its voltage. Confidence of these laws is low to medium: they are
rules of thumb for vector cores of 7 nm, and `dse validate node_class` shows what they make of sockets one can buy.
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.power import power
from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.models.power.caches import cache_energies

__all__: list[str] = []

_RULE = "a rule of thumb for vector cores (confidence low)"
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
technology = parameter(unit="m", doc="Technology, as its maker calls it", above=0)

core_energy = assumption(
    1.0e-9,
    unit="J",
    source=f"{_RULE}: 1 W per GHz at 7 nm with two vector units of 512 bits",
    doc="Energy of a core per cycle at 7 nm, reference voltage and 1,024 bits of vector units",
    above=0,
)
vector_energy_share = assumption(
    0.5,
    unit="1",
    source=_RULE,
    doc="Share of the energy of a core that goes with the width of its vector units",
    minimum=0,
    maximum=1,
)
technology_step = assumption(
    0.7,
    unit="1",
    source=_RULE,
    doc="Energy of a core after a full step of technology (7 to 5 to 3 nm)",
    above=0,
    maximum=1,
)
lowest_voltage = assumption(0.60, unit="V", source=_RULE, doc="Supply at 1 GHz and below", above=0)
voltage_slope = assumption(
    0.125e-9, unit="V/Hz", source=f"{_RULE}: 0.10 to 0.15 V per GHz", doc="Supply per clock above 1 GHz", minimum=0
)
reference_frequency = assumption(
    2.0e9,
    unit="Hz",
    source="ours: a usual clock of vector codes on the sockets the rule is read off",
    doc="Clock whose supply is the reference voltage",
    above=0,
)
uncore_share = assumption(
    0.3,
    unit="1",
    source=f"{_RULE}: leakage and uncore are 25 to 35 % of a socket at HPL",
    doc="Share of the power of a socket without its caches' leakage that is not dynamic power of cores",
    minimum=0,
    maximum=0.9,
)
interface_power = assumption(
    76.0,
    unit="W",
    source="ours: fitted, so that the median of five sockets (spaces/node_class/sockets.csv) comes out as rated "
    "(confidence low)",
    doc="Power of a socket for input, output and memory controllers",
    minimum=0,
)
cache_temperature = assumption(
    360.0, unit="K", source="the temperature of the McPAT tables", doc="Temperature the caches leak at", above=0
)


@quantity(unit="V", source=_RULE, dimensional=False, reason="a fit over clocks in hertz")
def core_voltage(core_frequency, lowest_voltage, voltage_slope):
    """Supply that a clock needs."""
    return lowest_voltage + voltage_slope * np.maximum(core_frequency - 1e9, 0.0)


@quantity(unit="1", source=_RULE, points_only=True)
def technology_factor(technology, technology_step):
    """Energy of a core next to that at 7 nm: a step each from 7 to 5 and from 5 to 3 nm."""
    steps = np.interp(technology, [3e-9, 5e-9, 7e-9], [2.0, 1.0, 0.0], left=np.nan, right=np.nan)
    return power(technology_step, steps)


@quantity(
    unit="W",
    source=_RULE,
    valid={"technology_factor": (0.49, 1.0)},
    dimensional=False,
    reason="a fit over clocks in hertz",
)
def core_dynamic_power(
    core_frequency,
    core_voltage,
    core_energy,
    vector_energy_share,
    vector_bits,
    vector_pipes,
    technology_factor,
    lowest_voltage,
    voltage_slope,
    reference_frequency,
):
    """Dynamic power of a core under full vector load."""
    reference = lowest_voltage + voltage_slope * np.maximum(reference_frequency - 1e9, 0.0)
    ratio = core_voltage / reference
    width = (1.0 - vector_energy_share) + vector_energy_share * (vector_bits * vector_pipes / 1024.0)
    return core_frequency * core_energy * technology_factor * width * (ratio * ratio)


@quantities(
    gives={"core_caches_leakage": "W", "core_caches_area": "m^2", "caches_outside_tables": "1"},
    source=_MCPAT,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
def core_caches(private_cache, shared_cache, technology, cache_temperature):
    """Leakage and area of the caches of a core, its share of level 3 with them; whether a size is extrapolated."""
    private = cache_energies(
        "L2", size=private_cache, technology=technology, temperature=cache_temperature, allowed=True
    )
    there = np.greater(shared_cache, 0.0)
    slices = np.where(there, shared_cache, _SOME_SLICE)
    shared = cache_energies("L3", size=slices, technology=technology, temperature=cache_temperature, allowed=True)
    leakage = [cache.subthreshold_leakage + cache.gate_leakage for cache in (private, shared)]
    outside = np.where(there, 1.0 * shared.extrapolated, 0.0)
    return (
        leakage[0] + np.where(there, leakage[1], 0.0),
        private.area + np.where(there, shared.area, 0.0),
        np.maximum(1.0 * private.extrapolated, outside),
    )


@quantity(
    unit="W",
    source=f"{_RULE}; caches: {_MCPAT}",
    sum_of=("socket_cores_power", "socket_caches_power", "interface_power"),
)
def socket_power(socket_cores_power, socket_caches_power, interface_power):
    """Rated power of a socket without its memory."""
    return socket_cores_power + socket_caches_power + interface_power


@quantity(unit="W", source=_RULE)
def socket_cores_power(cores_per_socket, core_dynamic_power, uncore_share):
    """Power of the cores of a socket, their leakage, and everything around them that is no cache."""
    return cores_per_socket * core_dynamic_power / (1.0 - uncore_share)


@quantity(unit="W", source=_MCPAT, valid={"caches_outside_tables": (0, 0)})
def socket_caches_power(cores_per_socket, core_caches_leakage, caches_outside_tables):
    """Leakage of the caches of a socket."""
    return cores_per_socket * core_caches_leakage


@quantity(unit="flop/s", source="two operations per lane, unit and cycle (fused multiply-add), 64-bit numbers")
def core_peak_flop_rate(core_frequency, vector_bits, vector_pipes):
    """Floating-point operations a core can do."""
    return core_frequency * (2.0 * vector_pipes * vector_bits / 64.0)


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
