"""What is said of the McPAT tables beside what the functions give: laws, variants, interpolation, example chips."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dse.authoring.claims import Claim
from dse.authoring.table import Table
from dse.models.power._claims import MCPAT, claim
from dse.models.power.accuracy import left_out
from dse.models.power.caches import cache_energies
from dse.models.power.core import core_energies
from dse.models.power.core_grids import ORDERS
from dse.models.power.devices import leakage_temperature_factor, voltage_factors
from dse.models.power.tables import power_table, same

__all__ = ["core_claims"]


def core_claims() -> list[Claim]:
    """Return every figure given for the tables of cores and caches."""
    return [*_temperature(), *_voltage(), *_variants(), *_classes(), *_interpolation(), *_chips(), *_not_checkable()]


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
    for warmth, factor in ((300.0, 0.29), (330.0, 0.32), (400.0, 11.5)):
        computed = float(leakage_temperature_factor(warmth, 22e-9))
        what = f"22 nm HP: leakage at {warmth:.0f} K over that at 360 K"
        yield claim(what, MCPAT, factor, computed, absolute_tolerance=0.04 if warmth == 400.0 else 0.0051)
        run = float(rows["subthreshold_leakage"][same(rows["temperature"], warmth)][0] / base)
        yield claim(
            f"{what}, to more digits",
            MCPAT,
            run,
            computed,
            relative_tolerance=0.006 if warmth == 330.0 else 5e-6,
        )


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
                yield claim(f"{name}: {what}", MCPAT, run, float(factor), relative_tolerance=tolerance)


def _variants() -> Iterator[Claim]:
    one = core_energies(technology=22e-9, width=4)
    for threads, area, pipeline in ((2, 4.0, 15.0), (4, 8.0, 45.0)):
        many = core_energies(technology=22e-9, width=4, threads=threads)
        for what, percent, values in (
            ("area", area, many.area / one.area),
            ("energy of the pipeline", pipeline, many.pipeline_energy / one.pipeline_energy),
        ):
            computed = 100.0 * (float(values) - 1.0)
            what = f"{threads} threads on a 4-wide core at 22 nm: more {what} in percent"
            yield claim(what, MCPAT, percent, computed, absolute_tolerance=0.51)
    x86 = core_energies(technology=22e-9, width=4, x86=True)
    more = ((x86.integer_energy, one.integer_energy), (x86.area, one.area))
    yield claim(
        "x86 decoding on a 4-wide core at 22 nm: more energy of an integer instruction, and area, in percent",
        MCPAT,
        (6.5, 8.0),
        tuple(100.0 * (float(a / b) - 1.0) for a, b in more),
        absolute_tolerance=0.51,
    )
    base = _rows(45e-9)
    base = base.rows(same(base["voltage"], 1.0))
    chased = _rows(45e-9, arrays="clock")
    for clock, percents in ((2e9, (12.0, 5.0, 34.0)), (3e9, (16.0, 6.0, 36.0))):
        row = np.flatnonzero(same(chased["clock"], clock))[0]
        names = ("area", "subthreshold_leakage", "load_energy")
        figures = tuple(100.0 * (float(chased[name][row] / base[name][0]) - 1.0) for name in names)
        what = f"arrays for {clock / 1e9:g} GHz at 45 nm: more area, leakage and energy of a load, in percent"
        yield claim(what, MCPAT, percents, figures, absolute_tolerance=0.51)
    constants = tuple(float(core_energies(technology=node, width=4).constant_power) for node in (90e-9, 22e-9))
    yield claim("constant power at 90 and 22 nm", MCPAT, (0.62, 0.27), constants, unit="W", absolute_tolerance=0.0051)


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
        yield claim(
            f"energy of a {name} instruction is the sum of its events: largest difference over {len(rows)} cores",
            MCPAT,
            0.0,
            worst,
            absolute_tolerance=2e-6,
        )


# mean and largest error in percent, as the description of the tables gives them
_LEFT_OUT = {
    ("caches over size", "area"): (8.5, 21.0),
    ("caches over size", "subthreshold_leakage"): (3.6, 7.6),
    ("caches over size", "read_hit_energy"): (3.4, 5.9),
    ("caches over size", "write_hit_energy"): (4.8, 11.0),
    ("caches over size", "access_time"): (2.0, 5.3),
    ("cores out of order over width (4, 6)", "area"): (4.2, 7.9),
    ("cores out of order over width (4, 6)", "subthreshold_leakage"): (2.7, 3.5),
    ("cores out of order over width (4, 6)", "integer_energy"): (8.0, 11.3),
    ("cores out of order over width (4, 6)", "load_energy"): (3.8, 5.8),
    ("cores out of order over width (4, 6)", "pipeline_energy"): (0.1, 0.2),
    ("cores over technology", "area"): (1.2, 2.4),
    ("cores over technology", "pipeline_energy"): (14.0, 23.0),
    ("cores over technology", "subthreshold_leakage"): (16.0, 29.0),
    ("cores over technology", "gate_leakage"): (59.0, 87.0),
    ("cores over technology", "store_energy"): (4.5, 7.3),
}


def _interpolation() -> Iterator[Claim]:
    for record in left_out():
        published = _LEFT_OUT.get((record.table, record.value))
        if published is not None:
            errors = 100.0 * np.abs(record.errors)
            yield claim(
                f"rows left out, {record.table}, {record.value.replace('_', ' ')}: mean and largest error in percent",
                MCPAT,
                published,
                (float(errors.mean()), float(errors.max())),
                absolute_tolerance=0.5 if published[1] >= 10 else 0.06,
            )


def _chips() -> Iterator[Claim]:
    table = power_table("example-chips")
    printed = {"Niagara": (-16.5, -28.7), "Niagara2": (-13.1, -23.2), "Alpha 21364": (-31.2, -21.3)}
    printed |= {"Xeon Tulsa": (-10.0, -5.6), "Cortex-A9 (2 cores)": (-8.3, -19.4)}
    for row, name in enumerate(table["name"]):
        if table["published_power"][row] == 0:
            continue
        computed = tuple(
            100.0 * float(table[f"{prefix}{what}"][row] / table[f"published_{what}"][row] - 1.0)
            for prefix, what in (("peak_", "power"), ("", "area"))
        )
        what = f"McPAT's example chip {name}: peak power and area over the published ones, in percent"
        yield claim(what, MCPAT, printed[name], computed, absolute_tolerance=0.051)
    yield claim(
        "12 cores, 12 L2 caches and 30 MiB of L3 at 22 nm, 2.7 GHz, peak",
        MCPAT,
        55.0,
        _ivy_bridge_peak(),
        unit="W",
        kind="check",
        relative_tolerance=0.1,
        note="the Xeon E5-2697 v2 they resemble is rated 130 W: McPAT leaves out vector units, links and more",
    )


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


def _not_checkable() -> Iterator[Claim]:
    yield claim(
        "46 further runs of McPAT: mean error of a core with another supply or L1 size, dynamic, in percent",
        MCPAT,
        0.8,
        None,
        kind="not checkable",
        note="those runs are not in the tables",
    )
