"""Which designs of a cell are beaten for certain, and which may be: comparisons of bounds, and of what must be equal.

A cell is a part of the values of the unknowns. In it a design has bounds L and H of each objective. Designs of one
*class* of an objective have the same numbers in everything that goes into it beside the unknowns, so they are equal in
it at every value, however wide the bounds are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.search.frontier.dominance import dominated_by

__all__ = ["CellBounds", "alike_pairs", "surely_beaten", "threatened"]

_PAIRS = 2_000_000  # compared at once
_MOST_PAIRS = 20_000_000


def alike_pairs(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the pairs of designs that are of one class in some objective, both ways; None where they are too many.

    Parameters
    ----------
    classes : (n, d) ndarray of int
        -1 where a design is of no class.
    """
    stacked = []
    for own in classes.T:
        known = np.flatnonzero(own >= 0)
        order = known[np.argsort(own[known], kind="stable")]
        first = np.flatnonzero(np.r_[True, np.diff(own[order]) != 0]) if len(order) else np.empty(0, dtype=np.int64)
        sizes = np.diff(np.r_[first, len(order)])
        if int((sizes * sizes).sum()) > _MOST_PAIRS:
            return None
        # Every member of a class of g stands g times, each time with another partner.
        each = np.repeat(sizes, sizes)
        left = np.repeat(order, each)
        starts = np.repeat(np.repeat(first, sizes), each)
        ends = np.cumsum(each)
        partner = np.arange(len(left)) - np.repeat(ends - each, each)
        right = order[starts + partner] if len(left) else left
        stacked.append(np.stack([left, right], axis=1)[left != right])
    pairs = np.unique(np.concatenate(stacked), axis=0) if stacked else np.empty((0, 2), dtype=np.int64)
    return pairs[:, 0], pairs[:, 1]


@dataclass(frozen=True)
class CellBounds:
    """What is known of designs in one cell.

    Attributes
    ----------
    low, high : (n, d) ndarray
        Bounds of the objectives, to be minimised.
    can, must : (n,) ndarray of bool
        Whether limits are met somewhere in the cell, and everywhere.
    apart : CellBounds or None
        The same over all values of what rows of an axis have each of their own: for comparisons with designs of other
        rows, which the part of the cell does not bind. None where there is no such unknown.
    """

    low: np.ndarray
    high: np.ndarray
    can: np.ndarray
    must: np.ndarray
    apart: CellBounds | None = None

    def chosen(self, which: np.ndarray) -> CellBounds:
        """Return some of the designs."""
        apart = None if self.apart is None else self.apart.chosen(which)
        return CellBounds(self.low[which], self.high[which], self.can[which], self.must[which], apart)


def surely_beaten(
    designs: np.ndarray,
    others: np.ndarray,
    cell: CellBounds,
    classes: np.ndarray,
    rows: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray] | None,
) -> np.ndarray:
    """Mark the designs that are on no frontier in the cell: infeasible, or beaten by one that is feasible throughout.

    Parameters
    ----------
    designs, others : ndarray of int
        Places of those asked about, and of those they are compared with.
    cell : CellBounds
    classes : (n, d) ndarray of int
        The class of each design in each objective; -1 where a design has errors of its own.
    rows : (n,) ndarray of int
        Which designs share the unknowns that rows of an axis have each.
    pairs : optional
        Those that are alike in an objective (`alike_pairs`); None: all pairs are compared.
    """
    beaten = ~cell.can[designs]
    apart = cell.apart or cell
    beaten |= dominated_by(cell.low[designs], apart.high[others[apart.must[others]]])
    if cell.apart is not None:
        for row in np.unique(rows[designs[~beaten]]):
            mine = np.flatnonzero(~beaten & (rows[designs] == row))
            theirs = others[(rows[others] == row) & cell.must[others]]
            beaten[mine] = dominated_by(cell.low[designs[mine]], cell.high[theirs])
    if pairs is None:
        return _compared(beaten, designs, others, cell, classes, rows, certain=True)
    beaten[~beaten] = _beaten_by_alike(designs[~beaten], others, cell, classes, rows, pairs)
    return beaten


def _beaten_by_alike(
    designs: np.ndarray,
    others: np.ndarray,
    cell: CellBounds,
    classes: np.ndarray,
    rows: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Mark the designs that one beats which equals them in some objective."""
    count = len(cell.can)
    asked, beating, beaten = (np.zeros(count, dtype=bool) for _ in range(3))
    asked[designs], beating[others] = True, True
    which = np.flatnonzero(asked[pairs[0]] & beating[pairs[1]])
    mine, theirs = pairs[0][which], pairs[1][which]
    high, must = cell.high[theirs], cell.must[theirs]
    if cell.apart is not None:
        same = rows[mine] == rows[theirs]
        high = np.where(same[:, None], high, cell.apart.high[theirs])
        must = np.where(same, must, cell.apart.must[theirs])
    equal = (classes[mine] == classes[theirs]) & (classes[mine] >= 0)
    no_worse = ((high <= cell.low[mine]) | equal).all(axis=1)
    better = ((high < cell.low[mine]) & ~equal).any(axis=1)
    beaten[mine[must & no_worse & better]] = True
    return np.asarray(beaten[designs])


def threatened(
    designs: np.ndarray, others: np.ndarray, cell: CellBounds, classes: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Mark the designs that may be off the frontier somewhere in the cell: by a limit, or by one that may beat them."""
    marked = ~cell.must[designs]
    return _compared(marked, designs, others, cell, classes, rows, certain=False)


def _compared(
    marked: np.ndarray,
    designs: np.ndarray,
    others: np.ndarray,
    cell: CellBounds,
    classes: np.ndarray,
    rows: np.ndarray,
    *,
    certain: bool,
) -> np.ndarray:
    """Mark designs beyond those `marked` that another beats for certain, or may beat."""
    feasible = _beating(cell, certain)
    every = feasible[0][others] if cell.apart is None else feasible[0][others] | feasible[1][others]
    others = others[every]
    left = np.flatnonzero(~marked)
    if not len(others):
        return marked
    step = max(1, _PAIRS // len(others))
    for begin in range(0, len(left), step):
        piece = left[begin : begin + step]
        marked[piece] = _any_beats(designs[piece], others, cell, classes, rows, certain=certain)
    return marked


def _beating(cell: CellBounds, certain: bool) -> tuple[np.ndarray, np.ndarray]:
    own = cell.must if certain else cell.can
    if cell.apart is None:
        return own, own
    return own, cell.apart.must if certain else cell.apart.can


def _any_beats(
    designs: np.ndarray,
    others: np.ndarray,
    cell: CellBounds,
    classes: np.ndarray,
    rows: np.ndarray,
    *,
    certain: bool,
) -> np.ndarray:
    same_rows = None if cell.apart is None else rows[designs][:, None] == rows[others][None, :]
    shape = (len(designs), len(others))
    no_worse, better = np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for objective in range(cell.low.shape[1]):
        mine = (cell.low if certain else cell.high)[designs, objective][:, None]
        theirs = (cell.high if certain else cell.low)[others, objective][None, :]
        if cell.apart is not None and same_rows is not None:
            apart = (cell.apart.high if certain else cell.apart.low)[others, objective][None, :]
            theirs = np.where(same_rows, theirs, apart)
        own = classes[designs, objective][:, None]
        equal = (own == classes[others, objective][None, :]) & (own >= 0)
        no_worse &= (theirs <= mine) | equal
        better |= (theirs < mine) & ~equal
    beats = no_worse & better
    if same_rows is not None:
        feasible = _beating(cell, certain)
        beats &= np.where(same_rows, feasible[0][others][None, :], feasible[1][others][None, :])
    beats &= designs[:, None] != others[None, :]
    return np.asarray(beats.any(axis=1))
