"""Quantities of a product on the rows of the few axes they depend on: made once, read by every list of designs.

Lists of designs near a frontier have few sockets, shapes and cards in many combinations, and come one after the other.
What a function gives on all rows of a few axes is a table, as in a search; a list takes its entries from there. What
depends on more axes is called per list, on the different rows that stand in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dse.errors import InputError, ModelError
from dse.evaluation.probe import fixed_grids
from dse.graph.graph import Graph, call
from dse.space.design_space import Product

__all__ = ["Axes", "RowTables"]

Axes = frozenset[int]
"""The places of axes."""

MOST = 8_192
"""Rows of a table that lists of designs share."""


class RowTables:
    """The tables of a product.

    Parameters
    ----------
    graph : Graph
    product : Product
    assumptions : mapping of str to float
        Defaults in use.

    Attributes
    ----------
    values : dict of str to ndarray or table
        One entry per combination of rows of the axes of `along`, the last axis fastest; constants have one entry.
    along : dict of str to frozenset of int
    """

    def __init__(self, graph: Graph, product: Product, assumptions: Mapping[str, float]) -> None:
        self.graph, self.product = graph, product
        constants = fixed_grids(product, graph, assumptions)
        self.values: dict[str, Any] = {
            name: value.reshape(-1) if isinstance(value, np.ndarray) else value for name, value in constants.items()
        }
        self.along: dict[str, Axes] = dict.fromkeys(self.values, frozenset())
        for place, axis in enumerate(product.axes):
            for name, column in axis.columns.items():
                self.values[name], self.along[name] = column, frozenset({place})
        self._refused: set[int] = set()
        self._between: dict[tuple[Axes, Axes], np.ndarray] = {}

    def size(self, axes: Axes) -> int:
        """Return how many combinations of rows some axes have."""
        return prod(len(self.product.axes[place]) for place in axes)

    def codes(self, axes: Axes, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Return the place of each design in the tables of some axes, from its row of each axis."""
        code = np.zeros(len(rows[0]) if rows else 1, dtype=np.int64)
        for place in sorted(axes):
            code = code * len(self.product.axes[place]) + rows[place]
        return code

    def has(self, position: int, most: int) -> bool:
        """Tell whether there is a table of a function, made now if it has no more rows than that."""
        function = self.graph.functions[position]
        if all(name in self.values for name in function.gives):
            return True
        if position in self._refused or any(need not in self.values for need in function.needs):
            return False
        own = frozenset[int]().union(*(self.along[need] for need in function.needs))
        if self.size(own) > min(MOST, most):
            return False
        try:
            given = call(function, {need: self._laid_out(need, own) for need in function.needs})
        except (InputError, ModelError):  # of rows that no list may have
            self._refused.add(position)
            return False
        for name, value in given.items():
            varies = isinstance(value, np.ndarray) and value.size > 1
            self.values[name], self.along[name] = value, own if varies else frozenset()
        return True

    def _laid_out(self, name: str, axes: Axes) -> Any:
        """Return a table along more axes."""
        value, own = self.values[name], self.along[name]
        if own == axes or not own:
            return value
        if (own, axes) not in self._between:
            every = np.arange(self.size(axes), dtype=np.int64)
            rows: list[np.ndarray] = [every] * len(self.product.axes)
            for place in sorted(axes, reverse=True):
                every, rows[place] = np.divmod(every, len(self.product.axes[place]))
            self._between[own, axes] = self.codes(own, rows)
        return value.take(self._between[own, axes])
