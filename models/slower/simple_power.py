"""Dynamic power of a node that is known at one clock and voltage, at any other: P0 (f/f0) (V/V0)^2.

A study names it beside the family, with ``node.supply`` for the voltage that each clock needs (slot ``supply``):
``models = ["slower", "slower.instruction_mix", "slower.simple_power", "node.supply"]``. The static power follows the
leakage of the same supply.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.slower import factors
from dse.models.sources import STERLING_2014

__all__: list[str] = []

_LAW = f"{STERLING_2014}, Section 3 (power goes with the clock), with the square of the supply"

reference_frequency = parameter(unit="Hz", doc="Clock at which the powers of the node are known", above=0)
reference_voltage = parameter(unit="V", doc="Supply at which the powers of the node are known", above=0)
reference_dynamic_power = parameter(unit="W", doc="Dynamic power of the busy node there", minimum=0)
reference_static_power = parameter(unit="W", doc="Power of the node at rest at the nominal supply", minimum=0)
technology = parameter(unit="m", doc="Technology of the chip, for `node.supply`", above=0)


@quantity(unit="W", source=_LAW)
def node_dynamic_power(reference_dynamic_power, frequency, reference_frequency, voltage, reference_voltage):
    """Power of a node on top of that at rest while all its cores are busy."""
    return factors.node_dynamic_power(
        reference_dynamic_power, frequency, reference_frequency, voltage, reference_voltage
    )


@quantity(unit="W", source="subthreshold leakage of the supply; the powers of the node are taken to leak alike")
def node_static_power(reference_static_power, leakage_factor):
    """Power of a node at rest."""
    return reference_static_power * leakage_factor
