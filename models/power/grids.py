"""Interpolation in tables: between logarithms, straight or smooth, and the tabulated value itself on a knot."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["between", "interpolated", "monotone", "monotone_slopes", "position"]


def between(first: Any, second: Any, weight: Any) -> np.ndarray:
    """Return the value at `weight` (0 to 1, or beyond) on the straight line between two logarithms.

    A weight of 0 or 1 gives the value itself; where a value is not positive, the line is one between the values.
    """
    inside = (weight != 0.0) & (weight != 1.0)
    line: np.ndarray
    if not np.any(inside):
        line = np.where(weight == 1.0, second, first)
        return line
    positive = (first > 0) & (second > 0)
    safe_first, safe_second = np.where(positive, first, 1.0), np.where(positive, second, 1.0)
    curved = safe_first * (safe_second / safe_first) ** weight
    straight = first * (1.0 - weight) + second * weight
    line = np.where(inside, np.where(positive, curved, straight), np.where(weight == 1.0, second, first))
    return line


def position(knots: Any, x: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the knot below each x and how far x lies on the way to the next, in logarithms; beyond the ends too.

    Parameters
    ----------
    knots : (n,) array_like
        Rising, above 0.
    x : array_like
    """
    knots, x = np.asarray(knots, dtype=float), np.asarray(x, dtype=float)
    if len(knots) == 1:
        return np.zeros(x.shape, dtype=int), np.zeros(x.shape)
    low = np.clip(np.searchsorted(knots, x * (1 + 1e-9), side="right") - 1, 0, len(knots) - 2)
    weight = np.log(x / knots[low]) / np.log(knots[low + 1] / knots[low])
    return low, np.where(np.isclose(weight, 0.0, atol=1e-9), 0.0, np.where(np.isclose(weight, 1.0), 1.0, weight))


def interpolated(knots: Any, values: Any, x: Any) -> np.ndarray:
    """Return the values of a table at x, in logarithms of both; beyond the ends the outermost lines go on."""
    values = np.asarray(values, dtype=float)
    low, weight = position(knots, x)
    if len(values) == 1:
        return np.broadcast_to(values[0], np.shape(x)).copy()
    return between(values[low], values[low + 1], weight)


def monotone_slopes(knots: Any, values: Any) -> np.ndarray:
    """Return slopes at the knots for cubic pieces that rise and fall with the values (Fritsch and Butland 1984).

    Parameters
    ----------
    knots : (n,) array_like
        Rising, at least three.
    values : (..., n) array_like
    """
    width, rise = np.diff(np.asarray(knots, dtype=float)), np.diff(np.asarray(values, dtype=float), axis=-1)
    slope = rise / width
    before, after = slope[..., :-1], slope[..., 1:]
    first, second = width[:-1], width[1:]
    weights = 2.0 * second + first, second + 2.0 * first
    turns = before * after <= 0
    inner = (weights[0] + weights[1]) / (weights[0] / _or_one(before) + weights[1] / _or_one(after))
    ends = [_end(width[a], width[b], slope[..., a], slope[..., b]) for a, b in ((0, 1), (-1, -2))]
    return np.concatenate([ends[0][..., None], np.where(turns, 0.0, inner), ends[1][..., None]], axis=-1)


def _or_one(values: np.ndarray) -> np.ndarray:
    return np.where(values == 0, 1.0, values)


def _end(width: float, next_width: float, slope: np.ndarray, next_slope: np.ndarray) -> np.ndarray:
    end_slope = ((2.0 * width + next_width) * slope - width * next_slope) / (width + next_width)
    end_slope = np.where(end_slope * slope <= 0, 0.0, end_slope)
    return np.where((slope * next_slope <= 0) & (np.abs(end_slope) > 3.0 * np.abs(slope)), 3.0 * slope, end_slope)


def monotone(knots: Any, values: Any, slopes: Any, x: Any) -> np.ndarray:
    """Return cubic pieces through the values at x; beyond the ends, straight lines with the slopes there.

    Parameters
    ----------
    knots : (n,) array_like
    values, slopes : (..., n) ndarray
        Their leading dimensions broadcast with x.
    x : array_like
    """
    knots, x = np.asarray(knots, dtype=float), np.asarray(x, dtype=float)
    inside = np.clip(x, knots[0], knots[-1])
    low = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    width = knots[low + 1] - knots[low]
    t = (inside - knots[low]) / width
    take = np.broadcast_to(low, np.broadcast_shapes(np.shape(values)[:-1], low.shape))
    shape = (*take.shape, len(knots))

    def at(table: Any, place: np.ndarray) -> np.ndarray:
        return np.take_along_axis(np.broadcast_to(table, shape), place[..., None], axis=-1)[..., 0]

    first, second = at(values, take), at(values, take + 1)
    start, end = at(slopes, take) * width, at(slopes, take + 1) * width
    bend = (1.0 - t) * t * ((1.0 - t) * (start - (second - first)) - t * (end - (second - first)))
    curve = np.where(t == 0.0, first, np.where(t == 1.0, second, first + t * (second - first) + bend))
    result: np.ndarray = curve + (x - inside) * np.where(x < knots[0], at(slopes, take), at(slopes, take + 1))
    return result
