"""Reading a table by index, in a form that also works on ranges of indices, signed ones and dual numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar, overload

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duals import Dual, stepped
from dse.arithmetic.duck_array import Operand
from dse.arithmetic.monotonicity import Signed, looked_up
from dse.arithmetic.ranges import Condition, Range, extremes
from dse.arithmetic.steps import Recorded, recorded

__all__ = ["lookup", "noting_outside"]


_S = TypeVar("_S", Range, Signed, Dual, Recorded)


@overload
def lookup(table: npt.ArrayLike, index: _S) -> _S: ...
@overload
def lookup(table: npt.ArrayLike, index: Condition) -> Range: ...
@overload
def lookup(table: npt.ArrayLike, index: np.ndarray | Sequence[float] | float) -> np.ndarray: ...
def lookup(table: npt.ArrayLike, index: Operand | Sequence[float]) -> np.ndarray | Range | Signed | Dual | Recorded:
    """Return ``table[index]``.

    Parameters
    ----------
    table : (n,) array_like of float
    index : array_like, Range, Signed, Dual or Recorded
        Whole numbers from 0 to n - 1 (floats are cut to whole numbers).

    Returns
    -------
    ndarray, Range, Signed, Dual or Recorded
        Of the shape of `index`; constant between whole numbers.

    Notes
    -----
    Outside the table (negative indices included) there is no number: NaN. A feasible design that it reaches is refused
    by the search, whatever its method; where no feasible design reaches it, it is no error.
    """
    step = recorded("lookup", lookup, [table, index])
    if step is not None:
        return step
    values = np.asarray(table, dtype=float)
    if isinstance(index, Condition):
        index = Range.of(index)
    if isinstance(index, Range):
        # Outside the table there is no number: a feasible point there is an error, which must not be skipped.
        unknown = ~((index.low > -1) & (index.high < len(values)))
        first = np.clip(np.nan_to_num(index.low), 0, len(values) - 1).astype(int)
        last = np.clip(np.nan_to_num(index.high), 0, len(values) - 1).astype(int)
        low, high = extremes(values, *np.broadcast_arrays(first, last))
        return Range(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
    if isinstance(index, Signed):
        return looked_up(index, values, lookup(values, index.bounds))
    if isinstance(index, Dual):
        return stepped(lookup(values, index.value), index)
    place = np.asarray(index)
    if not place.size or (place.min() > -1 and place.max() < len(values)):  # NaN is neither
        result: np.ndarray | Range | Signed | Dual | Recorded = values[place.astype(int)]
        return result
    outside = ~((place > -1) & (place < len(values)))
    _note_outside(place[outside].reshape(-1)[0], len(values))
    padded = values if len(values) else np.zeros(1)
    return np.where(outside, np.nan, padded[np.where(outside, 0, place).astype(int)])


@contextmanager
def noting_outside() -> Iterator[list[str]]:
    """Collect, for each lookup in the block that is outside its table, what it looked for, in words."""
    words: list[str] = []
    token = _outside.set(words)
    try:
        yield words
    finally:
        _outside.reset(token)


def _note_outside(index: float, length: int) -> None:
    words = _outside.get()
    if words is not None:
        words.append(f"index {index:.12g} is outside a table of {length} entries")


_outside: ContextVar[list[str] | None] = ContextVar("outside", default=None)
