"""The supply voltage of the cores and their private caches: from the clock, so that no clock comes for nothing.

The slot ``supply`` takes ``dvfs`` (the voltage each clock needs by the alpha-power law, from a clock that the core is
known to reach at the nominal voltage of its technology; at least 0.75 of that voltage, below which nothing is known),
or ``operating-points`` (the study's own pairs of ``frequency`` and ``supply_voltage``, as the rows of a part axis).
Level 3, the on-chip network and the memory interface have a clock of their own and stay at the nominal voltage.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import parameter, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.errors import InputError
from dse.models.node.inputs import FACTORS, MCPAT, goes_with
from dse.models.power.limits import Extrapolation
from dse.models.power.transistors import LOWEST_VOLTAGE, transistors, voltage_factors
from dse.models.power.voltage import (
    HIGHEST_VOLTAGE,
    check_voltage,
    maximum_frequency,
    operating_points,
)
from dse.models.sources import SAKURAI_1990, STILLMAKER_2017

__all__: list[str] = []

_LAW = f"alpha-power law ({SAKURAI_1990}) with the transistors of McPAT 1.3 (HP)"
_HAIR = 1e-9  # rounding of a ratio

nominal_frequency = parameter(
    unit="Hz", doc="Clock the core is known to reach at the nominal voltage of its technology", above=0
)
supply_voltage = parameter(unit="V", doc="Supply of the core at an operating point, chosen together with its clock")


@quantities(
    gives={"nominal_voltage": "V", "threshold_voltage": "V", "speed_exponent": "1", "leakage_exponent": "1"},
    source=f"device data of McPAT 1.3 (HP); below 22 nm {STILLMAKER_2017} for the voltage",
    valid=FACTORS,
    points_only=True,
    dimensional=False,
    reason="a table in volts",
)
@once_per_combination
def transistor_voltages(technology):
    """Nominal supply, threshold, and how maximum clock and leakage go with the supply."""
    kind = transistors(technology)
    return kind.voltage, kind.threshold_voltage, kind.alpha, kind.leakage_exponent


@quantity(
    unit="V",
    name="voltage",
    source=_LAW,
    slot="supply",
    provider="dvfs",
    default=True,
    points_only=True,
    dimensional=False,
    reason="a fit in volts",
)
@once_per_combination
def dvfs_voltage(frequency, nominal_frequency, technology):
    """Supply that a clock needs, at least 0.75 of the nominal one."""
    return operating_points(frequency, nominal_frequency, technology, allowed=True).voltage


@quantity(unit="V", name="voltage", source="the study", slot="supply", provider="operating-points", points_only=True)
def given_voltage(frequency, supply_voltage, nominal_voltage):
    """Supply of the operating point; clocks swept at one supply, or combined freely with several, are refused."""
    if not goes_with(frequency, supply_voltage):
        several = np.unique(supply_voltage).size > 1
        raise InputError(
            "frequency and supply_voltage are axes of their own, so every clock would run at every voltage"
            if several
            else f"the frequency varies at the one voltage of {supply_voltage.flat[0]:g} V: slow clocks would waste "
            "energy, and fast ones come for nothing",
            key="supply_voltage",
            allowed="a part axis whose rows bring frequency and supply_voltage, or supply = 'dvfs'",
        )
    check_voltage(supply_voltage / nominal_voltage, marks=Extrapolation(allowed=True))
    return supply_voltage * 1.0


@quantity(unit="1", source=_LAW)
def voltage_ratio(voltage, nominal_voltage):
    """Supply over the nominal one."""
    return voltage / nominal_voltage


@quantities(
    gives={"energy_factor": "1", "leakage_factor": "1", "gate_leakage_factor": "1"},
    source=f"{MCPAT}: swept supplies",
    valid={"voltage_ratio": (LOWEST_VOLTAGE - _HAIR, HIGHEST_VOLTAGE + _HAIR)},
)
def supply_factors(voltage_ratio, leakage_exponent):
    """What the supply multiplies dynamic energy and the two leakages with: V^2, V^(1+k) and V."""
    factors = voltage_factors(voltage_ratio, leakage_exponent)
    return factors.dynamic, factors.subthreshold, 1.0 * factors.gate


@quantity(unit="1", source=_LAW)
def delay_factor(voltage, nominal_voltage, threshold_voltage, speed_exponent):
    """How much slower transistors are than at the nominal supply."""
    return 1.0 / maximum_frequency(voltage, 1.0, nominal_voltage, threshold_voltage, speed_exponent)
