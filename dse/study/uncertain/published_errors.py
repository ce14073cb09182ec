"""What the models of a study, and the files they read, publish of their own errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.authoring.declare.declaration import RelativeError
from dse.authoring.declare.error_over import ErrorOver
from dse.errors import InputError
from dse.evaluation.problem import Problem, System
from dse.space.design_space import Product

__all__ = ["AlongAxis", "PublishedError", "published_error"]


@dataclass(frozen=True)
class AlongAxis:
    """Errors of a quantity by the rows of an axis.

    Attributes
    ----------
    axis : str
    rows : dict of str to (float, float)
        Ends of the deviation by the label of the row.
    of : str
    """

    axis: str
    rows: dict[str, tuple[float, float]]
    of: str


@dataclass(frozen=True)
class PublishedError:
    """What is published of a quantity.

    Attributes
    ----------
    widest : RelativeError
        The largest of all alternatives, and of all their designs.
    along : tuple of AlongAxis
        Where every alternative has its own error at each row of an axis; else empty.
    """

    widest: RelativeError
    along: tuple[AlongAxis, ...] = ()


def published_error(problem: Problem, name: str) -> PublishedError:
    """Return the published error of what gives a quantity.

    That of a file which the function reads stands before that of the function: it is of the very numbers.

    Raises
    ------
    InputError
        Nothing is published.
    """
    widest: list[RelativeError] = []
    along: dict[str, AlongAxis] = {}
    everywhere = True
    for product, system in zip(problem.space.products, problem.systems, strict=True):
        source = _handed_on(system, name)
        function = system.graph.providers.get(source)
        if function is None:
            everywhere = everywhere and name not in system.graph.units
            continue
        read = [product.tables[need] for need in function.needs if need in product.tables]
        given = {need: _given(product, system, need) for need in function.needs if need not in product.tables}
        error: object = next((e for e in (_of_file(file, given) for file in read) if e), function.error)
        own = error.get(source) if isinstance(error, Mapping) else error
        rows = _along(product, own) if isinstance(own, ErrorOver) else None
        everywhere = everywhere and rows is not None
        if rows is not None:
            before = along.get(rows.axis, rows)
            along[rows.axis] = AlongAxis(rows.axis, _joined(before.rows, rows.rows), rows.of)
        if isinstance(own, RelativeError | ErrorOver):
            widest.append(own.widest if isinstance(own, ErrorOver) else own)
    if not widest:
        having = sorted(
            quantity
            for system in problem.systems
            for quantity, function in system.graph.providers.items()
            if isinstance(function.error, RelativeError) or quantity in (function.error or {})
        )
        raise InputError(
            f"no model publishes an error of '{name}'", key="error", allowed=f'a share, such as "8 %"{_having(having)}'
        )
    return PublishedError(max(widest, key=lambda error: error.mean), tuple(along.values()) if everywhere else ())


def _handed_on(system: System, name: str) -> str:
    """Return the quantity that a choice hands on under another name, such as the bandwidth of the pattern of a machine.

    What a function states itself stands; one of a slot that states nothing and reads one quantity of its unit chooses.
    """
    providers, units = system.graph.providers, system.graph.units
    seen = {name}
    here = name
    while (function := providers.get(here)) is not None and function.slot and not function.error:
        if len(function.needs) != 1:
            return name
        (need,) = function.needs
        if need in seen or units.get(need) != units.get(here):
            return name
        seen.add(need)
        here = need
    return here if function is not None and function.error else name


def _given(product: Product, system: System, name: str) -> np.ndarray | None:
    """Return all values that an alternative sets, assumes or varies an input over; None of what is computed."""
    for axis in product.axes:
        if name in axis.columns:
            return np.unique(axis.columns[name])
    value = product.fixed.get(name, system.assumptions.get(name))
    return None if value is None else np.array([value])


def _of_file(
    document: object, given: Mapping[str, np.ndarray | None]
) -> Mapping[str, RelativeError] | Mapping[str, ErrorOver] | None:
    """Return the errors that a file publishes of quantities: `errors`, or where they depend on inputs `errors_over`."""
    over = getattr(document, "errors_over", None)
    return getattr(document, "errors", None) if over is None else over(given)


def _along(product: Product, error: ErrorOver) -> AlongAxis | None:
    """Return an error by the rows of the axis that varies its input; None where no axis does."""
    for axis in product.axes:
        if error.input in axis.columns:
            values = axis.columns[error.input]
            rows: dict[str, tuple[float, float]] = {}
            for row in range(len(axis)):
                rows = _joined(rows, {axis.label(row): error.deviations.get(float(values[row]), (0.0, 0.0))})
            return AlongAxis(axis.name, rows, error.of)
    return None


def _joined(
    first: Mapping[str, tuple[float, float]], others: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return intervals by label; of labels in both the smallest that holds the two."""
    joined = dict(first)
    for label, (low, high) in others.items():
        before = joined.get(label, (low, high))
        joined[label] = (min(before[0], low), max(before[1], high))
    return joined


def _having(names: Sequence[str]) -> str:
    return f"; published are errors of {', '.join(dict.fromkeys(names))}" if names else ""
