"""Candidates where bounds leave too many: frontiers at sampled values, what climbing adds, and a check.

Errors of laws reach far, and all designs of a class share them: as ranges they leave millions of designs possible, as
values few. So the alternatives that only shared unknowns reach are searched in full at some values. What is best
between them is looked for by climbing. How much that misses is measured: more values are searched in full, and what is
best there and was no candidate is counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.analysis.uncertainty.at_values import AtValues, search_at_values, shared_alone
from dse.analysis.uncertainty.climb import FINE, climbed
from dse.analysis.uncertainty.draws import common_draws
from dse.analysis.uncertainty.tally import tally
from dse.evaluation.unknowns import UncertainProblem
from dse.search.uncertain.possible import search_possible
from dse.search.uncertain.rows import rows_kept

__all__ = ["Sampled", "sampled_candidates"]

_VALUES, _CHECKED = 8, 8
_SEEDS = (101, 103)  # of values, and of the check: none is that of the draws
_CLIMBS = (201, 301, 401)  # climbing leads elsewhere from other draws


class Sampled(NamedTuple):
    """Candidates, and how many of the best designs at values that were searched afterwards were among them."""

    numbers: np.ndarray
    values: int
    checked: int
    asked: int
    missed: int

    @property
    def words(self) -> str:
        """How they were come by, for people."""
        return (
            f"{len(self.numbers)} candidates are on the frontier at one of {self.values} values of the errors of laws, "
            f"or are best, or nearly, at one of {len(_CLIMBS) * FINE} draws by climbing; at {self.checked} more "
            f"values, searched in full, {self.missed} of {self.asked} best designs were not among them"
        )


def sampled_candidates(unknown: UncertainProblem, frontier: np.ndarray) -> Sampled | None:
    """Return candidates by frontiers at sampled values; None where no alternative has shared unknowns alone.

    Parameters
    ----------
    unknown : UncertainProblem
    frontier : (n,) ndarray of int64
        At the values the study computes with.

    Raises
    ------
    InputError
        As `search_possible`, of the other alternatives.
    """
    sampled, space = sorted(shared_alone(unknown)), unknown.problem.space
    if not sampled or not unknown.shared:
        return None
    others = [index for index in range(len(space.products)) if index not in sampled]
    bounded = frontier
    if others:
        possible = search_possible(unknown, frontier, products=others).numbers
        bounded = np.union1d(frontier, possible[rows_kept(unknown, possible)])
    at_values = _searched(unknown, sampled, _VALUES, _SEEDS[0])
    start = np.union1d(bounded, at_values.numbers)
    numbers = np.unique(np.concatenate([start, *(climbed(unknown, start, sampled, seed).numbers for seed in _CLIMBS)]))
    again = _searched(unknown, sampled, _CHECKED, _SEEDS[1])
    every = np.union1d(numbers, again.numbers)
    best = tally(unknown, every, _CHECKED, _SEEDS[1]).best
    missing = best[:, ~np.isin(every, numbers)]
    missed = int(np.round(missing.sum() * _CHECKED))
    return Sampled(every, _VALUES, _CHECKED, best.shape[0] * _CHECKED, missed)


def _searched(unknown: UncertainProblem, products: list[int], count: int, seed: int) -> AtValues:
    """Search some products at values that are drawn as all draws are."""
    drawn = {series.place: series.values for series in common_draws(unknown, (), count, seed)}
    return search_at_values(unknown, products, drawn)
