"""The certificate: what a search did, so that "exact" can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from dse.units import format_number

__all__ = ["Certificate"]

TIES = "every design of the space that no other design beats is kept, designs with equal objectives included"
VECTORS = (
    "every objective vector that no other beats is kept; of the designs with equal objectives some were pruned, "
    "since a group has too many rows to look them up"
)


@dataclass(frozen=True)
class Certificate:
    """The account of a search.

    Attributes
    ----------
    method : str
        "exhaustive", "bundles" or "groups".
    exact : bool
        Whether the frontier is that of the whole space: every design was evaluated, excluded or pruned (`adds_up`).
    designs : int
        Size of the space.
    evaluated : int
        Designs whose objectives or constraints were computed.
    excluded_by_bound : int
        Designs skipped because the bounds of their bundle are dominated or infeasible, counted as they are skipped.
    feasible : int or None
        Designs that meet every constraint; None when not every design was looked at.
    infeasible : dict of str to int, or None
        Designs that violate each constraint (one design may violate several); None likewise.
    ties : str
        The rule for equal designs.
    reason : str
        Why this method was taken.
    pruned_by_group : int
        Designs left out because a row of a group of axes can be replaced by one that is no worse.
    groups, not_pruned : tuple of str
        The groups in words, and the quantities that kept rows from being compared.
    warnings : tuple of str
    checked : dict of str to int, or None
        What was thrown at the frontier before it was written: random ``designs`` and how many are ``feasible``,
        ``neighbours`` of the frontier, how many of them beat it (``better``), and the ``seed``.
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
    pruned_by_group: int = 0
    groups: tuple[str, ...] = ()
    not_pruned: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    checked: Mapping[str, int] | None = None

    @staticmethod
    def adds_up(designs: int, evaluated: int, excluded: int, pruned: int) -> bool:
        """Tell whether every design is accounted for, once."""
        return designs == evaluated + excluded + pruned

    @property
    def checked_in_words(self) -> str:
        """What was thrown at the frontier, and what came of it; nothing where nothing was."""
        if not self.checked:
            return ""
        n, told = format_number, self.checked
        which = "all {} designs" if told["designs"] == self.designs else "{} random designs"
        beaten = f"{n(told['better'])} should be on it" if told["better"] else "none beats it"
        thrown = f"{which.format(n(told['designs']))}, {n(told['feasible'])} feasible"
        return f"{thrown}, {n(told['neighbours'])} neighbours: {beaten}"

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
