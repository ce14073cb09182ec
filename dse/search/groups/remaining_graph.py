"""The functions, inputs and plan that are left of a product whose groups of axes became columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import prod

from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.plan import Plan, make_plan
from dse.evaluation.probe import Structure, probe
from dse.evaluation.problem import must_be_tabulated
from dse.graph.graph import Graph, Input
from dse.search.proof.monotone import Monotonicity, Refused
from dse.space.axes import Axis
from dse.space.design_space import Product

__all__ = ["remaining_functions", "remaining_graph", "remaining_plan"]

_LARGEST_FORCED = 4_000_000


def remaining_functions(known: Monotonicity, areas: Collection[frozenset[int]]) -> tuple[ModelFunction, ...]:
    """Return the functions to be computed again where quantities within one of some areas of axes are columns."""
    graph = known.graph

    def inside(name: str) -> bool:
        own = known.axes(name)
        return bool(own) and any(own <= area for area in areas)

    # The truth of a limit is a result; what it reads is one, too, so that it can be told again from the start.
    limits = {constraint.quantity for constraint in known.system.constraints if inside(constraint.quantity)}
    again = {known.origin[p] for p in known.positions if not limits.isdisjoint(graph.functions[p].gives)}
    remaining = [
        position
        for position in known.positions
        if known.origin[position] in again
        or not all(inside(name) or not known.used(name) for name in graph.functions[position].gives)
    ]
    return tuple(_whole_again(known, remaining))


def remaining_graph(
    graph: Graph, functions: Sequence[ModelFunction], axes: Sequence[Axis], results: Sequence[str], source: str
) -> Graph:
    """Return a graph of some functions; what they read and none gives are inputs, or columns of axes."""
    made = {name for function in functions for name in function.gives}
    read = {need for function in functions for need in function.needs} | set(results)
    units = {**{name: unit for axis in axes for name, unit in axis.units.items()}, **graph.units}
    inputs = {}
    for name in dict.fromkeys([*graph.inputs, *(name for axis in axes for name in axis.columns)]):
        if name in read and name not in made:
            signed = name not in graph.unsigned
            inputs[name] = graph.inputs.get(name) or Input(name, units[name], "axis", source, signed=signed)
    providers = {name: function for function in functions for name in function.gives}
    return replace(graph, functions=tuple(functions), inputs=inputs, targets=tuple(results), providers=providers)


def remaining_plan(
    known: Monotonicity, graph: Graph, product: Product, results: Sequence[str], forced: frozenset[int]
) -> tuple[Structure, Plan]:
    """Plan what is left; functions that are `forced`, and those that take texts, become tables.

    Raises
    ------
    Refused
        Such a table would be too large.
    """
    structure = probe(graph, product, known.system.assumptions)
    tabulated = forced | must_be_tabulated(graph, product, structure)
    plan = make_plan(graph, structure, product.shape or (1,), results, tabulated)
    for position in tabulated:
        where = [structure.axes[name] for name in graph.functions[position].gives]
        if prod(product.shape[axis] for axis in frozenset().union(*where)) > _LARGEST_FORCED:
            raise Refused(f"the table of {graph.functions[position].label} would be too large")
    return structure, plan


def _whole_again(known: Monotonicity, left: Sequence[int]) -> Iterator[ModelFunction]:
    """Yield functions by their positions, and those of which every part is left as they were: one call, not several."""
    whole, parts = known.system.graph.functions, Counter(known.origin)
    own: dict[int, list[int]] = {}
    for position in left:
        own.setdefault(known.origin[position], []).append(position)
    for origin, positions in own.items():
        pieces = [known.graph.functions[position] for position in positions]
        needs = {need for part in pieces for need in part.needs}
        # What reads a part of a function need not know all of the others' arguments.
        if len(pieces) == parts[origin] and needs.issuperset(whole[origin].needs):
            yield whole[origin]
        else:
            yield from pieces
