"""How far computed values are from measured ones: the statistics by which models are judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from dse.errors import InputError

__all__ = ["FEW_POINTS", "SHARES", "Statistics", "correlation", "order_is_lost", "ranks", "statistics"]

SHARES = (0.05, 0.10, 0.20, 0.50)
"""Errors for which the share of rows within them is told."""

FEW_POINTS = 5  # comparisons below which a group is told to be small
_WORST = 3
_LEAST = 3  # points of a correlation, and of a scale that is left out
_EXACT = 1e-12  # an error of just 20 % in the decimals of a file is within 20 %


class Statistics(TypedDict):
    """What `statistics` returns. Errors and accuracies in percent; None where it is not defined."""

    n: int
    not_comparable: int
    without_error: int
    not_in_logarithms: int
    mean_absolute_error: float | None
    mean_absolute_percentage_error: float | None
    mean_accuracy: float | None
    max_accuracy: float | None
    max_accuracy_row: int | None
    min_accuracy: float | None
    min_accuracy_row: int | None
    bias: float | None
    error_standard_deviation: float | None
    absolute_error_standard_deviation: float | None
    median_absolute_percentage_error: float | None
    geometric_mean_ratio: float | None
    pearson: float | None
    pearson_log: float | None
    spearman: float | None
    within: dict[str, float]
    worst: list[int]
    mape_after_scaling: float | None
    relative_spread: float | None


def statistics(
    measured: npt.ArrayLike,
    computed: npt.ArrayLike,
    *,
    rows: Sequence[int] | None = None,
    limit: float | None = None,
    not_comparable: int = 0,
) -> Statistics:
    """Judge computed values by measured ones.

    Parameters
    ----------
    measured, computed : (n,) array_like of finite floats
        Both in one unit.
    rows : sequence of int, optional
        What the entries are called where some are named. Default: their places.
    limit : float, optional
        One more error, beside 5, 10, 20 and 50 %, whose share is told.
    not_comparable : int
        Rows without a computed value, which are told only.

    Returns
    -------
    dict
        With the errors e = (c - m)/m, so that above 0 the model says more:

        - ``n``, ``not_comparable``; ``without_error``: rows with m = 0, which have no e; ``not_in_logarithms``: rows
          with m <= 0 or c <= 0;
        - ``mean_absolute_error``: mean |c - m|, in the unit of the values, over all rows;
        - ``mean_absolute_percentage_error``: 100 mean |e|; ``mean_accuracy``, ``max_accuracy``, ``min_accuracy``:
          100 (1 - |e|) with the mean, least and largest |e|, and the rows of the last two;
        - ``bias``: 100 mean e; ``error_standard_deviation``, ``absolute_error_standard_deviation``: 100 times the
          sample standard deviation (n - 1) of e and of |e|; ``median_absolute_percentage_error``: 100 median |e|;
        - ``geometric_mean_ratio``: exp(mean ln(c/m));
        - ``pearson``, ``pearson_log``, ``spearman``: correlations of the values, their logarithms and their ranks (ties
          have mean ranks); None below three points, or where a column is constant;
        - ``within``: by error, the share of rows with |e| up to it;
        - ``worst``: the three rows of the largest |e|;
        - ``mape_after_scaling``: the mean absolute percentage error of k c, k the median of m/c over the *other* rows;
          None below three rows. Small where one constant would mend the model;
        - ``relative_spread``: 100 times sample standard deviation over mean of m.

    Examples
    --------
    >>> told = statistics([10, 20, 40, 15, 30, 60], [9, 22, 38, 20, 27, 75])
    >>> round(told["mean_absolute_percentage_error"], 6), told["spearman"], told["worst"]
    (15.555556, 1.0, [3, 5, 0])
    """
    m, c = (np.asarray(values, dtype=float) for values in (measured, computed))
    if m.shape != c.shape or m.ndim != 1 or not (np.isfinite(m).all() and np.isfinite(c).all()):
        raise InputError(f"values have the shapes {m.shape} and {c.shape}", allowed="finite numbers, as many of both")
    names = np.arange(len(m)) if rows is None else np.asarray(rows)
    known = m != 0
    error = (c[known] - m[known]) / m[known]
    size, own = np.abs(error), names[known]
    positive = (m > 0) & (c > 0)
    logs = np.log(m[positive]), np.log(c[positive])
    limits = [*SHARES, *([limit] if limit is not None and limit not in SHARES else [])]
    mean = _percent(size.mean()) if len(size) else None
    return {
        "n": len(m),
        "not_comparable": not_comparable,
        "without_error": int(len(m) - len(error)),
        "not_in_logarithms": int(len(m) - positive.sum()),
        "mean_absolute_error": float(np.abs(c - m).mean()) if len(m) else None,
        "mean_absolute_percentage_error": mean,
        "mean_accuracy": None if mean is None else 100.0 - mean,
        "max_accuracy": 100.0 - _percent(size.min()) if len(size) else None,
        "max_accuracy_row": int(own[size.argmin()]) if len(size) else None,
        "min_accuracy": 100.0 - _percent(size.max()) if len(size) else None,
        "min_accuracy_row": int(own[size.argmax()]) if len(size) else None,
        "bias": _percent(error.mean()) if len(size) else None,
        "error_standard_deviation": _percent(error.std(ddof=1)) if len(size) > 1 else None,
        "absolute_error_standard_deviation": _percent(size.std(ddof=1)) if len(size) > 1 else None,
        "median_absolute_percentage_error": _percent(np.median(size)) if len(size) else None,
        "geometric_mean_ratio": float(np.exp((logs[1] - logs[0]).mean())) if positive.any() else None,
        "pearson": correlation(m, c),
        "pearson_log": correlation(*logs),
        "spearman": correlation(ranks(m), ranks(c)),
        "within": {f"{limit:.12g}": float((size <= limit + _EXACT).mean()) for limit in limits} if len(size) else {},
        "worst": own[np.argsort(-size, kind="stable")[:_WORST]].tolist(),
        "mape_after_scaling": _after_scaling(m[known], c[known]),
        "relative_spread": _percent(m.std(ddof=1) / abs(m.mean())) if len(m) > 1 and m.mean() else None,
    }


def correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Pearson's correlation; None below three points, or where one of the two is constant.

    Examples
    --------
    >>> round(correlation([1, 2, 2, 4], [1, 3, 2, 2]), 6)
    0.324443
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(x) < _LEAST or (x == x[0]).all() or (y == y[0]).all():
        return None
    x, y = _centred(x), _centred(y)
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def _centred(values: np.ndarray) -> np.ndarray:
    """Return deviations from the mean, of a size whose squares neither overflow nor vanish."""
    apart = values / np.abs(values).max()
    apart = apart - apart.mean()
    return np.asarray(apart / np.abs(apart).max())


def ranks(values: npt.ArrayLike) -> np.ndarray:
    """Return the ranks of values from 1; equal ones have the mean of theirs.

    Examples
    --------
    >>> ranks([1, 2, 2, 4]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    _, which, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[which.reshape(-1)])


def order_is_lost(statistics: Statistics) -> bool:
    """Tell whether errors are small because the measured values hardly differ, and their order is not predicted.

    That is: the mean absolute percentage error is below twice the relative spread of the measured values, and the
    correlation of the ranks below 0.5.
    """
    error, spread, rank = (
        statistics["mean_absolute_percentage_error"],
        statistics["relative_spread"],
        statistics["spearman"],
    )
    return None not in (error, spread, rank) and float(error or 0) < 2 * float(spread or 0) and float(rank or 0) < 0.5


def _after_scaling(measured: np.ndarray, computed: np.ndarray) -> float | None:
    usable = computed != 0
    m, c = measured[usable], computed[usable]
    if len(m) < _LEAST or len(m) < len(measured):
        return None
    ratio = m / c
    order = np.argsort(ratio, kind="stable")
    place, rising = np.empty(len(m), dtype=int), ratio[order]
    place[order] = np.arange(len(m))
    # The two middle places among the others: those at and behind a row's own are one further up.
    low, high = (len(m) - 2) // 2, (len(m) - 1) // 2
    scale = (rising[low + (low >= place)] + rising[high + (high >= place)]) / 2
    return _percent(np.abs((scale * c - m) / m).mean())


def _percent(share: float | np.floating) -> float:
    return 100.0 * float(share)
