"""Published figures of the SKA1-Low station and correlator beside what the models give."""

from __future__ import annotations

from dse.authoring.library.claims import Claim
from dse.models.ska.claims.correlator import correlator_claims
from dse.models.ska.claims.dedicated_correlator import dedicated_claims
from dse.models.ska.claims.station import station_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of the two levels, with what the models give."""
    return [*station_claims(), *dedicated_claims(), *correlator_claims()]
