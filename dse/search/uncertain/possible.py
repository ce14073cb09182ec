"""The designs that may be on the frontier at some value of what is not known: the space searched with ranges.

A design has bounds L and H of its objectives (to be minimised) over all values of the unknowns. One that meets its
limits whatever the unknowns are, and whose H beats the L of another, beats it everywhere. So bundles are looked at as
in a search, with the unknowns as ranges; no group of axes is reduced, as what is pruned there may be possible here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Range
from dse.errors import InputError, ModelError
from dse.evaluation.affected import affected_designs, bounds_at
from dse.evaluation.memory import keep_memory
from dse.evaluation.plan import make_plan
from dse.evaluation.problem import must_be_tabulated
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.evaluation.unknowns import ALTERNATIVE, UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.bundles.bundles import BundleProduct, NoRangeForm
from dse.search.bundles.design_search import ChunkResult
from dse.search.bundles.product_search import ProductSearch
from dse.search.frontier.archive import Archive
from dse.search.frontier.dominance import dominated_by
from dse.search.frontier.prefilter import Prefilter
from dse.search.groups.groups import GroupProduct, Refused, reduced_evaluator
from dse.search.groups.nested_groups import Choice
from dse.search.proof.evidence import Sampler

__all__ = ["MOST", "PointsOnly", "Possible", "TooManyPossible", "bounded", "search_possible", "unreached"]

MOST = 2_000_000
"""Designs that may be possible, beyond which nothing is said of them."""

_MERGED_FROM = 4_096
_SMALL = 5_000_000  # designs of an alternative, which are looked at first
_LONGEST = 600.0  # seconds
_LARGEST_FORCED = 4_000_000
_PAIRS = 300_000_000  # of designs and strong points, above which a quick look at a few of these has to do


class TooManyPossible(InputError):
    """Too many designs may be on the frontier, or to tell which would take too long."""


class PointsOnly(InputError):
    """A function that an unknown reaches has no form for ranges."""


@dataclass(frozen=True)
class Possible:
    """Designs that may be on the frontier at some value of the unknowns, in rising order of their numbers.

    Attributes
    ----------
    numbers : (n,) ndarray of int64
    low, high : (n, d) ndarray of float
        Bounds of the objectives, to be minimised.
    certain : (n,) ndarray of bool
        Which meet their limits at all values.
    evaluated : int
        Designs that were looked at one by one.
    ties_complete : bool
        Whether none is missing that equals one of these in all objectives.
    """

    numbers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    certain: np.ndarray
    evaluated: int
    ties_complete: bool = True

    def chosen(self, mask: np.ndarray) -> Possible:
        """Return some of them."""
        arrays = (self.numbers[mask], self.low[mask], self.high[mask], self.certain[mask])
        return Possible(*arrays, self.evaluated, self.ties_complete)


def whole(unknown: UncertainProblem, index: int) -> dict[str, Operand]:
    """Return the unknowns of a product over all their values, on the grid of its axes."""
    product = unknown.problem.space.products[index]
    dimensions = max(1, len(product.axes))
    drawn: dict[int, Operand] = {}
    for place, entry in enumerate(unknown.unknowns):
        low, high, shape = np.array([entry.low]), np.array([entry.high]), [1] * dimensions
        if entry.scope == "each":
            along = [at for at, axis in enumerate(product.axes) if axis.names(entry.axis) is not None]
            low = high = np.zeros(1)  # designs without the axis have none of its rows
            if entry.axis == ALTERNATIVE:
                low, high = entry.intervals([product.name])
            for at in along:
                axis = product.axes[at]
                low, high = entry.intervals(axis.names(entry.axis) or [])
                shape[at] = -1
        drawn[place] = Range(low.reshape(shape), high.reshape(shape))
    return unknown.given(index, drawn)


def search_possible(
    unknown: UncertainProblem,
    frontier: np.ndarray,
    tick: Callable[[int], None] | None = None,
    *,
    searches: Mapping[int, ProductSearch] | None = None,
    deadline: Deadline | None = None,
    products: Collection[int] | None = None,
) -> Possible:
    """Search the space with the unknowns as ranges.

    Parameters
    ----------
    unknown : UncertainProblem
    frontier : ndarray of int64
        Designs to start from, such as the frontier without unknowns.
    tick : callable, optional
        Told how many more designs are decided.
    searches : mapping of int to ProductSearch, optional
        Searches of products without unknowns. Of those that no unknown reaches, with their tables (`unreached`): their
        designs are points, so the search says which of them the certain designs of others leave. Of the others what
        their groups left is taken where that holds.
    deadline : Deadline, optional
        When it is no longer worth anything.
    products : collection of int, optional
        Those that are looked at. Default: all.

    Raises
    ------
    Late
        Not in time.
    PointsOnly
        A function that an unknown reaches has no form for ranges.
    InputError
        The search would take too long, or more than `MOST` designs are possible.
    """
    keep_memory()
    problem = unknown.problem
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives)))
    sizes = [product.size for product in problem.space.products]
    order = sorted(
        range(len(sizes)) if products is None else products, key=lambda index: (sizes[index] >= _SMALL, index)
    )
    given = searches or {}
    unmoved = unreached(unknown) & given.keys()
    looked_at = [*_at_start(unknown, frontier[:_MERGED_FROM], archive)]
    evaluated = 0
    for index in order:
        if deadline is not None:
            deadline.check()
        if index in unmoved:
            met, evaluated_here = _unmoved(given[index], archive, deadline)
        elif sizes[index] >= _SMALL and not _may_hold_any(unknown, index, archive, tick, given.get(index), deadline):
            continue
        else:
            met, evaluated_here = _searched(unknown, index, archive, tick, deadline)
        looked_at = _refiltered([*looked_at, *met], archive)
        evaluated += evaluated_here
    if not any(len(part.numbers) for part in looked_at):
        raise InputError(
            "no design meets its limits at any value of what is not known", key="uncertain", allowed="wider limits"
        )
    archive.merge()
    joined = _joined(looked_at)
    numbers, first = np.unique(joined.numbers, return_index=True)
    kept = Possible(numbers, joined.low[first], joined.high[first], joined.certain[first], evaluated)
    return _with_equals(kept.chosen(~_beaten(kept.low, archive)), [given[index] for index in sorted(unmoved)])


def bounded(unknown: UncertainProblem, numbers: np.ndarray) -> Possible:
    """Return the possible designs of some that are known to hold them all.

    Raises
    ------
    PointsOnly
        As `search_possible`.
    """
    archive = Archive(len(unknown.problem.objectives), Prefilter(len(unknown.problem.objectives)))
    joined = _joined(_at_start(unknown, numbers, archive))
    order = np.argsort(joined.numbers)
    return joined.chosen(order).chosen(~dominated_by(joined.low[order], archive.points))


def unreached(unknown: UncertainProblem) -> frozenset[int]:
    """Return the products in which no unknown changes an objective or a limit: one of rows needs their axis there."""
    unmoved = set()
    for index, product in enumerate(unknown.problem.space.products):
        axes = {ALTERNATIVE, *(name for axis in product.axes for name in (axis.name, getattr(axis, "joined", "")))}
        below = unknown.problem.systems[index].graph.below(unknown.problem.results(index))
        entering = [
            unknown.unknowns[at] for name, ats in unknown.entering(index).items() if name in below for at in ats
        ]
        if all(entry.scope == "each" and entry.axis not in axes for entry in entering):
            unmoved.add(index)
    return frozenset(unmoved)


def _searched(
    unknown: UncertainProblem,
    index: int,
    archive: Archive,
    tick: Callable[[int], None] | None,
    deadline: Deadline | None,
) -> tuple[list[Possible], int]:
    """Search one product with the unknowns as ranges."""
    search = _UncertainBundles(unknown, index)
    search.deadline = deadline
    if unknown.problem.space.products[index].size >= _SMALL:
        _refuse_long(search, archive.result(), deadline)
    result = ChunkResult(np.empty((0, 0)), np.empty(0, dtype=np.int64), 0, 0)
    met: list[Possible] = []
    for piece in range(len(search.pieces)):
        search.look(piece, archive, result, tick)
        met = [*met, *search.take()]
        if met and sum(len(part.numbers) for part in met[1:]) > len(met[0].numbers):
            met = _refiltered(met, archive)
    return met, result.evaluated


def _unmoved(search: ProductSearch, archive: Archive, deadline: Deadline | None) -> tuple[list[Possible], int]:
    """Search a product that no unknown reaches once more, from the worst values of the certain designs."""
    met, evaluated = [], 0
    for piece in range(len(search.pieces)):
        if deadline is not None:
            deadline.check()
        strong = archive.result()[0]
        result = search.run(piece, (strong, -1 - np.arange(len(strong))))
        own = result.numbers >= 0
        points, numbers = result.points[own], result.numbers[own]
        archive.add(points, numbers)
        met.append(Possible(numbers, points, points, np.ones(len(numbers), dtype=bool), 0))
        evaluated += result.evaluated
    return met, evaluated


def _with_equals(kept: Possible, searches: Sequence[ProductSearch]) -> Possible:
    """Return possible designs with those that equal some and were pruned by a search that was gone through again."""
    complete, more = True, [kept]
    for search in searches:
        if not isinstance(search, GroupProduct):
            continue
        first, size = search.problem.space.offsets[search.index], search.problem.space.products[search.index].size
        here = kept.numbers[(kept.numbers >= first) & (kept.numbers < first + size)]
        equals = search.equal_designs(here) if len(here) else (np.empty((0, kept.low.shape[1])), here)
        if equals is None:
            complete = False
        else:
            points, numbers = equals
            more.append(Possible(numbers, points, points, np.ones(len(numbers), dtype=bool), 0))
    joined = _joined(more)
    numbers, first_of = np.unique(joined.numbers, return_index=True)
    arrays = (numbers, joined.low[first_of], joined.high[first_of], joined.certain[first_of])
    return Possible(*arrays, kept.evaluated, complete)


def _beaten(low: np.ndarray, archive: Archive) -> np.ndarray:
    """Mark what the archive beats: a quick look at a few strong points first."""
    beaten = ~np.broadcast_to(archive.may_hold(list(low.T)), len(low))
    left = np.flatnonzero(~beaten)
    if len(left) * len(archive.points) <= _PAIRS:
        beaten[left] = dominated_by(low[left], archive.points)
    return beaten


def _at_start(unknown: UncertainProblem, numbers: np.ndarray, archive: Archive) -> list[Possible]:
    """Look at some designs one by one, which are then what the others are compared with."""
    looked = []
    for designs in affected_designs(unknown, numbers):
        try:
            low, high, can, must = (array[:, 0] for array in designs.bounds(designs.whole()))
        except ModelError as error:
            raise PointsOnly(str(error), key="uncertain") from None
        designs_here = Possible(designs.numbers, low, high, must, 0)
        archive.add(high[must], designs_here.numbers[must])
        looked.append(designs_here.chosen(can))
    archive.merge()
    return looked


def _refiltered(parts: list[Possible], archive: Archive) -> list[Possible]:
    """Leave out what is beaten by now, so that what is kept stays small."""
    if sum(len(part.numbers) for part in parts) < _MERGED_FROM:
        return parts
    archive.merge()
    joined = _joined(parts)
    kept = joined.chosen(~_beaten(joined.low, archive))
    if len(kept.numbers) > MOST:
        raise TooManyPossible(
            f"more than {MOST} designs may be on the frontier at some value of what is not known",
            key="uncertain",
            allowed="narrower intervals, errors that designs share, or more constraints",
        )
    return [kept]


def _joined(parts: list[Possible]) -> Possible:
    return Possible(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.certain for part in parts]),
        0,
    )


def _may_hold_any(
    unknown: UncertainProblem,
    index: int,
    archive: Archive,
    tick: Callable[[int], None] | None,
    before: ProductSearch | None = None,
    deadline: Deadline | None = None,
) -> bool:
    """Tell whether a product may hold a possible design, from what is left of it when groups of axes are reduced.

    A design with a pruned row is no better, in any objective or limit and at any value of the unknowns, than one that
    is left. So where all of these are beaten in *every* objective, or miss a limit, the pruned ones are too. Where one
    is not, nothing follows: a pruned design may be possible by a tie.
    """
    drawn = whole(unknown, index)
    if any(Range.of(bounds).low.size > 1 for bounds in drawn.values()):
        return True  # rows of one axis with intervals of their own are not to be compared
    try:
        search = _UncertainBundles(
            unknown, index, reduced=True, before=before.choices if isinstance(before, GroupProduct) else ()
        )
    except (Refused, InputError, ModelError):
        return True
    if deadline is not None:
        deadline.check()
        search.deadline = deadline
    result = ChunkResult(np.empty((0, 0)), np.empty(0, dtype=np.int64), 0, 0)
    for piece in range(len(search.pieces)):
        search.look(piece, archive, result, None)
        if search.unbeaten:
            return True
    if tick is not None:
        tick(unknown.problem.space.products[index].size)
    return False


def _refuse_long(search: _UncertainBundles, start: tuple[np.ndarray, np.ndarray], deadline: Deadline | None) -> None:
    seconds, _ = search.expected(start, 1.0)
    search.take()
    if deadline is not None:
        deadline.check(seconds)
    if seconds > _LONGEST:
        name = search.problem.space.products[search.index].name
        raise TooManyPossible(
            f"to tell which designs{f' of {name!r}' if name else ''} are possible would take about "
            f"{seconds / 60:.0f} minutes, as no group of axes can be reduced while numbers are unknown",
            key="uncertain",
            allowed=f"less than {_LONGEST / 60:.0f} minutes: narrower intervals, fewer values, more constraints",
        )


class _UncertainBundles(BundleProduct):
    """Bundles of a product whose unknowns are ranges, down to single designs that have bounds."""

    def __init__(
        self, unknown: UncertainProblem, index: int, *, reduced: bool = False, before: Sequence[Choice] = ()
    ) -> None:
        self.unknown, self.reduced, self.before = unknown, reduced, before
        self.unbeaten = False
        self.met: list[Possible] = []
        self.deadline: Deadline | None = None
        forced: frozenset[int] = frozenset()
        reached = frozenset(unknown.affected(index))
        problem = unknown.problem
        while True:
            try:
                super().__init__(problem, index, evaluator=self._evaluator(index, forced), take_tables=True)
                return
            except NoRangeForm as error:
                if reduced:
                    raise Refused(str(error)) from None
                label = problem.systems[index].graph.functions[error.position].label
                if error.position in reached | forced:
                    raise PointsOnly(f"{label} has no form for ranges: {error}", key="uncertain") from None
                if problem.table_rows(index, error.position) > _LARGEST_FORCED:
                    raise InputError(
                        f"{label} has no form for ranges, and too large a table", key="uncertain"
                    ) from None
                forced = forced | {error.position}

    def _evaluator(self, index: int, forced: frozenset[int]) -> ProductEvaluator:
        problem = self.unknown.problem
        if self.reduced:
            return reduced_evaluator(problem, index, whole(self.unknown, index), forced, self.before)
        product, system = problem.space.products[index], problem.systems[index]
        structure = problem.structure(index)
        forced = forced | must_be_tabulated(system.graph, product, structure)
        plan = make_plan(system.graph, structure, product.shape or (1,), problem.results(index), forced)
        reached = self.unknown.affected(index)
        for position in plan.tabulated:
            function = system.graph.functions[position]
            if function.points_only and position in reached:
                raise PointsOnly(f"{function.label} is computed for single values only", key="uncertain")
        try:
            return ProductEvaluator(
                system.graph, structure, plan, product, system.assumptions, unknown=whole(self.unknown, index)
            )
        except ModelError as error:
            raise PointsOnly(str(error), key="uncertain") from None

    def _pad_inner(self, cut: dict[str, np.ndarray]) -> None:
        super()._pad_inner(dict(self.upper))
        self.upper_points = self.points
        super()._pad_inner(cut)

    def look(
        self, piece: int, archive: Archive, result: ChunkResult, tick: Callable[[int], None] | None = None
    ) -> None:
        """Look at one piece of the boxes, with an archive that goes on growing."""
        start, stop = self.pieces[piece]
        flat = np.arange(start, stop, dtype=np.int64)
        with np.errstate(all="ignore"):
            for begin in range(0, len(flat), _MERGED_FROM):
                boxes = tuple(np.unravel_index(flat[begin : begin + _MERGED_FROM], self.levels[0].counts))
                self._descend(0, boxes, archive, result, Sampler((0,), 1), tick)

    def take(self) -> list[Possible]:
        """Return the designs that were met since the last time."""
        met, self.met = self.met, []
        return met

    def evaluate(self, boxes: tuple[np.ndarray, ...], archive: Archive, result: ChunkResult) -> int:
        if self.deadline is not None:
            self.deadline.check()
        values: dict[str, Operand] = {}
        for name in self.points:
            points = self._taken(self.points[name], boxes)
            values[name] = points
            if name in self.upper_points:
                values[name] = Range(points, self._taken(self.upper_points[name], boxes))
        self.evaluator.join(values)
        shape = (len(boxes[0]), self.inner)
        inner = self.inner_numbers[boxes[-1]]
        low, high, can, must = bounds_at(self.problem, self.index, values, shape)
        can &= inner >= 0
        can &= np.broadcast_to(archive.may_hold([low[..., i] for i in range(low.shape[-1])]), shape)
        count = int(np.count_nonzero(inner >= 0))
        result.evaluated += count
        rows = np.nonzero(can)
        if self.reduced:
            self.unbeaten |= len(rows[0]) > 0
        elif len(rows[0]):
            numbers = inner[rows] + self.offset
            for atom in range(len(boxes) - 1):
                numbers = numbers + self.numbers[atom][boxes[atom][rows[0]]]
            met = Possible(np.asarray(numbers), low[rows], high[rows], must[rows], 0)
            strong = met.high[met.certain]
            passing = np.broadcast_to(archive.may_hold(list(strong.T)), len(strong))
            if passing.any():
                archive.add(strong[passing], met.numbers[met.certain][passing])
                archive.merge()
            self.met.append(met.chosen(~dominated_by(met.low, archive.points)))
            if sum(len(part.numbers) for part in self.met) > MOST:
                self.met = _refiltered(self.met, archive)
        return count

    def _taken(self, table: tuple[np.ndarray, tuple[int, ...], bool], boxes: tuple[np.ndarray, ...]) -> np.ndarray:
        flat, strides, _ = table
        index: np.ndarray | None = None
        for atom, stride in enumerate(strides):
            if stride:
                part = boxes[atom] if stride == 1 else boxes[atom] * stride
                index = part if index is None else index + part
        return flat[:1] if index is None else flat.take(index, axis=0)
