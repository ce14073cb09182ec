"""Cost of ownership in dollars (see `dse.models.facility.ownership`)."""

from __future__ import annotations

from dse.models.facility.ownership import ownership_in

__all__: list[str] = []

globals().update(ownership_in("USD"))
