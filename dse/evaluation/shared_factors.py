"""Factors that designs share and that an objective is a power of: they change no comparison in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.arithmetic.duck_array import StandIn
from dse.arithmetic.homogeneity import Degree, Logarithm
from dse.errors import InputError, ModelError
from dse.evaluation.affected import AffectedDesigns
from dse.evaluation.unknowns import UncertainProblem, factor_name
from dse.graph.graph import call

__all__ = ["deciding_nothing", "free_of"]


def free_of(unknown: UncertainProblem, designs: Sequence[AffectedDesigns]) -> dict[str, frozenset[str]]:
    """Return, by objective and by "limits", the quantities whose common factor compares no designs differently.

    An objective that is f^p x, with one p for all designs and x free of f, orders designs as x does. Limits are to be
    free of f themselves.

    Parameters
    ----------
    unknown : UncertainProblem
    designs : sequence of AffectedDesigns
        Those that are compared, by product.
    """
    free: dict[str, set[str]] = {name: set() for name in (*(o.quantity for o in unknown.problem.objectives), "limits")}
    for quantity, places in unknown.places.items():
        common = all(unknown.unknowns[at].relative and unknown.unknowns[at].scope == "shared" for at in places)
        positive = 1.0 + sum(unknown.unknowns[at].low * unknown.unknowns[at].weight for at in places) > 0.0
        if not (common and positive):
            continue
        degrees = [_degrees(unknown, own, quantity) for own in designs]
        for objective in unknown.problem.objectives:
            several = {own[objective.quantity] for own in degrees}
            if len(several) == 1 and None not in several:
                free[objective.quantity].add(quantity)
        if all(own["limits"] == 0.0 for own in degrees):
            free["limits"].add(quantity)
    return {name: frozenset(own) for name, own in free.items()}


def deciding_nothing(free: dict[str, frozenset[str]]) -> frozenset[str]:
    """Return the quantities whose factor decides nothing at all."""
    return frozenset.intersection(*free.values())


def _degrees(unknown: UncertainProblem, designs: AffectedDesigns, quantity: str) -> dict[str, float | None]:
    """Return the degree of each objective of some designs, and 0 of "limits" where all are free of the factor."""
    values = dict(designs.base)
    for name in unknown.entering(designs.index):
        values[name] = Degree(1.0 if name == factor_name(quantity) else 0.0)
    with np.errstate(all="ignore"):
        for function in designs.again:
            if any(need not in values for need in function.needs):
                continue
            try:
                values.update(call(function, values))
            except (ModelError, InputError):
                continue
    degrees: dict[str, float | None] = {}
    for objective in unknown.problem.objectives:
        value = values.get(objective.quantity)
        if value is None or isinstance(value, Logarithm):
            degrees[objective.quantity] = None
        else:
            degrees[objective.quantity] = value.degree if isinstance(value, Degree) else 0.0
    limits = [values.get(c.quantity) for c in unknown.problem.systems[designs.index].constraints]
    free = all(v is not None and (not isinstance(v, StandIn) or getattr(v, "degree", 1.0) == 0.0) for v in limits)
    degrees["limits"] = 0.0 if free else None
    return degrees
