"""Exact frontiers at sampled values of what all designs share, in one search: the values are one more axis.

Each product gets an axis whose rows are values of the shared unknowns. Two objectives more, the place of the row and
the place counted from the end, keep designs at different values apart: a design beats another only where it is no
worse in both, so at the same row. So the search, its proofs and its certificate are those of any other problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dse.evaluation.problem import Objective, Problem, System
from dse.evaluation.unknowns import ALTERNATIVE, UncertainProblem
from dse.graph.graph import Graph, Input
from dse.search.driver import search
from dse.space.axes import Axis
from dse.space.design_space import Product, Space

__all__ = ["AtValues", "search_at_values", "shared_alone"]

_AXIS, _PLACE, _FROM_END = "sampled value", "place of the value", "place of the value from the end"


class AtValues(NamedTuple):
    """Designs on the frontier at sampled values.

    Attributes
    ----------
    numbers : (n,) ndarray of int64
        Designs, once for each value at which they are on the frontier.
    places : (n,) ndarray of int
        The places of the values.
    """

    numbers: np.ndarray
    places: np.ndarray


def shared_alone(unknown: UncertainProblem) -> frozenset[int]:
    """Return the products that unknowns enter only with one value for all their designs."""
    alone = set()
    for index, product in enumerate(unknown.problem.space.products):
        axes = {ALTERNATIVE, *(name for axis in product.axes for name in (axis.name, axis.joined))}
        entering = [unknown.unknowns[at] for places in unknown.entering(index).values() for at in places]
        if all(entry.scope == "shared" or (entry.scope == "each" and entry.axis not in axes) for entry in entering):
            alone.add(index)
    return frozenset(alone)


def search_at_values(unknown: UncertainProblem, products: Sequence[int], drawn: Mapping[int, np.ndarray]) -> AtValues:
    """Find the frontier of some products, by themselves, at each of some values.

    Parameters
    ----------
    unknown : UncertainProblem
    products : sequence of int
        Among those of `shared_alone`.
    drawn : mapping of int to (m,) ndarray
        By place of each shared unknown: its values.
    """
    count = len(next(iter(drawn.values())))
    values = {place: drawn.get(place, np.zeros(1)) for place in range(len(unknown.unknowns))}
    made = [_with_values(unknown, index, values, count) for index in products]
    objectives = (*unknown.problem.objectives, Objective(_PLACE, "min"), Objective(_FROM_END, "min"))
    space = Space(tuple(product for product, _ in made))
    problem = Problem(space, tuple(system for _, system in made), objectives, seed=unknown.problem.seed)
    frontier = search(problem).numbers
    numbers = np.empty(len(frontier), dtype=np.int64)
    offsets = unknown.problem.space.offsets
    for index, here in space.by_product(frontier):
        numbers[here] = (frontier[here] - space.offsets[index]) // count + offsets[products[index]]
    within = frontier - np.array(space.offsets)[np.searchsorted(space.offsets, frontier, side="right") - 1]
    return AtValues(numbers, within % count)


def _with_values(
    unknown: UncertainProblem, index: int, values: Mapping[int, np.ndarray], count: int
) -> tuple[Product, System]:
    """Return a product and its system with one more axis, the last one, whose rows are the values."""
    product, system = unknown.problem.space.products[index], unknown.problem.systems[index]
    graph = system.graph
    columns = {
        name: np.array(np.broadcast_to(value, (count,)), dtype=float)
        for name, value in unknown.given(index, values).items()
        if not any(name in axis.columns for axis in product.axes)
    }
    place = np.arange(count, dtype=float)
    columns |= {_PLACE: place, _FROM_END: count - 1.0 - place}
    units = {**graph.units, _PLACE: "1", _FROM_END: "1"}
    inputs = {**graph.inputs, **{name: Input(name, units[name], "axis", "what is not known") for name in columns}}
    axis = Axis(_AXIS, columns, {name: units[name] for name in columns}, "what is not known")
    targets = (*graph.targets, _PLACE, _FROM_END)
    changed = Graph(graph.functions, inputs, targets, units, graph.slots, graph.providers, ())
    kept = {name: value for name, value in product.fixed.items() if name not in columns}
    kept_units = {name: unit for name, unit in product.fixed_units.items() if name not in columns}
    return (
        replace(product, axes=(*product.axes, axis), fixed=kept, fixed_units=kept_units),
        replace(system, graph=changed),
    )
