"""What is left of a product when groups of its axes are reduced: their rows are the axes of a smaller product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.search.bundles.bundles import BundleProduct, NoRangeForm
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.bundles.product_search import ProductSearch
from dse.search.groups.nested_groups import Choice
from dse.search.groups.remaining_graph import remaining_functions, remaining_graph, remaining_plan
from dse.search.proof.monotone import Monotonicity, Refused
from dse.space.axes import Axis

__all__ = ["ReducedProduct"]

_BUNDLES_FROM = 5_000_000


class ReducedProduct:
    """The product whose axes are the kept rows of the groups and the axes that are in none."""

    def __init__(self, known: Monotonicity, choices: Sequence[Choice]) -> None:
        self.known = known
        problem, graph, product = known.problem, known.graph, known.product
        grouped = {axis: choice for choice in choices for axis in choice.group.axes}
        functions = remaining_functions(known, [choice.group.axes for choice in choices])
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
        self.results = results
        self.graph = remaining_graph(graph, functions, axes, results, "a group of axes")
        self.product = replace(product, axes=tuple(axes))

    def evaluator(self, forced: frozenset[int], unknown: Mapping[str, Operand] = {}) -> ProductEvaluator:
        """Plan what is left and make its tables; of inputs that are `unknown`, tables of ranges."""
        if not self.product.size:
            raise Refused("no row of a group meets its constraints")
        structure, plan = remaining_plan(self.known, self.graph, self.product, self.results, forced)
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
