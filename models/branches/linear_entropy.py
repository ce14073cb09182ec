"""Linear branch entropy, and the misprediction rate of a predictor that was measured on it.

After De Pestel, Eyerman, Eeckhout, "Linear Branch Entropy: Characterizing and Optimizing Branch Behavior in a
Micro-Architecture Independent Way" (IEEE Transactions on Computers 66(3), 2017): the mean of 2 min(p, 1 - p) over
branches and histories. Being linear, it may be averaged: twice the misprediction rate of the best table (max-outcome
without a rule for the first sight) is the same number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.branches.histories import history_counts

__all__ = ["counts_linear_entropy", "linear_entropy", "predictor_miss_rate"]


def counts_linear_entropy(not_taken: Any, taken: Any) -> float:
    """Linear entropy from the followers of each (branch, history), 0 to 1.

    Parameters
    ----------
    not_taken, taken : (n,) array_like
        How often each was followed by either outcome.
    """
    zeros, ones = np.asarray(not_taken, dtype=float), np.asarray(taken, dtype=float)
    total = (zeros + ones).sum()
    return float(2.0 * np.minimum(zeros, ones).sum() / total) if total else 0.0


def linear_entropy(outcomes: Any, history: int, *, branches: Any = None, scope: str = "global") -> float:
    """Linear entropy of a trace, 0 to 1.

    Parameters
    ----------
    outcomes, history, branches, scope
        As of `history_counts`; the paper uses the scopes "local" and "branch".
    """
    counts = history_counts(outcomes, history, branches=branches, scope=scope)
    return counts_linear_entropy(counts.not_taken, counts.taken)


def predictor_miss_rate(linear: Any, slope: float = 0.5, intercept: float = 0.0) -> Any:
    """Misprediction rate of a predictor: slope x linear entropy + intercept.

    Parameters
    ----------
    linear : array_like
        Linear entropy, 0 to 1.
    slope, intercept : float
        Of the predictor, fitted (`calibration.fit`) to measured rates. Default: the ideal table; no slope is larger.

    Returns
    -------
    ndarray
        Misses per outcome, 0 to 1/2.
    """
    if not 0.0 <= slope <= 0.5:
        raise InputError(f"the slope is {slope}", key="slope", allowed="0 to 0.5")
    return np.clip(slope * linear + intercept, 0.0, 0.5)
