"""The rows of a group, and those of them that no other row of the same key beats in the interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from dse.evaluation.probe import as_grid, axis_grids, fixed_grids
from dse.graph.graph import call
from dse.search.monotone import Group, Monotonicity
from dse.search.pareto import nondominated

__all__ = ["Rows", "classes", "every_row", "kept_rows", "thinned"]

BLOCK = 131_072
_FEW = 16  # rows of a class that are compared in pairs


@dataclass
class Rows:
    """Some combinations of a group's axes that break none of its own constraints.

    Attributes
    ----------
    numbers : (n,) ndarray of int64
        What each adds to the design number within the product.
    values : dict of str to (n,) ndarray
        The quantities of the interface.
    """

    numbers: np.ndarray
    values: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, chosen: np.ndarray) -> Rows:
        """Return some of the rows."""
        return Rows(self.numbers[chosen], {name: column[chosen] for name, column in self.values.items()})

    def columns(self, group: Group, order: np.ndarray | None = None) -> np.ndarray:
        """Return the columns, all to be minimised, in an order of the rows: (n, columns)."""
        columns = np.empty((len(self), len(group.columns)))
        for position, (name, sense) in enumerate(group.columns.items()):
            values = self.values[name] if order is None else self.values[name].take(order)
            columns[:, position] = values * float(sense) + 0.0
        return columns


def every_row(known: Monotonicity, group: Group, rows: dict[int, np.ndarray] | None = None) -> Iterator[Rows]:
    """Evaluate the interface on the rows of a group (`rows`: some values of each axis), block by block."""
    chosen = rows or {axis: np.arange(known.product.shape[axis]) for axis in sorted(group.axes)}
    axes = sorted(chosen)
    lengths = [len(chosen[axis]) for axis in axes]
    cut = next((place for place in range(len(axes)) if prod(lengths[place + 1 :]) <= BLOCK), len(axes) - 1)
    step = max(1, BLOCK // prod(lengths[cut + 1 :]))
    for outer in np.ndindex(*lengths[:cut]):
        for begin in range(0, lengths[cut], step):
            some = dict(chosen)
            for place, row in enumerate(outer):
                some[axes[place]] = chosen[axes[place]][row : row + 1]
            some[axes[cut]] = chosen[axes[cut]][begin : begin + step]
            yield _block(known, group, some)


def _block(known: Monotonicity, group: Group, chosen: dict[int, np.ndarray]) -> Rows:
    product, graph = known.product, known.graph
    dimensions = len(product.axes)
    names = known.interface(group.axes)
    where = {axis: chosen.get(axis, np.zeros(1, dtype=np.int64)) for axis in range(dimensions)}
    values = {**fixed_grids(product, graph, known.system.assumptions), **axis_grids(product, where)}
    wanted = graph.below(names)
    positions = [p for p in known.positions if not wanted.isdisjoint(graph.functions[p].gives)]
    last = {need: position for position in positions for need in graph.functions[position].needs}
    with np.errstate(all="ignore"):
        for position in positions:
            for name, result in call(graph.functions[position], values).items():
                values[name] = as_grid(result, dimensions)
            for need in graph.functions[position].needs:
                if last[need] == position and need not in names:
                    values.pop(need, None)
    shape = tuple(len(where[axis]) for axis in range(dimensions))
    numbers = np.zeros((1,) * dimensions, dtype=np.int64)
    for axis, own in chosen.items():
        along = [1] * dimensions
        along[axis] = -1
        numbers = numbers + (own.astype(np.int64) * product.strides[axis]).reshape(along)
    flat = {name: np.ascontiguousarray(np.broadcast_to(np.asarray(values[name]), shape)).reshape(-1) for name in names}
    rows = Rows(np.broadcast_to(numbers, shape).reshape(-1), flat)
    if group.limits:
        met = np.logical_and.reduce([flat[name].astype(bool) for name in group.limits])
        rows = rows.take(np.flatnonzero(met))
    return rows


def classes(rows: Rows, keys: Sequence[str]) -> np.ndarray:
    """Number the rows by key: rows of one class have the same bits in every key."""
    own = np.zeros(len(rows), dtype=np.int64)
    count = 1
    for name in keys:
        bits = np.ascontiguousarray(rows.values[name], dtype=float).view(np.int64)
        if count == len(rows) or (bits == bits[:1]).all():
            continue
        order = np.lexsort([bits, own])
        fresh = (np.diff(own[order]) != 0) | (np.diff(bits[order]) != 0)
        own[order] = np.r_[0, np.cumsum(fresh)]
        count = int(fresh.sum()) + 1
    return own


def kept_rows(known: Monotonicity, group: Group, rows: dict[int, np.ndarray] | None = None) -> tuple[Rows, int]:
    """Return the rows that no other row of their class beats or equals (of equals the first), and how many there were.

    A row that others beat or equal in every column, at the same key, can be replaced in any design, without making an
    objective worse or breaking a constraint.
    """
    kept: Rows | None = None
    total = 0
    waiting: list[Rows] = []
    for block in every_row(known, group, rows):
        total += len(block)
        waiting.append(_reduced(block, group))
        if kept is None or sum(map(len, waiting)) >= max(BLOCK, len(kept)):
            kept = _joined([*([kept] if kept is not None else []), *waiting], group)
            waiting = []
    assert kept is not None
    return (_joined([kept, *waiting], group) if waiting else kept), total


def _joined(parts: list[Rows], group: Group) -> Rows:
    if len(parts) == 1:
        return parts[0]
    numbers = np.concatenate([part.numbers for part in parts])
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values}
    return _reduced(Rows(numbers, values), group)


def _reduced(rows: Rows, group: Group) -> Rows:
    if not len(rows):
        return rows
    own = classes(rows, list(group.keys))
    order = np.lexsort([rows.numbers, own])
    own = own[order]
    starts = np.flatnonzero(np.r_[True, np.diff(own) > 0])
    if not group.columns:
        return rows.take(np.sort(order[starts]))
    columns = rows.columns(group, order)
    ends = np.r_[starts[1:], len(rows)]
    small = ends - starts <= _FEW
    mask = _unbeaten_near(columns, own, int((ends - starts)[small].max(initial=1)))
    for begin, end in zip(starts[~small], ends[~small], strict=True):
        mask[begin:end] = nondominated(columns[begin:end], keep_ties=False)
    return rows.take(np.sort(order[mask]))


def _unbeaten_near(columns: np.ndarray, own: np.ndarray, longest: int) -> np.ndarray:
    """Mark the rows that no row of the same class beats or (standing before it) equals.

    Rows are compared with the `longest` - 1 next ones, all at once: that is right for classes of at most that length.
    """
    mask = np.ones(len(own), dtype=bool)
    for step in range(1, longest):
        same = np.flatnonzero(own[step:] == own[:-step])
        row, next_row = columns[same], columns[same + step]
        no_worse = (row <= next_row).all(axis=1)
        mask[same[no_worse] + step] = False
        mask[same[~no_worse & (next_row <= row).all(axis=1)]] = False
    return mask


def thinned(known: Monotonicity, group: Group, most: int) -> dict[int, np.ndarray]:
    """Return some values of each axis of a group, so that there are at most `most` rows."""
    counts = {axis: known.product.shape[axis] for axis in group.axes}
    while prod(counts.values()) > most:
        longest = max(counts, key=lambda axis: counts[axis])
        counts[longest] = -(-counts[longest] // 2)
    return {
        axis: np.unique(np.linspace(0, known.product.shape[axis] - 1, count).round().astype(np.int64))
        for axis, count in counts.items()
    }
