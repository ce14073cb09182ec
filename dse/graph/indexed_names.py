"""Names of quantities that there are several of, one for each member of an index set: ``time@BT``."""

from __future__ import annotations

__all__ = ["base_name"]


def base_name(quantity: str) -> str:
    """Return the name a quantity has in the models."""
    return quantity.partition("@")[0]
