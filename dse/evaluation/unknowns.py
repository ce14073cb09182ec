"""What is not known exactly: numbers, columns and results that have an interval in place of a value.

An unknown of a *value* stands for an input of all designs. One that is a *deviation* e makes a quantity x into
x (1 + Σ w e), whatever gives it, so everything that reads the quantity feels it, limits included. A problem whose
unknowns are inputs is the same problem where every e is 0: the bits of x 1.0 are those of x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.problem import Problem, System
from dse.evaluation.row_tables import RowTables
from dse.graph.graph import Graph, Input
from dse.space.design_space import Product, Space

__all__ = ["ALTERNATIVE", "UncertainProblem", "Unknown", "factor_name", "given_name", "uncertain_problem"]

ALTERNATIVE = "alternative"
"""What stands for an axis where each alternative has one for all its designs."""

Scope = Literal["shared", "each", "design"]
"""One value for all designs, one for each row of an axis, or one for each design."""


@dataclass(frozen=True)
class Unknown:
    """One thing that is not known.

    Attributes
    ----------
    quantity : str
    low, high : float
        The ends of its interval: of a value in SI, or of the deviation e.
    relative : bool
        Whether it is a deviation.
    scope : {"shared", "each", "design"}
    axis : str
        With "each": the axis, or `ALTERNATIVE`.
    rows : mapping of str to (float, float)
        With "each": the intervals of rows that have their own, by label.
    weight : float
        What its deviation counts for in that of the quantity.
    distribution : {"uniform", "triangular", "normal", "lognormal"}
        For probabilities only. Of the last two `low` and `high` are where they are cut.
    spread : float
        Their standard deviation; of "lognormal" that of the logarithm.
    nominal : float
        What the study computes with.
    source : str
        Where the interval comes from.
    few : mapping of str to int
        Rows whose law rests on few measurements, with how many.
    of_law : bool
        Whether it is the error of a law, which a study has without saying so.
    """

    quantity: str
    low: float
    high: float
    relative: bool = True
    scope: Scope = "shared"
    axis: str = ""
    rows: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    weight: float = 1.0
    distribution: str = "uniform"
    spread: float = 0.0
    nominal: float = 0.0
    source: str = ""
    few: Mapping[str, int] = field(default_factory=dict)
    of_law: bool = False

    def intervals(self, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the intervals of rows of its axis."""
        pairs = [self.rows.get(label, (self.low, self.high)) for label in labels]
        return np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])


def _times(given: Operand, factor: Operand) -> Operand:
    return given * factor


def factor_name(quantity: str) -> str:
    """Return the name of the input that holds 1 + Σ w e of a quantity; a blank keeps it apart from all others."""
    return f"factor of {quantity}"


def given_name(quantity: str) -> str:
    """Return the name under which an input stands before its factor."""
    return f"given {quantity}"


@dataclass(frozen=True, eq=False)
class UncertainProblem:
    """A problem and what is not known in it.

    Attributes
    ----------
    problem : Problem
        With the unknowns as inputs; its designs have the numbers of the study's.
    unknowns : tuple of Unknown
    looked_at : dict
        Lists of designs that were looked at, by their numbers (`dse.evaluation.affected`).
    tables : dict of int to RowTables
        What no unknown reaches, by product, as far as it was looked at.
    """

    problem: Problem
    unknowns: tuple[Unknown, ...]
    looked_at: dict[bytes, object] = field(default_factory=dict, repr=False)
    tables: dict[int, RowTables] = field(default_factory=dict, repr=False)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The places of the unknowns of each quantity."""
        by_quantity: dict[str, list[int]] = {}
        for place, unknown in enumerate(self.unknowns):
            by_quantity.setdefault(unknown.quantity, []).append(place)
        return by_quantity

    @cached_property
    def shared(self) -> list[int]:
        """The places of those with one value for all designs."""
        return [place for place, unknown in enumerate(self.unknowns) if unknown.scope == "shared"]

    def entering(self, index: int) -> dict[str, list[int]]:
        """Return, by the quantity they enter a product with, the places of its unknowns."""
        graph = self.problem.systems[index].graph
        entering = {}
        for quantity, places in self.places.items():
            name = factor_name(quantity) if self.unknowns[places[0]].relative else quantity
            if name in graph.inputs:
                entering[name] = places
        return entering

    def given(self, index: int, drawn: Mapping[int, Operand]) -> dict[str, Operand]:
        """Return the inputs that stand for the unknowns of a product.

        Parameters
        ----------
        index : int
            The product.
        drawn : mapping of int to array or Range
            By place of the unknown: values, or deviations.
        """
        inputs: dict[str, Operand] = {}
        for name, places in self.entering(index).items():
            if not self.unknowns[places[0]].relative:
                inputs[name] = drawn[places[0]]
                continue
            total: Operand = 1.0
            for place in places:
                weight = self.unknowns[place].weight
                deviation = drawn[place]
                total = total + (deviation if weight == 1.0 else deviation * weight)
            inputs[name] = total
        return inputs

    def affected(self, index: int) -> list[int]:
        """Return the places of the functions of a product that an unknown reaches, in the order of its graph."""
        reached = set(self.entering(index))
        positions = []
        for position, function in enumerate(self.problem.systems[index].graph.functions):
            if not reached.isdisjoint(function.needs):
                reached.update(function.gives)
                positions.append(position)
        return positions

    def reaches(self, place: int, names: Sequence[str]) -> bool:
        """Tell whether any of some quantities depends on an unknown in any product."""
        quantity = self.unknowns[place].quantity
        return any(quantity in system.graph.below(names) for system in self.problem.systems)


def uncertain_problem(problem: Problem, unknowns: Sequence[Unknown]) -> UncertainProblem:
    """Return a problem with unknowns as inputs of its graphs."""
    deviating = {unknown.quantity: unknown for unknown in unknowns if unknown.relative}
    axes = {
        quantity: [unknown.axis for unknown in unknowns if unknown.quantity == quantity and unknown.scope == "each"]
        for quantity in deviating
    }
    products, systems = [], []
    for product, system in zip(problem.space.products, problem.systems, strict=True):
        own = [quantity for quantity in deviating if quantity in system.graph.units]
        made = _with_factors(product, system, {quantity: axes[quantity] for quantity in own})
        products.append(made[0])
        systems.append(made[1])
    changed = Problem(Space(tuple(products)), tuple(systems), problem.objectives, seed=problem.seed)
    return UncertainProblem(changed, tuple(unknowns))


def _with_factors(product: Product, system: System, axes: Mapping[str, Sequence[str]]) -> tuple[Product, System]:
    """Return a product and its system with a factor for each of some quantities, by the axes it differs along."""
    if not axes:
        return product, system
    graph = system.graph
    inputs, units, fixed = dict(graph.inputs), dict(graph.units), dict(product.fixed)
    fixed_units, assumptions = dict(product.fixed_units), dict(system.assumptions)
    columns: dict[str, dict[str, np.ndarray]] = {axis.name: dict(axis.columns) for axis in product.axes}
    first: list[ModelFunction] = []
    wrapped: dict[int, list[str]] = {}
    for quantity, along in axes.items():
        name = factor_name(quantity)
        before = given_name(quantity)
        units[name], units[before] = "1", units[quantity]
        own = next((axis for axis in product.axes if any(axis.names(name) is not None for name in along)), None)
        inputs[name] = Input(name, "1", "axis" if own is not None else "set", "what is not known")
        if own is not None:
            columns[own.name][name] = np.ones(len(own))
        else:
            fixed[name], fixed_units[name] = 1.0, "1"
        if quantity in graph.inputs:
            inputs[before] = replace(inputs.pop(quantity), name=before)
            if quantity in fixed:
                fixed[before] = fixed[quantity]
            elif quantity in assumptions:
                assumptions[before] = assumptions[quantity]
            for axis in product.axes:
                if quantity in axis.columns:
                    columns[axis.name][before] = axis.columns[quantity]
            first.append(_factor(quantity, units[quantity], inputs[before].signed))
        else:
            wrapped.setdefault(id(graph.providers[quantity]), []).append(quantity)
    renamed = [
        part for function in graph.functions for part in _before_factors(function, wrapped.get(id(function), ()))
    ]
    functions = [*first, *renamed]
    changed = Graph(
        tuple(functions),
        inputs,
        graph.targets,
        units,
        graph.slots,
        {name: function for function in functions for name in function.gives},
        (),
    )
    made = tuple(replace(axis, columns=columns[axis.name]) for axis in product.axes)
    return (
        replace(product, axes=made, fixed=fixed, fixed_units=fixed_units),
        replace(system, graph=changed, assumptions=assumptions),
    )


def _before_factors(function: ModelFunction, quantities: Sequence[str]) -> list[ModelFunction]:
    """Return a function whose results have other names, and what makes the quantities of them."""
    if not quantities:
        return [function]
    names = {quantity: given_name(quantity) for quantity in quantities}
    gives = {names.get(name, name): unit for name, unit in function.gives.items()}
    signed = tuple(names.get(name, name) for name in function.signed)
    renamed = replace(function, gives=gives, signed=(*function.signed, *signed))
    return [renamed, *(_factor(quantity, function.gives[quantity], quantity in function.signed) for quantity in names)]


def _factor(quantity: str, unit: str, signed: bool) -> ModelFunction:
    """Return what makes a quantity of what it was before its factor."""
    return ModelFunction(
        quantity,
        _times,
        (given_name(quantity), factor_name(quantity)),
        {quantity: unit},
        "what is not known",
        signed=(quantity,) if signed else (),
    )
