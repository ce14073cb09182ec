"""Axes that several groups share: for each of their values the other axes of each group are reduced on their own.

    tensor × data                 217 values, fixed in both groups
    ├ kind_1 × bandwidth_1         48 rows  →  3 to 11 of each value
    └ kind_2 × bandwidth_2         48 rows  →  2 to  9 of each value

Only rows of the same values of the shared axes are compared, so no replacement touches these: with them fixed, what is
left is an ordinary product, and its groups have no axis in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

import numpy as np

from dse.search.groups.nested_groups import Choice, packed
from dse.search.proof.monotone import Group, Monotonicity
from dse.search.proof.reduction import Factor, Rows, axis_factor, every_row, kept_factor, kept_rows, shared_row

__all__ = ["Shared", "conditional", "shared_choice"]

_MANY_LEFT = 10**12  # designs that groups without a common axis leave: with fewer, bundles do the rest sooner
_WORTHWHILE = 256.0  # times fewer designs than groups without a common axis: bundles bound what is ragged badly
_MOST_ROWS = 6_000_000
_MOST_ENTRIES = 4_000_000  # of a table of a group
_MOST_SHARED = 1_000_000
_TOLD_APART = 2**53  # values of the shared axes, pruned ones too: rows are compared by their numbers, as floats
_SAMPLED = 32  # values of the shared axes, fewer where a group has many rows for each
_SAMPLED_ROWS = 65_536
_DOUBT = 2.0  # values of the shared axes for which a group has no row are not known before it is reduced
_TRIED = 6  # sets of shared axes, the most promising ones


@dataclass(frozen=True)
class Shared:
    """What is left of a product whose groups share axes.

    Attributes
    ----------
    axes : frozenset of int
        The shared axes.
    rows : Rows
        Their values, in rising order of the number, with the quantities that follow from them alone.
    parts : tuple of Choice
        The groups, each with the shared axes: its rows sorted by value of the shared axes.
    spans : tuple of (2, n) ndarray of int64
        Where, in the rows of each part, those of each value begin and end.
    inside : tuple of Choice
        Groups that were reduced before, whatever the other axes are: of shared axes, or of those of one part.
    others : tuple of Choice
        Groups that have no axis in common with these.
    """

    axes: frozenset[int]
    rows: Rows
    parts: tuple[Choice, ...]
    spans: tuple[np.ndarray, ...]
    inside: tuple[Choice, ...]
    others: tuple[Choice, ...]

    def free(self, part: Choice) -> frozenset[int]:
        """Return the axes that are the own ones of a part."""
        return part.group.axes - self.axes

    def longest(self, part: int) -> int:
        """Return the most rows of a part for a value of the shared axes."""
        begin, end = self.spans[part]
        return int((end - begin).max())

    def stages(self) -> Iterator[Choice]:
        """Yield all groups, those that were reduced first before the others."""
        for choice in (*self.others, *self.inside):
            yield from choice.stages()
        yield from self.parts


def shared_choice(known: Monotonicity, choices: Sequence[Choice]) -> Shared | None:
    """Return groups that share axes, where they leave far less than some that have no axis in common; else None.

    Parameters
    ----------
    known : Monotonicity
    choices : sequence of Choice
        The groups without a common axis.
    """
    remaining = known.product.size
    for choice in choices:
        remaining = remaining // known.rows(choice.group.axes) * len(choice.kept)
    if remaining < _MANY_LEFT:
        return None
    for axes, frees in _promising(known, choices, remaining / _WORTHWHILE):
        shared = conditional(known, axes, frees, choices)
        if shared is not None and _left(known, shared) * _WORTHWHILE < remaining:
            return shared
    return None


def _left(known: Monotonicity, shared: Shared) -> int:
    """Return how many designs are left, rows that only fill up included."""
    covered = shared.axes.union(*(part.group.axes for part in shared.parts))
    covered = covered.union(*(other.group.axes for other in shared.others))
    count = len(shared.rows) * prod(shared.longest(place) for place in range(len(shared.parts)))
    count *= prod(len(other.kept) for other in shared.others)
    return count * known.rows(frozenset(range(len(known.product.axes))) - covered)


def _promising(
    known: Monotonicity, choices: Sequence[Choice], most: float
) -> list[tuple[frozenset[int], tuple[frozenset[int], ...]]]:
    """Return sets of shared axes with the own axes of their groups, those first that are expected to leave least.

    Of some values of the shared axes it is known how many rows are left: of all, the most are no fewer. Sets that leave
    more than `most` designs even so are not reduced in vain.
    """
    candidates = known.candidates()
    possible: dict[frozenset[int], float] = {}
    for first, second in combinations(candidates, 2):
        axes = first & second
        if axes and axes != first and axes != second:
            for shared in (axes, _closed(axes, choices)):
                if shared not in possible and _rows(known, shared, choices) <= _MOST_SHARED:
                    possible[shared] = _reach(known, shared, candidates, choices)
    best = sorted(possible, key=lambda axes: (-possible[axes], len(axes), sorted(axes)))[:_TRIED]
    promising = []
    for axes in best:
        worth = _gains(known, axes, _frees(known, axes, candidates, choices), choices)
        frees = tuple(sorted(packed(worth), key=sorted))
        if len(frees) > 1:
            rows = _rows(known, axes, choices)
            gain = sum(worth[free] for free in frees) - math.log(rows / known.rows(axes))
            rest = frozenset(range(len(known.product.axes))).difference(axes, *frees)
            others = math.log(known.rows(rest) / _rows(known, rest, choices))
            if known.product.size / math.exp(gain + others) < _DOUBT * most:
                promising.append((gain, axes, frees))
    promising.sort(key=lambda entry: (-entry[0], sorted(entry[1])))
    return [(axes, frees) for _, axes, frees in promising]


def _closed(axes: frozenset[int], choices: Sequence[Choice]) -> frozenset[int]:
    """Add to some axes those of the groups they are part of: a group is fixed as a whole."""
    return axes.union(*(choice.group.axes for choice in choices if not choice.group.axes.isdisjoint(axes)))


def _inside(axes: frozenset[int], choices: Iterable[Choice]) -> list[Choice]:
    """Return the groups among some axes, or what lies inside those that are there in part."""
    inside = []
    for choice in choices:
        inside += [choice] if choice.group.axes <= axes else _inside(axes, choice.inside)
    return inside


def _rows(known: Monotonicity, axes: frozenset[int], choices: Sequence[Choice]) -> int:
    """Return how many combinations some axes have, of what is left of the groups among them."""
    inside = _inside(axes, choices)
    rest = axes.difference(*(choice.group.axes for choice in inside))
    return prod(len(choice.kept) for choice in inside) * known.rows(rest)


def _factors(known: Monotonicity, axes: frozenset[int], choices: Sequence[Choice]) -> list[Factor]:
    inside = _inside(axes, choices)
    rest = axes.difference(*(choice.group.axes for choice in inside))
    factors = [kept_factor(known, choice.group, choice.kept) for choice in inside]
    return sorted([*factors, *(axis_factor(known, axis) for axis in rest)], key=lambda factor: factor.axes)


def _frees(
    known: Monotonicity, axes: frozenset[int], candidates: Sequence[frozenset[int]], choices: Sequence[Choice]
) -> list[frozenset[int]]:
    """Return what groups could have for axes of their own beside the shared ones."""
    freed: dict[frozenset[int], None] = {}
    count = _rows(known, axes, choices)
    for candidate in candidates:
        free = candidate - axes
        if free and _rows(known, free, choices) > 1 and count * _rows(known, free, choices) <= _MOST_ROWS:
            freed[free] = None
    return list(freed)


def _reach(
    known: Monotonicity, axes: frozenset[int], candidates: Sequence[frozenset[int]], choices: Sequence[Choice]
) -> float:
    """Return how much groups with some shared axes could leave out at most."""
    frees = {
        free: math.log(_rows(known, free, choices))
        for free in _frees(
            known, axes, [candidate for candidate in candidates if not candidate.isdisjoint(axes)], choices
        )
    }
    taken: list[frozenset[int]] = []
    for free in sorted(frees, key=lambda free: (-frees[free], sorted(free))):
        if all(free.isdisjoint(other) for other in taken):
            taken.append(free)
    return sum(frees[free] for free in taken) if len(taken) > 1 else 0.0


def _gains(
    known: Monotonicity, axes: frozenset[int], frees: Sequence[frozenset[int]], choices: Sequence[Choice]
) -> dict[frozenset[int], float]:
    """Return by how much (its logarithm) each set of own axes leaves less, of some values of the shared ones."""
    groups = _proved(known, axes, frees)
    rows = _shared_rows(known, axes, choices)
    gains: dict[frozenset[int], float] = {}
    if not len(rows):
        return gains
    for free, group in groups.items():
        most = min(_SAMPLED, _SAMPLED_ROWS // _rows(known, free, choices))
        sample = rows.take(np.unique(np.linspace(0, len(rows) - 1, max(1, most)).round().astype(int)))
        if most:
            factors = [kept_factor(known, group_of(axes), sample), *_factors(known, free, choices)]
            kept, _ = kept_rows(known, group, factors)
            own = shared_row(known.product, axes, kept.numbers)
            longest = int(np.unique(own, return_counts=True)[1].max()) if len(kept) else 1
            gain = math.log(known.rows(free) / longest)
            if gain > 0:
                gains[free] = gain
    return gains


def group_of(axes: frozenset[int], limits: tuple[str, ...] = ()) -> Group:
    """Return axes as a group of which nothing is compared."""
    return Group(axes, {}, {}, limits, frozenset())


def _proved(known: Monotonicity, axes: frozenset[int], frees: Iterable[frozenset[int]]) -> dict[frozenset[int], Group]:
    """Prove the groups of shared axes and own ones: what follows from the shared ones alone is equal where they are."""
    proved = known.prove_all([axes | free for free in frees])
    groups = {}
    for both, group in proved.items():
        if group is not None:
            own = {name for name in (*group.columns, *group.keys) if not known.axes(name) <= axes}
            groups[both - axes] = replace(
                group,
                columns={name: sense for name, sense in group.columns.items() if name in own},
                keys={name: reason for name, reason in group.keys.items() if name in own},
                shared=axes,
            )
    return groups


def _shared_rows(known: Monotonicity, axes: frozenset[int], choices: Sequence[Choice]) -> Rows:
    """Return the values of shared axes that break none of the limits that read these alone."""
    interface = known.interface(axes)
    limits = tuple(c.quantity for c in known.system.constraints if c.quantity in interface)
    return _together(every_row(known, group_of(axes, limits), _factors(known, axes, choices)))


def _together(blocks: Iterable[Rows]) -> Rows:
    every = list(blocks)
    names = every[0].values
    return Rows(
        np.concatenate([block.numbers for block in every]),
        {name: np.concatenate([block.values[name] for block in every]) for name in names},
    )


def conditional(
    known: Monotonicity,
    axes: frozenset[int],
    frees: Sequence[frozenset[int]],
    choices: Sequence[Choice] = (),
) -> Shared | None:
    """Reduce groups for each value of the axes they share; None where a group or its tables would be too large.

    Parameters
    ----------
    known : Monotonicity
    axes : frozenset of int
        The shared axes.
    frees : sequence of frozenset of int
        The own axes of each group.
    choices : sequence of Choice
        Groups that are reduced already: taken are those inside the shared axes, or the own ones of one group, or
        apart from all.

    Raises
    ------
    ValueError
        An axis is not fixed in all groups that have it.
    """
    every = [axes, *frees]
    if any(not first.isdisjoint(second) for first, second in combinations(every, 2)):
        raise ValueError("an axis of two groups must be a shared one, which is fixed in both")
    if known.rows(axes) > _TOLD_APART:
        return None
    groups = _proved(known, axes, frees)
    rows = _shared_rows(known, axes, choices)
    if len(groups) < len(frees) or not len(rows):
        return None
    fixed = kept_factor(known, group_of(axes), rows)
    parts = []
    for free in frees:
        factors = (fixed, *_factors(known, free, choices))
        kept, _ = kept_rows(known, groups[free], factors)
        order = np.lexsort([*kept.columns(groups[free]).T, shared_row(known.product, axes, kept.numbers)])
        parts.append(Choice(groups[free], factors, kept.take(order), ()))
    rows, spans = _aligned(known, axes, rows, parts)
    if not len(rows):
        return None
    rest = frozenset(range(len(known.product.axes))).difference(*every)
    shared = Shared(
        axes,
        rows,
        tuple(parts),
        tuple(spans),
        tuple(choice for axes_set in every for choice in _inside(axes_set, choices)),
        tuple(_inside(rest, choices)),
    )
    if any(len(rows) * shared.longest(place) > _MOST_ENTRIES for place in range(len(parts))):
        return None
    return shared


def _aligned(
    known: Monotonicity, axes: frozenset[int], rows: Rows, parts: Sequence[Choice]
) -> tuple[Rows, list[np.ndarray]]:
    """Return the values of shared axes for which every part has rows, and where these begin."""
    own = [shared_row(known.product, axes, part.kept.numbers) for part in parts]
    number = shared_row(known.product, axes, rows.numbers)
    order = np.argsort(number)
    rows, number = rows.take(order), number[order]
    present = np.logical_and.reduce([np.isin(number, numbers) for numbers in own])
    rows, number = rows.take(np.flatnonzero(present)), number[present]
    begin = [np.searchsorted(numbers, number) for numbers in own]
    end = [np.searchsorted(numbers, number, side="right") for numbers in own]
    return rows, [np.stack([first, last]) for first, last in zip(begin, end, strict=True)]
