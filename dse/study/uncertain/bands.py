"""Bands: by how much a quantity may differ as its inputs are not sure, which a model computes for each design.

A function says by `band` which two quantities are the least and the greatest factor. Designs of an alternative share
one interval, the smallest that holds those of all its designs: where alternatives are parts by the number of nodes, it
is that of one number of nodes.
"""

from __future__ import annotations

from math import prod

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import call

__all__ = ["bands_of"]

_LEAST = -0.6
"""Beside an error of a model of a third or so a deviation may not reach further down, or nothing would be left."""


def bands_of(problem: Problem, name: str) -> dict[str, tuple[float, float]]:
    """Return the ends of the deviation of a quantity by alternative, as shares; empty where none has a band.

    Parameters
    ----------
    problem : Problem
    name : str
        The quantity; a function that gives it says by `band` what its factors are.
    """
    bands: dict[str, tuple[float, float]] = {}
    for index, (product, system) in enumerate(zip(problem.space.products, problem.systems, strict=True)):
        function = system.graph.providers.get(name)
        if function is None or not function.band:
            continue
        ends = _factors(problem, index, function.band)
        low, high = (float(pick(end)) - 1.0 for pick, end in zip((np.min, np.max), ends, strict=True))
        if low < 0.0 or high > 0.0:
            bands[product.name] = (max(_LEAST, min(0.0, low)), max(0.0, high))
    return bands


def _factors(problem: Problem, index: int, names: tuple[str, ...]) -> list[np.ndarray]:
    """Return some quantities of a product over the axes that they depend on; the others are at their first rows."""
    product, system, structure = problem.space.products[index], problem.systems[index], problem.structure(index)
    own = sorted(frozenset().union(*(structure.axes.get(name, frozenset()) for name in names)))
    count = prod(len(product.axes[axis]) for axis in own)
    grid = np.unravel_index(np.arange(count), [len(product.axes[axis]) for axis in own]) if own else ()
    rows = [np.zeros(count, dtype=np.int64) for _ in product.axes]
    for axis, chosen in zip(own, grid, strict=True):
        rows[axis] = chosen
    values = flat_inputs(system.graph, product, system.assumptions, rows)
    below = system.graph.below(names)
    with np.errstate(all="ignore"):
        for function in system.graph.functions:
            if not below.isdisjoint(function.gives):
                values.update(call(function, values))
    return [np.asarray(values[name]) for name in names]
