"""The laws of rate, efficiency, power and HPCG of real machines, fitted on a table of them.

Of each machine the shares that make the model exact are known (`measured_shares`): h, the logarithm of its share of
the peak rate, p of its rated power, e = h - p of its rated efficiency, and g of its memory bandwidth in HPCG. Laws of
h, e and g are means of classes with shrunken offsets of devices (`shrinkage`); power follows as h - e. Efficiency has
the law and not power, because rates and powers of machines with one device move together (`rate_over_power`). Where no
machine tells of the efficiency of a device, its power is the mean of the class. Nothing is fitted for one machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dse.models.machines.catalogue.catalogue import Machine, catalogue
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares
from dse.models.machines.laws.shrinkage import Law, shrunken

__all__ = ["ALL_MACHINES", "GRADIENT_WITHIN", "LawShares", "Laws", "fit", "fitted", "observed", "without"]

GRADIENT_WITHIN = 0.08
"""Scatter of machines of one device in HPCG that errors are told with: the fitted one rests on two pairs, too few."""

ALL_MACHINES = "all machines"
"""The one class of the law of HPCG."""


@dataclass(frozen=True)
class LawShares:
    """Logarithms of the shares that laws give a machine."""

    rate: float
    efficiency: float
    gradient: float

    @property
    def power(self) -> float:
        """Power at HPL over rated power."""
        return self.rate - self.efficiency


@dataclass(frozen=True)
class Laws:
    """Fitted laws.

    Attributes
    ----------
    rate, efficiency, power, gradient : Law
        Of h, e, p and g; that of p only for devices whose efficiency no machine tells.
    rate_over_power : float
        How much of a difference in p between machines of one device is one in h: slope through the origin of residuals.
    """

    rate: Law
    efficiency: Law
    power: Law
    gradient: Law
    rate_over_power: float

    def shares(self, machine: Machine) -> LawShares:
        """Return what the laws give for a machine, by its class and device."""
        rate = self.rate.value(machine.rate_class, machine.device)
        if machine.device in self.efficiency.devices:
            efficiency = self.efficiency.value(machine.power_class, machine.device)
        else:
            efficiency = rate - self.power.classes[machine.power_class].mean
        return LawShares(rate, efficiency, self.gradient.value(ALL_MACHINES, machine.device))

    @property
    def gradient_errors(self) -> Law:
        """The law of HPCG with the errors that a scatter of `GRADIENT_WITHIN` gives."""
        return self.gradient.scattered(GRADIENT_WITHIN)

    def standard_error(self, law: str, machine: Machine) -> float:
        """Return the standard error of the logarithm of a share of one more machine.

        Of the power: errors of rate and efficiency of the device, and the scatter of operating points.
        """
        if law == "gradient":
            return self.gradient_errors.machine_error(ALL_MACHINES, machine.device)
        if law == "rate":
            return self.rate.machine_error(machine.rate_class, machine.device)
        if law == "efficiency":
            return self.efficiency.machine_error(machine.power_class, machine.device)
        if machine.device not in self.efficiency.devices:
            return self.power.machine_error(machine.power_class, machine.device)
        rate = self.rate.standard_error(machine.rate_class, machine.device)
        efficiency = self.efficiency.standard_error(machine.power_class, machine.device)
        return math.hypot(rate, efficiency, self.power.within)


def observed() -> tuple[MeasuredShares, ...]:
    """Return the measured shares of the machines that come with the project."""
    return _observed(catalogue())


@cache
def _observed(machines: tuple[Machine, ...]) -> tuple[MeasuredShares, ...]:
    return tuple(measured_shares(machines))


def fit(machines: Sequence[MeasuredShares]) -> Laws:
    """Fit the laws on the machines that have the figures."""
    return Laws(
        rate=_law(machines, "rate", "rate_class"),
        efficiency=_law(machines, "efficiency", "power_class"),
        power=_law([shares for shares in machines if shares.rate is not None], "power", "power_class"),
        gradient=_law(machines, "gradient", None),
        rate_over_power=_rate_over_power(machines),
    )


@cache
def _fitted(machines: tuple[MeasuredShares, ...]) -> Laws:
    return fit(machines)


def fitted() -> Laws:
    """Return the laws of the machines that come with the project."""
    return _fitted(observed())


def without(name: str) -> Laws:
    """Return the laws of the machines that come with the project, but for one of that name (if there is one)."""
    return _fitted(tuple(shares for shares in observed() if shares.machine.name != name))


def _law(machines: Sequence[MeasuredShares], figure: str, by: str | None) -> Law:
    having = [shares for shares in machines if getattr(shares, figure) is not None]
    return shrunken(
        [getattr(shares, figure) for shares in having],
        [getattr(shares.machine, by) if by else ALL_MACHINES for shares in having],
        [shares.machine.device for shares in having],
    )


def _rate_over_power(machines: Sequence[MeasuredShares]) -> float:
    groups: dict[str, list[tuple[float, float]]] = {}
    for shares in machines:
        if shares.rate is not None and shares.power is not None:
            groups.setdefault(shares.machine.device, []).append((shares.rate, shares.power))
    residuals = np.concatenate([np.array(of_device) - np.mean(of_device, axis=0) for of_device in groups.values()])
    return float((residuals[:, 0] * residuals[:, 1]).sum() / (residuals[:, 1] ** 2).sum())
