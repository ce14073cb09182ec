"""Choosing one design of a frontier when no single quantity decides: knee, weights, lexicographic order.

Objectives are compared after scaling each to 0 at its best and 1 at its worst on the frontier, so that units do not
matter. Limits come before the choice: those that a finished frontier cannot answer search the space again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.pick import (
    FROM_FRONTIER,
    Choice,
    limits_of,
    meets,
    records_of,
    search_within,
    why_search_again,
)
from dse.analysis.choose.rounding import settled
from dse.errors import InputError
from dse.search.frontier.pareto import to_minimise

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["choose_design", "knee_row", "rows_of", "scaled_objectives", "scaled_points"]


def scaled_objectives(values: np.ndarray, senses: Sequence[str]) -> np.ndarray:
    """Scale each column to 0 at its best and 1 at its worst; a column with one value, but for rounding, is 0."""
    return scaled_points(settled(to_minimise(values, senses)))


def scaled_points(points: np.ndarray) -> np.ndarray:
    """Scale points to be minimised, column by column, as `scaled_objectives` does."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = points - low
    scaled /= np.where(high > low, high - low, 1.0)
    return np.asarray(scaled)


def knee_row(values: np.ndarray, senses: Sequence[str]) -> int:
    """Return the row that lies farthest below the plane through the best designs of the objectives.

    In scaled objectives that plane is "sum = 1", so the knee has the least sum; the first row wins a tie.
    """
    return int(np.argmin(scaled_objectives(values, senses).sum(axis=1)))


def choose_design(
    run: Run,
    method: str,
    *,
    where: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    order: Sequence[str] = (),
    tolerance: float = 0.0,
) -> Choice:
    """Choose a design by all objectives together.

    Parameters
    ----------
    run : Run
    method : {"knee", "weights", "lexicographic"}
    where : sequence of str
        Limits the design must meet.
    weights : dict of str to float
        For "weights": how much each objective counts; the least weighted sum of scaled objectives wins.
    order : sequence of str
        For "lexicographic": objectives by importance.
    tolerance : float
        For "lexicographic": designs within this fraction of the best in one objective go on to the next.
    """
    senses = {o["quantity"]: o["sense"] for o in run.objectives}
    _check(senses, weights, order, tolerance, method)
    limits = limits_of(run, where)
    reason = why_search_again(limits, senses)
    again, why, evaluated = reason is not None, reason or FROM_FRONTIER, 0
    if again:
        other = search_within(run, where, f"--{method}")
        frame, evaluated = other.frontier, other.manifest.certificate.evaluated
        validations = other.validation_columns
    else:
        frame, validations = run.frontier[meets(run.frontier, limits)], run.validation_columns
    if not len(frame):
        return Choice(False, [], again, why, evaluated, "")
    values = frame[list(senses)].to_numpy(dtype=float)
    rows, rule = rows_of(values, list(senses), list(senses.values()), method, weights or {}, order, tolerance)
    return Choice(True, records_of(frame.iloc[rows], validations), again, why, evaluated, rule)


def _check(
    senses: Mapping[str, str], weights: Mapping[str, float] | None, order: Sequence[str], tolerance: float, method: str
) -> None:
    for key, names in (("--weights", list(weights or {})), ("--order", list(order))):
        for name in names:
            if name not in senses:
                raise InputError(
                    f"'{name}' is no objective", key=key, allowed=list(senses), wrong=name, candidates=senses
                )
    if method == "weights":
        if not weights or any(not np.isfinite(w) or w < 0 for w in weights.values()) or not any(weights.values()):
            raise InputError("weights must be >= 0, one of them > 0", key="--weights", allowed="run_time=2,energy=1")
    elif method == "lexicographic":
        if not order or len(set(order)) != len(order):
            raise InputError("the order needs each objective once", key="--order", allowed=list(senses))
        if not 0 <= tolerance < 1:
            raise InputError(f"the tolerance is {tolerance:g}", key="--within", allowed="0 to 1, such as 0.05")
    elif method != "knee":
        raise InputError(f"unknown method '{method}'", allowed=["knee", "weights", "lexicographic"])


def rows_of(
    values: np.ndarray,
    names: Sequence[str],
    senses: Sequence[str],
    method: str,
    weights: Mapping[str, float],
    order: Sequence[str],
    tolerance: float,
) -> tuple[list[int], str]:
    """Return the rows of some objectives that a method of `choose_design` picks, and the rule in words."""
    if method == "lexicographic":
        points = settled(to_minimise(values, senses))
        rows = np.arange(len(points))
        for name in order:
            column = points[rows, names.index(name)]
            best = column.min()
            rows = rows[column <= best + tolerance * abs(best)]
        rule = "best by " + ", then ".join(order) + (f", within {100 * tolerance:g} % each" if tolerance else "")
        return [int(row) for row in rows], rule
    scaled = scaled_objectives(values, senses)
    if method == "weights":
        total = sum(weights.values())
        share = np.array([weights.get(name, 0.0) / total for name in names])
        shares_text = ", ".join(f"{name} {100 * s:.0f} %" for name, s in zip(names, share, strict=True))
        score, rule = scaled @ share, f"least weighted sum of objectives scaled to the frontier: {shares_text}"
    else:
        score, rule = (
            scaled.sum(axis=1),
            "knee, where the frontier bends most",
        )
    return [int(row) for row in np.flatnonzero(score == score.min())], rule
