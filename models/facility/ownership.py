"""Cost of owning a machine, in one currency: purchase, electricity and staff over the years of its use.

`ownership_in` makes the quantities for a currency, so that prices in another one are refused. No price has a default:
each is given by the study, or read from a price list. Interest, inflation, the building and maintenance contracts are
left out; a cable, switch or card costs the same however many are bought.
"""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import Declaration, assumption, parameter, quantity
from dse.models.network.parts.power import nics_per_node

__all__ = ["ownership_in"]

_COUNTS: dict[str, Declaration] = {
    "ports_in_use": parameter(unit="1", doc="Ports of the switches of a plane that are in use", minimum=0),
    "electrical_links": parameter(unit="1", doc="Electrical cables of a plane of the network", minimum=0),
    "optical_links": parameter(unit="1", doc="Optical cables of a plane of the network", minimum=0),
    "nics_per_node": nics_per_node,
}
_SUM = "parts times prices"


def ownership_in(currency: str) -> dict[str, Declaration]:
    """Return the parameters and quantities of the cost of ownership by name, all in one currency.

    Parameters
    ----------
    currency : str
        A unit of money: "EUR".
    """
    return {**_COUNTS, **_prices(currency), **_purchase(currency), **_running(currency)}


def _prices(currency: str) -> dict[str, Declaration]:
    def price(doc: str, per: str = "") -> Any:
        return parameter(unit=f"{currency}{per}", doc=doc, minimum=0)

    return {
        "node_price": price("Price of a node, without its network cards"),
        "switch_port_price": price("Price of a switch over its ports, for each port in use"),
        "nic_price": price("Price of a network card"),
        "electrical_cable_price": price("Price of an electrical cable"),
        "optical_cable_price": price("Price of an optical cable with its two ends"),
        "storage_price": assumption(
            0.0,
            unit=currency,
            source="none: storage is not bought with the machine",
            neglects="price of the storage",
            doc="Price of the storage of the machine",
            minimum=0,
        ),
        "electricity_price": price("Price of electricity", "/J"),
        "staff_positions": parameter(
            unit="1", doc="Full-time positions that the machine takes, as shares of people", minimum=0
        ),
        "position_price": price("What a full-time position costs its employer in a time", "/s"),
    }


def _purchase(currency: str) -> dict[str, Declaration]:
    @quantity(unit=currency, source=_SUM)
    def nodes_purchase(nodes, node_price):
        """Price of all nodes, without their network cards."""
        return nodes * node_price

    @quantity(unit=currency, source=_SUM)
    def switches_purchase(ports_in_use, network_planes, switch_port_price):
        """Price of the switches of all planes, by their ports in use."""
        return ports_in_use * network_planes * switch_port_price

    @quantity(unit=currency, source=_SUM)
    def cables_purchase(electrical_links, optical_links, network_planes, electrical_cable_price, optical_cable_price):
        """Price of the cables of all planes."""
        return (electrical_links * electrical_cable_price + optical_links * optical_cable_price) * network_planes

    @quantity(unit=currency, source=_SUM)
    def nics_purchase(nodes, nics_per_node, nic_price):
        """Price of all network cards."""
        return nodes * nics_per_node * nic_price

    parts = ("nodes_purchase", "switches_purchase", "cables_purchase", "nics_purchase", "storage_price")

    @quantity(unit=currency, source=_SUM, sum_of=parts)
    def purchase_cost(nodes_purchase, switches_purchase, cables_purchase, nics_purchase, storage_price):
        """Price of the whole machine, with its storage."""
        return nodes_purchase + switches_purchase + cables_purchase + nics_purchase + storage_price

    return _by_name(nodes_purchase, switches_purchase, cables_purchase, nics_purchase, purchase_cost)


def _running(currency: str) -> dict[str, Declaration]:
    @quantity(unit=currency, source="energy times price")
    def electricity_cost(use_energy, electricity_price):
        """Price of the electricity of the site over the whole use of the machine."""
        return use_energy * electricity_price

    @quantity(unit=currency, source="positions times what each costs")
    def staff_cost(use_time, staff_positions, position_price):
        """Cost of the people whom the machine takes, over its whole use."""
        return use_time * staff_positions * position_price

    @quantity(
        unit=currency,
        source="purchase, electricity and staff, without interest",
        sum_of=("purchase_cost", "electricity_cost", "staff_cost"),
    )
    def cost_of_ownership(purchase_cost, electricity_cost, staff_cost):
        """Cost of buying the machine and of running it over the whole time of its use."""
        return purchase_cost + electricity_cost + staff_cost

    @quantity(unit="1", source="share of a sum")
    def electricity_cost_share(electricity_cost, cost_of_ownership):
        """Share of the electricity in the cost of ownership."""
        return electricity_cost / cost_of_ownership

    @quantity(unit=f"{currency}/s", source="cost over the time at work")
    def cost_at_work(cost_of_ownership, use_time, utilisation):
        """Cost of ownership for each second in which the machine works."""
        return cost_of_ownership / (use_time * utilisation)

    return _by_name(electricity_cost, staff_cost, cost_of_ownership, electricity_cost_share, cost_at_work)


def _by_name(*functions: Any) -> dict[str, Declaration]:
    return {function.name: function for function in functions}
