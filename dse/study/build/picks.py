"""The pick a study names under ``[answer]``: checked when the study is, so that it does not fail after the search."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.graph.expression import parse
from dse.study.build.declarations import Declarations
from dse.study.build.places import at
from dse.study.file.schema import StudySpec
from dse.units import TEXT

__all__ = ["refuse_bad_pick"]


def refuse_bad_pick(spec: StudySpec, declarations: Declarations, problem: Problem) -> None:
    """Refuse a pick by what is no quantity, no objective or no condition."""
    pick = spec.answer.pick
    if pick is None:
        return
    objectives = [objective.quantity for objective in problem.objectives]
    for kind, names in (("weights", pick.weights), ("order", pick.order)):
        for name in names:
            if name not in objectives:
                _refuse(f"'{name}' is no objective", f"answer.pick.{kind}", name, objectives)
    units = {**declarations.units, **declarations.computed}
    for product in problem.space.products:
        units |= {name: unit for axis in product.axes for name, unit in axis.units.items()}
    units |= problem.units
    for name, own in spec.quantities.items():
        with contextlib.suppress(InputError):  # of members of index sets, whose names only a system has
            units.setdefault(name, parse(own.expression, units, spec.quantities).unit)
    for kind, quantity in (("minimize", pick.minimize), ("maximize", pick.maximize)):
        if quantity is not None and units.get(quantity) in (None, TEXT, "table"):
            known = f"'{quantity}' is no number" if quantity in units else f"unknown quantity '{quantity}'"
            _refuse(known, f"answer.pick.{kind}", quantity, sorted(problem.units))
    for position, text in enumerate(pick.where):
        with at(f"answer.pick.where[{position}]"):
            if parse(text, units).unit != "bool":
                raise InputError(f"'{text}' is no condition", allowed="such as 'power <= 20 MW'")


def _refuse(problem: str, key: str, name: str, known: Sequence[str]) -> None:
    raise InputError(problem, key=key, allowed=list(known), wrong=name, candidates=known)
