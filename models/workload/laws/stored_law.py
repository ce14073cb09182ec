"""A law as it stands in a file of laws, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dse.models.measured_laws.fitting.law import Alternative, Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, WARN_BEYOND, Parameter
from dse.models.measured_laws.fitting.terms import Factor, Term

__all__ = ["law_of", "stored"]


def stored(law: Law) -> dict[str, Any]:
    """Return the entry of a law: its terms, its rivals, and how well it foretells runs that were left out."""
    entry: dict[str, Any] = {"law": _terms(law), "error": float(f"{law.cross_validation_error:.3g}")}
    if any(any(row) for row in law.covariance):
        entry["covariance"] = [[float(f"{number:.6g}") for number in row] for row in law.covariance]
    rivals = [_terms(rival) for rival in _outermost(law)]
    if rivals:
        entry["band"] = rivals
    if law.measured:
        entry["measured"] = [[size, value] for size, value in law.measured]
    if law.warnings:
        entry["warnings"] = list(law.warnings)
    return entry


def law_of(
    entry: Mapping[str, Any],
    parameters: Sequence[Parameter],
    ranges: Sequence[tuple[float, float]],
    *,
    unit: str,
    runs: int,
    bounds: tuple[float, float],
) -> Law:
    """Return the law of an entry."""
    terms, coefficients = _read(entry["law"])
    return Law(
        terms=terms,
        coefficients=coefficients,
        cross_validation_error=float(entry["error"]),
        covariance=tuple(map(tuple, entry.get("covariance", [[0.0] * len(terms)] * len(terms)))),
        parameters=tuple(parameters),
        unit=unit,
        runs=runs,
        ranges=tuple(ranges),
        bounds=bounds,
        possible=tuple(Alternative(*_read(rival), float("nan")) for rival in entry.get("band", ())),
        measured=tuple((float(size), float(value)) for size, value in entry.get("measured", ())),
        warnings=tuple(entry.get("warnings", ())),
    )


def _outermost(law: Law) -> list[Alternative]:
    """Return the rivals that are the least or the greatest at the runs, or at 64 or 1,024 times the largest."""
    if not law.possible:
        return []
    ways = []
    for place, (low, high) in enumerate(law.ranges):
        low, high = law.parameters[place].coordinate(low), law.parameters[place].coordinate(high)
        along = np.array([low, high, high * WARN_BEYOND, high * REFUSE_BEYOND])
        ways.append(along)
    points = np.stack(np.meshgrid(*ways, indexing="ij"), axis=-1).reshape(-1, len(ways))
    rival_values = np.array([np.broadcast_to(rival.value(points), len(points)) for rival in law.possible])
    kept = sorted({*np.argmin(rival_values, axis=0).tolist(), *np.argmax(rival_values, axis=0).tolist()})
    return [law.possible[place] for place in kept]


def _terms(law: Alternative) -> list[Any]:
    return [
        [coefficient, *([str(factor.exponent), factor.logarithms] for factor in term.factors)]
        for coefficient, term in zip(law.coefficients, law.terms, strict=True)
    ]


def _read(terms: Sequence[Sequence[Any]]) -> tuple[tuple[Term, ...], tuple[float, ...]]:
    return (
        tuple(Term(tuple(Factor(Fraction(power), int(logs)) for power, logs in term[1:])) for term in terms),
        tuple(float(term[0]) for term in terms),
    )
