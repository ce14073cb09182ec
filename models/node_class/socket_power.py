"""Rated power of a socket of many cores by the fitted law, a quantity for each of its parts.

The law is that of `dse.models.node_class.sockets.law`, fitted on sockets one can buy and on accelerators: energy of
cores by cycle, of issue by instruction, of arithmetic by operation, static power by core and by cache, of interfaces by
bandwidth. A unit with outer products issues and reads operands once for many operations. A supply goes with the clock
over the clock the core is built for, so no clock comes without its voltage.
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.power import power
from dse.authoring.declare.declaration import assumption, quantity
from dse.models.node_class.many_core import core_frequency, cores_per_socket, technology
from dse.models.node_class.sockets.law import BUILT_FOR, REFERENCE, voltage

__all__ = ["core_frequency", "cores_per_socket", "technology"]

_FITTED = "fitted on spaces/node_class/sockets.csv and anchors.csv (dse validate node_class)"
_RULE = "a rule of thumb: 0.10 to 0.15 V per GHz (confidence low)"

core_built_frequency = assumption(
    3.5e9,
    unit="Hz",
    source="ours: the highest turbo of sockets of big cores is 3.3 to 4.1 GHz (spaces/node_class/sockets.csv)",
    doc="Clock the cores are built for: the highest turbo, or the clock where it is fixed",
    above=0,
)
core_leanness = assumption(
    0.0,
    unit="1",
    source="big cores, as in sockets of two to a node",
    doc="0: a big core; 1: a lean one, small or for throughput; 0.5: between",
    minimum=0,
    maximum=1,
)
energy_class_ratio = assumption(
    1.0,
    unit="1",
    source="the process as its maker calls it",
    doc="Process as a class of energy, over the technology that its areas are counted as (6 nm counted as 7 nm: 0.857)",
    above=0,
)
core_energy = assumption(
    4.1395e-10, unit="J", source=_FITTED, doc="Energy of a big core per cycle at 7 nm, without arithmetic", above=0
)
issue_energy = assumption(7.9429e-11, unit="J", source=_FITTED, doc="Energy to issue a vector instruction", above=0)
arithmetic_energy = assumption(1.1866e-11, unit="J", source=_FITTED, doc="Energy of an operation of 64 bits", above=0)
operand_energy = assumption(6.6434e-12, unit="J", source=_FITTED, doc="Energy of an operand read or written", above=0)
process_exponent = assumption(
    0.91492, unit="1", source=_FITTED, doc="Exponent of energy over the class of the process", above=0
)
lean_core_share = assumption(
    0.058349,
    unit="1",
    source=_FITTED,
    doc="What a lean core takes beside its arithmetic, next to a big one",
    above=0,
    maximum=1,
)
core_static_power = assumption(0.99597, unit="W", source=_FITTED, doc="Static power of a big core at 7 nm", minimum=0)
cache_static_power = assumption(
    1.0643e-07, unit="W/B", source=_FITTED, doc="Static power of level 2 and 3 per byte", minimum=0
)
outside_interface_energy = assumption(
    1.3665e-10,
    unit="J/B",
    source=_FITTED,
    doc="Energy of a byte to memory outside the package: interface and fabric",
    minimum=0,
)
package_memory_energy = assumption(
    3.6015e-11,
    unit="J/B",
    source=_FITTED,
    doc="Energy of a byte of memory in the package, the memory's own with it",
    minimum=0,
)
socket_base_power = assumption(7.3035, unit="W", source=_FITTED, doc="Power of a socket beside all that", minimum=0)
rated_load_share = assumption(
    0.857,
    unit="1",
    source="fitted on spaces/machines: machines whose clock is kept under load (dse validate machines)",
    doc="Share of the peak rate that a socket sustains where it draws what it is rated at",
    above=0,
    maximum=1.5,
)


@quantity(unit="V", source=_RULE, dimensional=False, reason="a line of volts over clocks in hertz")
def core_voltage(core_frequency, core_built_frequency):
    """Supply that a clock needs, by the clock the core is built for."""
    return voltage(BUILT_FOR * core_frequency / core_built_frequency)


@quantity(unit="1", source=_FITTED, points_only=True, dimensional=False, reason="next to a process of 7 nm")
def process_energy_factor(technology, energy_class_ratio, process_exponent):
    """Energy of an operation next to that at 7 nm."""
    return power(technology * energy_class_ratio / REFERENCE, process_exponent)


@quantity(unit="1", source=_FITTED, points_only=True)
def core_overhead_share(core_leanness, lean_core_share):
    """What a core takes beside its arithmetic, next to a big core."""
    return power(lean_core_share, core_leanness)


@quantity(
    unit="1",
    source=f"{_FITTED}; {_RULE}",
    valid={"process_energy_factor": (0.46, 5.6)},
    dimensional=False,
    reason="next to the supply of 2 GHz",
)
def switching_factor(process_energy_factor, core_voltage):
    """Energy of what switches next to that at 7 nm and the supply of 2 GHz."""
    ratio = core_voltage / voltage(2e9)
    return process_energy_factor * (ratio * ratio)


@quantity(unit="flop/s", source="what is rated is drawn by products of matrices")
def socket_load_rate(cores_per_socket, core_peak_flop_rate, rated_load_share):
    """Operations that a socket sustains where it draws its rated power."""
    return cores_per_socket * core_peak_flop_rate * rated_load_share


@quantity(
    unit="W",
    source=f"{_FITTED}: rated power, at the clock under full load",
    sum_of=(
        "socket_cores_power",
        "socket_issue_power",
        "socket_arithmetic_power",
        "socket_static_power",
        "socket_interface_power",
        "socket_remaining_power",
    ),
)
def socket_power(
    socket_cores_power,
    socket_issue_power,
    socket_arithmetic_power,
    socket_static_power,
    socket_interface_power,
    socket_remaining_power,
):
    """Rated power of a socket, a memory in its package with it."""
    return (
        socket_cores_power
        + socket_issue_power
        + socket_arithmetic_power
        + socket_static_power
        + socket_interface_power
        + socket_remaining_power
    )


@quantity(unit="W", source=_FITTED, valid={"core_frequency": (1.1e9, 4.1e9)})
def socket_cores_power(
    cores_per_socket, core_frequency, core_energy, core_overhead_share, switching_factor, socket_power_factor
):
    """Power of the cores by their cycles, arithmetic and issue apart."""
    return (
        cores_per_socket * core_frequency * (core_energy * core_overhead_share * switching_factor * socket_power_factor)
    )


@quantity(unit="W", source=_FITTED)
def socket_issue_power(
    socket_load_rate, instruction_operations, issue_energy, core_overhead_share, switching_factor, socket_power_factor
):
    """Power to issue vector instructions."""
    energy = issue_energy * core_overhead_share * switching_factor * socket_power_factor
    return socket_load_rate / instruction_operations * energy


@quantity(unit="W", source=_FITTED)
def socket_arithmetic_power(
    socket_load_rate, operation_operands, arithmetic_energy, operand_energy, switching_factor, socket_power_factor
):
    """Power of operations and of their operands."""
    energy = (arithmetic_energy + operation_operands * operand_energy) * switching_factor
    return socket_load_rate * (energy * socket_power_factor)


@quantity(unit="W", source=_FITTED, valid={"caches_outside_tables": (0, 0)})
def socket_static_power(
    cores_per_socket,
    core_cache,
    core_static_power,
    core_overhead_share,
    process_energy_factor,
    cache_static_power,
    socket_power_factor,
    caches_outside_tables,
):
    """Power that cores and caches draw whatever they do."""
    core = core_static_power * core_overhead_share * np.sqrt(process_energy_factor) + cache_static_power * core_cache
    return cores_per_socket * (core * socket_power_factor)


@quantity(unit="W", source=_FITTED)
def socket_interface_power(
    socket_memory_bandwidth,
    memory_in_package,
    outside_interface_energy,
    package_memory_energy,
    socket_power_factor,
):
    """Power of interfaces to memory, and of a memory in the package itself."""
    energy = np.where(memory_in_package > 0.0, package_memory_energy, outside_interface_energy)
    return socket_memory_bandwidth * (energy * socket_power_factor)


@quantity(unit="W", source=_FITTED)
def socket_remaining_power(socket_base_power, socket_power_factor):
    """Power of a socket beside cores, caches and interfaces."""
    return socket_base_power * socket_power_factor
