"""Reading a table by index, in a form that also works on ranges of indices, signed ones and dual numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duals import Dual, stepped
from dse.arithmetic.duck_array import Operand
from dse.arithmetic.monotonicity import Signed, looked_up
from dse.arithmetic.ranges import Condition, Range, extremes

__all__ = ["lookup"]


_S = TypeVar("_S", Range, Signed, Dual)


@overload
def lookup(table: npt.ArrayLike, index: _S) -> _S: ...
@overload
def lookup(table: npt.ArrayLike, index: Condition) -> Range: ...
@overload
def lookup(table: npt.ArrayLike, index: np.ndarray | Sequence[float] | float) -> np.ndarray: ...
def lookup(table: npt.ArrayLike, index: Operand | Sequence[float]) -> np.ndarray | Range | Signed | Dual:
    """Return ``table[index]``.

    Parameters
    ----------
    table : (n,) array_like of float
    index : array_like, Range, Signed or Dual
        Whole numbers from 0 to n - 1 (floats are cut to whole numbers).

    Returns
    -------
    ndarray, Range, Signed or Dual
        Of the shape of `index`; constant between whole numbers.

    Raises
    ------
    IndexError
        A point index outside the table (negative ones included).
    """
    values = np.asarray(table, dtype=float)
    if isinstance(index, Condition):
        index = Range.of(index)
    if isinstance(index, Range):
        # Outside the table anything may happen: a point there is an error, which must not be skipped.
        unknown = ~((index.low > -1) & (index.high < len(values)))
        first = np.clip(np.nan_to_num(index.low), 0, len(values) - 1).astype(int)
        last = np.clip(np.nan_to_num(index.high), 0, len(values) - 1).astype(int)
        low, high = extremes(values, *np.broadcast_arrays(first, last))
        return Range(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
    if isinstance(index, Signed):
        return looked_up(index, values, lookup(values, index.bounds))
    if isinstance(index, Dual):
        return stepped(lookup(values, index.value), index)
    position = np.asarray(index).astype(int)
    if position.size and (position.min() < 0 or position.max() >= len(values)):
        wrong = position[(position < 0) | (position >= len(values))].flat[0]
        msg = f"index {wrong} is outside a table of {len(values)} entries"
        raise IndexError(msg)
    return values[position]
