r"""The voltage a clock needs, so that no frequency is swept at a fixed voltage.

The alpha-power law (Sakurai and Newton, "Alpha-power law MOSFET model and its applications to CMOS inverter delay",
IEEE Journal of Solid-State Circuits 25(2), 1990) with threshold and alpha of the transistors:

.. math:: f_{max}(V) = K \, (V - V_{th})^{\alpha} / V

anchored at a clock the part is known to reach at its nominal voltage. For alpha >= 1 it rises with V, so V(f) is its
inverse.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.arithmetic.power import power
from dse.errors import InputError
from dse.models.power.limits import Extrapolation, refuse
from dse.models.power.transistors import LOWEST_VOLTAGE, transistors

__all__ = ["HIGHEST_VOLTAGE", "OperatingPoints", "check_voltage", "maximum_frequency", "operating_points"]
__all__ += ["refuse_fixed_voltage", "voltage_for_frequency"]

HIGHEST_VOLTAGE = 1.25
"""Highest supply over that of the technology that was swept (22 nm)."""

_STEPS = 60  # of Newton's method, at most
_HAIR = 1e-12  # rounding of a clock


def maximum_frequency(
    voltage: Any, nominal_frequency: Any, nominal_voltage: Any, threshold_voltage: Any, alpha: Any
) -> Any:
    """Highest clock at a voltage, Hz.

    Parameters
    ----------
    voltage : array_like
        V, above the threshold. It takes ranges too.
    nominal_frequency, nominal_voltage : array_like
        Clock (Hz) the part reaches at that voltage (V).
    threshold_voltage, alpha : array_like
        Of the transistors, V and 1.
    """
    drive = (voltage - threshold_voltage) / (nominal_voltage - threshold_voltage)
    return nominal_frequency * (nominal_voltage / voltage) * power(drive, alpha)


def voltage_for_frequency(
    frequency: Any, nominal_frequency: Any, nominal_voltage: Any, threshold_voltage: Any, alpha: Any
) -> np.ndarray:
    """Voltage a clock needs, V: the inverse of `maximum_frequency`.

    Parameters
    ----------
    frequency : array_like
        Hz, above 0.
    nominal_frequency, nominal_voltage, threshold_voltage, alpha : array_like
        As of `maximum_frequency`; alpha at least 1, nominal voltage above the threshold.

    Returns
    -------
    ndarray
        V, without lower or upper limit; see `operating_points`. Exact up to the last few digits.

    Notes
    -----
    With y = ln(V - Vth), a y - ln(exp(y) + Vth) is increasing and concave, so Newton's method converges from below,
    for any start. A value that has converged stays as it is while others go on, so it has the same bits in any company.
    Points only: its values are tabulated where an engine works on ranges.
    """
    f, f0, v0, threshold, a = (
        np.asarray(argument, dtype=float)
        for argument in (frequency, nominal_frequency, nominal_voltage, threshold_voltage, alpha)
    )
    refuse("frequency in Hz", ~(f > 0) | ~np.isfinite(f), f, "a finite number above 0")
    refuse("nominal_frequency in Hz", ~(f0 > 0), f0, "a number above 0")
    refuse("nominal_voltage in V", ~(v0 > threshold), v0, "a voltage above the threshold")
    refuse("alpha", ~(a >= 1.0), a, "1 or more")
    y0 = np.log(v0 - threshold)
    target = np.log(f / f0) + a * y0 - np.log(v0)
    y = np.broadcast_to(y0, np.broadcast_shapes(f.shape, f0.shape, v0.shape, threshold.shape, a.shape)).copy()
    moving = np.ones(y.shape, dtype=bool)
    for _ in range(_STEPS):
        voltage = np.exp(y) + threshold
        step = (a * y - np.log(voltage) - target) / (a - np.exp(y) / voltage)
        y = np.where(moving, y - step, y)
        moving = moving & (np.abs(step) > 4e-16 * np.maximum(np.abs(y), 1.0))
        if not moving.any():
            break
    return np.where(f == f0, v0, np.exp(y) + threshold)


class OperatingPoints(NamedTuple):
    """Clocks with the voltages they need.

    Attributes
    ----------
    frequency : ndarray
        Hz.
    voltage, voltage_ratio : ndarray
        Supply, V, and over that of the technology, V0.
    at_lowest : ndarray of bool
        Where the clock needs less than the lowest voltage, and so runs at that.
    extrapolated : ndarray of bool
        Where the voltage is above the highest, or the technology is below 22 nm.
    """

    frequency: np.ndarray
    voltage: np.ndarray
    voltage_ratio: np.ndarray
    at_lowest: np.ndarray
    extrapolated: np.ndarray


def operating_points(
    frequency: Any,
    nominal_frequency: Any,
    technology: Any,
    device: Any = "HP",
    *,
    nominal_voltage: Any = None,
    lowest: float = LOWEST_VOLTAGE,
    highest: float = HIGHEST_VOLTAGE,
    allowed: bool = False,
) -> OperatingPoints:
    """Return the voltage of each clock of a dynamic voltage and frequency scaling.

    Parameters
    ----------
    frequency : array_like
        Clocks wanted, Hz.
    nominal_frequency : array_like
        Clock the part is known to reach at its nominal voltage, Hz.
    technology, device : array_like
        As of `transistors`.
    nominal_voltage : array_like, optional
        Supply at which it reaches it, V. Default: that of the technology.
    lowest, highest : float
        Limits of the supply over that of the technology. Lowest is `LOWEST_VOLTAGE` or more.
    allowed : bool
        Whether `highest` may be passed, with a mark.

    Returns
    -------
    OperatingPoints
        The voltage rises with the clock; below the lowest voltage it stays there, as that of real parts does.

    Raises
    ------
    InputError
        A clock that needs more than the highest voltage.
    """
    refuse("lowest", not LOWEST_VOLTAGE <= lowest <= 1.0, lowest, f"{LOWEST_VOLTAGE} to 1")
    refuse("highest", not highest >= 1.0, highest, "1 or more")
    kind = transistors(technology, device)
    v0 = kind.voltage if nominal_voltage is None else np.asarray(nominal_voltage, dtype=float)
    law = (nominal_frequency, v0, kind.threshold_voltage, kind.alpha)
    needed = voltage_for_frequency(frequency, *law)
    marks = Extrapolation(allowed)
    ratio = needed / kind.voltage
    most = np.min(maximum_frequency(highest * kind.voltage, *law))
    text = f"what {highest:g} times the voltage of the technology allows, which is {most:.4g} Hz for the slowest part"
    wrong = ratio > highest * (1 + _HAIR)
    marks.add("frequency in Hz", wrong, np.asarray(frequency, dtype=float), text, "above the highest voltage")
    below = np.asarray(technology, dtype=float) < 21.9e-9
    shape = np.broadcast_shapes(ratio.shape, below.shape)
    return OperatingPoints(
        np.broadcast_to(np.asarray(frequency, dtype=float), shape).copy(),
        np.broadcast_to(np.maximum(needed, lowest * kind.voltage), shape).copy(),
        np.broadcast_to(np.maximum(ratio, lowest), shape).copy(),
        np.broadcast_to(ratio < lowest, shape).copy(),
        marks.of_shape(ratio, below) | below,
    )


def check_voltage(voltage_ratio: Any, *, marks: Extrapolation | None = None) -> None:
    """Refuse supplies below `LOWEST_VOLTAGE`, always, and above `HIGHEST_VOLTAGE` unless marks are allowed.

    Parameters
    ----------
    voltage_ratio : array_like
        V/V0.
    """
    ratio = np.asarray(voltage_ratio, dtype=float)
    text = f"{LOWEST_VOLTAGE} to {HIGHEST_VOLTAGE}; nothing is known of lower supplies"
    refuse("voltage_ratio", ~(ratio >= LOWEST_VOLTAGE * (1 - _HAIR)), ratio, text)
    marks = Extrapolation(allowed=False) if marks is None else marks
    marks.add("voltage_ratio", ratio > HIGHEST_VOLTAGE * (1 + _HAIR), ratio, text, "above every swept supply")


def refuse_fixed_voltage(frequency: Any, voltage: Any) -> None:
    """Refuse several clocks at one voltage: the slow ones would waste energy, the fast ones get it for nothing.

    Parameters
    ----------
    frequency, voltage : array_like
        Hz and V of the operating points, as a study gives them.

    Raises
    ------
    InputError
    """
    clocks, supplies = np.unique(np.asarray(frequency)), np.unique(np.asarray(voltage))
    if len(clocks) > 1 and len(supplies) == 1:
        raise InputError(
            f"{len(clocks)} frequencies at the one voltage of {supplies[0]:g} V",
            allowed="a voltage for each frequency (operating_points)",
        )
