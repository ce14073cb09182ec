"""Functions of few different values on long arrays: called once per combination, however many designs have it.

A table looked up by the type of a core and the size of a cache has a few dozen answers; a list of designs asks for them
thousands of times, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import wraps

import numpy as np
import numpy.typing as npt

__all__ = ["KnownRows", "combinations", "different_rows", "distinct", "kinds_of_rows", "once_per_combination"]

_FEW = 64
_KEPT = 64
_KNOWN = 50_000
_SLOT_BITS = 13
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)  # odd, bits at random
_SAMPLE, _MOST = 512, 256


def combinations(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray] | None:
    """Find the different rows of columns of floats.

    Parameters
    ----------
    columns : sequence of (n,) ndarray of float

    Returns
    -------
    (k,) ndarray of int, (n,) ndarray of int
        A row of each kind, in the order of their values, and the kind of every row; None when the rows are of too many
        kinds to be told apart this way (some hundreds), or not numbers.

    Notes
    -----
    Rows go into slots by their bits, and each is compared with the row its slot holds last, so nothing rests on the
    slots being different: they are tried again, else given up. Only the kinds are sorted, not the rows.
    """
    (rows,) = columns[0].shape
    columns = [column for column in columns if not _same(column)]
    if not columns:
        return np.zeros(1, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    numbers = np.arange(rows)
    bits = [np.ascontiguousarray(column).view(np.uint64) for column in columns]
    for attempt in range(len(_MULTIPLIERS)):
        slot = _slots(bits, attempt)
        last = np.empty(1 << _SLOT_BITS, dtype=np.int64)
        last[slot] = numbers
        like = last.take(slot)
        if all((column.take(like) == column).all() for column in columns):
            firsts = np.flatnonzero(like == numbers)
            firsts = firsts[np.lexsort([column[firsts] for column in columns])]
            kind = last  # its slots in use are read no more
            kind[slot[firsts]] = np.arange(len(firsts))
            return firsts, kind.take(slot)
        if attempt == 0:
            sample = (column[:: 1 + rows // _SAMPLE].tolist() for column in columns)
            if len(set(zip(*sample, strict=True))) > _MOST:
                return None
    return None


def _same(column: np.ndarray) -> bool:
    """Tell whether all entries are equal; quick where they are not."""
    first = column[0]
    return bool(first == column[-1] and first == column[len(column) // 2] and (column == first).all())


def _slots(bits: Sequence[np.ndarray], attempt: int) -> np.ndarray:
    """Return a slot for each row, the same for equal rows."""
    mixed: np.ndarray | None = None
    for place, column in enumerate(bits):
        factor = _MULTIPLIERS[(attempt + place) % len(_MULTIPLIERS)] + 2 * (place // len(_MULTIPLIERS))
        mixed = column * np.uint64(factor) if mixed is None else mixed + column * np.uint64(factor)
    assert mixed is not None
    slots: np.ndarray = (mixed >> np.uint64(64 - _SLOT_BITS)).view(np.int64)
    return slots


def distinct(values: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the different values, rising, and the place of each entry among them; quick when they are few.

    Returns
    -------
    ndarray, ndarray of int
        The second of the shape of `values`.
    """
    array = np.asarray(values, dtype=float)
    kinds = combinations([array.reshape(-1)]) if array.size > _FEW else None
    if kinds is None:
        different, place = np.unique(array, return_inverse=True)
        return different, place.reshape(array.shape)
    rows, kind = kinds
    different, place = np.unique(array.reshape(-1)[rows], return_inverse=True)
    return different, place.take(kind).reshape(array.shape)


def different_rows(columns: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the different rows of columns that broadcast, and the place of each row among them.

    Each column is sorted as long as it is, which is short where grids broadcast.

    Returns
    -------
    list of (k,) ndarray
        The columns of the different rows.
    ndarray of int
        Of the shape that the columns broadcast to.
    """
    firsts, place = kinds_of_rows(columns)
    return [np.broadcast_to(column, place.shape).reshape(-1)[firsts] for column in columns], place


def kinds_of_rows(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of each kind, and the kind of every row, of columns that broadcast.

    Returns
    -------
    (k,) ndarray of int
        Places of the first rows of their kinds, where all rows lie one after the other.
    ndarray of int
        Of the shape that the columns broadcast to.
    """
    place, kinds = np.zeros((), dtype=np.int64), 1
    for column in columns:
        values, at = distinct(column)
        if kinds * len(values) >= 2**62:
            numbers, place = np.unique(place, return_inverse=True)
            kinds = len(numbers)
        place, kinds = place * len(values) + at, kinds * len(values)
    _, firsts, back = np.unique(place, return_index=True, return_inverse=True)
    return firsts, back.reshape(place.shape)


class KnownRows:
    """What a costly function gives of the rows that were asked for, so that none is computed again.

    Tables of a search, its check and what is shown of its frontier ask for the same rows.

    Parameters
    ----------
    compute : callable
        From columns of different rows to a column for each result.
    most : int
        Rows that are known before all are forgotten; more at once are not kept.
    """

    def __init__(
        self, compute: Callable[[list[np.ndarray]], np.ndarray | Sequence[np.ndarray]], most: int = _KNOWN
    ) -> None:
        self._compute, self._most = compute, most
        self._place: dict[bytes, int] = {}
        self._results: np.ndarray | None = None

    def results(self, rows: list[np.ndarray]) -> np.ndarray:
        """Return the results of different rows, one column for each row."""
        if len(rows[0]) > self._most:
            return np.asarray(self._compute(rows))
        keys = [row.tobytes() for row in np.stack(rows, axis=1)]
        if len(self._place) > self._most:
            self._place, self._results = {}, None
        fresh = np.flatnonzero([key not in self._place for key in keys])
        if len(fresh) or self._results is None:
            computed = self._compute([row[fresh] for row in rows])  # which may fail: then nothing is known of these
            places = range(len(self._place), len(self._place) + len(fresh))
            before = [] if self._results is None else [self._results]
            self._results = np.concatenate([*before, np.asarray(computed)], axis=1)
            self._place.update(zip((keys[row] for row in fresh), places, strict=True))
        return self._results[:, [self._place[key] for key in keys]]


Result = np.ndarray | tuple[np.ndarray, ...]


def once_per_combination(function: Callable[..., Result]) -> Callable[..., Result]:
    """Make a function of arrays that is costly, and gets few combinations of values, quick on lists of designs.

    It is called with the different combinations, and again only for others; what it gives goes to the designs that have
    them. Grids (arrays of two or more dimensions), whose axes hold each value once, go to it as they are.

    Parameters
    ----------
    function : callable
        Of arrays that broadcast, and of other objects; each entry of what it gives depends on the entries at its place
        alone.
    """
    kept: dict[tuple[object, ...], tuple[Sequence[object], Result]] = {}

    def answer(arguments: Sequence[object]) -> Result:
        key = tuple([_key(argument) for argument in arguments])
        held = kept.get(key)
        if held is None:
            if len(kept) >= _KEPT:
                kept.clear()
            held = kept[key] = (arguments, _locked(function(*arguments)))  # with the objects, so that ids stay theirs
        return held[1]

    @wraps(function)
    def called(*given: object) -> Result:
        few = list(given)
        long, rows = [], 0
        for place, values in enumerate(given):
            if isinstance(values, np.ndarray):
                if values.dtype.kind not in "fiub":
                    return function(*given)
                if values.size != 1 and (values.ndim != 1 or rows not in (0, values.size)):
                    return function(*given)
                if values.size > 1:
                    rows = values.size
                    long.append(place)
                else:
                    few[place] = np.array(values)
        if not long:
            return answer(few)
        different = combinations([np.asarray(given[place], dtype=float) for place in long]) if rows > _FEW else None
        if different is None:
            return function(*given)
        kinds, kind = different
        # Two at least, so that the shape of a result tells what does not depend on them.
        chosen = kinds if len(kinds) > 1 else np.repeat(kinds, 2)
        for place in long:
            few[place] = np.asarray(given[place]).take(chosen)
        result = answer(few)
        if isinstance(result, tuple):
            return tuple([_handed_out(values, kind, len(kinds)) for values in result])
        return _handed_out(result, kind, len(kinds))

    return called


def _key(argument: object) -> Hashable:
    if isinstance(argument, np.ndarray):
        return argument.shape, argument.dtype.char, argument.tobytes()
    return repr(argument) if isinstance(argument, (int, float, str)) else id(argument)


def _locked(result: Result) -> Result:
    return tuple(map(_locked_array, result)) if isinstance(result, (tuple, list)) else _locked_array(result)


def _locked_array(values: npt.ArrayLike) -> np.ndarray:
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view


def _handed_out(value: np.ndarray, kind: np.ndarray, kinds: int) -> np.ndarray:
    if np.size(value) == 1:
        return value
    return value.take(kind) if kinds > 1 else np.full(kind.shape, value[0])
