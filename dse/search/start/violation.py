"""By how much designs miss their limits: one number per design, so that a search can walk towards what is feasible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.evaluation.problem import Constraint
from dse.graph.expression import Node

__all__ = ["amount_missed", "total_violation"]

_LEAST = 1e-9  # a limit that is missed by nothing that can be told, such as x < 1 at x = 1


def total_violation(constraints: Sequence[Constraint], values: Mapping[str, object], count: int) -> np.ndarray:
    """Return the sum of what some designs of one alternative miss its constraints by; 0 where all are met.

    Requirements of models are among the constraints. One that an alternative lacks is in no list of it, and adds
    nothing there.

    Parameters
    ----------
    constraints : sequence of Constraint
        Those of the alternative.
    values : dict
        Their truths and what they read: arrays of one entry, or of one per design.
    count : int
        Designs.
    """
    total = np.zeros(count)
    for constraint in constraints:
        total += amount_missed(constraint, values, count)
    return total


def amount_missed(constraint: Constraint, values: Mapping[str, object], count: int) -> np.ndarray:
    """Return by how much some designs miss a constraint: 0 where it is met, above 0 where it is not.

    Notes
    -----
    Of ``left <= right``, and of ``==`` alike, with two positive sides: ``|log(left / right)|``. Else the difference
    over the size of the constant side; where no side is a constant, over the larger of both; where the constant is 0,
    ``log(1 + difference)``. What has no two sides that are numbers (``and``, ``or``, ``not``, texts), and ``!=``: 1. An
    amount that is not a number is infinite.
    """
    met = np.broadcast_to(np.asarray(values[constraint.quantity], dtype=bool).reshape(-1), count)
    missed = np.flatnonzero(~met)
    amounts = np.zeros(count)
    if not len(missed):
        return amounts
    sides = constraint.expression.sides
    if sides is None or sides[1] == "!=" or "text" in (sides[0].unit, sides[2].unit):
        amounts[missed] = 1.0
        return amounts
    left, right = (_numbers(side, values, count)[missed] for side in (sides[0], sides[2]))
    with np.errstate(all="ignore"):
        amount = np.where((left > 0) & (right > 0), np.abs(np.log(left / right)), _difference(sides, left, right))
    amounts[missed] = np.where(np.isnan(amount), np.inf, np.maximum(amount, _LEAST))
    return amounts


def _difference(sides: tuple[Node, str, Node], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    apart = np.abs(left - right)
    if sides[2].is_constant:
        scale = np.abs(right)
    elif sides[0].is_constant:
        scale = np.abs(left)
    else:
        scale = np.maximum(np.abs(left), np.abs(right))
    result: np.ndarray = np.where(scale > 0, apart / scale, np.log1p(apart))
    return result


def _numbers(side: Node, values: Mapping[str, Any], count: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(side.compute(values), dtype=float).reshape(-1), count)
