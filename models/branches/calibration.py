"""From estimated misprediction rates to those of a machine: a line through measured ones (Anghel 2017, Section 4.4.3).

Which rate a model should take, best first: one that was measured; an estimate with the machine's calibration; the
max-outcome rate for its history and table; the rate of the entropy for its history; the constant 3 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["CONSTANT_MISS_RATE", "HASWELL", "Calibration", "MissRate", "best_history", "best_miss_rate", "fit"]

CONSTANT_MISS_RATE = 0.03
"""Of Anghel 2017, Eq. 4.6."""


@dataclass(frozen=True)
class Calibration:
    """A line from estimated to measured misprediction rates.

    Attributes
    ----------
    slope, intercept : float
        measured = slope x estimated + intercept.
    r_squared : float or None
        Coefficient of determination of the fit; None where it was not published, or the measured rates are all alike.
    source : str
    """

    slope: float
    intercept: float = 0.0
    r_squared: float | None = None
    source: str = "fitted"

    def miss_rate(self, estimated: Any) -> Any:
        """Misprediction rate of the machine, 0 to 1/2, from an estimated one."""
        return np.clip(self.slope * estimated + self.intercept, 0.0, 0.5)


HASWELL = Calibration(1.71, source="IBM ExaBounds, fitted to a Haswell processor")
"""Factor on the rate of the entropy, which the reference tool applies to every machine."""


def fit(measured: Any, estimated: Any, *, through_origin: bool = False, source: str = "fitted") -> Calibration:
    """Fit a line to pairs of measured and estimated rates, by least squares.

    Parameters
    ----------
    measured, estimated : (n,) array_like
        Misprediction rates of the same programs.
    through_origin : bool
        Whether the line is a factor only.
    source : str
        Where the measurements are from.

    Returns
    -------
    Calibration
        With R squared about the mean of the measured rates; it is below 0 where a factor fits worse than that mean.
    """
    y, x = np.asarray(measured, dtype=float), np.asarray(estimated, dtype=float)
    least = 1 if through_origin else 2
    if y.shape != x.shape or y.ndim != 1 or len(y) < least:
        raise InputError(f"{y.size} measured and {x.size} estimated rates", allowed=f"as many, at least {least}")
    if through_origin:
        if not x.any():
            raise InputError("all estimated rates are 0", allowed="at least one above 0")
        slope, intercept = float(x @ y / (x @ x)), 0.0
    else:
        spread = x - x.mean()
        if not spread.any():
            raise InputError("all estimated rates are the same", allowed="at least two different ones")
        slope = float(spread @ y / (spread @ spread))
        intercept = float(y.mean() - slope * x.mean())
    rest, total = y - slope * x - intercept, y - y.mean()
    r_squared = 1.0 - float(rest @ rest) / float(total @ total) if total.any() else None
    return Calibration(slope, intercept, r_squared, source)


def best_history(measured: Any, estimated: Mapping[int, Sequence[float]]) -> int:
    """History at which estimated rates correlate best with measured ones: how long a predictor's register may be.

    Parameters
    ----------
    measured : (n,) array_like
        Rates of n programs on one machine.
    estimated : mapping of int to (n,) array_like
        Rates of the same programs by history.

    Returns
    -------
    int
        Of equally good ones the shortest.
    """
    if not estimated:
        raise InputError("no history was given", key="estimated")
    correlation = {}
    for history, rates in sorted(estimated.items()):
        x, y = np.asarray(rates, dtype=float), np.asarray(measured, dtype=float)
        if x.shape != y.shape or len(x) < 2:
            raise InputError(f"history {history} has {x.size} rates for {y.size} programs", key="estimated")
        a, b = x - x.mean(), y - y.mean()
        size = float(np.sqrt((a @ a) * (b @ b)))
        correlation[history] = float(a @ b) / size if size else -np.inf
    return max(correlation, key=lambda history: correlation[history])


class MissRate(NamedTuple):
    """A misprediction rate and where it comes from."""

    rate: Any
    origin: str


def best_miss_rate(
    *,
    measured: Any = None,
    estimated: Any = None,
    calibration: Calibration | None = None,
    max_outcome: Any = None,
    entropy: Any = None,
    constant: float = CONSTANT_MISS_RATE,
) -> MissRate:
    """Take the best misprediction rate there is.

    Parameters
    ----------
    measured : array_like, optional
        On the machine.
    estimated, calibration : array_like, Calibration, optional
        An estimate, and the machine's line for such estimates.
    max_outcome : array_like, optional
        Max-outcome rate for the machine's history and table.
    entropy : array_like, optional
        Rate (not bits) of the branch entropy for the machine's history.
    constant : float
        What is left.

    Returns
    -------
    MissRate
    """
    if measured is not None:
        return MissRate(measured, "measured")
    if estimated is not None and calibration is not None:
        return MissRate(calibration.miss_rate(estimated), f"calibrated ({calibration.source})")
    if max_outcome is not None:
        return MissRate(max_outcome, "max-outcome")
    if entropy is not None:
        return MissRate(entropy, "entropy")
    return MissRate(constant, "constant")
