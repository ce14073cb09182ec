"""The plain streamed search: every design is evaluated, every block filtered against the frontier so far.

This is the reference all other methods must equal.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from dse.evaluation.plan import block_shape
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import Blocks, ProductEvaluator
from dse.search.account.elapsed import elapsed
from dse.search.bundles.design_search import ChunkResult, DesignSearch
from dse.search.frontier.archive import Archive

__all__ = ["ExhaustiveProduct"]

_CHUNK = 2**25
_MOST_PIECES = 4_096  # of a space that nobody can walk through, the list of chunks alone would fill the memory


class _Enough(Exception):
    """A sample is large enough."""


class ExhaustiveProduct(DesignSearch):
    """Streams one product of a problem in chunks whose number depends on the space only."""

    method = "exhaustive"
    counts_feasible = True

    def __init__(
        self,
        problem: Problem,
        index: int,
        *,
        block: int | None = None,
        chunk: int = _CHUNK,
        evaluator: ProductEvaluator | None = None,
    ) -> None:
        super().__init__(problem, index, evaluator)
        names = [f.gives for f in self.evaluator.joined]
        needed = self.evaluator.graph.below([c.quantity for c in self.constraints])
        self.first = [p for p, gives in enumerate(names) if any(name in needed for name in gives)]
        self.rest = [p for p in range(len(names)) if p not in self.first]
        lengths = self.evaluator.lengths
        self.steps = block_shape(lengths, block) if block else block_shape(lengths)
        counts = Blocks(self.evaluator, self.steps).counts()
        self.counts = counts
        total = prod(counts)
        blocks_per_chunk = max(1, chunk // prod(self.steps), -(-total // _MOST_PIECES))
        self.pieces = [(start, min(total, start + blocks_per_chunk)) for start in range(0, total, blocks_per_chunk)]
        widest = [len(self.evaluator.own[o.quantity]) for o in problem.objectives]
        self.last = max(range(len(widest)), key=lambda i: (widest[i], i))

    @property
    def by_blocks(self) -> ExhaustiveProduct:
        """Itself: it has blocks."""
        return self

    @property
    def by_boxes(self) -> None:
        """Nothing: it has blocks."""
        return None

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one piece."""
        start, stop = self.pieces[piece]
        if seeds is not None and len(seeds[1]) > (stop - start) * prod(self.steps):
            seeds = None  # to look at the designs costs less than to look at what they start from
        archive = self.new_archive(seeds)
        result = ChunkResult(archive.points, archive.numbers, 0, 0, 0, {c.text: 0 for c in self.constraints})
        self.walk(start, stop, archive, result, tick)
        result.points, result.numbers = archive.result()
        result.left_out = archive.left_out
        return result

    def walk(
        self, start: int, stop: int, archive: Archive, result: ChunkResult, tick: Callable[[int], None] | None = None
    ) -> None:
        """Evaluate the designs of some blocks."""
        blocks = Blocks(self.evaluator, self.steps)
        with np.errstate(all="ignore"):
            for linear in range(start, stop):
                ranges = blocks.ranges(blocks.index(linear))
                size = prod(end - begin for begin, end in ranges)
                self._block(blocks, ranges, size, archive, result)
                result.evaluated += size
                result.designs += size
                if tick is not None:
                    tick(size)
        result.calls += blocks.calls

    def designs_of(self, start: int, stop: int) -> int:
        """Count the designs in some blocks."""
        blocks = Blocks(self.evaluator, self.steps)
        lengths = self.evaluator.lengths

        def before(linear: int) -> int:
            if linear >= prod(self.counts):
                return prod(lengths)
            total, outer, rest, place = 0, 1, prod(lengths), blocks.index(linear)
            for atom, (begin, end) in ((atom, blocks.ranges(place)[atom]) for atom in blocks.nesting):
                rest //= lengths[atom]
                total += outer * begin * rest
                outer *= end - begin
            return total

        return before(stop) - before(start)

    def expected(self, seeds: tuple[np.ndarray, np.ndarray] | None, seconds: float) -> tuple[float, int]:
        """Evaluate blocks for a while; the first of them fills what the next ones find."""
        passed = elapsed()
        marks: list[tuple[float, int]] = []

        def tick(designs: int) -> None:
            marks.append((passed(), designs))
            if marks[-1][0] >= seconds:
                raise _Enough

        middle = len(self.pieces) // 2
        with contextlib.suppress(_Enough):
            for piece in [*range(middle, len(self.pieces)), *range(middle)]:
                self.run(piece, seeds, tick)
        evaluated = sum(designs for _, designs in marks)
        first, last = marks[0], marks[-1]
        later = evaluated - first[1]
        each = (last[0] - first[0]) / later if later else last[0] / evaluated
        return last[0] + (self.evaluator.size - evaluated) * each, evaluated

    def _block(
        self, blocks: Blocks, ranges: Sequence[tuple[int, int]], size: int, archive: Archive, result: ChunkResult
    ) -> None:
        assert result.infeasible is not None
        assert result.feasible is not None
        values = blocks.evaluate(ranges, self.first)
        shape = tuple(end - begin for begin, end in ranges)

        def numbers(rows: tuple[np.ndarray, ...]) -> np.ndarray:
            total = np.full(len(rows[0]), self.offset, dtype=np.int64)
            for own, row, (begin, _) in zip(self.evaluator.numbers, rows, ranges, strict=True):
                total += own[begin + row]
            return total

        mask: np.ndarray | None = None
        for constraint, met in zip(self.constraints, self.conditions(values, shape, numbers), strict=True):
            missed = met.size - int(np.count_nonzero(met))
            if missed:
                result.infeasible[constraint.text] += int(missed * (size // met.size))
                mask = met if mask is None else mask & met
        feasible = size if mask is None else int(np.count_nonzero(mask)) * (size // mask.size)
        result.feasible += feasible
        if feasible:
            self.sift(blocks.evaluate(ranges, self.rest), mask, shape, numbers, archive, result)
