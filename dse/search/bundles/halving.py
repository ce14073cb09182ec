"""Nested bundles of alike rows: rows are halved again and again, where values change, until few are left together.

    rows                          ┌ 12,081 ┐
    by number of sockets     ┌ 1, 2 ┐     ┌ 4 ┐        the column that moves the objectives most in these rows
    by cores, by vectors     ┌┐    ┌┐     ┌┐ ┌┐        is not the same in all of them

A cut never goes through rows that have one value: half a bundle of two sockets and four would be as loose as the whole.
So bundles are of different lengths.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["columns_of", "halved"]

_LEAST_SHARE = 1e-3  # of the largest influence: what moves the objectives less makes no bundle tighter
_MOST_COLUMNS = 8


def columns_of(cut: Mapping[str, np.ndarray], atom: int, length: int, weights: Mapping[str, float]) -> np.ndarray:
    """Return the columns of the rows of an atom, each as wide as its influence on the objectives: (columns, rows).

    A positive quantity goes by its logarithm, another by its rank. One that varies along other atoms too is represented
    by its mean over them.
    """
    weighted: list[tuple[float, np.ndarray]] = []
    for name, table in cut.items():
        if table.shape[atom] > 1 and weights.get(name, 0.0) > 0:
            others = tuple(axis for axis in range(table.ndim) if axis != atom)
            with np.errstate(all="ignore"):
                column = (table.mean(axis=others) if others else table).astype(np.float64)
                positive = np.isfinite(column).all() and column.min() > 0
                column = np.log(column) if positive else np.unique(column, return_inverse=True)[1].astype(np.float64)
            column -= column.min()
            if column.max() > 0:
                weighted.append((weights[name], column * (weights[name] / column.max())))
    weighted.sort(key=lambda pair: -pair[0])
    least = _LEAST_SHARE * weighted[0][0] if weighted else 0.0
    chosen = [column for weight, column in weighted[:_MOST_COLUMNS] if weight >= least]
    return np.stack(chosen) if chosen else np.zeros((1, length))


def halved(columns: np.ndarray, least: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Halve rows along the widest column of each bundle until none has more than `least` rows.

    Parameters
    ----------
    columns : (columns, n) ndarray
    least : int

    Returns
    -------
    order : (n,) ndarray of int64
        The rows in the order in which bundles are ranges.
    starts : list of ndarray of int64
        Where the bundles begin, from one bundle of all rows to the smallest; each holds those before it.
    """
    count = columns.shape[1]
    order, starts = np.arange(count), [np.zeros(1, dtype=np.int64)]
    while True:
        begin = starts[-1]
        lengths = np.diff(np.append(begin, count))
        large = lengths > least
        if not large.any():
            return order, starts
        own = np.repeat(np.arange(len(begin)), lengths)
        ordered = columns[:, order]
        widths = np.maximum.reduceat(ordered, begin, axis=1) - np.minimum.reduceat(ordered, begin, axis=1)
        key = ordered[widths.argmax(axis=0)[own], np.arange(count)]
        key[~large[own]] = 0.0
        sorted_rows = np.lexsort([key, own])
        order, key = order[sorted_rows], key[sorted_rows]
        # The place nearest the middle where the value changes; any place where all rows are the same.
        changes = np.r_[False, key[1:] != key[:-1]] | (widths.max(axis=0) == 0.0)[own]
        changes[begin] = False
        place = np.where(changes & large[own], np.abs(np.arange(count) - (begin + lengths / 2)[own]), np.inf)
        nearest = np.flatnonzero(place == np.where(large, np.minimum.reduceat(place, begin), np.nan)[own])
        _, first = np.unique(own[nearest], return_index=True)
        starts.append(np.union1d(begin, nearest[first]))
