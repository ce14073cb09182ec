"""The probe run: the whole graph once on a tiny corner of the space, to see which axes each quantity depends on.

Every axis is cut to its first and its last row; what a quantity depends on is then read off the shape of its array.
The same run counts operations, notes transcendental functions, and finds functions that break the shape contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dse.authoring.declaration import ModelFunction
from dse.authoring.table import Table
from dse.errors import ModelError
from dse.graph.graph import Graph, call
from dse.space.product import Product

__all__ = ["Structure", "as_grid", "axis_grids", "probe"]

_T = TypeVar("_T")
_TOGETHER = 8
EXACT = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "negative",
        "positive",
        "absolute",
        "minimum",
        "maximum",
        "sqrt",
        "square",
        "reciprocal",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "bitwise_and",
        "bitwise_or",
        "invert",
        "clip",
        "isnan",
        "isfinite",
        "fabs",
        "fmin",
        "fmax",
        "floor_divide",
        "remainder",
        "sign",
    ]
)


@dataclass(frozen=True, eq=False)
class Structure:
    """What the probe run learnt, by position of the function in the graph.

    Attributes
    ----------
    axes : dict of str to frozenset of int
        The axes each quantity depends on.
    operations : tuple of int
        Array operations in one call of each function.
    inexact : tuple of frozenset of str
        The operations of each function whose last bit may depend on where an element stands in memory.
    """

    axes: Mapping[str, frozenset[int]]
    operations: tuple[int, ...]
    inexact: tuple[frozenset[str], ...]


class _Recorder(np.ndarray):
    """An array that notes every ufunc it meets."""

    calls: list[str]

    def __array_finalize__(self, other: object) -> None:
        self.calls = getattr(other, "calls", [])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: Any) -> object:
        calls = next((x.calls for x in inputs if isinstance(x, _Recorder)), [])
        calls.append(ufunc.__name__)
        plain = [_plain(x) for x in inputs]
        if "out" in kwargs:  # x += y on an array of the function's own
            kwargs["out"] = tuple(_plain(x) for x in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        if isinstance(result, np.ndarray):
            return _recorded(result, calls)
        return result


def axis_grids(product: Product, rows: Mapping[int, np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """Return every column of every axis as an array with one dimension per axis, length 1 where it does not vary."""
    grids: dict[str, np.ndarray] = {}
    dimensions = max(1, len(product.axes))
    for position, axis in enumerate(product.axes):
        shape = [1] * dimensions
        for name, values in axis.columns.items():
            chosen = values if rows is None else values[rows[position]]
            shape[position] = len(chosen)
            grids[name] = chosen.reshape(shape)
    return grids


Given = np.ndarray | Table
"""What a function gets in a loop over designs: an array, or a table as it is."""


def fixed_grids(product: Product, graph: Graph, assumptions: Mapping[str, float]) -> dict[str, Given]:
    """Return constants as arrays of shape (1, …, 1) and tables as they are."""
    dimensions = max(1, len(product.axes))
    values: dict[str, Given] = dict(product.tables)
    for name, value in {**assumptions, **product.fixed}.items():
        kind = object if isinstance(value, str) else float
        values[name] = np.full((1,) * dimensions, value, dtype=kind)
    return values


def as_grid(value: object, dimensions: int) -> np.ndarray:
    """Give a result one dimension per axis."""
    array = np.asarray(value)
    if array.ndim < dimensions:
        array = array.reshape((1,) * (dimensions - array.ndim) + array.shape)
    return array


def probe(graph: Graph, product: Product, assumptions: Mapping[str, float]) -> Structure:
    """Run the graph on the first and last rows of the axes, a few axes at a time.

    Raises
    ------
    ModelError
        A function whose result has a shape its arguments do not broadcast to.
    """
    dimensions = max(1, len(product.axes))
    varying = [position for position, axis in enumerate(product.axes) if len(axis) > 1]
    own_axes: dict[str, set[int]] = {}
    operations = [0] * len(graph.functions)
    inexact: list[set[str]] = [set() for _ in graph.functions]
    groups = [varying[start : start + _TOGETHER] for start in range(0, len(varying), _TOGETHER)] or [[]]
    constants = fixed_grids(product, graph, assumptions)
    for group in groups:
        rows = {
            position: np.array([0, len(axis) - 1]) if position in group else np.array([0])
            for position, axis in enumerate(product.axes)
        }
        values: dict[str, Given] = {**constants, **axis_grids(product, rows)}
        for name in graph.inputs:
            given = values[name]
            if isinstance(given, np.ndarray):
                own_axes.setdefault(name, set()).update(_longer(given))
        with np.errstate(all="ignore"):
            for position, function in enumerate(graph.functions):
                calls: list[str] = []
                recorded = {need: _locked(_recorded(values[need], calls)) for need in function.needs}
                allowed = set().union(*(own_axes.get(need, set()) for need in function.needs)) & set(group)
                for name, result in call(function, recorded).items():
                    array = _plain(as_grid(result, dimensions))
                    shape = np.shape(array)
                    wrong = len(shape) != dimensions or any(
                        length != (2 if axis in allowed else 1) and length != 1 for axis, length in enumerate(shape)
                    )
                    if wrong:
                        raise ModelError(
                            f"{function.label} gives '{name}' of shape {shape}: a result must have the broadcast "
                            "shape of the arguments it depends on"
                        )
                    if array.dtype.kind not in ("OU" if function.gives[name] == "text" else "fiub"):
                        wanted = function.gives[name]
                        raise ModelError(f"{function.label} gives '{name}' as {array.dtype}, not as '{wanted}'")
                    own_axes.setdefault(name, set()).update(_longer(array))
                    values[name] = array
                _refuse_mixing(function, values)
                operations[position] = max(operations[position], len(calls), 1)
                inexact[position].update(name for name in calls if name not in EXACT)
    axes = {name: frozenset(own) for name, own in own_axes.items()}
    return Structure(axes, tuple(operations), tuple(frozenset(names) for names in inexact))


def _refuse_mixing(function: ModelFunction, values: Mapping[str, Given]) -> None:
    """Refuse a function whose value of one design depends on the others: a sum, a maximum or a sort over designs."""
    for end in (slice(0, 1), slice(-1, None)):
        alone = {need: _corner(values[need], end) for need in function.needs}
        for name, result in call(function, alone).items():
            by_itself, many = np.asarray(result).reshape(-1), np.asarray(_corner(values[name], end)).reshape(-1)
            if many.dtype.kind == "f" and not np.allclose(by_itself, many, rtol=1e-9, atol=0.0, equal_nan=True):
                raise ModelError(
                    f"{function.label} gives '{name}' = {many[0]:g} among other designs and {by_itself[0]:g} alone: "
                    "it mixes designs (sum, max, mean or a sort over an array is not allowed)"
                )


def _corner(value: Given, end: slice) -> Given:
    return value[(end,) * value.ndim] if isinstance(value, np.ndarray) else value


def _longer(array: np.ndarray) -> set[int]:
    return {axis for axis, length in enumerate(array.shape) if length > 1}


def _recorded(value: Given, calls: list[str]) -> Given:
    if not isinstance(value, np.ndarray) or value.dtype == object:
        return value
    view = value.view(_Recorder)
    view.calls = calls
    return view


def _locked(value: Given) -> Given:
    """Return an argument that cannot be written to: a function that changes its arguments fails in the probe run."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _plain(value: _T) -> _T | np.ndarray:
    return value.view(np.ndarray) if isinstance(value, _Recorder) else value
