"""How many times worse than a frontier the best design of a class is that has none on it: the class factor.

It is the least over designs of the class of how many times one design of the frontier is better in every objective at
once. A descent gives an upper bound for little; where verdicts hang on it, the class is searched by itself, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dse.analysis.choose.constant_limits import limit_of
from dse.analysis.falsify.descent import lowest
from dse.analysis.falsify.verdict import class_factors
from dse.analysis.why.space_part import SpacePart
from dse.evaluation.problem import Problem
from dse.search.driver import SearchOptions, search

__all__ = ["BestOfClass", "ClassFactor"]

_STARTS = 16
_BROKEN = 1e6  # above every factor: a design that breaks limits comes after all that keep them, by how much it does
_OTHER = 10.0  # what a limit that is no comparison with a constant counts for
_SECONDS = 60.0  # of a search of the class


class ClassFactor(NamedTuple):
    """A class factor, the design of the class that has it, and whether no design of the class has a lower one."""

    factor: float
    design: int
    exact: bool


class BestOfClass:
    """The class factor of some products.

    Parameters
    ----------
    problem : Problem
        With positive objectives.
    products : sequence of int
    frontier : (n, objectives) ndarray
        All of it minimised.
    """

    def __init__(self, problem: Problem, products: Sequence[int], frontier: np.ndarray) -> None:
        self.problem, self.products, self.frontier = problem, list(products), frontier

    @cached_property
    def bound(self) -> ClassFactor | None:
        """What is met without a search, so the factor is no more; None where no design that keeps limits is met."""
        goals = self.problem.objectives
        wanted = [goal.quantity for goal in goals]
        wanted += [name for limit in self.problem.constraints for name in (limit.quantity, *limit.expression.needs)]
        (best,) = lowest(self.problem, self.products, list(dict.fromkeys(wanted)), self._behind, starts=_STARTS)
        return None if best is None or best.score >= _BROKEN else ClassFactor(best.score, best.design, exact=False)

    @cached_property
    def exact(self) -> ClassFactor | None:
        """What a search of the class finds; None where nothing is feasible, or it takes too long."""
        if not self.products:
            return None
        rows = {
            index: tuple(np.arange(len(axis)) for axis in self.problem.space.products[index].axes)
            for index in self.products
        }
        part = SpacePart("class", self.problem, rows)
        result = search(part.problem, SearchOptions(budget=_SECONDS))
        if not len(result.numbers) or result.certificate.stopped is not None:
            return None
        values = np.asarray(result.values, dtype=float).reshape(len(result.numbers), -1)
        factors = class_factors(self.frontier, _minimised(self.problem, list(values.T), len(values)))
        place = int(factors.argmin())
        return ClassFactor(float(factors[place]), int(part.numbers(result.numbers)[place]), exact=True)

    def _behind(self, values: Mapping[str, np.ndarray], aim_of: np.ndarray) -> np.ndarray:
        broken = np.ones(len(aim_of))
        for constraint in self.problem.constraints:
            if constraint.quantity in values:
                met = np.asarray(values[constraint.quantity], dtype=bool)
                limit = limit_of(constraint.expression)
                worse: float | np.ndarray = _OTHER
                if limit is not None and limit.quantity in values and limit.value > 0.0:
                    ratio = np.asarray(values[limit.quantity], dtype=float) / limit.value
                    worse = np.maximum(ratio, 1.0 / ratio)
                broken = broken * np.where(met, 1.0, worse)
        columns = [values[goal.quantity] for goal in self.problem.objectives]
        factors = class_factors(self.frontier, _minimised(self.problem, columns, len(aim_of)))
        return np.where(broken > 1.0, _BROKEN * broken, factors)


def _minimised(problem: Problem, columns: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Return objectives as columns that are all minimised."""
    turned = [
        column if goal.sense == "min" else 1.0 / column
        for goal, column in zip(problem.objectives, columns, strict=True)
    ]
    return np.stack([np.broadcast_to(column, (count,)) for column in turned], axis=1)
