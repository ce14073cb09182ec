"""Candidates by climbing: from designs that are best at some draws, by one axis at a time, to what is better at others.

1. At few draws everything that differs in one axis from a design near the best is looked at; then the blocks of axes
   of different alternatives are combined (`dse.analysis.uncertainty.axis_blocks`), as designs at two limits at once
   differ in several axes.
2. At the very draws that are counted, each design that leads at some draw is varied there alone: by one axis, by one
   block, and with its blocks carried over to the other alternatives that have them. What leads then is varied in turn.
3. At other draws the same is done once more: what is best there and was no candidate is counted.

Climbing may miss a design that none of these steps leads to, so it proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from dse.analysis.uncertainty.axis_blocks import AxisBlocks
from dse.analysis.uncertainty.scores import Scores
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.start.neighbours import one_step_neighbours, steps_from

__all__ = ["Climbed", "climbed"]

_SEED = 201  # of the few draws, and of the check after it
_COARSE, _MOST, _CHECKED = 32, 1_000, 50  # draws that are climbed first, afterwards at most, and in the check
_COARSE_NEAR, _FINE_NEAR = 0.1, 0.004  # of the span of a score: so near the best, a design is climbed from
_LEFT_NEAR = 0.02  # so near, a design of the first draws is looked at in those that are counted
_SCATTERED = 20_000  # designs of a product that are looked at in any case
_TRIED = 2  # draws at which a combination is tried first


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
    draws: int,
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
        No design of them has errors of its own.
    draws, seed : int
        Those that are counted; of very many, as many others as are climbed at most.
    deadline : Deadline, optional

    Raises
    ------
    Late
        Not in time.
    """
    draws = min(draws, _MOST)
    coarse = Scores(unknown, products, _COARSE, _SEED, _COARSE_NEAR, deadline)
    on_frontier = coarse.begin(start)
    _scatter(coarse)
    _climb(coarse, _COARSE_NEAR)
    _recombine(coarse, _COARSE_NEAR)
    _climb(coarse, _COARSE_NEAR)
    near, gaps = coarse.near(_COARSE_NEAR)
    blocks = AxisBlocks(unknown.problem.space, near, gaps)
    fine = Scores(unknown, products, draws, seed, _FINE_NEAR, deadline)
    anchors = np.union1d(on_frontier, near[gaps <= _FINE_NEAR])
    fine.begin(np.union1d(np.union1d(start, anchors), near[gaps <= _LEFT_NEAR]), anchors)
    _vary(fine, blocks, _FINE_NEAR)
    moved = coarse.moved(on_frontier)
    numbers = np.union1d(on_frontier[moved], fine.near(_FINE_NEAR)[0])
    check = Scores(unknown, products, _CHECKED, _SEED + 2, 0.0, deadline)
    check.begin(np.union1d(start[~check.moved(start)], numbers))
    _vary(check, blocks, 0.0)
    best = check.winners()
    known = np.isin(best, numbers) | ~check.moved(best)
    return Climbed(np.union1d(numbers, best[check.moved(best)]), len(best), int((~known).sum()))


def _scatter(scores: Scores) -> None:
    """Look at some designs at random of products whose rows have unknowns of their own: each row is to have a start."""
    rng = np.random.default_rng(scores.seed)
    for index in scores.products:
        if scores.has_classes(index):
            numbers = scores.space.offsets[index] + rng.integers(0, scores.space.products[index].size, _SCATTERED)
            numbers = np.unique(numbers)
            chosen = rng.integers(0, scores.draws, (len(numbers), 1))
            scores.look(index, numbers[scores.better(index, numbers, chosen)])


def _climb(scores: Scores, margin: float) -> None:
    """Look at what differs in one axis from designs so near the best of all, until there is none left."""
    expanded = {index: np.empty(0, dtype=np.int64) for index in scores.products}
    while True:
        ended = True
        for index in scores.products:
            near = np.setdiff1d(scores.leading(index, margin), expanded[index])
            if len(near):
                ended = False
                expanded[index] = np.union1d(near, expanded[index])
                scores.look(index, one_step_neighbours(scores.space, near))
        if ended:
            return


def _recombine(scores: Scores, margin: float) -> None:
    """Look at combinations of blocks of designs so near the best, in products that come so near."""
    blocks, rng = AxisBlocks(scores.space, *scores.near(margin)), np.random.default_rng(scores.seed)
    for index in scores.products:
        if len(scores.leading(index, margin)):
            numbers = np.setdiff1d(blocks.combined(index), scores.seen[index])
            chosen = rng.integers(0, scores.draws, (len(numbers), _TRIED))
            scores.look(index, numbers[scores.better(index, numbers, chosen)])


def _vary(scores: Scores, blocks: AxisBlocks, margin: float) -> None:
    """Vary each design that leads, at some of the draws where it does, until none is left that was not."""
    varied, rng = np.empty(0, dtype=np.int64), np.random.default_rng(scores.seed)
    while True:
        leading = {index: _leading(scores, index, margin, varied, rng) for index in scores.products}
        if not any(len(numbers) for numbers, _ in leading.values()):
            return
        for index, (numbers, chosen) in leading.items():
            varied = np.union1d(varied, numbers)
            if len(numbers):
                _look(scores, index, steps_from(scores.space, index, numbers), chosen, margin)
                for into in scores.products:
                    _look(scores, into, blocks.carried(index, numbers, into), chosen, margin)


def _leading(
    scores: Scores, index: int, margin: float, varied: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the designs of a product that lead and were not varied, and for each some draws at which it does."""
    numbers, draws = scores.where(index, margin)
    order = rng.permutation(len(numbers))
    order = order[np.argsort(numbers[order], kind="stable")]
    numbers, draws = numbers[order], draws[order]
    different, first, count = np.unique(numbers, return_index=True, return_counts=True)
    new = ~np.isin(different, varied)
    chosen = first[new, None] + np.minimum(np.arange(_TRIED)[None], count[new, None] - 1)
    return different[new], draws[chosen]


def _look(scores: Scores, index: int, numbers: np.ndarray, chosen: np.ndarray, margin: float) -> None:
    """Look at variations, (k, c), that are good at one of the draws at which their origin leads, (k, m)."""
    different, first = np.unique(numbers, return_index=True)
    origin = first // max(1, numbers.shape[1])
    new = ~np.isin(different, scores.seen[index])
    different, origin = different[new], origin[new]
    scores.look(index, different[scores.better(index, different, chosen[origin], margin)])
