"""A part of a space of which no design meets the limits: which limit stands in the way, and by how much."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from dse.analysis.why.space_part import SpacePart
from dse.evaluation.problem import Problem
from dse.search.start.violation import amount_missed

__all__ = ["Infeasible", "Limit", "infeasible_part"]

_ALL, _AT_ONCE = 500_000, 8_192  # designs that are all looked at; evaluated at once


class Limit(TypedDict):
    """A limit that designs of a part break.

    `broken`: how many break it. `least`: the least that one of those misses it by which meet all other limits (as
    `dse.search.start.violation.amount_missed` counts it), `appears_at`: what the limit would have to be for that one,
    SI; None where none meets all others, or the limit compares no numbers.
    """

    text: str
    broken: int
    least: float | None
    appears_at: float | None
    unit: str
    design: int | None


class Infeasible(TypedDict):
    """Why nothing of a part is feasible: its limits, the one most designs break first, and the nearest design.

    `violation`: the least that the limit missed most is missed by, over all designs. `looked_at`: how many designs that
    is known of; all, or an even sample.
    """

    limits: list[Limit]
    violation: float
    design: int
    looked_at: int
    every: bool


def infeasible_part(part: SpacePart) -> Infeasible:
    """Find out why no design of a part is feasible.

    Parameters
    ----------
    part : SpacePart
        Without a feasible design.
    """
    problem = part.problem
    size = problem.space.size
    every = size <= _ALL
    numbers = np.arange(size) if every else np.unique(np.linspace(0, size - 1, _ALL).astype(np.int64))
    places = [constraint.place for constraint in problem.constraints]
    missed = np.zeros((len(places), len(numbers)))
    left = np.full((len(places), len(numbers)), np.nan)
    units = [""] * len(places)
    for begin in range(0, len(numbers), _AT_ONCE):
        _look(problem, numbers[begin : begin + _AT_ONCE], begin, places, missed, left, units)
    whole = part.numbers(numbers)
    limits: list[Limit] = []
    for row, constraint in enumerate(problem.constraints):
        broken = missed[row] > 0
        if not broken.any():
            continue
        others = np.flatnonzero(broken & ~(np.delete(missed, row, axis=0) > 0).any(axis=0))
        nearest = int(others[missed[row, others].argmin()]) if len(others) else None
        limits.append(
            {
                "text": constraint.text,
                "broken": int(broken.sum()),
                "least": None if nearest is None else float(missed[row, nearest]),
                "appears_at": None if nearest is None or np.isnan(left[row, nearest]) else float(left[row, nearest]),
                "unit": units[row],
                "design": None if nearest is None else int(whole[nearest]),
            }
        )
    limits.sort(key=lambda limit: -limit["broken"])
    most = missed.max(axis=0)
    best = int(most.argmin())
    return {
        "limits": limits,
        "violation": float(most[best]),
        "design": int(whole[best]),
        "looked_at": len(numbers),
        "every": every,
    }


def _look(
    problem: Problem,
    numbers: np.ndarray,
    begin: int,
    places: list[int],
    missed: np.ndarray,
    left: np.ndarray,
    units: list[str],
) -> None:
    """Note by how much designs miss each limit, and what stands on its side that is no constant."""
    for record in problem.quantities(numbers):
        values, at = record["values"], record["positions"] + begin
        for constraint in problem.systems[record["product"]].constraints:
            row = places.index(constraint.place)
            missed[row, at] = amount_missed(constraint, values, len(at))
            sides = constraint.expression.sides
            if sides is None or sides[1] in ("!=", "==") or "text" in (sides[0].unit, sides[2].unit):
                continue
            varies, fixed = (sides[0], sides[2]) if sides[2].is_constant else (sides[2], sides[0])
            if fixed.is_constant:
                left[row, at] = np.broadcast_to(np.asarray(varies.compute(values), dtype=float).reshape(-1), len(at))
                units[row] = varies.unit
