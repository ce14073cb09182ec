"""Candidates of a run where bounds leave too many: an estimate, by climbing from the frontier of each alternative.

Errors of laws leave about every design of an alternative possible, and searches at sampled values take longer than the
search itself (`dse.analysis.uncertainty.sampled`). The tables of the search are still there, so each alternative that
only shared unknowns reach is searched once more by itself, at the values the study computes with; from there candidates
are looked for by climbing. Alternatives with errors of their rows have bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dse.analysis.uncertainty.at_values import shared_alone
from dse.analysis.uncertainty.climb import FINE, climbed
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline, Late
from dse.search.bundles.product_search import ProductSearch
from dse.search.uncertain.possible import search_possible
from dse.search.uncertain.rows import proved_rows, rows_kept

__all__ = ["Estimated", "estimated_candidates"]

_SEED = 201  # of climbing; the draws have another


class Estimated(NamedTuple):
    """Candidates, and how many of the best designs at other draws were not among them."""

    numbers: np.ndarray
    asked: int
    missed: int

    @property
    def words(self) -> str:
        """How they were come by, for people."""
        return (
            f"an estimate: {len(self.numbers)} candidates by climbing from the frontier of each alternative at {FINE} "
            f"draws; at other draws climbing found {self.missed} of {self.asked} best designs that were not among "
            "them, and what climbing does not find is not counted"
        )


def estimated_candidates(
    unknown: UncertainProblem, frontier: np.ndarray, searches: Mapping[int, ProductSearch], deadline: Deadline
) -> Estimated:
    """Return candidates by bounds where these are quick, else by climbing.

    Parameters
    ----------
    unknown : UncertainProblem
    frontier : (n,) ndarray of int64
        At the values the study computes with.
    searches : mapping of int to ProductSearch
        Of the products that only shared unknowns reach, with their tables.
    deadline : Deadline

    Raises
    ------
    Late
        Not in time, or there is no search of such a product.
    InputError
        As `search_possible`, of the other products.
    """
    products = sorted(shared_alone(unknown))
    if not products or not unknown.shared or not searches.keys() >= set(products):
        raise Late
    space = unknown.problem.space
    others = [index for index in range(len(space.products)) if index not in products]
    start = frontier
    if others:
        beside = np.isin(np.searchsorted(space.offsets, frontier, side="right") - 1, others)
        possible = search_possible(unknown, frontier[beside], deadline=deadline, products=others).numbers
        possible = possible[proved_rows(unknown, possible)[0]]
        start = np.union1d(frontier, possible[rows_kept(unknown, possible, deadline)])
    own = [_own_frontier(searches[index], deadline) for index in products]
    several = climbed(unknown, np.unique(np.concatenate([start, *own])), products, _SEED, deadline)
    return Estimated(np.union1d(start, several.numbers), several.asked, several.missed)


def _own_frontier(search: ProductSearch, deadline: Deadline) -> np.ndarray:
    """Return the frontier of a product by itself, or what its pieces have each."""
    numbers = []
    for piece in range(len(search.pieces)):
        deadline.check()
        numbers.append(search.run(piece, None).numbers)
    return np.concatenate(numbers)
