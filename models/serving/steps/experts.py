"""Experts that a step reads, and the rows each has.

q tokens that choose k of E experts reach E_t = E (1 - (1 - k/E)^(gamma q)) of them; gamma 1 is a uniform and
independent choice. Of e ranks the fullest holds more than its share, by the spread of the largest of e counts::

    E_r = min(E/e, x E/e + sqrt(2 x (1 - x) (E/e) ln e)),  x = E_t/E        r_e = r + sqrt(2 r ln e),  r = q k/e
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.power import power
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Range

__all__ = ["fullest_experts", "fullest_rows", "reached_experts"]


def reached_experts(experts: np.ndarray, top_k: np.ndarray, tokens: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Return the distinct experts that tokens reach, E_t; 0 where there are none.

    Parameters
    ----------
    experts, top_k, tokens, exponent : array_like
        E, k, q and gamma; they broadcast.
    """
    many = np.maximum(experts, 1.0)
    missed = power(np.maximum(0.0, 1.0 - np.minimum(top_k, many) / many), exponent * tokens)
    result: np.ndarray = experts * (1.0 - missed)
    return result


def _fullest(reached: np.ndarray, experts: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    many = np.maximum(experts, 1.0)
    own = experts / ranks
    share = np.minimum(np.maximum(reached / many, 0.0), 1.0)
    mean = reached / ranks
    spread = np.sqrt(np.maximum(2.0 * mean * (1.0 - share) * np.log(ranks), 0.0))
    # Past x = K/(1 + K), K = (E/e)/(2 ln e), the sum is above E/e and falls again.
    full = share * (own + 2.0 * np.log(ranks)) >= np.maximum(own, 1e-300)
    result: np.ndarray = np.where(full & (ranks > 1.0), own, np.minimum(own, mean + spread))
    return result


def _fullest_bounds(reached: Range, experts: Range, ranks: Range) -> Range:
    if np.any(experts.low < experts.high) or np.any(ranks.low < ranks.high):
        low = np.minimum(reached.low, experts.low) / ranks.high
        return Range(low * (1.0 - 1e-12), experts.high / ranks.low * (1.0 + 1e-12))
    return rising(lambda tokens: _fullest(tokens, experts.low, ranks.low))(reached)


fullest_experts = primitive(_fullest_bounds, _fullest)(_fullest)
"""Experts read on the fullest rank, E_r: from E_t/e to E/e, rising with E_t. Arguments, which broadcast: E_t, E, e."""


def fullest_rows(rows: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return the rows of the fullest rank, r_e, of r in the mean over e ranks."""
    result: np.ndarray = rows + np.sqrt(2.0 * rows * np.log(ranks))
    return result
