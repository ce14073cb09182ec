"""The laws of machines without accelerators: rate by whether the clock is kept, power by the year.

    ln h = mean of the class (clock kept, clock falls) + offset of the processor
    ln p = ln p(2020) + slope (year - 2020) + offset of the processor; as in 2026 thereafter, and never below 0

h is the share of the peak rate, p power at HPL over rated power. Offsets are shrunken as those of accelerators are
(`shrinkage`), each class by its own scatter; where processors differ no more than their machines do, they vanish. The
slope is that of all machines; its standard error is that of the scatter of machines with one processor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import NEVER_FITTED, Machine, catalogue, later_machines
from dse.models.machines.classes import CLOCKS, FIRST_YEAR, LAST_YEAR
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares
from dse.models.machines.laws.shrinkage import Law, shrunken

__all__ = ["CoreLaws", "PowerTrend", "core_machines", "fit_cores", "observed_cores", "refuse_blind", "slope_signs"]

_CLASS = "no accelerator"


@dataclass(frozen=True)
class PowerTrend:
    """Power at HPL over rated power by the year: logarithm in 2020, slope and its error, what is left by processor."""

    in_first_year: float
    slope: float
    slope_error: float
    left: Law
    machines: int

    def value(self, machine: Machine) -> float:
        """Return the logarithm of the share of a machine."""
        share = self.left.value(_CLASS, machine.device) + self.slope * (min(machine.year, LAST_YEAR) - FIRST_YEAR)
        return max(share, 0.0)

    def standard_error(self, machine: Machine) -> float:
        """Return the standard error of one more machine."""
        return self.left.machine_error(_CLASS, machine.device)


@dataclass(frozen=True)
class CoreLaws:
    """Laws of machines without accelerators.

    Attributes
    ----------
    rate : dict of str to Law
        By class, one of `CLOCKS`.
    power : PowerTrend
    """

    rate: dict[str, Law]
    power: PowerTrend

    def rate_value(self, machine: Machine) -> float:
        """Return the logarithm of the share of the peak rate of a machine."""
        return self.rate[machine.clock_class].value(machine.clock_class, machine.device)

    def rate_error(self, machine: Machine) -> float:
        """Return the standard error of one more machine."""
        return self.rate[machine.clock_class].machine_error(machine.clock_class, machine.device)


def core_machines() -> tuple[Machine, ...]:
    """Return the machines without accelerators of both tables, those of the blind test apart."""
    return tuple(shares for shares in (*catalogue(), *later_machines()) if not shares.accelerated and not shares.blind)


@cache
def observed_cores() -> tuple[MeasuredShares, ...]:
    """Return the measured shares of `core_machines`."""
    return tuple(measured_shares(core_machines()))


def refuse_blind(machines: Sequence[MeasuredShares]) -> None:
    """Refuse machines of the blind test as input of a fit."""
    for shares in machines:
        if shares.machine.blind:
            raise InputError(
                f"'{shares.machine.name}' is the blind test and in no fit",
                allowed=f"machines other than {NEVER_FITTED}, and rows without fit = never",
            )


def fit_cores(machines: Sequence[MeasuredShares]) -> CoreLaws:
    """Fit the laws on machines without accelerators that have the figures.

    Raises
    ------
    InputError
        One of them is of the blind test.
    """
    refuse_blind(machines)
    rates: dict[str, Law] = {}
    for name in CLOCKS:
        having = [shares for shares in machines if shares.rate is not None and shares.machine.clock_class == name]
        values = [shares.rate for shares in having if shares.rate is not None]
        rates[name] = shrunken(values, [name] * len(having), [shares.machine.device for shares in having])
    return CoreLaws(rates, _trend(machines))


def _trend(machines: Sequence[MeasuredShares]) -> PowerTrend:
    having = [shares for shares in machines if shares.power is not None]
    years = np.array([shares.machine.year - FIRST_YEAR for shares in having])
    powers = np.array([shares.power for shares in having], dtype=float)
    slope = _slope(years, powers)
    left = shrunken(list(powers - slope * years), [_CLASS] * len(having), [shares.machine.device for shares in having])
    error = left.within / math.sqrt(float(((years - years.mean()) ** 2).sum()))
    return PowerTrend(left.classes[_CLASS].mean, slope, error, left, len(having))


def _slope(years: np.ndarray, powers: np.ndarray) -> float:
    centred = years - years.mean()
    return float((centred * powers).sum() / (centred**2).sum())


def slope_signs(machines: Sequence[MeasuredShares]) -> tuple[float, float]:
    """Return the least and the largest slope by the year with one processor left out at a time."""
    having = [shares for shares in machines if shares.power is not None]
    slopes = []
    for device in dict.fromkeys(shares.machine.device for shares in having):
        rest = [shares for shares in having if shares.machine.device != device]
        years = np.array([shares.machine.year - FIRST_YEAR for shares in rest])
        slopes.append(_slope(years, np.array([shares.power for shares in rest], dtype=float)))
    return min(slopes), max(slopes)
