"""Quotients of what instructions use and what a machine has, where one of the two may be nothing."""

from __future__ import annotations

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.primitive import primitive
from dse.arithmetic.ranges import Range

__all__ = ["above_zero", "per_unit", "until_used_up"]


def above_zero(values: Operand) -> bool:
    """Tell whether values are points above 0, so that no guard against dividing by 0 need be computed for each."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0 and bool(values.min(initial=np.inf) > 0.0)
    return isinstance(values, float) and values > 0.0


def _per_unit(use: Operand, limit: Operand) -> np.ndarray:
    if isinstance(use, np.ndarray) and use.ndim > 0 and above_zero(limit):
        result: np.ndarray = np.divide(use, limit)
        return result
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(use, 0.0), 0.0, np.divide(use, limit))


def _per_unit_range(use: Range, limit: Range) -> Range:
    unknown = ~((use.low >= 0) & (limit.low >= 0))
    low, high = _per_unit(use.low, limit.high), _per_unit(use.high, limit.low)
    return Range(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))


@primitive(_per_unit_range, _per_unit)
def per_unit(use, limit):
    """Use of something divided by how much of it there is: 0 where nothing is used, infinite where there is none.

    Parameters
    ----------
    use : float or array
        Per instruction.
    limit : float or array
        Per cycle, not negative.

    Returns
    -------
    ndarray
        Cycles per instruction.

    Examples
    --------
    >>> per_unit(0.5, 2.0), per_unit(0.0, 0.0), per_unit(0.5, 0.0)
    (array(0.25), array(0.), array(inf))
    """
    return _per_unit(use, limit)


def _until_used_up(limit: Operand, use: Operand) -> np.ndarray:
    if isinstance(use, np.ndarray) and use.ndim > 0 and above_zero(limit):
        room = use + 0.0  # -0 would make it minus infinity
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.divide(limit, room, out=room) if np.ndim(limit) == 0 else np.divide(limit, room)
            return result
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(use, 0.0), np.inf, np.divide(limit, use))


def _until_used_up_range(limit: Range, use: Range) -> Range:
    unknown = ~((use.low >= 0) & (limit.low >= 0))
    low, high = _until_used_up(limit.low, use.high), _until_used_up(limit.high, use.low)
    return Range(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))


@primitive(_until_used_up_range, _until_used_up)
def until_used_up(limit, use):
    """Room divided by how fast it is used: infinite where nothing is used, even where there is no room.

    Parameters
    ----------
    limit : float or array
    use : float or array
        Per cycle or per instruction.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> until_used_up(54.0, 0.5), until_used_up(54.0, 0.0)
    (array(108.), array(inf))
    """
    return _until_used_up(limit, use)
