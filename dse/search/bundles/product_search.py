"""What the search of one product can do, whoever does it: look at designs, at bundles, or at what groups leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from dse.evaluation.problem import Constraint, Problem
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.search.account.tolerance import Tolerance
from dse.search.bundles.design_search import ChunkResult
from dse.search.bundles.levels import Level
from dse.search.frontier.archive import Archive
from dse.search.proof.evidence import Excluded, Sampler

__all__ = ["BlockSearch", "BoxSearch", "ProductSearch"]


class ProductSearch(Protocol):
    """Searches one product of a problem in pieces whose number depends on the space only.

    Attributes
    ----------
    problem : Problem
    index : int
        The product among those of the problem.
    pieces : list of (int, int)
        Ranges of blocks or boxes; a method runs one at a time.
    constraints : tuple of Constraint
        Those of the system, which the designs that `at_rows` evaluates are held to.
    tolerance : Tolerance or None
        How much worse than what it leaves out the designs it finds may be.
    grew : callable or None
        Told, while a piece is searched, how many designs its frontier has so far.
    """

    problem: Problem
    index: int
    tolerance: Tolerance | None
    grew: Callable[[int], None] | None

    @property
    def method(self) -> str:
        """How it is searched: "exhaustive", "bundles" or "groups"."""

    @property
    def evaluator(self) -> ProductEvaluator:
        """What evaluates the designs that are in some piece."""

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """Ranges of blocks or boxes."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints designs must meet."""

    @property
    def pruned(self) -> int:
        """Designs that are in no piece, because a row of a group they hold was pruned."""

    @property
    def designs(self) -> int:
        """Designs that are in some piece."""

    @property
    def orders(self) -> list[np.ndarray]:
        """What the rows of each atom add to the design number, in the order boxes are cut from; none without boxes."""

    @property
    def counts_feasible(self) -> bool:
        """Whether every design is looked at, so that feasible and infeasible ones can be counted."""

    @property
    def by_blocks(self) -> BlockSearch | None:
        """What walks its blocks, where it has blocks."""

    @property
    def by_boxes(self) -> BoxSearch | None:
        """What bounds and splits its boxes, where it has boxes: blocks or boxes it has."""

    def __len__(self) -> int:
        """How many pieces there are."""

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one piece; `tick` is told how many more designs are decided, as they are evaluated or excluded."""

    def expected(self, seeds: tuple[np.ndarray, np.ndarray] | None, seconds: float) -> tuple[float, int]:
        """Return the seconds all pieces are expected to take, from a sample, and how many designs that evaluated."""

    def at_rows(self, rows: tuple[np.ndarray, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Evaluate the designs at rows of the atoms: the quantities of the loop, and the design numbers."""

    def hull(self) -> list[tuple[float, float]]:
        """Return the least and the most of each objective, to be minimised; NaN where they are not known."""

    def new_archive(
        self, seeds: tuple[np.ndarray, np.ndarray] | None, entries: int | None = None, *, quiet: bool = False
    ) -> Archive:
        """Return an archive that starts from the seeds."""

    def settle(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Split the innermost rows one by one where a sample beside the seeds says that it saves work; tell it."""

    def split_rows(self) -> None:
        """Split the innermost rows one by one, as was settled by another process, or before a stop."""

    def release(self) -> None:
        """Give the tables back, of a search that has ended: what the account is made of stays."""


class BlockSearch(Protocol):
    """Walks the blocks of a product, every design of which is evaluated."""

    @property
    def steps(self) -> tuple[int, ...]:
        """Rows of each atom in a block."""

    def walk(
        self, start: int, stop: int, archive: Archive, result: ChunkResult, tick: Callable[[int], None] | None = None
    ) -> None:
        """Evaluate the designs of some blocks."""

    def designs_of(self, start: int, stop: int) -> int:
        """Count the designs in some blocks."""


class BoxSearch(Protocol):
    """Bounds the boxes of a product, level by level, and evaluates the designs of those that are left."""

    @property
    def levels(self) -> Sequence[Level]:
        """From few, large boxes to those whose designs are evaluated."""

    def bounded(
        self, level: Level, boxes: tuple[np.ndarray, ...], archive: Archive, sampler: Sampler
    ) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """Return which boxes may hold a design of the frontier, their lower bounds, and where these are none."""

    def excluded(
        self,
        level: Level,
        boxes: tuple[np.ndarray, ...],
        lower: Sequence[np.ndarray],
        limits: np.ndarray,
        dropped: np.ndarray,
        keys: np.ndarray,
    ) -> Excluded:
        """Return some dropped boxes as evidence."""

    def evaluate(self, boxes: tuple[np.ndarray, ...], archive: Archive, result: ChunkResult) -> int:
        """Evaluate every design of some boxes of the last level, and return how many they are."""

    def new_archive(
        self, seeds: tuple[np.ndarray, np.ndarray] | None, entries: int | None = None, *, quiet: bool = False
    ) -> Archive:
        """Return an archive that starts from the seeds."""
