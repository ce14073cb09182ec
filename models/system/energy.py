"""Energy of a class of processes and of the machine (Anghel 2017, Eqs. 6.6 to 6.11).

Energy is in four parts: nodes at rest and at work, the network at rest and what it carries. A message costs what it
crosses; the energy of computing is that of the time the process computes.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 6.8")
def class_static_power(class_nodes, node_static_power):
    """Power at rest of the nodes of a class."""
    return class_nodes * node_static_power


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.8; the power of polling is ours")
def class_dynamic_energy(class_nodes, node_dynamic_power, computing_time, polling_power_share, system_time):
    """Energy of the work of a class: computing, and as far as polling takes power, all other time."""
    busy = (1.0 - polling_power_share) * computing_time + polling_power_share * system_time
    return class_nodes * node_dynamic_power * busy


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.11; collective operations are ours")
def class_transfer_energy(class_processes, leaving_bytes, transfer_energy, collective_energy):
    """Energy of all bytes that a class sends over the network, and of its part in collective operations."""
    return class_processes * leaving_bytes * transfer_energy + class_processes * collective_energy


@quantity(unit="J", source=f"{ANGHEL_2017}, Eqs. 6.7 and 6.8")
def node_static_energy(nodes_static_power, system_time):
    """Energy of all nodes at rest."""
    return nodes_static_power * system_time


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.10 (static part)")
def network_static_energy(network_power, system_time):
    """Energy of the network at rest."""
    return network_power * system_time


@quantity(
    unit="J",
    source=f"{ANGHEL_2017}, Eqs. 6.6 to 6.10",
    sum_of=("node_static_energy", "node_dynamic_energy", "network_static_energy", "network_dynamic_energy"),
)
def system_energy(nodes_static_power, network_power, system_time, node_dynamic_energy, network_dynamic_energy):
    """Energy of the machine for the run."""
    return (nodes_static_power + network_power) * system_time + (node_dynamic_energy + network_dynamic_energy)


@quantity(unit="1", source=f"share of the terms of {ANGHEL_2017}, Eq. 6.6")
def network_energy_share(network_static_energy, network_dynamic_energy, system_energy):
    """Share of the network in the energy of the machine."""
    return (network_static_energy + network_dynamic_energy) / system_energy
