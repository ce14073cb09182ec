"""How far a prediction may be off: every growth that fits the runs nearly as well as the best one speaks.

Over the family ``c + a x^i log2(x)^j`` the weighted squares S(i, j, c, a) are those of a likelihood with unknown noise.
With three free numbers (c, a, shape) and n runs, predictions are kept whose least squares stay below

    S <= S_best (1 + k t^2 / (n - 3)),   t the quantile of Student's distribution with n - 3 degrees of freedom,

k being calibrated by simulation (docs/decisions/0024-intervals-of-fits.md): the best of many shapes leaves too little,
1.6, where values rise little or fall, so that noise hides the shape; 1.1, where they rise tenfold.
Where runs were repeated, S_best / (n - 3) is pooled with the variance that the repetitions show, and t has the degrees
of freedom of both: a shape that fits a few sizes better than they were measured makes no interval narrow.
Powers come in steps of 1/48 up to the second, or the fourth where runs rise so fast (`steepness`), and each shape kept
brings its neighbours; else powers between the steps would be missed
where there is little noise. Of one shape the extremes are closed: the prediction, plus and minus
sqrt((limit - S) v), v the leverage of the target.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.fitting.steepness import PLAIN_POWER, largest_power

__all__ = ["calibrated_factor", "prediction_interval"]

_HIDDEN, _SHOWN = (2.5, 1.6), (10.0, 1.1)
"""Greatest size's value over the smallest's, and k there; between the two k is linear in the logarithm."""

_STEPS, _LOGARITHMS = 48, 2
_EXACT, _RANK, _ROUNDING = 1e-20, 1e-10, 1e-9


@cache
def _family(largest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return powers, logarithms, and whether the next shape is the next power of the same logarithms.

    Powers are in steps of 1/48, among them the quarters and the thirds; falling ones have one logarithm at most.
    """
    shapes = [
        (step / _STEPS, logs)
        for logs in range(_LOGARITHMS + 1)
        for step in range(-PLAIN_POWER * _STEPS, largest * _STEPS + 1)
        if (step or logs) and not (step < 0 and logs > 1)
    ]
    powers, logs = np.array(shapes).T
    return powers, logs, logs[1:] == logs[:-1]


def _shapes_at(sizes: np.ndarray, largest: int) -> np.ndarray:
    """Return the shapes at sizes, of shape (shapes, sizes)."""
    powers, logs, _ = _family(largest)
    return sizes ** powers[:, None] * np.log2(sizes) ** logs[:, None]


def _with_neighbours(kept: np.ndarray, largest: int) -> np.ndarray:
    """Return also the shapes beside those kept: a power between two steps lies between what they tell."""
    linked = _family(largest)[2]
    wider = kept.copy()
    wider[1:] |= kept[:-1] & linked
    wider[:-1] |= kept[1:] & linked
    return wider


def calibrated_factor(values: np.ndarray) -> float:
    """Return k: what the squares may exceed the best by, over the theory of one shape.

    Parameters
    ----------
    values : ndarray, shape (n,)
        In the order of the sizes.
    """
    rise = values[-1] / values[0] if values[0] > 0.0 else 1.0
    ends = np.log([_HIDDEN[0], _SHOWN[0]])
    return float(np.interp(np.log(max(rise, 1.0)), ends, [_HIDDEN[1], _SHOWN[1]]))


def _theory(best: float, freedom: int, level: float, noise: RepetitionNoise | None) -> float:
    """Return what squares may exceed the best by where there is one shape: t^2 times the variance of a value.

    The variance is that of the best fit, pooled with that of the repetitions unless the fit is so much worse than
    they scatter (5 % of the F distribution) that something else disturbs the runs.
    """
    from scipy.special import fdtri, stdtrit

    variance = best / freedom
    if noise is not None and variance <= noise.variance * float(fdtri(freedom, noise.freedom, 0.95)):
        variance = (best + noise.freedom * noise.variance) / (freedom + noise.freedom)
        freedom += noise.freedom
    return float(stdtrit(freedom, 0.5 + 0.5 * level)) ** 2 * variance


def prediction_interval(
    sizes: np.ndarray, values: np.ndarray, target: float, level: float, noise: RepetitionNoise | None = None
) -> tuple[float, float]:
    """Return the interval that holds the value at a size with a probability of `level`, if growth is of the family.

    Parameters
    ----------
    sizes, values : ndarray, shape (n,)
        Different sizes > 0, rising, and one value for each.
    target : float
    level : float
        Between 0 and 1.
    noise : RepetitionNoise, optional
        What repetitions tell of the noise of `values`.
    """
    runs = len(sizes)
    smallest = np.abs(values[values != 0]).min()
    weights = 1.0 / np.maximum(np.abs(values), smallest) ** 2
    largest = largest_power(sizes, values)
    shapes = _shapes_at(sizes, largest)
    scale = np.abs(shapes).max(axis=1)
    at_target = _shapes_at(np.array([float(target)]), largest)[:, 0] / scale
    shapes = shapes / scale[:, None]
    total, cross, both = weights.sum(), shapes @ weights, shapes**2 @ weights
    plain, along = float(weights @ values), shapes @ (weights * values)
    determinant = total * both - cross**2
    usable = determinant > _RANK * total * both
    safe = np.where(usable, determinant, 1.0)
    slope, level_part = (total * along - cross * plain) / safe, (both * plain - cross * along) / safe
    squares = (weights * (values - level_part[:, None] - slope[:, None] * shapes) ** 2).sum(axis=1)
    leverage = (both - 2.0 * cross * at_target + total * at_target**2) / safe
    at_ends = level_part + slope * at_target
    alone = along / both
    squares_alone = (weights * (values - alone[:, None] * shapes) ** 2).sum(axis=1)
    mean = plain / total
    squares = np.concatenate(
        [np.where(usable, squares, np.inf), squares_alone, [(weights * (values - mean) ** 2).sum()]]
    )
    at_ends = np.concatenate([at_ends, alone * at_target, [mean]])
    leverage = np.concatenate([leverage, at_target**2 / both, [1.0 / total]])
    best = float(squares.min())
    limit = best + calibrated_factor(values) * _theory(best, max(runs - 3, 1), level, noise) + runs * _EXACT
    kept = squares <= limit
    if best > runs * _EXACT:
        count = len(shapes)
        kept[:count] = _with_neighbours(kept[:count], largest)
        kept[count:-1] = _with_neighbours(kept[count:-1], largest)
        kept &= np.isfinite(squares)
    room = np.maximum(limit - squares[kept], 0.0) * np.maximum(leverage[kept], 0.0)
    half = np.sqrt(room) + _ROUNDING * np.abs(at_ends[kept])
    return float((at_ends[kept] - half).min()), float((at_ends[kept] + half).max())
