"""Candidates by climbing: from designs that are best at some draws, by one axis at a time, to what is better at others.

A score is the value of one objective, or the sum of all, scaled to what the frontier of the draw spans: the least sum
is the knee. Each alternative has its own best design by every score at every draw, so that one that is behind at first
is not given up. Of those that come near the best of all, what differs in one axis is looked at; then their blocks of
axes are combined with those of other alternatives (`dse.analysis.uncertainty.axis_blocks`), as designs at two limits at
once differ in several axes; then more draws are climbed from what is near. Climbing may miss a design that none of
these steps leads to, so it proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from dse.analysis.uncertainty.axis_blocks import AxisBlocks
from dse.analysis.uncertainty.draws import batches, common_draws
from dse.evaluation.affected import AffectedDesigns
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.frontier.pareto import nondominated
from dse.search.start.neighbours import one_step_neighbours

__all__ = ["FINE", "Climbed", "climbed"]

FINE = 200
"""Draws that are climbed in the end."""

_COARSE, _CHECKED = 32, 50  # draws that are climbed first, and those of the check
_COARSE_NEAR, _FINE_NEAR = 0.1, 0.004  # of the span of a score: so near the best, a design is climbed from
_LEFT_NEAR = 0.02  # so near, a design of the coarse draws is where the fine ones begin
_TRIED = 2  # draws at which a combination is tried first
_AT_ONCE = 400_000  # designs × draws that are evaluated together


class Climbed(NamedTuple):
    """Designs that are best, or nearly, by some score at some draw, in rising order; and what a check has shown.

    `asked` counts the best designs by an objective at other draws, of which climbing anew found `missed` that were not
    among the candidates. They are now.
    """

    numbers: np.ndarray
    asked: int
    missed: int


def climbed(
    unknown: UncertainProblem,
    start: np.ndarray,
    products: Collection[int],
    seed: int,
    deadline: Deadline | None = None,
) -> Climbed:
    """Climb within some products.

    Parameters
    ----------
    unknown : UncertainProblem
    start : (n,) ndarray of int64
        Where climbing begins; designs of other products are what these are compared with, and stay as they are.
    products : collection of int
        Among those of `dse.analysis.uncertainty.at_values.shared_alone`.
    seed : int
        Of the draws that are climbed; those after it are taken too.
    deadline : Deadline, optional

    Raises
    ------
    Late
        Not in time.
    """
    coarse = _Climb(unknown, products, _COARSE, seed, deadline)
    coarse.begin(start)
    coarse.climb(_COARSE_NEAR)
    coarse.recombine(_COARSE_NEAR)
    coarse.climb(_COARSE_NEAR)
    fine = _Climb(unknown, products, FINE, seed + 1, deadline)
    on_frontier = fine.begin(np.union1d(start, coarse.near(_LEFT_NEAR)))
    fine.climb(_FINE_NEAR)
    numbers = np.union1d(on_frontier, fine.near(_FINE_NEAR))
    check = _Climb(unknown, products, _CHECKED, seed + 2, deadline)
    check.begin(np.union1d(start[~check.moved(start)], numbers))
    check.climb(0.0)
    best = check.winners()
    known = np.isin(best, numbers) | ~check.moved(best)
    return Climbed(np.union1d(numbers, best[check.moved(best)]), len(best), int((~known).sum()))


class _Climb:
    """The best design of each product by every score at every draw, as far as it was looked at."""

    def __init__(
        self, unknown: UncertainProblem, products: Collection[int], draws: int, seed: int, deadline: Deadline | None
    ) -> None:
        self.unknown, self.products, self.draws, self.seed = unknown, sorted(products), draws, seed
        self.deadline, self.rng = deadline, np.random.default_rng(seed)
        self.drawn = {series.place: series.values for series in common_draws(unknown, (), draws, seed)}
        count = len(unknown.problem.objectives)
        self.weights = np.concatenate([np.eye(count), np.ones((1, count))]) if count > 1 else np.ones((1, 1))
        shape = (len(self.weights), draws)
        self.best = {index: np.full(shape, np.inf) for index in self.products}
        self.who = {index: np.full(shape, -1, dtype=np.int64) for index in self.products}
        self.fixed, self.fixed_who = np.full(shape, np.inf), np.full(shape, -1, dtype=np.int64)
        self.seen = {index: np.empty(0, dtype=np.int64) for index in self.products}
        self.expanded = dict(self.seen)
        self.scored: list[tuple[np.ndarray, np.ndarray]] = []

    def moved(self, numbers: np.ndarray) -> np.ndarray:
        """Tell which designs are in the products that are climbed in."""
        return np.isin(np.searchsorted(self.unknown.problem.space.offsets, numbers, side="right") - 1, self.products)

    def begin(self, start: np.ndarray) -> np.ndarray:
        """Look at the first designs, and scale scores by their frontiers; return what is on one of these."""
        points, feasible, on = [], [], np.zeros(len(start), dtype=bool)
        count = len(self.unknown.problem.objectives)
        self.low, self.wide = np.zeros((self.draws, count)), np.ones((self.draws, count))
        done = 0
        for batch in batches(self.unknown, start, self.draws, self.seed):
            for draw in range(batch.feasible.shape[1]):
                here = np.flatnonzero(batch.feasible[:, draw])
                if len(here):
                    here = here[nondominated(np.ascontiguousarray(batch.points[here, draw]))]
                    low, high = batch.points[here, draw].min(axis=0), batch.points[here, draw].max(axis=0)
                    on[here], self.low[done + draw] = True, low
                    # A frontier of one design spans nothing: then near is a share of the value itself.
                    single = np.where(low != 0.0, np.abs(low), 1.0)
                    self.wide[done + draw] = np.where(high > low, high - low, single)
            done += batch.feasible.shape[1]
            points.append(batch.points)
            feasible.append(batch.feasible)
            self._in_time()
        moved = self.moved(start)
        every = np.arange(self.draws)
        scores = self._scores(np.concatenate(points, axis=1), np.concatenate(feasible, axis=1), every)
        if not moved.all():
            at = scores[~moved].argmin(axis=0).T
            self.fixed = scores[~moved].min(axis=0).T
            self.fixed_who = np.where(np.isfinite(self.fixed), start[~moved][at], -1)
        for index, here in self.unknown.problem.space.by_product(start):
            if index in self.best:
                self._keep(index, start[here], scores[here])
        return start[on & moved]

    def climb(self, margin: float) -> None:
        """Look at what differs in one axis from designs so near the best of all, until there is none left."""
        while True:
            bar, ended = self._bar() + margin, True
            for index in self.products:
                near = np.unique(self.who[index][(self.best[index] <= bar) & (self.who[index] >= 0)])
                near = np.setdiff1d(near, self.expanded[index])
                if len(near):
                    ended = False
                    self.expanded[index] = np.union1d(near, self.expanded[index])
                    around = one_step_neighbours(self.unknown.problem.space, near)
                    self._look(index, np.setdiff1d(around, self.seen[index]))
            if ended:
                return

    def recombine(self, margin: float) -> None:
        """Look at combinations of blocks of designs so near the best, in products that come so near."""
        near = self.near(margin)
        blocks = AxisBlocks(self.unknown.problem.space, near, self._gaps(near, margin))
        bar = self._bar() + margin
        for index in self.products:
            if (self.best[index] <= bar).any():
                numbers = np.setdiff1d(blocks.combined(index), self.seen[index])
                chosen = self.rng.integers(0, self.draws, (len(numbers), _TRIED))
                self._look(index, numbers[self._better(index, numbers, chosen)])

    def near(self, margin: float) -> np.ndarray:
        """Return designs so near the best of all by some score at some draw."""
        bar = (self._bar() + margin).T[None]
        parts = [numbers[(scores <= bar).any(axis=(1, 2))] for numbers, scores in self.scored]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))

    def winners(self) -> np.ndarray:
        """Return the best design of all by each objective at each draw that has one."""
        best = np.stack([self.fixed, *self.best.values()])
        who = np.take_along_axis(np.stack([self.fixed_who, *self.who.values()]), best.argmin(axis=0)[None], axis=0)[0]
        own = who[: len(self.unknown.problem.objectives)].reshape(-1)
        return own[own >= 0]

    def _gaps(self, near: np.ndarray, margin: float) -> np.ndarray:
        """Return how far designs are from the best of all where they are nearest."""
        bar, gaps = self._bar().T[None], np.full(len(near), np.inf)
        for numbers, scores in self.scored:
            with np.errstate(invalid="ignore"):
                gap = np.where(np.isfinite(scores), scores - bar, np.inf).min(axis=(1, 2))
            kept = gap <= margin
            np.minimum.at(gaps, np.searchsorted(near, numbers[kept]), gap[kept])
        return gaps

    def _bar(self) -> np.ndarray:
        return np.asarray(np.min([self.fixed, *self.best.values()], axis=0))

    def _look(self, index: int, numbers: np.ndarray) -> None:
        """Look at designs at all draws."""
        every, step = np.arange(self.draws), max(1, _AT_ONCE // self.draws)
        for begin in range(0, len(numbers), step):
            self._in_time()
            part = numbers[begin : begin + step]
            self._keep(index, part, self._scored(index, part, every[None]))
        self.seen[index] = np.union1d(numbers, self.seen[index])

    def _keep(self, index: int, numbers: np.ndarray, scores: np.ndarray) -> None:
        best, at = self.best[index], scores.argmin(axis=0)
        least = np.take_along_axis(scores, at[None], axis=0)[0].T
        better = least < best
        best[better], self.who[index][better] = least[better], numbers[at].T[better]
        # The best of all only falls: what is not near now will not be.
        near = (scores <= (self._bar() + _COARSE_NEAR).T[None]).any(axis=(1, 2))
        self.scored.append((numbers[near], scores[near]))

    def _better(self, index: int, numbers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Tell which designs are better than the best of their product at one of the draws chosen for each."""
        better, step = np.zeros(len(numbers), dtype=bool), max(1, _AT_ONCE // 10 // max(1, chosen.shape[1]))
        for begin in range(0, len(numbers), step):
            self._in_time()
            part = slice(begin, begin + step)
            bar = np.moveaxis(self.best[index][:, chosen[part]], 0, -1)
            better[part] = (self._scored(index, numbers[part], chosen[part]) < bar).any(axis=(1, 2))
        return better

    def _scored(self, index: int, numbers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return scores, (n, m, w), at draws: (1, m), or (n, m) of each design."""
        own = AffectedDesigns(self.unknown, index, numbers, np.arange(len(numbers)))
        none = np.zeros((1, 1))  # rows of axes that these products do not have
        drawn = {
            place: self.drawn[place][chosen] if place in self.drawn else none
            for place in range(len(self.unknown.unknowns))
        }
        points, _, feasible, _ = own.bounds(drawn, chosen.shape[1])
        return self._scores(points, feasible, chosen)

    def _scores(self, points: np.ndarray, feasible: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        scaled = (points - self.low[chosen]) / self.wide[chosen]
        return np.where(feasible[..., None], scaled @ self.weights.T, np.inf)

    def _in_time(self) -> None:
        if self.deadline is not None:
            self.deadline.check()
