"""The tables of cores as arrays over order, technology and width, and the ratios of their variants."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dse.authoring.table import Table
from dse.models.power.tables import DEVICES, NODES, REFERENCE_TEMPERATURE, power_table, same

__all__ = ["ENERGIES", "L1_SIZES", "LEAKAGES", "ORDERS", "VALUES", "WIDTHS", "base", "device_ratio", "l1_values"]
__all__ += ["thread_ratio", "unit_counts", "unit_values", "x86_ratio"]

WIDTHS = (1, 2, 4, 6, 8)
"""Widths of the tables: 1, 2, 4 in order and 2, 4, 6, 8 out of order."""

ORDERS = ("in-order", "out-of-order")
TABULATED = ((0, 1, 2), (1, 2, 3, 4))  # positions in `WIDTHS`, by order
REFERENCE_WIDTHS = (2, 4)  # by order: the core of which there are variants

L1_SIZES = (16384.0, 32768.0, 65536.0)
"""Sizes of each of the two L1 caches in the tables, B."""

LEAKAGES = ("subthreshold_leakage", "gated_leakage", "gate_leakage")
_CLASSES = ("integer", "multiply", "float", "load", "store", "branch")
_COLUMNS = {"area": "area", **{name: name for name in (*LEAKAGES, "constant_power", "pipeline_energy")}}
_COLUMNS |= {f"{name}_energy": f"{name}_energy" for name in (*_CLASSES, "mispredict", "instruction_miss", "write_miss")}
_EVENTS = {
    "l1_read_energy": ("l1d_read",),
    "l1_write_energy": ("l1d_write",),
    "float_lane_energy": (
        "fpu",
        "float_register_read",
        "float_register_read",
        "float_register_write",
        "fpu_result_bus",
    ),
    "integer_lane_energy": ("alu", "register_read", "register_read", "register_write", "alu_result_bus"),
}
VALUES = (*_COLUMNS, *_EVENTS)
ENERGIES = tuple(name for name in VALUES if name.endswith("_energy"))


def _cores(order: int, **wanted: object) -> Table:
    """Return the rows at nominal voltage, 360 K and with arrays not made for a clock."""
    table = power_table("cores")
    nominal = {(row["device"], round(row["technology"] * 1e9)): row["voltage"] for row in _devices()}
    keep = (table["order"] == ORDERS[order]) & (table["arrays"] == "energy-delay")
    keep &= same(table["temperature"], REFERENCE_TEMPERATURE)
    rows = zip(table["device"], table["technology"], table["voltage"], strict=True)
    keep &= np.array([abs(voltage - nominal[device, round(node * 1e9)]) < 1e-9 for device, node, voltage in rows])
    given = {"device": "HP", "l1_data": 32768.0, "threads": 1.0, "isa": "RISC"} | wanted
    for name, value in given.items():
        keep &= (table[name] == value) if isinstance(value, str) else same(table[name], float(value))  # type: ignore[arg-type]
    return table.rows(keep)


def _devices() -> list[dict[str, Any]]:
    table = power_table("transistors")
    names = ("device", "technology", "voltage")
    return [dict(zip(names, row, strict=True)) for row in zip(*(table[name] for name in names), strict=True)]


def _values(rows: Table, name: str) -> np.ndarray:
    """Return a column of rows of cores.csv, or the sum of events of the same cores."""
    if name in _COLUMNS:
        return rows[_COLUMNS[name]]
    events = power_table("core-events")
    place = {core: row for row, core in enumerate(events["name"])}
    counts = [[events[event][place[core]] for event in _EVENTS[name]] for core in rows["name"]]
    return np.array([sum(core_counts) for core_counts in counts])


@cache
def base(name: str) -> np.ndarray:
    """Return a value of the base cores by order, technology and width; NaN where there is no such core."""
    grid = np.full((len(ORDERS), len(NODES), len(WIDTHS)), np.nan)
    for order in range(len(ORDERS)):
        rows = _cores(order)
        for node, width, value in zip(rows["technology"], rows["width"], _values(rows, name), strict=True):
            grid[order, _nearest(NODES, node), WIDTHS.index(int(width))] = value
    return grid


@cache
def device_ratio(name: str) -> np.ndarray:
    """Return value over that with HP transistors, by device, order and technology; NaN where there is no row."""
    grid = np.full((len(DEVICES), len(ORDERS), len(NODES)), np.nan)
    grid[0] = 1.0
    for order in range(len(ORDERS)):
        for kind in (1, 2):
            rows = _cores(order, device=DEVICES[kind])
            for node, value in zip(rows["technology"], _values(rows, name), strict=True):
                n = _nearest(NODES, node)
                reference = base(name)[order, n, WIDTHS.index(REFERENCE_WIDTHS[order])]
                grid[kind, order, n] = value / reference if reference else 1.0
    return grid


@cache
def l1_values(name: str) -> np.ndarray:
    """Return a value of the 4-wide out-of-order core by technology and L1 size.

    At 32 and 65 nm, of which there are no rows but 32 KiB, it has the ratios between those of the neighbours.
    """
    grid = np.full((len(NODES), len(L1_SIZES)), np.nan)
    for s, size in enumerate(L1_SIZES):
        rows = _cores(1, l1_data=size, width=4)
        for node, value in zip(rows["technology"], _values(rows, name), strict=True):
            grid[_nearest(NODES, node), s] = value
    for n in np.flatnonzero(np.isnan(grid[:, 0])):
        weight = np.log(NODES[n] / NODES[n - 1]) / np.log(NODES[n + 1] / NODES[n - 1])
        low, high = (grid[m] / grid[m, 1] for m in (n - 1, n + 1))
        grid[n] = grid[n, 1] * low ** (1 - weight) * high**weight if grid[n, 1] else 0.0
    return grid


@cache
def thread_ratio(name: str) -> np.ndarray:
    """Return value with 2 and with 4 threads over that with one, by order, at 22 nm; in order, 2 lies between."""
    grid = np.ones((len(ORDERS), 2))
    if name not in _COLUMNS:
        return grid
    for order in range(len(ORDERS)):
        reference = base(name)[order, 0, WIDTHS.index(REFERENCE_WIDTHS[order])]
        for place, threads in enumerate((2, 4)):
            if order == 0 and threads == 2:
                continue
            value = _values(_cores(order, threads=threads), name)[0]
            grid[order, place] = value / reference if reference else 1.0
    grid[0, 0] = np.sqrt(grid[0, 1])
    return grid


@cache
def x86_ratio(name: str) -> np.ndarray:
    """Return value with x86 decoding over that without, by technology: of 22 nm up to 32 nm, of 45 nm above."""
    if name not in _COLUMNS or name == "pipeline_energy":
        return np.ones(len(NODES))
    rows = _cores(1, isa="x86")
    by_node = {
        _nearest(NODES, node): value for node, value in zip(rows["technology"], _values(rows, name), strict=True)
    }
    ratio = {n: value / base(name)[1, n, WIDTHS.index(4)] if value else 1.0 for n, value in by_node.items()}
    return np.array([ratio[0], ratio[0], ratio[2], ratio[2], ratio[2]])


@cache
def unit_values(part: str, name: str) -> np.ndarray:
    """Return area or leakage of one unit ("fpus" or "alus"), by order, technology and width."""
    table = power_table("core-parts")
    grid = np.full((len(ORDERS), len(NODES), len(WIDTHS)), np.nan)
    for row in np.flatnonzero(table["part"] == part):
        place = ORDERS.index(table["order"][row]), _nearest(NODES, table["technology"][row])
        grid[(*place, WIDTHS.index(int(table["width"][row])))] = table[name][row] / table["count"][row]
    return grid


@cache
def unit_counts(part: str) -> np.ndarray:
    """Return how many units ("fpus" or "alus") a core has, by order and width; NaN where there is no such core."""
    table = power_table("core-parts")
    grid = np.full((len(ORDERS), len(WIDTHS)), np.nan)
    for row in np.flatnonzero(table["part"] == part):
        grid[ORDERS.index(table["order"][row]), WIDTHS.index(int(table["width"][row]))] = table["count"][row]
    return grid


def _nearest(levels: tuple[float, ...], value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(levels) - value)))
