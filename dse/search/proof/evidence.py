"""Evidence: some of what a search left out, kept with its reason, so that a simpler program can look at it again.

Kept is a random part, drawn evenly over the pieces of the search: all of it would cost more than the search. What was
drawn depends on the space alone, not on the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from dse.evaluation.product_evaluator import flat_inputs
from dse.search.account.tolerance import Tolerance
from dse.search.proof.monotone import SHARED_ROW, Group, Monotonicity
from dse.search.proof.reduction import Factor, Rows, shared_row

__all__ = ["BEATEN", "KEPT", "Evidence", "Excluded", "GroupEvidence", "Sampler", "pruned_evidence", "who_excluded"]

KEPT = 10_000
BEATEN = -1
_NONE = -2
_COMPARED = 200_000_000
_TOGETHER = 256
_ROUNDING = 1e-12


@dataclass
class Excluded:
    """Boxes of one product that were excluded.

    Attributes
    ----------
    begin, end : (n, atoms) ndarray of int64
        The bundle of each atom, as places in its order.
    bounds : (n, d) ndarray
        Least value of each objective, all to be minimised.
    limits : (n,) ndarray of int64
        The constraint that no design of the box can meet (its place), -1 where others beat every one.
    keys : (n,) ndarray
        Random numbers: the least ones are kept.
    """

    begin: np.ndarray
    end: np.ndarray
    bounds: np.ndarray
    limits: np.ndarray
    keys: np.ndarray

    def least(self, most: int) -> Excluded:
        """Return the boxes with the least keys."""
        chosen = np.argsort(self.keys, kind="stable")[:most]
        return Excluded(*(getattr(self, name)[chosen] for name in _ARRAYS))

    @classmethod
    def joined(cls, parts: Sequence[Excluded]) -> Excluded:
        """Put the boxes of several pieces together."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS))


_ARRAYS = ("begin", "end", "bounds", "limits", "keys")


class Sampler:
    """Draws some of the boxes that one piece of a search excludes."""

    def __init__(self, seed: Sequence[int], most: int) -> None:
        self._rng, self._most, self._worst = np.random.default_rng(seed), most, 1.0
        self._parts: list[Excluded] = []
        self._waiting = 0

    def draw(self, dropped: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which of some dropped boxes (their places) to note, and their keys."""
        keys = self._rng.random(len(dropped))
        low = keys < self._worst
        return dropped[low], keys[low]

    def note(self, excluded: Excluded) -> None:
        """Keep boxes that were drawn."""
        self._parts.append(excluded)
        self._waiting += len(excluded.keys)
        if self._waiting > 4 * self._most:
            self._thin()

    def _thin(self) -> None:
        kept = Excluded.joined(self._parts).least(self._most)
        self._parts, self._waiting = [kept], len(kept.keys)
        if len(kept.keys) == self._most:
            self._worst = float(kept.keys[-1])

    def result(self) -> Excluded | None:
        """Return what was kept."""
        if not self._parts:
            return None
        self._thin()
        return self._parts[0]


@dataclass(frozen=True)
class GroupEvidence:
    """A group of axes: what was claimed of it, and some of its pruned rows.

    Attributes
    ----------
    axes : tuple of int
    columns : dict of str to int
        1 where less of the quantity is never worse, -1 where more is.
    interface : tuple of str
        The quantities through which the axes reach the results.
    rows : int
        How many rows were pruned.
    pruned, instead : (n,) ndarray of int64
        What each row, and the row that replaces it, adds to the design number within the product; -1 where the row
        breaks a constraint of the group's own, -2 where no row was found.
    """

    axes: tuple[int, ...]
    columns: Mapping[str, int]
    interface: tuple[str, ...]
    rows: int
    pruned: np.ndarray
    instead: np.ndarray


@dataclass
class Evidence:
    """The evidence of a search, by product.

    Attributes
    ----------
    orders : dict of int to list of ndarray of int64
        For each atom, what its rows add to the design number, in the order the bundles are cut from.
    excluded : dict of int to Excluded
    by : dict of int to ndarray of int64
        The design of the frontier that beats every design of a box (-1: a limit excluded it).
    groups : dict of int to list of GroupEvidence
    """

    orders: dict[int, list[np.ndarray]] = field(default_factory=dict)
    excluded: dict[int, Excluded] = field(default_factory=dict)
    by: dict[int, np.ndarray] = field(default_factory=dict)
    groups: dict[int, list[GroupEvidence]] = field(default_factory=dict)


def who_excluded(
    excluded: Excluded, points: np.ndarray, numbers: np.ndarray, tolerance: Tolerance | None = None
) -> np.ndarray:
    """Return the design of the frontier that beats every design of each box; -1 where a limit excluded it, or none.

    With a tolerance, the design that covers every design of the box.
    """
    bounds = excluded.bounds if tolerance is None else tolerance.shift(excluded.bounds)
    excluding = np.full(len(excluded.limits), -1, dtype=np.int64)
    remaining = np.flatnonzero(excluded.limits == BEATEN)
    step = 256
    for begin in range(0, len(points), step):
        if not len(remaining):
            break
        piece = points[None, begin : begin + step]
        ahead = np.all(piece <= bounds[remaining, None], axis=2)
        if tolerance is None:  # no worse in every objective than the bound, and better in one
            ahead &= np.any(piece < bounds[remaining, None], axis=2)
        beaten = ahead.any(axis=1)
        excluding[remaining[beaten]] = numbers[begin + ahead[beaten].argmax(axis=1)]
        remaining = remaining[~beaten]
    return excluding


def pruned_evidence(
    known: Monotonicity, group: Group, factors: Sequence[Factor], kept: Rows, most: int, rng: np.random.Generator
) -> GroupEvidence:
    """Draw pruned rows of a group, and find the kept row that replaces each."""
    lengths = [len(factor) for factor in factors]
    every = prod(lengths)
    product = known.product
    count = min(most, every, max(1, _COMPARED // max(1, len(kept))))
    # Not every row that is drawn is a pruned one.
    few = every <= 4 * count
    drawn = np.arange(every) if few else np.unique(rng.integers(0, every, 4 * count))
    numbers = np.zeros(len(drawn), dtype=np.int64)
    for factor, row in zip(factors, np.unravel_index(drawn, lengths), strict=True):
        numbers += factor.numbers[row]
    numbers = numbers[rng.permutation(np.flatnonzero(~np.isin(numbers, kept.numbers)))[:count]]
    instead = np.full(len(numbers), -1, dtype=np.int64)
    if len(numbers):
        rows = [numbers // stride % count for stride, count in zip(product.strides, product.shape, strict=True)]
        inputs = flat_inputs(known.graph, product, known.system.assumptions, rows)
        names = [*group.columns, *group.keys]
        with np.errstate(all="ignore"):
            values = known.graph.evaluate(inputs, list(dict.fromkeys([*names, *group.limits])))
        flat = {name: np.broadcast_to(np.asarray(value).reshape(-1), len(numbers)) for name, value in values.items()}
        if group.shared:
            flat[SHARED_ROW] = shared_row(product, group.shared, numbers).astype(float)
        possible = np.ones(len(numbers), dtype=bool)
        for name in group.limits:
            possible &= flat[name].astype(bool)
        instead[possible] = _instead(group, kept, flat, np.flatnonzero(possible))
    interface = tuple(known.interface(group.axes))
    return GroupEvidence(tuple(sorted(group.axes)), dict(group.columns), interface, every - len(kept), numbers, instead)


def _instead(group: Group, kept: Rows, flat: Mapping[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Return, for some rows, the number of a kept row that is no worse in any column and equal in every key."""
    senses = {**group.columns, **dict.fromkeys(group.compared, 1)}
    replacing = np.full(len(rows), _NONE, dtype=np.int64)
    for remaining, others in _classes(group, kept, flat, rows):
        for begin in range(0, len(others), _TOGETHER):
            piece = others[begin : begin + _TOGETHER]
            fits = np.ones((len(remaining), len(piece)), dtype=bool)
            for name, sense in senses.items():
                own = flat[name][rows[remaining]][:, None] * float(sense)
                slack = _ROUNDING * np.abs(own)
                other = kept.values[name][piece] * float(sense)
                fits &= other <= own + slack
                if name in group.compared:
                    fits &= other >= own - slack
            any_fits = fits.any(axis=1)
            replacing[remaining[any_fits]] = kept.numbers[piece[fits[any_fits].argmax(axis=1)]]
            remaining = remaining[~any_fits]
            if not len(remaining):
                break
    return replacing


def _classes(
    group: Group, kept: Rows, flat: Mapping[str, np.ndarray], rows: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of each value of the first key (their places), and the kept rows of that value."""
    if not group.compared:
        yield np.arange(len(rows)), np.arange(len(kept))
        return
    key = group.compared[0]
    order = np.argsort(kept.values[key], kind="stable")
    ordered, own = kept.values[key][order], flat[key][rows]
    for value in np.unique(own):
        slack = _ROUNDING * abs(value)
        begin, end = np.searchsorted(ordered, value - slack), np.searchsorted(ordered, value + slack, side="right")
        yield np.flatnonzero(own == value), order[begin:end]
