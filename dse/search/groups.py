"""Groups (Pareto algebra): axes that reach the results through few quantities are reduced before they are combined.

    wafer × cores × clock × vectors × caches    6,480 rows  →  3,313 ┐
    fabric × cards × shape                      6,160 rows  →    240 ├─ combined, searched by bundles
    sockets | memory | modules                  the axes that are left ┘

Groups have no axis in common, and a row is only replaced by one of the same group that is no worse whatever the other
axes are, so that one replacement cannot undo another. The frontier of what is left has every objective vector of the
frontier of the whole. Designs that were pruned although they equal one of it are looked up (`dse.search.ties`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Range
from dse.authoring.declaration import ModelFunction
from dse.evaluation.plan import make_plan
from dse.evaluation.probe import probe
from dse.evaluation.problem import Problem, must_be_tabulated
from dse.evaluation.product import ProductEvaluator
from dse.graph.graph import Input
from dse.search.bundles import BundleProduct, NoRangeForm
from dse.search.evidence import GroupEvidence, pruned_evidence
from dse.search.exhaustive import ExhaustiveProduct
from dse.search.monotone import Group, Monotonicity, Refused
from dse.search.product import ChunkResult, ProductSearch
from dse.search.reduction import Rows, kept_rows, thinned
from dse.search.ties import LARGEST, TieFinder
from dse.space.axes import Axis

__all__ = ["GroupProduct", "Refused", "reduced_evaluator"]

_FEWEST_ROWS = 8
_LARGEST_GROUP = 100_000_000
_FEW_COLUMNS = 5
_SAMPLED = 4_000
_MANY_ROWS = 100_000  # take about a second to reduce, and their tables much memory
_MOST_KEPT = 1_000_000
_LEAST_GAIN = 1.25
_DOUBT = 0.6  # what a sample of a group promises, in part
_BUNDLES_FROM = 5_000_000
_LARGEST_FORCED = 4_000_000
_EXACT_PACKING = 14


@dataclass(frozen=True)
class _Choice:
    """A group with its rows, and how many combinations its axes have."""

    group: Group
    kept: Rows
    every: int


class GroupProduct(ProductSearch):
    """Searches one product after its groups were reduced.

    Raises
    ------
    Refused
        When nothing can be pruned, with the reason.

    Attributes
    ----------
    told, not_pruned : list of str
        Each group in words, and the quantities that must be equal for rows to be compared, with the reason.
    """

    method = "groups"

    def __init__(self, problem: Problem, index: int, *, block: int | None = None) -> None:
        self.known = Monotonicity(problem, index)
        self.known.check_finite()
        self.choices = _chosen(self.known)
        if not self.choices:
            raise Refused(_why_not(self.known))
        reduced = _Reduced(self.known, self.choices)
        super().__init__(problem, index, reduced.evaluator(frozenset()))
        self.pruned = _pruned(self.known.product.size, self.choices)
        self.inner = reduced.search(problem, index, self.evaluator, block)
        self.evaluator, self.pieces = self.inner.evaluator, self.inner.pieces
        self.told = [self._words(choice) for choice in self.choices]
        self.not_pruned = [f"{name}: {reason}" for choice in self.choices for name, reason in choice.group.keys.items()]

    def at_rows(self, rows: tuple[np.ndarray, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Evaluate designs of what is left, at rows of its atoms."""
        return self.inner.at_rows(rows)

    @property
    def assumed(self) -> frozenset[str]:
        """Functions of the mathematical library that the proofs take to be monotone."""
        return frozenset().union(*(choice.group.assumed for choice in self.choices))

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one piece of what is left."""
        self.inner.found, self.inner.tolerance = self.found, self.tolerance
        result = self.inner.run(piece, seeds, tick)
        result.feasible = result.infeasible = None
        return result

    def hull(self) -> list[tuple[float, float]]:
        """Return the least and the most of each objective in what is left."""
        return self.inner.hull()

    def expected(self, seeds: tuple[np.ndarray, np.ndarray] | None, seconds: float) -> tuple[float, int]:
        """Return what the search of what is left is expected to take."""
        self.inner.tolerance = self.tolerance
        return self.inner.expected(seeds, seconds)

    @property
    def orders(self) -> list[np.ndarray]:
        """What the rows of each atom of what is left add to the design number, in the order boxes are cut from."""
        return self.inner.orders

    def evidence(self, most: int) -> list[GroupEvidence]:
        """Return some pruned rows of each group, with the row that replaces each."""
        rng = np.random.default_rng([self.problem.seed, self.index])
        share = -(-most // len(self.choices))
        return [pruned_evidence(self.known, choice.group, choice.kept, share, rng) for choice in self.choices]

    @cached_property
    def finders(self) -> list[TieFinder] | None:
        """What looks up equal designs, group by group; None where a group is too large for it."""
        if any(choice.every > LARGEST for choice in self.choices):
            return None
        return [TieFinder(self.known, choice.group) for choice in self.choices]

    def equal_designs(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the designs that were pruned and equal some of the frontier (points to be minimised, numbers).

        Parameters
        ----------
        numbers : (n,) ndarray of int64
            The designs of the frontier that are in this product.

        Returns
        -------
        (points, numbers), or None where a group has too many rows to look them up
        """
        if self.finders is None:
            return None
        points = np.empty((0, len(self.problem.objectives)))
        every, extra = numbers, np.empty(0, dtype=np.int64)
        for finder in self.finders:
            equal, which = finder.find(every)
            points, extra = np.concatenate([points, equal]), np.concatenate([extra, which])
            every = np.unique(np.concatenate([every, which]))
        return points, extra

    def _axes(self, axes: frozenset[int]) -> str:
        return " × ".join(self.known.product.axes[axis].name for axis in sorted(axes))

    def _words(self, choice: _Choice) -> str:
        senses = [f"{'less' if sense > 0 else 'more'} {name}" for name, sense in choice.group.columns.items()]
        return f"{self._axes(choice.group.axes)}: {len(choice.kept)} of {choice.every} rows left" + (
            f"; better is {', '.join(senses)}" if senses else ""
        )


def _chosen(known: Monotonicity) -> list[_Choice]:
    """Return groups without a common axis that leave as few designs as possible."""
    options: dict[frozenset[int], tuple[float, Group]] = {}
    for axes in known.candidates():
        rows = known.rows(axes)
        if not _FEWEST_ROWS <= rows <= min(_LARGEST_GROUP, max(_SAMPLED, known.product.size // 100)):
            continue
        group = known.prove(axes)
        if group is None or (rows > LARGEST and len(group.columns) + 2 * len(group.keys) > _FEW_COLUMNS):
            continue
        share = _expected_share(known, group, rows)
        if share * _LEAST_GAIN <= 1:
            worth = -math.log(share) * (1.0 if rows <= _SAMPLED else _DOUBT) - math.log1p(rows / _MANY_ROWS)
            if worth > 0:
                options[axes] = (worth, group)
    choices = []
    for axes in _packed({axes: gain for axes, (gain, _) in options.items()}):
        group = options[axes][1]
        kept, _ = kept_rows(known, group)
        if len(kept) * _LEAST_GAIN <= known.rows(axes) and len(kept) <= _MOST_KEPT:
            choices.append(_Choice(group, kept, known.rows(axes)))
    return sorted(choices, key=lambda choice: min(choice.group.axes))


def reduced_evaluator(
    problem: Problem, index: int, unknown: Mapping[str, Operand], forced: frozenset[int]
) -> ProductEvaluator:
    """Return what is left of a product after its groups were reduced, while some inputs are not known.

    Whatever the values of these, a design that holds a pruned row is beaten or equalled by one that is left.

    Parameters
    ----------
    problem : Problem
    index : int
    unknown : mapping of str to Range
        Bounds that are the same for all designs of the product.
    forced : frozenset of int
        Functions to be tabulated, by their places in the graph of what is left.

    Raises
    ------
    Refused
        Nothing can be pruned.
    """
    ranges = {name: Range.of(bounds) for name, bounds in unknown.items()}
    known = Monotonicity(problem, index, {name: _shaped(one, 1) for name, one in ranges.items()})
    known.check_finite()
    choices = _chosen(known)
    if not choices:
        raise Refused(_why_not(known))
    reduced = _Reduced(known, choices)
    dimensions = max(1, len(reduced.product.axes))
    return reduced.evaluator(forced, {name: _shaped(one, dimensions) for name, one in ranges.items()})


def _shaped(one: Range, dimensions: int) -> Range:
    shape = (1,) * dimensions
    return Range(one.low.reshape(shape), one.high.reshape(shape))


def _expected_share(known: Monotonicity, group: Group, rows: int) -> float:
    """Return the share of the rows of a group that is expected to be left.

    Of a large group it follows from two samples: what is left grows as a power of the rows, with an exponent below 1.
    """

    def left(most: int) -> tuple[int, int]:
        sample = thinned(known, group, most)
        kept, _ = kept_rows(known, group, sample)
        return max(1, len(kept)), prod(len(some) for some in sample.values())

    kept, sampled = left(_SAMPLED)
    if sampled == rows:
        return kept / rows
    fewer, least = left(_SAMPLED // 8)
    exponent = min(1.0, math.log(kept / fewer) / math.log(sampled / least)) if sampled > least else 1.0
    return kept / sampled * (rows / sampled) ** (max(0.0, exponent) - 1.0)


def _pruned(designs: int, choices: Sequence[_Choice]) -> int:
    """Count the designs that hold a pruned row, group by group among those that are left."""
    left = designs
    for choice in choices:
        left = left // choice.every * len(choice.kept)
    return designs - left


def _packed(gains: dict[frozenset[int], float]) -> list[frozenset[int]]:
    """Return the sets without a common axis that have the largest sum of gains."""
    order = sorted(gains, key=lambda axes: (-gains[axes], sorted(axes)))
    if len(frozenset().union(*gains)) > _EXACT_PACKING:
        taken: list[frozenset[int]] = []
        for axes in order:
            if all(axes.isdisjoint(other) for other in taken):
                taken.append(axes)
        return taken
    best: dict[frozenset[int], tuple[float, tuple[frozenset[int], ...]]] = {}

    def solve(free: frozenset[int]) -> tuple[float, tuple[frozenset[int], ...]]:
        if not free:
            return 0.0, ()
        if free not in best:
            first = min(free)
            packing = solve(free - {first})
            for axes in order:
                if first in axes and axes <= free:
                    gain, rest = solve(free - axes)
                    if gain + gains[axes] > packing[0] + 1e-9:
                        packing = gain + gains[axes], (axes, *rest)
            best[free] = packing
        return best[free]

    return list(solve(frozenset().union(*gains))[1])


def _why_not(known: Monotonicity) -> str:
    """Name what kept the largest candidate from being reduced."""
    for axes in sorted(known.candidates(), key=known.rows, reverse=True):
        group = known.prove(axes)
        if group is not None and group.keys:
            name, reason = next(iter(group.keys.items()))
            return f"too few rows beat others; of the largest group '{name}' must be equal, because {reason}"
    return "no group of axes reaches the results through few quantities in which they are monotone"


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


class _Reduced:
    """The product whose axes are the kept rows of the groups and the axes that are in none."""

    def __init__(self, known: Monotonicity, choices: Sequence[_Choice]) -> None:
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
