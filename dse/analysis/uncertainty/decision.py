"""Decisions under what is not known: which design is best in how many draws, and what taking another one costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.best_design import kinds_of
from dse.analysis.uncertainty.draws import batches
from dse.analysis.uncertainty.queries import Query
from dse.evaluation.unknowns import UncertainProblem
from dse.run.result.uncertainty_account import DecidedDesign, Decision

if TYPE_CHECKING:
    from dse.study.study import Study

__all__ = ["decide"]

_HOLDING = 0.95
_SHOWN = 200  # designs that are told one by one


class _Tally:
    """What is counted of each candidate."""

    def __init__(self, count: int, relative: bool) -> None:
        self.best, self.met, self.total = np.zeros(count), np.zeros(count), np.zeros(count)
        self.greatest = np.zeros(count)
        self.answered = 0
        self.winners: list[np.ndarray] = []
        self.relative = relative

    def add(self, values: np.ndarray, met: np.ndarray) -> None:
        """Add draws: values to be minimised (infinite where limits are not met), (n, m)."""
        least = values.min(axis=0)
        answered = np.isfinite(least)
        self.answered += int(answered.sum())
        values, met, least = values[:, answered], met[:, answered], least[answered]
        winners = values == least
        self.best += (winners / winners.sum(axis=0)).sum(axis=1)
        self.winners.append(winners)
        self.met += met.sum(axis=1)
        regret = np.where(met, values - least, 0.0)
        if self.relative:
            regret /= np.abs(least)
        self.total += regret.sum(axis=1)
        self.greatest = np.maximum(self.greatest, regret.max(axis=1, initial=0.0))


def decide(
    study: Study,
    unknown: UncertainProblem,
    numbers: np.ndarray,
    query: Query,
    draws: int,
    seed: int,
    meets: float,
) -> Decision:
    """Count, draw by draw, which candidate is the best of a query.

    Parameters
    ----------
    study : Study
        Whose objectives hold what the query reads.
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Candidates.
    query : Query
    draws, seed : int
    meets : float
        The share of draws in which a robust design meets all limits.
    """
    tally = _counted(unknown, numbers, query, draws, seed, relative=True)
    # A share of a value that may be 0 or change its sign says nothing.
    tally = tally or _counted(unknown, numbers, query, draws, seed, relative=False)
    assert tally is not None
    return _told(study, numbers, query, draws, meets, tally)


def _counted(
    unknown: UncertainProblem, numbers: np.ndarray, query: Query, draws: int, seed: int, *, relative: bool
) -> _Tally | None:
    """Return what all draws count; None where values have no sign that a share could be told of."""
    places = {objective.quantity: place for place, objective in enumerate(unknown.problem.objectives)}
    tally = _Tally(len(numbers), relative)
    for batch in batches(unknown, numbers, draws, seed):
        met = batch.feasible.copy()
        for limit in query.limits:
            value = batch.points[:, :, places[limit.quantity]]
            met &= value < limit.most if limit.strict else value <= limit.most
        values = np.where(met, batch.points[:, :, places[query.quantity]], np.inf)
        if relative and (np.sign(values[met]) != (1.0 if query.sense == "min" else -1.0)).any():
            return None
        tally.add(values, met)
    return tally


def _told(
    study: Study,
    numbers: np.ndarray,
    query: Query,
    draws: int,
    meets: float,
    tally: _Tally,
) -> Decision:
    answered = max(1, tally.answered)
    share = tally.best / answered
    with np.errstate(all="ignore"):
        expected = np.where(tally.met > 0, tally.total / tally.met, np.inf)
    greatest = np.where(tally.met > 0, tally.greatest, np.inf)
    eligible = np.flatnonzero((tally.met >= meets * draws) & (tally.met > 0))
    robust = cautious = None
    if len(eligible):
        robust = int(eligible[np.lexsort([greatest[eligible], expected[eligible]])[0]])
        cautious = int(eligible[np.lexsort([expected[eligible], greatest[eligible]])[0]])
    shown = np.flatnonzero(share > 0)
    shown = shown[np.lexsort([numbers[shown], -share[shown]])]
    rest = [at for at in dict.fromkeys((robust, cautious)) if at is not None and at not in set(shown.tolist())]
    listed = [*shown.tolist(), *rest]
    records = [
        DecidedDesign(
            design=int(numbers[at]),
            parameters=study.space.parameters(int(numbers[at])),
            best=float(share[at]),
            meets=float(tally.met[at] / draws),
            expected=float(expected[at]) if tally.met[at] else None,
            greatest=float(greatest[at]) if tally.met[at] else None,
        )
        for at in [*listed[:_SHOWN], *(at for at in rest if at not in listed[:_SHOWN])]
    ]
    return Decision(
        rule=query.words,
        quantity=query.quantity,
        sense=query.sense,
        draws=draws,
        unanswered=draws - tally.answered,
        values=_values(study, numbers, share),
        designs=records,
        relative=tally.relative,
        holding=_holding(numbers, tally.winners, answered),
        meets=meets,
        robust=None if robust is None else int(numbers[robust]),
        cautious=None if cautious is None else int(numbers[cautious]),
    )


def _values(study: Study, numbers: np.ndarray, share: np.ndarray) -> dict[str, dict[str, float]]:
    """Return the probability of each value of what designs differ in, the most probable first."""
    space, kinds = study.space, kinds_of(study)
    probabilities: dict[str, dict[str, float]] = {}

    def add(name: str, value: str, probability: float) -> None:
        own = probabilities.setdefault(name, {})
        own[value] = own.get(value, 0.0) + probability

    choices = list(study.spec.space.choices)
    best = np.flatnonzero(share > 0)
    for index, here in space.by_product(numbers[best]):
        product, own = space.products[index], share[best[here]]
        whole = float(own.sum())
        if len(space.products) > 1:
            add("alternative", product.name, whole)
        for choice in choices:
            add(choice, kinds.get(product.name, {}).get(choice, ""), whole)
        rows = space.decode(index, numbers[best[here]])
        for axis, row in zip(product.axes, rows, strict=True):
            if len(axis) > 1:
                sums = np.bincount(row, weights=own, minlength=len(axis))
                for at in np.flatnonzero(sums > 0):
                    add(axis.name, axis.label(int(at)), float(sums[at]))
    return {
        name: dict(sorted(own.items(), key=lambda pair: -pair[1]))
        for name, own in probabilities.items()
        if len(own) > 1 or _several(study, name)
    }


def _several(study: Study, name: str) -> bool:
    products = study.space.products
    if name == "alternative" or name in study.spec.space.choices:
        return len(products) > 1
    return any(axis.name == name and len(axis) > 1 for product in products for axis in product.axes)


def _holding(numbers: np.ndarray, winners: Sequence[np.ndarray], answered: int) -> list[int]:
    """Return designs that hold a best one in 95 % of the draws that have any, taken greedily."""
    if not winners:
        return []
    left = np.concatenate(winners, axis=1)
    wanted, held, taken = _HOLDING * answered, 0, []
    while held < wanted and left.shape[1]:
        counts = left.sum(axis=1)
        at = int(np.argmax(counts))
        if not counts[at]:
            break
        held += int(counts[at])
        taken.append(int(numbers[at]))
        left = left[:, ~left[at]]
    return taken
