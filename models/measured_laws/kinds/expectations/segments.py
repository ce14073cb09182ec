"""Two laws instead of one, where a program changes its algorithm with the size.

One break; every split with five sizes on each side is tried, and taken only where both sides together leave less than
a quarter of what one law leaves, and the left law, carried on, misses the right side (the libraries that Shudler et al.
2019, Section 4, looked at change algorithms so; the limits are ours).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries, fit_series

__all__ = ["FEWEST_SIZES", "Segments", "left_out_squares", "segments"]

_SIDE, _GAIN, _MISS, _EXACT = 5, 0.25, 3.0, 1e-20
FEWEST_SIZES = 2 * _SIDE


@dataclass(frozen=True)
class Segments:
    """Two laws and the size between them.

    Attributes
    ----------
    left, right : FittedSeries
    at : float
        Geometric mean of the two sizes beside the break.
    """

    left: FittedSeries
    right: FittedSeries
    at: float


def left_out_squares(series: FittedSeries) -> float:
    """Return the sum of squared relative errors of each run under the fit to the others."""
    return series.law.cross_validation_error**2 * len(series.sizes)


def segments(single: FittedSeries) -> Segments | None:
    """Return the two laws that take the place of one, or None where one law does.

    Parameters
    ----------
    single : FittedSeries
    """
    count = len(single.sizes)
    if count < FEWEST_SIZES or single.law.cross_validation_error**2 < _EXACT:
        return None
    limit, best = _GAIN * left_out_squares(single), None
    for cut in range(_SIDE, count - _SIDE + 1):
        left, right = _part(single, slice(0, cut)), _part(single, slice(cut, count))
        squares = left_out_squares(left) + left_out_squares(right)
        if squares < limit and _missed(left, right) > _MISS * right.law.cross_validation_error:
            limit, best = squares, Segments(left, right, math.sqrt(left.sizes[-1] * right.sizes[0]))
    return best


def _part(single: FittedSeries, meant: slice) -> FittedSeries:
    log2 = single.law.parameters[0].log2
    sizes, values = single.sizes[meant], single.values[meant]
    return fit_series(values, sizes, single.variable, unit=single.law.unit, exponential=log2, reduced=single.reduced)


def _missed(left: FittedSeries, right: FittedSeries) -> float:
    """Return the root of the mean squared relative error of the left law at the sizes of the right."""
    computed = np.array([left.law.at({left.variable: size}) for size in right.sizes])
    values = np.array(right.values)
    return float(np.sqrt(np.mean(((computed - values) / np.maximum(np.abs(values), np.finfo(float).tiny)) ** 2)))
