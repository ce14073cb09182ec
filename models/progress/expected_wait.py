"""What a one-sided message waits for on average until its target makes progress, and when a core for it pays.

A target alternates bursts of computing C, without progress, and calls D. A message arrives at any time: with the share
u = E[C] / (E[C] + E[D]) inside a burst, of which E[C] (1 + cv^2) / 2 is left. Ours; no published figures are behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["expected_wait", "least_wait_share"]


def expected_wait(burst: Any, call: Any, variation: Any = 1.0, together: Any = 0.0) -> np.ndarray:
    """Return the mean wait of a message, u E[C] (1 + cv^2) / 2 (1 - phi) [s].

    Parameters
    ----------
    burst, call : array_like
        Mean time a target computes between calls, E[C], and is inside one, E[D] [s].
    variation : array_like
        Coefficient of variation of bursts, cv: 1 for exponential ones, 0 for equal ones.
    together : array_like
        phi: 0 where ranks call independently, 1 where all call together.
    """
    compute, inside, spread = (np.asarray(argument, dtype=float) for argument in (burst, call, variation))
    whole = compute + inside
    share = compute / np.where(whole > 0, whole, 1.0)
    return np.asarray(share * compute * (1.0 + spread * spread) / 2.0 * (1.0 - np.asarray(together)))


def least_wait_share(cores: Any, service_share: Any = 0.0) -> np.ndarray:
    """Return from which share of waiting in computing a core for progress pays, 1/(c - 1) + N s_p / T_c.

    Parameters
    ----------
    cores : array_like
        Cores of a node, c, above 1.
    service_share : array_like
        Time of service of the messages of a rank over its computing, N s_p / T_c.
    """
    return np.asarray(1.0 / (np.asarray(cores, dtype=float) - 1.0) + service_share)
