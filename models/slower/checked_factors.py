"""The factors of the product of SLOWER, P = e s mu a, as people call them: their arguments are read first."""

from __future__ import annotations

from dse.authoring.declare.arguments import Range, checked
from dse.models.slower import factors

__all__ = [
    "balance",
    "cycles_at",
    "delivered_performance",
    "energy_per_instruction",
    "node_dynamic_power",
    "scalability",
    "unit_rate",
]

_SHARE, _ABOVE, _LEAST = Range(least=0.0, most=1.0), Range(above=0.0), Range(least=0.0)

balance = checked(load_imbalance=_LEAST)(factors.balance)
scalability = checked(nodes=_ABOVE, cores=_ABOVE, load_imbalance=_LEAST)(factors.scalability)
unit_rate = checked(frequency=_ABOVE, cycles_per_instruction=_ABOVE)(factors.unit_rate)
delivered_performance = checked(efficiency=_SHARE, scalability=_LEAST, unit_rate=_LEAST, availability=_SHARE)(
    factors.delivered_performance
)
cycles_at = checked(time=_LEAST, frequency=_ABOVE)(factors.cycles_at)
node_dynamic_power = checked(
    reference_power=_LEAST,
    frequency=_ABOVE,
    reference_frequency=_ABOVE,
    voltage=_ABOVE,
    reference_voltage=_ABOVE,
)(factors.node_dynamic_power)
energy_per_instruction = checked(
    static_power=_LEAST, dynamic_power=_LEAST, busy_fraction=_SHARE, node_rate=_ABOVE, frequency=_ABOVE
)(factors.energy_per_instruction)
