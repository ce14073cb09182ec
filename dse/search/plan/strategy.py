"""Which method a search takes, and how many processes are worth starting.

Sizes say before any work what can pay at all: to look at few designs takes less than to make bundles of them, and to
bound bundles of few takes less than proofs of groups. Between these, samples of the work decide as a worker makes the
search of each alternative (`dse.search.plan.worker`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dse.errors import InputError
from dse.search.account.tolerance import Tolerance

__all__ = ["METHODS", "SearchOptions", "Strategy", "worthwhile_jobs"]

METHODS = ("auto", "exhaustive", "bundles", "groups", "evolve")
_BUNDLES_FROM = 5_000_000
_PRODUCT_BUNDLES_FROM = 16_384  # to look at fewer takes less time than to make their bundles
_SMALL = 5_000_000  # designs of an alternative, whose frontier costs little and excludes much of the others
_GROUPS_FROM = 10_000_000  # proofs take a fifth of a second; bundles of more designs often take many
_PARALLEL_FROM = {"exhaustive": 500_000_000, "bundles": 100_000_000_000, "groups": 10_000_000_000_000}


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    Attributes
    ----------
    method : {"auto", "exhaustive", "bundles", "groups", "evolve"}
        "auto" takes bundles for large spaces, unless infeasible designs are to be counted, and groups for alternatives
        of 10⁷ designs and more, unless samples say that another method is less work. "evolve" gives good designs
        without a bound, and is taken by name only.
    jobs : int
        Processes; 0 means one per processor where the space is large enough to pay for starting them. The result does
        not depend on it.
    count_infeasible : bool
        Count the designs that violate each constraint, which needs a look at every design.
    block : int, optional
        Designs per block; chosen for the cache by default. The result does not depend on it.
    evaluations : int, optional
        The most designs that "evolve" evaluates; by default it ends when restarts bring nothing.
    tolerance : Tolerance, optional
        How much worse than what is left out the designs may be that are found. Default: not at all.
    budget : float, optional
        Seconds after which the search stops with what it has found, and a bound on what it may have missed.
    """

    method: str = "auto"
    jobs: int = 1
    count_infeasible: bool = False
    block: int | None = None
    evaluations: int | None = None
    tolerance: Tolerance | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"unknown method '{self.method}'",
                key="search.method",
                allowed=METHODS,
                wrong=self.method,
                candidates=METHODS,
            )
        if self.evaluations is not None and self.method != "evolve":
            raise InputError(
                f"{self.method} evaluates what it has to, so 'evaluations' cannot be given",
                key="search.evaluations",
                allowed="method = 'evolve'",
            )
        if self.evaluations is not None and self.evaluations < 1:
            raise InputError(f"{self.evaluations} evaluations", key="search.evaluations", allowed="1 and more")
        if self.tolerance is not None and self.method == "evolve":
            raise InputError(
                "no bound is known of what evolve leaves out, so it has no tolerance",
                key="search.tolerance",
                allowed="another method, or no tolerance",
            )
        if self.count_infeasible and self.method in ("bundles", "groups", "evolve"):
            raise InputError(
                f"{self.method} skip designs, so infeasible ones cannot be counted",
                key="search.count_infeasible",
                allowed="method = 'exhaustive' or 'auto'",
            )

    @property
    def asked(self) -> dict[str, object]:
        """What the answer depends on: a run is known by it."""
        asked: dict[str, object] = {"method": self.method, "count_infeasible": self.count_infeasible}
        if self.evaluations is not None:
            asked["evaluations"] = self.evaluations
        if self.tolerance is not None:
            asked["tolerance"] = self.tolerance.as_dict()
        return asked


@dataclass(frozen=True)
class Strategy:
    """The plan of a search: plain values that can be sent to another process.

    Attributes
    ----------
    method : {"exhaustive", "bundles", "groups"}
        The first to be tried; a product that has no form for it falls back to the one before.
    reason : str
        Why, in words.
    block : int or None
        Designs per block.
    groups_from, bundles_from : int
        Size of a product from which its groups of axes are reduced first, and from which it is cut into bundles.
    tolerance : Tolerance or None
        How much worse than what is left out the designs may be that are found.
    by_work : bool
        Whether samples of an alternative may say that another method than its size suggests is less work.
    single_rows : tuple of int
        Products whose innermost rows are split one by one, as samples beside their first frontier have settled.
    """

    method: str
    reason: str
    block: int | None = None
    groups_from: int = 0
    bundles_from: int = 0
    tolerance: Tolerance | None = None
    by_work: bool = False
    single_rows: tuple[int, ...] = ()

    @classmethod
    def choose(cls, options: SearchOptions, sizes: Sequence[int]) -> Strategy:
        """Choose the method from the sizes of the products of a space."""
        chosen = cls._by_size(options, sizes)
        # Which designs stand for those left out depends on the method: a study within a tolerance keeps its answer.
        return replace(chosen, tolerance=options.tolerance, by_work=chosen.by_work and options.tolerance is None)

    @classmethod
    def _by_size(cls, options: SearchOptions, sizes: Sequence[int]) -> Strategy:
        method, size = options.method, sum(sizes)
        if method != "auto":
            return cls(method, "asked for", options.block)
        if options.count_infeasible:
            return cls("exhaustive", "infeasible designs are to be counted", options.block)
        count = f"{size:,} designs".replace(",", " ")
        if size < _BUNDLES_FROM:
            return cls("exhaustive", f"{count} are quickly looked at one by one", options.block)
        reason = f"{count}: bundles of alike designs are excluded by bounds"
        if any(size >= _GROUPS_FROM for size in sizes):
            reason += ", after rows that others beat were pruned from groups of axes"
            return cls("groups", reason, options.block, _GROUPS_FROM, _PRODUCT_BUNDLES_FROM, by_work=True)
        if all(size < _PRODUCT_BUNDLES_FROM for size in sizes):
            return cls("exhaustive", f"{count} in alternatives that are quickly looked at one by one", options.block)
        return cls("bundles", reason, options.block, bundles_from=_PRODUCT_BUNDLES_FROM, by_work=True)

    def stages(self, sizes: Sequence[int]) -> list[list[int]]:
        """Return the products in the order they are searched: small ones first, whose frontier starts the others."""
        small = [index for index, size in enumerate(sizes) if size < _SMALL]
        large = [index for index, size in enumerate(sizes) if size >= _SMALL]
        return [stage for stage in (small, large) if stage]

    def reduces(self, size: int) -> bool:
        """Return whether groups of axes of a product of this size are to be reduced first."""
        return self.method == "groups" and size >= self.groups_from

    def bundles(self, size: int) -> bool:
        """Return whether a product of this size is to be cut into bundles of alike designs."""
        return self.method != "exhaustive" and size >= self.bundles_from


def worthwhile_jobs(method: str, size: int) -> int:
    """Return one process where starting more would take longer than the search, else one per processor."""
    return (os.cpu_count() or 1) if size >= _PARALLEL_FROM[method] else 1
