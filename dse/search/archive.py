"""The archive of a streamed search: the non-dominated designs so far, and a buffer of candidates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dse.search.pareto import nondominated
from dse.search.prefilter import Prefilter

__all__ = ["Archive"]

_BUFFER = 200_000


class Archive:
    """Non-dominated designs: objective vectors (to be minimised) and design numbers.

    Parameters
    ----------
    objectives : int
    prefilter : Prefilter
        Rebuilt whenever candidates were merged.
    merged : callable, optional
        Told then how many designs there are.
    """

    def __init__(self, objectives: int, prefilter: Prefilter, merged: Callable[[int], None] | None = None) -> None:
        self.points = np.empty((0, objectives))
        self.numbers = np.empty(0, dtype=np.int64)
        self.prefilter = prefilter
        self._merged = merged
        self._candidates: list[tuple[np.ndarray, np.ndarray]] = []
        self._waiting = 0
        self.merges = 0

    def add(self, points: np.ndarray, numbers: np.ndarray) -> None:
        """Add candidates; they are merged when enough have come together."""
        if len(numbers) == 0:
            return
        self._candidates.append((points, numbers))
        self._waiting += len(numbers)
        if self._waiting >= max(_BUFFER, 2 * len(self.numbers)):
            self.merge()

    def merge(self) -> None:
        """Merge the candidates. A design that was met twice counts once."""
        if not self._waiting:
            return
        points = np.concatenate([self.points, *(points for points, _ in self._candidates)])
        numbers = np.concatenate([self.numbers, *(numbers for _, numbers in self._candidates)])
        self._candidates, self._waiting = [], 0
        # A quick look at a few strong points first: the exact merge sorts all that is left.
        if len(points) > 4096 and self.points.size:
            fresh = np.arange(len(points)) >= len(self.points)
            passing = ~fresh | self.prefilter.may_pass(list(points.T))
            points, numbers = points[passing], numbers[passing]
        numbers, first = np.unique(numbers, return_index=True)
        points = points[first]
        mask = nondominated(points)
        self.points, self.numbers = np.ascontiguousarray(points[mask]), numbers[mask]
        self.prefilter.rebuild(self.points)
        self.merges += 1
        if self._merged is not None:
            self._merged(len(self.numbers))

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the frontier, sorted by design number."""
        self.merge()
        order = np.argsort(self.numbers, kind="stable")
        return self.points[order], self.numbers[order]
