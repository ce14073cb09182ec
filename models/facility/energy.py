"""Power and energy of a site: the machine at its utilisation, with cooling and conversion; water by its energy."""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity
from dse.models.facility.inputs import JULIAN_YEAR

__all__: list[str] = []

_PUE = "definition of the power usage effectiveness"
_SHARES = "time at work and time at rest, at the power of each"


@quantity(unit="W", source=_PUE)
def site_power(machine_power, power_usage_effectiveness):
    """Power of the site while the machine works at `machine_power`, P_site = PUE P: what it must be able to draw."""
    return machine_power * power_usage_effectiveness


@quantity(unit="W", source=_SHARES)
def mean_machine_power(machine_power, load_power_share, utilisation, idle_power_share):
    """Mean power of the machine over its use, P s_load (u + (1 - u) s_idle)."""
    return machine_power * (load_power_share * (utilisation + (1.0 - utilisation) * idle_power_share))


@quantity(unit="J", source=_PUE, dimensional=False, reason="a year, in seconds, stands in the formula")
def yearly_energy(mean_machine_power, power_usage_effectiveness):
    """Energy of the site in a year of 365.25 days."""
    return mean_machine_power * power_usage_effectiveness * JULIAN_YEAR


@quantity(unit="J", source=_PUE)
def use_energy(mean_machine_power, power_usage_effectiveness, use_time):
    """Energy of the site over the whole use of the machine."""
    return mean_machine_power * power_usage_effectiveness * use_time


@quantity(unit="m^3", source="definition of the water usage effectiveness: per energy of the machine, not of the site")
def water_use(mean_machine_power, use_time, water_usage_effectiveness):
    """Water the site uses over the whole use of the machine."""
    return mean_machine_power * use_time * water_usage_effectiveness
