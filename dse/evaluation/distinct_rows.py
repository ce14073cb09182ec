"""Listed designs evaluated once per combination of the rows that a function depends on, and not once per design."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.evaluation.row_tables import Axes, RowTables
from dse.graph.graph import call

__all__ = ["DistinctRows"]

_WORTH = 2  # designs of a combination, on average, from which on it is evaluated once
_ROOM = 16  # combinations there might be for each design, up to which they are counted instead of sorted
_LONGER = 4  # rows of a table for each design of the list for which it is made


class _Combinations(NamedTuple):
    """The combinations of rows of some axes: a design of each, (k,), and that of each design, (n,)."""

    firsts: np.ndarray
    which: np.ndarray


class DistinctRows:
    """The combinations of rows that listed designs of a product have.

    Parameters
    ----------
    tables : RowTables
    rows : sequence of (n,) ndarray of int
        By axis: the row of each design.
    """

    def __init__(self, tables: RowTables, rows: Sequence[np.ndarray]) -> None:
        self.tables, self.rows, self.count = tables, rows, len(rows[0]) if len(rows) else 1
        self.every: Axes = frozenset(range(len(rows)))
        self._all = _Combinations(np.arange(self.count), np.arange(self.count))
        self._known: dict[Axes, _Combinations | None] = {}
        self._codes: dict[Axes, np.ndarray] = {}
        self._places: dict[tuple[Axes, Axes, bool], np.ndarray] = {}

    def evaluate(self, positions: Sequence[int], wanted: Collection[str]) -> dict[str, Any]:
        """Return quantities of the designs, one entry per design; constants have one.

        Parameters
        ----------
        positions : sequence of int
            The functions that are called, in their order; they read inputs and what others of them give.
        wanted : collection of str
            Inputs and results of these functions.
        """
        tables, own_values, own_along = self.tables, dict[str, Any](), dict[str, Axes]()

        def axes_of(name: str) -> Axes:
            return own_along[name] if name in own_values else tables.along[name]

        def taken(name: str, axes: Axes) -> Any:
            if name in own_values:
                return self._taken(own_values[name], own_along[name], axes, of_table=False)
            return self._taken(tables.values[name], tables.along[name], axes, of_table=True)

        with np.errstate(all="ignore"):
            for position in positions:
                if tables.has(position, _LONGER * self.count):
                    continue
                function = tables.graph.functions[position]
                axes = self._axes(frozenset[int]().union(*(axes_of(need) for need in function.needs)))
                for name, value in call(function, {need: taken(need, axes) for need in function.needs}).items():
                    varies = isinstance(value, np.ndarray) and value.size > 1
                    own_values[name], own_along[name] = value, axes if varies else frozenset()
            return {name: taken(name, self.every) for name in wanted}

    def _axes(self, axes: Axes) -> Axes:
        """Return the axes whose combinations stand for those of some: all of them, where few designs share one."""
        if axes not in self._known:
            made = self._counted(axes) if axes != self.every else None
            self._known[axes] = made if made is not None and len(made.firsts) * _WORTH <= self.count else None
        return axes if self._known[axes] is not None else self.every

    def _combinations(self, axes: Axes) -> _Combinations:
        return self._known.get(axes) or self._all

    def _counted(self, axes: Axes) -> _Combinations:
        code, size = self._code(axes), self.tables.size(axes)
        if size > _ROOM * self.count:
            _, firsts, which = np.unique(code, return_index=True, return_inverse=True)
            return _Combinations(firsts, which.reshape(-1))
        first = np.full(size, -1, dtype=np.int64)
        first[code] = np.arange(self.count)
        there = np.flatnonzero(first >= 0)
        place_of = np.empty(size, dtype=np.int64)
        place_of[there] = np.arange(len(there))
        return _Combinations(first[there], place_of[code])

    def _code(self, axes: Axes) -> np.ndarray:
        if axes not in self._codes:
            self._codes[axes] = self.tables.codes(axes, self.rows)
        return self._codes[axes]

    def _taken(self, value: Any, along: Axes, axes: Axes, *, of_table: bool) -> Any:
        """Lay values of combinations of some axes, in the list or in a table, out along those of more axes."""
        if not along or not isinstance(value, np.ndarray) or (along == axes and not of_table):
            return value
        key = (along, axes, of_table)
        if key not in self._places:
            where = self._code(along) if of_table else self._combinations(along).which
            self._places[key] = where if axes == self.every else where[self._combinations(axes).firsts]
        return value.take(self._places[key])
