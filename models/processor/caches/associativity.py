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

from dse.models.processor.caches.caches import ReuseCurve

__all__ = ["associative_hit_fraction"]


_ENTRIES = 2**20  # of arrays made on the way


def _trials(counts: np.ndarray, sets: np.ndarray, ways: int) -> np.ndarray:
    """Return G(n) for each count: expected trials until `ways` successes of chance 1/sets, at most n.

    Term by term, so that it does not depend on how many are asked for.
    """
    first = counts * np.log1p(-1.0 / sets)
    steps = lacking = np.zeros(())
    per_success = np.log(sets - 1.0)
    with np.errstate(divide="ignore"):  # more successes than trials have a chance of 0
        for successes in range(ways):
            lacking = lacking + (ways - successes) * np.exp(first + steps)
            steps = steps + (np.log(np.maximum(counts - successes, 0.0) / (successes + 1.0)) - per_success)
    return sets * (ways - lacking)


def _hits(curve: ReuseCurve, sets: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Return the hit fractions of caches that have one set, or all the same ways."""
    low, high = curve.low, curve.high + 1.0
    if sets[0] == 1.0:
        trials = np.minimum(high, ways[:, None]) - np.minimum(low, ways[:, None])
    else:
        ends, end_of = np.unique(np.concatenate([low, high]), return_inverse=True)  # bins mostly end where others begin
        at_ends = _trials(ends, sets[:, None], int(ways[0]))
        trials = at_ends[:, end_of[len(low) :]] - at_ends[:, end_of[: len(low)]]
    chance = np.clip(trials / (high - low), 0.0, 1.0)
    hits = np.zeros(len(sets))
    for place, share in enumerate(curve.share):
        hits = hits + share * chance[:, place]
    return hits


def associative_hit_fraction(curve: ReuseCurve, lines: np.ndarray, ways: np.ndarray) -> np.ndarray:
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
    hits = np.zeros(pairs.shape[1])
    at_once = max(1, _ENTRIES // len(curve.share))
    kinds = np.where(pairs[0] == 1.0, 0.0, np.floor(pairs[1]))  # all of one set are alike
    for kind in np.unique(kinds[pairs[1] >= 1.0]):
        (rows,) = np.nonzero((kinds == kind) & (pairs[1] >= 1.0))
        for start in range(0, len(rows), at_once):
            piece = rows[start : start + at_once]
            hits[piece] = _hits(curve, *pairs[:, piece])
    return hits[place.reshape(-1)].reshape(lines.shape)
