"""What is said of the McPAT tables beside what the functions give: laws, variants, interpolation, example chips."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.authoring.table import Table
from dse.models.power.caches import cache_energies
from dse.models.power.claims.interpolation import left_out
from dse.models.power.core import core_energies
from dse.models.power.core_grids import ORDERS
from dse.models.power.tables import power_table, same
from dse.models.power.transistors import leakage_temperature_factor, voltage_factors

__all__ = ["core_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "power")
MCPAT = "own runs of McPAT 1.3, described with the tables"


def core_claims() -> list[Claim]:
    """Return every figure given for the tables of cores and caches."""
    return [
        *_temperature(),
        *_voltage(),
        *_variants(),
        *_classes(),
        *_interpolation(),
        *_chips(),
        *FIGURES.not_checkable(),
    ]


def _rows(node: float, **wanted: Any) -> Table:
    """Return the rows of the 4-wide out-of-order HP core at a technology."""
    table = power_table("cores")
    given = {"order": ORDERS[1], "device": "HP", "isa": "RISC", "arrays": "energy-delay"} | wanted
    keep = same(table["technology"], node) & (table["width"] == 4)
    for name in ("order", "device", "isa", "arrays"):
        keep &= table[name] == given[name]
    for name, value in {"l1_data": 32768.0, "threads": 1.0}.items():
        keep &= same(table[name], given.get(name, value))
    return table.rows(keep)


def _temperature() -> Iterator[Claim]:
    rows = _rows(22e-9)
    base = rows["subthreshold_leakage"][same(rows["temperature"], 360.0) & same(rows["voltage"], 0.8)][0]
    for warmth in (300.0, 330.0, 400.0):
        computed = float(leakage_temperature_factor(warmth, 22e-9))
        what = f"22 nm HP: leakage at {warmth:.0f} K over that at 360 K"
        yield FIGURES.claim(what, computed)
        run = float(rows["subthreshold_leakage"][same(rows["temperature"], warmth)][0] / base)
        tolerance = 0.006 if warmth == 330.0 else 5e-6
        yield Claim("power", f"{what}, to more digits", MCPAT, run, computed, relative_tolerance=tolerance)


def _voltage() -> Iterator[Claim]:
    for node, nominal, exponent in ((22e-9, 0.8, 2.0), (45e-9, 1.0, 4.0)):
        rows = _rows(node)
        rows = rows.rows(same(rows["temperature"], 360.0))
        at = {float(voltage): row for row, voltage in enumerate(rows["voltage"])}
        for voltage, row in sorted(at.items()):
            if voltage == nominal:
                continue
            factors = voltage_factors(voltage / nominal, exponent)
            name = f"{node * 1e9:.0f} nm HP at {voltage:g} V over {nominal:g} V"
            for column, factor, tolerance, what in (
                ("subthreshold_leakage", factors.subthreshold, 2e-2, "leakage below threshold"),
                ("gate_leakage", factors.gate, 2e-2, "leakage through the gate"),
                ("constant_power", factors.dynamic, 1e-5, "constant power"),
                ("pipeline_energy", factors.dynamic, 1e-5, "energy of the pipeline"),
                ("integer_energy", factors.dynamic, 4e-2, "energy of an integer instruction"),
                ("load_energy", factors.dynamic, 4e-2, "energy of a load"),
            ):
                run = float(rows[column][row] / rows[column][at[nominal]])
                yield Claim("power", f"{name}: {what}", MCPAT, run, float(factor), relative_tolerance=tolerance)


def _variants() -> Iterator[Claim]:
    plain = core_energies(technology=22e-9, width=4)
    for threads in (2, 4):
        many = core_energies(technology=22e-9, width=4, threads=threads)
        for what, ratio in (
            ("area", many.area / plain.area),
            ("energy of the pipeline", many.pipeline_energy / plain.pipeline_energy),
        ):
            computed = 100.0 * (float(ratio) - 1.0)
            yield FIGURES.claim(f"{threads} threads on a 4-wide core at 22 nm: more {what} in percent", computed)
    x86 = core_energies(technology=22e-9, width=4, x86=True)
    more = ((x86.integer_energy, plain.integer_energy), (x86.area, plain.area))
    yield FIGURES.claim(
        "x86 decoding on a 4-wide core at 22 nm: more energy of an integer instruction, and area, in percent",
        tuple(100.0 * (float(a / b) - 1.0) for a, b in more),
    )
    base = _rows(45e-9)
    base = base.rows(same(base["voltage"], 1.0))
    chased = _rows(45e-9, arrays="clock")
    for clock in (2e9, 3e9):
        row = np.flatnonzero(same(chased["clock"], clock))[0]
        names = ("area", "subthreshold_leakage", "load_energy")
        figures = tuple(100.0 * (float(chased[name][row] / base[name][0]) - 1.0) for name in names)
        what = f"arrays for {clock / 1e9:g} GHz at 45 nm: more area, leakage and energy of a load, in percent"
        yield FIGURES.claim(what, figures)
    constants = tuple(float(core_energies(technology=node, width=4).constant_power) for node in (90e-9, 22e-9))
    yield FIGURES.claim("constant power at 90 and 22 nm", constants)


# terms of an energy per instruction: events, how often; beside fetch and decode, caches of instructions and reordering
_CLASSES = {
    "integer": "2 register_read, register_write, rename_write, alu, alu_result_bus",
    "multiply": "2 register_read, register_write, rename_write, multiplier, multiplier_result_bus",
    "float": "2 float_register_read, float_register_write, float_rename_write, fpu, fpu_result_bus",
    "load": "register_read, register_write, rename_write, alu, alu_result_bus, load_queue, l1d_read, dtlb",
    "store": "2 register_read, alu, store_queue, l1d_write, dtlb",
    "branch": "register_read, alu, alu_result_bus, predictor, target_buffer_read",
}
_WINDOW = "window_write, window_read, 2 window_wakeup, 2 rename_read"


def _classes() -> Iterator[Claim]:
    cores, events = power_table("cores"), power_table("core-events")
    place = {name: row for row, name in enumerate(cores["name"])}
    rows = np.array([place[name] for name in events["name"]])
    for name, terms in _CLASSES.items():
        window = ", ".join(f"{'2 float_' + t[2:] if t[:2] == '2 ' else 'float_' + t}" for t in _WINDOW.split(", "))
        text = f"fetch_and_decode, reorder_write, reorder_read, {window if name == 'float' else _WINDOW}, {terms}"
        total = (events["l1i_read"] + events["itlb"]) / events["width"]
        for term in text.split(", "):
            count, _, event = term.rpartition(" ")
            total = total + float(count or 1) * events[event]
        worst = float(np.abs(total / cores[f"{name}_energy"][rows] - 1.0).max())
        yield FIGURES.claim(
            f"energy of a {name} instruction is the sum of its events: largest difference over {len(rows)} cores", worst
        )


def _interpolation() -> Iterator[Claim]:
    for record in left_out():
        value = record.value.replace("_", " ")
        title = f"rows left out, {record.table}, {value}: mean and largest error in percent"
        if title in FIGURES:
            errors = 100.0 * np.abs(record.errors)
            yield FIGURES.claim(title, (float(errors.mean()), float(errors.max())))


def _chips() -> Iterator[Claim]:
    table = power_table("example-chips")
    for row, name in enumerate(table["name"]):
        if table["published_power"][row] == 0:
            continue
        computed = tuple(
            100.0 * float(table[f"{prefix}{what}"][row] / table[f"published_{what}"][row] - 1.0)
            for prefix, what in (("peak_", "power"), ("", "area"))
        )
        what = f"McPAT's example chip {name}: peak power and area over the published ones, in percent"
        yield FIGURES.claim(what, computed)
    yield FIGURES.claim("12 cores, 12 L2 caches and 30 MiB of L3 at 22 nm, 2.7 GHz, peak", _ivy_bridge_peak())


def _ivy_bridge_peak() -> float:
    """Peak power of such a chip from the tables: peak dynamic power goes with the clock beside its constant part."""
    rows = _rows(22e-9)
    row = int(np.flatnonzero(same(rows["temperature"], 360.0) & same(rows["voltage"], 0.8))[0])
    constant, faster = rows["constant_power"][row], 2.7e9 / rows["clock"][row]
    core = (rows["peak_dynamic_power"][row] - constant) * faster + constant
    core += rows["subthreshold_leakage"][row] + rows["gate_leakage"][row]
    caches = power_table("caches")
    of_22 = caches.rows(same(caches["technology"], 22e-9) & (caches["device"] == "HP"))
    small = of_22.rows((of_22["level"] == "L2") & same(of_22["size"], 262144.0))
    l2 = small["peak_dynamic_power"][0] * faster + small["subthreshold_leakage"][0] + small["gate_leakage"][0]
    l3 = cache_energies("L3", size=30 * 2.0**20, technology=22e-9)
    return float(12 * (core + l2) + l3.subthreshold_leakage + l3.gate_leakage)
