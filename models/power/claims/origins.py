"""What the claims of power share."""

from __future__ import annotations

from typing import Any

from dse.authoring.claims import Claim

__all__ = ["MCPAT", "THESIS", "TOOL", "claim"]

THESIS = "Anghel 2017"
TOOL = "IBM ExaBounds (2017)"
MCPAT = "own runs of McPAT 1.3, described with the tables"


def claim(what: str, source: str, published: Any, computed: Any, **more: Any) -> Claim:
    """Return a claim of the power models."""
    return Claim("power", what, source, published, computed, **more)
