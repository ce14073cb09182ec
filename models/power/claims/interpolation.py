"""How good interpolation in the power tables is: every inner row left out and read between its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dse.models.power.core_grids import L1_SIZES, ORDERS, TABULATED, WIDTHS, base, l1_values
from dse.models.power.grids import interpolated, monotone, monotone_slopes
from dse.models.power.tables import NODES, power_table, same
from dse.models.power.transistors import TEMPERATURES

__all__ = ["LeftOut", "left_out"]


class LeftOut(NamedTuple):
    """Errors of one value of one table.

    Attributes
    ----------
    table : str
        What was interpolated over what.
    value : str
    errors : (n,) ndarray
        Relative, with sign, one per row left out.
    used : bool
        Whether a look-up interpolates like this; the others show why none does.
    """

    table: str
    value: str
    errors: np.ndarray
    used: bool


CORE_VALUES = (
    *("area", "subthreshold_leakage", "gate_leakage", "integer_energy", "float_energy", "load_energy"),
    *("store_energy", "pipeline_energy"),
)
CACHE_VALUES = ("area", "subthreshold_leakage", "read_hit_energy", "write_hit_energy", "access_time")


def left_out() -> list[LeftOut]:
    """Return the errors of every table that is interpolated, and of technologies, which are not."""
    records = []
    for value in CACHE_VALUES:
        records.append(_record("caches over size", value, _caches(value), True))
    for value in CORE_VALUES:
        records.append(_record("cores over L1 size (32 KiB)", value, _first_levels(value), True))
    for value in CORE_VALUES:
        records.append(_record("cores out of order over width (4, 6)", value, _widths(value, 1), True))
    for value in CORE_VALUES:
        records.append(_record("cores in order over width (2)", value, _widths(value, 0), True))
    for value in ("area", "subthreshold_leakage", "flit_energy"):
        records.append(_record("routers over flit", value, _routers(value), True))
    for value in ("area", "subthreshold_leakage", "access_energy"):
        records.append(_record("memory controllers over bandwidth", value, _controllers(value), True))
    records.append(_record("off current over temperature", "HP, 45 nm and above", _temperatures(NODES[2:]), True))
    records.append(_record("off current over temperature", "HP, 22 and 32 nm", _temperatures(NODES[:2]), True))
    for value in CORE_VALUES:
        records.append(_record("cores over technology", value, _technologies(value), False))
    return records


def _record(table: str, value: str, errors: Iterator[float], used: bool) -> LeftOut:
    return LeftOut(table, value, np.array(list(errors)), used)


def _inner(knots: np.ndarray, values: np.ndarray) -> Iterator[float]:
    """Yield the relative error at every knot but the first and the last, read from all others."""
    for place in range(1, len(knots) - 1):
        keep = np.arange(len(knots)) != place
        yield float(interpolated(knots[keep], values[keep], knots[place]) / values[place] - 1.0)


def _caches(value: str) -> Iterator[float]:
    table = power_table("caches")
    for level in ("L2", "L3"):
        for node in NODES:
            keep = (table["level"] == level) & (table["device"] == "HP") & same(table["technology"], node)
            rows = table.rows(keep)
            order = np.argsort(rows["size"])
            yield from _inner(rows["size"][order], rows[value][order])


def _first_levels(value: str) -> Iterator[float]:
    for node in (0, 2, 4):
        yield from _inner(np.array(L1_SIZES), l1_values(value)[node])


def _widths(value: str, order: int) -> Iterator[float]:
    places = list(TABULATED[order])
    for node in range(len(NODES)):
        yield from _inner(np.array(WIDTHS, dtype=float)[places], base(value)[order, node, places])


def _technologies(value: str) -> Iterator[float]:
    for order in range(len(ORDERS)):
        for width in TABULATED[order]:
            yield from _inner(np.array(NODES), base(value)[order, :, width])


def _routers(value: str) -> Iterator[float]:
    table = power_table("routers")
    for node in NODES:
        for ports in (5, 8):
            rows = table.rows(same(table["technology"], node) & (table["ports"] == ports))
            yield from _inner(rows["flit"], rows[value])


def _controllers(value: str) -> Iterator[float]:
    table = power_table("memory-controllers")
    for node in NODES:
        rows = table.rows(same(table["technology"], node) & (table["design"] == "high-performance"))
        yield from _inner(rows["peak_bandwidth"], rows[value])


def _temperatures(nodes: tuple[float, ...]) -> Iterator[float]:
    table = power_table("transistors")
    warmth = np.array(TEMPERATURES)
    for node in nodes:
        row = np.flatnonzero((table["device"] == "HP") & same(table["technology"], node))[0]
        currents = np.log(np.array([table[f"off_current_{level:g}"][row] for level in TEMPERATURES]))
        for place in range(1, len(warmth) - 1):
            keep = np.arange(len(warmth)) != place
            slopes = monotone_slopes(warmth[keep], currents[keep])
            yield float(np.exp(monotone(warmth[keep], currents[keep], slopes, warmth[place]) - currents[place]) - 1.0)
