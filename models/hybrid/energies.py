"""Energy of the whole cluster over the run, and its parts.

The powers of cores are increments over idle: the idle power of a node already holds that of its cores.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import RelativeError, quantity
from dse.models.hybrid.inputs import interpolated
from dse.models.sources import RAMAPANTULU_2015

__all__ = ["core_active_power", "core_energy", "core_stall_power", "energy", "idle_energy", "idle_power"]
__all__ += ["memory_energy", "memory_power", "network_energy", "network_power"]

VALIDATED = {"nodes": (1, 8)}


@quantity(unit="W", source=f"{RAMAPANTULU_2015}, Section III-E-3", points_only=True)
def core_active_power(power, frequency):
    """Power of a computing core above idle (linear in frequency)."""
    return interpolated(power, "core_active_power", frequency=frequency)


@quantity(unit="W", source=f"{RAMAPANTULU_2015}, Section III-E-3", points_only=True)
def core_stall_power(power, frequency):
    """Power of a core stalled on memory above idle (linear in frequency)."""
    return interpolated(power, "core_stall_power", frequency=frequency)


@quantity(unit="W", source=f"{RAMAPANTULU_2015}, Section III-E-3", points_only=True)
def memory_power(power, frequency):
    """Power of the memory of a node while cores wait for it (linear in frequency)."""
    return interpolated(power, "memory_power", frequency=frequency)


@quantity(unit="W", source=f"{RAMAPANTULU_2015}, Section III-E-3", points_only=True)
def network_power(power, frequency):
    """Power of the network card of a node while it communicates (linear in frequency)."""
    return interpolated(power, "network_power", frequency=frequency)


@quantity(unit="W", source=f"{RAMAPANTULU_2015}, Section III-E-3", points_only=True)
def idle_power(power, frequency):
    """Power of an idle node, cores included (linear in frequency)."""
    return interpolated(power, "idle_power", frequency=frequency)


@quantity(unit="J", source=f"{RAMAPANTULU_2015}, Eqs. 8 and 9, with powers of a core above idle", valid=VALIDATED)
def core_energy(core_active_power, compute_time, core_stall_power, memory_time, cores, nodes):
    """Energy of computing and stalled cores above idle, all nodes; cores waiting for the network draw idle power."""
    return (core_active_power * compute_time + core_stall_power * memory_time) * cores * nodes


@quantity(unit="J", source=f"{RAMAPANTULU_2015}, Eqs. 8 and 10", valid=VALIDATED)
def memory_energy(memory_power, memory_time, nodes):
    """Energy of the memories while cores wait for them, all nodes; overlapped accesses are not counted."""
    return memory_power * memory_time * nodes


@quantity(unit="J", source=f"{RAMAPANTULU_2015}, Eqs. 8 and 11", valid=VALIDATED)
def network_energy(network_power, network_time, nodes):
    """Energy of the network cards while they communicate or wait, all nodes."""
    return network_power * network_time * nodes


@quantity(unit="J", source=f"{RAMAPANTULU_2015}, Eqs. 8 and 12", valid=VALIDATED)
def idle_energy(idle_power, run_time, nodes):
    """Energy the nodes would draw idle during the run, all nodes."""
    return idle_power * run_time * nodes


@quantity(
    unit="J",
    source=f"{RAMAPANTULU_2015}, Eq. 8",
    error=RelativeError(
        0.15, 0.14, of="largest mean and deviation of five programs on two clusters (means 1 to 15 %), Table 2"
    ),
    sum_of=("core_energy", "memory_energy", "network_energy", "idle_energy"),
)
def energy(core_energy, memory_energy, network_energy, idle_energy):
    """Energy of the cluster over the run, E."""
    return core_energy + memory_energy + network_energy + idle_energy
