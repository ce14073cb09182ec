"""Power, energy and area of processors and memories, from tables, data-sheet currents and scaling factors.

The usual way from a processor model to watts::

    core = core_energies(technology=22e-9, width=4, temperature=350.0)              # tables
    point = operating_points(frequency, 2.6e9, 22e-9)                               # clock -> voltage
    activity = core_activity(load=..., store=..., integer=..., ...)                 # events per instruction
    energy = instruction_energy(core, activity)
    one = core_power(core, instruction_energy=energy, frequency=frequency, cycles_per_instruction=cpi,
                     voltage_ratio=point.voltage_ratio)
    l2 = cache_energies("L2", size=262144, technology=22e-9)
    power = processor_power(one + cache_power(l2, ...), cores, cache=..., network=..., remainder=...)

Look-ups (`core_energies`, `cache_energies`, `router_energies`, `controller_energies`, `transistors`,
`leakage_temperature_factor`, `scaling_factor`, `technology_voltage`, `mac_energy`, `voltage_for_frequency`,
`operating_points`) take arrays that broadcast and work on points only. Everything after them is plain arithmetic that
takes ranges too: `core_power`, `instruction_energy`, `cache_power`, `access_energy`, `uncore_power`, `core_activity`,
`cache_activity`, `memory_activity`, `voltage_factors`, `maximum_frequency`, `processor_power`, `level_power`,
`socket_power`, `mesap_power`, `type_power`, `cacti_power`, and areas, yields and costs of `chip`.

What lies outside the tables is an `InputError`, or, with ``allowed=True``, marked in ``extrapolated`` of the result.
"""

from dse.models.power.activity import (
    CacheActivity,
    CoreActivity,
    MemoryActivity,
    cache_activity,
    core_activity,
    memory_activity,
)
from dse.models.power.caches import CacheEnergies, access_energy, cache_energies, cache_power
from dse.models.power.chip import chip_area, die_cost, die_yield, dies_per_wafer, package_cost
from dse.models.power.composition import NOTHING, Power, level_power, processor_power, socket_power
from dse.models.power.core import CoreEnergies, core_energies, core_power, instruction_energy
from dse.models.power.dram import (
    DramType,
    LineRates,
    cacti_power,
    dram_device,
    dram_type,
    dram_types,
    line_rates,
    type_power,
)
from dse.models.power.interconnect import UncoreEnergies, controller_energies, router_energies, uncore_power
from dse.models.power.mesap import DramDevice, MesapPower, busy_share, mesap_power
from dse.models.power.technology import (
    mac_energy,
    polynomial_delay,
    polynomial_energy,
    scaling_confidence,
    scaling_factor,
    technology_voltage,
)
from dse.models.power.transistors import leakage_temperature_factor, transistors, voltage_factors
from dse.models.power.voltage import (
    OperatingPoints,
    check_voltage,
    maximum_frequency,
    operating_points,
    refuse_fixed_voltage,
    voltage_for_frequency,
)

__all__ = [
    "NOTHING",
    "CacheActivity",
    "CacheEnergies",
    "CoreActivity",
    "CoreEnergies",
    "DramDevice",
    "DramType",
    "LineRates",
    "MemoryActivity",
    "MesapPower",
    "OperatingPoints",
    "Power",
    "UncoreEnergies",
    "access_energy",
    "busy_share",
    "cache_activity",
    "cache_energies",
    "cache_power",
    "cacti_power",
    "check_voltage",
    "chip_area",
    "controller_energies",
    "core_activity",
    "core_energies",
    "core_power",
    "die_cost",
    "die_yield",
    "dies_per_wafer",
    "dram_device",
    "dram_type",
    "dram_types",
    "instruction_energy",
    "leakage_temperature_factor",
    "level_power",
    "line_rates",
    "mac_energy",
    "maximum_frequency",
    "memory_activity",
    "mesap_power",
    "operating_points",
    "package_cost",
    "polynomial_delay",
    "polynomial_energy",
    "processor_power",
    "refuse_fixed_voltage",
    "router_energies",
    "scaling_confidence",
    "scaling_factor",
    "socket_power",
    "technology_voltage",
    "transistors",
    "type_power",
    "uncore_power",
    "voltage_factors",
    "voltage_for_frequency",
]
