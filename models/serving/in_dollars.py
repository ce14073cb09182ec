"""What served tokens cost, in dollars (see `dse.models.serving.accounts.cost`)."""

from __future__ import annotations

from dse.models.serving.accounts.cost import cost_in

__all__: list[str] = []

globals().update(cost_in("USD"))
