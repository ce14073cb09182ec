"""How many call paths of a profile are taken, the heaviest, and what is said of the others."""

from __future__ import annotations

__all__ = ["MOST_PATHS", "lighter_paths"]

MOST_PATHS = 10
"""Call paths that are kept, the heaviest by their own time: one law is fitted for each."""


def lighter_paths(count: int, rest: float, whole: float, what: str) -> str:
    """Say how many call paths were left out, and which share of the whole of a metric is theirs.

    Examples
    --------
    >>> lighter_paths(3, 1.0, 50.0, "the time")
    '3 lighter call paths were left out, 2 % of the time'
    """
    share = rest / whole if whole > 0.0 else 0.0
    return f"{count} lighter call paths were left out, {100.0 * share:.3g} % of {what}"
