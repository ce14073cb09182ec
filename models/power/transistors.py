"""Transistors: nominal and threshold voltage, and how leakage goes with voltage and temperature.

At a fixed technology, leakage below threshold goes with (V/V0)^(1 + k) and with the off current at the temperature,
leakage through the gate with V/V0, and dynamic energy with (V/V0)^2, as sweeps of McPAT 1.3 confirm: k = 2 at 22 and
32 nm HP, 4 at 45 to 90 nm HP. At 22 and 32 nm the off current is flat up to 340 K and then rises thirtyfold to 400 K,
so a study must state its temperature.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dse.models.power.grids import monotone, monotone_slopes
from dse.models.power.limits import Extrapolation, refuse
from dse.models.power.tables import DEVICES, NODES, REFERENCE_TEMPERATURE, power_table, same
from dse.models.power.technology import SMALLER, technologies_with, technology_voltage

__all__ = ["LOWEST_VOLTAGE", "TEMPERATURES", "Transistors", "device_position", "leakage_temperature_factor"]
__all__ += ["VoltageFactors", "node_position", "transistors", "voltage_factors"]

LOWEST_VOLTAGE = 0.75
"""Lowest supply over that of the technology: McPAT refuses what is below, so nothing is known of it."""

TEMPERATURES = (300.0, 320.0, 340.0, 360.0, 380.0, 400.0)
"""Temperatures of the tabulated off currents, K."""

_ALL = (*sorted(SMALLER), *NODES)
_NAMES = ", ".join(f"{node * 1e9:g}" for node in NODES)


class Transistors(NamedTuple):
    """What a technology gives, by design.

    Attributes
    ----------
    voltage, threshold_voltage : ndarray
        Nominal supply and threshold, V.
    alpha : ndarray
        Exponent of the maximum clock.
    leakage_exponent : ndarray
        k: leakage below threshold goes with V^(1 + k).
    """

    voltage: np.ndarray
    threshold_voltage: np.ndarray
    alpha: np.ndarray
    leakage_exponent: np.ndarray


def device_position(device: Any) -> np.ndarray:
    """Return the position of each kind of transistors in `DEVICES`."""
    names = np.asarray(device, dtype=str)
    position = np.full(names.shape, -1)
    for index, name in enumerate(DEVICES):
        position = np.where(names == name, index, position)
    refuse("device", position < 0, names, ", ".join(DEVICES))
    return position


def node_position(technology: Any, *factors: str) -> np.ndarray:
    """Return the position of each technology in `NODES`; those below 22 nm count as 22 nm.

    Parameters
    ----------
    technology : array_like
        m.
    *factors : str
        What is scaled from 22 nm, as `scaling_factor` names it; a technology without one of these is refused here, so
        that no message offers what another refuses.

    Raises
    ------
    InputError
        A technology that is neither in the tables nor one with factors from 22 nm.
    """
    wanted = np.asarray(technology, dtype=float)
    position = np.full(wanted.shape, -1)
    smaller = technologies_with(*factors)
    for node in smaller:
        position = np.where(same(wanted, node), 0, position)
    for index, node in enumerate(NODES):
        position = np.where(same(wanted, node), index, position)
    names = ", ".join(f"{node * 1e9:g}" for node in smaller)
    refuse("technology in nm", position < 0, wanted * 1e9, f"{_NAMES}, or by factors {names}")
    return position


@cache
def _grid(column: str) -> np.ndarray:
    table = power_table("transistors")
    grid = np.full((len(DEVICES), len(NODES)), np.nan)
    for d, device in enumerate(DEVICES):
        for n, node in enumerate(NODES):
            row = np.flatnonzero((table["device"] == device) & same(table["technology"], node))
            grid[d, n] = table[column][row[0]]
    return grid


@cache
def _off_currents() -> tuple[np.ndarray, np.ndarray]:
    logarithms = np.stack([np.log(_grid(f"off_current_{level:g}")) for level in TEMPERATURES], axis=-1)
    return logarithms, monotone_slopes(TEMPERATURES, logarithms)


def transistors(technology: Any, device: Any = "HP") -> Transistors:
    """Return the transistors of a technology.

    Parameters
    ----------
    technology : array_like
        m: one of the tables (22, 32, 45, 65, 90 nm), or below, where threshold, alpha and k are those of 22 nm HP.
    device : array_like of str
        One of `DEVICES`; below 22 nm HP only.

    Returns
    -------
    Transistors
    """
    node, kind = np.broadcast_arrays(node_position(technology), device_position(device))
    below = np.broadcast_to(np.asarray(technology, dtype=float) < 21.9e-9, node.shape)
    refuse("device below 22 nm", below & (kind > 0), np.asarray(device, dtype=str), "HP")
    columns = [_grid(name)[kind, node] for name in ("voltage", "threshold_voltage", "alpha", "leakage_exponent")]
    nominal = np.broadcast_to(technology_voltage(technology), node.shape)
    return Transistors(np.where(below, nominal, columns[0]), *columns[1:])


def leakage_temperature_factor(
    temperature: Any, technology: Any, device: Any = "HP", *, marks: Extrapolation | None = None
) -> np.ndarray:
    """Leakage below threshold over that at 360 K.

    Parameters
    ----------
    temperature : array_like
        K, 300 to 400. Between the tabulated ones (every 20 K) a smooth monotone curve runs through the logarithms. At
        330 K, where McPAT was asked, it is 0.6 % off for 22 nm HP; around 350 K, where that curve bends, expect more.
    technology, device : array_like
        As of `transistors`; 22 nm LOP is refused, because its off currents are invalid.
    marks : Extrapolation, optional
        What happens outside 300 to 400 K: a mark, where it allows any. Default: refused.
    """
    marks = Extrapolation(allowed=False) if marks is None else marks
    node, kind = np.broadcast_arrays(node_position(technology), device_position(device))
    refuse("leakage of device", (kind == 1) & (node == 0), device, "not LOP at 22 nm: its off currents are invalid")
    warmth = np.asarray(temperature, dtype=float)
    refuse("temperature in K", ~(warmth > 0), warmth, "300 to 400")
    outside = ~((warmth >= TEMPERATURES[0]) & (warmth <= TEMPERATURES[-1]))
    marks.add("temperature in K", outside, warmth, "300 to 400", "outside the tabulated off currents")
    logarithms, slopes = _off_currents()
    node, kind, warmth = np.broadcast_arrays(node, kind, warmth)
    result = np.empty(warmth.shape)
    for k, n in np.ndindex(len(DEVICES), len(NODES)):
        here = (kind == k) & (node == n)
        if here.any():
            curve = monotone(TEMPERATURES, logarithms[k, n], slopes[k, n], warmth[here])
            result[here] = np.exp(curve - logarithms[k, n, TEMPERATURES.index(REFERENCE_TEMPERATURE)])
    return result


class VoltageFactors(NamedTuple):
    """What a supply multiplies dynamic energy and the two leakages with."""

    dynamic: Any
    subthreshold: Any
    gate: Any


def voltage_factors(voltage_ratio: Any, leakage_exponent: Any = 2.0) -> VoltageFactors:
    """Return the factors of a supply voltage; plain arithmetic, which also takes ranges.

    Parameters
    ----------
    voltage_ratio : array_like
        V/V0. What is below `LOWEST_VOLTAGE` must have been refused before (`voltage.check_voltage`).
    leakage_exponent : array_like
        k of `transistors`.
    """
    dynamic = voltage_ratio * voltage_ratio
    return VoltageFactors(dynamic, voltage_ratio ** (leakage_exponent + 1.0), voltage_ratio)
