"""The probe run: the whole graph once on a tiny corner of the space, to see which axes each quantity depends on.

Every axis is cut to its first, its last and one random row; what a quantity depends on is then read off the shape of
its array. The same run counts operations, notes transcendental functions and integers, and finds functions
that break the contract: a shape of their own, designs that are mixed, values that differ from call to call. For that
each function is called on the grid, on single designs of it, on the grid in another order, and on a list of designs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.table import Table
from dse.errors import ModelError
from dse.graph.graph import Graph, call
from dse.space.design_space import Product

__all__ = ["Structure", "as_grid", "axis_grids", "probe"]

_T = TypeVar("_T")
_TOGETHER = 8
_SEED = 0
_LISTED = 32
_LOOSE = 1e-12
"""How far two calls may lie apart, relatively, where an operation may depend on the place of an element in memory."""
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
    integers : frozenset of int
        The functions that compute with integers, which overflow in silence: ranges and signs know nothing of that.
    """

    axes: Mapping[str, frozenset[int]]
    operations: tuple[int, ...]
    inexact: tuple[frozenset[str], ...]
    integers: frozenset[int] = frozenset()


class _Notes:
    """What one function did with its arguments.

    Attributes
    ----------
    calls : list of str
        The ufuncs met in an unbroken line from an argument: what the cost of the function is estimated from.
    names : set of str
        Every ufunc met, behind `np.where` and the like too.
    integers : bool
        Whether an integer came out of a ufunc or a cast.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.names: set[str] = set()
        self.integers = False

    @property
    def inexact(self) -> frozenset[str]:
        """The operations that may depend on the place of an element."""
        return frozenset(self.names - EXACT)


class _Recorder(np.ndarray):
    """An array that notes every ufunc it meets."""

    notes: _Notes
    direct: bool

    def __array_finalize__(self, other: object) -> None:
        self.notes = getattr(other, "notes", None) or _Notes()
        self.direct = getattr(other, "direct", True)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: Any) -> object:
        recorders = [x for x in inputs if isinstance(x, _Recorder)]
        notes = recorders[0].notes if recorders else self.notes
        direct = any(x.direct for x in recorders)
        notes.names.add(ufunc.__name__)
        if direct:
            notes.calls.append(ufunc.__name__)
        plain = [_plain(x) for x in inputs]
        if "out" in kwargs:  # x += y on an array of the function's own
            kwargs["out"] = tuple(_plain(x) for x in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        notes.integers = notes.integers or _is_integer(result)
        return _recorded(result, notes, direct)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> np.ndarray:
        """Follow the values through np.where, np.interp and others, which return plain arrays."""
        if function is np.interp:
            _refuse_unsorted(*args, **kwargs)
        result = super().__array_function__(function, types, args, kwargs)
        return result if isinstance(result, _Recorder) else _recorded(result, self.notes, direct=False)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        """Cast, and note a cast to integers."""
        result = _plain(self).astype(dtype, *args, **kwargs)
        self.notes.integers = self.notes.integers or _is_integer(result)
        values: np.ndarray = _recorded(result, self.notes, self.direct)
        return values


def _is_integer(result: object) -> bool:
    return isinstance(result, (np.ndarray, np.generic)) and result.dtype.kind in "iu"


def _refuse_unsorted(x: object, xp: object, fp: object = None, *args: object, **kwargs: object) -> None:
    """Refuse knots of `np.interp` that do not rise: it answers nonsense without a word."""
    knots = np.asarray(xp, dtype=float)
    if not (np.diff(knots) >= 0).all():
        msg = f"np.interp needs knots that rise; they are {np.array2string(knots, threshold=8)}"
        raise ValueError(msg)


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


Checked = tuple[int, tuple[tuple[int, ...], ...]]
"""The identity of a function, and along which axes each of its arguments varies; axes are numbered as they come."""


def probe(
    graph: Graph, product: Product, assumptions: Mapping[str, float], checked: set[Checked] | None = None
) -> Structure:
    """Run the graph on three rows of each axis, a few axes at a time.

    Parameters
    ----------
    graph : Graph
    product : Product
    assumptions : dict of str to float
    checked : set, optional
        What other products have shown not to mix designs: it is not tried again where the same arguments vary in the
        same way. What is shown here is added.

    Raises
    ------
    ModelError
        A function whose result has a shape its arguments do not broadcast to, or that mixes designs.
    """
    dimensions = max(1, len(product.axes))
    varying = [position for position, axis in enumerate(product.axes) if len(axis) > 1]
    own_axes: dict[str, set[int]] = {}
    operations = [0] * len(graph.functions)
    inexact: list[set[str]] = [set() for _ in graph.functions]
    integers: set[int] = set()
    groups = [varying[start : start + _TOGETHER] for start in range(0, len(varying), _TOGETHER)] or [[]]
    constants = fixed_grids(product, graph, assumptions)
    rng = np.random.default_rng(_SEED)
    for number, group in enumerate(groups):
        rows = {
            position: _probed(len(axis), rng) if position in group else np.array([0])
            for position, axis in enumerate(product.axes)
        }
        orders = {axis: _another_order(len(rows[axis]), rng) for axis in group}
        values: dict[str, Given] = {**constants, **axis_grids(product, rows)}
        for name in graph.inputs:
            given = values[name]
            if isinstance(given, np.ndarray):
                own_axes.setdefault(name, set()).update(_longer(given))
        with np.errstate(all="ignore"):
            for position, function in enumerate(graph.functions):
                notes = _Notes()
                recorded = {need: _locked(_recorded(values[need], notes)) for need in function.needs}
                allowed = set().union(*(own_axes.get(need, set()) for need in function.needs)) & set(group)
                followed = True
                for name, result in call(function, recorded).items():
                    followed = followed and isinstance(result, _Recorder)
                    array = _plain(as_grid(result, dimensions))
                    shape = np.shape(array)
                    wrong = len(shape) != dimensions or any(
                        length != (len(rows[axis]) if axis in allowed else 1) and length != 1
                        for axis, length in enumerate(shape)
                    )
                    if wrong:
                        raise ModelError(
                            f"{function.label} gives '{name}' of shape {shape}: a result must have the broadcast "
                            "shape of the arguments it depends on"
                        )
                    if function.gives[name] == "text" and array.dtype.kind not in "OU":
                        raise ModelError(f"{function.label} gives '{name}' as {array.dtype}, not as 'text'")
                    own_axes.setdefault(name, set()).update(_longer(array))
                    values[name] = array
                if allowed or number == 0:
                    exact = followed and not notes.inexact
                    shown = id(function), _varying([values[need] for need in function.needs], bool(allowed))
                    if checked is None or shown not in checked:
                        _refuse_mixing(function, values, orders if allowed else {}, 0.0 if exact else _LOOSE, rng)
                        if checked is not None:
                            checked.add(shown)
                operations[position] = max(operations[position], len(notes.calls), 1)
                inexact[position].update(notes.inexact)
                if notes.integers:
                    integers.add(position)
    axes = {name: frozenset(own) for name, own in own_axes.items()}
    return Structure(axes, tuple(operations), tuple(frozenset(names) for names in inexact), frozenset(integers))


def _varying(arguments: Sequence[Given], axes: bool) -> tuple[tuple[int, ...], ...]:
    """Return along which axes each argument varies; axes are numbered in the order in which they come."""
    numbers: dict[int, int] = {}
    along = [sorted(_longer(argument)) if isinstance(argument, np.ndarray) else [] for argument in arguments]
    places = [tuple(numbers.setdefault(axis, len(numbers)) for axis in own) for own in along]
    return (*places, (int(axes),))


def _probed(length: int, rng: np.random.Generator) -> np.ndarray:
    """Return the first, a random and the last row of an axis, as far as there are so many."""
    inner = [int(rng.integers(1, length - 1))] if length > 2 else []
    return np.array([0, *inner, length - 1])


def _another_order(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return a random order in which no row of the probe stays at its place."""
    return np.roll(np.arange(count), int(rng.integers(1, count)))


def _refuse_mixing(
    function: ModelFunction,
    values: Mapping[str, Given],
    orders: Mapping[int, np.ndarray],
    tolerance: float,
    rng: np.random.Generator,
) -> None:
    """Refuse a function whose value of one design depends on the others or on their order, or is another each time."""
    arrays = [values[name] for name in (*function.needs, *function.gives)]
    shapes = [array.shape for array in arrays if isinstance(array, np.ndarray)]
    shape = tuple(map(max, zip(*shapes, strict=True)))  # np.broadcast_shapes knows 32 axes at most
    ends = [tuple(0 for _ in shape), tuple(length - 1 for length in shape)]
    flat = tuple(rng.integers(length, size=_LISTED) for length in shape)
    places = [*ends, tuple(int(rows[0]) for rows in flat)] if orders else ends[:1]
    for place in places:
        alone = call(function, {need: _at(values[need], place) for need in function.needs})
        for name, result in alone.items():
            _refuse_unequal(function, name, _at(values[name], place), result, tolerance, "alone")
    if orders:
        shuffled = call(function, {need: _in_order(values[need], orders) for need in function.needs})
        for name, result in shuffled.items():
            _refuse_unequal(function, name, _in_order(values[name], orders), result, tolerance, "in another order")
        listed = call(function, {need: _listed(values[need], flat) for need in function.needs})
        for name, result in listed.items():
            _refuse_unequal(function, name, _listed(values[name], flat), result, tolerance, "in a list of designs")


def _refuse_unequal(
    function: ModelFunction, name: str, wanted: Given, given: Given, tolerance: float, how: str
) -> None:
    many, other = np.asarray(wanted), _plain(np.asarray(given))
    other = other.reshape(many.shape) if other.size == many.size else np.broadcast_to(other, many.shape)
    equal = np.asarray(many == other)
    if many.dtype.kind == "f" and other.dtype.kind == "f":
        close = np.abs(many - other) <= tolerance * np.abs(many)
        equal = equal | close | (np.isnan(many) & np.isnan(other))
    if equal.all():
        return
    first = np.flatnonzero(~equal.reshape(-1))[0]
    among, apart = many.reshape(-1)[first], other.reshape(-1)[first]
    written = [f"{float(result):.17g}" if many.dtype.kind == "f" else repr(result) for result in (among, apart)]
    raise ModelError(
        f"{function.label} gives '{name}' = {written[0]} among other designs and {written[1]} {how}: "
        "it mixes designs (sum, max, mean, a running maximum or a sort over an array is not allowed) "
        "or is another at every call"
    )


def _at(value: Given, place: tuple[int, ...]) -> Given:
    """Return one design of an array."""
    if not isinstance(value, np.ndarray):
        return value
    rows = zip(place, value.shape, strict=True)
    return value[tuple(slice(row, row + 1) if length > 1 else slice(0, 1) for row, length in rows)]


def _listed(value: Given, rows: tuple[np.ndarray, ...]) -> Given:
    """Return a list of designs of an array, one entry where it does not vary."""
    if not isinstance(value, np.ndarray):
        return value
    if value.size == 1:
        return value.reshape(-1)
    result: Given = value[tuple(row if length > 1 else 0 for row, length in zip(rows, value.shape, strict=True))]
    return result


def _in_order(value: Given, orders: Mapping[int, np.ndarray]) -> Given:
    """Return an array with its designs in another order along every axis."""
    if not isinstance(value, np.ndarray):
        return value
    for axis, order in orders.items():
        if value.shape[axis] > 1:
            value = value.take(order, axis=axis)
    return value


def _longer(array: np.ndarray) -> set[int]:
    return {axis for axis, length in enumerate(array.shape) if length > 1}


def _recorded(value: object, notes: _Notes, direct: bool = True) -> Any:
    """Return an array of numbers as one that notes what it meets, everything else as it is."""
    if not isinstance(value, np.ndarray) or value.dtype == object:
        return value
    view = value.view(_Recorder)
    view.notes, view.direct = notes, direct
    return view


def _locked(value: Given) -> Given:
    """Return an argument that cannot be written to: a function that changes its arguments fails in the probe run."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _plain(value: _T) -> _T | np.ndarray:
    return value.view(np.ndarray) if isinstance(value, _Recorder) else value
