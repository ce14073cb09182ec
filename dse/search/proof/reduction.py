"""The rows of a group, and those of them that no other row of the same key beats in the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from dse.evaluation.probe import Given, as_grid, axis_grids, fixed_grids
from dse.graph.graph import call
from dse.search.frontier.pareto import nondominated
from dse.search.proof.monotone import SHARED_ROW, Group, Monotonicity
from dse.space.design_space import Product

__all__ = [
    "Factor",
    "Rows",
    "axis_factor",
    "classes",
    "every_row",
    "kept_factor",
    "kept_rows",
    "shared_row",
    "thinned",
]

BLOCK = 131_072
_LEAST_BLOCK = 8_192
_BYTES = 16 * 2**20  # of the interface of a block
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


@dataclass(frozen=True)
class Factor:
    """What rows of a group are combined from: the values of an axis, or the rows that are left of a group inside.

    Attributes
    ----------
    axes : tuple of int
    numbers : (n,) ndarray of int64
        What each row adds to the design number within the product.
    values : dict of str to (n,) ndarray
        The columns of the axis, or those of the group's axes and its interface.
    """

    axes: tuple[int, ...]
    numbers: np.ndarray
    values: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, chosen: slice | np.ndarray) -> Factor:
        """Return some of the rows."""
        return Factor(self.axes, self.numbers[chosen], {name: column[chosen] for name, column in self.values.items()})


def axis_factor(known: Monotonicity, axis: int) -> Factor:
    """Return all values of an axis."""
    product = known.product
    numbers = np.arange(product.shape[axis], dtype=np.int64) * product.strides[axis]
    return Factor((axis,), numbers, product.axes[axis].columns)


def kept_factor(known: Monotonicity, group: Group, kept: Rows) -> Factor:
    """Return the rows that are left of a group."""
    product = known.product
    columns = {
        name: column.take(kept.numbers // product.strides[axis] % product.shape[axis])
        for axis in group.axes
        for name, column in product.axes[axis].columns.items()
    }
    return Factor(tuple(sorted(group.axes)), kept.numbers, {**columns, **kept.values})


def every_row(known: Monotonicity, group: Group, factors: Sequence[Factor] | None = None) -> Iterator[Rows]:
    """Evaluate the interface on the rows of a group, block by block (`factors`: default, its axes)."""
    factors = [axis_factor(known, axis) for axis in sorted(group.axes)] if factors is None else factors
    lengths = [len(factor) for factor in factors]
    block = min(BLOCK, max(_LEAST_BLOCK, _BYTES // (8 * max(1, len(known.interface(group.axes))))))
    cut = next((place for place in range(len(factors)) if prod(lengths[place + 1 :]) <= block), len(factors) - 1)
    step = max(1, block // max(1, prod(lengths[cut + 1 :])))
    for outer in np.ndindex(*lengths[:cut]):
        ahead = [factor.take(slice(row, row + 1)) for factor, row in zip(factors, outer, strict=False)]
        for begin in range(0, max(1, lengths[cut]), step):
            piece = factors[cut].take(slice(begin, begin + step))
            yield _block(known, group, [*ahead, piece, *factors[cut + 1 :]])


def _block(known: Monotonicity, group: Group, factors: Sequence[Factor]) -> Rows:
    product, graph = known.product, known.graph
    dimensions = len(product.axes)
    names = known.interface(group.axes)
    first = {
        axis: np.zeros(1, dtype=np.int64) for axis in range(dimensions)
    }  # of an axis that nothing here varies with
    values: dict[str, Given] = {
        **fixed_grids(product, graph, known.system.assumptions),
        **axis_grids(product, first),
    }
    shape = [1] * dimensions
    numbers = np.zeros((1,) * dimensions, dtype=np.int64)
    for factor in factors:
        along = [1] * dimensions
        along[factor.axes[0]] = -1
        shape[factor.axes[0]] = len(factor)
        numbers = numbers + factor.numbers.reshape(along)
        values.update({name: column.reshape(along) for name, column in factor.values.items()})
    positions = _needed(known, names, values)
    last = {need: position for position in positions for need in graph.functions[position].needs}
    with np.errstate(all="ignore"):
        for position in positions:
            for name, result in call(graph.functions[position], values).items():
                values[name] = as_grid(result, dimensions)
            for need in graph.functions[position].needs:
                if last[need] == position and need not in names:
                    values.pop(need, None)
    flat = {name: np.ascontiguousarray(np.broadcast_to(np.asarray(values[name]), shape)).reshape(-1) for name in names}
    rows = Rows(np.broadcast_to(numbers, shape).reshape(-1), flat)
    if group.shared:
        flat[SHARED_ROW] = shared_row(product, group.shared, rows.numbers).astype(float)
    if group.limits:
        met = np.logical_and.reduce([flat[name].astype(bool) for name in group.limits])
        rows = rows.take(np.flatnonzero(met))
    return rows


def _needed(known: Monotonicity, names: Sequence[str], given: Mapping[str, object]) -> list[int]:
    """Return the functions that make some quantities from those that are given."""
    makers = {name: position for position in known.positions for name in known.graph.functions[position].gives}
    needed: set[int] = set()
    todo = [name for name in names if name not in given]
    while todo:
        position = makers[todo.pop()]
        if position not in needed:
            needed.add(position)
            todo += [need for need in known.graph.functions[position].needs if need not in given]
    return sorted(needed)


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


def kept_rows(known: Monotonicity, group: Group, factors: Sequence[Factor] | None = None) -> tuple[Rows, int]:
    """Return the rows that no other row of their class beats or equals (of equals the first), and how many there were.

    A row that others beat or equal in every column, at the same key, can be replaced in any design, without making an
    objective worse or breaking a constraint.
    """
    kept: Rows | None = None
    total = 0
    waiting: list[Rows] = []
    for block in every_row(known, group, factors):
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
    own = classes(rows, group.compared)
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


def shared_row(product: Product, axes: frozenset[int], numbers: np.ndarray) -> np.ndarray:
    """Return, for some designs of a product or rows of a group, one number for the values of some of its axes."""
    row = np.zeros(len(numbers), dtype=np.int64)
    for axis in sorted(axes):
        row = row * product.shape[axis] + numbers // product.strides[axis] % product.shape[axis]
    return row


def thinned(factors: Sequence[Factor], most: int) -> list[Factor]:
    """Return some rows of each factor, so that there are at most `most` combinations."""
    counts = [len(factor) for factor in factors]
    while prod(counts) > most:
        longest = max(range(len(counts)), key=lambda place: counts[place])
        counts[longest] = -(-counts[longest] // 2)
    return [
        factor.take(np.unique(np.linspace(0, len(factor) - 1, count).round().astype(np.int64)))
        for factor, count in zip(factors, counts, strict=True)
    ]
