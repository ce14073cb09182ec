"""One seam for what is kept of a search, so that one that was killed or stopped goes on where it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.worker import Chunk
from dse.search.schedule.share import ShareState

__all__ = ["KeptRounds", "Ledger"]


@dataclass
class KeptRounds:
    """A search in rounds as it is stored.

    Attributes
    ----------
    stage : int
        The stage that is searched.
    points, numbers : ndarray
        What was found beside the shares: seeds and the stages before.
    counts : list of (int, ChunkResult)
        Of what was searched before the shares were dealt, by product.
    shares : list of ShareState, or None
        None where the stage has not begun.
    single_rows : tuple of int
        Products whose innermost rows are split one by one: their boxes are numbered by it.
    """

    stage: int
    points: np.ndarray
    numbers: np.ndarray
    counts: list[tuple[int, ChunkResult]] = field(default_factory=list)
    shares: list[ShareState] | None = None
    single_rows: tuple[int, ...] = ()


class Ledger(Protocol):
    """Where a search is kept: chunk by chunk where it goes by pieces, as a whole where it goes in rounds."""

    def load(self, chunk: Chunk) -> ChunkResult | None:
        """Return a finished chunk."""

    def store(self, chunk: Chunk, result: ChunkResult) -> None:
        """Keep a finished chunk."""

    def load_rounds(self) -> KeptRounds | None:
        """Return what was stored last of a search in rounds."""

    def store_rounds(self, kept: KeptRounds) -> None:
        """Store a search in rounds as it is, in one piece."""
