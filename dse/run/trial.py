"""One design of every alternative, evaluated before a run: what fails shows, and what models warn of is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.authoring.requirement import Requirement
from dse.errors import ModelError
from dse.evaluation.problem import Evaluated, Problem
from dse.graph.expression import names_in, parse
from dse.study.requirements import warnings_of
from dse.study.study import Study

__all__ = ["LARGEST", "random_designs", "tried", "warnings_at"]

LARGEST = 1000  # alternatives of which a design is evaluated


def random_designs(problem: Problem) -> list[int]:
    """Return the number of a random design of every alternative, or of `LARGEST` of them."""
    rng = np.random.default_rng([problem.seed, 2])
    products = range(len(problem.space.products))
    chosen = products if len(products) <= LARGEST else sorted(rng.choice(len(products), LARGEST, replace=False))
    return [int(problem.space.offsets[i] + rng.integers(problem.space.products[i].size)) for i in chosen]


def tried(study: Study) -> list[int]:
    """Evaluate a random design of every alternative, and return their numbers.

    Raises
    ------
    ModelError, InputError
        A formula fails, with its file and line; an objective of a feasible design is not finite, or a quantity
        negative.
    """
    problem = study.compiled
    numbers = random_designs(problem)
    for number in numbers:
        (record,) = problem.quantities([number])
        system, values = problem.systems[record["product"]], record["values"]
        if all(np.all(values[constraint.quantity]) for constraint in system.constraints):
            for objective in problem.objectives:
                if not np.isfinite(np.asarray(values[objective.quantity], dtype=float)).all():
                    problem.refuse_non_finite(number, f"the objective '{objective.quantity}'")
            problem.refuse_negatives(record, np.array([number]))
    return numbers


def warnings_at(study: Study, numbers: Sequence[int] | np.ndarray) -> list[str]:
    """Return what the models warn of at some designs: once each, with how many of the alternatives it holds for."""
    problem, cautions = study.compiled, warnings_of(study.models)
    chosen = np.asarray(numbers, dtype=np.int64)
    alone = [chosen[here[:1]] for _, here in problem.space.by_product(chosen) if len(here)]
    if not cautions or not alone:
        return []
    broken: dict[str, list[str]] = {}
    for record in problem.quantities(np.sort(np.concatenate(alone))):
        for item in cautions:
            if _is_broken(item, problem, record):
                broken.setdefault(f"{item.doc} ({item.label})", []).append(
                    problem.space.products[record["product"]].name
                )
    return [
        text + (f": {len(names)} of {len(alone)} alternatives" if len(names) < len(alone) else "")
        for text, names in broken.items()
    ]


def _is_broken(item: Requirement, problem: Problem, record: Evaluated) -> bool:
    """Tell whether a design breaks a condition whose quantities are computed for the study anyway."""
    units = problem.systems[record["product"]].graph.units
    if not units.keys() >= {*names_in(item.condition)}:
        return False
    condition = parse(item.condition, units)
    if condition.unit != "bool":
        raise ModelError(f"the requirement {item.label}: '{item.condition}' is no condition on quantities")
    return not np.all(condition(*(record["values"][need] for need in condition.needs)))
