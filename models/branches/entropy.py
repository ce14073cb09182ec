"""Entropy of branch outcomes, and the misprediction rate it stands for.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), Eqs. 3.3, 4.11 and
4.12, and Yokota, Ootsu, Baba, "Potentials of Branch Predictors: From Entropy Viewpoints" (2008). With E(n) the entropy
of the windows of n outcomes, the entropy of an outcome whose n predecessors are known is

    BE(n) = E(n + 1) - E(n)

and the misprediction rate p <= 1/2 is the one at which a coin has that entropy, H(p) = BE(n). Entropy knows no table
size, and as the inverse of H is convex, the rate it gives for a mean entropy is a lower bound: half the histories
deterministic and half coin flips have BE = 0.5, so p = 0.11, but no predictor is better than 0.25.

The reference tool (IBM ExaBounds) writes E(n) - E(n-1) in its row n: what stands there for n is ``history = n - 1``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.arithmetic.duals import by_partials
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.branches.histories import LONGEST, history_counts, read_outcomes, window_codes

__all__ = ["binary_entropy", "block_entropy", "branch_entropy", "local_branch_entropy", "miss_rate", "tool_miss_rate"]

_TOOL_POINTS = 10_000
_LEAST = 1e-280  # of an entropy; below, the rate is taken as 0
_STEPS = 12  # of Newton's method; 6 are enough everywhere


def block_entropy(outcomes: Any, length: int) -> float:
    """Entropy of the windows of `length` outcomes, sliding by one, in bits (Anghel 2017, Eq. 4.11).

    Parameters
    ----------
    outcomes : (t,) array_like of 0 and 1
    length : int
        0 (no entropy) to 63.
    """
    array = read_outcomes(outcomes)
    if not 0 <= length <= LONGEST + 1:
        raise InputError(f"the window has {length} outcomes", key="length", allowed=f"0 to {LONGEST + 1}")
    if length == 0 or len(array) < length:
        return 0.0
    _, counts = np.unique(window_codes(array, length), return_counts=True)
    return _entropy(counts)


def _entropy(counts: np.ndarray) -> float:
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum() + 0.0)


def branch_entropy(outcomes: Any, history: int, *, edges: str = "windows") -> float:
    """Entropy of an outcome whose `history` predecessors are known, in bits (Anghel 2017, Eq. 4.12).

    Parameters
    ----------
    outcomes : (t,) array_like of 0 and 1
        In program order, all branches in one stream.
    history : int
        Past outcomes the predictor knows, 0 to `LONGEST`.
    edges : {"windows", "followers"}
        Windows: E(n + 1) - E(n) over all windows of either length, as published; a history at the end of the stream
        counts though nothing follows it. Followers: the same over the histories that have a follower, which is the
        conditional entropy exactly. They differ by O(history / t).

    Returns
    -------
    float
        0 to 1; what rounding and edges leave outside is cut.

    Notes
    -----
    On a trace of t outcomes the result is too low by about 2^n / (2 t ln 2): see `trace_length`.
    """
    if edges == "windows":
        difference = block_entropy(outcomes, history + 1) - block_entropy(outcomes, history)
        return float(np.clip(difference, 0.0, 1.0))
    if edges != "followers":
        raise InputError(f"edges is '{edges}'", key="edges", allowed=["windows", "followers"])
    counts = history_counts(outcomes, history)
    return _conditional(counts.taken, counts.seen)


def _conditional(taken: np.ndarray, seen: np.ndarray) -> float:
    if not len(seen):
        return 0.0
    return float(np.clip((seen * binary_entropy(taken / seen)).sum() / seen.sum(), 0.0, 1.0))


def local_branch_entropy(outcomes: Any, branches: Any, history: int, *, edges: str = "windows") -> float:
    """Entropy of an outcome whose `history` predecessors of the same branch are known, in bits.

    Parameters
    ----------
    outcomes : (t,) array_like of 0 and 1
        In program order.
    branches : (t,) array_like of int
        The static branch of each.
    history, edges
        As of `branch_entropy`.

    Returns
    -------
    float
        Mean over the branches, weighted by how often each occurs.
    """
    array, which = read_outcomes(outcomes), np.asarray(branches)
    if which.shape != array.shape:
        raise InputError(f"{which.size} branches for {array.size} outcomes", key="branches", allowed="as many")
    if not len(array):
        return 0.0
    order = np.argsort(which, kind="stable")
    _, begin = np.unique(which[order], return_index=True)
    streams = np.split(array[order], begin[1:])
    weighted = [len(stream) * branch_entropy(stream, history, edges=edges) for stream in streams]
    return float(sum(weighted) / len(array))


def binary_entropy(rate: Any) -> Any:
    """Entropy of a coin that shows one side with probability `rate`, H(p) = -p log2 p - (1-p) log2(1-p), in bits."""
    inside = (rate > 0) & (rate < 1)
    p = np.where(inside, rate, 0.5)
    return np.where(inside, -(p * np.log2(p) + (1.0 - p) * np.log1p(-p) / np.log(2.0)), 0.0)


def _small(entropy: np.ndarray) -> np.ndarray:
    """Solve H(p) = entropy <= 1/2 for p, in logarithms: there H is concave, so Newton's method comes from one side."""
    target = np.log(entropy)
    y = np.log(entropy / (2.0 * np.log2(6.0 / entropy)))
    for _ in range(_STEPS):
        p = np.exp(y)
        value = binary_entropy(p)
        slope = p * (np.log1p(-p) - y) / np.log(2.0) / value
        y = y - (np.log(value) - target) / slope
    return np.exp(y)


def _large(lack: np.ndarray) -> np.ndarray:
    """Solve 1 - H((1 - x)/2) = lack <= 1/2 for x = 1 - 2p, without the cancellation of p near 1/2."""
    x = np.sqrt(2.0 * np.log(2.0) * lack)
    for _ in range(_STEPS):
        slope = np.arctanh(x) / np.log(2.0)
        value = (np.log1p(-x * x) + 2.0 * x * np.arctanh(x)) / (2.0 * np.log(2.0))
        x = x - np.where(slope > 0, (value - lack) / np.where(slope > 0, slope, 1.0), 0.0)
    result: np.ndarray = np.maximum(x, 0.0)
    return result


def _miss_rate(entropy: Any) -> np.ndarray:
    bits = np.asarray(entropy, dtype=float)
    wrong = ~((bits >= 0.0) & (bits <= 1.0))
    if wrong.any():
        raise InputError(f"an entropy is {bits[wrong].flat[0]:g} bit", allowed="0 to 1 bit")
    small = (bits > _LEAST) & (bits < 0.5)
    low = _small(np.where(small, bits, 0.25))
    high = (1.0 - _large(np.where(bits >= 0.5, 1.0 - bits, 0.0))) / 2.0
    return np.where(bits <= _LEAST, 0.0, np.where(small, low, high))


def _miss_range(entropy: Range) -> Range:
    return rising(_miss_rate)(Range(np.clip(entropy.low, 0.0, 1.0), np.clip(entropy.high, 0.0, 1.0)))


def _miss_partials(entropy: Any) -> tuple[np.ndarray]:
    """Return the derivative of the rate: one over that of the entropy, log2((1 - p) / p)."""
    rate = _miss_rate(entropy)
    return (1.0 / np.log2((1.0 - rate) / rate),)


@primitive(_miss_range, by_partials(_miss_rate, _miss_partials))
def miss_rate(entropy):
    """Misprediction rate of a branch entropy: the p <= 1/2 with H(p) = entropy.

    Parameters
    ----------
    entropy : array_like
        In bits, 0 to 1.

    Returns
    -------
    ndarray
        Rate per outcome, to 1e-12. It rises with the entropy; ranges are bounded by their ends.

    Examples
    --------
    >>> float(miss_rate(0.5).round(4))
    0.11
    """
    return _miss_rate(entropy)


def tool_miss_rate(entropy: Any) -> np.ndarray:
    """Misprediction rate as the reference tool (IBM ExaBounds) has it: the next of 10 000 rates upwards.

    Parameters
    ----------
    entropy : array_like
        In bits, 0 to 1.

    Notes
    -----
    That its table has steps of 0.01 % and is read upwards follows from the two rates it is known to give.
    """
    return np.minimum(np.ceil(_miss_rate(entropy) * _TOOL_POINTS - 1e-9) / _TOOL_POINTS, 0.5)
