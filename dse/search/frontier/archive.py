"""The archive of a streamed search: the non-dominated designs so far, and a buffer of candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dse.search.frontier.pareto import nondominated
from dse.search.frontier.prefilter import Prefilter

__all__ = ["Archive"]

_BUFFER = 200_000
_PIECE = 65_536
_LOOKED_AT_FROM = 4_096  # points of a merge that are looked at before they are sorted
_PER_POINT, _LEAST_ENTRIES, _MOST_ENTRIES = 4, 65_536, 4_000_000  # of the table for that
_WORTH = 1_000  # candidates that make the filter better by more than their merge takes


class Archive:
    """Non-dominated designs: objective vectors (to be minimised) and design numbers.

    Parameters
    ----------
    objectives : int
    prefilter : Prefilter
        Rebuilt whenever candidates were merged.
    merged : callable, optional
        Told then how many designs there are.

    Attributes
    ----------
    left_out : bool
        Whether anything was left out that nothing was known to beat: never here.
    """

    left_out = False

    def __init__(self, objectives: int, prefilter: Prefilter, merged: Callable[[int], None] | None = None) -> None:
        self.points = np.empty((0, objectives))
        self.numbers = np.empty(0, dtype=np.int64)
        self.prefilter = prefilter
        self._merged = merged
        self._candidates: list[tuple[np.ndarray, np.ndarray]] = []
        self._waiting = 0
        self.merges = 0

    def add(self, points: np.ndarray, numbers: np.ndarray, *, merged: bool = False) -> None:
        """Add candidates; they are merged when enough have come together.

        Those that are `merged`, by another archive, are taken as they are where they are the first.
        """
        if len(numbers) == 0:
            return
        if merged and not self._waiting and not len(self.numbers):
            self.points, self.numbers = points, numbers
            return
        self._candidates.append((points, numbers))
        self._waiting += len(numbers)
        if self._waiting >= max(_BUFFER, 2 * len(self.numbers)):
            self.merge()

    def start(self, points: np.ndarray, numbers: np.ndarray) -> None:
        """Begin with designs of which none beats another."""
        self.add(points, numbers)
        self.merge()

    def may_pass(self, objectives: Sequence[np.ndarray], mask: np.ndarray | None = None) -> np.ndarray:
        """Tell which designs, of those that `mask` leaves, could be on the frontier."""
        return self.prefilter.may_pass(objectives)

    def may_hold(self, lower: Sequence[np.ndarray]) -> np.ndarray:
        """Tell which boxes, by their lower bounds, may hold a design of the frontier."""
        return self.prefilter.may_pass(lower)

    def merge(self) -> None:
        """Merge the candidates. A design that was met twice counts once."""
        if not self._waiting:
            return
        # No array outlives its use: where a million designs are on the frontier each is as large as that.
        points = _joined([self.points, *(points for points, _ in self._candidates)])
        numbers = _joined([self.numbers, *(numbers for _, numbers in self._candidates)])
        self._candidates, self._waiting = [], 0
        if len(points) > _LOOKED_AT_FROM:
            passing = self._unbeaten_at_a_glance(points)
            if not passing.all():
                points, numbers = points[passing], numbers[passing]
            del passing
        if not (numbers[1:] > numbers[:-1]).all():
            numbers, first = np.unique(numbers, return_index=True)
            points = points[first]
            del first
        mask = nondominated(points)
        self.points, self.numbers = (points, numbers) if mask.all() else (points[mask], numbers[mask])
        self.prefilter.rebuild(self.points)
        self.merges += 1
        if self._merged is not None:
            self._merged(len(self.numbers))

    def _unbeaten_at_a_glance(self, points: np.ndarray) -> np.ndarray:
        """Tell which points no other beats by more than a cell: the exact merge, which sorts them, has the others.

        The filter knows what the last merge left, so candidates have passed it; most of them are beaten by candidates
        that came after them.
        """
        entries = min(_MOST_ENTRIES, max(_LEAST_ENTRIES, _PER_POINT * len(points)))
        glance = Prefilter(self.prefilter.objectives, last=self.prefilter.last, entries=entries)
        glance.rebuild(points)
        passing = np.empty(len(points), dtype=bool)
        for begin in range(0, len(points), _PIECE):
            piece = slice(begin, begin + _PIECE)
            passing[piece] = glance.may_pass(list(points[piece].T))
        return passing

    def settle(self) -> None:
        """Merge, at the end of a round, what is worth it."""
        if self._waiting >= max(_WORTH, len(self.numbers) // 2):
            self.merge()

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the frontier, sorted by design number as every merge leaves it."""
        self.merge()
        return self.points, self.numbers


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Return arrays as one: the only one that holds anything as it is."""
    filled = [part for part in parts if len(part)]
    return filled[0] if len(filled) == 1 else np.concatenate(parts)
