"""Area and power of levels 2 and 3: what leaks, and what accesses take; a line that a read miss brings is a write.

Accesses are split into reads and writes as the program's are (Anghel 2017, Section 4.3). Every core has its level 2, in
its own supply. Level 3 comes in slices, one per core by default, at the nominal supply.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import parameter, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.models.node.inputs import FACTORS, MCPAT
from dse.models.power.activity import cache_activity
from dse.models.power.caches import CacheEnergies, access_energy, cache_energies
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_ACCESSES = ("read_hit", "read_miss", "write_hit", "write_miss")
_ANY = {"L2": 524288.0, "L3": 16777216.0}  # a tabulated size, asked for where there is no cache

given_l3_slices = parameter(unit="1", doc="Slices of level 3, where there is not one per core", minimum=1, integer=True)


def _gives(level: str) -> dict[str, str]:
    return (
        {f"{level}_area": "m^2", f"{level}_leakage": "W", f"{level}_gate_leakage": "W"}
        | {f"{level}_{access}_energy": "J" for access in _ACCESSES}
        | {f"{level}_outside_tables": "1"}
    )


def _looked_up(level: str, size: np.ndarray, technology: np.ndarray, temperature: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the values of one slice; all 0 where there is none."""
    there = np.greater(size, 0.0)
    energies_of_slice = cache_energies(
        level,
        size=np.where(there, size, _ANY[level]),
        technology=technology,
        temperature=temperature,
        allowed=True,
    )
    energies = (getattr(energies_of_slice, f"{access}_energy") for access in _ACCESSES)
    values = (
        energies_of_slice.area,
        energies_of_slice.subthreshold_leakage,
        energies_of_slice.gate_leakage,
        *energies,
        1.0 * energies_of_slice.extrapolated,
    )
    return tuple(np.where(there, value, 0.0) for value in values)


def _per_instruction(
    store_share: np.ndarray, reaching: np.ndarray, leaving: np.ndarray, *energies: np.ndarray
) -> np.ndarray:
    """Return the energy per instruction of a cache from the accesses that come to it and those that go on."""
    known: dict[str, Any] = {f"{access}_energy": energy for access, energy in zip(_ACCESSES, energies, strict=True)}
    cache = CacheEnergies(**(dict.fromkeys(CacheEnergies.__dataclass_fields__, np.nan) | known))
    result: np.ndarray = access_energy(cache, cache_activity(1.0 - store_share, store_share, reaching, leaving))
    return result


@quantities(
    gives=_gives("l2"),
    source=f"{MCPAT}, HP transistors, 8 ways",
    valid=FACTORS,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
@once_per_combination
def l2_tables(l2_size, technology, temperature):
    """Area, leakage and energies of an access of one level 2 at the nominal supply."""
    return _looked_up("L2", l2_size, technology, temperature)


@quantity(
    unit="1",
    name="l3_slices",
    source="ours: a slice beside each core",
    slot="l3_slicing",
    provider="per-core",
    default=True,
)
def slices_per_core(cores):
    """Slices of level 3, one per core."""
    return cores * 1.0


@quantity(unit="1", name="l3_slices", source="the study", slot="l3_slicing", provider="given")
def slices_given(given_l3_slices):
    """Slices of level 3."""
    return given_l3_slices * 1.0


@quantity(unit="B", source="ours: equal slices")
def l3_slice_size(l3_size, l3_slices):
    """Size of one slice of level 3."""
    return l3_size / l3_slices


@quantities(
    gives=_gives("l3"),
    source=f"{MCPAT}, HP transistors, 16 ways",
    valid=FACTORS,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
@once_per_combination
def l3_tables(l3_slice_size, technology, temperature):
    """Area, leakage and energies of an access of one slice of level 3."""
    return _looked_up("L3", l3_slice_size, technology, temperature)


@quantity(unit="J", source=f"{ANGHEL_2017}, Section 4.3, with {MCPAT}; a read miss also writes the line that comes")
def l2_instruction_energy(
    store_share,
    l2_accesses,
    l3_accesses,
    l2_read_hit_energy,
    l2_read_miss_energy,
    l2_write_hit_energy,
    l2_write_miss_energy,
):
    """Energy of level 2 per instruction at the nominal supply."""
    return _per_instruction(
        store_share,
        l2_accesses,
        l3_accesses,
        l2_read_hit_energy,
        l2_read_miss_energy,
        l2_write_hit_energy,
        l2_write_miss_energy,
    )


@quantity(unit="J", source=f"{ANGHEL_2017}, Section 4.3, with {MCPAT}; a read miss also writes the line that comes")
def l3_instruction_energy(
    store_share,
    l3_accesses,
    dram_accesses,
    l3_read_hit_energy,
    l3_read_miss_energy,
    l3_write_hit_energy,
    l3_write_miss_energy,
):
    """Energy of level 3 per instruction."""
    return _per_instruction(
        store_share,
        l3_accesses,
        dram_accesses,
        l3_read_hit_energy,
        l3_read_miss_energy,
        l3_write_hit_energy,
        l3_write_miss_energy,
    )


@quantity(unit="W", source=MCPAT, valid={"l2_outside_tables": (0, 0)})
def l2_static_power(cores, l2_leakage, leakage_factor, l2_gate_leakage, gate_leakage_factor, l2_outside_tables):
    """Leakage of level 2 of all cores."""
    return cores * (l2_leakage * leakage_factor + l2_gate_leakage * gate_leakage_factor)


@quantity(unit="J", source=MCPAT)
def l2_dynamic_energy(instructions, running_threads, l2_instruction_energy, energy_factor):
    """Energy of the accesses to level 2 of all threads."""
    return instructions * running_threads * l2_instruction_energy * energy_factor


@quantity(unit="W", source=MCPAT, valid={"l3_outside_tables": (0, 0)})
def l3_static_power(l3_slices, l3_leakage, l3_gate_leakage, l3_outside_tables):
    """Leakage of level 3."""
    return l3_slices * (l3_leakage + l3_gate_leakage)


@quantity(unit="J", source=MCPAT)
def l3_dynamic_energy(instructions, running_threads, l3_instruction_energy):
    """Energy of the accesses to level 3 of all threads."""
    return instructions * running_threads * l3_instruction_energy
