"""The decision table: for each objective and the knee, which choice is best how probably, and what would flip it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.best_design import kinds_of
from dse.analysis.uncertainty.draws import common_draws
from dse.analysis.uncertainty.flips import flip_of
from dse.analysis.uncertainty.tally import Tally
from dse.evaluation.unknowns import UncertainProblem
from dse.run.result.how_sure import BestIn, Decided, What

if TYPE_CHECKING:
    from dse.study.study import Study

__all__ = ["decision_table", "design_labels"]

_DESIGNS = 20


def decision_table(
    study: Study, unknown: UncertainProblem, numbers: np.ndarray, counted: Tally, draws: int, seed: int
) -> list[Decided]:
    """Return what each objective and the knee decide.

    Parameters
    ----------
    study : Study
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Candidates.
    counted : Tally
        Of these draws.
    draws, seed : int
    """
    labels = design_labels(study, numbers)
    best = np.flatnonzero(counted.best.any(axis=0))
    parts = {(name, label) for name in labels for label in labels[name][best] if label}
    series = common_draws(unknown, parts, draws, seed)
    table = []
    objectives = [(objective.quantity, objective.sense) for objective in unknown.problem.objectives]
    if len(counted.best) > len(objectives):
        objectives.append(("", ""))
    for place, (quantity, sense) in enumerate(objectives):
        share = counted.best[place]
        winners = counted.first[place]
        what = []
        for name, own in labels.items():
            values = _probabilities(own, share)
            flip = None
            if len(values) > 1:
                drawn = np.where(winners >= 0, own[np.maximum(winners, 0)], "").astype(str)
                flip = flip_of(unknown, series, drawn)
            if values:
                what.append(What(name=name, values=values, flip=flip))
        order = np.lexsort([numbers, -share])[:_DESIGNS]
        designs = [BestIn(design=int(numbers[at]), share=float(share[at])) for at in order if share[at] > 0]
        unanswered = 1.0 - counted.answered / draws
        table.append(Decided(quantity=quantity, sense=sense, unanswered=unanswered, what=what, designs=designs))
    return table


def design_labels(study: Study, numbers: np.ndarray) -> dict[str, np.ndarray]:
    """Return the value of each design, by what designs differ in; empty where it has none."""
    space, kinds = study.space, kinds_of(study)
    choices = list(study.spec.space.choices)
    axes = [
        name
        for product in space.products
        for axis in product.axes
        if len(axis) > 1
        for name in (axis.name, axis.joined)
        if name
    ]
    several = ["alternative", *choices] if len(space.products) > 1 else []
    labels = {name: np.full(len(numbers), "", dtype=object) for name in dict.fromkeys([*several, *axes])}
    for index, here in space.by_product(numbers):
        product = space.products[index]
        if several:
            labels["alternative"][here] = product.name
        for choice in choices if several else ():
            labels[choice][here] = kinds.get(product.name, {}).get(choice, "")
        for axis, row in zip(product.axes, space.decode(index, numbers[here]), strict=True):
            for name in (axis.name, axis.joined):
                if name in labels:
                    labels[name][here] = np.array(axis.names(name) or [], dtype=object)[row]
    return labels


def _probabilities(labels: np.ndarray, share: np.ndarray) -> dict[str, float]:
    """Return the probability of each value, the most probable first."""
    here = np.flatnonzero((share > 0) & (labels != ""))
    if not len(here):
        return {}
    names, which = np.unique(labels[here].astype(str), return_inverse=True)
    sums = np.bincount(which, weights=share[here])
    order = np.lexsort([np.arange(len(names)), -sums])
    return {str(names[at]): float(min(1.0, sums[at])) for at in order}
