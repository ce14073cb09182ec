"""Fixed points and roots of many designs at once, each design by itself.

What has settled stays as it is while others go on, so a design has the same bits in any company.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["root_between", "settle"]

_MOST = 400


def settle(
    step: Callable[[Sequence[np.ndarray]], Sequence[np.ndarray]],
    start: Sequence[np.ndarray],
    damping: float,
    tolerance: float | np.ndarray,
    steps: int,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Solve x = step(x), where x are several values of each design.

    Parameters
    ----------
    step : callable
        What follows from values.
    start : sequence of ndarray
    damping : float
        Part of the way to what follows that each step goes.
    tolerance : float or array
        A design whose values all move by at most this has settled.
    steps : int
        Where to give up.

    Returns
    -------
    list of ndarray
        The values.
    ndarray of bool
        Which designs settled; where `step` jumps, values may go on changing for ever.
    """
    values = list(start)
    settled = np.zeros((), dtype=bool)
    for _ in range(steps):
        wanted = step(values)
        moved = [(1.0 - damping) * value + damping * want for value, want in zip(values, wanted, strict=True)]
        still = np.ones((), dtype=bool)
        for new, old in zip(moved, values, strict=True):
            still = still & (np.abs(new - old) <= tolerance)
        values = [np.where(settled, old, new) for new, old in zip(moved, values, strict=True)]
        settled = settled | still
        if settled.all():
            break
    return values, settled


def root_between(function: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return where a function that is positive at one end and negative at the other crosses 0.

    Parameters
    ----------
    function : callable
    low, high : ndarray
        The ends, of the shape of the result. Where the function is not positive at `low`, the answer is `low`.

    Notes
    -----
    Chandrupatla's method ("A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
    without using derivatives", Advances in Engineering Software 28, 1997): it keeps the root between two points, and
    halves where a quadratic through three would not do better.
    """
    before, here = high, low
    value_before, value = function(before), function(here)
    best, done = here, np.less_equal(value, 0.0)
    step = np.full(np.shape(low), 0.5)
    for _ in range(_MOST):
        if done.all():
            break
        tried = here + step * (before - here)
        value_tried = function(tried)
        same = np.sign(value_tried) == np.sign(value)
        third, value_third = np.where(same, here, before), np.where(same, value, value_before)
        before, value_before = np.where(same, before, here), np.where(same, value_before, value)
        here, value = tried, value_tried
        nearer = np.where(np.abs(value) < np.abs(value_before), here, before)
        best = np.where(done, best, nearer)
        with np.errstate(divide="ignore", invalid="ignore"):  # where it is done
            least = 2.0 * np.finfo(float).eps * np.abs(nearer) / np.abs(before - here)
            step = _next_step(here, before, third, value, value_before, value_third)
        done = done | (least > 0.5) | (value == 0.0)
        step = np.clip(step, least, 1.0 - least)
    return best


def _next_step(
    here: np.ndarray,
    before: np.ndarray,
    third: np.ndarray,
    value: np.ndarray,
    value_before: np.ndarray,
    value_third: np.ndarray,
) -> np.ndarray:
    """Return where between two points to look next: the zero of a quadratic through three, or half-way."""
    position = (here - before) / (third - before)
    height = (value - value_before) / (value_third - value_before)
    fits = (height**2 < position) & ((1.0 - height) ** 2 < 1.0 - position)
    first = value / (value_before - value) * value_third / (value_before - value_third)
    slope = (third - here) / (before - here) * value / (value_third - value)
    second = slope * value_before / (value_third - value_before)
    return np.where(fits, first + second, 0.5)
