"""Published figures of resilience beside what the models give."""

from __future__ import annotations

from dse.authoring.library.claims import Claim
from dse.models.resilience.claims.checkpoints import checkpoint_claims
from dse.models.resilience.claims.compression import compression_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of resilience, with what the models give."""
    return [*checkpoint_claims(), *compression_claims()]
