"""Evaluating one product: tables made once, cut quantities laid out along atoms, joined functions called per block."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import permutations
from math import prod
from typing import Any

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Condition, Range
from dse.authoring.declare.declaration import ModelFunction
from dse.errors import TooManyCombinationsError
from dse.evaluation.plan import Plan
from dse.evaluation.probe import Given, Structure, as_grid, axis_grids, fixed_grids
from dse.evaluation.shared_tables import SharedTables
from dse.graph.graph import Graph, V, call
from dse.space.design_space import Product

__all__ = ["ProductEvaluator", "flat_inputs"]

_SHARED_FROM = 4096  # entries of a table that is worth comparing with others
_MOST_LOOPS = 6  # whose orders are few enough to try them all


def flat_inputs(
    graph: Graph, product: Product, assumptions: Mapping[str, float], rows: Sequence[np.ndarray]
) -> dict[str, Given]:
    """Return the inputs of listed designs as arrays of one entry per design (constants: one entry)."""
    values = {
        name: as_array.reshape(-1) if isinstance(as_array, np.ndarray) else as_array
        for name, as_array in fixed_grids(product, graph, assumptions).items()
    }
    for axis, chosen in zip(product.axes, map(np.ascontiguousarray, rows), strict=True):
        for name, column in axis.columns.items():
            if name in graph.inputs:
                values[name] = column.take(chosen)
    return {name: values[name] for name in graph.inputs}


class ProductEvaluator:
    """The loop of one product.

    Parameters
    ----------
    graph : Graph
    structure : Structure
    plan : Plan
    product : Product
    assumptions : dict of str to float
    contributions : sequence of ndarray of int64, optional
        What each row of each axis adds to the design number, where the axes are not those of the space.
    unknown : mapping of str to Range, optional
        What inputs are that are not known, on the grid of the axes.
    shared : SharedTables, optional
        Tables that other products made.

    Attributes
    ----------
    lengths : tuple of int
        Rows of each atom.
    cut : dict of str to ndarray
        Cut quantities, one dimension per atom, length 1 where they do not vary. A search that lays them out anew takes
        them out one by one.
    upper : dict of str to ndarray
        The upper bounds of cut quantities that are not known; `cut` has the lower ones.
    table_bytes : int
        Memory of the cut quantities when they were made.
    own : dict of str to tuple of int
        The atoms each quantity of the loop depends on.
    numbers : list of ndarray of int64
        What each row of each atom adds to the design number within the product.
    negative : int or None
        The number within the product of a design that a table gives a negative time, power, energy, …, if any does.
    """

    def __init__(
        self,
        graph: Graph,
        structure: Structure,
        plan: Plan,
        product: Product,
        assumptions: Mapping[str, float],
        contributions: Sequence[np.ndarray] | None = None,
        unknown: Mapping[str, Operand] = {},
        shared: SharedTables | None = None,
    ) -> None:
        self._call = call if shared is None or unknown else shared.called
        self.contributions, self.unknown = contributions, unknown
        self.graph, self.structure, self.plan, self.product = graph, structure, plan, product
        self.atoms = plan.atoms
        shape = product.shape or (1,)
        self.lengths = tuple(prod(shape[axis] for axis in atom) for atom in self.atoms)
        self.joined = [graph.functions[position] for position in plan.joined]
        self._tabulate(assumptions)
        self.own = {
            name: tuple(i for i, atom in enumerate(self.atoms) if not self._axes(name).isdisjoint(atom))
            for name in [*self.cut, *(name for function in self.joined for name in function.gives)]
        }
        self.function_atoms = [
            tuple(sorted({atom for name in function.needs for atom in self.own.get(name, ())}))
            for function in self.joined
        ]
        self.numbers = [self._numbers(atom) for atom in self.atoms]

    def _axes(self, name: str) -> frozenset[int]:
        return self.structure.axes.get(name, frozenset())

    def _tabulate(self, assumptions: Mapping[str, float]) -> None:
        dimensions = max(1, len(self.product.axes))
        values: dict[str, Any] = {
            **fixed_grids(self.product, self.graph, assumptions),
            **axis_grids(self.product),
            **self.unknown,
        }
        self.negative: int | None = None
        for name in self.graph.unsigned & self.graph.inputs.keys():
            self._note_negative(values[name])
        last_use = {need: position for position in self.plan.tabulated for need in self.graph.functions[position].needs}
        cut = set(self.plan.cut)
        with np.errstate(all="ignore"):
            for position in self.plan.tabulated:
                function = self.graph.functions[position]
                try:
                    given = self._call(function, values)
                except TooManyCombinationsError as error:
                    raise self._of_axes(function, error) from None
                for name, result in given.items():
                    values[name] = _bounds_as_grids(result, dimensions)
                    if name in self.graph.unsigned:
                        self._note_negative(values[name])
                for need in function.needs:
                    if last_use[need] == position and need not in cut:
                        values.pop(need, None)
        self.cut: dict[str, np.ndarray] = {}
        self.upper: dict[str, np.ndarray] = {}
        self.constants: dict[str, Any] = {}  # texts and tables, which go to functions whatever the others are
        for name in self.plan.cut:
            value = values[name]
            if isinstance(value, Range):
                self.cut[name] = self._atom_layout(name, np.broadcast_to(value.low, value.shape))
                self.upper[name] = self._atom_layout(name, np.broadcast_to(value.high, value.shape))
            elif isinstance(value, np.ndarray) and value.dtype != object:
                self.cut[name] = self._atom_layout(name, value)
            else:
                self.constants[name] = value
        _share_equal(self.cut)
        self.table_bytes = sum(table.nbytes for table in self.cut.values())

    def _of_axes(self, function: ModelFunction, error: TooManyCombinationsError) -> TooManyCombinationsError:
        """Return the error with the axes that a function depends on, the longest first."""
        axes = [self.product.axes[axis] for axis in frozenset().union(*map(self._axes, function.gives))]
        named = ", ".join(
            f"{axis.name} ({len(axis):,})" for axis in sorted(axes, key=lambda axis: (-len(axis), axis.name))
        )
        return TooManyCombinationsError(f"{error.problem}; they come from the axes {named}", allowed=error.allowed)

    def _note_negative(self, grid: Given) -> None:
        """Note the first design that has a negative value; the other axes are at their first rows."""
        if self.negative is None and isinstance(grid, np.ndarray) and (grid < 0).any():
            rows = np.unravel_index(int(np.argmax(grid < 0)), grid.shape)
            self.negative = sum(
                int(self._contribution(axis)[rows[axis] if grid.shape[axis] > 1 else 0])
                for axis in range(len(self.product.axes))
            )

    def _atom_layout(self, name: str, value: np.ndarray) -> np.ndarray:
        """Lay a table out with one dimension per atom, contiguous in loop order."""
        shape = self.product.shape or (1,)
        own = [atom for atom in self.atoms if not self._axes(name).isdisjoint(atom)]
        full = list(value.shape)
        for atom in own:
            for axis in atom:
                full[axis] = shape[axis]
        order = [axis for atom in self.atoms for axis in atom]
        spread = np.broadcast_to(value, full).transpose(order)
        lengths = [n if atom in own else 1 for n, atom in zip(self.lengths, self.atoms, strict=True)]
        return np.ascontiguousarray(spread).reshape(lengths)

    def _numbers(self, atom: tuple[int, ...]) -> np.ndarray:
        total = np.zeros((1,) * len(atom), dtype=np.int64)
        for position, axis in enumerate(atom):
            shape = [1] * len(atom)
            shape[position] = -1
            total = total + self._contribution(axis).reshape(shape)
        return total.reshape(-1)

    def _contribution(self, axis: int) -> np.ndarray:
        """Return what each row of an axis adds to the design number within the product."""
        if self.contributions is not None:
            return self.contributions[axis]
        if not self.product.shape:
            return np.zeros(1, dtype=np.int64)
        return np.arange(self.product.shape[axis], dtype=np.int64) * self.product.strides[axis]

    @property
    def size(self) -> int:
        """Number of designs."""
        return prod(self.lengths)

    def release(self) -> None:
        """Give the tables back: nothing can be evaluated after that."""
        self.cut, self.upper = {}, {}

    def with_last(self, atom: int) -> ProductEvaluator:
        """Return the same loop with one of the atoms innermost."""
        order = [*(other for other in range(len(self.atoms)) if other != atom), atom]
        place = {other: position for position, other in enumerate(order)}
        other = copy.copy(self)
        other.atoms = tuple(self.atoms[position] for position in order)
        other.lengths = tuple(self.lengths[position] for position in order)
        other.numbers = [self.numbers[position] for position in order]
        other.cut = {name: np.moveaxis(table, atom, -1) for name, table in self.cut.items()}
        other.upper = {name: np.moveaxis(table, atom, -1) for name, table in self.upper.items()}
        other.own = {name: tuple(sorted(place[position] for position in own)) for name, own in self.own.items()}
        other.function_atoms = [tuple(sorted(place[position] for position in own)) for own in self.function_atoms]
        return other

    def join(self, values: dict[str, V], functions: Sequence[ModelFunction] | None = None) -> dict[str, V]:
        """Call the joined functions on values of the cut quantities (points or ranges) and add their results."""
        values.update(self.constants)
        for function in self.joined if functions is None else functions:
            values.update(call(function, values))
        return values

    def at_rows(self, rows: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Evaluate the designs at the given rows of each atom (arrays of one length)."""
        values: dict[str, np.ndarray] = {}
        for name, table in self.cut.items():
            index = tuple(row if table.shape[atom] > 1 else 0 for atom, row in enumerate(rows))
            values[name] = np.ascontiguousarray(table[index]) if self.own[name] else table.reshape(-1)[:1]
        with np.errstate(all="ignore"):
            return self.join(values)


class Blocks:
    """Blocks of a product: joined functions are called again only when the rows they depend on have changed."""

    def __init__(self, evaluator: ProductEvaluator, steps: Sequence[int]) -> None:
        self.evaluator = evaluator
        self.steps = tuple(steps)
        self._rows: dict[int, tuple[object, ...]] = {}
        self._values: dict[str, np.ndarray] = dict(evaluator.constants)
        self._slices: dict[str, tuple[object, ...]] = {}
        self.calls = 0

    def counts(self) -> tuple[int, ...]:
        """Number of ranges along each atom."""
        return tuple(-(-n // step) for n, step in zip(self.evaluator.lengths, self.steps, strict=True))

    @cached_property
    def nesting(self) -> tuple[int, ...]:
        """Atoms from the outermost loop over blocks to the innermost, so that functions are called again least.

        An atom that few functions depend on goes inside, however short it is: the others then keep what they have.
        """
        evaluator, counts = self.evaluator, self.counts()
        work = [
            (atoms, evaluator.structure.operations[position] * prod(self.steps[atom] for atom in atoms))
            for position, atoms in zip(evaluator.plan.joined, evaluator.function_atoms, strict=True)
        ]

        def operations(order: tuple[int, ...]) -> int:
            total = 0
            for atoms, once in work:
                innermost = max((level for level, atom in enumerate(order) if atom in atoms), default=-1)
                total += once * prod(counts[atom] for atom in order[: innermost + 1])
            return total

        loops = [atom for atom, count in enumerate(counts) if count > 1]
        rest = tuple(atom for atom, count in enumerate(counts) if count == 1)
        orders = permutations(loops) if len(loops) <= _MOST_LOOPS else [tuple(loops)]
        return (*min(orders, key=operations), *rest)

    def index(self, linear: int) -> list[int]:
        """Return which range of each atom the block has that comes at a place of the loop over all blocks."""
        counts, place = self.counts(), [0] * len(self.steps)
        for atom in reversed(self.nesting):
            linear, place[atom] = divmod(linear, counts[atom])
        return place

    def ranges(self, index: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the rows of each atom that a block spans."""
        return tuple(
            (i * step, min(n, (i + 1) * step))
            for i, step, n in zip(index, self.steps, self.evaluator.lengths, strict=True)
        )

    def evaluate(
        self, ranges: Sequence[tuple[int, int]], positions: Sequence[int] | None = None
    ) -> dict[str, np.ndarray]:
        """Return all quantities of the loop on a block (`positions`: only these of the joined functions)."""
        evaluator, values = self.evaluator, self._values
        for name, table in evaluator.cut.items():
            own = evaluator.own[name]
            key = tuple(ranges[atom] for atom in own)
            if self._slices.get(name) != key:
                self._slices[name] = key
                index = tuple(
                    slice(*ranges[atom]) if table.shape[atom] > 1 else slice(None) for atom in range(table.ndim)
                )
                values[name] = table[index]
        for position in range(len(evaluator.joined)) if positions is None else positions:
            key = tuple(ranges[atom] for atom in evaluator.function_atoms[position])
            if self._rows.get(position) != key:
                self._rows[position] = key
                values.update(call(evaluator.joined[position], values))
                self.calls += 1
        return values


def _share_equal(tables: dict[str, np.ndarray]) -> None:
    """Let quantities whose tables are equal to the last bit have one: times of the only class, say, and of a node."""
    first: dict[tuple[tuple[int, ...], str, bytes], np.ndarray] = {}
    for name, table in tables.items():
        if table.size > _SHARED_FROM:
            tables[name] = first.setdefault((table.shape, table.dtype.char, blake2b(table.data).digest()), table)


def _bounds_as_grids(value: Given | Operand, dimensions: int) -> Operand:
    """Give a result one dimension per axis; of a range, or of a condition as 0 and 1, both bounds."""
    if not isinstance(value, (Range, Condition)):
        return as_grid(value, dimensions)
    low, high = bounds_of(value)
    return Range(as_grid(low, dimensions), as_grid(high, dimensions))


def bounds_of(value: Operand) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of a range, of points, or of a condition (as 0 and 1)."""
    bounded = Range.of(value) if isinstance(value, (Range, Condition)) else None
    if bounded is not None:
        return bounded.low, bounded.high
    array = np.asarray(value, dtype=float)
    return array, array
