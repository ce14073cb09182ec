"""Certain and possible designs: brackets that cannot err, from the values of the unknowns cut into cells.

A design is *possible* when it is on the frontier at some value of the unknowns, *certain* when it is at every value. In
each cell designs have bounds, and what they decide holds: beaten in every cell is not possible, unthreatened in every
cell is certain. More cells only tighten both. What single values show closes the bracket from the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.ranges import Range
from dse.evaluation.affected import AffectedDesigns, affected_designs
from dse.evaluation.shared_factors import free_of
from dse.evaluation.unknowns import UncertainProblem
from dse.search.uncertain.classes import design_classes, is_open
from dse.search.uncertain.pairs import CellBounds, alike_pairs, surely_beaten, threatened

__all__ = ["Brackets", "Cell", "refine"]

_ENTRIES = 100_000  # designs × cells that are evaluated together
_WORK = 4_000_000_000  # pairs of designs compared, after which no finer cells are begun
_ASKED = 400  # designs that tell which unknown to cut
_NEAR = 1e-12  # relative: what rounding may move where a common factor is left out

Cell = dict[int, tuple[float, float]]
"""By place of the unknown, the part of its interval: in its units, or of [0, 1] where each row has its own."""


@dataclass(frozen=True)
class Brackets:
    """What was decided.

    Attributes
    ----------
    possible, certain : (n,) ndarray of bool
        Which of the candidates may be possible, and which are certain.
    seen_possible, seen_missing : (n,) ndarray of bool
        On the frontier at some value that was tried, and off it at one.
    cells : int
        Into how many parts the values were cut in the end.
    stopped : str
        Why there are no finer cells: "decided", "cells", "work", "alone" (nothing is shared).
    """

    possible: np.ndarray
    certain: np.ndarray
    seen_possible: np.ndarray
    seen_missing: np.ndarray
    cells: int
    stopped: str


def refine(
    unknown: UncertainProblem,
    numbers: np.ndarray,
    frontier: np.ndarray,
    seen_possible: np.ndarray,
    seen_missing: np.ndarray,
    cells: int = 256,
) -> Brackets:
    """Decide as many designs as cells can.

    Parameters
    ----------
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Candidates: they hold every possible design.
    frontier : (n,) ndarray of bool
        Which are on the frontier at the values the study computes with; only these can be certain.
    seen_possible, seen_missing : (n,) ndarray of bool
        What single values have shown.
    cells : int
        The most parts the values are cut into.
    """
    return _Refinement(unknown, numbers, frontier, seen_possible, seen_missing).run(cells)


class _Refinement:
    def __init__(
        self,
        unknown: UncertainProblem,
        numbers: np.ndarray,
        frontier: np.ndarray,
        seen_possible: np.ndarray,
        seen_missing: np.ndarray,
    ) -> None:
        self.unknown, self.numbers, self.frontier = unknown, numbers, frontier
        self.seen_possible, self.seen_missing = seen_possible, seen_missing
        self.designs = affected_designs(unknown, numbers)
        self.free = free_of(unknown, self.designs)
        self.classes, self.rows = design_classes(unknown, self.designs, len(numbers))
        self.several = any(unknown.scope == "each" for unknown in unknown.unknowns)
        self.pairs = alike_pairs(self.classes)
        self.alive = np.ones(len(numbers), dtype=bool)
        self.work = 0
        entering = {at for own in self.designs for places in unknown.entering(own.index).values() for at in places}
        self.cut = [
            at for at, own in enumerate(unknown.unknowns) if at in entering and own.scope != "design" and is_open(own)
        ]

    def run(self, most: int) -> Brackets:
        unbeaten = np.flatnonzero(~self.seen_possible)
        unproved = np.flatnonzero(self.frontier & ~self.seen_missing)
        leaves = self._judged([{at: self._interval(at) for at in self.cut}], [unbeaten], [unproved])
        while True:
            self._bury(leaves)
            still = [leaf for leaf in leaves if len(leaf[1]) or len(leaf[2])]
            stopped = self._stopped(len(leaves), still, most)
            if stopped:
                break
            at = self._most_telling(still)
            closed = [leaf for leaf in leaves if not (len(leaf[1]) or len(leaf[2]))]
            halves = [(half, leaf) for leaf in still for half in _halved(leaf[0], at)]
            leaves = closed + self._judged(
                [half for half, _ in halves], [leaf[1] for _, leaf in halves], [leaf[2] for _, leaf in halves]
            )
        possible, certain = self.seen_possible.copy(), self.frontier & ~self.seen_missing
        for _, kept, open_ in leaves:
            possible[kept] = True
            certain[open_] = False
        return Brackets(possible, certain, self.seen_possible, self.seen_missing, len(leaves), stopped)

    def _stopped(self, cells: int, still: list, most: int) -> str:
        if not still:
            return "decided"
        if not self.cut:
            return "alone"
        if cells + len(still) > most:
            return "cells"
        return "work" if self.work > _WORK else ""

    def _interval(self, at: int) -> tuple[float, float]:
        unknown = self.unknown.unknowns[at]
        return (0.0, 1.0) if unknown.scope == "each" else (unknown.low, unknown.high)

    def _bury(self, leaves: list) -> None:
        """Forget designs that are beaten in every cell: others beat what they beat."""
        alive = self.seen_possible.copy()
        for _, kept, _ in leaves:
            alive[kept] = True
        self.alive &= alive

    def _judged(self, cells: list[Cell], unbeaten: list[np.ndarray], unproved: list[np.ndarray]) -> list:
        """Return each cell with the designs that are not beaten in it for certain, and those that may be threatened."""
        leaves = []
        step = max(1, _ENTRIES // max(1, len(self.numbers)))
        others = np.flatnonzero(self.alive)
        for begin in range(0, len(cells), step):
            piece = cells[begin : begin + step]
            for place, bounds in enumerate(self._bounds(piece), begin):
                asked, doubted = unbeaten[place], unproved[place]
                alike = len(asked) * len(others) if self.pairs is None else len(self.pairs[0])
                self.work += alike + len(doubted) * len(others)
                beaten = surely_beaten(asked, others, bounds, self.classes, self.rows, self.pairs)
                doubts = threatened(doubted, others, bounds, self.classes, self.rows)
                leaves.append((cells[place], asked[~beaten], doubted[doubts]))
        return leaves

    def _bounds(self, cells: Sequence[Cell]) -> list[CellBounds]:
        own = self._evaluated(cells, apart=False)
        apart: list[CellBounds | None] = [None] * len(cells)
        if self.several:
            apart = [*self._evaluated(cells, apart=True)]
        return [
            CellBounds(bounds.low, bounds.high, bounds.can, bounds.must, other)
            for bounds, other in zip(own, apart, strict=True)
        ]

    def _evaluated(self, cells: Sequence[Cell], *, apart: bool) -> list[CellBounds]:
        count, total = len(cells), len(self.numbers)
        objectives = self.unknown.problem.objectives
        low, high = np.empty((total, count, len(objectives))), np.empty((total, count, len(objectives)))
        can, must = np.empty((total, count), dtype=bool), np.empty((total, count), dtype=bool)
        for own in self.designs:
            drawn = {at: _part(own, at, cells, apart=apart) for at in range(len(self.unknown.unknowns))}
            bounds = own.bounds(drawn, count)
            low[own.positions], high[own.positions], can[own.positions], must[own.positions] = bounds
            for place, objective in enumerate(objectives):
                left_out = self.free[objective.quantity] & own.graph.below([objective.quantity])
                if left_out:
                    fixed = {at: np.zeros((1, 1)) for name in left_out for at in self.unknown.places[name]}
                    least, most, _, _ = own.bounds({**drawn, **fixed}, count)
                    slack = _NEAR * np.maximum(np.abs(least[..., place]), np.abs(most[..., place]))
                    low[own.positions, :, place] = least[..., place] - slack
                    high[own.positions, :, place] = most[..., place] + slack
        return [CellBounds(low[:, c], high[:, c], can[:, c], must[:, c]) for c in range(count)]

    def _most_telling(self, leaves: list) -> int:
        """Return the unknown whose halving narrows the bounds of undecided designs most."""
        if len(self.cut) == 1:
            return self.cut[0]
        cell = max(leaves, key=lambda leaf: len(leaf[1]) + len(leaf[2]))
        asked = np.unique(np.concatenate([cell[1], cell[2]]))
        asked = asked[:: -(-len(asked) // _ASKED)]
        widths = {}
        for at in self.cut:
            total = 0.0
            for bounds in self._bounds(_halved(cell[0], at)):
                size = np.maximum(np.abs(bounds.low[asked] + bounds.high[asked]) / 2.0, 1e-300)
                with np.errstate(all="ignore"):
                    wide = (bounds.high[asked] - bounds.low[asked]) / size
                total += float(np.nan_to_num(wide, nan=2.0, posinf=2.0).sum())
                total += float((bounds.can[asked] & ~bounds.must[asked]).sum())
            low, high = cell[0][at]
            first, last = self._interval(at)
            widths[at] = (total, -(high - low) / (last - first))
        return min(widths, key=lambda at: widths[at])


def _part(own: AffectedDesigns, at: int, cells: Sequence[Cell], *, apart: bool) -> Operand:
    """Return an unknown as ranges, a column for each cell."""
    unknown = own.unknown.unknowns[at]
    if unknown.scope == "each":
        low, high = own.row_interval(at)
        if apart or not all(at in cell for cell in cells):
            return Range(low, high)
        first, last = (np.array([[cell[at][end] for cell in cells]]) for end in (0, 1))
        width = high - low
        # The ends of the interval themselves, not what rounding makes of them.
        return Range(np.where(first == 0.0, low, low + width * first), np.where(last == 1.0, high, low + width * last))
    if unknown.scope == "design" or not all(at in cell for cell in cells):
        return Range(np.array([[unknown.low]]), np.array([[unknown.high]]))
    return Range(*(np.array([[cell[at][end] for cell in cells]]) for end in (0, 1)))


def _halved(cell: Cell, at: int) -> list[Cell]:
    low, high = cell[at]
    middle = low + (high - low) / 2.0
    return [{**cell, at: (low, middle)}, {**cell, at: (middle, high)}]
