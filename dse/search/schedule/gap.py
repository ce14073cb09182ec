"""How far a search that was stopped may be from the frontier: what its open boxes still allow.

R are the designs that were found (feasible, none beats another), L the lower bounds of the boxes that are still open.
Every design is evaluated, beaten or equalled by one of R, infeasible, or in an open box. So

    cover      r such that every L has a d in R with d <= shift_r(L): then R covers the whole space within r
    possible   least of what was found and of all L: no design of the space is below
    proved     the members of R that no L equals or beats in all objectives: they are on the frontier

All values are to be minimised here, and shift is that of `dse.search.account.tolerance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dse.evaluation.problem import Problem
from dse.search.account.certificate import FoundAndPossible, Gap
from dse.search.account.tolerance import Tolerance
from dse.search.frontier.cover import any_no_worse
from dse.search.frontier.pareto import nondominated
from dse.search.frontier.prefilter import Prefilter

__all__ = ["LEVELS", "Remaining", "classes_of", "describe_gap", "least_bounds", "relative"]

_PARTS = (1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
LEVELS = (*(round(part * 10.0**power, 12) for power in range(-3, 2) for part in _PARTS), 100.0)
"""What a cover may be told as, from 0.1 % to 100 times."""

_CLASSES = LEVELS[::3]
_PAIRS = 100_000_000
_PIECE = 100_000
_TABLE = 1_000_000


class Remaining:
    """What a search that was stopped has still to look at.

    Attributes
    ----------
    boxes, designs : int
        How many boxes (chunks, where nothing is bounded) and how many designs.
    lower : (n, d) ndarray or None
        The bounds that matter of all boxes, to be minimised; None where something is open that has none.
    waiting : sequence of int
        The products that were not begun.
    begun : (n, d) ndarray or None
        With some that wait, the bounds that matter of those that were begun; None where something there has none.
    """

    def __init__(
        self,
        boxes: int,
        designs: int,
        lower: np.ndarray | None,
        waiting: Sequence[int] = (),
        begun: np.ndarray | None = None,
    ) -> None:
        self.boxes, self.designs, self.lower = boxes, designs, lower
        self.waiting, self.begun = waiting, begun


def relative(names: Sequence[str], share: float) -> Tolerance:
    """Return the same share of every objective as a tolerance."""
    return Tolerance(tuple(names), ("relative",) * len(names), (share,) * len(names))


def classes_of(names: Sequence[str], prefilter: Prefilter, lower: np.ndarray) -> np.ndarray:
    """Return the class of the gap of some boxes: how far their bounds must be shifted until the filter drops them.

    It orders boxes and proves nothing. 0 is the nearest class.
    """
    low, high = np.zeros(len(lower), dtype=np.int64), np.full(len(lower), len(_CLASSES), dtype=np.int64)
    finite = np.isfinite(lower).all(axis=1)
    low[~finite] = len(_CLASSES)
    if prefilter.cells is None:
        return np.full(len(lower), len(_CLASSES), dtype=np.int64)
    while (undecided := np.flatnonzero(low < high)).size:
        middle = (low[undecided] + high[undecided]) // 2
        for level in np.unique(middle).tolist():
            here = undecided[middle == level]
            passing = prefilter.may_pass(list(relative(names, _CLASSES[level]).shift(lower[here]).T))
            low[here[passing]] = level + 1
            high[here[~passing]] = level
    return low


def least_bounds(parts: Iterable[np.ndarray], objectives: int) -> np.ndarray | None:
    """Return the bounds that no other beats or equals: what holds of these holds of all; None where one is none."""
    least = np.empty((0, objectives))
    for part in parts:
        for begin in range(0, len(part), _PIECE):
            piece = part[begin : begin + _PIECE]
            if not np.isfinite(piece).all():
                return None
            both = np.concatenate([least, piece])
            least = both[nondominated(both, keep_ties=False)]
    return least


def describe_gap(
    problem: Problem, points: np.ndarray, numbers: np.ndarray, remaining: Remaining, tolerance: Tolerance | None
) -> Gap:
    """Return what can be said of a search that was stopped, as it stands in a certificate.

    Parameters
    ----------
    problem : Problem
    points : (n, d) ndarray
        What was found, to be minimised.
    numbers : (n,) ndarray of int64
        The designs.
    remaining : Remaining
    tolerance : Tolerance or None
        Where designs were left out that are within it of what was found.
    """
    names = [objective.quantity for objective in problem.objectives]
    least = points.min(axis=0) if len(points) else np.full(len(names), np.nan)
    possible = np.full(len(names), np.nan)
    if remaining.lower is not None:
        bounds = [remaining.lower, *([_before(tolerance, least)] if len(points) else [])]
        every = np.concatenate(bounds)
        possible = every.min(axis=0) if len(every) else possible
    objectives: dict[str, FoundAndPossible] = {}
    for place, (name, sign) in enumerate(zip(names, problem.signs, strict=True)):
        objectives[name] = {"found": _finite(least[place] * sign), "possible": _finite(possible[place] * sign)}
    proved: list[int] = []
    if remaining.lower is not None and tolerance is None and len(points):
        proved = numbers[~any_no_worse(remaining.lower, points.T)].tolist()
    gap: Gap = {
        "cover": _cover(names, points, remaining.lower, tolerance),
        "open": {
            "boxes": remaining.boxes,
            "designs": remaining.designs,
            "share": remaining.designs / problem.space.size,
        },
        "objectives": objectives,
        "proved": proved,
    }
    products = problem.space.products
    if remaining.waiting and len(products) > 1:
        gap["waiting"] = [products[index].name or f"alternative {index + 1}" for index in remaining.waiting]
        gap["begun"] = dict.fromkeys(names)
        if remaining.begun is not None and tolerance is None:
            every = np.concatenate([remaining.begun, points]) if len(points) else remaining.begun
            best = every.min(axis=0) if len(every) else possible
            signed = zip(names, problem.signs, best.tolist(), strict=True)
            gap["begun"] = {name: _finite(value * sign) for name, sign, value in signed}
    return gap


def _finite(value: float) -> float | None:
    return float(value) + 0.0 if np.isfinite(value) else None


def _before(tolerance: Tolerance | None, least: np.ndarray) -> np.ndarray:
    """Return, as one row, what designs that were left out may have at least, beside the least that was found."""
    if tolerance is None:
        return least[None, :]
    worst = tolerance.shift(least[None, :])[0]
    row = np.empty(len(least))
    for place, (own, value) in enumerate(zip(worst, least, strict=True)):
        if tolerance.kinds[place] == "relative":
            share = 1.0 + tolerance.amounts[place]
            row[place] = value / share if value > 0 else value * share
        else:
            row[place] = value - (own - value)
        row[place] -= 4 * np.spacing(abs(row[place]) + abs(value))  # the way back is not exact
    return row[None, :]


def _cover(
    names: Sequence[str], points: np.ndarray, lower: np.ndarray | None, tolerance: Tolerance | None
) -> float | None:
    """Return the first level within which the designs cover all bounds, and what was left out; None where none does."""
    if lower is None or not len(points):
        return None
    table = Prefilter(len(names), entries=_TABLE if len(names) > 1 else 1)
    table.rebuild(points)
    low, high, bounds = 0, len(LEVELS), lower
    while low < high:
        middle = (low + high) // 2
        uncovered = _uncovered(relative(names, LEVELS[middle]).shift(bounds), points, table)
        if uncovered.any():
            low, bounds = middle + 1, bounds[uncovered]
        else:
            high = middle
    if low == len(LEVELS):
        return None
    given = [amount for kind, amount in zip(*_kinds(tolerance), strict=True) if kind == "relative"]
    return max(LEVELS[low], *given, 0.0)


def _kinds(tolerance: Tolerance | None) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return (tolerance.kinds, tolerance.amounts) if tolerance is not None else ((), ())


def _uncovered(limits: np.ndarray, points: np.ndarray, table: Prefilter) -> np.ndarray:
    """Tell which limits no point is known to be within; where they are too many, some count that are covered."""
    uncovered = np.array(np.broadcast_to(table.may_pass(list(limits.T)), len(limits)))
    rows = np.flatnonzero(uncovered)
    if len(rows) * len(points) <= _PAIRS:
        uncovered[rows] = ~any_no_worse(points, np.ascontiguousarray(limits[rows].T))
    return uncovered
