"""What a study gives a facility: the machine, how long and how much it is used, grid and cooling.

Powers and energies are those of the machine; `power_usage_effectiveness` puts cooling and conversion on top.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.sources import ARCHER2_EMISSIONS
from dse.models.system.cost import network_planes
from dse.models.system.inputs import power_usage_effectiveness

__all__ = ["JULIAN_YEAR", "network_planes", "power_usage_effectiveness"]

JULIAN_YEAR = 365.25 * 86400.0
"""Seconds of a year."""

nodes = parameter(unit="1", doc="Nodes of the machine", minimum=1)
switches = parameter(unit="1", doc="Switches of a plane of the network", minimum=0)
machine_power = parameter(
    unit="W",
    label="power of the machine",
    doc="Power of the machine while it works, without cooling and conversion",
    minimum=0,
)
use_time = parameter(unit="s", doc="How long the machine is used, from first to last day (years)", above=0)
utilisation = parameter(unit="1", doc="Share of that time in which the machine works", minimum=0, maximum=1)
idle_power_share = assumption(
    1.0,
    unit="1",
    source="none: an upper bound, as if the machine drew the power of work at all times",
    doc="Power of the machine at rest over that while it works",
    minimum=0,
    maximum=1,
)
load_power_share = assumption(
    1.0,
    unit="1",
    source="none: an upper bound, as if all work drew what `machine_power` says (of machines: HPL)",
    doc="Power of the machine under its usual work over `machine_power`",
    above=0,
    maximum=1,
)

carbon_intensity = parameter(
    unit="kg/J", doc="Greenhouse gases of the electricity, as CO2 equivalents (spaces/facility/grids.csv)", minimum=0
)
node_embodied_carbon = parameter(unit="kg", doc="CO2 equivalents of making a node", minimum=0)
switch_embodied_carbon = assumption(
    280.0,
    unit="kg",
    source=f"{ARCHER2_EMISSIONS}: interconnect switches (confidence low)",
    doc="CO2 equivalents of making a switch",
    minimum=0,
)
storage_embodied_carbon = assumption(
    0.0,
    unit="kg",
    source="none: storage is left out",
    neglects="greenhouse gases of making the storage",
    doc="CO2 equivalents of making the storage",
    minimum=0,
)

water_usage_effectiveness = parameter(
    unit="m^3/J", doc="Water the site uses over the energy of the machine (WUE)", minimum=0
)
