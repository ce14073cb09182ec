"""From one technology to another: factors on energy, delay, area and leakage.

Below 22 nm, the smallest technology of the McPAT tables, by Stillmaker and Baas, "Scaling equations for the accurate
prediction of CMOS device performance from 180 nm to 7 nm" (Integration 58, 2017), foundry claims below 7 nm, and rules
of thumb for leakage (``spaces/power/scaling.csv``, each factor with source and confidence). The `ITRS` factors and
the energies of a multiply-accumulate are those of Anghel 2017, Section 7.1.2.2, to reproduce it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from dse.models.power.limits import refuse
from dse.models.power.tables import power_table, same

__all__ = ["ITRS", "QUANTITIES", "SMALLER", "mac_energy", "polynomial_delay", "polynomial_energy", "scaling_confidence"]
__all__ += ["scale_below_tables", "scaling_factor", "technologies_with", "technology_voltage"]

BASE = 22e-9
SMALLER = (20e-9, 16e-9, 14e-9, 10e-9, 7e-9, 5e-9, 3e-9, 2e-9)
"""Technologies below 22 nm, m."""

QUANTITIES = ("energy", "delay", "logic area", "memory area", "leakage")

ITRS: dict[str, float] = {
    "logic energy, 22 to 14 nm": 0.83,
    "logic energy, 22 to 90 nm": 1.86,
    "memory energy, 32 to 14 nm": 0.8,
    "memory energy, 32 to 22 nm": 0.955,
    "memory leakage, 32 to 14 nm": 1.0,
}
"""Factors of Anghel 2017, Section 7.1.2.2 (the fourth: what its tables imply, 0.95 to 0.96)."""

_ORDER = ("high", "medium", "low-medium", "low")


@cache
def _path(quantity: str, technology: float) -> tuple[float, str, float] | None:
    """Return factor from 22 nm, least confidence on the way, and voltage; None where there is no factor."""
    table = power_table("scaling")
    table = table.rows((table["quantity"] == quantity) & same(table["technology_to"], technology))
    paths = []
    for row in range(len(table)):
        begin, factor, confidence = (table[name][row] for name in ("technology_from", "factor", "confidence"))
        if quantity == "delay" and technology > 14.5e-9:
            continue  # the fits of delay at 20 and 16 nm do not line up
        before = (1.0, "high", 0.8) if same(begin, BASE) else _path(quantity, float(begin))
        if before is None:
            continue
        least = max(before[1], str(confidence), key=_ORDER.index)
        paths.append((before[0] * float(factor), least, float(table["voltage_to"][row]) or before[2]))
    return max(paths, key=lambda path: path[2]) if paths else None


def technologies_with(*quantities: str) -> list[float]:
    """Return the technologies below 22 nm, in m, that have a factor for each of some `QUANTITIES`."""
    return [node for node in SMALLER if all(_path(quantity, node) is not None for quantity in quantities)]


def _looked_up(technology: Any, values: list[Any]) -> Any:
    wanted = np.asarray(technology, dtype=float)
    result = np.full(wanted.shape, values[0])
    for node, value in zip(SMALLER, values[1:], strict=True):
        result = np.where(same(wanted, node), value, result)
    return result


def scaling_factor(quantity: str, technology: Any) -> np.ndarray:
    """Factor from 22 nm (0.8 V) to a smaller technology at its nominal voltage.

    Parameters
    ----------
    quantity : str
        One of `QUANTITIES`. Delay is known from 14 nm down; delay and energy below 7 nm are alternatives.
    technology : array_like
        m; 22 nm gives 1. What is above counts as 22 nm.

    Returns
    -------
    ndarray

    Raises
    ------
    InputError
        A technology there is no factor for.
    """
    refuse("quantity", quantity not in QUANTITIES, quantity, ", ".join(QUANTITIES))
    wanted = np.asarray(technology, dtype=float)
    paths = [_path(quantity, node) for node in SMALLER]
    known = technologies_with(quantity)
    fits = np.zeros(wanted.shape, dtype=bool)
    for node in known:
        fits = fits | same(wanted, node)
    names = ", ".join(f"{node * 1e9:g} nm" for node in known)
    text = f"{names}, or 22 nm and above, which need no factor"
    refuse(f"{quantity}: technology in nm", ~fits & ~(wanted > 21.9e-9), wanted * 1e9, text)
    result: np.ndarray = _looked_up(wanted, [1.0, *(np.nan if path is None else path[0] for path in paths)])
    return result


def scale_below_tables(
    values: dict[str, np.ndarray],
    technology: np.ndarray,
    *,
    energies: Iterable[str],
    area: str,
    voltage: Any,
    exponent: Any,
) -> None:
    """Bring values of the 22 nm tables to the smaller technologies they are asked for, in place.

    Parameters
    ----------
    values : dict of str to ndarray
        ``area``, the three leakages, and the energies named, by design.
    technology : ndarray
        m; what is 22 nm and above stays.
    energies : iterable of str
        What scales as energy per operation.
    area : {"logic area", "memory area"}
        What the area scales as.
    voltage, exponent : array_like
        Nominal voltage of the technology, and how leakage goes with it.
    """
    below = technology < 21.9e-9
    if not below.any():
        return
    energy, size, leakage = (scaling_factor(name, technology) for name in ("energy", area, "leakage"))
    supply = np.where(below, voltage / 0.8, 1.0)
    for name in energies:
        values[name] = values[name] * energy
    values["area"] = values["area"] * size
    for name in ("subthreshold_leakage", "gated_leakage"):
        values[name] = values[name] * leakage * supply ** (1.0 + exponent)
    values["gate_leakage"] = values["gate_leakage"] * leakage * supply


def scaling_confidence(quantity: str, technology: float) -> str:
    """Least confidence on the path from 22 nm to a technology: high, medium, low-medium or low."""
    if technology > 21.9e-9:
        return "high"
    (near,) = [node for node in SMALLER if same(np.asarray(technology), node)] or [0.0]
    path = _path(quantity, near)
    refuse(f"{quantity}: technology in nm", path is None, technology * 1e9, "one with a factor")
    assert path is not None
    return path[1]


def technology_voltage(technology: Any) -> np.ndarray:
    """Supply voltage the factors of a smaller technology hold at, V: the highest that is tabulated; 0.8 V at 22 nm.

    Parameters
    ----------
    technology : array_like
        m.
    """
    paths = [_path("energy", node) for node in SMALLER]
    result: np.ndarray = _looked_up(technology, [0.8, *(np.nan if path is None else path[2] for path in paths)])
    return result


def _polynomial(quantity: str, technology: float, voltage: Any, flavour: str) -> Any:
    if flavour == "HP" and same(np.asarray(technology), BASE):  # not in the paper: between 20 and 32 nm, log-log
        weight = np.log(22 / 20) / np.log(32 / 20)
        low, high = (_polynomial(quantity, node, voltage, flavour) for node in (20e-9, 32e-9))
        return np.exp((1 - weight) * np.log(low) + weight * np.log(high))
    table = power_table("scaling-polynomials")
    rows = np.flatnonzero(same(table["technology"], technology) & (table["flavour"] == flavour))
    text = "a row of spaces/power/scaling-polynomials.csv"
    refuse(f"flavour {flavour}: technology in nm", len(rows) == 0, technology * 1e9, text)
    result: Any = 0.0
    for power in (3, 2, 1, 0):
        name = f"{quantity}_{power}"
        result = result * voltage + (table[name][rows[0]] if name in table.columns else 0.0)
    return result


def polynomial_energy(technology: float, voltage: Any, flavour: str = "HP") -> Any:
    """Energy per operation after Stillmaker and Baas 2017; only ratios mean anything.

    Parameters
    ----------
    technology : float
        m.
    voltage : array_like
        V.
    flavour : {"bulk", "HP", "LP"}
        Of the transistors. 22 nm HP lies between 20 and 32 nm.
    """
    return _polynomial("energy", technology, voltage, flavour)


def polynomial_delay(technology: float, voltage: Any, flavour: str = "HP") -> Any:
    """Delay of a gate after Stillmaker and Baas 2017, by the arguments of `polynomial_energy`; take ratios only."""
    return _polynomial("delay", technology, voltage, flavour)


def mac_energy(bits: Any, technology: Any = 22e-9, *, fpga: bool = False) -> np.ndarray:
    """Energy of a multiply-accumulate, J: 9.6 pJ at 32 bit and 22 nm, with the square of the bits.

    Parameters
    ----------
    bits : array_like
        Width of an operand.
    technology : array_like
        90, 22 or 14 nm, in m.
    fpga : bool
        Whether on an FPGA, which takes seven times the energy of an ASIC.

    Notes
    -----
    Anghel 2017, Section 7.1.2.2 and Table 7.3, whose figures are truncated, not rounded.
    """
    wanted = np.asarray(technology, dtype=float)
    factors = ((90e-9, ITRS["logic energy, 22 to 90 nm"]), (22e-9, 1.0), (14e-9, ITRS["logic energy, 22 to 14 nm"]))
    factor = np.full(wanted.shape, np.nan)
    for node, value in factors:
        factor = np.where(same(wanted, node), value, factor)
    refuse("technology in nm", np.isnan(factor), wanted * 1e9, "90, 22 or 14")
    result: np.ndarray = 9.6e-12 * (np.asarray(bits, dtype=float) / 32.0) ** 2 * factor * (7.0 if fpga else 1.0)
    return result
