"""A filter whose cells end at values of the archive, for dense frontiers: it drops what is equal and worse as well.

The cells of `dse.search.frontier.prefilter` are as wide as floats allow, and only points of strictly lower cells count.
Where many designs share values (a cost, a capacity), what equals a design of the frontier in these and is slower passes
it. Here the cells of an objective end at the archive's own values, all of them or quantiles of its points:

    T[i, j] = least last objective among points with a <= A[i] and b <= B[j]
    a design (a, b, t) is dropped when T[i, j] < t for the last A[i] <= a and B[j] <= b

Then a point is no worse in all objectives and better in the last. What is equal (T = t), what is no number (t), and
what lies below the first value stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.search.frontier.prefilter import Prefilter

__all__ = ["RankFilter"]

_PER_POINT = 64
_LEAST_ENTRIES, _MOST_ENTRIES = 65_536, 2_000_000
_MOST_OBJECTIVES = 4  # with more, an objective has too few cells
_MANY_POINTS = 100_000  # of an archive: from there on quantiles are coarser than finer cells of bits, and take longer
_ENTRIES_OF_MANY = 4_000_000


class RankFilter(Prefilter):
    """A `Prefilter` that looks at what it lets pass once more, by the ranks of the archive's values.

    Parameters
    ----------
    objectives, last, entries
        As of `Prefilter`.
    per_point, most : int, optional
        Entries of the table of ranks: so many for each point of the archive, and so many at the most.

    Notes
    -----
    Two binary searches for each design that the cells let pass, some 30 ns. For archives of more than 100,000 points
    whose values are nearly all distinct there are no ranks, and four million cells instead.
    """

    def __init__(
        self,
        objectives: int,
        *,
        last: int | None = None,
        entries: int | None = None,
        per_point: int = _PER_POINT,
        most: int = _MOST_ENTRIES,
    ) -> None:
        super().__init__(objectives, last=last, entries=entries)
        self._entries_of_few = self.entries
        self._per_point, self._most = per_point, most
        self.values: list[np.ndarray] | None = None
        self._ranks = np.full(1, np.inf)
        self._rank_strides: list[int] = []

    def rebuild(self, archive: np.ndarray, ranges: Sequence[tuple[float, float]] | None = None) -> None:
        """Make both tables from the archive, (n, objectives) non-dominated points to be minimised."""
        distinct = self._distinct(archive)
        many = len(archive) > _MANY_POINTS and distinct is None
        self.entries = max(self._entries_of_few, _ENTRIES_OF_MANY) if many else self._entries_of_few
        super().rebuild(archive, ranges)
        self.values = None
        if distinct is not None and len(archive):
            self._rank(archive, distinct)

    def _distinct(self, archive: np.ndarray) -> list[np.ndarray] | None:
        """Return the values of each other objective; None where ranks are not worth it."""
        if not self.others or self.objectives > _MOST_OBJECTIVES:
            return None
        distinct = [np.unique(archive[:, place]) for place in self.others]
        if len(archive) > _MANY_POINTS and 2 * min(map(len, distinct)) > len(archive):
            return None
        return distinct

    def _rank(self, archive: np.ndarray, distinct: list[np.ndarray]) -> None:
        budget = float(min(self._most, max(_LEAST_ENTRIES, self._per_point * len(archive))))
        values, remaining = list(distinct), len(distinct)
        for place in sorted(range(len(distinct)), key=lambda place: len(distinct[place])):
            most = max(2, int(budget ** (1 / remaining)))
            if len(values[place]) > most:
                ordered = np.sort(archive[:, self.others[place]])
                values[place] = np.unique(ordered[np.linspace(0, len(ordered) - 1, most).round().astype(np.int64)])
            budget, remaining = budget / (len(values[place]) + 1), remaining - 1
        shape = [len(own) + 1 for own in values]  # the first cell holds what lies below every value
        table = np.full(shape, np.inf)
        cells = [
            np.searchsorted(own, archive[:, place], side="left") + 1
            for own, place in zip(values, self.others, strict=True)
        ]
        inside = np.logical_and.reduce([own < count for own, count in zip(cells, shape, strict=True)])
        np.minimum.at(table, tuple(own[inside] for own in cells), archive[inside, self.last])
        for axis in range(table.ndim):
            np.minimum.accumulate(table, axis=axis, out=table)
        self.values, self._ranks = values, table.reshape(-1)
        self._rank_strides = [int(np.prod(shape[place + 1 :])) for place in range(len(shape))]

    def may_pass(self, objectives: Sequence[np.ndarray]) -> np.ndarray:
        """Tell for each design (arrays that broadcast) whether it could be on the frontier."""
        passing = super().may_pass(objectives)
        if self.values is None or not passing.any():
            return passing
        shape = np.broadcast_shapes(*(values.shape for values in objectives))
        passing = np.array(np.broadcast_to(passing, shape))
        rows: tuple[np.ndarray, ...] = (np.flatnonzero(passing),)
        if len(shape) > 1:
            rows = np.unravel_index(rows[0], shape)
        index = np.zeros(len(rows[0]), dtype=np.int64)
        for own, stride, place in zip(self.values, self._rank_strides, self.others, strict=True):
            cell = np.searchsorted(own, np.broadcast_to(objectives[place], shape)[rows], side="right")
            index += cell if stride == 1 else cell * stride
        beaten = self._ranks.take(index) < np.broadcast_to(objectives[self.last], shape)[rows]
        passing[tuple(own[beaten] for own in rows)] = False
        return passing
