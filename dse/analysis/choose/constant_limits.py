"""The limits of a study that hold one quantity to a constant: "machine_power <= 40 MW"."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dse.graph.expression import Expression
from dse.study.study import Study

__all__ = ["ConstantLimit", "constant_limits", "limit_of"]

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class ConstantLimit:
    """A limit: the quantity, "<=" or ">=" (or "<", ">"), the constant (SI), its text, and the model that requires it.

    `required_by` is empty for a limit of the study.
    """

    quantity: str
    relation: str
    value: float
    text: str
    required_by: str = ""


def constant_limits(study: Study, quantities: Collection[str]) -> list[ConstantLimit]:
    """Return the limits of a study, and of its models, that hold some quantities to a constant.

    Parameters
    ----------
    study : Study
    quantities : collection of str
    """
    limits = []
    for constraint in study.compiled.constraints:
        limit = limit_of(constraint.expression, constraint.required_by)
        if limit is not None and limit.quantity in quantities:
            limits.append(limit)
    return limits


def limit_of(expression: Expression, required_by: str = "") -> ConstantLimit | None:
    """Return a condition as a limit, None where it is another kind of condition."""
    if expression.sides is None or expression.sides[1] not in _TURNED:
        return None
    left, relation, right = expression.sides
    if right.name and left.is_constant:
        left, right, relation = right, left, _TURNED[relation]
    if not left.name or not right.is_constant:
        return None
    value = np.asarray(right.compute({})).reshape(-1)[0]
    return ConstantLimit(left.name, relation, float(value), " ".join(expression.text.split()), required_by)
