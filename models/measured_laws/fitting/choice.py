"""The choice of a law among hypotheses: by how well each run is foretold by the others, with a price on intricacy.

The measure is the sum of squared relative errors of each run under the fit to all other runs. A law that depends on
something must leave less than a quarter of what the constant leaves; else growth would be read into noise (Shudler et
al. 2019 name no rule; the quarter is ours, by simulation). Among the others, every further coefficient and factor, and
every power or logarithm that makes a factor less plain than x, 1/x or log x, must halve it; a factor that stands in
another term already counts a half. Both ratios hold for up to ten runs; n runs show smaller gains as surely, so with
them a ratio is its (10 / n)-th power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.models.measured_laws.fitting.hypotheses import Space
from dse.models.measured_laws.fitting.least_squares import Solution, solve

__all__ = ["Candidates", "Choice", "candidates", "choose"]

_GROWTH, _INTRICACY, _RUNS = 0.25, 0.5, 10
_EXACT = 1e-20
"""Squared relative error of a run, below which it is rounding."""
_ALIKE, _POSSIBLE = 1.1, 2.0
_CANCELLATION = 10.0
"""Most that the terms may add up to without their signs, over the law, at the target."""


@dataclass(frozen=True)
class Candidates:
    """Fitted hypotheses with one number of terms.

    Attributes
    ----------
    terms : ndarray, shape (m, k, 3)
    solution : Solution
    plausible : ndarray of bool, shape (m,)
    score : ndarray, shape (m,)
        Logarithm of the left-out squares with the price of intricacy on it; the least is the best.
    """

    terms: np.ndarray
    solution: Solution
    plausible: np.ndarray
    score: np.ndarray


@dataclass(frozen=True)
class Choice:
    """The hypothesis chosen, as places (which number of terms, which candidate), and those it cannot be told from.

    Attributes
    ----------
    place : tuple of int
    alike : tuple of tuple of int
        Within 10 % of its left-out squares, the best first.
    possible : tuple of tuple of int
        Within twice its left-out squares, with no more coefficients.
    stopped : bool
        Whether a hypothesis that leaves less than half was refused for what it foretells.
    """

    place: tuple[int, int]
    alike: tuple[tuple[int, int], ...]
    possible: tuple[tuple[int, int], ...]
    stopped: bool


def candidates(
    space: Space,
    hypotheses: np.ndarray,
    weights: np.ndarray,
    values: np.ndarray,
    tables: list[np.ndarray],
    bounds: tuple[float, float],
) -> Candidates:
    """Fit hypotheses and mark the plausible ones.

    Parameters
    ----------
    space : Space
    hypotheses : ndarray, shape (m, k, 3)
    weights, values : ndarray, shape (runs,)
    tables : list of ndarray
        Values of the factors where predictions are looked at (`Space.tables_at`), the target last.
    bounds : (float, float)
        Least and greatest prediction that is no nonsense; the least itself is allowed where a run has it.
    """
    columns = np.swapaxes(space.columns(hypotheses) * weights, 1, 2)
    solution = solve(columns, weights * values)
    parts = space.columns(hypotheses, tables) * solution.coefficients[..., None]
    cumulative = parts.sum(axis=1)
    low, high = bounds
    above = cumulative >= low if values.min() <= low else cumulative > low
    slack = 1e-9 * max(abs(high), 1.0) if np.isfinite(high) else 0.0
    plausible = above.all(axis=1) & (cumulative <= high + slack).all(axis=1)
    plausible &= np.abs(parts[..., -1]).sum(axis=1) <= _CANCELLATION * np.abs(cumulative[:, -1])
    runs = len(values)
    price = space.intricacy(hypotheses) + hypotheses.shape[1] - 1
    score = np.log(np.maximum(solution.left_out, runs * _EXACT)) - _share(runs) * np.log(_INTRICACY) * price
    return Candidates(hypotheses, solution, plausible & np.isfinite(solution.left_out), score)


def choose(fitted: list[Candidates], runs: int) -> Choice:
    """Choose among candidates, the first of which is the constant (terms of index 0 alone).

    Parameters
    ----------
    fitted : list of Candidates
        By number of terms.
    runs : int
    """
    is_constant = (fitted[0].terms == 0).all(axis=(1, 2))
    constant = (0, int(np.flatnonzero(is_constant)[0]))
    floor = runs * _EXACT

    def left_out(place: tuple[int, int]) -> float:
        return max(float(fitted[place[0]].solution.left_out[place[1]]), floor)

    open_to_choice = [c.plausible.copy() for c in fitted]
    open_to_choice[0][constant[1]] = False
    scores = [np.where(ok, c.score, np.inf) for ok, c in zip(open_to_choice, fitted, strict=True)]
    tops = [float(s.min()) if s.size else np.inf for s in scores]
    level = int(np.argmin(tops))
    place = (level, int(np.argmin(scores[level]))) if np.isfinite(tops[level]) else constant
    if left_out(place) >= _GROWTH ** _share(runs) * left_out(constant):
        place = constant
    most = left_out(place)
    alike, possible = [], []
    for number, group in enumerate(fitted):
        squares = np.maximum(group.solution.left_out, floor)
        inside = group.plausible & (squares <= _POSSIBLE * most)
        for index in np.flatnonzero(inside):
            other = (number, int(index))
            if number <= place[0]:
                possible.append(other)
            if other != place and most / _ALIKE <= squares[index] <= _ALIKE * most:
                alike.append(other)
    alike.sort(key=lambda at: fitted[at[0]].score[at[1]])
    score = fitted[place[0]].score[place[1]]
    better = [(c.score < score) & (_POSSIBLE * np.maximum(c.solution.left_out, floor) < most) for c in fitted]
    stopped = any(bool((ok & ~c.plausible).any()) for ok, c in zip(better, fitted, strict=True))
    return Choice(place, tuple(alike), tuple(possible), stopped)


def _share(runs: int) -> float:
    return min(1.0, _RUNS / runs)
