"""What is left of a product whose groups share axes: for each value of these a small product of its own.

The rows of a group stand in a table of values of the shared axes × rows of one value. Values differ in how many rows
are left of them. So tables are filled up, each value with its last row again:

    value 0    row 0   row 1   row 2   (row 2)
    value 1    row 3   (row 3) (row 3) (row 3)      (…): a limit that nothing meets keeps it out of every bundle
    value 2    row 4   row 5   row 6   row 7

Bundles then are those of any other product. Which design a place stands for does not follow from sums of numbers: the
searched places have numbers of their own, from which those of the designs are looked up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.problem import Constraint, Problem
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.graph.expression import parse
from dse.search.bundles.bundles import BundleProduct, NoRangeForm
from dse.search.groups.remaining_graph import remaining_functions, remaining_graph, remaining_plan
from dse.search.groups.shared_axes import Shared
from dse.search.proof.monotone import Monotonicity, Refused
from dse.space.axes import Axis

__all__ = ["RaggedBundles", "RaggedProduct"]

_SOURCE = "groups that share axes"
_VALUE = "shared_value"
_MOST_PLACES = 2**62


class _Table:
    """Looks quantities of a group up by value of the shared axes and row."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __call__(self, value: object, row: object) -> np.ndarray:
        cells: np.ndarray = self.values[np.asarray(value).astype(np.int64), np.asarray(row).astype(np.int64)]
        return cells


class RaggedProduct:
    """The product whose axes are the values of the shared axes, the rows of each group, and the axes in none.

    Attributes
    ----------
    limits : tuple of Constraint
        Those that rows that fill up do not meet.
    """

    def __init__(self, known: Monotonicity, shared: Shared) -> None:
        self.known, self.shared = known, shared
        graph, product = known.graph, known.product
        areas = [shared.axes, *(part.group.axes for part in shared.parts)]
        areas += [choice.group.axes for choice in shared.others]
        self.places = [
            np.minimum(span[0][:, None] + np.arange(shared.longest(part)), span[1][:, None] - 1)
            for part, span in enumerate(shared.spans)
        ]
        functions = remaining_functions(known, areas)
        made = {name for function in functions for name in function.gives}
        self.results = [*known.problem.results(known.index)]
        read = {need for function in functions for need in function.needs} | set(self.results)
        read -= made
        axes = [self._shared_axis(read)]
        self.limits = tuple(self._limit(place) for place in range(len(shared.parts)))
        tables: list[ModelFunction] = []
        for place in range(len(shared.parts)):
            axes.append(self._rows_axis(place))
            tables += self._tables(place, read)
        self.others: list[np.ndarray] = []
        grouped = shared.axes.union(*(part.group.axes for part in shared.parts))
        for choice in shared.others:
            kept = choice.kept.values
            columns = {name: column for name, column in kept.items() if name in read}
            label = " × ".join(product.axes[member].name for member in sorted(choice.group.axes))
            columns = columns or {label: np.zeros(len(choice.kept))}
            axes.append(Axis(label, columns, {name: graph.units.get(name, "1") for name in columns}, _SOURCE))
            self.others.append(choice.kept.numbers)
            grouped |= choice.group.axes
        for axis, own in enumerate(product.axes):
            if axis not in grouped:
                axes.append(own)
                self.others.append(np.arange(len(own), dtype=np.int64) * product.strides[axis])
        for limit in self.limits:
            self.results += [limit.quantity, *limit.expression.needs]
            needs = limit.expression.needs
            tables.append(ModelFunction(limit.quantity, limit.expression, needs, {limit.quantity: "bool"}, _SOURCE))
        self.graph = remaining_graph(graph, [*tables, *functions], axes, self.results, _SOURCE)
        self.product = replace(product, axes=tuple(axes))
        if self.product.size >= _MOST_PLACES:
            raise Refused("groups that share axes leave too many places")

    def _shared_axis(self, read: set[str]) -> Axis:
        rows, units = self.shared.rows, self.known.graph.units
        columns = {name: column for name, column in rows.values.items() if name in read}
        columns[_VALUE] = np.arange(len(rows), dtype=float)
        for place, (begin, end) in enumerate(self.shared.spans):
            columns[f"last_{_row(place)}"] = (end - begin - 1).astype(float)
        return Axis(_VALUE, columns, {name: units.get(name, "1") for name in columns}, _SOURCE)

    def _rows_axis(self, place: int) -> Axis:
        name = _row(place)
        return Axis(name, {name: np.arange(self.shared.longest(place), dtype=float)}, {name: "1"}, _SOURCE)

    def _tables(self, place: int, read: set[str]) -> list[ModelFunction]:
        """Return what looks up the quantities of a group."""
        part, units = self.shared.parts[place], self.known.graph.units
        return [
            ModelFunction(
                name,
                _Table(column[self.places[place]]),
                (_VALUE, _row(place)),
                {name: units[name]},
                _SOURCE,
                points_only=True,
            )
            for name, column in part.kept.values.items()
            if name in read and name in units and not self.known.axes(name) <= self.shared.axes
        ]

    def _limit(self, place: int) -> Constraint:
        """Return the limit that rows that fill up do not meet."""
        row, last = _row(place), f"last_{_row(place)}"
        return Constraint(
            f"{row} <= {last}", f"left_of_group_{place}", parse(f"{row} <= {last}", {row: "1", last: "1"})
        )

    def named(self, numbers: np.ndarray) -> np.ndarray:
        """Return what designs add to the number within the whole product, from the numbers of their places."""
        rows = np.unravel_index(numbers, self.product.shape)
        count = len(self.shared.parts)
        total = self.shared.rows.numbers[rows[0]]
        whole = total
        for part, places, row in zip(self.shared.parts, self.places, rows[1 : count + 1], strict=True):
            total = total + part.kept.numbers[places[rows[0], row]] - whole
        for own, row in zip(self.others, rows[count + 1 :], strict=True):
            total = total + own[row]
        return np.asarray(total)

    def evaluator(self, forced: frozenset[int]) -> ProductEvaluator:
        """Plan what is left and make its tables."""
        structure, plan = remaining_plan(self.known, self.graph, self.product, self.results, forced)
        return ProductEvaluator(self.graph, structure, plan, self.product, self.known.system.assumptions)

    def search(self, problem: Problem, index: int) -> RaggedBundles:
        """Return the search of what is left.

        Raises
        ------
        Refused
            A function has no form for ranges, and its table would be too large.
        """
        forced: frozenset[int] = frozenset()
        while True:
            evaluator = self.evaluator(forced)
            if evaluator.negative is not None:
                problem.refuse_negative(
                    problem.space.offsets[index] + int(self.named(np.array([evaluator.negative]))[0])
                )
            try:
                return RaggedBundles(problem, index, self, evaluator)
            except NoRangeForm as error:
                if error.position in forced:
                    raise Refused(str(error)) from error
                forced = forced | {error.position}


class RaggedBundles(BundleProduct):
    """Searches, by bundles, what is left of a product whose groups share axes."""

    def __init__(self, problem: Problem, index: int, ragged: RaggedProduct, evaluator: ProductEvaluator) -> None:
        self.ragged = ragged
        super().__init__(problem, index, evaluator=evaluator, take_tables=True)

    def limits(self) -> tuple[Constraint, ...]:
        """Return the constraints of the system, and those that rows that fill up do not meet."""
        return (*super().limits(), *self.ragged.limits)

    def named(self, numbers: np.ndarray) -> np.ndarray:
        """Return the design numbers from those of the places."""
        return self.ragged.named(numbers - self.offset) + self.offset

    @property
    def orders(self) -> list[np.ndarray]:
        """No sums of numbers tell which designs a box holds."""
        return []


def _row(place: int) -> str:
    return f"row_of_group_{place}"
