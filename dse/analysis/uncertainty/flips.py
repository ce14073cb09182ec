"""What would flip a decision: the one unknown, and the value of it, beyond which another choice is best more often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.analysis.uncertainty.draws import Drawn
from dse.evaluation.unknowns import UncertainProblem
from dse.run.result.how_sure import Flip

__all__ = ["flip_of"]

_FEWEST = 0.02  # of the draws on a side that is told of
_LEAST = 5e-3  # gain of purity, below which it is chance


def flip_of(unknown: UncertainProblem, series: Sequence[Drawn], winners: np.ndarray) -> Flip | None:
    """Return the cut through one unknown that tells best when the most frequent winner is not the best.

    Parameters
    ----------
    unknown : UncertainProblem
    series : sequence of Drawn
        The values of what designs share, by draw.
    winners : (draws,) ndarray of str
        What is best in each draw; empty where nothing is.

    Returns
    -------
    Flip or None
        None where the most frequent winner stays the most frequent one on both sides of every cut: one unknown alone
        flips nothing.

    Notes
    -----
    Of all cuts the one that lowers the Gini impurity of "is the most frequent winner" most, among those with another
    most frequent winner on one of their sides.
    """
    answered = winners != ""
    names, which = np.unique(winners[answered], return_inverse=True)
    if len(names) < 2:
        return None
    counts = np.bincount(which)
    usual = int(np.argmax(counts))
    best: tuple[float, Flip] | None = None
    one_hot = np.eye(len(names))[which]
    for drawn in series:
        values = drawn.values[answered]
        order = np.argsort(values, kind="stable")
        below = np.cumsum(one_hot[order], axis=0)
        for above in (False, True):
            gain, at = _best_cut(below, usual, above=above)
            if at < 0 or (best is not None and gain <= best[0]):
                continue
            inside = order[at + 1 :] if above else order[: at + 1]
            own = np.bincount(which[inside], minlength=len(names))
            winner = int(np.argmax(own))
            outside = len(order) - len(inside)
            cut = unknown.unknowns[drawn.place]
            flip = Flip(
                unknown=cut.quantity,
                part=drawn.part,
                above=above,
                value=float((values[order[at]] + values[order[at + 1]]) / 2.0),
                relative=cut.relative,
                winner=str(names[winner]),
                share=float(own[winner] / len(inside)),
                elsewhere=float((counts[winner] - own[winner]) / max(1, outside)),
                side=float(len(inside) / len(winners)),
            )
            best = (gain, flip)
    return None if best is None else best[1]


def _best_cut(below: np.ndarray, usual: int, *, above: bool) -> tuple[float, int]:
    """Return the gain of the best cut after a place in the order, and the place; -1 where none flips anything."""
    draws = len(below)
    total = below[-1]
    sizes = np.arange(1, draws)
    inside = total - below[:-1] if above else below[:-1]
    count = draws - sizes if above else sizes
    share = inside[:, usual] / count
    rest = (total[usual] - inside[:, usual]) / (draws - count)
    whole = total[usual] / draws
    impurity = (count * share * (1.0 - share) + (draws - count) * rest * (1.0 - rest)) / draws
    gain = whole * (1.0 - whole) - impurity
    others = np.delete(inside, usual, axis=1).max(axis=1)
    gain[(others <= inside[:, usual]) | (count < _FEWEST * draws) | (draws - count < 1)] = -1.0
    at = int(np.argmax(gain)) if len(gain) else -1
    return (float(gain[at]), at) if at >= 0 and gain[at] > _LEAST else (-1.0, -1)
