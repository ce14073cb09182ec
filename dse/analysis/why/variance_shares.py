"""Shares of variance on a product grid with equal weights: main effect of each axis, and total effect.

    main_k  = Var(mean over the other axes, along k) / Var            what k explains alone
    total_k = mean over the others of Var along k / Var               what is left when all others are known

Both are exact by definition, not estimates. Values come slab by slab along the first axis, and moments are merged as
Chan, Golub and LeVeque (1979) do: sums of squares of 1e18 would lose their digits.
"""

from __future__ import annotations

from math import prod

import numpy as np

__all__ = ["Moments", "VarianceShares"]


class Moments:
    """Counts, means and sums of squared deviations, of arrays of groups; merged without loss."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.count = np.zeros(shape)
        self.mean = np.zeros(shape)
        self.squares = np.zeros(shape)

    def merge(self, count: np.ndarray, mean: np.ndarray, squares: np.ndarray) -> None:
        """Add groups with these moments to the groups there are."""
        together = self.count + count
        apart = mean - self.mean
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(together > 0, count / together, 0.0)
        self.squares = self.squares + squares + apart * apart * self.count * share
        self.mean = self.mean + apart * share
        self.count = together

    @property
    def variance(self) -> np.ndarray:
        """Of each group, over its count."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(self.count > 0, self.squares / self.count, 0.0))

    @property
    def between(self) -> float:
        """Variance of the means of groups, each with the weight of its count."""
        total = self.count.sum()
        if not total:
            return 0.0
        middle = float((self.count * self.mean).sum() / total)
        return float((self.count * (self.mean - middle) ** 2).sum() / total)


class VarianceShares:
    """Main and total effects of the axes of a grid.

    Parameters
    ----------
    shape : tuple of int
        Rows by axis.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.all = Moments()
        self.by_row = [Moments((length,)) for length in shape]
        self.feasible = Moments()
        self.feasible_by_row = [Moments((length,)) for length in shape]
        self._along = [Moments() for _ in shape]  # of the variances along each axis but the first: their mean
        self._first = Moments(shape[1:])  # along the first axis, for each combination of the others

    def add(self, begin: int, end: int, values: np.ndarray, feasible: np.ndarray | None = None) -> None:
        """Add rows `begin` to `end` of the first axis.

        Parameters
        ----------
        begin, end : int
        values : ndarray
            Of the shape of the grid, but for the first axis.
        feasible : ndarray of bool, optional
            Those that count for the effects on feasible designs.
        """
        self.all.merge(*_moments(values, None))
        for place in range(len(self.shape)):
            rows = slice(begin, end) if place == 0 else slice(None)
            _merge_rows(self.by_row[place], rows, _by_row(values, place, None))
            if feasible is not None:
                _merge_rows(self.feasible_by_row[place], rows, _by_row(values, place, feasible))
            if place:
                variances = values.var(axis=place)
                self._along[place].merge(np.array(float(variances.size)), np.array(variances.mean()), np.array(0.0))
        if feasible is not None:
            self.feasible.merge(*_moments(values, feasible))
        count = np.full(self.shape[1:], float(end - begin))
        mean = values.mean(axis=0)
        self._first.merge(count, mean, ((values - mean) ** 2).sum(axis=0))

    @property
    def variance(self) -> float:
        """Of all values."""
        return float(self.all.variance)

    def main(self, place: int) -> float:
        """Return the main effect of an axis; 0 where nothing varies."""
        return self.by_row[place].between / self.variance if self._varies else 0.0

    def total(self, place: int) -> float:
        """Return the total effect of an axis; 0 where nothing varies."""
        if not self._varies:
            return 0.0
        mean = self._first.variance.mean() if place == 0 else self._along[place].mean
        return float(mean) / self.variance

    def feasible_main(self, place: int) -> float:
        """Return the main effect of an axis among feasible designs; 0 where nothing varies."""
        variance = float(self.feasible.variance)
        return self.feasible_by_row[place].between / variance if variance > 0 else 0.0

    @property
    def _varies(self) -> bool:
        # The variance of equal values is that of their rounding.
        return self.variance > (1e-14 * abs(float(self.all.mean))) ** 2


def _moments(values: np.ndarray, chosen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sample = values if chosen is None else values[chosen]
    if not sample.size:
        return np.array(0.0), np.array(0.0), np.array(0.0)
    mean = sample.mean()
    return np.array(float(sample.size)), np.array(mean), np.array(((sample - mean) ** 2).sum())


def _by_row(values: np.ndarray, place: int, chosen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the moments of the values in each row of an axis."""
    others = tuple(axis for axis in range(values.ndim) if axis != place)
    if chosen is None:
        count = np.full(values.shape[place], float(prod(values.shape) // values.shape[place]))
        mean = values.mean(axis=others)
        return count, mean, np.zeros(values.shape[place])
    count = chosen.sum(axis=others).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, np.where(chosen, values, 0.0).sum(axis=others) / count, 0.0)
    return count, mean, np.zeros(values.shape[place])


def _merge_rows(moments: Moments, rows: slice, new: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    count, mean, squares = new
    own = Moments(count.shape)
    own.count, own.mean, own.squares = moments.count[rows], moments.mean[rows], moments.squares[rows]
    own.merge(count, mean, squares)
    moments.count[rows], moments.mean[rows], moments.squares[rows] = own.count, own.mean, own.squares
