"""Routers of the on-chip network and memory controllers, from tables McPAT 1.3 gave.

A router's energy per bit grows with the width of its flits, because the wires of its crossbar get longer; links are not
included. Of the memory controllers the "high-performance" design costs the same per bit at any rate; of the "low-power"
design only 12.8 GB/s is in the tables, because McPAT lets its energy per bit grow with the square of the rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dse.models.power.composition import Power
from dse.models.power.grids import between, position
from dse.models.power.limits import Extrapolation, refuse
from dse.models.power.tables import NODES, REFERENCE_TEMPERATURE, power_table, same
from dse.models.power.technology import scaling_factor
from dse.models.power.transistors import leakage_temperature_factor, node_position, transistors, voltage_factors

__all__ = ["DESIGNS", "UncoreEnergies", "controller_energies", "router_energies", "uncore_power"]

DESIGNS = ("high-performance", "low-power")
_SCALED = ("energy", "logic area", "leakage")
_PORTS = (5.0, 8.0)
_FLITS = (8.0, 16.0, 32.0, 64.0)  # B
_RATES = (12.8e9, 25.6e9, 38.4e9)
_SHARED = ("area", "subthreshold_leakage", "gated_leakage", "gate_leakage")


@dataclass(frozen=True)
class UncoreEnergies:
    """A router or a memory controller at the nominal voltage of its technology; every field by design.

    Attributes
    ----------
    area : ndarray
        m^2.
    subthreshold_leakage, gated_leakage, gate_leakage : ndarray
        W, at the temperature asked for.
    event_energy : ndarray
        J: router, per flit and hop; controller, per access of a 64 B line.
    constant_power : ndarray
        Dynamic power at any load, W; none of a router.
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
    event_energy: np.ndarray
    constant_power: np.ndarray
    voltage: np.ndarray
    leakage_exponent: np.ndarray
    extrapolated: np.ndarray
    reasons: tuple[str, ...]


@cache
def _router(name: str) -> np.ndarray:
    table = power_table("routers")
    grid = np.full((len(NODES), len(_PORTS), len(_FLITS)), np.nan)
    for n, node in enumerate(NODES):
        for p, ports in enumerate(_PORTS):
            for f, flit in enumerate(_FLITS):
                keep = same(table["technology"], node) & (table["ports"] == ports) & same(table["flit"], flit)
                grid[n, p, f] = table[name][np.flatnonzero(keep)[0]]
    return grid


@cache
def _controller(name: str) -> np.ndarray:
    table = power_table("memory-controllers")
    grid = np.full((len(NODES), len(DESIGNS), len(_RATES)), np.nan)
    for row in range(len(table)):
        n = int(np.flatnonzero(same(np.array(NODES), table["technology"][row]))[0])
        r = int(np.flatnonzero(same(np.array(_RATES), table["peak_bandwidth"][row]))[0])
        grid[n, DESIGNS.index(table["design"][row]), r] = table[name][row]
    return grid


def router_energies(
    *,
    ports: Any,
    flit: Any,
    technology: Any,
    temperature: Any = REFERENCE_TEMPERATURE,
    allowed: bool = False,
) -> UncoreEnergies:
    """Look up routers of two virtual channels. Points only; all arguments broadcast.

    Parameters
    ----------
    ports : array_like
        5 or 8; with `allowed` also between, with a mark.
    flit : array_like
        B: 8 to 64.
    technology : array_like
        m: one of the tables, or 16, 14, 10, 7, 5, 3 nm by factors.
    temperature : array_like
        K, 300 to 400.
    allowed : bool
        Whether the tables may be left, with a mark.
    """
    marks = Extrapolation(allowed)
    tech = np.asarray(technology, dtype=float)
    node, count, width = np.broadcast_arrays(
        node_position(tech, *_SCALED), np.asarray(ports, dtype=float), np.asarray(flit, dtype=float)
    )
    refuse("ports", ~((count >= 1) & (width > 0)), count, "5 or 8, with flits of 8 to 64 B")
    off = ~np.isin(count, _PORTS)
    marks.add("ports", off, count, "5 or 8", "not tabulated")
    outside = (width < _FLITS[0] * (1 - 1e-9)) | (width > _FLITS[-1] * (1 + 1e-9))
    marks.add("flit in B", outside, width, "8 to 64", "outside the tabulated flits")
    (p, by_ports), (f, by_flit) = position(_PORTS, count), position(_FLITS, width)

    def value(name: str) -> np.ndarray:
        grid = _router(name)
        few = between(grid[node, p, f], grid[node, p, f + 1], by_flit)
        many = between(grid[node, p + 1, f], grid[node, p + 1, f + 1], by_flit)
        return between(few, many, by_ports)

    values = {name: value(name) for name in _SHARED}
    values |= {"event_energy": value("flit_energy"), "constant_power": np.zeros(node.shape)}
    return _finished(values, tech, temperature, marks)


def controller_energies(
    *,
    peak_bandwidth: Any,
    technology: Any,
    design: str = "high-performance",
    temperature: Any = REFERENCE_TEMPERATURE,
    allowed: bool = False,
) -> UncoreEnergies:
    """Look up memory controllers of one 64-bit channel, with the interface to the pins. Points only.

    Parameters
    ----------
    peak_bandwidth : array_like
        Of the channel, B/s: 12.8 to 38.4 GB/s; low-power 12.8 GB/s only, in any case.
    technology : array_like
        m: one of the tables, or 16, 14, 10, 7, 5, 3 nm by factors (the pins do not shrink: confidence low).
    design : {"high-performance", "low-power"}
    temperature : array_like
        K, 300 to 400.
    allowed : bool
        Whether bandwidths outside are extrapolated, with a mark.
    """
    refuse("design", design not in DESIGNS, design, ", ".join(DESIGNS))
    marks = Extrapolation(allowed)
    tech = np.asarray(technology, dtype=float)
    node, rate = np.broadcast_arrays(node_position(tech, *_SCALED), np.asarray(peak_bandwidth, dtype=float))
    refuse("peak_bandwidth in B/s", ~(rate > 0), rate, "a bandwidth above 0")
    which = DESIGNS.index(design)
    if which:
        refuse("peak_bandwidth in B/s of a low-power controller", ~same(rate, _RATES[0]), rate, "12.8e9")
    outside = (rate < _RATES[0] * (1 - 1e-9)) | (rate > _RATES[-1] * (1 + 1e-9))
    text = "12.8e9 to 38.4e9"
    marks.add("peak_bandwidth in B/s", outside, rate, text, "outside the tabulated bandwidths")
    low, weight = position(_RATES, rate)

    def value(name: str) -> np.ndarray:
        grid = _controller(name)[:, which]
        return grid[node, 0] if which else between(grid[node, low], grid[node, low + 1], weight)

    values = {name: value(name) for name in _SHARED}
    values |= {"event_energy": value("access_energy"), "constant_power": value("constant_power")}
    return _finished(values, tech, temperature, marks)


def _finished(
    values: dict[str, np.ndarray], technology: np.ndarray, temperature: Any, marks: Extrapolation
) -> UncoreEnergies:
    warm = leakage_temperature_factor(temperature, technology, marks=marks)
    kinds = transistors(technology)
    below = technology < 21.9e-9
    supply = np.where(below, kinds.voltage / 0.8, 1.0)
    energy, area = scaling_factor("energy", technology), scaling_factor("logic area", technology)
    leakage = scaling_factor("leakage", technology)
    factors = {
        "area": area,
        "event_energy": energy,
        "constant_power": energy,
        "gate_leakage": leakage * supply,
        "subthreshold_leakage": leakage * supply ** (1.0 + kinds.leakage_exponent) * warm,
        "gated_leakage": leakage * supply ** (1.0 + kinds.leakage_exponent) * warm,
    }
    values = {name: value * factors[name] for name, value in values.items()}
    values |= {"voltage": kinds.voltage, "leakage_exponent": kinds.leakage_exponent}
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    values = {name: np.broadcast_to(value, shape).copy() for name, value in values.items()}
    return UncoreEnergies(**values, extrapolated=marks.of_shape(np.empty(shape)), reasons=tuple(marks.reasons))


def uncore_power(part: UncoreEnergies, *, events_per_second: Any, count: Any = 1.0, voltage_ratio: Any = 1.0) -> Power:
    """Power of routers or memory controllers; plain arithmetic, which takes ranges.

    Parameters
    ----------
    part : UncoreEnergies
        One of them. Its fields may be numbers, arrays or ranges.
    events_per_second : array_like
        Flits and hops (each access to the L3 cache or memory sends a request and a line), or accesses to memory, of
        all of them together.
    count : array_like
        How many there are.
    voltage_ratio : array_like
        V/V0, at least 0.75.
    """
    supply = voltage_factors(voltage_ratio, part.leakage_exponent)
    static = count * (part.subthreshold_leakage * supply.subthreshold + part.gate_leakage * supply.gate)
    return Power(static, (events_per_second * part.event_energy + count * part.constant_power) * supply.dynamic)
