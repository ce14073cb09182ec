"""Pareto frontiers: which designs no other design beats, ties kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dse.errors import InputError

__all__ = ["pareto_mask", "to_minimise"]

_SORTED_FROM, _SORTED_TO = 4_096, 3  # points, and columns, of which the quickest way is to sort them before


def to_minimise(values: np.ndarray, senses: Sequence[str]) -> np.ndarray:
    """Negate the columns to be maximised (exact in floating point) and turn -0.0 into 0.0."""
    signs = np.array([-1.0 if sense == "max" else 1.0 for sense in senses])
    return np.asarray(values * signs + 0.0)


def pareto_mask(values: npt.ArrayLike, *, senses: Sequence[str] | None = None, keep_ties: bool = True) -> np.ndarray:
    """Mark the rows of `values` that no other row dominates.

    A row dominates another when it is no worse in every column and better in one.

    Parameters
    ----------
    values : (n, d) array_like of finite floats
    senses : sequence of {"min", "max"}, optional
        One per column. Default: all "min".
    keep_ties : bool
        Keep every copy of a non-dominated row (default) or only the first.

    Returns
    -------
    (n,) ndarray of bool

    Raises
    ------
    InputError
        A wrong shape, an unknown sense, a NaN or infinite entry.

    Notes
    -----
    moocore's algorithms: O(n log n) for d ≤ 3, O(n log^(d-2) n) beyond.

    Examples
    --------
    >>> pareto_mask([[1, 2], [2, 1], [2, 2], [1, 2]]).tolist()
    [True, True, False, True]
    """
    array = np.ascontiguousarray(values, dtype=float)
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(f"values have the shape {array.shape}", allowed="(n, d) with d >= 1")
    kinds = list(senses) if senses is not None else ["min"] * array.shape[1]
    if len(kinds) != array.shape[1] or any(kind not in ("min", "max") for kind in kinds):
        raise InputError(f"senses are {kinds}", allowed=f"{array.shape[1]} of 'min', 'max'")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"values[{row}, {column}] is {array[row, column]}", allowed="finite numbers")
    return nondominated(to_minimise(array, kinds), keep_ties=keep_ties)


def nondominated(points: np.ndarray, *, keep_ties: bool = True) -> np.ndarray:
    """Mark the non-dominated rows of finite points to be minimised."""
    if len(points) == 0:
        return np.zeros(0, dtype=bool)
    if points.shape[1] == 1:
        mask = points[:, 0] == points[:, 0].min()
        if not keep_ties:
            mask &= np.arange(len(points)) == np.argmax(mask)
        return np.asarray(mask)
    import moocore

    order: np.ndarray | slice = slice(None)
    if len(points) >= _SORTED_FROM and points.shape[1] <= _SORTED_TO:
        # It sorts by the last column itself, more slowly; of equal rows the first has to stay the first.
        order = np.argsort(points[:, -1], kind=None if keep_ties else "stable")
    mask = np.empty(len(points), dtype=bool)
    mask[order] = moocore.is_nondominated(points[order], keep_weakly=keep_ties)
    return mask
