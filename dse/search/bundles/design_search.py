"""What searches that look at designs share: an archive, the checks of evaluated designs, and the way to the archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.errors import ModelError
from dse.evaluation.problem import Constraint, Problem
from dse.evaluation.product_evaluator import ProductEvaluator, bounds_of
from dse.graph.graph import call
from dse.search.account.tolerance import Tolerance
from dse.search.frontier.archive import Archive
from dse.search.frontier.cover import Cover
from dse.search.frontier.prefilter import Prefilter
from dse.search.proof.evidence import Excluded

__all__ = ["LARGE", "ChunkResult", "DesignSearch"]

LARGE = 10_000_000_000
"""Designs of a product from which a search with a tolerance leaves fewer out, so as to end sooner."""

DesignNumbers = Callable[[tuple[np.ndarray, ...]], np.ndarray]


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
    excluded: int = 0
    evidence: Excluded | None = None
    left_out: bool = False


class DesignSearch:
    """What is the same in every search that looks at designs, all of them or by bundles.

    Attributes
    ----------
    pieces : list of (int, int)
        Ranges of blocks or boxes; a method runs one at a time.
    filter : type
        The filter in front of an archive.
    last : int
        The objective the filter compares as it is.
    table_entries : int or None
        Size of the filter's table.
    tolerance : Tolerance or None
        How much worse than what it leaves out the designs it finds may be.
    grew : callable or None
        Told, while a piece is searched, how many designs its frontier has so far.
    pruned : int
        Designs that are in no piece, because a row of a group they hold was pruned.
    """

    method = ""
    filter: type[Prefilter] = Prefilter
    pruned = 0

    def __init__(self, problem: Problem, index: int, evaluator: ProductEvaluator | None) -> None:
        self.problem, self.index = problem, index
        self.evaluator = evaluator or problem.evaluator(index)
        self.offset = problem.space.offsets[index]
        self.constraints = self.limits()
        if self.evaluator.negative is not None:
            problem.refuse_negative(self.offset + self.evaluator.negative)
        # What a table gives was looked at when the table was made.
        self.unsigned = problem.systems[index].graph.unsigned - self.evaluator.cut.keys()
        self.last = len(problem.objectives) - 1
        self.table_entries: int | None = None
        self.tolerance: Tolerance | None = None
        self.pieces: list[tuple[int, int]] = []
        self.grew: Callable[[int], None] | None = None

    def limits(self) -> tuple[Constraint, ...]:
        """Return the constraints that designs must meet."""
        return self.problem.systems[self.index].constraints

    @property
    def orders(self) -> list[np.ndarray]:
        """What the rows of each atom add to the design number, in the order boxes are cut from; none without boxes."""
        return []

    @property
    def designs(self) -> int:
        """Designs that are in some piece."""
        return self.evaluator.size

    def at_rows(self, rows: tuple[np.ndarray, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Evaluate the designs at rows of the atoms, in the order of this search (arrays of one length).

        Returns
        -------
        (values, numbers)
            The quantities of the loop, and the design numbers.
        """
        numbers = np.full(len(rows[0]), self.offset, dtype=np.int64)
        for own, row in zip(self.evaluator.numbers, rows, strict=True):
            numbers += own[row]
        return self.evaluator.at_rows(rows), numbers

    def __len__(self) -> int:
        return len(self.pieces)

    def settle(self, seeds: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Tell whether a sample beside the seeds says that single rows are to be split: here there are none."""
        return False

    def split_rows(self) -> None:
        """Split down to single rows, as was settled elsewhere: here there is nothing to split."""

    def release(self) -> None:
        """Give the tables back, of a search that has ended: what the account is made of stays."""
        self.evaluator.release()

    def new_archive(
        self, seeds: tuple[np.ndarray, np.ndarray] | None, entries: int | None = None, *, quiet: bool = False
    ) -> Archive:
        """Return an archive that starts from the seeds.

        Parameters
        ----------
        seeds : optional
        entries : int, optional
            Size of the filter's table. Default: that of this search.
        quiet : bool
            Whether nobody is told how it grows.
        """
        count, grew = len(self.problem.objectives), None if quiet else self.grew
        entries = self.table_entries if entries is None else entries
        archive = (
            Archive(count, self.filter(count, last=self.last, entries=entries), grew)
            if self.tolerance is None
            else Cover(self.tolerance, last=self.last, entries=entries, merged=grew, dense=self.evaluator.size > LARGE)
        )
        if seeds is not None and len(seeds[1]):
            archive.start(*seeds)
        return archive

    def hull(self) -> list[tuple[float, float]]:
        """Return the least and the most of each objective, to be minimised, as far as ranges of the tables tell.

        NaN where a function has no form for ranges, or the bound is none.
        """
        tables = {name: Range(np.array([own.min()]), np.array([own.max()])) for name, own in self._ends().items()}
        values: dict[str, Range | Condition] = {**tables, **self.evaluator.constants}
        try:
            with np.errstate(all="ignore"):
                for function in self.evaluator.joined:
                    values.update(call(function, values))
        except ModelError:
            return [(np.nan, np.nan)] * len(self.problem.objectives)
        ends = []
        for objective in self.problem.objectives:
            low, high = (float(bound[0]) for bound in bounds_of(values[objective.quantity]))
            ends.append((-high, -low) if objective.sense == "max" else (low, high))
        return ends

    def _ends(self) -> Mapping[str, np.ndarray]:
        """Return arrays that hold the least and the most of each quantity the loop reads."""
        return self.evaluator.cut

    def conditions(
        self, values: Mapping[str, np.ndarray], shape: tuple[int, ...], numbers: DesignNumbers
    ) -> list[np.ndarray]:
        """Return where each constraint is met; refuse NaN among what they read, and times, powers … below 0."""
        met = []
        below: list[np.ndarray] = []
        for constraint in self.constraints:
            for need in constraint.expression.needs:
                value = values[need]
                if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
                    continue
                # One pass for both: the least of an array with NaN is NaN.
                least = value.min() if need in self.unsigned else value.sum()
                if np.isnan(least):
                    what = f"'{need}' in the constraint '{constraint.text}'"
                    self._refuse(np.isnan(value), what, shape, numbers)
                elif need in self.unsigned and least < 0:
                    below.append(value < 0)
            met.append(np.asarray(values[constraint.quantity], dtype=bool))
        for wrong in below:
            self._refuse_negative(reduce(np.logical_and, met, wrong), shape, numbers)
        return met

    def sift(
        self,
        values: Mapping[str, np.ndarray],
        mask: np.ndarray | None,
        shape: tuple[int, ...],
        numbers: DesignNumbers,
        archive: Archive,
        result: ChunkResult,
    ) -> None:
        """Hand the designs that could be on the frontier to the archive.

        Parameters
        ----------
        values : dict
            The objectives, arrays that broadcast to `shape`.
        mask : ndarray of bool or None
            Where designs are feasible (None: everywhere).
        numbers : callable
            Gives the design numbers of rows of the block.
        """
        objectives = []
        for objective in self.problem.objectives:
            value = values[objective.quantity]
            if not np.isfinite(value.sum()):
                wrong = ~np.isfinite(value)
                self._refuse(
                    wrong if mask is None else wrong & mask, f"the objective '{objective.quantity}'", shape, numbers
                )
            if objective.sense == "max" and objective.quantity in self.unsigned and value.min() < 0:
                self._refuse_negative(value < 0 if mask is None else (value < 0) & mask, shape, numbers)
            objectives.append(-value if objective.sense == "max" else value)
        passing = archive.may_pass(objectives, mask)
        if mask is not None:
            passing = passing & mask
        if not passing.any():
            return
        # Much quicker than np.nonzero on several dimensions.
        rows = np.unravel_index(np.flatnonzero(np.broadcast_to(passing, shape)), shape)
        points = np.empty((len(rows[0]), len(objectives)))
        for column, (objective, value) in enumerate(zip(self.problem.objectives, objectives, strict=True)):
            # Adding 0.0 turns -0.0 into 0.0, so that equal values have equal bytes.
            points[:, column] = np.broadcast_to(value, shape)[rows] + 0.0
            # One that is minimised is looked at here alone: nothing keeps the least of its values from passing.
            if objective.sense == "min" and objective.quantity in self.unsigned and points[:, column].min() < 0:
                least = int(points[:, column].argmin())
                self.problem.refuse_negative(int(numbers(tuple(row[least : least + 1] for row in rows))[0]))
        result.passed += len(points)
        archive.add(points, numbers(rows))

    def _refuse_negative(self, wrong: np.ndarray, shape: tuple[int, ...], numbers: DesignNumbers) -> None:
        rows = np.nonzero(np.broadcast_to(wrong, shape))
        if len(rows[0]):
            self.problem.refuse_negative(int(numbers(tuple(row[:1] for row in rows))[0]))

    def _refuse(self, wrong: np.ndarray, what: str, shape: tuple[int, ...], numbers: DesignNumbers) -> None:
        rows = np.nonzero(np.broadcast_to(wrong, shape))
        if len(rows[0]):
            self.problem.refuse_non_finite(int(numbers(tuple(row[:1] for row in rows))[0]), what)
