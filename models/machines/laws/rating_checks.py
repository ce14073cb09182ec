"""Three checks of a table of machines: peak rates and rated powers that do not fit the others.

*Peak*: the list's peak rate of a machine per device, next to that of the catalogue. Lists change the clock a peak is
stated at, so some per cent are usual; a third more is another unit of the device (matrices for vectors).

*Rating*: the power a machine's devices are rated at in its row, next to the catalogue's. Another rating of the same
device (a limit, what it is configured to) makes all that follows from it wrong by as much.

*Power*: what machines of a device draw at HPL over what is rated, next to a law that is fitted *without that device*:
mean of its class and a fall by the year (conversion, fans, warm water), the slope estimated within classes. A law with
the device in it is no judge, as the offset of the device takes up a wrong rating.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.devices import device_power
from dse.models.machines.laws.measured_shares import MeasuredShares
from dse.models.machines.laws.shrinkage import shrunken

__all__ = [
    "LARGEST_PEAK",
    "NAMED_PEAK",
    "PeakCheck",
    "PowerCheck",
    "RatingCheck",
    "fall_by_year",
    "peak_checks",
    "power_checks",
]
__all__ += ["rating_checks"]

NAMED_PEAK, LARGEST_PEAK = 0.08, 0.30
"""Share of the catalogue's peak rate beyond which a list's is named, and beyond which it is an error; a rated power is
named alike."""

_SIGMAS = 2.0
_EPOCH = 2018  # years count from here; it has no part in any figure


@dataclass(frozen=True)
class PeakCheck:
    """Peak rates of one machine per device [1/s]: the list's and the catalogue's."""

    machine: Machine
    listed: float
    catalogued: float

    @property
    def deviation(self) -> float:
        """The list's over the catalogue's, less 1."""
        return self.listed / self.catalogued - 1.0

    @property
    def named(self) -> bool:
        """Whether it is more than usual."""
        return abs(self.deviation) > NAMED_PEAK

    @property
    def wrong(self) -> bool:
        """Whether it is another unit's rate, and no note of the row says why."""
        return abs(self.deviation) > LARGEST_PEAK and not self.machine.peak_note


@dataclass(frozen=True)
class RatingCheck:
    """Rated powers of the devices of one machine [W]: that of its row and the catalogue's."""

    machine: Machine
    listed: float
    catalogued: float

    @property
    def deviation(self) -> float:
        """That of the row over the catalogue's, less 1."""
        return self.listed / self.catalogued - 1.0

    @property
    def named(self) -> bool:
        """Whether it is more than usual."""
        return abs(self.deviation) > NAMED_PEAK


@dataclass(frozen=True)
class PowerCheck:
    """Power at HPL over rated power of the machines with one device, next to a law that does not know the device.

    Attributes
    ----------
    device : str
    machines : tuple of Machine
    deviation : float
        Mean of ln(power over rated power), less what the law gives.
    bound : float
        Two standard errors of it.
    """

    device: str
    machines: tuple[Machine, ...]
    deviation: float
    bound: float

    @property
    def named(self) -> bool:
        """Whether it is beyond the bound."""
        return abs(self.deviation) > self.bound

    @property
    def note(self) -> str:
        """What the rows say of it, with the machine's name where there are several."""
        notes = [(machine.name, machine.power_note) for machine in self.machines if machine.power_note]
        return "; ".join(f"{name}: {note}" if len(self.machines) > 1 else note for name, note in notes)

    @property
    def rating(self) -> str:
        """Which rated power it is, as the rows say; empty of processors, whose rows say nothing of it."""
        ratings: dict[str, list[str]] = {}
        for machine in self.machines:
            if machine.power_rating:
                ratings.setdefault(f"{machine.device_power:g} W, {machine.power_rating}", []).append(machine.name)
        if len(ratings) < 2:
            return "".join(ratings)
        return "; ".join(f"{', '.join(names)}: {rating}" for rating, names in ratings.items())

    @property
    def unseen(self) -> float:
        """Relative error of the rated power that the check may not see: it moves a device that fits to the bound."""
        return math.expm1(self.bound)


def peak_checks(machines: Sequence[Machine]) -> list[PeakCheck]:
    """Return the check of every machine with a known number of nodes whose device is in the catalogue."""
    return [
        PeakCheck(machine, machine.peak_flop_rate / (machine.listed_nodes * machine.devices), machine.device_flop_rate)  # type: ignore[operator, arg-type]
        for machine in machines
        if None not in (machine.nodes, machine.device_flop_rate, machine.peak_flop_rate, machine.listed_nodes)
    ]


def rating_checks(machines: Sequence[Machine]) -> list[RatingCheck]:
    """Return the check of every machine whose row rates a device that is in the catalogue."""
    catalogue = [(machine, device_power(machine.device_model)) for machine in machines if machine.device_power]
    return [
        RatingCheck(machine, float(machine.device_power or 0.0), rated)
        for machine, rated in catalogue
        if rated is not None
    ]


def power_checks(machines: Sequence[MeasuredShares]) -> list[PowerCheck]:
    """Return the check of every device with a machine whose rate and power are known."""
    known = [shares for shares in machines if shares.power is not None and shares.rate is not None]
    checks = []
    for device in dict.fromkeys(shares.machine.device for shares in known):
        own = [shares for shares in known if shares.machine.device == device]
        others = [shares for shares in known if shares.machine.device != device]
        slope, _ = fall_by_year(others)
        law = shrunken(
            [_at_epoch(shares, slope) for shares in others],
            [shares.machine.power_class for shares in others],
            [shares.machine.device for shares in others],
        )
        expected = law.classes[own[0].machine.power_class].mean
        deviation = float(np.mean([_at_epoch(shares, slope) for shares in own])) - expected
        bound = _SIGMAS * math.sqrt(law.between**2 + law.within**2 / len(own))
        checks.append(PowerCheck(device, tuple(shares.machine for shares in own), deviation, bound))
    return checks


def _at_epoch(shares: MeasuredShares, slope: float) -> float:
    assert shares.power is not None
    return shares.power - slope * (shares.machine.year - _EPOCH)


def fall_by_year(machines: Sequence[MeasuredShares]) -> tuple[float, float]:
    """Return the slope of ln(power over rated power) against the year within classes, and its standard error."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for shares in machines:
        if shares.power is not None and shares.rate is not None:
            groups.setdefault(shares.machine.power_class, []).append((float(shares.machine.year), shares.power))
    centred = np.concatenate([np.array(of_class) - np.mean(of_class, axis=0) for of_class in groups.values()])
    years, powers = centred[:, 0], centred[:, 1]
    slope = float((years * powers).sum() / (years**2).sum())
    freedom = len(centred) - len(groups) - 1
    error = math.sqrt(float(((powers - slope * years) ** 2).sum()) / freedom / float((years**2).sum()))
    return slope, error
