"""How far a prediction may be off: every growth that fits the runs nearly as well as the best one speaks.

Over the family ``c + a x^i log2(x)^j`` the weighted squares S(i, j, c, a) are those of a likelihood with unknown noise.
With three free numbers (c, a, shape) and n runs, predictions are kept whose least squares stay below

    S <= S_best + k t^2 s^2,   t the quantile of Student's distribution with the degrees of freedom of s,

k being calibrated by simulation (docs/decisions/0024-intervals-of-fits.md): the best of many shapes leaves too little,
1.6, where values rise little or fall, so that noise hides the shape; 1.1, where they rise tenfold. s^2 is
S_best / (n - 3); where runs were repeated it is pooled with the variance that the repetitions show, and t has the
degrees of freedom of both: a shape that fits a few sizes better than they were measured makes no interval narrow. As s
then owes little to the best of many shapes, k is only a third as far above 1.

Three things no likelihood of one growth can say (docs/decisions/0031-intervals-where-noise-hides.md):

- Runs that a constant fits within their noise are a constant: what noise hides grows linearly at most.
- What falls may turn: falls with a rising tail are considered (`turning_fits`).
- Where the runs scatter far less than the best growth misses them, sums of two are considered (`rising_sum_fits`).

Each shape kept brings its neighbours; else powers between the steps would be missed where there is little noise. Of one
shape the extremes are closed: the prediction, plus and minus sqrt((limit - S) v), v the leverage of the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.measured_laws.fitting.growth_families import (
    Fits,
    constant_fits,
    one_growth_fits,
    powers_of_one,
    rising_sum_fits,
    turning_fits,
)
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.fitting.steepness import largest_power

__all__ = ["Prediction", "calibrated_factor", "prediction", "prediction_interval"]

_HIDDEN, _SHOWN = (2.5, 1.6), (10.0, 1.3)
"""Greatest size's value over the smallest's, and k there; between the two k is linear in the logarithm."""
_POOLED = (1.0 / 3.0, 0.0)
"""Share of k - 1 that is left where repetitions tell the noise: of what falls, of what rises."""
_MISFIT = 0.95
_FURTHER, _CONSTANT = 2.0, 1.1
_LINEAR, _OF_SUM = 1.0, 4
"""Fastest growth that noise is taken to hide; free numbers of a sum of two."""
_EXACT, _ROUNDING = 1e-20, 1e-9


class Prediction(NamedTuple):
    """The interval of a value, and what it rests on.

    Attributes
    ----------
    low, high : float
    constant : bool
        Whether the runs do not tell the value from a constant.
    turning : bool
        Whether a rising tail that the runs do not exclude makes it wider.
    sum_of_two : bool
        Whether no one growth fits the runs, and sums of two are considered.
    several_terms : bool
        Whether it is that of a law of several growths, and of those that fit about as well.
    """

    low: float
    high: float
    constant: bool = False
    turning: bool = False
    sum_of_two: bool = False
    several_terms: bool = False

    @property
    def rests_on(self) -> str:
        """What is taken of the growth, for people and JSON."""
        if self.several_terms:
            return "the terms of the law"
        taken = {"a constant": self.constant, "a fall that may turn": self.turning, "a sum of two": self.sum_of_two}
        return next((words for words, is_so in taken.items() if is_so), "one growth")


def calibrated_factor(values: np.ndarray, pooled: bool = False) -> float:
    """Return k: what the squares may exceed the best by, over the theory of one shape.

    Parameters
    ----------
    values : ndarray, shape (n,)
        In the order of the sizes.
    pooled : bool
        Whether repetitions tell the noise.
    """
    rise = values[-1] / values[0] if values[0] > 0.0 else 1.0
    ends = np.log([_HIDDEN[0], _SHOWN[0]])
    factor = float(np.interp(np.log(max(rise, 1.0)), ends, [_HIDDEN[1], _SHOWN[1]]))
    return 1.0 + (factor - 1.0) * _POOLED[int(rise >= 1.0)] if pooled else factor


class _Scatter(NamedTuple):
    """Variance of a value over its weight, its degrees of freedom, and whether repetitions count in it."""

    variance: float
    freedom: int
    pooled: bool

    @classmethod
    def of(cls, squares: float, freedom: int, noise: RepetitionNoise | None) -> _Scatter:
        """Pool what a fit leaves with what repetitions show, unless `_misfit`: more than noise disturbs them then."""
        if noise is None or _misfit(squares, freedom, noise):
            return cls(squares / freedom, freedom, False)
        both = freedom + noise.freedom
        return cls((squares + noise.freedom * noise.variance) / both, both, True)

    def excess(self, level: float) -> float:
        """Return what squares may exceed the best by where there is one shape: t^2 s^2."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, 0.5 + 0.5 * level)) ** 2 * self.variance


def _misfit(squares: float, freedom: int, noise: RepetitionNoise) -> bool:
    """Return whether a fit is worse than its runs scatter: 5 % of the F distribution."""
    from scipy.special import fdtri

    return squares / freedom > noise.variance * float(fdtri(freedom, noise.freedom, _MISFIT))


def prediction_interval(
    sizes: np.ndarray, values: np.ndarray, target: float, level: float, noise: RepetitionNoise | None = None
) -> tuple[float, float]:
    """Return the ends of `prediction`."""
    ends = prediction(sizes, values, target, level, noise)
    return ends.low, ends.high


def prediction(
    sizes: np.ndarray, values: np.ndarray, target: float, level: float, noise: RepetitionNoise | None = None
) -> Prediction:
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
    runs, target = len(sizes), float(target)
    smallest = np.abs(values[values != 0]).min()
    weights = 1.0 / np.maximum(np.abs(values), smallest) ** 2
    largest = largest_power(sizes, values)
    growths = powers_of_one(largest)
    flat = constant_fits(weights, values)
    ones = one_growth_fits(sizes, values, weights, target, largest)
    best = float(min(fits.squares.min() for fits in (flat, *ones)))
    if best <= runs * _EXACT:
        return Prediction(*_hull([_ends(fits, best + runs * _EXACT) for fits in (flat, *ones)]))
    scatter = _Scatter.of(best, max(runs - 3, 1), noise)
    if flat.squares[0] <= best + _HIDDEN[1] * scatter.excess(level):
        return Prediction(*_of_constant(flat, ones, growths, runs, level, noise), constant=True)
    falls = _falls(values, scatter, level)
    misfit = noise is not None and not scatter.pooled
    sums: list[Fits] = []
    linked, of_sums = growths[2], False
    if falls or misfit:
        family = turning_fits if falls else rising_sum_fits
        sums, linked = family(sizes, values, weights, target)
    if sums and runs > _OF_SUM:
        real = (sums[0].coefficients >= 0.0).all(axis=1)
        least = float(sums[0].squares[real].min(initial=np.inf))
        if np.isfinite(least) and (misfit or _better(best, least, runs - _OF_SUM)):
            best, scatter, of_sums = min(best, least), _Scatter.of(least, runs - _OF_SUM, noise), True
    excess = scatter.excess(level)
    limit = best + (1.0 if of_sums else calibrated_factor(values, scatter.pooled)) * excess
    ends = [_ends(flat, limit), *(_ends(fits, limit, growths) for fits in ones)]
    # Falls with a tail show how far what fits may turn: they need no price for the best of many. A constant beside them
    # is one number more, at the price of Akaike, and asked for only by runs that the others do not fit.
    asked = sums if noise is not None and not scatter.pooled else sums[:1]
    limits = best + excess - _FURTHER * scatter.variance * np.arange(len(asked))
    low, high = _hull([*ends, *(_ends_of_sum(fits, own, linked) for fits, own in zip(asked, limits, strict=True))])
    wider = high > _hull(ends)[1] * (1.0 + _ROUNDING)
    return Prediction(low, high, turning=falls and wider, sum_of_two=misfit and not falls)


def _better(best: float, least: float, freedom: int) -> bool:
    """Return whether sums leave so much less than one growth that it is no chance: 5 % of the F distribution."""
    from scipy.special import fdtri

    return best > least * (1.0 + float(fdtri(1, freedom, _MISFIT)) / freedom)


def _falls(values: np.ndarray, scatter: _Scatter, level: float) -> bool:
    """Return whether values fall at first by more than their noise."""
    return bool(values[0] > 0.0 and (1.0 - values.min() / values[0]) ** 2 > 2.0 * scatter.excess(level))


_Ends = tuple[np.ndarray, np.ndarray]
_Growths = tuple[np.ndarray, np.ndarray, np.ndarray]


def _of_constant(
    flat: Fits,
    ones: tuple[Fits, Fits],
    growths: _Growths,
    runs: int,
    level: float,
    noise: RepetitionNoise | None,
) -> tuple[float, float]:
    """Return the interval of what a constant fits within the noise: growth that it hides is linear at most.

    The noise is what the constant leaves, which rests on n - 1 numbers and not on the best of many shapes.
    """
    powers, logarithms, _ = growths
    slow = (powers >= 0.0) & ((powers < _LINEAR) | ((powers == _LINEAR) & (logarithms == 0)))
    best = float(min(flat.squares[0], *(fits.squares[slow].min() for fits in ones)))
    limit = best + _CONSTANT * _Scatter.of(float(flat.squares[0]), runs - 1, noise).excess(level)
    return _hull(
        [_ends(flat, max(limit, float(flat.squares[0]))), *(_ends(fits, limit, growths, slow) for fits in ones)]
    )


def _ends(fits: Fits, limit: float, growths: _Growths | None = None, allowed: np.ndarray | None = None) -> _Ends:
    """Return the extremes of what each fit within the limit tells; with `growths` also of those beside it."""
    kept = fits.squares <= limit if growths is None else _with_neighbours(fits, limit, growths[2])
    if allowed is not None:
        kept &= allowed
    values = fits.value[kept]
    room = np.maximum(limit - fits.squares[kept], 0.0) * np.maximum(fits.leverage[kept], 0.0)
    half = np.sqrt(room) + _ROUNDING * np.abs(values)
    return values - half, values + half


def _with_neighbours(fits: Fits, limit: float, linked: np.ndarray) -> np.ndarray:
    """Return which fits are within the limit or beside one: a power between two steps lies between what they tell."""
    kept = fits.squares <= limit
    near = kept.copy()
    near[1:] |= kept[:-1] & linked
    near[:-1] |= kept[1:] & linked
    result: np.ndarray = near & np.isfinite(fits.squares)
    return result


def _ends_of_sum(fits: Fits, limit: float, linked: np.ndarray) -> _Ends:
    """Return the extremes of sums within the limit, and beside those, whose coefficients are 0 or more there."""
    kept = _with_neighbours(fits, limit, linked)
    room, leverage = np.maximum(limit - fits.squares[kept], 0.0), np.maximum(fits.leverage[kept], np.finfo(float).tiny)
    away = np.sqrt(room / leverage)
    ends = []
    for sign in (-1.0, 1.0):
        coefficients = fits.coefficients[kept] + sign * away[:, None] * fits.pull[kept]
        values = fits.value[kept] + sign * away * leverage
        ends.append(values[(coefficients >= 0.0).all(axis=1)])
    return ends[0], ends[1]


def _hull(ends: list[_Ends]) -> tuple[float, float]:
    lows, highs = (np.concatenate([pair[side] for pair in ends]) for side in (0, 1))
    return float(lows.min(initial=np.inf)), float(highs.max(initial=-np.inf))
