"""Difference quotients of one function: for what has no form for dual numbers, such as a lookup in a table.

Both sides are asked, each at several distances, so that a bend, a jump or a staircase is told from a slope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.duals import Mark
from dse.errors import InputError, ModelError

__all__ = ["Quotient", "quotients"]

# Shares of the argument. The least is above the 1e-6 within which lookups take a value for a tabulated one.
_DISTANCES = (2.0**-15, 2.0**-17, 2.0**-19)
_COARSE = 2.0**-7
_SETTLED, _SAME, _FLOOR = 1e-2, 1e-4, 1e-6

Evaluate = Callable[[np.ndarray], Mapping[str, Any]]


class Quotient(NamedTuple):
    """A derivative (NaN where there is none), its `Mark`, and why there is none."""

    slope: np.ndarray
    marks: np.ndarray
    reason: str


class _Side(NamedTuple):
    slopes: dict[str, np.ndarray]
    steps: dict[str, np.ndarray]
    refusal: str


def quotients(evaluate: Evaluate, x: np.ndarray, base: Mapping[str, np.ndarray]) -> dict[str, Quotient]:
    """Return the derivatives of the results of a function with respect to one argument.

    Parameters
    ----------
    evaluate : callable
        Returns the results by name; an `InputError` or `ModelError` says that the argument cannot have a value.
    x : ndarray
        The argument. It is varied by shares of itself; where it is 0, by shares of 1.
    base : dict of str to ndarray
        The results at `x`.

    Returns
    -------
    dict of str to Quotient
        The mean of both sides where they agree; else that of the upper side, or of the only side there is, marked
        one-sided. What jumps, or changes over larger distances only, is marked as steps.
    """
    scale = np.where(x == 0, 1.0, np.abs(x))
    above, below = (_side(evaluate, x, base, sign * scale) for sign in (1.0, -1.0))
    found = {}
    for name, value in base.items():
        up, down = above.slopes[name], below.slopes[name]
        larger = np.maximum(np.abs(up), np.abs(down))
        smooth = np.abs(up - down) <= _SAME * larger + _FLOOR * np.abs(value) / scale
        slope = np.where(smooth, (up + down) / 2.0, np.where(np.isnan(up), down, up))
        steps = above.steps[name] | below.steps[name]
        marks = Mark.NUMERIC | np.where(smooth, 0, Mark.ONE_SIDED) | np.where(steps, Mark.STEPS, 0)
        reason = ""
        if np.isnan(slope).any():
            reason = above.refusal or below.refusal or "it jumps here"
        found[name] = Quotient(slope, marks, reason)
    return found


def _filled(x: np.ndarray, base: Mapping[str, np.ndarray], value: Any) -> dict[str, np.ndarray]:
    return {name: np.full(np.broadcast_shapes(x.shape, np.shape(result)), value) for name, result in base.items()}


def _side(evaluate: Evaluate, x: np.ndarray, base: Mapping[str, np.ndarray], scale: np.ndarray) -> _Side:
    """Return the slopes on one side, NaN where they do not settle as the distance shrinks."""
    slopes, steps = _filled(x, base, np.nan), _filled(x, base, False)
    refusal = ""
    answered = False
    for distance in _DISTANCES:
        points = [x + scale * distance, x + scale * distance / 2.0]
        try:
            far, near = (evaluate(point) for point in points)
        except (InputError, ModelError) as error:
            refusal = str(error)
            continue
        for name, value in base.items():
            one, other = (
                (results[name] - value) / (point - x) for results, point in zip((far, near), points, strict=True)
            )
            tolerance = _SETTLED * np.maximum(np.abs(one), np.abs(other)) + _FLOOR * np.abs(value / scale)
            settled = np.isnan(slopes[name]) & (np.abs(other - one) <= tolerance)
            slopes[name] = np.where(settled, 2.0 * other - one, slopes[name])
            steps[name] |= settled & answered
        answered = True
    if answered:
        for name in base:
            steps[name] |= np.isnan(slopes[name])
        _mark_coarse_steps(evaluate, base, x, x + scale * _COARSE, slopes, steps)
    return _Side(slopes, steps, "" if answered else refusal)


def _mark_coarse_steps(
    evaluate: Evaluate,
    base: Mapping[str, np.ndarray],
    x: np.ndarray,
    point: np.ndarray,
    slopes: Mapping[str, np.ndarray],
    steps: dict[str, np.ndarray],
) -> None:
    """Mark what is flat nearby and changes farther off."""
    try:
        results = evaluate(point)
    except (InputError, ModelError):
        return
    for name, value in base.items():
        change = np.abs(results[name] - value)
        flat = np.abs(slopes[name] * (point - x)) < 1e-3 * change
        steps[name] |= flat & (change > 1e-9 * np.abs(value))
