"""Prices from a list of the user, in one currency: of devices and hosts, many-core nodes, the network, running costs.

A price list is a CSV file with the columns ``item``, ``price [EUR]`` (or another currency) and ``per``, a unit: ``1``,
``GB``, ``MWh`` or ``year``. What is asked for is found by its item:

==================================================== ==========================================================
Item                                                 What it is
==================================================== ==========================================================
what ``device_model`` says, such as ``MI300A``       an accelerator, per 1
``host``, ``node base``                              processors and memory beside devices; board and rack, per 1
``silicon of weight 1``, ``memory``                  good dies of a many-core node, per 1; its memory, per GB
``400 Gbit/s card``, ``… switch port``               network, by the bandwidth of a port, per 1
``400 Gbit/s electrical cable``, ``… optical cable`` the same
``electricity``, ``position``                        per MWh; a full-time position, per year
==================================================== ==========================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Column, Declaration, parameter, quantities, quantity, table_parameter
from dse.authoring.table import Table
from dse.errors import InputError
from dse.models.node_class.accelerated import devices_per_node, host_power
from dse.models.node_class.many_core import sockets
from dse.units import factor

__all__ = ["listed_price", "prices_in"]

_LIST = "the price list"


def listed_price(price_list: Table, item: str, per: str) -> float:
    """Return the price of an item of a list, for each `per` (SI: "1", "B", "J", "s").

    Raises
    ------
    InputError
        An item that is not in the list, or stands there twice, or for another kind of unit.
    """
    rows = price_list.where(item=item)
    if len(rows) > 1:
        raise InputError(f"{len(rows)} prices of '{item}'", file=price_list.name, allowed="one row for each item")
    written = str(rows["per"][0])
    try:
        return float(rows["price"][0]) / factor(written, per)
    except InputError as error:
        raise InputError(
            f"the price of '{item}' is for each '{written}'", file=price_list.name, allowed=f"a unit like '{per}'"
        ) from error


def prices_in(currency: str) -> dict[str, Declaration]:
    """Return what reads the prices of `dse.models.facility.ownership` from a price list in a currency."""
    return {**_inputs(currency), **_nodes(currency), **_network(currency), **_running(currency)}


def _inputs(currency: str) -> dict[str, Declaration]:
    columns = {
        "item": Column("text", "What is bought"),
        "price": Column(currency, "Price"),
        "per": Column("text", "The unit the price is for: 1, GB, MWh, year"),
    }
    return {
        "price_list": table_parameter(columns=columns, doc=f"Prices in {currency}, one row for each item"),
        "device_model": parameter(unit="text", doc="The item of the price list that an accelerator is"),
        "devices_per_node": devices_per_node,
        "host_power": host_power,
        "sockets": sockets,
    }


def _nodes(currency: str) -> dict[str, Declaration]:
    @quantity(unit=currency, source=_LIST, points_only=True)
    def device_price(price_list, device_model):
        """Price of an accelerator."""
        return _each(device_model, lambda model: listed_price(price_list, str(model), "1"))

    @quantities(gives={"host_price": currency, "node_base_price": currency}, source=_LIST, points_only=True)
    def node_parts_prices(price_list):
        """Price of the processors and memory beside devices; of board, power supply, cooling and rack."""
        return _both(price_list, ("host", "1"), ("node base", "1"))

    @quantities(gives={"silicon_price": currency, "memory_price": f"{currency}/B"}, source=_LIST, points_only=True)
    def many_core_parts_prices(price_list):
        """Price of the good dies of weight 1 of a many-core node, and of a byte of its memory."""
        return _both(price_list, ("silicon of weight 1", "1"), ("memory", "B"))

    @quantity(unit=currency, name="node_price", source=_LIST, slot="node_class", provider="accelerated")
    def accelerated_node_price(devices_per_node, device_price, host_power, host_price, node_base_price):
        """Price of an accelerated node; of a device that has its host in the package, without a host."""
        return devices_per_node * device_price + np.where(host_power > 0.0, host_price, 0.0) + node_base_price

    @quantity(unit=currency, name="node_price", source=_LIST, slot="node_class", provider="many-core")
    def many_core_node_price(
        sockets, socket_cost_weight, silicon_price, node_memory_capacity, memory_price, node_base_price
    ):
        """Price of a many-core node: its good dies by weight, its memory, its base."""
        silicon = sockets * socket_cost_weight * silicon_price
        return silicon + node_memory_capacity * memory_price + node_base_price

    made = (device_price, node_parts_prices, many_core_parts_prices, accelerated_node_price, many_core_node_price)
    return {function.name: function for function in made}


def _network(currency: str) -> dict[str, Declaration]:
    items = {
        "nic_price": "card",
        "switch_port_price": "switch port",
        "electrical_cable_price": "electrical cable",
        "optical_cable_price": "optical cable",
    }

    @quantities(gives=dict.fromkeys(items, currency), source=_LIST, points_only=True)
    def network_prices(price_list, port_bandwidth):
        """Prices of a card, a port of a switch and cables, by the bandwidth of a port."""
        return tuple(
            _each(port_bandwidth, lambda rate, item=item: listed_price(price_list, _named(rate, item), "1"))
            for item in items.values()
        )

    return {
        "port_bandwidth": parameter(unit="B/s", doc="Bandwidth of a port of the network", above=0),
        "network_prices": network_prices,
    }


def _running(currency: str) -> dict[str, Declaration]:
    @quantities(
        gives={"electricity_price": f"{currency}/J", "position_price": f"{currency}/s"},
        source=_LIST,
        points_only=True,
    )
    def running_prices(price_list):
        """Price of electricity, and of a full-time position."""
        return _both(price_list, ("electricity", "J"), ("position", "s"))

    return {"running_prices": running_prices}


def _both(price_list: Table, *items: tuple[str, str]) -> tuple[np.ndarray, ...]:
    return tuple(np.array([listed_price(price_list, item, per)]) for item, per in items)


def _named(bandwidth: float, item: str) -> str:
    return f"{bandwidth * 8e-9:.10g} Gbit/s {item}"


def _each(values: Any, price: Any) -> np.ndarray:
    """Return a price for each value of an array, asked for once for each different value."""
    distinct, places = np.unique(np.asarray(values), return_inverse=True)
    prices = np.array([price(value) for value in distinct.tolist()], dtype=float)
    return prices[places].reshape(np.shape(values))
