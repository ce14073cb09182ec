"""Mean power of the machine and of the facility it stands in (Anghel 2017, Eq. 6.12)."""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_MEAN = f"{ANGHEL_2017}, Eq. 6.12"


@quantity(unit="W", source=_MEAN)
def nodes_dynamic_power(node_dynamic_energy, system_time):
    """Mean power of the work of all nodes."""
    return node_dynamic_energy / system_time


@quantity(unit="W", source=_MEAN)
def transfer_power(network_dynamic_energy, system_time):
    """Mean power of what the network carries."""
    return network_dynamic_energy / system_time


@quantity(
    unit="W",
    source=_MEAN,
    sum_of=("nodes_static_power", "nodes_dynamic_power", "network_power", "transfer_power"),
)
def system_power(nodes_static_power, network_power, node_dynamic_energy, network_dynamic_energy, system_time):
    """Mean power of the machine during the run: its energy over the time."""
    return (nodes_static_power + network_power) + (node_dynamic_energy + network_dynamic_energy) / system_time


@quantity(unit="W", source="definition of the power usage effectiveness")
def facility_power(system_power, power_usage_effectiveness):
    """Mean power of the machine with cooling and conversion."""
    return system_power * power_usage_effectiveness


@quantity(unit="J", source="definition of the power usage effectiveness")
def facility_energy(system_energy, power_usage_effectiveness):
    """Energy of the run with cooling and conversion."""
    return system_energy * power_usage_effectiveness
