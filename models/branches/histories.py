"""Counts of what follows each history of branch outcomes: what every measure of predictability is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["LONGEST", "HistoryCounts", "history_counts", "read_outcomes", "window_codes"]

LONGEST = 62
"""Longest history, in outcomes: with the outcome that follows it fills a number of 63 bits."""


class HistoryCounts(NamedTuple):
    """How often a branch was taken, or not, after each history that occurs.

    Attributes
    ----------
    not_taken, taken : (n,) ndarray of float
        Followers of each history, in the order of first sight.
    """

    not_taken: np.ndarray
    taken: np.ndarray

    @property
    def seen(self) -> np.ndarray:
        """How often each history occurs with a follower."""
        result: np.ndarray = self.not_taken + self.taken
        return result


def read_outcomes(outcomes: Any) -> np.ndarray:
    """Return outcomes (1 or True: taken) as an array of 0 and 1.

    Raises
    ------
    InputError
        Anything but 0 and 1, or no one-dimensional array.
    """
    array = np.asarray(outcomes)
    if array.ndim != 1:
        raise InputError(f"outcomes have {array.ndim} dimensions", allowed="one: the outcomes in program order")
    wrong = array[(array != 0) & (array != 1)]
    if wrong.size:
        raise InputError(f"an outcome is {wrong[0]}", allowed="1 (taken) or 0 (not taken)")
    return array.astype(np.int64)


def window_codes(outcomes: np.ndarray, length: int) -> np.ndarray:
    """Return the windows of `length` outcomes, sliding by one, as numbers; the last outcome is the lowest bit.

    Parameters
    ----------
    outcomes : (t,) ndarray of int
    length : int
        0 to 63.

    Returns
    -------
    (max(t - length + 1, 0),) ndarray of int
    """
    if length == 0:
        return np.zeros(len(outcomes) + 1, dtype=np.int64)
    codes = np.zeros(max(len(outcomes) - length + 1, 0), dtype=np.int64)
    for offset in range(length):
        codes = (codes << 1) | outcomes[offset : offset + len(codes)]
    return codes


def history_counts(outcomes: Any, history: int, *, branches: Any = None, scope: str = "global") -> HistoryCounts:
    """Count the followers of each history.

    Parameters
    ----------
    outcomes : (t,) array_like of 0 and 1
        Outcomes in program order, 1 is taken.
    history : int
        Past outcomes the predictor knows, 0 to `LONGEST`.
    branches : (t,) array_like of int, optional
        The static branch of each outcome.
    scope : {"global", "local", "branch"}
        Which outcomes make the history. Global: the last ones of the whole program, shared by all branches. Local: the
        last ones of the same branch. Branch: the last ones of the whole program, counted for each branch apart.

    Returns
    -------
    HistoryCounts
        Outcomes with fewer predecessors than `history` are left out.
    """
    array = read_outcomes(outcomes)
    if not (isinstance(history, (int, np.integer)) and 0 <= history <= LONGEST):
        raise InputError(f"the history is {history!r}", key="history", allowed=f"a whole number from 0 to {LONGEST}")
    if scope not in ("global", "local", "branch"):
        raise InputError(f"scope is '{scope}'", key="scope", allowed=["global", "local", "branch"])
    if scope == "global":
        return _count(window_codes(array, history + 1), np.zeros(max(len(array) - history, 0), dtype=np.int64))
    if branches is None:
        raise InputError(f"scope '{scope}' needs the branch of each outcome", key="branches")
    which = np.asarray(branches)
    if which.shape != array.shape:
        raise InputError(f"{which.size} branches for {array.size} outcomes", key="branches", allowed="as many")
    if scope == "branch":
        return _count(window_codes(array, history + 1), which[history:])
    order = np.argsort(which, kind="stable")
    array, which = array[order], which[order]
    # A window that reaches into the branch before is none.
    inside = which[: max(len(which) - history, 0)] == which[history:]
    return _count(window_codes(array, history + 1)[inside], which[history:][inside])


def _count(codes: np.ndarray, which: np.ndarray) -> HistoryCounts:
    if not len(codes):
        return HistoryCounts(np.zeros(0), np.zeros(0))
    histories, taken = codes >> 1, (codes & 1).astype(float)
    order = np.lexsort((histories, which))  # stable: equal ones stay in program order
    sorted_histories, sorted_which = histories[order], which[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_histories[1:] != sorted_histories[:-1]) | (sorted_which[1:] != sorted_which[:-1])
    begin = np.flatnonzero(new)
    ones = np.add.reduceat(taken[order], begin)
    total = np.diff(np.append(begin, len(order))).astype(float)
    by_sight = np.argsort(order[begin])
    return HistoryCounts((total - ones)[by_sight], ones[by_sight])
