"""Published figures of the SKA1-Low station and correlator beside what the models give."""

from __future__ import annotations

from dse.authoring.claims import Claim
from dse.models.ska._correlator_claims import correlator_claims
from dse.models.ska._dedicated_claims import dedicated_claims
from dse.models.ska._station_claims import station_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of the two levels, with what the models give."""
    return [*station_claims(), *dedicated_claims(), *correlator_claims()]
