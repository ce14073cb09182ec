"""What is left of a product when groups of its axes are reduced: their rows are the axes of a smaller product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.authoring.declaration import ModelFunction
from dse.evaluation.plan import make_plan
from dse.evaluation.probe import probe
from dse.evaluation.problem import Problem, must_be_tabulated
from dse.evaluation.product import ProductEvaluator
from dse.graph.graph import Input
from dse.search.bundles import BundleProduct, NoRangeForm
from dse.search.exhaustive import ExhaustiveProduct
from dse.search.monotone import Monotonicity, Refused
from dse.search.nested_groups import Choice
from dse.search.product import ProductSearch
from dse.space.axes import Axis

__all__ = ["ReducedProduct"]

_BUNDLES_FROM = 5_000_000
_LARGEST_FORCED = 4_000_000


def _whole_again(known: Monotonicity, left: Sequence[int]) -> Iterator[ModelFunction]:
    """Yield functions by their positions, and those of which every part is left as they were: one call, not several."""
    whole, parts = known.system.graph.functions, Counter(known.origin)
    own: dict[int, list[int]] = {}
    for position in left:
        own.setdefault(known.origin[position], []).append(position)
    for origin, positions in own.items():
        some = [known.graph.functions[position] for position in positions]
        needs = {need for part in some for need in part.needs}
        # What reads a part of a function need not know all of the others' arguments.
        if len(some) == parts[origin] and needs.issuperset(whole[origin].needs):
            yield whole[origin]
        else:
            yield from some


class ReducedProduct:
    """The product whose axes are the kept rows of the groups and the axes that are in none."""

    def __init__(self, known: Monotonicity, choices: Sequence[Choice]) -> None:
        self.known = known
        problem, graph, product = known.problem, known.graph, known.product
        grouped = {axis: choice for choice in choices for axis in choice.group.axes}

        def inside(name: str) -> bool:
            own = known.axes(name)
            return bool(own) and any(own <= choice.group.axes for choice in choices)

        # The truth of a limit is a result; what it reads is one, too, so that it can be told again from the start.
        limits = {constraint.quantity for constraint in known.system.constraints if inside(constraint.quantity)}
        again = {known.origin[p] for p in known.positions if not limits.isdisjoint(graph.functions[p].gives)}

        left = [
            position
            for position in known.positions
            if known.origin[position] in again
            or not all(inside(name) or not known.used(name) for name in graph.functions[position].gives)
        ]
        functions = tuple(_whole_again(known, left))
        made = {name for function in functions for name in function.gives}
        results = problem.results(known.index)
        read = {need for function in functions for need in function.needs} | set(results)
        axes: list[Axis] = []
        self.contributions: list[np.ndarray] = []
        for axis, own in enumerate(product.axes):
            choice = grouped.get(axis)
            if choice is None:
                axes.append(own)
                self.contributions.append(np.arange(len(own), dtype=np.int64) * product.strides[axis])
            elif axis == min(choice.group.axes):
                kept = choice.kept.values
                columns = {name: column for name, column in kept.items() if name in read and name not in made}
                label = " × ".join(product.axes[member].name for member in sorted(choice.group.axes))
                axes.append(Axis(label, columns, {name: graph.units[name] for name in columns}, "a group of axes"))
                self.contributions.append(choice.kept.numbers)
                if not columns:  # nothing reads it: one row stands for all
                    axes[-1] = replace(axes[-1], columns={label: np.zeros(len(choice.kept))}, units={label: "1"})
        inputs = {}
        for name in dict.fromkeys([*graph.inputs, *(name for axis in axes for name in axis.columns)]):
            if name in read and name not in made:
                given = graph.inputs.get(name)
                signed = name not in graph.unsigned
                inputs[name] = given or Input(name, graph.units[name], "axis", "a group of axes", signed=signed)
        providers = {name: function for function in functions for name in function.gives}
        self.results = results
        self.graph = replace(graph, functions=functions, inputs=inputs, targets=tuple(results), providers=providers)
        self.product = replace(product, axes=tuple(axes))

    def evaluator(self, forced: frozenset[int], unknown: Mapping[str, Operand] = {}) -> ProductEvaluator:
        """Plan what is left and make its tables; of inputs that are `unknown`, tables of ranges."""
        if not self.product.size:
            raise Refused("no row of a group meets its constraints")
        structure = probe(self.graph, self.product, self.known.system.assumptions)
        texts = must_be_tabulated(self.graph, self.product, structure)
        plan = make_plan(self.graph, structure, self.product.shape or (1,), self.results, forced | texts)
        for position in forced | texts:
            where = [structure.axes[name] for name in self.graph.functions[position].gives]
            if prod(self.product.shape[axis] for axis in frozenset().union(*where)) > _LARGEST_FORCED:
                raise Refused(f"the table of {self.graph.functions[position].label} would be too large")
        assumptions, added = self.known.system.assumptions, self.contributions
        return ProductEvaluator(self.graph, structure, plan, self.product, assumptions, added, unknown)

    def search(self, problem: Problem, index: int, evaluator: ProductEvaluator, block: int | None) -> ProductSearch:
        """Return the search of what is left."""
        forced: frozenset[int] = frozenset()
        while evaluator.size >= _BUNDLES_FROM:
            try:
                return BundleProduct(problem, index, evaluator=evaluator, take_tables=True)
            except NoRangeForm as error:
                if error.position in forced:
                    break
                forced = forced | {error.position}
                try:
                    evaluator = self.evaluator(forced)
                except Refused:
                    break
        return ExhaustiveProduct(problem, index, block=block, evaluator=evaluator)
