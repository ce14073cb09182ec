r"""Stalls of an in-order core.

Events of kind k take T_k cycles and happen with chance :math:`e_k = \min(1, F_k ILP)` in a step of u cycles, the time
in which a full window hides latency. The longest event of a step decides, so the mean excess over u is

.. math:: A = \sum_k e_k \, (T_k - u)^+ \prod_{j: T_j > T_k} (1 - e_j)

and rises in every T and e and falls in u.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.arithmetic.primitive import primitive
from dse.arithmetic.ranges import Range

__all__ = ["mean_excess"]

_ULPS = 256


def _mean_excess(hidden: Any, *events: Any) -> Any:
    half = len(events) // 2
    latencies, chances = events[:half], events[half:]
    total: Any = 0.0
    for k, (latency, chance) in enumerate(zip(latencies, chances, strict=True)):
        term = chance * np.maximum(latency - hidden, 0.0)
        for j, (other, likely) in enumerate(zip(latencies, chances, strict=True)):
            if j != k:
                before = np.greater_equal(other, latency) if j < k else np.greater(other, latency)
                term = term * np.where(before, 1.0 - likely, 1.0)
        total = total + term
    return total


def _mean_excess_range(hidden: Range, *events: Range) -> Range:
    chances = events[len(events) // 2 :]
    low = _mean_excess(hidden.high, *(event.low for event in events))
    high = _mean_excess(hidden.low, *(event.high for event in events))
    unknown = np.zeros((), dtype=bool)
    for chance in chances:
        unknown = unknown | ~(chance.low >= 0)
    low, high = low - _ULPS * np.spacing(np.abs(low)), high + _ULPS * np.spacing(np.abs(high))
    return Range(np.where(unknown, np.nan, np.maximum(low, 0.0)), np.where(unknown, np.nan, high))


@primitive(_mean_excess_range, _mean_excess)
def mean_excess(hidden_cycles, *events):
    """Mean cycles by which the longest event of a step exceeds what is hidden, A.

    Parameters
    ----------
    hidden_cycles : float or array
    *events : float or array
        The latencies of all kinds of events, then their chances in the same order.

    Examples
    --------
    >>> float(mean_excess(10.0, 100.0, 20.0, 0.5, 0.5))  # 0.5 * 90 + 0.5 * 0.5 * 10
    47.5
    """
    return _mean_excess(hidden_cycles, *events)
