"""The filter in front of the frontier: constant work per design, drops nothing that could be on the frontier.

The cell of a value is made of the top bits of its float (exponent and a few mantissa bits), a monotone map without a
logarithm or a search. A table over the cells of all objectives but one holds the smallest value of that last objective
among archive points whose cells in the others are all *strictly lower*. A design is dropped when its last objective
exceeds its table entry: then an archive point is strictly better in every objective. Ties are never dropped.

    cells of objective 1 →        archive points: a(0, 1; 7)  b(2, 0; 4)
      |  0  1  2  3               table: minimum of the last objective over points strictly below and to the left
    0 |  ∞  ∞  ∞  ∞
    1 |  ∞  ∞  ∞  4
    2 |  ∞  7  7  4
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["Prefilter"]

_ENTRIES = {1: 1, 2: 8_192, 3: 65_536, 4: 1_000_000}
_ENTRIES_BEYOND = 4_000_000
_PIECE = 65_536  # points of the archive that are put into the table together


class _Cells:
    """The cells of one objective over a range of values; outside the range, the first or the last cell."""

    def __init__(self, low: float, high: float, count: int) -> None:
        # Values that are not all positive are shifted, so that their bits are ordered; the shift is monotone.
        self.base = 0.0 if low > 0 else low - max((high - low) * 1e-3, abs(low) * 1e-12, 1e-300)
        first, last = (int(np.float64(value - self.base).view(np.int64)) for value in (low, high))
        self.shift = 1  # at least one bit, so that no difference of cells can overflow
        while ((last - first) >> self.shift) + 3 > max(count, 3) and self.shift < 62:
            self.shift += 1
        self.first = (first >> self.shift) - 1
        self.count = (last >> self.shift) - self.first + 2

    def of(self, values: np.ndarray) -> np.ndarray:
        shifted = values - self.base if self.base else values
        bits = np.ascontiguousarray(shifted).view(np.int64) >> self.shift
        bits -= self.first
        np.clip(bits, 0, self.count - 1, out=bits)
        return bits


class Prefilter:
    """A table of what the archive already beats.

    Parameters
    ----------
    objectives : int
        Number of objectives, all to be minimised.
    last : int
        The objective compared as it is; the one that needs the most work to compute is a good choice.
    entries : int, optional
        Size of the table. Default: 8,192 to 4,000,000 by number of objectives.
    """

    def __init__(self, objectives: int, *, last: int | None = None, entries: int | None = None) -> None:
        self.objectives = objectives
        self.last = objectives - 1 if last is None else last
        self.others = [index for index in range(objectives) if index != self.last]
        self.entries = entries or _ENTRIES.get(objectives, _ENTRIES_BEYOND)
        self.cells: list[_Cells] | None = None
        self.table = np.full(1, np.inf)
        self.strides: list[int] = []

    def rebuild(self, archive: np.ndarray, ranges: Sequence[tuple[float, float]] | None = None) -> None:
        """Make the table from the archive, (n, objectives) non-dominated points to be minimised.

        `ranges` overrides the range of the cells of each other objective; any range is safe, a fitting one is fast.
        """
        if len(archive) == 0:
            return
        if not self.others:
            self.table = np.array([archive[:, self.last].min()])
            self.strides = []
            self.cells = []
            return
        count = max(3, int(self.entries ** (1 / len(self.others))))
        spans = ranges or [(float(archive[:, i].min()), float(archive[:, i].max())) for i in self.others]
        self.cells = [_Cells(low, high, count) for low, high in spans]
        shape = [cells.count for cells in self.cells]
        table = np.full(shape, np.inf)
        for begin in range(0, len(archive), _PIECE):
            piece = archive[begin : begin + _PIECE]
            where = [cells.of(piece[:, i]) + 1 for cells, i in zip(self.cells, self.others, strict=True)]
            inside = np.all([w < n for w, n in zip(where, shape, strict=True)], axis=0)
            np.minimum.at(table, tuple(w[inside] for w in where), piece[inside, self.last])
        for axis in range(table.ndim):
            np.minimum.accumulate(table, axis=axis, out=table)
        self.table = table.reshape(-1)
        self.strides = [int(np.prod(shape[position + 1 :])) for position in range(len(shape))]

    def worst(self, objectives: Sequence[np.ndarray]) -> np.ndarray | np.float64:
        """Return the table entry of each design: arrays that broadcast, one per objective."""
        if self.cells is None or not self.others:
            result: np.ndarray | np.float64 = self.table[0]
            return result
        index: np.ndarray | None = None
        for position, which in enumerate(self.others):
            part = self.cells[position].of(objectives[which])
            if self.strides[position] != 1:
                part = part * self.strides[position]
            index = part if index is None else index + part
        assert index is not None
        return self.table.take(index)

    def may_pass(self, objectives: Sequence[np.ndarray]) -> np.ndarray:
        """Tell for each design (arrays that broadcast) whether it could be on the frontier."""
        # Written as "not greater", so that a NaN passes and is looked at.
        return np.logical_not(objectives[self.last] > self.worst(objectives))
