"""The order of rows in which neighbours are alike: bundles of neighbours then have tight bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.problem import Objective
from dse.evaluation.product_evaluator import ProductEvaluator, bounds_of

__all__ = ["alike_order", "influences"]

_SAMPLES = 256
_BITS = 60
_FINEST = 2.0**-14


def influences(
    evaluator: ProductEvaluator, objectives: Sequence[Objective], rng: np.random.Generator
) -> dict[str, float]:
    """Return how much each cut quantity can move the objectives.

    The quantity runs over its whole range while the others stay at the values of sample designs; the mean relative
    width this gives the objectives is its influence.
    """
    rows = [rng.integers(0, length, _SAMPLES) for length in evaluator.lengths]
    points: dict[str, np.ndarray] = {}
    for name, table in evaluator.cut.items():
        index = tuple(row if table.shape[atom] > 1 else 0 for atom, row in enumerate(rows))
        points[name] = np.ascontiguousarray(table[index]) if evaluator.own[name] else table.reshape(-1)[:1]
    weights = {}
    with np.errstate(all="ignore"):
        still: dict[str, Range | Condition] = evaluator.join({name: Range.of(value) for name, value in points.items()})
    for name, table in evaluator.cut.items():
        if not evaluator.own[name]:
            continue
        values = {**still, name: Range(np.full(_SAMPLES, table.min()), np.full(_SAMPLES, table.max()))}
        total = 0.0
        with np.errstate(all="ignore"):
            evaluator.join(values, _following(name, evaluator.joined))
            for objective in objectives:
                low, high = bounds_of(values[objective.quantity])
                width = (high - low) / np.maximum(np.abs(low + high) / 2, 1e-300)
                total += float(np.mean(np.clip(np.nan_to_num(width, nan=2.0), 0.0, 2.0)))
        weights[name] = total
    return weights


def _following(name: str, functions: Sequence[ModelFunction]) -> list[ModelFunction]:
    """Return the functions that a quantity reaches."""
    reached, following = {name}, []
    for function in functions:
        if not reached.isdisjoint(function.needs):
            reached.update(function.gives)
            following.append(function)
    return following


def alike_order(cut: Mapping[str, np.ndarray], atom: int, length: int, weights: Mapping[str, float]) -> np.ndarray:
    """Return the order of the `length` rows of an atom along a curve through the ranks of its columns.

    Bits of the ranks are interleaved, most influential first: each bit taken from a column halves what is left of its
    influence. A quantity that varies along other atoms too is represented by its mean over them.
    """
    columns, remaining = [], []
    for name, table in cut.items():
        if table.shape[atom] > 1 and weights.get(name, 0.0) > 0:
            others = tuple(axis for axis in range(table.ndim) if axis != atom)
            column = table.mean(axis=others) if others else table
            columns.append(np.unique(column, return_inverse=True)[1].astype(np.float64))
            remaining.append(weights[name])
    if not columns:
        return np.arange(length)
    ranks = [column / (column.max() + 1) if column.max() else column for column in columns]
    taken = [0] * len(ranks)
    code = np.zeros(length, dtype=np.int64)
    for _ in range(_BITS):
        best = max(range(len(remaining)), key=lambda i: remaining[i])
        if remaining[best] < _FINEST * max(weights.values()):
            break
        taken[best] += 1
        bit = np.floor(ranks[best] * 2.0 ** taken[best]).astype(np.int64) & 1
        code = (code << 1) | bit
        remaining[best] /= 2
    return np.argsort(code, kind="stable")


def laid_out(tables: dict[str, np.ndarray], change: Callable[[np.ndarray], np.ndarray]) -> None:
    """Replace each table by a changed one; names that share a table go on sharing one.

    Only one table is there twice at a time, and those that are shared.
    """
    names = Counter(map(id, tables.values()))
    changed: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for name, table in tables.items():
        if names[id(table)] == 1:
            tables[name] = change(table)
            continue
        if id(table) not in changed:
            changed[id(table)] = table, change(table)
        tables[name] = changed[id(table)][1]
