"""What a real machine is counted for in a cost: cards, ports and cables of its network, silicon of its accelerators.

Accelerators that are no rows of ``spaces/machines/devices.csv`` have no silicon figure, so their machines have no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.devices import catalogued, devices
from dse.models.node_class.accelerated import host_cost_weight
from dse.models.node_class.silicon import defect_clustering, good_dies_cost, wafer_diameter
from dse.models.sources import HENNESSY_2019, STAPPER_1983

__all__ = ["cost_columns", "defect_clustering", "host_cost_weight", "wafer_diameter"]

_TABLE = "spaces/machines/systems.csv, each row with its source and confidence"
_SILICON = {
    "machine_device_silicon_area": "device_silicon_area",
    "machine_device_dies": "device_dies",
    "machine_device_wafer_cost": "device_wafer_cost",
    "machine_device_defect_density": "device_defect_density",
}
_NETWORK: dict[str, Any] = {"slot": "topology", "provider": "real-machine"}
_INTERCONNECT: dict[str, Any] = {"slot": "interconnect", "provider": "real-machine"}

machine_cards = parameter(unit="1", doc="Network cards of a node", minimum=0)
machine_device_silicon_area = parameter(unit="m^2", doc="Area of all dies of an accelerator; 0 without", minimum=0)
machine_device_dies = parameter(unit="1", doc="Dies of an accelerator", minimum=0)
machine_device_wafer_cost = parameter(unit="1", doc="Cost weight of its wafers", minimum=0)
machine_device_defect_density = parameter(unit="1/m^2", doc="Defects per area of its wafers", minimum=0)


def cost_columns(machines: Sequence[Machine]) -> dict[str, np.ndarray]:
    """Return the parameters of a cost, a value per machine, NaN where none is known."""
    table = devices()
    by_column = {name: np.full(len(machines), np.nan) for name in ("machine_cards", *_SILICON)}
    for position, machine in enumerate(machines):
        by_column["machine_cards"][position] = np.nan if machine.cards is None else machine.cards
        if not machine.devices:
            for name in _SILICON:
                by_column[name][position] = 1.0 if name == "machine_device_dies" else 0.0
            continue
        row = catalogued(machine.device_model)
        if row is not None:
            for name, column in _SILICON.items():
                by_column[name][position] = table[column][row]
    return by_column


@quantity(unit="1", source=_TABLE, **_INTERCONNECT)
def nics_per_node(machine_cards):
    """Network cards of a node."""
    return machine_cards * 1.0


@quantity(unit="1", source="one network for all cards of a node", **_INTERCONNECT)
def network_planes(machine_cards):
    """Networks of the machine."""
    return 1.0 + 0.0 * machine_cards


@quantity(unit="1", source="ours: one from each card of a node", **_NETWORK)
def node_links(machine_nodes, machine_cards):
    """Links between nodes and switches."""
    return machine_nodes * machine_cards


@quantity(unit="1", source="ports per link of a node, by kind of network, less the one it ends in", **_NETWORK)
def switch_links(machine_nodes, machine_cards, machine_switch_ports):
    """Links between switches."""
    return machine_nodes * machine_cards * np.maximum(machine_switch_ports - 1.0, 0.0) / 2.0


@quantity(unit="1", source="ends of optical cables per link of a node, by kind of network; two per cable", **_NETWORK)
def optical_links(machine_nodes, machine_cards, machine_optical_ends):
    """Optical cables."""
    return machine_nodes * machine_cards * machine_optical_ends / 2.0


@quantity(unit="1", source="ours: one from each card of a node to its switch", **_NETWORK)
def electrical_links(machine_nodes, machine_cards):
    """Electrical cables."""
    return machine_nodes * machine_cards


@quantity(
    unit="1",
    source=f"{HENNESSY_2019}, Section 1.6; {STAPPER_1983}; a weight",
    slot="node_class",
    provider="real-machine",
)
def node_silicon_cost_weight(
    machine_processors,
    host_cost_weight,
    machine_devices,
    machine_device_silicon_area,
    machine_device_dies,
    machine_device_wafer_cost,
    machine_device_defect_density,
    wafer_diameter,
    defect_clustering,
):
    """Cost of the good dies of accelerators, and of processors by count, next to a wafer of weight 1."""
    there = machine_devices > 0.0
    area = np.where(there, machine_device_silicon_area, 1e-4)
    dies = np.where(there, machine_device_dies, 1.0)
    device = good_dies_cost(
        area, dies, machine_device_wafer_cost, wafer_diameter, machine_device_defect_density, defect_clustering
    )
    return machine_processors * host_cost_weight + np.where(there, machine_devices * device, 0.0)
