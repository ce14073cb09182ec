"""How far laws of classes may be off, as standard deviations of logarithms: as declared, or as a study says instead."""

from __future__ import annotations

import math

from dse.evaluation.problem import Problem
from dse.evaluation.unknowns import Unknown
from dse.study.study import Study
from dse.study.uncertain.law_errors import law_errors

__all__ = ["law_spreads"]

_UNIFORM, _TRIANGULAR = math.sqrt(3.0), math.sqrt(6.0)  # half a width over the standard deviation


def law_spreads(problem: Problem, study: Study) -> dict[str, float]:
    """Return the standard deviation by the input or quantity that carries it.

    What the study says in ``[uncertain]`` of the input of a law's error, or of a quantity that it is a factor of,
    stands instead of the declared one.

    Parameters
    ----------
    problem : Problem
    study : Study
    """
    own = {unknown.quantity: unknown for unknown in study.unknowns.every if unknown.quantity in study.spec.uncertain}
    spreads: dict[str, float] = {}
    for name, error in law_errors(problem, study.declarations):
        said = [quantity for quantity in (name, *error.of) if quantity in own]
        spreads |= {quantity: _spread(own[quantity]) for quantity in said} or {name: error.spread}
    return spreads


def _spread(unknown: Unknown) -> float:
    """Return the standard deviation of the logarithm of an unknown, by its interval where it is told by one."""
    if unknown.distribution in ("normal", "lognormal"):
        return unknown.spread if unknown.relative or not unknown.nominal else unknown.spread / abs(unknown.nominal)
    half = (unknown.high - unknown.low) / 2.0
    if not unknown.relative and unknown.nominal:
        half /= abs(unknown.nominal)
    return half / (_TRIANGULAR if unknown.distribution == "triangular" else _UNIFORM)
