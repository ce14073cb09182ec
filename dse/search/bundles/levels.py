"""Levels of bundles: at each, the bundles of every atom and the bounds of the cut quantities over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod

import numpy as np

from dse.arithmetic.ranges import Condition, Range

__all__ = ["Level", "holding", "loosened", "nested_levels", "split"]

_HALVINGS = 3  # between two levels: a bundle is split into eight at most
_SAMPLED = 128
_UNEVEN = 2  # as many looks as there are rows
_FEW_BOXES = 20_000_000  # of the finest level, which are bounded sooner than the order of levels is found


class Level:
    """The bundles of every atom at one level, and the bounds of the cut quantities over them.

    Parameters
    ----------
    bounds : dict of str to (low, high)
        Bounds of the cut quantities over the bundles, one dimension per atom, of length 1 where they do not vary.
    starts : sequence of ndarray of int64
        Where the bundles of each atom begin.
    rows : sequence of int
        Rows of each atom.

    Attributes
    ----------
    counts : tuple of int
        Bundles of each atom.
    lengths : tuple of (n,) ndarray of int64
        Rows of each bundle.
    first : tuple of (n + 1,) ndarray of int64, or None
        Which bundles of the next level those of an atom are split into; None where they are not.
    """

    def __init__(
        self,
        bounds: Mapping[str, tuple[np.ndarray, np.ndarray]],
        starts: Sequence[np.ndarray],
        rows: Sequence[int],
    ) -> None:
        self.starts, self.rows = tuple(starts), tuple(rows)
        self.lengths = tuple(np.diff(np.append(own, count)) for own, count in zip(starts, rows, strict=True))
        self.counts = tuple(len(own) for own in starts)
        self.first: tuple[np.ndarray | None, ...] = tuple(None for _ in starts)
        self.bounds = {name: (low, high, _strides(low)) for name, (low, high) in bounds.items()}

    @classmethod
    def of_rows(cls, cut: Mapping[str, np.ndarray], rows: Sequence[int], upper: Mapping[str, np.ndarray] = {}) -> Level:
        """Return the level at which every row is a bundle of its own; `upper` are upper ends where `cut` has lower."""
        bounds = {name: (table, upper.get(name, table)) for name, table in cut.items()}
        return cls(bounds, [np.arange(n) for n in rows], rows)

    def merged(self, atom: int, starts: np.ndarray) -> Level:
        """Return the level before this one, with larger bundles of one atom."""
        if len(starts) == len(self.starts[atom]):
            return self
        begin = np.searchsorted(self.starts[atom], starts)
        bounds = {}
        merged: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}  # quantities may share their bounds
        for name, (low, high, _) in self.bounds.items():
            own = id(low), id(high)
            if own not in merged:
                merged[own] = low, high
                if low.shape[atom] > 1:
                    merged[own] = (
                        _over_bundles(np.minimum, low, begin, atom),
                        _over_bundles(np.maximum, high, begin, atom),
                    )
            bounds[name] = merged[own]
        return Level(bounds, [*self.starts[:atom], starts, *self.starts[atom + 1 :]], self.rows)

    def before(self, child: Level) -> None:
        """Note which bundles of the next level those of this one are split into."""
        self.first = tuple(
            None if own is other else np.append(np.searchsorted(other, own), len(other))
            for own, other in zip(self.starts, child.starts, strict=True)
        )

    def ranges(self, boxes: tuple[np.ndarray, ...]) -> dict[str, Range | Condition]:
        """Return the ranges of the cut quantities over boxes."""
        values: dict[str, Range | Condition] = {}
        for name, (low, high, strides) in self.bounds.items():
            index: np.ndarray | None = None
            for atom, stride in enumerate(strides):
                if stride:
                    part = boxes[atom] if stride == 1 else boxes[atom] * stride
                    index = part if index is None else index + part
            if index is None:
                values[name] = Range(low.reshape(-1)[:1], high.reshape(-1)[:1])
            elif low is high:
                points = low.take(index)
                values[name] = Range(points, points)
            else:
                values[name] = Range(low.take(index), high.take(index))
        return values

    def designs(self, boxes: tuple[np.ndarray, ...], chosen: np.ndarray) -> int:
        """Count the designs in some boxes."""
        full, sizes = 1, None
        for box, lengths in zip(boxes, self.lengths, strict=True):
            if len(lengths) == 1 or lengths.max() == 1:
                full *= int(lengths[0])
            else:
                own = lengths[box[chosen]]
                sizes = own if sizes is None else sizes * own
        return full * int(np.count_nonzero(chosen) if sizes is None else sizes.sum())


def split(level: Level, boxes: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Split boxes into those of the next level."""
    result = list(boxes)
    for atom, first in enumerate(level.first):
        if first is None:
            continue
        begin = first[result[atom]]
        parts = first[result[atom] + 1] - begin
        spread = np.arange(int(parts.sum())) + np.repeat(begin - (np.cumsum(parts) - parts), parts)
        result = [np.repeat(other, parts) for other in result]
        result[atom] = spread
    return tuple(result)


def nested_levels(
    finest: Level,
    trees: Sequence[Sequence[np.ndarray]],
    fewest: int,
    lower: Callable[[dict[str, Range | Condition]], list[np.ndarray]],
    rng: np.random.Generator,
) -> list[Level]:
    """Return levels of bundles, coarsest first, by the halvings of each atom.

    From one level to the one before it, bundles grow along one atom, until there are no more than `fewest` boxes: along
    the one whose larger bundles loosen lower bounds and limits least, for the number of boxes they save.

    Parameters
    ----------
    finest : Level
        The bundles are the last of each tree.
    trees : sequence of sequence of ndarray
        Where bundles of each atom begin, from one to the most.
    fewest : int
    lower : callable
        Gives from the ranges of the cut quantities the lower bounds of the objectives, and for each constraint 1 where
        no design of the box can meet it.
    rng : numpy.random.Generator
        Draws the boxes at which bounds are compared.
    """
    depths = [len(tree) - 1 for tree in trees]
    levels = [finest]
    sample = [rng.integers(0, count, _SAMPLED) for count in finest.rows]
    many = prod(finest.counts) > _FEW_BOXES
    while prod(levels[-1].counts) > fewest and max(levels[-1].counts) > 1:
        level = levels[-1]
        options = [atom for atom, count in enumerate(level.counts) if count > 1]
        up = {
            atom: _before(trees[atom], depths[atom], prod(level.counts) // level.counts[atom], fewest)
            for atom in options
        }
        if many and len(options) > 1:
            made = {atom: level.merged(atom, trees[atom][up[atom]]) for atom in options}
            tight = lower(level.ranges(holding(level, sample)))
            loss = {atom: loosened(tight, lower(made[atom].ranges(holding(made[atom], sample)))) for atom in options}
            fewer = {atom: np.log(level.counts[atom] / made[atom].counts[atom]) for atom in options}
            atom = min(options, key=lambda atom: (loss[atom] / fewer[atom], -level.counts[atom]))
            levels.append(made[atom])
        else:
            atom = max(options, key=lambda atom: level.counts[atom])
            levels.append(level.merged(atom, trees[atom][up[atom]]))
        depths[atom] = up[atom]
    levels.reverse()
    for level, child in pairwise(levels):
        level.before(child)
    return levels


def _before(tree: Sequence[np.ndarray], depth: int, others: int, fewest: int) -> int:
    """Return how often the bundles of an atom are halved at the level before: less often only where few are left."""
    least = max(0, depth - _HALVINGS)
    return next((up for up in range(depth - 1, least, -1) if others * len(tree[up]) <= fewest), least)


def holding(level: Level, rows: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return the boxes that hold some rows."""
    return tuple(np.searchsorted(own, row, side="right") - 1 for own, row in zip(level.starts, rows, strict=True))


def loosened(tight: list[np.ndarray], loose: list[np.ndarray]) -> float:
    """Return by how much lower bounds sink, relative to their size, summed over the objectives."""
    total = 0.0
    for high, low in zip(tight, loose, strict=True):
        share = (high - low) / np.maximum(np.abs(high), 1e-300)
        total += float(np.mean(np.clip(np.nan_to_num(share, nan=1.0), 0.0, 1.0)))
    return total


def _over_bundles(extreme: np.ufunc, table: np.ndarray, begin: np.ndarray, atom: int) -> np.ndarray:
    """Return the least or largest of the rows of each bundle of an atom (``reduceat``).

    That goes element by element; where rows lie apart in memory, whole rows are quicker, one of each bundle at a time,
    unless few bundles are much longer than the others.
    """
    rows = table.shape[atom]
    ends = np.append(begin[1:], rows)
    longest = int((ends - begin).max())
    if table.strides[atom] == table.itemsize or longest * len(begin) > _UNEVEN * rows:
        return extreme.reduceat(table, begin, axis=atom)
    result = table.take(begin, axis=atom)
    for place in range(1, longest):
        extreme(result, table.take(np.minimum(begin + place, ends - 1), axis=atom), out=result)
    return result


def _strides(table: np.ndarray) -> tuple[int, ...]:
    strides = [0] * table.ndim
    step = 1
    for atom in range(table.ndim - 1, -1, -1):
        if table.shape[atom] > 1:
            strides[atom] = step
            step *= table.shape[atom]
    return tuple(strides)
