"""Values of a file in the words of a message."""

from __future__ import annotations

from typing import Any

__all__ = ["shown"]

_LONGEST = 60


def shown(value: Any) -> str:
    """Write a value as it stands in the file, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole numbers of thousands of digits
        text = "a whole number of thousands of digits"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"
