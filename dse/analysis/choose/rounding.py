"""Objectives without their last bits: figures that people see as equal must not decide which design is named.

``nodes * power * work / nodes`` is not the same number for every `nodes`. Its last bits put designs on a frontier that
others beat but for rounding: the frontier keeps them, as it is exact, and what is said of it leaves them aside.
"""

from __future__ import annotations

import numpy as np

from dse.search.frontier.pareto import nondominated

__all__ = ["by_rounding", "settled"]

_BITS = 30  # of 53: nine digits
_FEW = 1_000  # points that are compared in pairs: no library is imported for them


def settled(values: np.ndarray) -> np.ndarray:
    """Return numbers rounded to nine digits (30 bits), so that those which differ in their last bits are equal."""
    digits, exponent = np.frexp(np.asarray(values, dtype=float))
    np.ldexp(digits, _BITS, out=digits)
    np.round(digits, out=digits)
    exponent -= _BITS
    return np.asarray(np.ldexp(digits, exponent, out=digits))


def by_rounding(points: np.ndarray) -> np.ndarray:
    """Return which of some points another is no worse than but for rounding, and better than by more.

    Parameters
    ----------
    points : (n, d) ndarray
        To be minimised; none of them beats another.
    """
    close = settled(points)
    if len(close) > _FEW:
        return np.asarray(~nondominated(close))
    no_worse = (close[:, None] <= close[None]).all(axis=2)
    return np.asarray((no_worse & (close[:, None] < close[None]).any(axis=2)).any(axis=0))
