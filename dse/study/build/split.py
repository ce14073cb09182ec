"""Parts of alternatives: each taken apart by the values of quantities that rows of one axis decide.

The number of nodes comes out of a shape with thousands of rows. Within a part it is one number, so that what depends
on it and on the node depends on no shape. The parts are a union of products, as alternatives are: their designs are
those of the whole, in the order of the alternatives, values rising.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product as every_combination
from math import prod

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.library.library import Model
from dse.errors import InputError
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import Graph
from dse.space.axes import Axis
from dse.space.design_space import Product
from dse.study.build.alternatives import LARGEST, Alternative
from dse.study.file.schema import AxisSpec

__all__ = ["part_axes", "parts_of", "split_values", "values_without_rows", "without_outputs"]

_KEPT: dict[tuple[int, frozenset[str]], tuple[ModelFunction, ModelFunction]] = {}


def split_values(name: str, product: Product, graph: Graph, assumptions: Mapping[str, float]) -> tuple[str, np.ndarray]:
    """Return the axis that decides a quantity, and its value in each row; no axis where it is one number.

    Raises
    ------
    InputError
        It depends on several axes.
    """
    axes = [axis for axis in product.axes if not graph.inputs.keys().isdisjoint(axis.columns)]
    if not axes:
        return "", np.zeros(0)
    if len(axes) > 1:
        raise InputError(
            f"'{name}' depends on the axes {', '.join(axis.name for axis in axes)}",
            allowed="a column of one axis, or what follows from one",
        )
    length = len(axes[0])
    rows = [np.arange(length) if axis is axes[0] else np.zeros(length, dtype=np.int64) for axis in product.axes]
    with np.errstate(all="ignore"):
        values = graph.evaluate(flat_inputs(graph, product, assumptions, rows))[name]
    return axes[0].name, np.broadcast_to(np.asarray(values, dtype=float), (length,))


def parts_of(alternative: Alternative, decided: Mapping[str, tuple[str, np.ndarray]]) -> Iterator[Alternative]:
    """Yield the parts of an alternative.

    Parameters
    ----------
    alternative : Alternative
    decided : mapping of str to (str, ndarray)
        By quantity, its axis and its value in each row of that.
    """
    known = {name: pair for name, pair in decided.items() if pair[0]}
    levels = [np.unique(values).tolist() for _, values in known.values()]
    if prod(len(level) for level in levels) > LARGEST:
        raise InputError(
            f"'{alternative.name or 'the space'}' has {prod(map(len, levels))} parts",
            key="space.split",
            allowed=f"at most {LARGEST}",
        )
    for chosen in every_combination(*levels):
        rows: dict[str, np.ndarray] = {}
        for (axis, values), value in zip(known.values(), chosen, strict=True):
            rows[axis] = rows.get(axis, np.ones(len(values), dtype=bool)) & (values == value)
        if not all(kept.any() for kept in rows.values()):
            continue
        values_text = " ".join(f"{name} {value:.12g}" for name, value in zip(known, chosen, strict=True))
        yield replace(
            alternative,
            name=" ".join(filter(None, (alternative.name, values_text))),
            whole=alternative.name,
            split=dict(zip(known, chosen, strict=True)),
            rows={axis: tuple(np.flatnonzero(kept).tolist()) for axis, kept in rows.items()},
        )


def part_axes(axes: Mapping[str, Axis], part: Alternative) -> dict[str, Axis]:
    """Return the axes of a part: fewer rows, and no column that is one number there."""
    own_axes = {}
    for name, axis in axes.items():
        if name in part.rows:
            axis = axis.with_rows(part.rows[name])
            kept = [column for column in axis.columns if column not in part.split]
            if kept and len(kept) < len(axis.columns):
                columns = {column: axis.columns[column] for column in kept}
                axis = replace(axis, columns=columns, units={column: axis.units[column] for column in kept})
        own_axes[name] = axis
    return own_axes


def values_without_rows(name: str, specs: Sequence[AxisSpec], present: Sequence[float]) -> int:
    """Return how many of the values that enumerations are asked for have no row."""
    asked: set[float] = set()
    for spec in specs:
        given = spec.given.get(name)
        if isinstance(given, dict) and isinstance(given.get("values"), list):
            asked.update(float(value) for value in given["values"])
        if isinstance(given, dict) and isinstance(given.get("powers_of_two"), list):
            low, high = given["powers_of_two"]
            asked.update(2.0**power for power in range(int(high).bit_length()) if low <= 2**power <= high)
    return len(asked - set(present))


def without_outputs(models: Sequence[Model], names: frozenset[str]) -> tuple[Model, ...]:
    """Return models whose functions do not give some quantities, which a part has as numbers."""
    return _all_without(tuple(models), names) if names else tuple(models)


@lru_cache(maxsize=8)
def _all_without(models: tuple[Model, ...], names: frozenset[str]) -> tuple[Model, ...]:
    return tuple(replace(model, functions=tuple(_without(model.functions, names))) for model in models)


def _without(functions: Sequence[ModelFunction], names: frozenset[str]) -> Iterator[ModelFunction]:
    for function in functions:
        if names.isdisjoint(function.gives):
            yield function
        elif not names.issuperset(function.gives):
            key = id(function), names
            held = _KEPT.get(key)
            if held is None or held[0] is not function:
                held = _KEPT[key] = function, _reduced(function, names)
            yield held[1]


def _reduced(function: ModelFunction, names: frozenset[str]) -> ModelFunction:
    places = [place for place, name in enumerate(function.gives) if name not in names]
    whole = function.function

    def call(*given: object) -> object:
        results = whole(*given)
        return results[places[0]] if len(places) == 1 else tuple(results[place] for place in places)

    gives = {name: unit for name, unit in function.gives.items() if name not in names}
    return replace(function, function=call, gives=gives)
