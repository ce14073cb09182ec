"""Prices from a price list in dollars (see `dse.models.facility.price_list`)."""

from __future__ import annotations

from dse.models.facility.price_list import prices_in

__all__: list[str] = []

globals().update(prices_in("USD"))
