"""Which machines the constants are fitted on, and which they are tested on.

Machines whose nodes have the same processor or accelerator are a family and stay together, so that no half knows a
machine of the other: Sequoia is twice Mira. Within each class of machine (narrow cores, wide cores, accelerators with a
host beside them, accelerators with the host in their package) the families stand in the order of the year of their
first machine, and of its name where years are equal; the first, third, fifth … are the training half. No figure to be
predicted has a part in this. Machines that are in no family here, such as those of another table, are held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dse.models.machines.catalogue import Machine
from dse.models.machines.classes import LARGEST_NARROW

__all__ = ["CLASSES", "FAMILIES", "TRAINING", "class_of", "half_of", "split"]

CLASSES = ("narrow cores", "wide cores", "accelerators", "superchips")

FAMILIES: dict[str, tuple[str, ...]] = {
    "SPARC64 VIIIfx": ("K computer",),
    "PowerPC A2": ("Mira", "Sequoia"),
    "Sandy Bridge": ("MareNostrum III",),
    "SW26010": ("Sunway TaihuLight",),
    "Haswell": ("Magnus", "Eagle (PSNC)"),
    "A64FX": ("Fugaku",),
    "K20X": ("Titan",),
    "P100": ("Piz Daint",),
    "V100": ("Sierra", "Summit"),
    "Matrix-2000": ("Tianhe-2A",),
    "A100": ("Selene", "Perlmutter"),
    "MI250X": ("Frontier", "HPC6"),
    "Max 1550": ("Aurora",),
    "H100": ("Eagle (Azure)", "MareNostrum 5 ACC"),
    "GH200": ("Alps", "JUPITER Booster", "JUPITER Booster (partial)"),
    "MI300A": ("El Capitan", "Tuolumne"),
}
"""Machines by the processor or accelerator of their nodes."""

TRAINING: tuple[str, ...] = ("SPARC64 VIIIfx", "Sandy Bridge", "Haswell", "K20X", "V100", "A100", "Max 1550", "GH200")
"""Families of the training half, as `split` finds them."""


def class_of(machine: Machine) -> str:
    """Return the class of a machine, one of `CLASSES`."""
    if machine.accelerated:
        return "accelerators" if machine.processors else "superchips"
    return "wide cores" if (machine.core_operations or 0.0) > LARGEST_NARROW else "narrow cores"


def half_of(machine: Machine) -> Literal["training", "held out"]:
    """Return the half a machine belongs to."""
    return "training" if any(machine.name in FAMILIES[family] for family in TRAINING) else "held out"


def split(machines: Sequence[Machine]) -> tuple[str, ...]:
    """Return the families of the training half by the rule, from years and names alone."""
    by_name = {machine.name: machine for machine in machines}
    order: dict[str, list[tuple[int, str, str]]] = {name: [] for name in CLASSES}
    for family, names in FAMILIES.items():
        members = [by_name[name] for name in names]
        first = min(members, key=lambda machine: (machine.year, machine.name))
        order[class_of(first)].append((first.year, first.name, family))
    return tuple(family for families in order.values() for _, _, family in sorted(families)[::2])
