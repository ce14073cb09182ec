"""What some models offer: their functions by what they give and the slots they fill, assumptions, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dse.authoring.declare.declaration import (
    Assumption,
    DocumentParameter,
    ModelFunction,
    Parameter,
    TableParameter,
)
from dse.authoring.library.library import Model
from dse.authoring.picture import Picture

__all__ = ["Offer", "givers_of", "offered"]


@dataclass(frozen=True)
class Offer:
    """What there is to choose from in some models, the same for all systems of a study."""

    functions: tuple[ModelFunction, ...]
    brought_by: dict[int, str]
    pictures: list[Picture]
    assumptions: dict[str, Assumption]
    rivals: dict[str, Assumption]
    declared: list[Parameter | Assumption]
    tables: dict[str, TableParameter | DocumentParameter]
    declared_names: set[str]
    givers: dict[str, list[ModelFunction]]
    members: dict[str, list[ModelFunction]]


@lru_cache(maxsize=8)
def offered(models: tuple[Model, ...]) -> Offer:
    """Put what some models offer in order, once: nobody writes to what is returned."""
    functions = tuple({id(f): f for model in models for f in model.functions}.values())
    assumptions: dict[str, Assumption] = {}
    rivals: dict[str, Assumption] = {}
    for model in models:
        for name, a in model.assumptions.items():
            known = assumptions.setdefault(name, a)
            if (known.value, known.unit) != (a.value, a.unit):
                rivals[name] = a
    declared: list[Parameter | Assumption] = [d for model in models for d in model.parameters.values()]
    declared += [d for model in models for d in model.assumptions.values()]
    tables = {name: table for model in models for name, table in model.tables.items()}
    members: dict[str, list[ModelFunction]] = {}
    for function in functions:
        if function.slot:
            members.setdefault(function.slot, []).append(function)
    return Offer(
        functions,
        {id(f): model.name for model in models for f in model.functions},
        [*{id(p): p for model in models for p in model.pictures}.values()],
        assumptions,
        rivals,
        declared,
        tables,
        {name for model in models for name in model.parameters} | set(tables),
        givers_of(functions),
        members,
    )


def givers_of(functions: Iterable[ModelFunction]) -> dict[str, list[ModelFunction]]:
    """Return the functions that give each quantity."""
    givers: dict[str, list[ModelFunction]] = {}
    for function in functions:
        for name in function.gives:
            givers.setdefault(name, []).append(function)
    return givers
