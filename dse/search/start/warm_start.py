"""A strong start: random designs, then their one-step neighbours, so that the filter works from the first block.

Where limits leave no random design, those that miss them by least are walked from, until some meet them. Where very
many designs are left, each alternative is walked to its own feasible designs, and what was found is closed along single
axes (`dse.search.start.closure`): all values of one axis at a time, pruned rows too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.evaluation.problem import Problem
from dse.search.bundles.product_search import ProductSearch
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.search.start.closure import close
from dse.search.start.violation import total_violation
from dse.search.start.visited import Visited

__all__ = ["warm_start"]

_DESIGNS = 30_000
_LEAST = 64  # of an alternative
_WORTHWHILE = 4  # times as many designs as the start has, at least, make a start worth its time
_SMALLEST_SPACE = 300_000
_ROUNDS = 6
_NEIGHBOURS = 150_000
_WALKED = 20
_NEAREST = 64  # designs that are walked from
_CLOSED_FROM = 100_000_000_000  # designs left, from which seconds of a better start pay
_CLOSED = 20_000  # designs of an alternative that are looked at to close it: with ten times as many nothing is quicker
_CLOSED_IN_ALL = 100_000  # a model may take a millisecond for a design
_STARTED = 4_096
_STEPS = (-64, -8, -1, 1, 8, 64)  # along the rows of an atom, which bundles put into an order of likeness


def warm_start(
    problem: Problem,
    searches: Sequence[ProductSearch],
    known: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    last: int | None = None,
    closed: bool = True,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a first frontier (points to be minimised, design numbers), or None where the space is small.

    None too where alternatives are so many and small that the start would be a good part of the search.

    Parameters
    ----------
    problem : Problem
    searches : sequence of ProductSearch
        Those whose designs are sampled: of a product whose groups were reduced, the rows that are left.
    known : optional
        The frontier of the products that were searched before, with which the new one begins.
    last : int, optional
        The objective the filter compares as it is.
    closed : bool
        Whether very large spaces may get a better start.
    """
    size = sum(search.designs for search in searches)
    shares = [max(_LEAST, round(_DESIGNS * search.designs / size)) for search in searches] if size else []
    if size < _SMALLEST_SPACE or sum(shares) * _WORTHWHILE > size:
        return known
    rng = np.random.default_rng(problem.seed)
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives), last=last))
    if known is not None:
        archive.add(*known)
    visited = [_Visited(search) for search in searches]
    for visits, share in zip(visited, shares, strict=True):
        archive.add(*visits.visit(tuple(rng.integers(0, count, share) for count in visits.lengths)))
    archive.merge()
    closed = closed and size >= _CLOSED_FROM
    for _ in range(_WALKED):
        waiting = (
            [visits for visits in visited if not len(visits.numbers)] if closed or not len(archive.numbers) else []
        )
        if not waiting:
            break
        for visits in waiting:
            near = visits.nearer()
            if near is not None:
                archive.add(*visits.visit(near))
        archive.merge()
    for _ in range(_ROUNDS):
        before = archive.numbers
        for visits in visited:
            near = visits.neighbours(archive.numbers)
            if near is not None:
                archive.add(*visits.visit(near))
        archive.merge()
        if np.array_equal(before, archive.numbers):
            break
    if closed:
        _close(problem, visited, archive)
    return archive.result()


def _close(problem: Problem, visited: Sequence[_Visited], archive: Archive) -> None:
    """Close what was found along single axes, each alternative for itself: others may beat its best."""
    best, remaining = archive.result()[1], _CLOSED_IN_ALL
    for visits in visited:
        if remaining <= 0:
            break
        looked = Visited(problem, min(_CLOSED, remaining))
        start = visits.numbers[:: -(-len(visits.numbers) // _STARTED)] if len(visits.numbers) else visits.numbers
        looked.look(np.union1d(start, best[np.isin(best, visits.numbers, assume_unique=True)]))
        close(looked, np.empty(0, dtype=np.int64))
        remaining -= len(looked.numbers)
        archive.add(*looked.archive.result())
    archive.merge()


class _Visited:
    """The designs of one product that were looked at and are feasible: their numbers, and the row of each atom."""

    def __init__(self, search: ProductSearch) -> None:
        self.search = search
        self.lengths = search.evaluator.lengths
        self.numbers = np.empty(0, dtype=np.int64)
        self.rows: tuple[np.ndarray, ...] = tuple(np.empty(0, dtype=np.int64) for _ in self.lengths)
        self._missed = np.empty(0)  # by how much the nearest infeasible ones miss limits, and the rows of these
        self._nearest = self.rows
        self._walked = False

    def visit(self, rows: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the feasible and finite ones of some designs, and keep where they are."""
        problem = self.search.problem
        values, numbers = self.search.at_rows(rows)
        count = len(numbers)
        good = np.ones(count, dtype=bool)
        for constraint in self.search.constraints:
            good &= np.broadcast_to(values[constraint.quantity], count)
        points = np.stack(
            [np.broadcast_to(values[o.quantity], count) * o.sign + 0.0 for o in problem.objectives], axis=1
        )
        good &= np.isfinite(points).all(axis=1)
        if not len(self.numbers) and not good.any():
            self._note_nearest(values, rows, good)
        every = np.concatenate([self.numbers, numbers[good]])
        self.numbers, first = np.unique(every, return_index=True)
        self.rows = tuple(np.concatenate([old, new[good]])[first] for old, new in zip(self.rows, rows, strict=True))
        return points[good], numbers[good]

    def neighbours(self, numbers: np.ndarray) -> tuple[np.ndarray, ...] | None:
        """Return the rows of the one-step neighbours of those designs that are of this product."""
        here = np.flatnonzero(np.isin(self.numbers, numbers, assume_unique=True))
        if len(here) == 0:
            return None
        return self._around(tuple(own[here] for own in self.rows))

    def nearer(self) -> tuple[np.ndarray, ...] | None:
        """Return the neighbours of the designs that miss limits by least; None where none came nearer since."""
        if not len(self._missed) or self._walked:
            return None
        self._walked = True
        return self._around(self._nearest)

    def _note_nearest(self, values: dict[str, np.ndarray], rows: tuple[np.ndarray, ...], good: np.ndarray) -> None:
        """Keep the designs that miss limits by least, each of another amount."""
        with np.errstate(all="ignore"):
            missed = total_violation(self.search.constraints, values, len(good))
        every = np.concatenate([self._missed, missed])
        known = tuple(np.concatenate([old, new]) for old, new in zip(self._nearest, rows, strict=True))
        possible = np.where(np.isfinite(every) & (every > 0), every, np.inf)
        amounts, first = np.unique(possible, return_index=True)
        first, amounts = first[np.isfinite(amounts)][:_NEAREST], amounts[np.isfinite(amounts)][:_NEAREST]
        self._walked = len(amounts) == len(self._missed) and bool((amounts == self._missed).all())
        self._missed, self._nearest = amounts, tuple(own[first] for own in known)

    def _around(self, rows: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        most = max(1, _NEIGHBOURS // (2 * len(_STEPS) * max(1, len(self.lengths))))
        if len(rows[0]) > most:
            rows = tuple(own[:: -(-len(own) // most)] for own in rows)
        moved: list[list[np.ndarray]] = [[] for _ in self.lengths]
        for atom, count in enumerate(self.lengths):
            for step in _STEPS:
                target = rows[atom] + step
                inside = (target >= 0) & (target < count)
                for other, row in enumerate(rows):
                    moved[other].append(target[inside] if other == atom else row[inside])
        return tuple(np.concatenate(parts) for parts in moved)
