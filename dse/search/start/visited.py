"""What a search without a bound has looked at: each design is evaluated once, every feasible one kept in mind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dse.evaluation.problem import Evaluated, Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.search.start.violation import total_violation

__all__ = ["Looked", "Visited", "look_at"]

Looked = tuple[np.ndarray, np.ndarray, int]
"""Points and amounts of some designs (`Visited`), and how many meet all limits without a finite objective."""

_PIECE = 65_536  # designs of one call


class Visited:
    """What is known of the designs that were looked at.

    Parameters
    ----------
    problem : Problem
    limit : int, optional
        The most designs that are evaluated.
    tick : callable, optional
        Called with how many designs were evaluated.
    look_at : callable, optional
        Evaluates designs, in other processes perhaps. Default: `look_at` of the problem.

    Attributes
    ----------
    numbers : (n,) ndarray of int64
        In rising order.
    points : (n, objectives) ndarray
        To be minimised; not a number where a design is infeasible.
    amounts : (n,) ndarray
        By how much limits are missed (`dse.search.start.violation`): 0 where a design is feasible, infinite where an
        objective or an amount is not finite.
    archive : Archive
        The feasible ones that no other beats.
    not_finite : int
        Designs that meet every limit and have an objective that is not finite.
    """

    def __init__(
        self,
        problem: Problem,
        limit: int | None = None,
        tick: Callable[[int], None] | None = None,
        look_at: Callable[[np.ndarray], Looked] | None = None,
    ) -> None:
        count = len(problem.objectives)
        self.problem = problem
        self.limit = problem.space.size if limit is None else min(limit, problem.space.size)
        self.numbers = np.empty(0, dtype=np.int64)
        self.points = np.empty((0, count))
        self.amounts = np.empty(0)
        self.archive = Archive(count, Prefilter(count))
        self.not_finite = 0
        self._tick = tick
        self._look_at = look_at or self._look_here

    @property
    def left(self) -> int:
        """How many more designs may be evaluated."""
        return self.limit - len(self.numbers)

    def look(self, numbers: np.ndarray) -> bool:
        """Evaluate those of some designs that are new; return whether there was room for all of them."""
        fresh = np.unique(numbers)
        fresh = fresh[~self._known(fresh)]
        whole = len(fresh) <= self.left
        if not whole:  # evenly over the space: the first ones would be of the first alternatives
            fresh = fresh[np.linspace(0, len(fresh) - 1, self.left).round().astype(np.int64)]
        for begin in range(0, len(fresh), _PIECE):
            self._evaluate(fresh[begin : begin + _PIECE])
        return whole

    def known(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the points of designs that were looked at, and by how much they miss limits, all finite.

        One whose amount is infinite counts as the worst of all that were met.
        """
        at = np.searchsorted(self.numbers, numbers)
        amounts = self.amounts[at]
        finite = self.amounts[np.isfinite(self.amounts)]
        worst = max(1.0, float(finite.max(initial=0.0)))
        return self.points[at], np.where(np.isfinite(amounts), amounts, worst)

    def _known(self, numbers: np.ndarray) -> np.ndarray:
        at = np.searchsorted(self.numbers, numbers)
        inside = at < len(self.numbers)
        inside[inside] = self.numbers[at[inside]] == numbers[inside]
        return np.asarray(inside)

    def _look_here(self, numbers: np.ndarray) -> Looked:
        return look_at(self.problem, numbers)

    def _evaluate(self, numbers: np.ndarray) -> None:
        points, amounts, not_finite = self._look_at(numbers)
        at = np.searchsorted(self.numbers, numbers)
        self.numbers = np.insert(self.numbers, at, numbers)
        self.points = np.insert(self.points, at, points, axis=0)
        self.amounts = np.insert(self.amounts, at, amounts)
        self.not_finite += not_finite
        good = amounts == 0.0
        self.archive.add(points[good], numbers[good])
        if self._tick is not None:
            self._tick(len(numbers))


def look_at(problem: Problem, numbers: np.ndarray) -> Looked:
    """Evaluate designs, those of each alternative together."""
    space = problem.space
    points = np.full((len(numbers), len(problem.objectives)), np.nan)
    amounts = np.zeros(len(numbers))
    not_finite = 0
    for index, here in space.by_product(numbers):
        product, system, count = space.products[index], problem.systems[index], len(here)
        wanted = [name for name in problem.results(index) if name in system.graph.units or name in system.graph.inputs]
        wanted += [constraint.quantity for constraint in system.constraints]
        wanted += [name for name in system.graph.unsigned if name in system.graph.units]
        inputs = flat_inputs(system.graph, product, system.assumptions, space.decode(index, numbers[here]))
        with np.errstate(all="ignore"):
            values = system.graph.evaluate(inputs, list(dict.fromkeys(wanted)))
            missed = total_violation(system.constraints, values, count)
        own = np.empty((count, len(problem.objectives)))
        for column, objective in enumerate(problem.objectives):
            value = np.asarray(values[objective.quantity], dtype=float).reshape(-1)
            own[:, column] = np.broadcast_to(value, count) * objective.sign + 0.0
        odd = (missed == 0.0) & ~np.isfinite(own).all(axis=1)
        not_finite += int(odd.sum())
        missed[odd] = np.inf
        record: Evaluated = {"product": index, "positions": here, "values": values}
        problem.refuse_negatives(record, numbers[here], missed == 0.0)
        own[missed > 0.0] = np.nan
        points[here], amounts[here] = own, missed
    return points, amounts, not_finite
