"""Figures of data machines beside what the models give."""

from __future__ import annotations

from dse.authoring.claims import Claim
from dse.models.data_machine.claims.skywalk import skywalk_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of data machines, with what the models give."""
    return [*skywalk_claims()]
