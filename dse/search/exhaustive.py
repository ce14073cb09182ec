"""The plain streamed search: every design is evaluated, every block filtered against the frontier so far.

This is the reference all other methods must equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from dse.archive import Archive
from dse.evaluation.plan import block_shape
from dse.evaluation.product import Blocks, ProductEvaluator
from dse.prefilter import Prefilter
from dse.problem import Problem

__all__ = ["ChunkResult", "ExhaustiveProduct"]

_CHUNK = 2**25


@dataclass
class ChunkResult:
    """What one piece of a search found: a frontier of its designs and the counts."""

    points: np.ndarray
    numbers: np.ndarray
    evaluated: int
    designs: int
    feasible: int | None = None
    infeasible: dict[str, int] | None = None
    calls: int = 0
    passed: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


class ExhaustiveProduct:
    """Streams one product of a problem in chunks whose number depends on the space only."""

    method = "exhaustive"

    def __init__(
        self,
        problem: Problem,
        index: int,
        *,
        block: int | None = None,
        chunk: int = _CHUNK,
        evaluator: ProductEvaluator | None = None,
    ) -> None:
        self.problem, self.index = problem, index
        self.evaluator = evaluator or problem.evaluator(index)
        self.offset = problem.space.offsets[index]
        system = problem.systems[index]
        self.constraints = system.constraints
        names = [f.gives for f in self.evaluator.joined]
        needed = system.graph.below([c.quantity for c in self.constraints])
        self.first = [p for p, gives in enumerate(names) if any(name in needed for name in gives)]
        self.rest = [p for p in range(len(names)) if p not in self.first]
        lengths = self.evaluator.lengths
        self.steps = block_shape(lengths, block) if block else block_shape(lengths)
        counts = Blocks(self.evaluator, self.steps).counts()
        self.counts = counts
        blocks_per_chunk = max(1, chunk // prod(self.steps))
        total = prod(counts)
        self.pieces = [(start, min(total, start + blocks_per_chunk)) for start in range(0, total, blocks_per_chunk)]
        widest = [len(self.evaluator.own[o.quantity]) for o in problem.objectives]
        self.last = max(range(len(widest)), key=lambda i: (widest[i], i))

    def __len__(self) -> int:
        return len(self.pieces)

    def new_archive(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> Archive:
        """Return an archive that starts from the seeds."""
        archive = Archive(len(self.problem.objectives), Prefilter(len(self.problem.objectives), last=self.last))
        if seeds is not None and len(seeds[1]):
            archive.add(*seeds)
            archive.merge()
        return archive

    def run(
        self,
        piece: int,
        seeds: tuple[np.ndarray, np.ndarray] | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one chunk."""
        archive = self.new_archive(seeds)
        blocks = Blocks(self.evaluator, self.steps)
        result = ChunkResult(archive.points, archive.numbers, 0, 0, 0, {c.text: 0 for c in self.constraints})
        start, stop = self.pieces[piece]
        with np.errstate(all="ignore"):
            for linear in range(start, stop):
                ranges = blocks.ranges([int(i) for i in np.unravel_index(linear, self.counts)])
                size = prod(end - begin for begin, end in ranges)
                self._block(blocks, ranges, size, archive, result)
                result.evaluated += size
                result.designs += size
                if tick is not None:
                    tick(size)
        result.points, result.numbers = archive.result()
        result.calls = blocks.calls
        return result

    def _block(self, blocks: Blocks, ranges: tuple, size: int, archive: Archive, result: ChunkResult) -> None:
        assert result.infeasible is not None
        assert result.feasible is not None
        values = blocks.evaluate(ranges, self.first)
        shape = tuple(end - begin for begin, end in ranges)
        mask: Any = None
        for constraint in self.constraints:
            met = np.asarray(values[constraint.quantity])
            for need in constraint.expression.needs:
                self._refuse_nan(values[need], need, constraint.text, ranges)
            missed = met.size - int(np.count_nonzero(met))
            if missed:
                result.infeasible[constraint.text] += int(missed * (size // met.size))
                mask = met if mask is None else mask & met
        if mask is not None:
            feasible = int(np.count_nonzero(mask)) * (size // mask.size)
            result.feasible += feasible
            if not feasible:
                return
        else:
            result.feasible += size
        blocks.evaluate(ranges, self.rest)
        objectives = []
        for objective in self.problem.objectives:
            value = values[objective.quantity]
            self._refuse_non_finite(value, objective.quantity, mask, ranges)
            objectives.append(-value if objective.sense == "max" else value)
        passing = archive.prefilter.may_pass(objectives)
        if mask is not None:
            passing = passing & mask
        if not passing.any():
            return
        # Much quicker than np.nonzero on several dimensions.
        rows = np.unravel_index(np.flatnonzero(np.broadcast_to(passing, shape)), shape)
        points = np.empty((len(rows[0]), len(objectives)))
        for column, value in enumerate(objectives):
            # Adding 0.0 turns -0.0 into 0.0, so that equal values have equal bytes.
            points[:, column] = np.broadcast_to(value, shape)[rows] + 0.0
        result.passed += len(points)
        archive.add(points, self._numbers(rows, ranges))

    def _numbers(self, rows: Any, ranges: tuple) -> np.ndarray:
        total = np.full(len(rows[0]), self.offset, dtype=np.int64)
        for own, row, (begin, _) in zip(self.evaluator.numbers, rows, ranges, strict=True):
            total += own[begin + row]
        return total

    def _refuse_nan(self, value: Any, name: str, text: str, ranges: tuple) -> None:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isnan(value.sum()):
            wrong = np.isnan(value)
            if wrong.any():
                self._refuse(wrong, f"'{name}' in the constraint '{text}'", ranges)

    def _refuse_non_finite(self, value: np.ndarray, name: str, mask: Any, ranges: tuple) -> None:
        if np.isfinite(value.sum()):
            return
        wrong = ~np.isfinite(value)
        if mask is not None:
            wrong = wrong & mask
        if wrong.any():
            self._refuse(wrong, f"the objective '{name}'", ranges)

    def _refuse(self, wrong: np.ndarray, what: str, ranges: tuple) -> None:
        shape = tuple(end - begin for begin, end in ranges)
        rows = np.nonzero(np.broadcast_to(wrong, shape))
        number = int(self._numbers(tuple(row[:1] for row in rows), ranges)[0])
        self.problem.refuse_non_finite(number, what)
