"""Which groups of axes are reduced, from small sets of axes to large ones.

The rows of a set are the combinations of the rows that are left of disjoint sets inside it, and of the axes in none:

    {1}   {2}   {3}    100 rows each   →   63, 62, 66
    {1, 2}             63 × 62 rows    →  335
    {1, 2, 3}         335 × 66 rows    →  852      and not 100 × 100 × 100

Each set is proved for the whole space, and reduced within what the sets before it left: for every design there is one
in what is left that is no worse in any objective, and meets every constraint that it meets. Of rows that are equal in
every column the one with the least number stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from dse.search.proof.monotone import Group, Monotonicity
from dse.search.proof.reduction import Factor, Rows, axis_factor, kept_factor, kept_rows, thinned

__all__ = ["Choice", "chosen", "packed"]

_FEWEST_ROWS = 8
_LARGEST_GROUP = 6_000_000
_FEW_COLUMNS = 5
_ROWS_OF_MANY_COLUMNS = 1_000_000  # of which a third to a half is left, after a minute and more
_SAMPLED = 4_000
_CLOSER_FROM, _CLOSER = 200_000, 16  # rows of a set that is judged once more, by such a share of them
_MANY_ROWS = 300_000  # take about a second to reduce, and their tables much memory
_MOST_KEPT = 1_000_000
_LEAST_GAIN = 1.11
_DOUBT = 0.6  # large groups have many rows of many columns, which bundles bound badly
_LEAST_LARGE_GAIN = math.log(2.0)
_MANY_LEFT, _FAR_TOO_MANY_LEFT = 1_000_000_000, 30_000_000_000
_MERGED = 4.0  # a group with others inside must leave so many times less than these do
_MERGED_FAR = 2.0  # so many where far too many are left: bundles bound many rows of many columns too badly for less
_EXACT_PACKING = 14


Worth = Callable[[frozenset[int]], float]


@dataclass(frozen=True)
class Choice:
    """A group with the rows that are left of it.

    Attributes
    ----------
    group : Group
    factors : tuple of Factor
        What its rows were combined from.
    kept : Rows
    inside : tuple of Choice
        The groups among the factors.
    """

    group: Group
    factors: tuple[Factor, ...]
    kept: Rows
    inside: tuple[Choice, ...]

    @property
    def every(self) -> int:
        """How many combinations the factors have."""
        return prod(len(factor) for factor in self.factors)

    def stages(self) -> Iterator[Choice]:
        """Yield the groups inside, smaller ones first, and this one."""
        for choice in self.inside:
            yield from choice.stages()
        yield self


def chosen(known: Monotonicity) -> list[Choice]:
    """Return groups without a common axis that leave as few designs as possible, each with those inside it."""
    return _Chooser(known).chosen()


class _Chooser:
    """Reduces sets of axes, small ones at once, large ones when they are expected to be worth it."""

    def __init__(self, known: Monotonicity) -> None:
        self.known = known
        self.taken: dict[frozenset[int], Choice] = {}
        self.gains: dict[frozenset[int], float] = {}
        self.proved: dict[frozenset[int], Group | None] = {}
        self.small: set[frozenset[int]] = set()
        self.refused: set[frozenset[int]] = set()
        self.expected: dict[frozenset[int], tuple[int, float]] = {}
        self.closer: dict[frozenset[int], int] = {}

    def chosen(self) -> list[Choice]:
        """Return the groups in the order of their axes."""
        large = []
        candidates = [
            axes for axes in self.known.candidates() if len(axes) == 1 or self.known.rows(axes) >= _FEWEST_ROWS
        ]
        self.proved = self.known.prove_all(candidates)
        for axes in sorted(candidates, key=lambda axes: (self.known.rows(axes), sorted(axes))):
            if self._rows(axes) <= _SAMPLED:
                if self._reduce(axes):
                    self.small.add(axes)
            else:
                large.append(axes)
        packing = self._settled(large, self._weighed)
        while self._left(packing) > _MANY_LEFT:
            before, packing = packing, self._settled(large, self._instead_of(packing))
            if packing == before:
                break
        return sorted((self.taken[axes] for axes in packing), key=lambda choice: min(choice.group.axes))

    def _settled(self, large: Sequence[frozenset[int]], worth: Worth) -> list[frozenset[int]]:
        """Return the best packing of sets by some worth, large ones reduced as they turn up in it."""
        while True:
            values = {axes: worth(axes) for axes in [*self.gains, *large]}
            packing = packed({axes: value for axes, value in values.items() if value > 0})
            untried = [axes for axes in packing if axes not in self.taken]
            if not untried:
                return packing
            smallest = min(untried, key=lambda axes: (self._rows(axes), sorted(axes)))
            if not self._looked_closer(smallest):
                self._reduce(smallest)

    def _looked_closer(self, axes: frozenset[int]) -> bool:
        """Judge a large set by a sixteenth of its rows before all are reduced; tell whether that had not been done."""
        rows = self._rows(axes)
        group = self.proved[axes]
        if rows <= _CLOSER_FROM or group is None or self.closer.get(axes) == rows:
            return False
        self.closer[axes] = rows
        factors = self._factors(axes)
        expected = _grown(self.known, group, factors, rows // _CLOSER, rows)
        gain = math.log(self.known.rows(axes) / expected) if expected * _LEAST_GAIN <= rows else 0.0
        self.expected[axes] = rows, gain
        return True

    def _weighed(self, axes: frozenset[int]) -> float:
        """Return what a set is worth while bundles can do the rest: they bound few rows of few columns best."""
        if axes in self.small:
            return self.gains[axes]
        gain = self._gain(axes)
        return gain * _DOUBT - math.log1p(self._rows(axes) / _MANY_ROWS) if gain >= _LEAST_LARGE_GAIN else 0.0

    def _instead_of(self, packing: Sequence[frozenset[int]]) -> Worth:
        """Return what a set is worth where so many designs are left that bundles cannot do the rest."""
        least = math.log(_MERGED if self._left(packing) <= _FAR_TOO_MANY_LEFT else _MERGED_FAR)

        def worth(axes: frozenset[int]) -> float:
            if axes in packing:
                return self.gains[axes]
            replaced = sum(self.gains[axes_set] for axes_set in packing if not axes_set.isdisjoint(axes))
            gain = self._gain(axes)
            return gain if gain >= replaced + least else 0.0

        return worth

    def _inside(self, axes: frozenset[int]) -> list[frozenset[int]]:
        """Return the reduced sets that rows of a set are combined from, those that leave least first."""
        packed: list[frozenset[int]] = []
        free = axes
        for axes_set in sorted(self.gains, key=lambda axes_set: (-self.gains[axes_set], sorted(axes_set))):
            if axes_set <= free and axes_set != axes:
                packed.append(axes_set)
                free = free - axes_set
        return packed

    def _rows(self, axes: frozenset[int]) -> int:
        """Return how many rows a set has, combined from what is left."""
        inside = self._inside(axes)
        free = axes - frozenset().union(*inside)
        return prod(len(self.taken[axes_set].kept) for axes_set in inside) * self.known.rows(free)

    def _factors(self, axes: frozenset[int]) -> tuple[Factor, ...]:
        inside = self._inside(axes)
        free = axes - frozenset().union(*inside)
        factors = [
            kept_factor(self.known, self.taken[axes_set].group, self.taken[axes_set].kept) for axes_set in inside
        ]
        factors += [axis_factor(self.known, axis) for axis in free]
        return tuple(sorted(factors, key=lambda factor: factor.axes))

    def _left(self, packing: Sequence[frozenset[int]]) -> int:
        """Return about how many designs are left."""
        return round(self.known.product.size / math.exp(sum(self.gains[axes] for axes in packing)))

    def _reduce(self, axes: frozenset[int]) -> bool:
        """Reduce a set, and take it where that leaves less."""
        self.refused.add(axes)
        if len(axes) > 1 and self._rows(axes) < _FEWEST_ROWS:
            return False
        group = self.proved[axes]
        if group is None:
            return False
        factors = self._factors(axes)
        kept, _ = kept_rows(self.known, group, factors)
        choice = Choice(group, factors, kept, tuple(self.taken[axes_set] for axes_set in self._inside(axes)))
        if len(kept) * _LEAST_GAIN > choice.every or len(kept) > _MOST_KEPT:
            return False
        self.refused.discard(axes)
        self.taken[axes] = choice
        self.gains[axes] = math.log(self.known.rows(axes) / max(0.5, len(kept)))
        return True

    def _gain(self, axes: frozenset[int]) -> float:
        """Return by which factor (its logarithm) a set leaves less, as far as it is known, or is expected to."""
        if axes in self.gains or axes in self.refused:
            return self.gains.get(axes, 0.0)
        rows = self._rows(axes)
        if axes not in self.expected or self.expected[axes][0] != rows:
            self.expected[axes] = rows, self._expected_gain(axes, rows)
        return self.expected[axes][1]

    def _expected_gain(self, axes: frozenset[int], rows: int) -> float:
        least = round(self.known.product.size / math.exp(sum(self.gains[axes_set] for axes_set in packed(self.gains))))
        if rows > min(_LARGEST_GROUP, max(_SAMPLED, least // 100)):
            return 0.0
        group = self.proved[axes]
        if group is None or (rows > _ROWS_OF_MANY_COLUMNS and len(group.columns) + 2 * len(group.keys) > _FEW_COLUMNS):
            return 0.0
        every = self.known.rows(axes)
        expected = min(float(rows), _expected_rows(self.known, group, every))
        return math.log(every / expected) if expected * _LEAST_GAIN <= rows else 0.0


def _expected_rows(known: Monotonicity, group: Group, every: int) -> float:
    """Return how many rows of a group are expected to be left.

    It follows from two samples of all its rows: what is left grows as a power of these, with an exponent below 1.
    """
    factors = [axis_factor(known, axis) for axis in sorted(group.axes)]
    return _grown(known, group, factors, _SAMPLED, every)


def _grown(known: Monotonicity, group: Group, factors: Sequence[Factor], most: int, every: int) -> float:
    """Return how many of so many rows are expected to be left, from a sample of `most` rows and an eighth of them."""

    def left(most: int) -> tuple[int, int]:
        sample = thinned(factors, most)
        kept, _ = kept_rows(known, group, sample)
        return max(1, len(kept)), prod(len(factor) for factor in sample)

    kept, sampled = left(most)
    fewer, least = left(most // 8)
    exponent = min(1.0, math.log(kept / fewer) / math.log(sampled / least)) if sampled > least else 1.0
    result: float = kept * (every / sampled) ** max(0.0, exponent)
    return result


def packed(gains: Mapping[frozenset[int], float]) -> list[frozenset[int]]:
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
