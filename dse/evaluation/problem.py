"""A problem: a space, a graph per alternative, objectives with senses, and constraints. What every search works on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple, TypedDict

import numpy as np

from dse.arithmetic.lookup import noting_outside
from dse.errors import InputError, NegativeError, NonFiniteError
from dse.evaluation.plan import Plan, make_plan
from dse.evaluation.probe import Checked, Structure, probe
from dse.evaluation.product_evaluator import ProductEvaluator, flat_inputs
from dse.evaluation.shared_tables import SharedTables
from dse.evaluation.step_graph import Records, StepGraph, sampled_values, take_apart
from dse.graph.expression import Expression
from dse.graph.graph import Graph, Outside
from dse.space.design_space import Product, Space

__all__ = ["Constraint", "Objective", "Problem", "System", "must_be_tabulated"]


_LARGEST_TABLE = 20_000_000


class Objective(NamedTuple):
    """A quantity and whether it is to be minimised or maximised."""

    quantity: str
    sense: str

    @property
    def sign(self) -> float:
        """1 for "min", -1 for "max": what a value is multiplied by to be minimised."""
        return 1.0 if self.sense == "min" else -1.0


class Constraint(NamedTuple):
    """A condition of the study or of its models.

    Attributes
    ----------
    text : str
    quantity : str
        The quantity that holds its truth, ``constraint_0`` and so on.
    expression : Expression
    required_by : str
        The requirement of a model that it is; empty for those of the study.
    """

    text: str
    quantity: str
    expression: Expression
    required_by: str = ""

    @property
    def place(self) -> int:
        """Its place among those of all alternatives: one that a model requires may hold in some of them only."""
        return int(self.quantity.removeprefix("constraint_"))


class Evaluated(TypedDict):
    """All quantities of those of some listed designs that are in one product.

    `positions` are their places in the list; `values` hold one entry per design, constants one, and tables as they are.
    """

    product: int
    positions: np.ndarray
    values: dict[str, Any]


@dataclass(frozen=True, eq=False)
class System:
    """The graph of one alternative, with the assumptions it rests on.

    Attributes
    ----------
    graph : Graph
        With objectives, constraints and shown quantities as targets.
    assumptions : dict of str to float
        Defaults in use, SI.
    constraints : tuple of Constraint
    """

    graph: Graph
    assumptions: Mapping[str, float]
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """What a search needs to know, and nothing about files or screens."""

    space: Space
    systems: tuple[System, ...]
    objectives: tuple[Objective, ...]
    seed: int = 0
    _structures: dict[Hashable, Structure] = field(default_factory=dict, repr=False)
    _structure_of: dict[int, Structure] = field(default_factory=dict, repr=False)
    _checked: set[Checked] = field(default_factory=set, repr=False)
    _recorded: Records = field(default_factory=dict, repr=False)
    _tables: SharedTables = field(default_factory=SharedTables, repr=False)

    @cached_property
    def signs(self) -> np.ndarray:
        """One sign per objective."""
        return np.array([objective.sign for objective in self.objectives])

    @property
    def units(self) -> dict[str, str]:
        """SI unit of every quantity in any of the graphs."""
        return {name: unit for system in self.systems for name, unit in system.graph.units.items()}

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints of all alternatives, each once, by their places."""
        every = {constraint.place: constraint for system in self.systems for constraint in system.constraints}
        return tuple(every[place] for place in sorted(every))

    @property
    def marks(self) -> list[str]:
        """The quantities in the graphs that are 1 where others were found numerically, without a closed form."""
        functions = [function for system in self.systems for function in system.graph.functions]
        return list(dict.fromkeys(mark for function in functions for mark in function.marks))

    @property
    def mark_words(self) -> dict[str, str]:
        """What a mark says of a design, by quantity, where it is not that others were found numerically."""
        functions = [function for system in self.systems for function in system.graph.functions]
        return {name: words for function in functions for name, words in function.mark_words.items()}

    @property
    def synthetic(self) -> list[str]:
        """The tables and parts in use whose figures are marked synthetic."""
        names = []
        for product in self.space.products:
            names += [table.name for table in product.tables.values() if table.synthetic]
            names += [axis.source for axis in product.axes if axis.synthetic]
        return list(dict.fromkeys(names))

    def results(self, product: int) -> list[str]:
        """Return the quantities the loop must give: objectives, constraints and what the constraints read."""
        system = self.systems[product]
        names = [objective.quantity for objective in self.objectives]
        for constraint in system.constraints:
            names += [constraint.quantity, *constraint.expression.needs]
        return list(dict.fromkeys(names))

    def structure(self, index: int) -> Structure:
        """Return what the probe run learnt of a product; products of one structure share it."""
        if index not in self._structure_of:
            self._structure_of[index] = self._shared_structure(index)
        return self._structure_of[index]

    def _shared_structure(self, index: int) -> Structure:
        product, system = self.space.products[index], self.systems[index]
        columns = tuple((tuple(axis.columns), len(axis) > 1) for axis in product.axes)
        own = {constraint.quantity for constraint in system.constraints}
        functions = tuple(id(function) for function in system.graph.functions if own.isdisjoint(function.gives))
        key = (functions, columns, tuple(constraint.text for constraint in system.constraints))
        if key not in self._structures:
            self._structures[key] = probe(system.graph, product, system.assumptions, self._checked)
        return self._structures[key]

    def apart(self, index: int, whole: frozenset[int] = frozenset()) -> StepGraph:
        """Return the graph of a product with its functions taken apart, but for those at some positions."""
        product, system, structure = self.space.products[index], self.systems[index], self.structure(index)
        values = sampled_values(system.graph, product, system.assumptions)
        whole = whole | must_be_tabulated(system.graph, product, structure)
        return take_apart(system.graph, structure, values, whole, self._recorded)

    def plan(self, index: int, forced: frozenset[int] = frozenset()) -> Plan:
        """Plan a product, with functions at some positions tabulated beside those that have to be."""
        product, system, structure = self.space.products[index], self.systems[index], self.structure(index)
        texts = must_be_tabulated(system.graph, product, structure)
        for position in texts:
            self._refuse_large_table(index, position)
        return make_plan(system.graph, structure, product.shape or (1,), self.results(index), forced | texts)

    def evaluator(self, index: int, forced: frozenset[int] = frozenset()) -> ProductEvaluator:
        """Plan a product and make its tables."""
        product, system, structure = self.space.products[index], self.systems[index], self.structure(index)
        plan = self.plan(index, forced)
        shared = self._tables if len(self.space.products) > 1 else None
        evaluator = ProductEvaluator(system.graph, structure, plan, product, system.assumptions, shared=shared)
        if evaluator.negative is not None:
            self.refuse_negative(self.space.offsets[index] + evaluator.negative)
        return evaluator

    def table_rows(self, index: int, position: int) -> int:
        """Return how many rows the table of a function has: the combinations of the axes it depends on."""
        graph, product = self.systems[index].graph, self.space.products[index]
        where = [self.structure(index).axes[name] for name in graph.functions[position].gives]
        return prod(product.shape[axis] for axis in frozenset().union(*where)) if product.shape else 1

    def _refuse_large_table(self, index: int, position: int) -> None:
        rows = self.table_rows(index, position)
        if rows > _LARGEST_TABLE:
            function = self.systems[index].graph.functions[position]
            why = "is marked points_only" if function.points_only else "reads a text"
            if position in self.structure(index).integers:
                why = "computes with integers, which may overflow (floats have a form for ranges)"
            raise InputError(
                f"{function.label} {why}, so it is tabulated, and depends on {rows} combinations of axes",
                allowed=f"at most {_LARGEST_TABLE}; method = 'evolve' needs no tables, and knows no bound",
            )

    def quantities(self, numbers: Sequence[int] | np.ndarray) -> list[Evaluated]:
        """Evaluate every quantity of listed designs, all functions on one entry per design.

        Returns
        -------
        list of (product index, positions, values)
            One record per product that has some of the designs.
        """
        records: list[Evaluated] = []
        chosen = np.asarray(numbers, dtype=np.int64)
        for index, here in self.space.by_product(chosen):
            product, system = self.space.products[index], self.systems[index]
            rows = self.space.decode(index, chosen[here])
            with np.errstate(all="ignore"):
                values = system.graph.evaluate(flat_inputs(system.graph, product, system.assumptions, rows))
            records.append({"product": index, "positions": here, "values": values})
        return records

    def outside_validity(self, product: int, values: Mapping[str, object], count: int) -> Outside:
        """Return, for each of some designs of a product, the quantities outside the range a model was validated on."""
        return self.systems[product].graph.outside_validity(values, count)

    def refuse_non_finite(self, number: int, what: str) -> None:
        """Raise the error that names a design, its objective or constraint, and where the trouble begins."""
        with noting_outside() as outside:
            (record,) = self.quantities([number])
        system = self.systems[record["product"]]
        first = ""
        for name in [*system.graph.inputs, *(n for f in system.graph.functions for n in f.gives)]:
            value = record["values"][name]
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all():
                origin = system.graph.providers[name].label if name in system.graph.providers else "an input"
                first = f"; the first quantity that is not finite is '{name}' ({origin}): {value.reshape(-1)[0]}"
                first += f"; {outside[0]}" if outside else ""
                break
        raise NonFiniteError(f"{what} of design {number} ({self._named(number)}) is not a finite number{first}")

    def refuse_negative(self, number: int) -> None:
        """Raise the error that names a design and the first of its quantities that is negative and cannot be."""
        (record,) = self.quantities([number])
        graph = self.systems[record["product"]].graph
        for name in [*graph.inputs, *(n for f in graph.functions for n in f.gives)]:
            if name in graph.unsigned and (record["values"][name] < 0).any():
                origin = graph.providers[name].label if name in graph.providers else "an input"
                value = float(record["values"][name].reshape(-1)[0])
                raise NegativeError(
                    f"'{name}' of design {number} ({self._named(number)}) is {value:g} "
                    f"{graph.units[name]}; it is the first quantity that is negative ({origin})",
                    allowed="0 and more, unless it is declared with signed = true",
                )

    def _named(self, number: int) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.space.parameters(number).items())

    def refuse_negatives(self, record: Evaluated, numbers: np.ndarray, feasible: np.ndarray | None = None) -> None:
        """Refuse a negative time, power, energy, … of some evaluated designs.

        Parameters
        ----------
        record : Evaluated
        numbers : (n,) ndarray of int
            The designs of the record.
        feasible : (n,) ndarray of bool, optional
            Those that are looked at; default all.
        """
        graph = self.systems[record["product"]].graph
        for name in graph.units:
            value = record["values"].get(name)
            if name in graph.unsigned and value is not None and not value.min() >= 0:
                wrong = np.broadcast_to(value.reshape(-1) < 0, len(numbers))
                negative = np.flatnonzero(wrong if feasible is None else wrong & feasible)
                if len(negative):
                    self.refuse_negative(int(numbers[negative].min()))


def must_be_tabulated(graph: Graph, product: Product, structure: Structure) -> frozenset[int]:
    """Return the positions of the functions without a form for ranges.

    They are so marked, read texts, or compute with integers: these wrap around, which ranges and signs do not see.
    """
    texts = {name for name, unit in graph.units.items() if unit == "text"}
    texts |= {name for name, value in product.fixed.items() if isinstance(value, str)}
    texts |= {name for axis in product.axes for name, unit in axis.units.items() if unit == "text"}
    return structure.integers | frozenset(
        position
        for position, function in enumerate(graph.functions)
        if function.points_only or not texts.isdisjoint(function.needs)
    )
