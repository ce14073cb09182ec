"""How long a history a trace can tell about: with 2^n histories of n outcomes, most are seen too rarely.

Anghel 2017, Section 4.4.3, takes the entropies up to n = log2(t) - 3 of a trace of t outcomes. Its condition t > k 2^n
means log2(t) - log2(k), so 3 stands for 8 samples of each history, and its rounding brackets must be downwards. Even
so, the entropy of a random source comes out 5 to 8 % low there: its bias is (Miller and Madow 1955)

    1 - BE(n) = 2^n / (2 t ln 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.branches.entropy import block_entropy
from dse.models.branches.histories import read_outcomes, window_codes

__all__ = ["entropy_bias", "max_history", "miller_madow_entropy", "published_max_history", "tool_history"]


def entropy_bias(events: Any, history: Any) -> Any:
    """How much too low the branch entropy of a random source is, in bits: 2^n / (2 t ln 2).

    Parameters
    ----------
    events : array_like
        Outcomes of the trace, t.
    history : array_like
        Past outcomes known, n.

    Notes
    -----
    Of first order: good to a fifth as long as it is below 0.1.
    """
    return np.exp2(history) / (2.0 * np.log(2.0) * events)


def max_history(events: Any, bias: float = 0.01) -> np.ndarray:
    """Longest history at which the branch entropy of a random source is at most `bias` too low, in outcomes."""
    if not bias > 0:
        raise InputError(f"the bias is {bias}", key="bias", allowed="a number above 0, in bits")
    longest = np.floor(np.log2(2.0 * np.log(2.0) * _positive(events) * bias))
    result: np.ndarray = np.maximum(longest, 0.0)
    return result


def published_max_history(events: Any, samples: float = 8.0, *, rounding: str = "down") -> np.ndarray:
    """Longest history with `samples` outcomes for each of its 2^n histories (Anghel 2017, Section 4.4.3).

    Parameters
    ----------
    events : array_like
        Outcomes of the trace, t.
    samples : float
        Samples per history; the thesis' "- 3" is 8 of them.
    rounding : {"down", "up"}
        Of log2(t). Up: the brackets as printed.
    """
    if rounding not in ("down", "up"):
        raise InputError(f"rounding is '{rounding}'", key="rounding", allowed=["down", "up"])
    bits = np.log2(_positive(events))
    rounded = np.floor(bits) if rounding == "down" else np.ceil(bits)
    result: np.ndarray = np.maximum(np.floor(rounded - np.log2(samples)), 0.0)
    return result


def tool_history(events: Any) -> np.ndarray:
    """History whose entropy the reference tool (IBM ExaBounds) calls the best: floor(log2 t), in its own labels."""
    result: np.ndarray = np.floor(np.log2(_positive(events)))
    return result


def _positive(events: Any) -> np.ndarray:
    count = np.asarray(events, dtype=float)
    if not (count >= 1).all():
        raise InputError(f"a trace has {count[~(count >= 1)].flat[0]:g} outcomes", allowed="at least 1")
    return count


def miller_madow_entropy(outcomes: Any, history: int) -> float:
    """Branch entropy with the bias of the windows that were seen added back, in bits.

    Each E(n) is raised by (K - 1) / (2 t ln 2), K the windows of n outcomes that occur (Miller and Madow 1955).

    Parameters
    ----------
    outcomes : (t,) array_like of 0 and 1
    history : int
        Past outcomes known, n.

    Returns
    -------
    float
        0 to 1.
    """
    array = read_outcomes(outcomes)
    longer, shorter = (_corrected(array, length) for length in (history + 1, history))
    return float(np.clip(longer - shorter, 0.0, 1.0))


def _corrected(array: np.ndarray, length: int) -> float:
    codes = window_codes(array, length)
    if length == 0 or not len(codes):
        return 0.0
    result: float = block_entropy(array, length) + (len(np.unique(codes)) - 1) / (2.0 * np.log(2.0) * len(codes))
    return result
