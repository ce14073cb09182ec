"""One design of every alternative, evaluated before a run: what fails shows, and what models warn of is told.

Told is also what assumptions leave out (`neglects`) where a study keeps their defaults: the power of the store, say.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from dse.authoring.declare.requirement import Requirement
from dse.authoring.table import Table
from dse.errors import ModelError
from dse.evaluation.problem import Evaluated, Problem
from dse.graph.expression import names_in, parse
from dse.graph.indexed_names import base_name
from dse.run.disk.manifest import LEFT_OUT
from dse.study.build.requirements import warnings_of
from dse.study.study import Study
from dse.units import with_unit

__all__ = ["LARGEST", "random_designs", "tried", "warnings_at"]

LARGEST = 1000  # alternatives of which a design is evaluated
_LOOKED_AT = 300  # designs of an alternative whose warnings are looked for


def random_designs(problem: Problem) -> list[int]:
    """Return the number of a random design of every alternative, or of `LARGEST` of them."""
    rng = np.random.default_rng([problem.seed, 2])
    products = range(len(problem.space.products))
    chosen = products if len(products) <= LARGEST else sorted(rng.choice(len(products), LARGEST, replace=False))
    return [int(problem.space.offsets[i] + rng.integers(problem.space.products[i].size)) for i in chosen]


def tried(study: Study) -> list[int]:
    """Evaluate a random design of every alternative, and return their numbers.

    What looks rows of axes up in tables is asked for all of them: a price list may lack a single part.

    Raises
    ------
    ModelError, InputError
        A formula fails, with its file and line; an objective of a feasible design is not finite, or a quantity
        negative.
    """
    problem = study.compiled
    _look_up_every_row(problem)
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


def _look_up_every_row(problem: Problem) -> None:
    """Ask each function that reads a table, and else only what axes and the study give, for every row of its axes.

    Raises
    ------
    InputError
        A row that the table does not have.
    """
    seen: set[tuple[Hashable, ...]] = set()
    for product, system in zip(problem.space.products[:LARGEST], problem.systems, strict=False):
        columns = {name: (axis, values) for axis in product.axes for name, values in axis.columns.items()}
        alone = {name: np.array([value]) for name, value in {**system.assumptions, **product.fixed}.items()}
        for function in system.graph.functions:
            needs = function.needs
            if not any(isinstance(product.tables.get(need), Table) for need in needs):
                continue
            if not all(need in columns or need in alone or need in product.tables for need in needs):
                continue
            rows = max((len(columns[need][1]) for need in needs if need in columns), default=1)
            arguments = [
                product.tables[need]
                if need in product.tables
                else np.resize(columns[need][1], rows)
                if need in columns
                else alone[need]
                for need in needs
            ]
            key = (id(function), *(id(columns[n][0]) if n in columns else repr(alone.get(n)) for n in needs))
            if rows > 1 and key not in seen:
                seen.add(key)
                function.function(*arguments)


def warnings_at(study: Study, numbers: Sequence[int] | np.ndarray) -> list[str]:
    """Return what the models warn of at some designs: once each, with how many of the alternatives it holds for.

    Of each alternative a few hundred designs are looked at.
    """
    problem, cautions = study.compiled, warnings_of(study.models)
    chosen = np.asarray(numbers, dtype=np.int64)
    spread = [here[:: -(-len(here) // _LOOKED_AT)] for _, here in problem.space.by_product(chosen) if len(here)]
    if not spread:
        return []
    left_out = _left_out(study, chosen)
    if not cautions:
        return left_out
    broken: dict[str, list[str]] = {}
    for record in problem.quantities(np.sort(np.concatenate([chosen[here] for here in spread]))):
        for item in cautions:
            if _is_broken(item, problem, record):
                broken.setdefault(f"{item.doc} ({item.label})", []).append(
                    problem.space.products[record["product"]].name
                )
    return [
        text + (f": {len(names)} of {len(spread)} alternatives" if len(names) < len(spread) else "")
        for text, names in broken.items()
    ] + left_out


def _left_out(study: Study, numbers: np.ndarray) -> list[str]:
    """Return what the defaults that the objectives depend on leave out, in one line."""
    problem = study.compiled
    neglects = {item.name: item for model in study.models for item in model.assumptions.values() if item.neglects}
    places = [index for index, here in problem.space.by_product(numbers) if len(here)]
    counts: dict[str, int] = {}
    for index in places:
        for name in dict.fromkeys(base_name(assumption) for assumption in problem.systems[index].assumptions):
            if name in neglects:
                counts[name] = counts.get(name, 0) + 1
    words = []
    for name, count in counts.items():
        item = neglects[name]
        where = f" in {count} of {len(places)} alternatives" if count < len(places) else ""
        words.append(f"{item.neglects} ({name} = {with_unit(item.value, item.unit)}{where})")
    return [f"{LEFT_OUT}: {', '.join(words)}"] if words else []


def _is_broken(item: Requirement, problem: Problem, record: Evaluated) -> bool:
    """Tell whether any design breaks a condition whose quantities are computed for the study anyway."""
    units = problem.systems[record["product"]].graph.units
    if not units.keys() >= {*names_in(item.condition)}:
        return False
    condition = parse(item.condition, units)
    if condition.unit != "bool":
        raise ModelError(f"the requirement {item.label}: '{item.condition}' is no condition on quantities")
    return not np.all(condition(*(record["values"][need] for need in condition.needs)))
