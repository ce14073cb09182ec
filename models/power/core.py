"""A core and its L1 caches: area, leakage and energy per instruction, from tables McPAT 1.3 gave.

With instructions per cycle 1/CPI, clock f, width W and voltage V (tables: ``spaces/power/cores.csv``):

    dynamic = (f / CPI * (E_pipeline / W + sum over classes of share * E_class + extras) + P_constant) * (V/V0)^2
    static  = leakage below threshold * (V/V0)^(1+k) * ioff(T)/ioff(360 K) + leakage through the gate * V/V0

`core_energies` looks up (points only), `instruction_energy` mixes the classes, and `core_power` joins with clock, CPI
and voltage in plain arithmetic, which takes ranges. On the grid of the tables this is McPAT itself (to 0.01 %); with
another supply or L1 size 1 % off on average, at a width between 8 %. McPAT itself is good to 30 % at best: the peak
power of its example chips comes out 8 to 31 % low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.models.power.activity import CoreActivity
from dse.models.power.composition import Power
from dse.models.power.core_grids import (
    ENERGIES,
    L1_SIZES,
    LEAKAGES,
    TABULATED,
    VALUES,
    WIDTHS,
    base,
    device_ratio,
    l1_values,
    thread_ratio,
    unit_values,
    x86_ratio,
)
from dse.models.power.grids import between, position
from dse.models.power.limits import Extrapolation, refuse
from dse.models.power.tables import DEVICES, REFERENCE_TEMPERATURE, same
from dse.models.power.technology import scale_below_tables
from dse.models.power.transistors import (
    device_position,
    leakage_temperature_factor,
    node_position,
    transistors,
    voltage_factors,
)

__all__ = ["CoreEnergies", "core_energies", "core_power", "instruction_energy"]

_ADDED = ("area", *LEAKAGES)  # of another L1 size McPAT's difference is added; energies take the ratio


@dataclass(frozen=True)
class CoreEnergies:
    """A core at the nominal voltage of its technology and the temperature asked for; every field by design.

    Attributes
    ----------
    area : ndarray
        m^2.
    subthreshold_leakage, gate_leakage, gated_leakage : ndarray
        W; gated is what is left below threshold with the power gates closed.
    constant_power : ndarray
        Dynamic power that is there at any clock and load, W.
    pipeline_energy : ndarray
        Per cycle at full width, J.
    integer_energy, multiply_energy, float_energy, load_energy, store_energy, branch_energy : ndarray
        Per instruction that hits in the L1 caches, J; float is one scalar double-precision operation.
    mispredict_energy, instruction_miss_energy, write_miss_energy : ndarray
        Extra per event, J.
    l1_read_energy, l1_write_energy : ndarray
        Of an access to the L1 data cache, J; the line that a read miss brings is charged as a write.
    float_lane_energy, integer_lane_energy : ndarray
        Of every further lane of a vector operation, J; an assumption, McPAT knows no vectors (confidence low).
    voltage, leakage_exponent : ndarray
        V0 (V) and k of `transistors`.
    width : ndarray
    extrapolated : ndarray of bool
        Where the tables were left; `reasons` says why.
    reasons : tuple of str
    """

    area: np.ndarray
    subthreshold_leakage: np.ndarray
    gated_leakage: np.ndarray
    gate_leakage: np.ndarray
    constant_power: np.ndarray
    pipeline_energy: np.ndarray
    integer_energy: np.ndarray
    multiply_energy: np.ndarray
    float_energy: np.ndarray
    load_energy: np.ndarray
    store_energy: np.ndarray
    branch_energy: np.ndarray
    mispredict_energy: np.ndarray
    instruction_miss_energy: np.ndarray
    write_miss_energy: np.ndarray
    l1_read_energy: np.ndarray
    l1_write_energy: np.ndarray
    float_lane_energy: np.ndarray
    integer_lane_energy: np.ndarray
    voltage: np.ndarray
    leakage_exponent: np.ndarray
    width: np.ndarray
    extrapolated: np.ndarray
    reasons: tuple[str, ...]


def core_energies(
    *,
    technology: Any,
    width: Any,
    in_order: Any = False,
    device: Any = "HP",
    l1_size: Any = 32768.0,
    threads: Any = 1,
    x86: bool = False,
    temperature: Any = REFERENCE_TEMPERATURE,
    extra_float_units: Any = 0.0,
    extra_integer_units: Any = 0.0,
    dynamic_only: bool = False,
    allowed: bool = False,
) -> CoreEnergies:
    """Look up cores. Points only; all arguments broadcast.

    Parameters
    ----------
    technology : array_like
        m: 22, 32, 45, 65 or 90 nm; below, the 22 nm core with the factors of `scaling_factor` (16, 14, 10, 7, 5 and
        3 nm), HP only. The whole area, L1 caches included, goes with the factor of logic.
    width : array_like
        Instructions fetched, decoded, issued and committed per cycle: 1, 2, 4 in order and 2, 4, 6, 8 out of order.
    in_order : array_like of bool
    device : array_like of str
        HP; LOP or LSTP at 22 and 45 nm. LOP at 22 nm for `dynamic_only`, because its leakage is invalid.
    l1_size : array_like
        Of each of the two L1 caches, B: 16 to 64 KiB at 22, 45 and 90 nm; 32 KiB anywhere.
    threads : array_like
        Hardware threads: 1; 2 and 4 as tabulated at 22 nm (4-wide out of order; 2-wide in order, 4 only).
    x86 : bool
        Whether instructions are decoded from x86: as tabulated for the 4-wide core at 22 and 45 nm. The energy of the
        pipeline stays that of the RISC core, as McPAT's is an artefact.
    temperature : array_like
        K, 300 to 400.
    extra_float_units, extra_integer_units : array_like
        Floating-point units and ALUs beside those of the table (further lanes of vector units): they add area and
        leakage (confidence low).
    dynamic_only : bool
        Whether invalid leakage may come as NaN instead of a refusal.
    allowed : bool
        Whether the tables may be left, with a mark: widths between (areas are off by up to 19 %), other L1 sizes,
        threads and x86 on cores they are not tabulated for, temperatures outside.

    Returns
    -------
    CoreEnergies

    Raises
    ------
    InputError
        What is not in the tables. Widths outside, and technologies without factors, are refused in any case.
    """
    marks = Extrapolation(allowed)
    technology = np.asarray(technology, dtype=float)
    node, kind, order, lanes, size, smt = np.broadcast_arrays(
        node_position(technology, "energy", "logic area", "leakage"),
        device_position(device),
        np.where(np.asarray(in_order, dtype=bool), 0, 1),
        np.asarray(width, dtype=float),
        np.asarray(l1_size, dtype=float),
        np.asarray(threads, dtype=float),
    )
    low, weight = _width_position(order, lanes, marks)
    _refuse_devices(kind, order, node)
    values = _with_l1(node, kind, order, low, weight, size, marks)
    _threads(values, node, kind, order, lanes, smt, marks)
    if x86:
        _x86(values, node, kind, order, lanes, marks)
    for part, extra in (("fpus", extra_float_units), ("alus", extra_integer_units)):
        _units(values, part, np.asarray(extra, dtype=float), node, kind, order, low)
    invalid = (DEVICES.index("LOP") == kind) & (node == 0)
    if not dynamic_only:
        refuse("leakage at 22 nm of device", invalid, "LOP", "HP or LSTP; McPAT's is invalid (dynamic_only=True)")
    for name in LEAKAGES:
        values[name] = np.where(invalid, np.nan, values[name])
    names = np.where(invalid, "HP", np.asarray(DEVICES)[kind])
    warm = leakage_temperature_factor(temperature, technology, names, marks=marks)
    for name in ("subthreshold_leakage", "gated_leakage"):
        values[name] = values[name] * warm
    kinds = transistors(technology, device)
    scale_below_tables(
        values,
        technology,
        energies=(*ENERGIES, "constant_power"),
        area="logic area",
        voltage=kinds.voltage,
        exponent=kinds.leakage_exponent,
    )
    values |= {"voltage": kinds.voltage, "leakage_exponent": kinds.leakage_exponent, "width": lanes}
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    values = {name: np.broadcast_to(value, shape).copy() for name, value in values.items()}
    return CoreEnergies(**values, extrapolated=marks.of_shape(np.empty(shape)), reasons=tuple(marks.reasons))


def _width_position(order: np.ndarray, width: np.ndarray, marks: Extrapolation) -> tuple[np.ndarray, np.ndarray]:
    low, weight = np.zeros(order.shape, dtype=int), np.zeros(order.shape)
    for which, places in enumerate(TABULATED):
        here = order == which
        knots = np.array(WIDTHS, dtype=float)[list(places)]
        text = f"{', '.join(f'{knot:g}' for knot in knots)} {'in order' if which == 0 else 'out of order'}"
        refuse("width", here & ~((width >= knots[0]) & (width <= knots[-1])), width, text)
        place, share = position(knots, np.where(here, width, knots[0]))
        low, weight = np.where(here, place + places[0], low), np.where(here, share, weight)
    text = "1, 2, 4 in order or 2, 4, 6, 8 out of order"
    reason = "units, ports and queues change in whole steps between the tabulated widths"
    marks.add("width", (weight != 0.0) & (weight != 1.0), width, text, reason)
    return low, weight


def _refuse_devices(kind: np.ndarray, order: np.ndarray, node: np.ndarray) -> None:
    missing = np.isnan(device_ratio("area")[kind, order, node])
    refuse("device", missing, np.asarray(DEVICES)[kind], "HP, or LOP and LSTP at 22 and 45 nm")


def _with_l1(
    node: np.ndarray,
    kind: np.ndarray,
    order: np.ndarray,
    low: np.ndarray,
    weight: np.ndarray,
    size: np.ndarray,
    marks: Extrapolation,
) -> dict[str, np.ndarray]:
    refuse("l1_size in B", ~(size > 0), size, "a size above 0")
    other = ~same(size, L1_SIZES[1])
    outside = (size < L1_SIZES[0] * (1 - 1e-9)) | (size > L1_SIZES[-1] * (1 + 1e-9))
    marks.add("l1_size in B", outside, size, "16 KiB to 64 KiB", "outside the tabulated L1 sizes")
    reason = "L1 sizes other than 32 KiB are tabulated at 22, 45 and 90 nm only"
    marks.add("l1_size in B", other & ((node == 1) | (node == 3)), size, "32768", reason)
    place, share = position(L1_SIZES, size)
    values = {}
    for name in VALUES:
        grid, caches = base(name), l1_values(name)
        value = between(grid[order, node, low], grid[order, node, np.minimum(low + 1, len(WIDTHS) - 1)], weight)
        if other.any():
            new, old = between(caches[node, place], caches[node, place + 1], share), caches[node, 1]
            changed = value + (new - old) if name in _ADDED else value * np.where(old > 0, new / _nonzero(old), 1.0)
            value = np.where(other, changed, value)
        values[name] = value * device_ratio(name)[kind, order, node]
    return values


def _nonzero(values: np.ndarray) -> np.ndarray:
    return np.where(values == 0, 1.0, values)


def _threads(
    values: dict[str, np.ndarray],
    node: np.ndarray,
    kind: np.ndarray,
    order: np.ndarray,
    width: np.ndarray,
    threads: np.ndarray,
    marks: Extrapolation,
) -> None:
    refuse("threads", ~np.isin(threads, (1, 2, 4)), threads, "1, 2, 4")
    if not (threads > 1).any():
        return
    tabulated = (node == 0) & (kind == 0) & np.where(order == 1, width == 4, (width == 2) & (threads != 2))
    text = "1, or 2 and 4 at 22 nm HP on a 4-wide out-of-order core (4 on a 2-wide in-order one)"
    marks.add("threads", (threads > 1) & ~tabulated, threads, text, "not tabulated for this core")
    for name in VALUES:
        ratio = thread_ratio(name)[order, np.where(threads == 4, 1, 0)]
        values[name] = np.where(threads > 1, values[name] * ratio, values[name])


def _x86(
    values: dict[str, np.ndarray],
    node: np.ndarray,
    kind: np.ndarray,
    order: np.ndarray,
    width: np.ndarray,
    marks: Extrapolation,
) -> None:
    tabulated = ((node == 0) | (node == 2)) & (kind == 0) & (order == 1) & (width == 4)
    text = "4, out of order, at 22 or 45 nm HP"
    marks.add("x86 core of width", ~tabulated, width, text, "x86 is not tabulated for this core")
    for name in VALUES:
        values[name] = values[name] * x86_ratio(name)[node]


def _units(
    values: dict[str, np.ndarray],
    part: str,
    extra: np.ndarray,
    node: np.ndarray,
    kind: np.ndarray,
    order: np.ndarray,
    low: np.ndarray,
) -> None:
    refuse(f"extra {part}", ~(extra >= 0), extra, "0 or more")
    if not extra.any():
        return
    for name in ("area", "subthreshold_leakage", "gate_leakage"):
        unit_value = unit_values(part, name)[order, node, low] * device_ratio(name)[kind, order, node]
        values[name] = values[name] + extra * unit_value


def instruction_energy(core: CoreEnergies, activity: CoreActivity) -> Any:
    """Energy of a mean instruction at nominal voltage, J, without the pipeline.

    Parameters
    ----------
    core : CoreEnergies
    activity : CoreActivity
        Per instruction; its shares must add up to 1.

    Returns
    -------
    ndarray
    """
    mix = (
        activity.integer * core.integer_energy
        + activity.multiply * core.multiply_energy
        + activity.float * core.float_energy
        + activity.load * core.load_energy
        + activity.store * core.store_energy
        + activity.branch * core.branch_energy
    )
    return (
        mix * (1.0 + activity.wrong_path)
        + activity.float_lanes * core.float_lane_energy
        + activity.integer_lanes * core.integer_lane_energy
        + activity.mispredicts * core.mispredict_energy
        + activity.instruction_misses * core.instruction_miss_energy
        + (activity.read_misses + activity.extra_writes) * core.l1_write_energy
        + activity.extra_reads * core.l1_read_energy
        + activity.write_misses * core.write_miss_energy
    )


def core_power(
    core: CoreEnergies,
    *,
    instruction_energy: Any,
    frequency: Any,
    cycles_per_instruction: Any,
    voltage_ratio: Any,
) -> Power:
    """Power of a core at work, without its L2 cache.

    Parameters
    ----------
    core : CoreEnergies
        Its fields may be numbers, arrays or ranges.
    instruction_energy : array_like
        J, of `instruction_energy`.
    frequency : array_like
        Hz. With it goes a voltage, so there is no default for that: `voltage.operating_points`.
    cycles_per_instruction : array_like
    voltage_ratio : array_like
        V/V0, at least 0.75 (`voltage.check_voltage`).

    Returns
    -------
    Power
        Static: leakage. Dynamic: all else, with the constant part.
    """
    supply = voltage_factors(voltage_ratio, core.leakage_exponent)
    rate = frequency / cycles_per_instruction
    dynamic = rate * (instruction_energy + core.pipeline_energy / core.width) + core.constant_power
    static = core.subthreshold_leakage * supply.subthreshold + core.gate_leakage * supply.gate
    return Power(static, dynamic * supply.dynamic)
