"""What tokens cost, in one currency: of rented devices by the hour, or of a machine that is owned.

No price has a default: a study gives it, or there is no cost. Currencies are not converted.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import Declaration, parameter, quantity
from dse.authoring.table import Table
from dse.models.facility.price_list import listed_price

__all__ = ["MILLION", "cost_in", "hour_price"]

MILLION = 1e6


def hour_price(price_list: Table, device: str) -> float:
    """Return the price of a device in a second, from a price list; raises `InputError` as `listed_price`."""
    return listed_price(price_list, device, "s")


def cost_in(currency: str) -> dict[str, Declaration]:
    """Return the price of a device and the cost of tokens by name, in a currency.

    Parameters
    ----------
    currency : str
        A unit of money: "EUR".
    """

    @quantity(unit=currency, source="ours: price over rate", label="cost of a million tokens")
    def cost_per_million_tokens(device_hour_price, serving_tokens_per_device):
        """Cost of a million tokens answered, of devices that are rented."""
        return device_hour_price / serving_tokens_per_device * MILLION

    @quantity(unit=currency, source="ours: cost of ownership over rate", label="cost of a million tokens, owned")
    def owned_cost_per_million_tokens(cost_at_work, site_tokens_per_second):
        """Cost of a million tokens answered, of a machine that is owned (model facility)."""
        return cost_at_work / site_tokens_per_second * MILLION

    price = parameter(unit=f"{currency}/s", doc="Price of a device with its host in a time, rented", minimum=0)
    at_work = parameter(unit=f"{currency}/s", doc="Cost of ownership for each second at work", minimum=0)
    return {
        "device_hour_price": price,
        "cost_at_work": at_work,
        "cost_per_million_tokens": cost_per_million_tokens,
        "owned_cost_per_million_tokens": owned_cost_per_million_tokens,
    }
