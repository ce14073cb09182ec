"""Which candidate is the best of each objective, and the knee, draw by draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.analysis.choose.choice import knee_row
from dse.analysis.uncertainty.draws import batches
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.frontier.pareto import nondominated

__all__ = ["Tally", "tally"]

_KNEE_FROM = 2  # objectives


@dataclass(frozen=True)
class Tally:
    """What draws have shown.

    Attributes
    ----------
    best : (q, n) ndarray
        Share of the draws in which a candidate is the best: of each objective, and the knee where there are several.
        Of designs that are equal in the objective, those on the draw's frontier share.
    first : (q, draws) ndarray of int
        The first of the best ones of each draw, -1 where no design meets the limits.
    frontier : (n,) ndarray
        Share of the draws in which a candidate is on the frontier.
    answered : int
        Draws in which some design meets the limits.
    """

    best: np.ndarray
    first: np.ndarray
    frontier: np.ndarray
    answered: int


def tally(
    unknown: UncertainProblem, numbers: np.ndarray, draws: int, seed: int, deadline: Deadline | None = None
) -> Tally:
    """Count, draw by draw, who is best and who is on the frontier.

    Parameters
    ----------
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Candidates.
    draws, seed : int
    deadline : Deadline, optional

    Raises
    ------
    Late
        The draws are not done in time.
    """
    objectives = unknown.problem.objectives
    senses = [objective.sense for objective in objectives]
    count = len(objectives) + (len(objectives) >= _KNEE_FROM)
    best, first = np.zeros((count, len(numbers))), np.full((count, draws), -1)
    frontier, answered, done = np.zeros(len(numbers)), 0, 0
    begun = 0.0 if deadline is None else deadline.passed
    for batch in batches(unknown, numbers, draws, seed):
        for draw in range(batch.feasible.shape[1]):
            here = np.flatnonzero(batch.feasible[:, draw])
            if not len(here):
                continue
            answered += 1
            on = here[nondominated(np.ascontiguousarray(batch.points[here, draw]))]
            points = batch.points[on, draw]
            frontier[on] += 1.0
            for place in range(len(objectives)):
                equal = on[points[:, place] == points[:, place].min()]
                best[place, equal] += 1.0 / len(equal)
                first[place, done + draw] = equal[0]
            if count > len(objectives):
                knee = on[knee_row(points * unknown.problem.signs, senses)]
                best[-1, knee] += 1.0
                first[-1, done + draw] = knee
        done += batch.feasible.shape[1]
        if deadline is not None and done < draws:
            deadline.check((deadline.passed - begun) * (draws - done) / done)
    return Tally(best / max(1, answered), first, frontier / draws, answered)
