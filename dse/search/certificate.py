"""The certificate: what a search did, so that "exact" can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Certificate"]

TIES = "every design of the space that no other design beats is kept, designs with equal objectives included"


@dataclass(frozen=True)
class Certificate:
    """The account of a search.

    Attributes
    ----------
    method : str
        "exhaustive" or "bundles".
    exact : bool
        Whether the frontier is that of the whole space.
    designs : int
        Size of the space.
    evaluated : int
        Designs whose objectives or constraints were computed.
    excluded_by_bound : int
        Designs skipped because the bounds of their bundle are dominated or infeasible.
    feasible : int or None
        Designs that meet every constraint; None when not every design was looked at.
    infeasible : dict of str to int, or None
        Designs that violate each constraint (one design may violate several); None likewise.
    ties : str
        The rule for equal designs.
    reason : str
        Why this method was taken.
    warnings : tuple of str
    """

    method: str
    exact: bool
    designs: int
    evaluated: int
    excluded_by_bound: int
    feasible: int | None
    infeasible: Mapping[str, int] | None
    ties: str = TIES
    reason: str = ""
    warnings: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)
