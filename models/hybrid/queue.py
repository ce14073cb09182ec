r"""Waiting at the switch: the Pollaczek-Khinchine formula closed over the run time, in closed form.

A message waits :math:`W = \kappa \rho y / (1 - \rho)` where y is its service time, :math:`\kappa = (1 + scv)/2` and
:math:`\rho = a / T`: a is the time a channel of the switch is busy during the run, T the run time. With q the sum of
:math:`\kappa y` over the messages a node waits for, and T0 the run time without waiting,

.. math:: (T - T_0)(T - a) = a q

whose one root above both T0 and a is the run time. So there is no iteration and no saturation: rho < 1 always.
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.duals import by_partials
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Range

__all__ = ["contended_time", "waiting_time"]


def _contended_time(base: np.ndarray, busy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    root = np.sqrt((base - busy) * (base - busy) + 4.0 * busy * weight)
    result: np.ndarray = np.maximum(np.maximum(base, busy), ((base + busy) + root) / 2.0)
    return result


def _waiting_time(base: np.ndarray, busy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    root = np.sqrt((base - busy) * (base - busy) + 4.0 * busy * weight)
    # The usual cure for cancellation: of the two forms of the root, the one that adds.
    ahead = base > busy
    result: np.ndarray = np.where(
        ahead,
        2.0 * busy * weight / np.where(ahead, root + (base - busy), 1.0),
        (root + (busy - base)) / 2.0,
    )
    return result


def _waiting_range(base: Range, busy: Range, weight: Range) -> Range:
    """Bounds of the waiting time: it falls in `base` and rises in the other two; 64 last places for the rounding.

    Near ``base == busy`` the difference of the two is exact, so no digits are lost there.
    """
    low = _waiting_time(base.high, busy.low, weight.low)
    high = _waiting_time(base.low, busy.high, weight.high)
    return Range(np.maximum(low - 64 * np.spacing(np.abs(low)), 0.0), high + 64 * np.spacing(np.abs(high)))


def _time_partials(base: np.ndarray, busy: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the derivatives of T: those of (T - T0)(T - a) = a q, whose two factors add up to the root.

    Where both are 0 (T0 = a and no waiting) the curve has a corner; T0 counts there.
    """
    root = np.sqrt((base - busy) * (base - busy) + 4.0 * busy * weight)
    corner = root == 0.0
    divisor = np.where(corner, 1.0, root)
    waiting, behind = _waiting_time(base, busy, weight), busy > base
    small = 2.0 * busy * weight / np.where(behind, root + (busy - base), 1.0)
    rest = np.where(behind, small, (root + (base - busy)) / 2.0)
    return (
        np.where(corner, 1.0, rest / divisor),
        np.where(corner, 0.0, (waiting + weight) / divisor),
        np.where(corner, 0.0, busy / divisor),
    )


def _waiting_partials(base, busy, weight):
    root = np.sqrt((base - busy) * (base - busy) + 4.0 * busy * weight)
    falling = np.where(root == 0.0, 0.0, -_waiting_time(base, busy, weight) / np.where(root == 0.0, 1.0, root))
    return falling, *_time_partials(base, busy, weight)[1:]


@primitive(rising(_contended_time), by_partials(_contended_time, _time_partials))
def contended_time(base, busy, weight):
    """Run time with waiting: ((T0 + a) + sqrt((T0 - a)^2 + 4 a q)) / 2.

    Parameters
    ----------
    base : ndarray
        Run time without waiting, T0 [s].
    busy : ndarray
        Time one channel of the switch is busy during the run, a [s].
    weight : ndarray
        Waiting weight q [s]: (1 + scv)/2 times the service time of all messages a node waits for.

    Returns
    -------
    ndarray
        T [s], at least ``max(base, busy)``; it rises in every argument.

    Examples
    --------
    >>> import numpy as np
    >>> contended_time(np.array([10.0]), np.array([2.0]), np.array([2.0])).round(6)
    array([10.472136])
    """
    return _contended_time(base, busy, weight)


@primitive(_waiting_range, by_partials(_waiting_time, _waiting_partials))
def waiting_time(base, busy, weight):
    """Waiting part of the run time, T - T0 [s], without the cancellation of that difference.

    Parameters are those of `contended_time`.
    """
    return _waiting_time(base, busy, weight)
