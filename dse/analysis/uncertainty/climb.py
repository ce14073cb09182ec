"""Candidates by climbing: from designs that are best at some draws, by one axis at a time, to what is better at others.

A score is the value of one objective, or the sum of several, scaled to what the first designs span in the draw; the sum
of all stands for the knee. Of every score and draw the best design so far is kept, and what differs from it in one axis
is looked at. Climbing ends where nothing is better, and may miss what two axes have to change together for: it adds to
exact searches at some values, and stands for none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dse.analysis.uncertainty.draws import batches
from dse.evaluation.unknowns import UncertainProblem
from dse.search.start.neighbours import one_step_neighbours

__all__ = ["climbed"]

_AT_ONCE = 8_000  # designs that are evaluated together
_EXPANDED = 200  # designs whose neighbours are looked at together, those that are best most often first
_NEAR = 2e-3  # of the span of a score: so near to the best, a design may be it at another draw


def climbed(
    unknown: UncertainProblem,
    start: np.ndarray,
    draws: int,
    seed: int,
    moved: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return designs that are best, or nearly, by some score at some draw, in rising order.

    Parameters
    ----------
    unknown : UncertainProblem
    start : (n,) ndarray of int64
    draws, seed : int
    moved : callable
        Tells which of some designs are climbed from.
    """
    climb = _Climb(unknown, draws, seed)
    climb.take(start)
    expanded = np.empty(0, dtype=np.int64)
    while True:
        best, often = np.unique(climb.best[climb.best >= 0], return_counts=True)
        waiting = ~np.isin(best, expanded)
        waiting[waiting] = moved(best[waiting])
        if not waiting.any():
            return np.union1d(best, np.concatenate(climb.near))
        order = np.argsort(-often[waiting], kind="stable")
        chosen = best[waiting][order][:_EXPANDED]
        expanded = np.union1d(expanded, chosen)
        climb.take(one_step_neighbours(unknown.problem.space, chosen))


class _Climb:
    def __init__(self, unknown: UncertainProblem, draws: int, seed: int) -> None:
        self.unknown, self.draws, self.seed = unknown, draws, seed
        count = len(unknown.problem.objectives)
        sums = [np.eye(count), np.ones((1, count)), 1.0 - np.eye(count)]
        self.weights = np.unique(np.concatenate(sums if count > 1 else sums[:1]), axis=0)
        self.score = np.full((draws, len(self.weights)), np.inf)
        self.best = np.full((draws, len(self.weights)), -1)
        self.seen = np.empty(0, dtype=np.int64)
        self.near: list[np.ndarray] = [self.seen]
        self.low, self.wide = np.empty((0, count)), np.empty((0, count))

    def take(self, numbers: np.ndarray) -> None:
        """Look at designs that were not looked at yet."""
        fresh = np.setdiff1d(numbers, self.seen)
        self.seen = np.union1d(self.seen, fresh)
        for begin in range(0, len(fresh), _AT_ONCE):
            part = fresh[begin : begin + _AT_ONCE]
            near, done = np.zeros(len(part), dtype=bool), 0
            for batch in batches(self.unknown, part, self.draws, self.seed):
                chosen = slice(done, done + batch.feasible.shape[1])
                if len(self.low) < chosen.stop:  # scores are scaled by the first designs
                    low, wide = _spans(batch.points, batch.feasible)
                    self.low, self.wide = np.concatenate([self.low, low]), np.concatenate([self.wide, wide])
                near |= self._scored(part, batch.points, batch.feasible, chosen)
                done = chosen.stop
            self.near.append(part[near])

    def _scored(self, numbers: np.ndarray, points: np.ndarray, feasible: np.ndarray, chosen: slice) -> np.ndarray:
        scaled = (points - self.low[chosen]) / self.wide[chosen]
        scores = np.where(feasible[..., None], scaled @ self.weights.T, np.inf)
        at = scores.argmin(axis=0)
        least = np.take_along_axis(scores, at[None], axis=0)[0]
        better = least < self.score[chosen]
        self.score[chosen] = np.where(better, least, self.score[chosen])
        self.best[chosen] = np.where(better, numbers[at], self.best[chosen])
        return np.asarray((scores <= self.score[chosen] + _NEAR).any(axis=(1, 2)) & feasible.any(axis=1))


def _spans(points: np.ndarray, feasible: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least of each objective by draw, (m, d), and how far feasible designs are apart; 1 where none is."""
    low = np.where(feasible[..., None], points, np.inf).min(axis=0)
    high = np.where(feasible[..., None], points, -np.inf).max(axis=0)
    there = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(there, low, 0.0), np.where(there, high, 1.0)
    return low, np.where(high > low, high - low, 1.0)
