"""Power and energy of the node, from its parts, each with what it takes at rest and what its work takes.

Static power is there for the whole run, of all cores; dynamic energy is that of the threads that run. Energies join
what is at rest with the time once, so bounds over ranges stay tight; powers are means over the run.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import ModelFunction, assumption, quantity
from dse.models.sources import ANGHEL_2017

__all__ = ["PARTS", "part_functions"]

PARTS = {
    "cores": "the cores with their level 1 caches",
    "l2": "level 2",
    "l3": "level 3",
    "on_chip_network": "the on-chip network",
    "memory_interface": "the interface to the memory",
    "dram": "the memory",
}
"""Parts of the node, each with a ``_static_power`` and a ``_dynamic_energy``."""

_COMPOSITION = f"{ANGHEL_2017}, Eq. 4.8 (its third term is the on-chip network)"

remainder_power = assumption(
    0.0,
    unit="W",
    source="none: clocks and power delivery off the cores, other interfaces, boards and fans are not in the tables",
    neglects="power of boards, fans and interfaces",
    doc="Power of all that no part stands for",
    minimum=0,
)


def _energy(static_power, dynamic_energy, run_time):
    return static_power * run_time + dynamic_energy


def _power(static_power, dynamic_energy, run_time):
    return static_power + dynamic_energy / run_time


def part_functions() -> dict[str, ModelFunction]:
    """Return energy and mean power of each part."""
    functions = {}
    for part, what in PARTS.items():
        for suffix, unit, function, doc in (
            ("energy", "J", _energy, f"Energy of {what} during the run."),
            ("power", "W", _power, f"Mean power of {what} during the run."),
        ):
            name = f"{part}_{suffix}"
            functions[name] = ModelFunction(
                name=name,
                function=function,
                needs=(f"{part}_static_power", f"{part}_dynamic_energy", "run_time"),
                gives={name: unit},
                source=_COMPOSITION,
                doc=doc,
                module="node.totals",
            )
    return functions


_ENERGIES = (*(f"{part}_energy" for part in PARTS), "remainder_energy")
_POWERS = (*(f"{part}_power" for part in PARTS), "remainder_power")


@quantity(unit="J", source="the study")
def remainder_energy(remainder_power, run_time):
    """Energy of all that no part stands for."""
    return remainder_power * run_time


@quantity(unit="J", source=_COMPOSITION, sum_of=_ENERGIES)
def energy(
    cores_energy, l2_energy, l3_energy, on_chip_network_energy, memory_interface_energy, dram_energy, remainder_energy
):
    """Energy of the node during the run."""
    chip = cores_energy + l2_energy + l3_energy + on_chip_network_energy + memory_interface_energy
    return chip + dram_energy + remainder_energy


@quantity(unit="W", source=_COMPOSITION, sum_of=_POWERS)
def node_power(
    cores_power, l2_power, l3_power, on_chip_network_power, memory_interface_power, dram_power, remainder_power
):
    """Mean power of the node during the run."""
    chip = cores_power + l2_power + l3_power + on_chip_network_power + memory_interface_power
    return chip + dram_power + remainder_power


@quantity(unit="W", source=_COMPOSITION, sum_of=_POWERS[:5])
def processor_power(cores_power, l2_power, l3_power, on_chip_network_power, memory_interface_power):
    """Mean power of the processor during the run."""
    return cores_power + l2_power + l3_power + on_chip_network_power + memory_interface_power


@quantity(unit="W", source=_COMPOSITION)
def static_power(
    cores_static_power,
    l2_static_power,
    l3_static_power,
    on_chip_network_static_power,
    memory_interface_static_power,
    dram_static_power,
    remainder_power,
):
    """Power of the node that is there whether it works or not."""
    chip = cores_static_power + l2_static_power + l3_static_power + on_chip_network_static_power
    return chip + memory_interface_static_power + dram_static_power + remainder_power


@quantity(unit="J", source=_COMPOSITION)
def static_energy(static_power, run_time):
    """Energy during the run of what is there whether the node works or not."""
    return static_power * run_time


@quantity(unit="J", source=_COMPOSITION)
def dynamic_energy(
    cores_dynamic_energy,
    l2_dynamic_energy,
    l3_dynamic_energy,
    on_chip_network_dynamic_energy,
    memory_interface_dynamic_energy,
    dram_dynamic_energy,
):
    """Energy of the node's work during the run."""
    chip = cores_dynamic_energy + l2_dynamic_energy + l3_dynamic_energy + on_chip_network_dynamic_energy
    return chip + memory_interface_dynamic_energy + dram_dynamic_energy


@quantity(unit="s", source="ours: every thread runs the program once, so a node of many cores does it many times")
def time_per_program(run_time, running_threads):
    """Time of a run over the programs that ran in it."""
    return run_time / running_threads


@quantity(unit="J", source="ours: every thread runs the program once, so a node of many cores does it many times")
def energy_per_program(energy, running_threads):
    """Energy of a run over the programs that ran in it."""
    return energy / running_threads
