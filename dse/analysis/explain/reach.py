"""How far objectives of designs reach as models are not sure of them: bands of laws, and published errors beside them.

A function says by `band` which quantities are the least and the greatest factor of what it gives, and by `error` what
was published of it. Both ends of that factor go through all that comes after the function; nothing else is varied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, RelativeError
from dse.graph.graph import call

if TYPE_CHECKING:
    from dse.graph.graph import Graph

__all__ = ["Reach", "reach_of"]


class Reach(NamedTuple):
    """The ends of objectives at some designs, (n, d) arrays each: by bands alone, and with published errors."""

    band_low: np.ndarray
    band_high: np.ndarray
    low: np.ndarray
    high: np.ndarray


def reach_of(graph: Graph, values: Mapping[str, Any], names: Sequence[str], count: int) -> Reach:
    """Return how far objectives reach; ends are the values themselves where no function has a band.

    Parameters
    ----------
    graph : Graph
    values : mapping of str to ndarray
        Every quantity of `count` designs, as `Problem.quantities` gives them.
    names : sequence of str
        The objectives.
    count : int
    """
    banded = [function for function in graph.functions if function.band]
    factors = [
        {name: _factor(function, values, end, published) for function in banded for name in function.gives}
        for published in (False, True)
        for end in (0, 1)
    ]
    ends = [_objectives(graph, values, names, count, own) for own in factors]
    at_value = _objectives(graph, values, names, count, {})
    lows = [np.minimum(at_value, np.minimum(ends[place], ends[place + 1])) for place in (0, 2)]
    highs = [np.maximum(at_value, np.maximum(ends[place], ends[place + 1])) for place in (0, 2)]
    return Reach(lows[0], highs[0], lows[1], highs[1])


def _factor(function: ModelFunction, values: Mapping[str, Any], end: int, published: bool) -> np.ndarray:
    factor = np.asarray(values[function.band[end]], dtype=float)
    if published and isinstance(function.error, RelativeError):
        factor = factor * (1.0 + (-1.0, 1.0)[end] * function.error.mean)
    return factor


def _objectives(
    graph: Graph,
    values: Mapping[str, Any],
    names: Sequence[str],
    count: int,
    factors: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Return the objectives where some quantities have a factor."""
    there, changed = dict(values), set[str]()
    with np.errstate(all="ignore"):
        for function in graph.functions:
            if not changed.isdisjoint(function.needs):
                results = call(function, there)
                there.update(results)
                changed.update(results)
            for name in factors.keys() & function.gives.keys():
                there[name] = there[name] * factors[name]
                changed.add(name)
    columns = [np.broadcast_to(np.asarray(there[name], dtype=float).reshape(-1), count) for name in names]
    return np.stack(columns, axis=1)
