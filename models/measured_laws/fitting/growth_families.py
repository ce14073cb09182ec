"""The growths that an interval considers, each with the squares it leaves and what it says at a target.

One growth, ``a x^i log2(x)^j`` alone or beside a constant, in steps of 1/48 of the power. A fall with a rising tail,
``a x^-i + b x^j`` alone or beside a constant, since what falls may turn: communication grows where work is shared. And
sums of two rising growths beside a constant, for runs that no one growth fits.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dse.models.measured_laws.fitting.steepness import PLAIN_POWER

__all__ = ["Fits", "constant_fits", "one_growth_fits", "powers_of_one", "rising_sum_fits", "turning_fits"]

_STEPS, _LOGARITHMS = 48, 2
_FALLS = (0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0, 1.25, 1.5, 2.0)
_RANK = 1e-10


class Fits(NamedTuple):
    """Least squares of several sums of k columns.

    Attributes
    ----------
    squares : ndarray, shape (m,)
        Weighted squares left; infinite where the runs cannot tell the columns apart.
    value : ndarray, shape (m,)
        Value at the target.
    leverage : ndarray, shape (m,)
        Its variance over that of a run.
    coefficients, pull : ndarray, shape (m, k)
        Coefficients, and what each changes by per unit of leverage when the value at the target is pulled away.
    """

    squares: np.ndarray
    value: np.ndarray
    leverage: np.ndarray
    coefficients: np.ndarray
    pull: np.ndarray


def _fitted(columns: np.ndarray, at_target: np.ndarray, weights: np.ndarray, values: np.ndarray) -> Fits:
    """Fit sums of columns of shape (m, k, n), whose values at the target are of shape (m, k)."""
    scale = np.abs(columns).max(axis=2)
    scale = np.where(scale > 0.0, scale, 1.0)
    columns, at_target = columns / scale[..., None], at_target / scale
    normal = (columns * weights) @ np.swapaxes(columns, 1, 2)
    determinant = np.linalg.det(normal)
    usable = determinant > _RANK * np.prod(np.diagonal(normal, axis1=1, axis2=2), axis=1)
    inverse = np.linalg.inv(np.where(usable[:, None, None], normal, np.eye(normal.shape[1])))
    coefficients = (inverse @ (columns @ (weights * values))[..., None])[..., 0]
    left = values - (coefficients[:, None, :] @ columns)[:, 0]
    pull = (inverse @ at_target[..., None])[..., 0]
    squares = np.where(usable, (weights * left**2).sum(axis=1), np.inf)
    return Fits(squares, (coefficients * at_target).sum(axis=1), (at_target * pull).sum(axis=1), coefficients, pull)


@cache
def powers_of_one(largest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return powers, logarithms, and whether the next growth is the next power of the same logarithms.

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


def _shapes(powers: np.ndarray, logarithms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    result: np.ndarray = sizes ** powers[:, None] * np.log2(sizes) ** logarithms[:, None]
    return result


def constant_fits(weights: np.ndarray, values: np.ndarray) -> Fits:
    """Fit the constant."""
    return _fitted(np.ones((1, 1, len(values))), np.ones((1, 1)), weights, values)


def one_growth_fits(
    sizes: np.ndarray, values: np.ndarray, weights: np.ndarray, target: float, largest: int
) -> tuple[Fits, Fits]:
    """Fit each growth beside a constant, and each alone, in the order of `powers_of_one`."""
    powers, logarithms, _ = powers_of_one(largest)
    shapes = _shapes(powers, logarithms, sizes)
    there = _shapes(powers, logarithms, np.array([target]))[:, 0]
    beside = np.stack([np.ones_like(shapes), shapes], axis=1)
    return (
        _fitted(beside, np.stack([np.ones_like(there), there], axis=1), weights, values),
        _fitted(shapes[:, None], there[:, None], weights, values),
    )


@cache
def _falls_and_tails() -> tuple[np.ndarray, ...]:
    tails = [(0.0, 1)] + [(step / 32, 0) for step in range(1, 33)]
    falls, powers, logarithms = np.array([(-fall, *tail) for fall in _FALLS for tail in tails]).T
    return falls, powers, logarithms, (np.diff(falls) == 0.0) & (np.diff(logarithms) == 0.0)


@cache
def _rising_pairs() -> tuple[np.ndarray, ...]:
    plain = [(0.0, 1), *((step / 4, 0) for step in range(1, 9))]
    pairs = [(*lower, *other) for place, lower in enumerate(plain) for other in plain[place + 1 :]]
    first, first_log, second, second_log = np.array(pairs).T
    linked = (np.diff(first) == 0.0) & (np.diff(first_log) == 0.0) & (np.diff(second_log) == 0.0)
    return first, first_log, second, second_log, linked


def turning_fits(
    sizes: np.ndarray, values: np.ndarray, weights: np.ndarray, target: float
) -> tuple[list[Fits], np.ndarray]:
    """Fit falls with rising tails, no faster than linear, alone and beside a constant.

    Returns
    -------
    list of Fits
    ndarray of bool
        Whether the next sum is that of the next power.
    """
    fall, power, logarithms, linked = _falls_and_tails()

    def columns(x: np.ndarray) -> np.ndarray:
        return np.stack([x ** fall[:, None], _shapes(power, logarithms, x)], axis=1)

    return _with_and_without_constant(columns, sizes, values, weights, target), linked


def rising_sum_fits(
    sizes: np.ndarray, values: np.ndarray, weights: np.ndarray, target: float
) -> tuple[list[Fits], np.ndarray]:
    """Fit sums of two rising growths, up to the second power; returns what `turning_fits` does."""
    first, first_log, second, second_log, linked = _rising_pairs()

    def columns(x: np.ndarray) -> np.ndarray:
        return np.stack([_shapes(first, first_log, x), _shapes(second, second_log, x)], axis=1)

    return _with_and_without_constant(columns, sizes, values, weights, target), linked


def _with_and_without_constant(
    columns: Any, sizes: np.ndarray, values: np.ndarray, weights: np.ndarray, target: float
) -> list[Fits]:
    runs, there = columns(sizes), columns(np.array([target]))
    fits = [_fitted(runs, there[..., 0], weights, values)]
    if len(sizes) > runs.shape[1] + 1:
        with_one = [np.concatenate([part, np.ones_like(part[:, :1])], axis=1) for part in (runs, there)]
        fits.append(_fitted(with_one[0], with_one[1][..., 0], weights, values))
    return fits
