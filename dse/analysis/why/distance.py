"""How far designs are from a frontier: by what factor objectives would have to improve until nothing beats them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from dse.evaluation.problem import Objective

__all__ = ["Distance", "Single", "beaten", "distance"]

_AT_ONCE = 20_000_000  # comparisons


class Single(TypedDict, total=False):
    """How much better one objective alone would have to be: a factor, or where it is not positive a difference."""

    factor: float
    difference: float
    design: int


class Distance(TypedDict):
    """How far some designs are from a frontier."""

    factor: float | None
    design: int | None
    single: dict[str, Single]


def distance(
    values: np.ndarray, numbers: np.ndarray, frontier: np.ndarray, objectives: Sequence[Objective]
) -> Distance:
    """Return how far the nearest of some designs is from a frontier.

    Parameters
    ----------
    values : (n, objectives) ndarray
        As the models give them.
    numbers : (n,) ndarray of int64
    frontier : (m, objectives) ndarray
    objectives : sequence of Objective

    Returns
    -------
    dict
        ``factor``: the least s such that a design whose objectives were all s times better would be beaten by nothing
        on the frontier, min over designs d of max over f of min over objectives of d_i/f_i (f_i/d_i, where it is
        maximised); 1 or less on the frontier; None where an objective is not positive throughout. ``design``: which
        one. ``single``: by objective the same for that objective alone, min over d of max of d_i/f_i over the f that
        are no worse in all others; the ``difference`` d_i - f_i (SI, how much better) where it is not positive.
    """
    senses = np.array([objective.sign for objective in objectives])
    own, beside = values * senses, frontier * senses
    positive = np.concatenate([values, frontier], axis=0).min(axis=0) > 0
    count, each = len(objectives), max(1, _AT_ONCE // max(1, len(frontier) * len(objectives)))
    all_of = np.empty(len(values))
    singly = np.empty((len(values), count))
    for begin in range(0, len(values), each):
        here = slice(begin, begin + each)
        worse_by = _worse_by(values[here], frontier, objectives, positive)
        all_of[here] = worse_by.min(axis=2).max(axis=1) if len(frontier) else -np.inf
        no_worse = beside[None, :, :] <= own[here][:, None, :]
        for place in range(count):
            others = np.delete(no_worse, place, axis=2).all(axis=2)
            least = 1.0 if positive[place] else 0.0  # where no design is as good in all others, nothing beats it
            singly[here, place] = np.where(others, worse_by[:, :, place], least).max(axis=1, initial=least)
    single: dict[str, Single] = {}
    for place, objective in enumerate(objectives):
        best = _first_least(singly[:, place], numbers)
        amount = float(singly[best, place])
        design = int(numbers[best])
        single[objective.quantity] = (
            {"factor": amount, "design": design} if positive[place] else {"difference": amount, "design": design}
        )
    if not positive.all():
        return {"factor": None, "design": None, "single": single}
    best = _first_least(all_of, numbers)
    return {"factor": float(all_of[best]), "design": int(numbers[best]), "single": single}


def beaten(values: np.ndarray, frontier: np.ndarray, objectives: Sequence[Objective]) -> np.ndarray:
    """Tell which designs something on a frontier beats: no worse in every objective and better in one."""
    senses = np.array([objective.sign for objective in objectives])
    own, beside = values * senses, frontier * senses
    beaten_rows = np.zeros(len(own), dtype=bool)
    each = max(1, _AT_ONCE // max(1, len(frontier) * len(objectives)))
    for begin in range(0, len(own), each):
        here = own[begin : begin + each, None, :]
        no_worse = (beside[None] <= here).all(axis=2)
        beaten_rows[begin : begin + each] = (no_worse & (beside[None] < here).any(axis=2)).any(axis=1)
    return beaten_rows


def _worse_by(
    values: np.ndarray, frontier: np.ndarray, objectives: Sequence[Objective], positive: np.ndarray
) -> np.ndarray:
    """Return by how much each design is worse than each of the frontier, (n, m, objectives): ratio or difference."""
    ratios = np.empty((len(values), len(frontier), len(objectives)))
    for place, objective in enumerate(objectives):
        worse, other = values[:, None, place], frontier[None, :, place]
        worse, other = (worse, other) if objective.sense == "min" else (other, worse)
        ratios[:, :, place] = worse / other if positive[place] else worse - other
    return ratios


def _first_least(amounts: np.ndarray, numbers: np.ndarray) -> int:
    """Return the place of the least amount; of equal ones that of the first design."""
    least = np.flatnonzero(amounts == amounts.min())
    return int(least[np.argmin(numbers[least])])
