"""Groups (Pareto algebra): axes that reach the results through few quantities are reduced before they are combined.

    wafer × cores × clock × vectors × caches    6,480 rows  →  3,313 ┐
    fabric × cards × shape                      6,160 rows  →    240 ├─ combined, searched by bundles
    sockets | memory | modules                  the axes that are left ┘

Groups have no axis in common or lie inside each other (`dse.search.groups.nested_groups`), and a row is only replaced
by one of the same group that is no worse whatever the other axes are, so that one replacement cannot undo another. The
frontier of what is left has every objective vector of the frontier of the whole. Designs that were pruned although they
equal one of it are looked up (`dse.search.groups.ties`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Range
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.search.account.tolerance import Tolerance
from dse.search.bundles.design_search import ChunkResult
from dse.search.bundles.product_search import BlockSearch, BoxSearch, ProductSearch
from dse.search.frontier.archive import Archive
from dse.search.groups.nested_groups import Choice, chosen
from dse.search.groups.ragged_product import RaggedProduct
from dse.search.groups.reduced_product import ReducedProduct
from dse.search.groups.shared_axes import shared_choice
from dse.search.groups.ties import LARGEST, TieFinder
from dse.search.proof.evidence import GroupEvidence, pruned_evidence
from dse.search.proof.monotone import Group, Monotonicity, Refused

__all__ = ["GroupProduct", "Refused", "reduced_evaluator"]


_COME_BACK = 50.0  # times the designs that groups had left


class GroupProduct:
    """Searches one product after its groups were reduced: it holds the search of what they leave.

    Raises
    ------
    Refused
        When nothing can be pruned, with the reason.

    Attributes
    ----------
    remaining : ProductSearch
        The search of what is left of the product, by bundles or design by design.
    descriptions, not_pruned : list of str
        Each group in words, and the quantities that must be equal for rows to be compared, with the reason.
    """

    method = "groups"
    counts_feasible = False

    def __init__(self, problem: Problem, index: int, *, block: int | None = None) -> None:
        self.problem, self.index = problem, index
        self.constraints = problem.systems[index].constraints
        self.known = Monotonicity(problem, index)
        self.known.check_finite()
        self.choices = chosen(self.known)
        self.stages, self.remaining = self._sharing() or self._apart(block)
        self.pruned = self.known.product.size - self.remaining.evaluator.size
        self.descriptions = [self._choice_text(stage) for stage in self.stages]
        self.descriptions += [f"limit '{text}': every design meets it" for text in self.known.always_met()]
        self.not_pruned = [f"{name}: {reason}" for stage in self.stages for name, reason in stage.group.keys.items()]

    def _sharing(self) -> tuple[list[Choice], ProductSearch] | None:
        """Return groups that share axes, and the search of what they leave, where that pays."""
        shared = shared_choice(self.known, self.choices)
        if shared is None:
            return None
        try:
            remaining = RaggedProduct(self.known, shared).search(self.problem, self.index)
        except Refused:
            return None  # groups without a common axis stay
        return [*shared.stages()], remaining

    def _apart(self, block: int | None) -> tuple[list[Choice], ProductSearch]:
        """Return groups that have no axis in common or lie inside each other, and the search of what they leave."""
        if not self.choices:
            raise Refused(_why_not(self.known))
        stages = [stage for choice in self.choices for stage in choice.stages()]
        reduced = ReducedProduct(self.known, self.choices)
        return stages, reduced.search(self.problem, self.index, reduced.evaluator(frozenset()), block)

    # ---- what the search of what is left does for it ----

    def __len__(self) -> int:
        return len(self.remaining)

    @property
    def evaluator(self) -> ProductEvaluator:
        """What evaluates the designs that are left."""
        return self.remaining.evaluator

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """The pieces of what is left."""
        return self.remaining.pieces

    @property
    def designs(self) -> int:
        """Designs that are left."""
        return self.remaining.designs

    @property
    def by_blocks(self) -> BlockSearch | None:
        """What walks the blocks of what is left, where it has blocks."""
        return self.remaining.by_blocks

    @property
    def by_boxes(self) -> BoxSearch | None:
        """What bounds the boxes of what is left, where it has boxes."""
        return self.remaining.by_boxes

    @property
    def tolerance(self) -> Tolerance | None:
        """How much worse than what it leaves out the designs it finds may be."""
        return self.remaining.tolerance

    @tolerance.setter
    def tolerance(self, tolerance: Tolerance | None) -> None:
        self.remaining.tolerance = tolerance

    @property
    def grew(self) -> Callable[[int], None] | None:
        """Told how many designs the frontier of a piece has so far."""
        return self.remaining.grew

    @grew.setter
    def grew(self, grew: Callable[[int], None] | None) -> None:
        self.remaining.grew = grew

    def at_rows(self, rows: tuple[np.ndarray, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Evaluate designs of what is left, at rows of its atoms."""
        return self.remaining.at_rows(rows)

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one piece of what is left."""
        result = self.remaining.run(piece, seeds, tick)
        result.feasible = result.infeasible = None
        return result

    def hull(self) -> list[tuple[float, float]]:
        """Return the least and the most of each objective in what is left."""
        return self.remaining.hull()

    def expected(self, seeds: tuple[np.ndarray, np.ndarray] | None, seconds: float) -> tuple[float, int]:
        """Return what the search of what is left is expected to take."""
        return self.remaining.expected(seeds, seconds)

    def new_archive(
        self, seeds: tuple[np.ndarray, np.ndarray] | None, entries: int | None = None, *, quiet: bool = False
    ) -> Archive:
        """Return an archive for what is left, that starts from the seeds."""
        return self.remaining.new_archive(seeds, entries, quiet=quiet)

    def settle(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Split innermost rows of what is left where that saves work."""
        return self.remaining.settle(seeds)

    def split_rows(self) -> None:
        """Split innermost rows of what is left."""
        self.remaining.split_rows()

    def release(self) -> None:
        """Give the tables of what is left back."""
        self.remaining.release()

    @property
    def orders(self) -> list[np.ndarray]:
        """What the rows of each atom of what is left add to the design number, in the order boxes are cut from."""
        return self.remaining.orders

    # ---- what it knows of its groups ----

    @property
    def assumed(self) -> frozenset[str]:
        """Functions of the mathematical library that the proofs take to be monotone."""
        return frozenset().union(*(stage.group.assumed for stage in self.stages))

    def evidence(self, most: int) -> list[GroupEvidence]:
        """Return some pruned rows of each group, with the row that replaces each."""
        rng = np.random.default_rng([self.problem.seed, self.index])
        share = -(-most // len(self.stages))
        return [
            pruned_evidence(self.known, stage.group, stage.factors, stage.kept, share, rng) for stage in self.stages
        ]

    @cached_property
    def finders(self) -> list[TieFinder] | None:
        """What looks up equal designs, group by group; None where a group is too large for it.

        A group comes before those inside it: what it finds holds rows that are left of these.
        """
        if any(stage.every > LARGEST for stage in self.stages):
            return None
        return [TieFinder(self.known, stage.group, stage.factors) for stage in reversed(self.stages)]

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

    def _choice_text(self, stage: Choice) -> str:
        """Say what is left of a group, of what, and why."""
        shared = stage.group.shared
        words = f"{self._axes(stage.group.axes - shared)}: {len(stage.kept)} of {stage.every} rows left"
        if shared:
            words += f", of each value of the shared axes {self._axes(shared)} by itself"
        if stage.inside:
            words += (
                f" (made of those left of {' and of '.join(self._axes(inner.group.axes) for inner in stage.inside)})"
            )
        if not stage.group.columns and not stage.group.keys:
            return f"{words}, any of them: no result depends on which"
        if len(stage.group.axes) == len(stage.kept) == 1 and not stage.group.limits:
            words += ", the best whatever the others are"
        senses = [f"{'less' if sense > 0 else 'more'} {name}" for name, sense in stage.group.columns.items()]
        return words + (f"; better is {', '.join(senses)}" if senses else "")


def reduced_evaluator(
    problem: Problem,
    index: int,
    unknown: Mapping[str, Operand],
    forced: frozenset[int],
    before: Sequence[Choice] = (),
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
    before : sequence of Choice, optional
        Groups of the product that were reduced while nothing was unknown: taken as they are where no unknown reaches
        inside them, and the same is proved of them.

    Raises
    ------
    Refused
        Nothing can be pruned.
    """
    ranges = {name: Range.of(bounds) for name, bounds in unknown.items()}
    known = Monotonicity(problem, index, {name: _shaped(bounds, 1) for name, bounds in ranges.items()})
    known.check_finite()
    choices = _proved_again(known, before) or chosen(known)
    if not choices:
        raise Refused(_why_not(known))
    reduced = ReducedProduct(known, choices)
    dimensions = max(1, len(reduced.product.axes))
    return reduced.evaluator(forced, {name: _shaped(bounds, dimensions) for name, bounds in ranges.items()})


def _proved_again(known: Monotonicity, before: Sequence[Choice]) -> list[Choice]:
    """Return groups that were reduced before, or those inside them, of which all that was proved holds.

    An interface that an unknown reaches is not proved, so what is left of a group holds the very rows it held. None
    where too much of what was pruned would come back: then it is worth while to look for other groups.
    """
    proved = known.prove_all([stage.group.axes for choice in before for stage in choice.stages()])

    def holding(choice: Choice) -> list[Choice]:
        group = proved[choice.group.axes]
        if group is not None and _compared(group) == _compared(choice.group):
            return [replace(choice, group=group)]
        return [inner for own in choice.inside for inner in holding(own)]

    held = [own for choice in before for own in holding(choice)]
    back = _pruned(known, before) / _pruned(known, held)
    return held if back <= _COME_BACK else []


def _pruned(known: Monotonicity, choices: Sequence[Choice]) -> float:
    """Return by which factor groups leave less."""
    return float(np.prod([known.rows(choice.group.axes) / max(1, len(choice.kept)) for choice in choices]))


def _compared(group: Group) -> tuple[object, ...]:
    """Return what decides which rows of a group are left."""
    return dict(group.columns), set(group.keys), set(group.limits), group.shared


def _shaped(bounds: Range, dimensions: int) -> Range:
    shape = (1,) * dimensions
    return Range(bounds.low.reshape(shape), bounds.high.reshape(shape))


def _why_not(known: Monotonicity) -> str:
    """Name what kept the largest candidate from being reduced."""
    for axes in sorted(known.candidates(), key=known.rows, reverse=True):
        group = known.prove(axes)
        if group is not None and group.keys:
            name, reason = next(iter(group.keys.items()))
            return f"too few rows beat others; of the largest group '{name}' must be equal, because {reason}"
    return "no group of axes reaches the results through few quantities in which they are monotone"
