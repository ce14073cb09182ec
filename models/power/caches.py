"""L2 and L3 caches: area, leakage, energy of an access and access time by size, from tables McPAT 1.3 gave.

``spaces/power/caches.csv``: L2 slices of 256 KiB to 2 MiB (8 ways), L3 slices of 1 to 64 MiB (16 ways), lines of 64 B.
Between sizes, straight lines in logarithms of size and value: leaving rows out, read energies are 3 % off on average
and 6 % at most, write energies 5 and 11 %, areas 9 and 21 %, leakage 4 and 8 %, access times 2 and 5 %.
A larger cache costs area, leakage and time, which a study that sweeps sizes must take along.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dse.models.power.activity import CacheActivity
from dse.models.power.composition import Power
from dse.models.power.grids import interpolated
from dse.models.power.limits import Extrapolation, refuse
from dse.models.power.tables import DEVICES, NODES, REFERENCE_TEMPERATURE, power_table, same
from dse.models.power.technology import scale_below_tables, scaling_factor
from dse.models.power.transistors import (
    device_position,
    leakage_temperature_factor,
    node_position,
    transistors,
    voltage_factors,
)

__all__ = ["LEVELS", "CacheEnergies", "access_energy", "cache_energies", "cache_power"]

LEVELS = ("L2", "L3")
_REFERENCE_SIZES = {"L2": 524288.0, "L3": 16777216.0}  # tabulated at every technology, and for every device at 22 nm
_LEAKAGES = ("subthreshold_leakage", "gated_leakage", "gate_leakage")
_ENERGIES = ("read_hit_energy", "read_miss_energy", "write_hit_energy", "write_miss_energy")
_SMALLEST_TABLE = 21.9e-9  # m, a hair below 22 nm
_LAST_GAIN_IN_DELAY = 6.9e-9  # m: what smaller technologies than 7 nm gain is taken as energy
_VALUES = ("area", *_LEAKAGES, *_ENERGIES, "access_time")


@dataclass(frozen=True)
class CacheEnergies:
    """A slice of a cache at the nominal voltage of its technology; every field by design.

    Attributes
    ----------
    area : ndarray
        m^2.
    subthreshold_leakage, gated_leakage, gate_leakage : ndarray
        W, at the temperature asked for.
    read_hit_energy, read_miss_energy, write_hit_energy, write_miss_energy : ndarray
        Per access of a line, J. A read miss reads the tags only: the line that comes is a write hit.
    access_time : ndarray
        s. Below 22 nm with the factor of delay, from 14 nm down to 7 nm: what smaller ones gain is taken as energy.
    voltage, leakage_exponent : ndarray
        V0 (V) and k of `transistors`.
    extrapolated : ndarray of bool
        Where the tables were left; `reasons` says why.
    reasons : tuple of str
    """

    area: np.ndarray
    subthreshold_leakage: np.ndarray
    gated_leakage: np.ndarray
    gate_leakage: np.ndarray
    read_hit_energy: np.ndarray
    read_miss_energy: np.ndarray
    write_hit_energy: np.ndarray
    write_miss_energy: np.ndarray
    access_time: np.ndarray
    voltage: np.ndarray
    leakage_exponent: np.ndarray
    extrapolated: np.ndarray
    reasons: tuple[str, ...]


@cache
def _knots(level: str, node: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return sizes and values of the HP rows of a technology."""
    table = power_table("caches")
    rows = table.rows((table["level"] == level) & (table["device"] == "HP") & same(table["technology"], NODES[node]))
    order = np.argsort(rows["size"])
    return rows["size"][order], {name: rows[name][order] for name in _VALUES}


@cache
def _ratio(level: str, kind: int, name: str) -> float:
    """Return value over that with HP transistors at 22 nm, of the one size there is of both."""
    table = power_table("caches")
    rows = table.rows((table["level"] == level) & same(table["technology"], NODES[0]))
    rows = rows.rows(same(rows["size"], _REFERENCE_SIZES[level]))
    value = {device: rows[name][rows["device"] == device][0] for device in ("HP", DEVICES[kind])}
    return float(value[DEVICES[kind]] / value["HP"])


def _sized(level: str, node: int, name: str, size: np.ndarray) -> np.ndarray:
    """Return a value at each size: own rows where there are any, beyond them the course of 22 nm."""
    knots, values = _knots(level, node)
    if node == 0:
        return interpolated(knots, values[name], size)
    inside = np.clip(size, knots[0], knots[-1])
    course_knots, course = _knots(level, 0)
    beyond = interpolated(course_knots, course[name], size) / interpolated(course_knots, course[name], inside)
    return interpolated(knots, values[name], inside) * np.where(size == inside, 1.0, beyond)


def cache_energies(
    level: str,
    *,
    size: Any,
    technology: Any,
    device: Any = "HP",
    temperature: Any = REFERENCE_TEMPERATURE,
    dynamic_only: bool = False,
    allowed: bool = False,
) -> CacheEnergies:
    """Look up slices of caches. Points only; all arguments broadcast.

    Parameters
    ----------
    level : {"L2", "L3"}
    size : array_like
        Of one slice, B. L2: 256 KiB to 2 MiB at 22, 45, 90 nm, to 512 KiB at 32 nm, 512 KiB at 65 nm. L3: 1 to 64 MiB
        at 22 nm, 2 to 16 MiB at 45 nm, 16 MiB at 32, 65 and 90 nm.
    technology : array_like
        m: one of the tables, or 14, 10, 7, 5, 3 nm (22 nm with factors, areas by that of memory cells), HP only.
    device : array_like of str
        HP; LOP or LSTP at 22 nm and 512 KiB (L2) or 16 MiB (L3). LOP for `dynamic_only`: its leakage is invalid.
    temperature : array_like
        K, 300 to 400.
    dynamic_only : bool
        Whether invalid leakage may come as NaN instead of a refusal.
    allowed : bool
        Whether sizes outside the tables are extrapolated, with a mark.

    Returns
    -------
    CacheEnergies
    """
    refuse("level", level not in LEVELS, level, ", ".join(LEVELS))
    marks = Extrapolation(allowed)
    tech = np.asarray(technology, dtype=float)
    node, kind, sizes, _ = np.broadcast_arrays(
        node_position(tech, "energy", "memory area", "leakage"),
        device_position(device),
        np.asarray(size, dtype=float),
        tech,
    )
    refuse("size in B", ~(sizes > 0), sizes, "a size above 0")
    _refuse_devices(level, kind, node, sizes, marks)
    values = {name: np.full(node.shape, np.nan) for name in _VALUES}
    for position in np.unique(node):
        here = node == position
        knots = _knots(level, int(position))[0]
        wrong = here & ((sizes < knots[0] * (1 - 1e-9)) | (sizes > knots[-1] * (1 + 1e-9)))
        span = f"{knots[0]:.0f}" if len(knots) == 1 else f"{knots[0]:.0f} to {knots[-1]:.0f}"
        text = f"{span} at {NODES[int(position)] * 1e9:g} nm"
        marks.add(f"{level} size in B", wrong, sizes, text, "outside the tabulated sizes")
        for name in _VALUES:
            values[name][here] = _sized(level, int(position), name, sizes[here])
    for other in (1, 2):
        if (kind == other).any():
            for name in _VALUES:
                values[name] = np.where(kind == other, values[name] * _ratio(level, other, name), values[name])
    invalid = (kind == DEVICES.index("LOP")) & (node == 0)
    if not dynamic_only:
        refuse("leakage at 22 nm of device", invalid, "LOP", "HP or LSTP; McPAT's is invalid (dynamic_only=True)")
    names = np.where(invalid, "HP", np.asarray(DEVICES)[kind])
    warm = leakage_temperature_factor(temperature, tech, names, marks=marks)
    for name in _LEAKAGES:
        values[name] = np.where(invalid, np.nan, values[name] * (1.0 if name == "gate_leakage" else warm))
    kinds = transistors(tech, device)
    scale_below_tables(
        values,
        tech,
        energies=_ENERGIES,
        area="memory area",
        voltage=kinds.voltage,
        exponent=kinds.leakage_exponent,
    )
    if (tech < _SMALLEST_TABLE).any():
        slowest = np.where(tech < _LAST_GAIN_IN_DELAY, 7e-9, tech)
        values["access_time"] = values["access_time"] * scaling_factor("delay", slowest)
    values |= {"voltage": kinds.voltage, "leakage_exponent": kinds.leakage_exponent}
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    values = {name: np.broadcast_to(value, shape).copy() for name, value in values.items()}
    return CacheEnergies(**values, extrapolated=marks.of_shape(np.empty(shape)), reasons=tuple(marks.reasons))


def _refuse_devices(level: str, kind: np.ndarray, node: np.ndarray, sizes: np.ndarray, marks: Extrapolation) -> None:
    refuse("device", (kind > 0) & (node > 0), np.asarray(DEVICES)[kind], "HP, or LOP and LSTP at 22 nm")
    off = (kind > 0) & ~same(sizes, _REFERENCE_SIZES[level])
    text = f"{_REFERENCE_SIZES[level]:g} with LOP and LSTP"
    marks.add(f"{level} size in B", off, sizes, text, "other sizes are tabulated with HP transistors only")


def access_energy(cache: CacheEnergies, activity: CacheActivity) -> Any:
    """Energy a cache takes per instruction at nominal voltage, J; fills are charged as writes.

    Parameters
    ----------
    cache : CacheEnergies
    activity : CacheActivity
        Accesses per instruction.
    """
    return (
        activity.read_hits * cache.read_hit_energy
        + activity.read_misses * (cache.read_miss_energy + cache.write_hit_energy)
        + activity.write_hits * cache.write_hit_energy
        + activity.write_misses * cache.write_miss_energy
    )


def cache_power(
    cache: CacheEnergies,
    *,
    access_energy: Any,
    instructions_per_second: Any,
    slices: Any = 1.0,
    voltage_ratio: Any = 1.0,
) -> Power:
    """Power of a cache; plain arithmetic, which takes ranges.

    Parameters
    ----------
    cache : CacheEnergies
        One slice. Its fields may be numbers, arrays or ranges.
    access_energy : array_like
        J per instruction, of `access_energy`.
    instructions_per_second : array_like
        Of all threads that use the cache together.
    slices : array_like
        Slices, all leaking.
    voltage_ratio : array_like
        V/V0, at least 0.75.
    """
    supply = voltage_factors(voltage_ratio, cache.leakage_exponent)
    static = slices * (cache.subthreshold_leakage * supply.subthreshold + cache.gate_leakage * supply.gate)
    return Power(static, instructions_per_second * access_energy * supply.dynamic)
