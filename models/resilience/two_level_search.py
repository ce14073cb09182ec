"""The intervals of checkpoints on two levels that lose least time: searched, from the closed form on.

For each number k of checkpoints per global one the expected time W has one least over the interval tau_1, which golden
section finds in ln tau_1; over k it falls and then rises. Numbers are looked at in steps of sqrt(2) about the closed
one, then between the best's neighbours, until they are all looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.resilience.optimum import optimal_interval
from dse.models.resilience.two_levels import TwoLevelIntervals, two_level_intervals, two_level_wall

__all__ = ["best_two_level_intervals"]

_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
_WIDTH, _STEPS = np.log(1e3), 48
"""Half of the bracket in ln tau_1 about the closed interval, and steps: 1e3 (golden ratio)^-48 is 1e-7."""
_OCTAVES, _BETWEEN, _ROUNDS = 24, 16, 6
_MOST = 2.0**40

_Level = tuple[Any, Any, Any]


def best_two_level_intervals(
    local: _Level, whole: _Level, *, interval: Any = None, per_global: Any = None
) -> TwoLevelIntervals:
    """Return tau_1 and k of the least expected time.

    Without failures of class 1 every checkpoint is a global one, at the interval of one level.

    Parameters
    ----------
    local, whole : (array_like, array_like, array_like)
        Time of a checkpoint, mean time between failures, time of a restart of either class [s]; the mean of the first
        may be infinite.
    interval, per_global : array_like, optional
        tau_1 [s] and k that are given, and not searched.
    """
    given = [*local, *whole, *(value for value in (interval, per_global) if value is not None)]
    shape = np.broadcast_shapes(*(np.shape(value) for value in given))

    def flat(value: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, dtype=float), shape).reshape(-1)

    first, second = ((flat(cost), flat(mean), flat(restart)) for cost, mean, restart in (local, whole))
    tau = None if interval is None else flat(interval)
    start, closed = _start(first, second)
    if tau is not None:
        closed = np.maximum(1.0, np.rint(start * closed / tau))
    if per_global is not None:
        counts = flat(per_global)[None]
    else:
        steps = 2.0 ** (np.arange(-_OCTAVES, _OCTAVES + 1) / 2.0)
        counts = np.clip(np.rint(closed * steps[:, None]), 1.0, _MOST)
        counts = np.concatenate([np.ones_like(counts[:1]), counts])
    taus, walls = _least(first, second, start, counts, tau)
    best = np.argmin(walls, axis=0)
    if per_global is None:
        for _ in range(_ROUNDS):
            counts = _between(counts, best)
            taus, walls = _least(first, second, start, counts, tau)
            best = np.argmin(walls, axis=0)
    rows = np.arange(len(best))
    return TwoLevelIntervals(taus[best, rows].reshape(shape), counts[best, rows].reshape(shape))


def _start(first: _Level, second: _Level) -> tuple[np.ndarray, np.ndarray]:
    """Return the closed interval and number; those of one level where failures of class 1 never come."""
    never = np.isinf(first[1])
    means = np.where(never, second[1], first[1])
    closed = two_level_intervals(first[0], means, second[0], second[1])
    alone = optimal_interval(np.maximum(second[0], np.finfo(float).tiny), second[1])
    start = np.where(never | ~(closed.local > 0.0), alone, closed.local)
    return start, np.where(never, 1.0, np.clip(closed.per_global, 1.0, _MOST))


def _least(
    first: _Level, second: _Level, start: np.ndarray, counts: np.ndarray, tau: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of the least W for each number of checkpoints, and that W; shapes are those of `counts`."""

    def wall(logarithm: np.ndarray) -> np.ndarray:
        walls: np.ndarray = two_level_wall(np.exp(logarithm), counts, first, second)
        return walls

    if tau is not None:
        return np.broadcast_to(tau, counts.shape), np.asarray(two_level_wall(tau, counts, first, second))
    low, high = (np.log(start) + side * _WIDTH + np.zeros_like(counts) for side in (-1.0, 1.0))
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_inner, of_outer = wall(inner), wall(outer)
    for _ in range(_STEPS):
        left = of_inner <= of_outer
        low, high = np.where(left, low, inner), np.where(left, outer, high)
        fresh = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        of_fresh = wall(fresh)
        inner, outer = np.where(left, fresh, outer), np.where(left, inner, fresh)
        of_inner, of_outer = np.where(left, of_fresh, of_outer), np.where(left, of_inner, of_fresh)
    middle = (low + high) / 2.0
    return np.exp(middle), wall(middle)


def _between(counts: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Return numbers evenly spread between the neighbours of the best ones, the best among them."""
    ordered, rows = np.sort(counts, axis=0), np.arange(len(best))
    value = counts[best, rows]
    below = np.where(ordered < value, ordered, -np.inf).max(axis=0)
    above = np.where(ordered > value, ordered, np.inf).min(axis=0)
    below, above = np.where(np.isfinite(below), below, value), np.where(np.isfinite(above), above, value)
    parts = np.arange(_BETWEEN + 1)[:, None] / _BETWEEN
    return np.concatenate([value[None], np.rint(below + (above - below) * parts)])
