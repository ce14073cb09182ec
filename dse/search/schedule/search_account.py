"""The account of a search as its pieces are carried out: all that a certificate can be made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dse.evaluation.problem import Problem
from dse.search.evolve.evolve import Evolved
from dse.search.frontier.archive import Archive
from dse.search.plan.worker import Worker
from dse.search.schedule.gap import Remaining
from dse.search.schedule.totals import Totals

__all__ = ["GenerationsAccount", "SearchAccount"]


@dataclass(kw_only=True)
class SearchAccount:
    """What a search has looked at and excluded, and what is left where it was stopped.

    Attributes
    ----------
    worker : Worker
        Knows how each product was searched, and why.
    archive : Archive
        What was found.
    totals : Totals
        What was counted.
    stopped : {"budget", "interrupt"} or None
    remaining : Remaining or None
        What is open where the search was stopped.
    ties_complete : bool
        Whether the designs that equal some of the frontier and were pruned could be looked up.
    keeps_evidence : bool
        Whether somebody keeps evidence.
    jobs, chunks : int
    """

    worker: Worker
    archive: Archive
    totals: Totals
    keeps_evidence: bool
    stopped: str | None = None
    remaining: Remaining | None = None
    ties_complete: bool = True
    jobs: int = 1
    chunks: int = 0

    @property
    def problem(self) -> Problem:
        """The problem that is searched."""
        return self.worker.problem

    @property
    def frontier(self) -> tuple[np.ndarray, np.ndarray]:
        """What was found: points to be minimised, and design numbers in rising order."""
        return self.archive.result()

    @property
    def counters(self) -> dict[str, int]:
        """How it was done; nothing of the result depends on it."""
        return {
            "jobs": self.jobs,
            "chunks": self.chunks,
            "calls": self.totals.calls,
            "passed": self.totals.passed,
        }

    @property
    def pruned(self) -> int:
        """Designs that hold a pruned row of a group."""
        return sum(product.pruned for product in self.worker.grouped)

    def unprepared(self, products: Iterable[int]) -> Remaining:
        """Return what is open of products that were not begun: nothing is known of them."""
        prepared, waiting = self.worker.prepared, list(products)
        sizes = [
            prepared[index].designs if index in prepared else self.problem.space.products[index].size
            for index in waiting
        ]
        return Remaining(len(sizes), sum(sizes), None, waiting)

    def add_equal_designs(self) -> None:
        """Add the designs of grouped products that equal some of the frontier and were pruned."""
        space, numbers = self.problem.space, self.frontier[1]
        for product in self.worker.grouped:
            first, size = space.offsets[product.index], space.products[product.index].size
            here = numbers[(numbers >= first) & (numbers < first + size)]
            if not len(here):
                continue
            equals = product.equal_designs(here)
            if equals is None:
                self.ties_complete = False
            else:
                self.archive.add(*equals)


@dataclass(frozen=True, kw_only=True)
class GenerationsAccount:
    """What a search without a bound has looked at.

    Attributes
    ----------
    problem : Problem
    evolved : Evolved
    jobs : int
        Processes that evaluated designs.
    """

    problem: Problem
    evolved: Evolved
    jobs: int

    @property
    def frontier(self) -> tuple[np.ndarray, np.ndarray]:
        """What was found: points to be minimised, and design numbers in rising order."""
        return self.evolved.points, self.evolved.numbers

    @property
    def counters(self) -> dict[str, int]:
        """How it was done; nothing of the result depends on it."""
        return {"jobs": self.jobs, "chunks": 1}
