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
from dse.models.machines.laws.core_laws import CoreLaws, fit_cores, observed_cores, refuse_blind
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares
from dse.models.machines.laws.shrinkage import DeviceLaw, Law, shrunken

__all__ = ["ALL_MACHINES", "GRADIENT_WITHIN", "LawShares", "Laws", "fit", "fitted"]
__all__ += ["later_device", "later_devices", "observed", "without"]

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
    cores : CoreLaws
        Of machines without accelerators. The classes that the other laws have of these only tell how much devices
        scatter; no figure of such a machine comes from them but that of HPCG.
    """

    rate: Law
    efficiency: Law
    power: Law
    gradient: Law
    rate_over_power: float
    cores: CoreLaws

    def shares(self, machine: Machine) -> LawShares:
        """Return what the laws give for a machine, by its class and device."""
        if not machine.accelerated:
            cores = self.cores.rate_value(machine)
            gradient = self.gradient.value(ALL_MACHINES, machine.device)
            return LawShares(cores, cores - self.cores.power.value(machine), gradient)
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

    def knows(self, law: str, machine: Machine) -> bool:
        """Return whether a law rests on a machine with the device."""
        if law == "gradient":
            return machine.device in self.gradient.devices
        if machine.accelerated:
            return machine.device in (self.rate if law == "rate" else self.efficiency).devices
        known = machine.device in self.cores.rate[machine.clock_class].devices
        return known if law == "rate" else machine.device in self.cores.power.left.devices

    def standard_error(self, law: str, machine: Machine) -> float:
        """Return the standard error of the logarithm of a share of one more machine.

        Of the power: errors of rate and efficiency of the device, and the scatter of operating points.
        """
        if law == "gradient":
            return self.gradient_errors.machine_error(ALL_MACHINES, machine.device)
        if not machine.accelerated:
            rate, power = self.cores.rate_error(machine), self.cores.power.standard_error(machine)
            return {"rate": rate, "power": power, "efficiency": math.hypot(rate, power)}[law]
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
    """Return the measured shares of the machines of ``systems.csv`` that fits may have."""
    return _observed(tuple(machine for machine in catalogue() if not machine.blind and not machine.fit))


@cache
def _observed(machines: tuple[Machine, ...]) -> tuple[MeasuredShares, ...]:
    return tuple(measured_shares(machines))


def fit(machines: Sequence[MeasuredShares], cores: Sequence[MeasuredShares] | None = None) -> Laws:
    """Fit the laws on the machines that have the figures.

    Parameters
    ----------
    machines : sequence of MeasuredShares
    cores : sequence of MeasuredShares, optional
        What the laws of machines without accelerators are fitted on. Default: `observed_cores`.

    Raises
    ------
    InputError
        One of them is of the blind test.
    """
    refuse_blind(machines)
    return Laws(
        rate=_law(machines, "rate", "rate_class"),
        efficiency=_law(machines, "efficiency", "power_class"),
        power=_law([shares for shares in machines if shares.rate is not None], "power", "power_class"),
        gradient=_law(machines, "gradient", None),
        rate_over_power=_rate_over_power(machines),
        cores=fit_cores(observed_cores() if cores is None else cores),
    )


def later_device(law: Law, of: str, values: Sequence[float]) -> DeviceLaw:
    """Return the offset of a device whose machines came after the fit, by the scatter of those of the fit.

    Parameters
    ----------
    law : Law
    of : str
        The class of the device.
    values : sequence of float
        Figures of its machines.
    """
    weight = len(values) / (len(values) + law.k)
    error = law.between * math.sqrt(1.0 - weight)
    return DeviceLaw(of, weight * (float(np.mean(values)) - law.classes[of].mean), error, len(values))


def later_devices() -> dict[str, list[MeasuredShares]]:
    """Return the machines of ``systems.csv`` that tell of their device alone, by device."""
    later: dict[str, list[MeasuredShares]] = {}
    for shares in _observed(tuple(machine for machine in catalogue() if machine.fit == "device")):
        later.setdefault(shares.machine.device, []).append(shares)
    return later


@cache
def _fitted(name: str) -> Laws:
    machines, cores = (
        [shares for shares in measured if shares.machine.name != name] for measured in (observed(), observed_cores())
    )
    return fit(machines, cores)


def fitted() -> Laws:
    """Return the laws of the machines that come with the project."""
    return _fitted("")


def without(name: str) -> Laws:
    """Return the laws of the machines that come with the project, but for one of that name (if there is one)."""
    known = {shares.machine.name for shares in (*observed(), *observed_cores())}
    return _fitted(name if name in known else "")


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
