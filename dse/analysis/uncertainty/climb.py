"""Candidates by climbing: from designs that are best at some draws, by one axis at a time, to what is better at others.

1. At few draws everything that differs in one axis from a design near the best is looked at; then the blocks of axes
   of different alternatives are combined (`dse.analysis.uncertainty.axis_blocks`), as designs at two limits at once
   differ in several axes.
2. Of the very draws that are counted, each design that leads at some is varied at a few: by one axis, by two or three
   at random, and by exchanging blocks with designs near the best, of its alternative and of others. What leads then is
   varied in turn.
3. At other draws the same is done once more: what is best there and was no candidate is counted.

Climbing may miss a design that none of these steps leads to, so it proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from dse.analysis.uncertainty.axis_blocks import AxisBlocks
from dse.analysis.uncertainty.scores import Scores
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.start.neighbours import one_step_neighbours, random_steps, steps_from

__all__ = ["Climbed", "climbed"]

_SEED = 201  # of which draws are the few
_COARSE, _FINE, _CHECKED = 32, 200, 50  # draws that are climbed at first, then, and in the check
_COARSE_NEAR, _FINE_NEAR = 0.1, 0.004  # of the span of a score: so near the best, a design is climbed from
_LEFT_NEAR = 0.02  # so near, a design of the first draws is looked at then
_SCATTERED = 20_000  # designs of a product that are looked at in any case
_CROSSED = 40  # designs of an alternative that blocks of one that leads are exchanged with
_RANDOM = 200  # designs that differ in two axes or three from one that leads
_TRIED, _OTHERS = 2, 24  # draws at which a combination is tried first, and a variation besides those of its origin
_TRIES = ((16, 2), (128, 8), (1 << 30, 32))  # at how many draws a design leads at most, and its variations are tried


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
        Those that are counted, of which some are climbed at.
    deadline : Deadline, optional

    Raises
    ------
    Late
        Not in time.
    """
    order = np.random.default_rng(_SEED).permutation(draws)
    coarse = Scores(unknown, products, draws, seed, _COARSE_NEAR, deadline, np.sort(order[:_COARSE]))
    on_frontier = coarse.begin(start)
    _scatter(coarse)
    _climb(coarse, _COARSE_NEAR)
    _recombine(coarse, _COARSE_NEAR)
    _climb(coarse, _COARSE_NEAR)
    near, gaps = coarse.near(_COARSE_NEAR)
    blocks = AxisBlocks(unknown.problem.space, near, gaps)
    fine = Scores(unknown, products, draws, seed, _FINE_NEAR, deadline, np.sort(order[:_FINE]))
    anchors = np.union1d(on_frontier, near[gaps <= _FINE_NEAR])
    fine.begin(np.union1d(np.union1d(start, anchors), near[gaps <= _LEFT_NEAR]), anchors)
    _vary(fine, blocks, _FINE_NEAR)
    moved = coarse.moved(on_frontier)
    numbers = np.union1d(on_frontier[moved], fine.near(_FINE_NEAR)[0])
    check = Scores(unknown, products, _CHECKED, seed + 1, 0.0, deadline)
    check.begin(np.union1d(start[~check.moved(start)], numbers))
    _vary(check, blocks, 0.0)
    best = check.winners()
    known = np.isin(best, numbers) | ~check.moved(best)
    return Climbed(np.union1d(numbers, best[check.moved(best)]), len(best), int((~known).sum()))


def _scatter(scores: Scores) -> None:
    """Look at designs at random of products without a start, or whose rows have unknowns of their own."""
    rng = np.random.default_rng(scores.seed)
    for index in scores.products:
        if scores.has_classes(index) or not len(scores.leading(index, np.inf)):
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
        before = varied
        for index in scores.products:
            for numbers, chosen in _leading(scores, index, margin, before, rng):
                varied = np.union1d(varied, numbers)
                _look(scores, index, steps_from(scores.space, index, numbers), chosen, margin, rng)
                _look(scores, index, random_steps(scores.space, index, numbers, _RANDOM, rng), chosen, margin, rng)
                for into in scores.products:
                    _look(scores, into, blocks.crossed(index, numbers, into, rng, _CROSSED), chosen, margin, rng)
        if len(varied) == len(before):
            return


def _leading(
    scores: Scores, index: int, margin: float, varied: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the designs of a product that lead and were not varied, and for each some draws at which it does.

    Of those that lead often there are more draws; and where nothing that is known meets the limits, one of these draws.
    """
    numbers, draws = scores.where(index, margin)
    order = rng.permutation(len(numbers))
    order = order[np.argsort(numbers[order], kind="stable")]
    numbers, draws = numbers[order], draws[order]
    different, first, count = np.unique(numbers, return_index=True, return_counts=True)
    new = ~np.isin(different, varied)
    unanswered = np.flatnonzero(np.isinf(scores.bar[0]))
    least = 0
    for most, tried in _TRIES:
        own = new & (count > least) & (count <= most)
        least = most
        if own.any():
            chosen = draws[first[own, None] + np.minimum(np.arange(tried)[None], count[own, None] - 1)]
            if len(unanswered):
                chosen = np.concatenate([chosen, rng.choice(unanswered, (len(chosen), 1))], axis=1)
            yield different[own], chosen


def _look(
    scores: Scores, index: int, numbers: np.ndarray, chosen: np.ndarray, margin: float, rng: np.random.Generator
) -> None:
    """Look at variations, (k, c), that are good at a draw at which their origin leads, (k, m), or at some others."""
    different, first = np.unique(numbers, return_index=True)
    origin = first // max(1, numbers.shape[1])
    new = ~np.isin(different, scores.seen[index])
    different, origin = different[new], origin[new]
    others = rng.integers(0, scores.draws, (len(different), _OTHERS))
    tried = np.concatenate([chosen[origin], others], axis=1)
    scores.look(index, different[scores.better(index, different, tried, margin)])
