"""Greenhouse gases of a machine, as CO2 equivalents: of its electricity, and of making it."""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity

__all__: list[str] = []


@quantity(unit="kg", source="energy times intensity of the grid")
def electricity_carbon(use_energy, carbon_intensity):
    """CO2 equivalents of the electricity of the site over the whole use of the machine."""
    return use_energy * carbon_intensity


@quantity(unit="kg", source="sum over parts")
def nodes_embodied_carbon(nodes, node_embodied_carbon):
    """CO2 equivalents of making the nodes."""
    return nodes * node_embodied_carbon


@quantity(unit="kg", source="sum over parts")
def switches_embodied_carbon(switches, network_planes, switch_embodied_carbon):
    """CO2 equivalents of making the switches of all planes."""
    return switches * network_planes * switch_embodied_carbon


@quantity(
    unit="kg",
    source="sum over parts; cables, racks and the building are left out",
    sum_of=("nodes_embodied_carbon", "switches_embodied_carbon", "storage_embodied_carbon"),
)
def embodied_carbon(nodes_embodied_carbon, switches_embodied_carbon, storage_embodied_carbon):
    """CO2 equivalents of making the machine."""
    return nodes_embodied_carbon + switches_embodied_carbon + storage_embodied_carbon


@quantity(unit="kg", source="electricity and making", sum_of=("electricity_carbon", "embodied_carbon"))
def carbon(electricity_carbon, embodied_carbon):
    """CO2 equivalents of making the machine and of its electricity over its whole use."""
    return electricity_carbon + embodied_carbon


@quantity(unit="1", source="share of a sum")
def embodied_carbon_share(embodied_carbon, carbon):
    """Share of making the machine in all of its CO2 equivalents."""
    return embodied_carbon / carbon
