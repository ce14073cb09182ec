"""Constraints as lines of a plot: those that hold a quantity on one side of a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dse.evaluation.problem import Problem

__all__ = ["LimitLine", "limit_lines"]

_TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


class LimitLine(NamedTuple):
    """A constraint ``quantity relation value``, the value in SI, and the constraint as it is written."""

    quantity: str
    relation: str
    value: float
    text: str


def limit_lines(problem: Problem) -> tuple[LimitLine, ...]:
    """Return the constraints of a problem that are lines over their quantity, each once."""
    lines: dict[LimitLine, None] = {}
    for system in problem.systems:
        for constraint in system.constraints:
            sides = constraint.expression.sides
            if sides is None or sides[1] not in _TURNED:
                continue
            left, relation, right = sides
            if left.is_constant:
                left, relation, right = right, _TURNED[relation], left
            if left.name and right.is_constant:
                value = float(np.asarray(right.compute({}), dtype=float).reshape(-1)[0])
                lines[LimitLine(left.name, relation, value, constraint.text)] = None
    return tuple(lines)
