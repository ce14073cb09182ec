"""Bundles: alike designs are bounded together by ranges and skipped when none of them can be on the frontier.

The rows of each atom are put into an order in which neighbours are alike, and cut into nested bundles. A *box* is one
bundle of each atom. The unchanged joined functions are called on the ranges of the cut quantities over boxes; a box
whose lower bounds the filter rejects, or in which a constraint cannot be met, is skipped, the others are split:

    level 0    nodes 16 | network 64 | cores, clock, cache 256      few, large boxes
    level 1    nodes  1 | network 64 | cores, clock, cache 256
    level 2    nodes  1 | network  8 | cores, clock, cache  32
    level 3    nodes  1 | network  1 | cores, clock, cache  32      survivors: every design is evaluated

Nothing needs to be monotone, ties stay, and the result is that of the plain search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.errors import ModelError
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import ProductEvaluator, bounds_of
from dse.graph.graph import call
from dse.search.account.elapsed import elapsed
from dse.search.bundles.design_search import ChunkResult, DesignSearch
from dse.search.bundles.halving import columns_of, halved
from dse.search.bundles.innermost import cut_short, expected_work, tightest
from dse.search.bundles.levels import Level, nested_levels, split
from dse.search.bundles.order import influences, laid_out
from dse.search.frontier.archive import Archive
from dse.search.frontier.rank_filter import RankFilter
from dse.search.proof.evidence import BEATEN, KEPT, Excluded, Sampler

__all__ = ["BundleProduct", "NoRangeForm"]

_INNER = 8
_FEWEST_BOXES = 2_048
_PIECE = 16_384
_POINTS = 4_096
_CHUNK = 2**32
_MANY = 160_000_000  # designs, from which it pays to look which atom goes innermost
_SETTLED_FROM = 4_000_000.0  # designs of work, below which more levels are not worth making
_MOST_PIECES = 64  # of a product: few boxes at once cost as much as many
_TRIED, _FOLLOWED = 4_096, 512  # boxes of a level that an estimate looks at, and those it splits


class NoRangeForm(ModelError):
    """A joined function cannot be evaluated on ranges; `position` is its place in the graph."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class BundleProduct(DesignSearch):
    """Searches one product by bundles, in chunks whose number depends on the space only.

    With `take_tables`, the tables of the evaluator are for this search alone: they go as they are laid out anew.
    """

    method = "bundles"
    filter = RankFilter
    counts_feasible = False

    def __init__(
        self,
        problem: Problem,
        index: int,
        *,
        evaluator: ProductEvaluator | None = None,
        chunk: int = _CHUNK,
        inner: int = _INNER,
        table_entries: int | None = None,
        take_tables: bool = False,
    ) -> None:
        super().__init__(problem, index, evaluator)
        self.table_entries = table_entries
        self._check_range_forms()
        cut = self.evaluator.cut if take_tables else dict(self.evaluator.cut)
        self.upper = dict(self.evaluator.upper)
        self.numbers = list(self.evaluator.numbers)
        lengths = self.evaluator.lengths
        many = self.evaluator.size > _MANY and len(lengths) > 1
        trees = self._rows_in_order(cut, inner, many=many)
        self._trees: list[list[np.ndarray]] | None = (
            None  # down to single rows, until it is settled how many go together
        )
        if many:
            self._trees = self._put_tightest_last(cut, trees, inner)
            if take_tables:
                self.evaluator.cut = cut
        self.levels = self._nested(cut, trees)
        self._pad_inner(cut)
        self._cut_into_pieces(chunk)

    def _nested(self, cut: dict[str, np.ndarray], trees: list[list[np.ndarray]]) -> list[Level]:
        """Return the levels of bundles, down to the last ones of each tree."""
        lengths = self.evaluator.lengths
        finest = Level.of_rows(cut, lengths, self.upper).merged(len(lengths) - 1, trees[-1][-1])
        rng = np.random.default_rng(self.problem.seed)
        with np.errstate(all="ignore"):
            return nested_levels(finest, trees, _FEWEST_BOXES, self._lower_and_missed, rng)

    def _cut_into_pieces(self, chunk: int) -> None:
        self.chunk, self.boxes = chunk, prod(self.levels[0].counts)
        per_chunk = max(1, self.boxes // min(_MOST_PIECES, max(1, -(-self.evaluator.size // chunk))))
        self.pieces = [(start, min(self.boxes, start + per_chunk)) for start in range(0, self.boxes, per_chunk)]

    def settle(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Split the innermost atom down to single rows where a sample says that it saves work; tell whether it did.

        Rows that are evaluated together save bounds, and are evaluated in vain where they are unlike. How many boxes
        and designs either way takes is counted on boxes that are followed down, beside the `seeds`; no clock is asked.
        """
        if self._trees is None:
            return False
        archive = self.new_archive(seeds, quiet=True)
        together = self._work(self.levels, archive)
        if together >= _SETTLED_FROM:
            cut = self._rows_of_tables()
            levels = self._nested(cut, self._trees)
            if self._work(levels, archive) < together:
                self._take(levels, cut)
                return True
        self._trees = None
        return False

    def expected_work(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> float:
        """Return what the search is expected to take beside the `seeds`, in designs that are evaluated: by counts."""
        return self._work(self.levels, self.new_archive(seeds, quiet=True))

    def split_rows(self) -> None:
        """Split the innermost atom down to single rows, as was settled elsewhere."""
        assert self._trees is not None
        cut = self._rows_of_tables()
        self._take(self._nested(cut, self._trees), cut)

    def _take(self, levels: list[Level], cut: dict[str, np.ndarray]) -> None:
        self._trees, self.levels = None, levels
        self._pad_inner(cut)
        self._cut_into_pieces(self.chunk)

    def _work(self, levels: list[Level], archive: Archive) -> float:
        """Return the work of a search through some levels, in designs that are evaluated."""
        sampler, rng = Sampler((0,), 1), np.random.default_rng(self.problem.seed)
        with np.errstate(all="ignore"):
            return expected_work(levels, lambda level, boxes: self.bounded(level, boxes, archive, sampler)[0], rng)

    def _rows_of_tables(self) -> dict[str, np.ndarray]:
        """Return the tables with the rows of the innermost atom one by one, as they were before they were padded."""
        row = np.arange(self.evaluator.lengths[-1])
        bundle = np.searchsorted(self.inner_begin, row, side="right") - 1
        inside = row - self.inner_begin[bundle]
        cut = {}
        for name, (flat, _, has_inner) in self.points.items():
            shape = self._shapes[name]
            cut[name] = flat.reshape(*shape, self.inner)[..., bundle, inside] if has_inner else flat.reshape(shape)
        return cut

    def _rows_in_order(self, cut: dict[str, np.ndarray], inner: int, *, many: bool) -> list[list[np.ndarray]]:
        """Put the rows of each atom into an order in which neighbours are alike; return where its bundles begin."""
        problem, lengths = self.problem, self.evaluator.lengths
        weights = influences(self.evaluator, problem.objectives, np.random.default_rng(problem.seed))
        trees: list[list[np.ndarray]] = []
        for atom in range(len(lengths)):
            least = 1 if atom < len(lengths) - 1 or many else min(inner, lengths[-1])
            order, starts = halved(columns_of(cut, atom, lengths[atom], weights), least)
            trees.append(starts)
            self.numbers[atom] = np.ascontiguousarray(self.numbers[atom][order])
            for tables in (cut, self.upper):
                laid_out(tables, partial(_rows_in, order, atom))
        return trees

    def _put_tightest_last(
        self, cut: dict[str, np.ndarray], trees: list[list[np.ndarray]], inner: int
    ) -> list[list[np.ndarray]]:
        """Make the atom whose bundles have the tightest bounds the last one, whose bundles are evaluated as a whole.

        Returns where bundles begin down to its single rows.
        """
        lengths = self.evaluator.lengths
        ends = [cut_short(tree, count, inner) for tree, count in zip(trees, lengths, strict=True)]
        rows = Level.of_rows(cut, lengths, self.upper)
        with np.errstate(all="ignore"):
            innermost = tightest(rows, ends, self._lower_and_missed, np.random.default_rng(self.problem.seed))
        del rows
        whole = trees[innermost]
        self.evaluator = self.evaluator.with_last(innermost)
        trees.pop(innermost)
        trees.append(ends[innermost])
        self.numbers.append(self.numbers.pop(innermost))
        for tables in (cut, self.upper):
            laid_out(tables, lambda table: np.ascontiguousarray(np.moveaxis(table, innermost, -1)))
        return [*trees[:-1], whole]

    def _lower_and_missed(self, values: dict[str, Range | Condition]) -> list[np.ndarray]:
        """Return the least value of each objective, and 1 for each constraint that cannot be met."""
        bounds = self._lower_bounds(self.evaluator.join(values))[0]
        met = [Condition.of(values[constraint.quantity]).can_be_true for constraint in self.constraints]
        return [*bounds, *(1.0 - own for own in met)]

    def _check_range_forms(self) -> None:
        """Call every joined function once on the ranges of the whole tables."""
        values: dict[str, Range | Condition] = {
            name: Range(np.array([table.min()]), np.array([self.evaluator.upper.get(name, table).max()]))
            for name, table in self.evaluator.cut.items()
        }
        values.update(self.evaluator.constants)
        with np.errstate(all="ignore"):
            for position, function in zip(self.evaluator.plan.joined, self.evaluator.joined, strict=True):
                try:
                    values.update(call(function, values))
                except ModelError as error:
                    raise NoRangeForm(str(error), position) from error

    def _pad_inner(self, cut: dict[str, np.ndarray]) -> None:
        """Lay the inner atom out in bundles of one size: each repeats its last row, without a design number.

        The tables are taken out of `cut`, so that of one at a time there are two.
        """
        begin, lengths = self.levels[-1].starts[-1], self.levels[-1].lengths[-1]
        self.inner = int(lengths.max())
        inside = np.arange(self.inner)
        rows = (begin[:, None] + np.minimum(inside, lengths[:, None] - 1)).reshape(-1)
        self.inner_numbers = np.where(inside < lengths[:, None], self.numbers[-1][rows].reshape(len(begin), -1), -1)
        self.inner_begin = begin
        self.points: dict[str, tuple[np.ndarray, tuple[int, ...], bool]] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        inner = {name: table.shape[-1] > 1 for name, table in cut.items()}
        if self.inner > 1:
            laid_out(cut, lambda table: table.take(rows, axis=-1) if table.shape[-1] > 1 else table)
        for name, has_inner in inner.items():
            table = cut.pop(name)
            shape = [*table.shape[:-1], len(begin) if has_inner else 1]
            strides = [0] * len(shape)
            step = 1
            for atom in range(len(shape) - 1, -1, -1):
                if shape[atom] > 1:
                    strides[atom] = step
                    step *= shape[atom]
            flat = table.reshape(-1, self.inner) if has_inner else table.reshape(-1, 1)
            self.points[name] = (flat, tuple(strides), has_inner)
            self._shapes[name] = tuple(shape)

    @property
    def by_blocks(self) -> None:
        """Nothing: it has boxes."""
        return None

    @property
    def by_boxes(self) -> BundleProduct:
        """Itself: it has boxes."""
        return self

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one chunk, depth first: the designs of one piece of boxes improve the filter for the next."""
        archive = self.new_archive(seeds)
        start, stop = self.pieces[piece]
        result = ChunkResult(archive.points, archive.numbers, 0, 0)
        sampler = Sampler((self.problem.seed, self.index, piece), -(-KEPT // len(self.pieces)))
        with np.errstate(all="ignore"):
            for begin in range(start, stop, _PIECE):
                flat = np.arange(begin, min(stop, begin + _PIECE), dtype=np.int64)
                boxes = tuple(np.unravel_index(flat, self.levels[0].counts))
                result.designs += self.levels[0].designs(boxes, np.ones(len(flat), dtype=bool))
                self._descend(0, boxes, archive, result, sampler, tick)
        result.points, result.numbers = archive.result()
        result.evidence, result.left_out = sampler.result(), archive.left_out
        return result

    def expected(self, seeds: tuple[np.ndarray, np.ndarray] | None, seconds: float) -> tuple[float, int]:
        """Follow some boxes down to single designs: the share that is left says how many there are one level below."""
        rng, archive = np.random.default_rng(self.problem.seed), self.new_archive(seeds)
        result, sampler = ChunkResult(archive.points, archive.numbers, 0, 0), Sampler((0,), 1)
        boxes = tuple(np.unravel_index(np.arange(self.boxes), self.levels[0].counts))
        total, count = 0.0, float(self.boxes)

        def sampled(boxes: tuple[np.ndarray, ...], most: int) -> tuple[np.ndarray, ...]:
            chosen = rng.permutation(len(boxes[0]))[:most]
            return tuple(box[chosen] for box in boxes)

        with np.errstate(all="ignore"):
            for depth, level in enumerate(self.levels):
                boxes, passed = sampled(boxes, _TRIED), elapsed()
                keep, _, _ = self.bounded(level, boxes, archive, sampler)
                total += passed() * count / len(keep)
                count *= np.count_nonzero(keep) / len(keep)
                boxes = sampled(tuple(box[keep] for box in boxes), _FOLLOWED)
                if not len(boxes[0]):
                    break
                if depth + 1 < len(self.levels):
                    children = split(level, boxes)
                    count *= len(children[0]) / len(boxes[0])
                    boxes = children
                else:
                    passed = elapsed()
                    self.evaluate(boxes, archive, result)
                    total += passed() * count / len(boxes[0])
        return total, result.evaluated

    def release(self) -> None:
        """Give tables and bounds back."""
        self.levels, self.points, self.upper, self._trees = [], {}, {}, None
        super().release()

    @property
    def orders(self) -> list[np.ndarray]:
        """What the rows of each atom add to the design number, in the order boxes are cut from."""
        return self.numbers

    def _ends(self) -> dict[str, np.ndarray]:
        return {name: np.array([low.min(), high.max()]) for name, (low, high, _) in self.levels[-1].bounds.items()}

    def at_rows(self, rows: tuple[np.ndarray, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Evaluate the designs at rows of the atoms, in the order boxes are cut from."""
        bundle = np.searchsorted(self.inner_begin, rows[-1], side="right") - 1
        outer, inside = (*rows[:-1], bundle), rows[-1] - self.inner_begin[bundle]
        values: dict[str, np.ndarray] = {}
        for name, (flat, strides, has_inner) in self.points.items():
            index: np.ndarray | int = 0
            for row, stride in zip(outer, strides, strict=True):
                index = index + row * stride if stride else index
            varies = has_inner or any(strides)
            values[name] = flat[index, inside if has_inner else 0] if varies else flat[0, :1]
        numbers = np.full(len(rows[0]), self.offset, dtype=np.int64)
        for own, row in zip(self.numbers, rows, strict=True):
            numbers += own[row]
        with np.errstate(all="ignore"):
            return self.evaluator.join(values), self.named(numbers)

    def named(self, numbers: np.ndarray) -> np.ndarray:
        """Return the design numbers from the sums of what the rows of each atom add to them."""
        return numbers

    def _descend(
        self,
        depth: int,
        boxes: tuple[np.ndarray, ...],
        archive: Archive,
        result: ChunkResult,
        sampler: Sampler,
        tick: Callable[[int], None] | None,
    ) -> None:
        level = self.levels[depth]
        keep, _, _ = self.bounded(level, boxes, archive, sampler)
        excluded = level.designs(boxes, ~keep)
        result.excluded += excluded
        if tick is not None and excluded:
            tick(excluded)
        boxes = tuple(box[keep] for box in boxes)
        if not len(boxes[0]):
            return
        if depth + 1 == len(self.levels):
            together = max(_POINTS, _POINTS * _INNER // self.inner)
            for begin in range(0, len(boxes[0]), together):
                evaluated = self.evaluate(tuple(box[begin : begin + together] for box in boxes), archive, result)
                if tick is not None:
                    tick(evaluated)
            return
        children = split(level, boxes)
        for begin in range(0, len(children[0]), _PIECE):
            piece = tuple(box[begin : begin + _PIECE] for box in children)
            self._descend(depth + 1, piece, archive, result, sampler, tick)

    def bounded(
        self, level: Level, boxes: tuple[np.ndarray, ...], archive: Archive, sampler: Sampler
    ) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """Return which boxes may hold a design of the frontier, or one that is not finite, with their bounds.

        Returns
        -------
        (keep, lower, unbounded)
            Arrays that broadcast to the boxes: `lower` the least value of each objective, all to be minimised;
            `unbounded` where a bound of an objective or of what a constraint reads is not finite.
        """
        values = self.evaluator.join(level.ranges(boxes))
        count = len(boxes[0])
        keep, look = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
        for constraint in self.constraints:
            keep &= Condition.of(values[constraint.quantity]).can_be_true
            for need in constraint.expression.needs:
                bounds = values[need]
                if isinstance(bounds, Range):
                    look |= ~_finite(bounds)
        lower, finite = self._lower_bounds(values)
        keep &= archive.may_hold(lower) | ~finite
        keep |= look
        dropped, keys = sampler.draw(np.flatnonzero(~keep))
        if len(dropped):
            limits = np.full(len(dropped), BEATEN, dtype=np.int64)
            for place, constraint in reversed([*enumerate(self.constraints)]):
                possible = np.broadcast_to(Condition.of(values[constraint.quantity]).can_be_true, count)
                limits[~possible[dropped]] = place
            sampler.note(self.excluded(level, boxes, lower, limits, dropped, keys))
        return keep, lower, look | ~finite

    def _lower_bounds(self, values: dict[str, Range | Condition]) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the least value of each objective, to be minimised, and where all bounds are finite."""
        lower, finite = [], np.ones(1, dtype=bool)
        for objective in self.problem.objectives:
            low, high = bounds_of(values[objective.quantity])
            finite = finite & np.isfinite(low + high)
            lower.append(-high if objective.sense == "max" else low)
        return lower, finite

    def excluded(
        self,
        level: Level,
        boxes: tuple[np.ndarray, ...],
        lower: Sequence[np.ndarray],
        limits: np.ndarray,
        dropped: np.ndarray,
        keys: np.ndarray,
    ) -> Excluded:
        """Return some dropped boxes, with their bounds and the `limits` that none of their designs can meet."""
        begin = np.stack([own[box[dropped]] for box, own in zip(boxes, level.starts, strict=True)], axis=1)
        end = begin + np.stack([own[box[dropped]] for box, own in zip(boxes, level.lengths, strict=True)], axis=1)
        bounds = np.stack([np.broadcast_to(low, len(boxes[0]))[dropped] for low in lower], axis=1)
        return Excluded(begin, end, bounds, limits, keys)

    def evaluate(self, boxes: tuple[np.ndarray, ...], archive: Archive, result: ChunkResult) -> int:
        """Evaluate every design of some boxes of the last level, and return how many they are."""
        values: dict[str, np.ndarray] = {}
        for name, (flat, strides, _) in self.points.items():
            index: np.ndarray | None = None
            for atom, stride in enumerate(strides):
                if stride:
                    part = boxes[atom] if stride == 1 else boxes[atom] * stride
                    index = part if index is None else index + part
            values[name] = flat[:1] if index is None else flat.take(index, axis=0)
        self.evaluator.join(values)
        shape = (len(boxes[0]), self.inner)
        inner = self.inner_numbers[boxes[-1]]
        real = inner >= 0
        count = int(np.count_nonzero(real))
        result.evaluated += count

        def numbers(rows: tuple[np.ndarray, ...]) -> np.ndarray:
            total = inner[rows] + self.offset
            for atom in range(len(boxes) - 1):
                total = total + self.numbers[atom][boxes[atom][rows[0]]]
            return self.named(np.asarray(total))

        # Rows that only repeat the last one have no number, so they stand behind those that have one.
        mask = None if real.all() else real
        for met in self.conditions(values, shape, numbers):
            mask = met if mask is None else mask & met
        self.sift(values, mask, shape, numbers, archive, result)
        return count


def _rows_in(order: np.ndarray, atom: int, table: np.ndarray) -> np.ndarray:
    """Return a table with the rows of an atom in another order."""
    return np.ascontiguousarray(np.take(table, order, axis=atom)) if table.shape[atom] > 1 else table


def _finite(bounds: Range) -> np.ndarray:
    result: np.ndarray = np.isfinite(bounds.low) & np.isfinite(bounds.high)
    return result
