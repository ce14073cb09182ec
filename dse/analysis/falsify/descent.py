"""The lowest scores among designs of some products, without a search: a sample, then one axis after another.

They are upper bounds of the least: from each of a few starts all values of an axis are tried while the others stay,
axis after axis, until nothing gets lower. With one valley it is the bottom; else there may be lower ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import call
from dse.space.axes import Axis

__all__ = ["Lowest", "Score", "lowest"]

Score = Callable[[Mapping[str, np.ndarray], np.ndarray], np.ndarray]
"""Quantities of designs by name, and for each design the number of the aim it is scored by: their scores."""

_SAMPLE = 2048  # designs of each product
_ROUNDS = 8
_VALUES = 256  # of one axis that are tried at once


class Lowest(NamedTuple):
    """The lowest score, the design that has it, and the quantities of that design that were asked for."""

    score: float
    design: int
    values: dict[str, float]


def lowest(
    problem: Problem,
    products: Sequence[int],
    wanted: Collection[str],
    score: Score,
    *,
    aims: int = 1,
    starts: int = 4,
) -> list[Lowest | None]:
    """Return for each of some aims the lowest score that is met; None where no design has a finite one.

    Parameters
    ----------
    problem : Problem
    products : sequence of int
    wanted : collection of str
        Quantities that the score reads; those that a product does not have are left out.
    score : callable
    aims : int
        How many things designs are scored by, each for itself.
    starts : int
        Of each aim and product.
    """
    best: list[Lowest | None] = [None] * aims
    for index in products if aims else ():
        for aim, here in enumerate(_Descent(problem, index, wanted, score, aims, starts).run()):
            there = best[aim]
            if here is not None and (there is None or here.score < there.score):
                best[aim] = here
    return best


class _Descent:
    """Descends in one product, for all aims at once."""

    def __init__(
        self, problem: Problem, index: int, wanted: Collection[str], score: Score, aims: int, starts: int
    ) -> None:
        self.score, self.aims, self.starts = score, aims, starts
        self.product, self.system = problem.space.products[index], problem.systems[index]
        self.offset = problem.space.offsets[index]
        graph = self.system.graph
        self.wanted = [name for name in wanted if name in graph.units]
        below = graph.below(self.wanted)
        self.functions = [function for function in graph.functions if not below.isdisjoint(function.gives)]
        self.inputs = below & set(graph.inputs)
        self.rng = np.random.default_rng(index)

    def run(self) -> list[Lowest | None]:
        """Return the lowest score of the product by aim."""
        rows = self._sample()
        values, count = self._evaluated(rows), rows.shape[1]
        starts = min(self.starts, count)
        at, lows = [], []
        for aim in range(self.aims):
            scores = self._scores(values, np.full(count, aim))
            order = np.argsort(scores, kind="stable")[:starts]
            at.append(rows[:, order])
            lows.append(scores[order])
        aim_of = np.repeat(np.arange(self.aims), starts)
        best, least = self._descend(np.concatenate(at, axis=1), np.concatenate(lows), aim_of)
        by_aim = least.reshape(self.aims, starts)
        places = by_aim.argmin(axis=1) + starts * np.arange(self.aims)
        return [self._lowest(best[:, place], float(least[place])) for place in places]

    def _sample(self) -> np.ndarray:
        """Return rows of designs, (axes, n): all of a small product."""
        size, shape = self.product.size, self.product.shape
        numbers = np.arange(size) if size <= _SAMPLE else np.unique(self.rng.integers(0, size, _SAMPLE))
        strides = zip(self.product.strides, shape, strict=True)
        rows = [numbers // stride % count for stride, count in strides]
        return np.array(rows, dtype=np.int64).reshape(len(shape), len(numbers))

    def _descend(self, at: np.ndarray, lows: np.ndarray, aim_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tried = [(place, self._differing(axis)) for place, axis in enumerate(self.product.axes)]
        for _ in range(_ROUNDS):
            before = lows
            for place, values in tried:
                if len(values) > 1:
                    at, lows = self._along(place, values, at, lows, aim_of)
            if (lows == before).all():
                break
        return at, lows

    def _differing(self, axis: Axis) -> np.ndarray:
        """Return rows of an axis that differ in what the score reads."""
        columns = [axis.columns[name].take(np.arange(len(axis))) for name in axis.columns if name in self.inputs]
        if not columns:
            return np.zeros(1, dtype=np.int64)
        codes = np.stack([np.unique(column, return_inverse=True)[1].reshape(-1) for column in columns])
        rows = np.sort(np.unique(codes, axis=1, return_index=True)[1])
        return rows if len(rows) <= _VALUES else np.sort(self.rng.choice(rows, _VALUES, replace=False))

    def _along(
        self, place: int, values: np.ndarray, at: np.ndarray, lows: np.ndarray, aim_of: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Try values of one axis from every start, and return the starts where they are lowest."""
        tried = np.repeat(at, len(values), axis=1)
        tried[place] = np.tile(values, at.shape[1])
        scores = self._scores(self._evaluated(tried), np.repeat(aim_of, len(values))).reshape(-1, len(values))
        places = scores.argmin(axis=1)
        least = scores[np.arange(len(places)), places]
        better = least < lows
        moved = at.copy()
        moved[place, better] = values[places[better]]
        return moved, np.where(better, least, lows)

    def _evaluated(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        system = self.system
        known: dict[str, Any] = dict(flat_inputs(system.graph, self.product, system.assumptions, tuple(rows)))
        with np.errstate(all="ignore"):
            for function in self.functions:
                known |= call(function, known)
        return known

    def _scores(self, values: Mapping[str, np.ndarray], aim_of: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            scores = np.broadcast_to(self.score(values, aim_of), aim_of.shape)
        return np.where(np.isnan(scores), np.inf, scores)

    def _lowest(self, rows: np.ndarray, least: float) -> Lowest | None:
        if not math.isfinite(least):
            return None
        values = self._evaluated(rows[:, None])
        number = self.offset + sum(int(row) * stride for row, stride in zip(rows, self.product.strides, strict=True))
        numbers = {name: np.asarray(values[name]) for name in self.wanted}
        shown = {name: float(array.reshape(-1)[0]) for name, array in numbers.items() if array.dtype.kind in "fb"}
        return Lowest(least, number, shown)
