"""The certificate: what a search did, so that "exact" can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NotRequired

from typing_extensions import TypedDict

from dse.search.account.stopping import BUDGET, INTERRUPT
from dse.search.account.tolerance import tolerance_text
from dse.units import format_number

__all__ = ["AS_LEDGER", "COVERED", "MET", "NOTHING_NEW", "NO_BOUND", "NO_BOUND_YET", "TIES", "VECTORS", "Certificate"]
__all__ += ["Evolution"]

TIES = "every design of the space that no other design beats is kept, designs with equal objectives included"
VECTORS = (
    "every objective vector that no other beats is kept; of the designs with equal objectives some were pruned, "
    "since a group has too many rows to look them up"
)
COVERED = "not kept: of designs within the tolerance of each other one stands for all"
NO_BOUND = "no bound is known"
NO_BOUND_YET = "no bound yet"
AS_LEDGER = "as the accepted ledger says"
"""What follows every headline of a search that took over blocks of somebody else."""
NOTHING_NEW = "nothing new"
"""How a search without a bound ends whose frontier has not changed for as long as it took to come by it."""
MET = (
    "of the designs that were looked at every one that no other of them beats is kept, designs with equal objectives "
    "included"
)


@dataclass(frozen=True)
class Evolution:
    """The account of a search without a bound (`dse.search.evolve.evolve`).

    Attributes
    ----------
    evaluations : int
        Designs that were evaluated, each counted once.
    generations, restarts, population : int
        Genomes that make a generation: `population`.
    hypervolume : tuple of float
        Between the frontier found so far and a fixed reference, in logarithms of the objectives, at every look and in
        the end; 0 while nothing feasible is known. It says when the search stopped growing, not how near it came.
    seed : int
    ended : str
        "restarts" (several have brought nothing), "nothing new" (the frontier has not changed for as many evaluations
        as it took), "evaluations" (as many as were asked for), "every design", "budget" or "interrupt".
    closed : bool
        Whether every design that differs in one axis from one of the frontier was looked at.
    not_finite : int
        Designs that meet every limit and have an objective that is not finite: they count as infeasible.
    """

    evaluations: int
    generations: int
    restarts: int
    population: int
    hypervolume: tuple[float, ...]
    seed: int
    ended: str
    closed: bool
    not_finite: int = 0

    @property
    def as_text(self) -> str:
        """What was done, in one line."""
        n = format_number
        kinds = {
            "restarts": "ended when restarts brought nothing",
            NOTHING_NEW: "ended when nothing new had been found for as many evaluations as it took",
            "evaluations": "ended by the evaluations asked for",
            "every design": "ended when every design had been looked at",
            BUDGET: "ended by the budget, so that what was found depends on the machine",
            INTERRUPT: "interrupted",
        }
        done = (
            f"{n(self.generations)} generations of {n(self.population)}, {n(self.restarts)} restarts, seed {self.seed}"
        )
        odd = f"; {n(self.not_finite)} designs without finite objectives" if self.not_finite else ""
        near = "" if self.closed else "; not every one-axis neighbour was looked at"
        return f"{done}; {kinds.get(self.ended, self.ended)}{near}{odd}"


class OpenPart(TypedDict):
    """What a search that was stopped has left: pieces, designs, and their share of the space."""

    boxes: int
    designs: int
    share: float


class FoundAndPossible(TypedDict):
    """The best of an objective that was found, and the best that is possible; None where that is not known."""

    found: float | None
    possible: float | None


class Gap(TypedDict):
    """What bounds tell of a search that was stopped (`dse.search.schedule.gap`).

    `waiting` names the alternatives that were not begun, of which no bound is known; `begun` has what is possible in
    the others by objective. Both are there only where something waits.
    """

    cover: float | None
    open: OpenPart
    objectives: dict[str, FoundAndPossible]
    proved: list[int]
    waiting: NotRequired[list[str]]
    begun: NotRequired[dict[str, float | None]]


class CheckedCounts(TypedDict):
    """What was thrown at a frontier before it was written, and how many of it beat it."""

    designs: int
    feasible: int
    neighbours: int
    better: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """The account of a search.

    Attributes
    ----------
    method : str
        "exhaustive", "bundles", "groups" or "evolve".
    exact : bool
        Whether the frontier is that of the whole space: every design was evaluated, excluded or pruned (`adds_up`),
        and none was left out because of a tolerance alone.
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
    evolution : Evolution or None
        Of a search without a bound: how it went.
    tolerance : dict of str to dict of str to float, or None
        By objective, ``{"relative": 0.01}`` or ``{"absolute": 2e5}`` (SI): how much worse than a design that was left
        out one of the frontier may be, in every objective. An objective that does not stand there is exact.
    stopped : {"budget", "interrupt"} or None
        What ended the search before it was done.
    gap : dict or None
        Of a search that was stopped, what bounds tell (`dse.search.schedule.gap`): ``cover``, a share (0.5) within
        which one design of the frontier stands for each feasible one, None where no bound is known; ``open``, how many
        ``boxes`` and ``designs`` are left, and their ``share`` of the space; ``objectives``, by name the best that was
        ``found`` and the best that is ``possible``; ``proved``, the designs that are certainly on the frontier.
    accepted : dict of str to int, or None
        How many ``blocks`` with how many ``designs`` were taken over from a ledger that bears no seal of this user:
        what they say was not searched here, so that the whole is not called exact.
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
    checked: CheckedCounts | None = None
    evolution: Evolution | None = None
    tolerance: Mapping[str, Mapping[str, float]] | None = None
    stopped: str | None = None
    gap: Gap | None = None
    accepted: Mapping[str, int] | None = None

    @property
    def promises_all(self) -> bool:
        """Whether it is exact, or would be if the blocks taken over are right: it is checked as if it were."""
        return self.exact or (
            self.accepted is not None and self.gap is None and self.evolution is None and self.ties != COVERED
        )

    @property
    def finished(self) -> bool:
        """Whether there is nothing to go on with: of a search without a bound a budget is the end, as any other."""
        return self.stopped is None or (self.evolution is not None and self.stopped == BUDGET)

    @staticmethod
    def adds_up(designs: int, evaluated: int, excluded: int, pruned: int) -> bool:
        """Tell whether every design is accounted for, once."""
        return designs == evaluated + excluded + pruned

    @property
    def ties_text(self) -> str:
        """The rule for equal designs, short where it is the usual one."""
        return "designs with equal objectives are all kept" if self.ties == TIES else f"ties: {self.ties}"

    @property
    def checked_text(self) -> str:
        """What was thrown at the frontier, and what came of it; nothing where nothing was."""
        if not self.checked:
            return ""
        n, counts = format_number, self.checked
        which = "all {} designs" if counts["designs"] == self.designs else "{} random designs"
        within = (self.tolerance if self.gap is None else self.gap["cover"] is not None) and not self.promises_all
        better = "beat what was found" if self.gap is not None else "beat what had been found and were taken over"
        missed = "should be on it" if self.promises_all or within else better
        what = "the tolerance" if self.gap is None else "is told"
        none = f"none beats it by more than {what}" if within else "none beats it"
        beaten = f"{n(counts['better'])} {missed}" if counts["better"] else none
        if not counts["feasible"] and not counts["neighbours"]:  # nothing is found that could be beaten
            return f"{which.format(n(counts['designs']))}: none meets every constraint"
        again = f"{which.format(n(counts['designs']))} ({n(counts['feasible'])} feasible)"
        return f"{again} and {n(counts['neighbours'])} neighbours of the frontier computed once more: {beaten}"

    def headline(self, objectives: Sequence[str], units: Mapping[str, str]) -> str:
        """Say in a few words what the frontier is worth: "exact", "within 1 %" or "no bound is known"."""
        rests = f", {AS_LEDGER}" if self.accepted is not None else ""
        if self.promises_all:
            return f"exact{rests}"
        if self.gap is not None:
            return f"{self._stopped_headline(objectives, units)}{rests}"
        if not self.tolerance:
            return NO_BOUND
        return f"within {tolerance_text(self.tolerance, objectives, units)}{rests}"

    def _stopped_headline(self, objectives: Sequence[str], units: Mapping[str, str]) -> str:
        assert self.gap is not None
        cover = self.gap["cover"]
        if cover is None:
            return f"stopped: {NO_BOUND_YET}"
        own = {name: given for name, given in (self.tolerance or {}).items() if "absolute" in given}
        more = f" and {tolerance_text(own, objectives, units)}" if own else ""
        share = f"{format_number(100 * cover)} %" if cover < 1 else f"a factor of {format_number(1 + cover)}"
        return f"stopped: within {share}{more}"

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
