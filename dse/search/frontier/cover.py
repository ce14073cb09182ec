"""The archive of a search with a tolerance: designs that cover all that were met, none of which beats another.

    boxes       left out when a design of the archive is no worse than their shifted lower bound in every objective
    designs     not added when one of the archive is no worse than their shifted values
    archive     its designs leave only when another truly beats them, so what they covered stays covered

An archive that is thinned by the whole tolerance has none of it left for boxes: a bound lies below its designs. In very
large products (`dense`) designs are therefore left out only within a part of it, until there are many, and boxes within
all of it: the answer is longer, and found sooner.

Seeds, and the covers of other pieces, are put together by plain dominance: a cover of covers would count the tolerance
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dse.search.account.tolerance import Tolerance
from dse.search.frontier.archive import Archive
from dse.search.frontier.pareto import nondominated
from dse.search.frontier.rank_filter import RankFilter

__all__ = ["ENTRIES", "Cover", "any_no_worse", "of_designs", "thinned_by", "thinned_start"]

ENTRIES = 1_000_000
"""Size of the filter's table: its cells are to be narrower than a tolerance of a percent."""

_PER_POINT, _MOST_ENTRIES = 1_000, 2_000_000  # of the table of ranks, which take the place of pairs
_BUFFER = 50_000
_SHARE, _FROM = 0.2, 0.05  # of a tolerance, and from which one on: below it a longer answer costs more than it saves
_MANY = 10_000  # designs of an archive from which on they are left out within all of it
_ALL_PAIRS = 3_000  # designs of an archive up to which boxes are compared with each
_TOGETHER = 64  # designs of the archive, or boxes …
_BLOCK = 512  # … and candidates that are compared with each other at once


class Cover(Archive):
    """Designs that cover what was met: objective vectors (to be minimised) and design numbers.

    Parameters
    ----------
    tolerance : Tolerance
    entries : int, optional
        Size of the filter's table.
    last : int, optional
        The objective the filter compares as it is.
    merged : callable, optional
        Told how many designs there are whenever candidates were merged.
    dense : bool
        Whether designs are left out within a part of the tolerance (`of_designs`).

    Attributes
    ----------
    left_out : bool
        Whether anything was left out that nothing was known to beat.
    """

    def __init__(
        self,
        tolerance: Tolerance,
        *,
        last: int | None = None,
        entries: int | None = None,
        merged: Callable[[int], None] | None = None,
        dense: bool = False,
    ) -> None:
        count = len(tolerance.names)
        entries = entries or (ENTRIES if count > 1 else 1)
        self.ranks = RankFilter(count, last=last, entries=entries, per_point=_PER_POINT, most=_MOST_ENTRIES)
        super().__init__(count, self.ranks, merged)
        self.tolerance = tolerance
        self._finer = of_designs(tolerance) if dense else tolerance
        self.left_out = False
        self._filtered = True  # whether the table is made of the points as they are now

    def start(self, points: np.ndarray, numbers: np.ndarray) -> None:
        """Begin with designs of which none beats another."""
        self.points, self.numbers, self._filtered = points, numbers, False

    def add(self, points: np.ndarray, numbers: np.ndarray, *, merged: bool = False) -> None:
        """Add candidates; they are merged when enough have come together."""
        if not len(numbers):
            return
        self._candidates.append((points, numbers))
        self._waiting += len(numbers)
        if self._waiting >= max(_BUFFER, 2 * len(self.numbers)):
            self.merge()

    def merge(self) -> None:
        """Add the candidates that are not covered."""
        if not self._waiting:
            return
        points = np.concatenate([points for points, _ in self._candidates])
        numbers = np.concatenate([numbers for _, numbers in self._candidates])
        self._candidates, self._waiting = [], 0
        numbers, first = np.unique(numbers, return_index=True)
        fresh = ~np.isin(numbers, self.numbers, assume_unique=True)
        points, numbers = points[first[fresh]], numbers[fresh]
        known = len(self.numbers)
        unbeaten = nondominated(np.concatenate([self.points, points]))[known:]
        points, numbers = points[unbeaten], numbers[unbeaten]
        chosen = thinned_by(self._of_designs, self.points, points)
        self.left_out |= len(chosen) < len(numbers)
        points, numbers = (
            np.concatenate([self.points, points[chosen]]),
            np.concatenate([self.numbers, numbers[chosen]]),
        )
        mask = nondominated(points)
        order = np.argsort(numbers[mask])
        self.points, self.numbers, self._filtered = points[mask][order], numbers[mask][order], False
        self.merges += 1
        if self._merged is not None:
            self._merged(len(self.numbers))

    def settle(self) -> None:
        """Merge at the end of a round: what comes next then depends on the designs alone."""
        self.merge()

    def may_pass(self, objectives: Sequence[np.ndarray], mask: np.ndarray | None = None) -> np.ndarray:
        """Tell which designs may not be covered; of those that `mask` leaves, it is noted whether any was left out."""
        keep = self._uncovered(objectives, self._of_designs)
        if not self.left_out and not keep.all():
            lost = self.prefilter.may_pass(objectives) & ~keep
            self.left_out = bool((lost if mask is None else lost & mask).any())
        return keep

    def may_hold(self, lower: Sequence[np.ndarray]) -> np.ndarray:
        """Tell which boxes, by their lower bounds, may hold a design that is not covered."""
        keep = self._uncovered(lower, self.tolerance)
        keep = np.array(np.broadcast_to(keep, np.broadcast_shapes(*(low.shape for low in lower))))
        if self.ranks.values is None and len(self.numbers) <= _ALL_PAIRS:
            shifted = [self.tolerance.shift_column(place, low) for place, low in enumerate(lower)]
            rows = np.flatnonzero(keep)
            limits = np.stack([np.broadcast_to(own, keep.shape)[rows] for own in shifted])
            keep[rows] = ~any_no_worse(self.points, limits)
        if not self.left_out and not keep.all():
            rows = np.flatnonzero(~keep & self.prefilter.may_pass(lower))
            # A bound that a design beats, in one objective at least, is one that the exact search leaves out too.
            bounds = np.stack([np.broadcast_to(low, keep.shape)[rows] for low in lower], axis=1)
            bounds = bounds[np.isfinite(bounds).all(axis=1)]
            self.left_out = bool(nondominated(np.concatenate([self.points, bounds]))[len(self.points) :].any())
        return keep

    @property
    def _of_designs(self) -> Tolerance:
        """The tolerance within which designs are left out."""
        return self._finer if len(self.numbers) < _MANY else self.tolerance

    def _uncovered(self, values: Sequence[np.ndarray], tolerance: Tolerance) -> np.ndarray:
        if not self._filtered:
            self.prefilter.rebuild(self.points)
            self._filtered = True
        return self.prefilter.may_pass([tolerance.shift_column(place, own) for place, own in enumerate(values)])


def of_designs(tolerance: Tolerance) -> Tolerance:
    """Return within what designs are left out of a very large product: all of a small tolerance, a fifth of others."""
    relative = all(kind == "relative" for kind in tolerance.kinds)
    return tolerance.part(_SHARE) if relative and min(tolerance.amounts) >= _FROM else tolerance


def any_no_worse(points: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Tell for each column of limits, (objectives, n), whether some point is no worse in every objective."""
    covered_points = np.zeros(limits.shape[1], dtype=bool)
    remaining = np.arange(limits.shape[1])
    for begin in range(0, len(points), _TOGETHER):
        piece, here = points[begin : begin + _TOGETHER], limits[:, remaining]
        no_worse = piece[None, :, 0] <= here[0, :, None]
        for place in range(1, len(limits)):
            no_worse &= piece[None, :, place] <= here[place, :, None]
        covered = no_worse.any(axis=1)
        covered_points[remaining[covered]] = True
        remaining = remaining[~covered]
        if not len(remaining):
            break
    return covered_points


def thinned_by(tolerance: Tolerance, known: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return which of some points cover, together with known ones, all of them.

    Parameters
    ----------
    tolerance : Tolerance
    known, points : (n, objectives) ndarray
        To be minimised; none beats another.

    Notes
    -----
    In blocks in the order of the first objective, always the one is taken that covers the most of what nothing taken
    before covers. What shifted points beat among each other is left out with them: if what covers y is no worse than
    shift(y), and shift(y) no worse than shift(x), it covers x too.
    """
    remaining = _not_covered(tolerance, known, points, np.lexsort(points.T[::-1]))
    chosen: list[np.ndarray] = []
    while len(remaining):
        block, remaining = remaining[:_BLOCK], remaining[_BLOCK:]
        limits = tolerance.shift(points[block])
        covers = np.ones((len(block), len(block)), dtype=bool)
        for place in range(points.shape[1]):
            covers &= points[block, place][:, None] <= limits[None, :, place]
        free, taken = np.ones(len(block), dtype=bool), []
        stands_for = covers.sum(axis=1)
        while free.any():
            taken.append(int(stands_for.argmax()))
            fresh = free & covers[taken[-1]]
            stands_for -= covers[:, fresh].sum(axis=1)
            free &= ~fresh
        chosen.append(block[taken])
        remaining = _not_covered(tolerance, points[chosen[-1]], points, remaining)
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, dtype=np.int64)


def thinned_start(
    tolerance: Tolerance, start: tuple[np.ndarray, np.ndarray], known: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a search starts from: of the designs found in samples, those that are needed beside known ones.

    A sampled design that is left out is met again, in its own piece. Known ones stand for others, and stay.
    """
    points, numbers = start
    old_points, old_numbers = known if known is not None else (points[:0], numbers[:0])
    fresh = ~np.isin(numbers, old_numbers)
    points, numbers = points[fresh], numbers[fresh]
    chosen = thinned_by(tolerance, old_points, points)
    points, numbers = np.concatenate([old_points, points[chosen]]), np.concatenate([old_numbers, numbers[chosen]])
    order = np.argsort(numbers)
    mask = nondominated(points)[order]
    return points[order][mask], numbers[order][mask]


def _not_covered(tolerance: Tolerance, by: np.ndarray, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return those of some rows that no point covers, nor another of the rows in their place."""
    if not len(rows):
        return rows
    mask = nondominated(np.concatenate([by, tolerance.shift(points[rows])]), keep_ties=False)
    return np.asarray(rows[mask[len(by) :]])
