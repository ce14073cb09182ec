"""One seam for whoever runs the chunks of a search: this process, several on this computer, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from dse.evaluation.problem import Problem
from dse.search.account.progress import Progress
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Chunk, Seeds, Worker

__all__ = ["Factory", "Finished", "ThisProcess", "Workers"]

Finished = Callable[[Chunk, ChunkResult], None]
"""Called with each chunk as it is finished, in whatever order that is."""


class Factory(Protocol):
    """Something that can be sent to another process and makes the problem there."""

    def problem(self) -> Problem:
        """Return the problem."""


class Workers(Protocol):
    """Runs chunks somewhere.

    Attributes
    ----------
    count : int
        How many chunks are run side by side.
    """

    @property
    def count(self) -> int:
        """How many chunks are run side by side."""

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks that all start from the same seeds.

        Parameters
        ----------
        strategy : Strategy
        seeds : Seeds
            Of the stage of the search that the chunks belong to.
        chunks : sequence of Chunk
        finished : callable
            Told of each chunk when it is finished, so that an interruption loses nothing but what is under way.

        Yields
        ------
        (Chunk, ChunkResult)
            In the order of `chunks`: what is made of them cannot depend on who was quicker.
        """


class ThisProcess:
    """Runs chunks one after another with the worker that planned them."""

    count = 1

    def __init__(self, worker: Worker, progress: Progress) -> None:
        self._worker, self._progress = worker, progress

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks; the strategy and the seeds are those of the worker. Progress is told within a chunk too."""
        for chunk in chunks:
            result = self._worker.run(chunk, self._progress.decided, self._progress.chunk_frontier)
            finished(chunk, result)
            yield chunk, result
