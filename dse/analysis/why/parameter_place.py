"""A number of a study that is varied where no axis does: a value it sets, an assumption, a column of a part."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.space.design_space import Space
from dse.study.study import Study
from dse.units import TEXT

__all__ = ["ParameterPlace", "parameter_place"]

_OF_PART = re.compile(r"\s*([A-Za-z_][\w@]*)\s*\[\s*(.+?)\s*\]\s*\Z")


@dataclass(frozen=True)
class ParameterPlace:
    """Where a number stands.

    Attributes
    ----------
    name : str
        As it was written: "link_price", "device_power[MI250X]".
    quantity : str
    unit : str
    value : float
        As it is, SI.
    products : frozenset of int
        The alternatives whose objectives or limits it reaches.
    part : (str, str) or None
        Axis and row, where it is a column of a part.
    whole : bool
        Whether it is a whole number.
    allows : callable
        Tells whether a value is meaningful.
    only : frozenset of int or None
        The alternatives in which it is varied, where others have other values of it.
    """

    name: str
    quantity: str
    unit: str
    value: float
    products: frozenset[int]
    part: tuple[str, str] | None
    whole: bool
    allows: Callable[[float], bool]
    only: frozenset[int] | None = None

    def put(self, problem: Problem, value: float) -> Problem:
        """Return a problem in which it has another value."""
        products = list(problem.space.products)
        systems = list(problem.systems)
        for index, (product, system) in enumerate(zip(products, systems, strict=True)):
            if self.only is not None and index not in self.only:
                continue
            if self.part is not None:
                axes = []
                for axis in product.axes:
                    if axis.name == self.part[0] and self.quantity in axis.columns:
                        rows = [row for row in range(len(axis)) if axis.label(row) == self.part[1]]
                        column = axis.columns[self.quantity].copy()
                        column[rows] = value
                        axis = replace(axis, columns={**axis.columns, self.quantity: column})
                    axes.append(axis)
                products[index] = replace(product, axes=tuple(axes))
            elif self.quantity in product.fixed:
                products[index] = replace(product, fixed={**product.fixed, self.quantity: value})
            elif self.quantity in system.assumptions:
                systems[index] = replace(system, assumptions={**system.assumptions, self.quantity: value})
        return Problem(Space(tuple(products)), tuple(systems), problem.objectives, seed=problem.seed)


def parameter_place(study: Study, text: str, within: Collection[int] | None = None) -> ParameterPlace:
    """Find the number that a text names.

    Parameters
    ----------
    study : Study
    text : str
        A value that the study sets or an assumption, by its name; or ``COLUMN[PART]``.
    within : collection of int, optional
        The alternatives whose value is meant, where each has its own.

    Raises
    ------
    InputError
        An axis, a text, what no objective depends on, or what differs between alternatives.
    """
    key = f"--parameter {text}"
    match = _OF_PART.match(text)
    place = _column(study, match[1], match[2], key) if match else _fixed(study, text.strip(), key, within)
    if not place.products:
        raise InputError("no objective and no limit depends on it", key=key, allowed=_known(study))
    return place


def _reached(study: Study, quantity: str) -> frozenset[int]:
    problem = study.compiled
    return frozenset(
        index for index, system in enumerate(problem.systems) if quantity in system.graph.below(problem.results(index))
    )


def _fixed(study: Study, name: str, key: str, within: Collection[int] | None) -> ParameterPlace:
    problem = study.compiled
    axes = {axis.name for product in problem.space.products for axis in product.axes}
    if name in axes:
        raise InputError("is an axis", key=key, allowed=f'dse sweep --vary {name}="…"')
    columns = [
        (axis, row)
        for product in problem.space.products
        for axis in product.axes
        if axis.is_part and name in axis.columns
        for row in range(min(len(axis), 3))
    ]
    if columns:
        raise InputError(
            "is a column of parts, so it has a value for each",
            key=key,
            allowed=list(dict.fromkeys(f"{name}[{axis.label(row)}]" for axis, row in columns)),
        )
    values: dict[int, float | str] = {}
    for index, (product, system) in enumerate(zip(problem.space.products, problem.systems, strict=True)):
        if name in system.graph.inputs:
            given = {**system.assumptions, **product.fixed}
            if name in given:
                values[index] = given[name]
    if not values:
        known = _known(study)
        raise InputError("the study has no such number", key=key, allowed=known, wrong=name, candidates=known)
    distinct = set(values.values())
    if any(isinstance(value, str) for value in distinct):
        raise InputError("is a text", key=key, allowed="a number")
    only: frozenset[int] | None = None
    if len(distinct) > 1 and within is not None:
        only = frozenset(index for index in values if index in within)
        distinct = {values[index] for index in only}
    if len(distinct) != 1:
        raise InputError("has several values, of each alternative its own", key=key, allowed="a number that is one")
    (value,) = distinct
    declared = study.declarations.of_input(name)
    reached = frozenset(index for index in _reached(study, name) if index in (values if only is None else only))
    return ParameterPlace(
        name,
        name,
        study.units.get(name, "1"),
        float(value),
        reached,
        None,
        bool(getattr(declared, "integer", False)),
        lambda number: declared is None or bool(declared.allows(number)),
        only,
    )


def _column(study: Study, column: str, part: str, key: str) -> ParameterPlace:
    problem = study.compiled
    values: dict[int, float] = {}
    where: tuple[str, str] | None = None
    parts: list[str] = []
    columns: list[str] = []
    for index, product in enumerate(problem.space.products):
        for axis in product.axes:
            if not axis.is_part:
                continue
            columns += [name for name in axis.columns if axis.units.get(name) != TEXT]
            if column in axis.columns and axis.units.get(column) != TEXT:
                parts += [axis.label(row) for row in range(len(axis))]
                for row in range(len(axis)):
                    if axis.label(row) == part:
                        where = (axis.name, part)
                        values[index] = float(axis.columns[column][row])
    if not parts:
        known = list(dict.fromkeys(columns))
        raise InputError(
            f"no part has a number '{column}'", key=key, allowed=known or "none", wrong=column, candidates=known
        )
    if where is None:
        known = list(dict.fromkeys(parts))
        raise InputError(f"there is no part '{part}'", key=key, allowed=known, wrong=part, candidates=known)
    declared = study.declarations.of_input(column)
    reached = frozenset(index for index in _reached(study, column) if index in values)
    return ParameterPlace(
        f"{column}[{part}]",
        column,
        study.units.get(column, "1"),
        next(iter(values.values())),
        reached,
        where,
        bool(getattr(declared, "integer", False)),
        lambda number: declared is None or bool(declared.allows(number)),
    )


def _known(study: Study) -> list[str]:
    problem = study.compiled
    names: dict[str, None] = {}
    for index, (product, system) in enumerate(zip(problem.space.products, problem.systems, strict=True)):
        below = system.graph.below(problem.results(index))
        given = {**system.assumptions, **product.fixed}
        names |= dict.fromkeys(name for name, value in given.items() if name in below and not isinstance(value, str))
    return sorted(names)
