"""References: systems that stand beside the designs of a space, to compare with.

They are evaluated by the graph of the study like any design, but are no part of the space: nothing counts them, no
search meets them, and a constraint they break is told, not obeyed. A catalogue of them may have empty cells. What
depends on an empty cell is not known of that system, and is said with the reason; no default takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from dse.errors import InputError
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import call
from dse.space.axes import values_axis
from dse.space.design_space import Space
from dse.units import TEXT

if TYPE_CHECKING:
    from dse.evaluation.probe import Given
    from dse.evaluation.problem import Constraint, System
    from dse.space.design_space import Product

__all__ = ["Measured", "ReferenceGroup", "ReferenceSystem", "evaluate_references"]


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured figures of a quantity, SI, by row of one of the axes; NaN where there is none."""

    column: str
    axis: int
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class ReferenceGroup:
    """The systems that one table ``[references.NAME]`` of a study describes.

    Attributes
    ----------
    name, description : str
    product : Product
        The systems, as every combination of its axes.
    system : System
        The graph that evaluates them.
    labels : tuple of str
        What each is called; no two references of a study have the same label.
    measured : dict of str to Measured
        By quantity.
    missing : dict of str to str
        Objectives, shown quantities and constraints that the graph cannot give for any of them, and why.
    shared : tuple of str
        Axes of the space that are quantities of these systems too.
    """

    name: str
    description: str
    product: Product
    system: System
    labels: tuple[str, ...]
    measured: Mapping[str, Measured]
    missing: Mapping[str, str]
    shared: tuple[str, ...] = ()


class MeasuredFigure(TypedDict):
    """A measured figure of one system: its value in SI, the column it stands in, and its source."""

    value: float
    column: str
    source: str


"""A reference as plain values, as `ReferenceSystem.record` gives it and a run keeps it."""


@dataclass(frozen=True, eq=False)
class ReferenceSystem:
    """One reference, evaluated.

    Attributes
    ----------
    name : str
        Its label.
    group : ReferenceGroup
    number : int
        Its place in the product of the group.
    parameters : dict of str to str
        As a person writes them.
    arrays : dict of str to ndarray
        Every input and quantity that is known, as arrays of one entry, and tables.
    values : dict of str to float or str
        The same without tables, SI, finite.
    lacking : dict of str to str
        Quantities that are not known, and why. Constraints stand under their text.
    measured : dict of str to dict
        By quantity: ``value`` (SI), ``column`` and ``source``.
    constraints : dict of str to bool or None
        By text: whether it is met, None where that is not known.
    extrapolated : list of str
        Quantities outside the range a model was validated on.
    synthetic : list of str
        Catalogues and tables behind it whose figures are marked synthetic.
    source : str
        Where the rows of its parts come from.
    """

    name: str
    group: ReferenceGroup
    number: int
    parameters: dict[str, str]
    arrays: dict[str, Given]
    values: dict[str, float | str]
    lacking: dict[str, str]
    measured: dict[str, MeasuredFigure]
    constraints: dict[str, bool | None]
    extrapolated: list[str]
    synthetic: list[str]
    source: str

    @property
    def feasible(self) -> bool | None:
        """Whether it meets every constraint, None where that is not known."""
        if False in self.constraints.values():
            return False
        return None if None in self.constraints.values() else True

    @property
    def validation(self) -> dict[str, str]:
        """How well the laws of its parts held for real machines, by part axis, where their catalogues say so."""
        return Space((self.group.product,)).validation(self.number)

    def figure(self, quantity: str) -> float | str | None:
        """Return the value of a quantity: computed, else measured, else None."""
        if quantity in self.values:
            return self.values[quantity]
        return self.measured[quantity]["value"] if quantity in self.measured else None

    def record(self, quantities: Iterable[str]) -> dict[str, Any]:
        """Return it as plain values, with those of the named quantities that are known, and why others are not."""
        names = list(dict.fromkeys(quantities))
        shown = [*names, *self.measured, *self.constraints]
        return {
            "name": self.name,
            "reference": self.group.name,
            "parameters": self.parameters,
            "values": {name: self.values[name] for name in names if name in self.values},
            "measured": self.measured,
            "lacking": {name: self.lacking[name] for name in dict.fromkeys(shown) if name in self.lacking},
            "constraints": [{"text": text, "met": met} for text, met in self.constraints.items()],
            "feasible": self.feasible,
            "extrapolated": self.extrapolated,
            "synthetic": self.synthetic,
            "source": self.source,
            **({"validation": self.validation} if self.validation else {}),
        }


def evaluate_references(
    groups: Iterable[ReferenceGroup], constraints: Sequence[Constraint]
) -> tuple[ReferenceSystem, ...]:
    """Evaluate all references.

    Parameters
    ----------
    groups : iterable of ReferenceGroup
    constraints : sequence of Constraint
        Those of the study; of a group that has not what one of them reads, it is not known whether it is met. What a
        model requires is told only where it can be computed.
    """
    return tuple(_evaluated(group, number, constraints) for group in groups for number in range(group.product.size))


def _evaluated(group: ReferenceGroup, number: int, constraints: Sequence[Constraint]) -> ReferenceSystem:
    product, system = group.product, group.system

    space = Space((product,))
    _, rows = space.rows_of(number)
    arrays, lacking = _arrays(product, system, rows)
    values: dict[str, float | str] = {}
    for name, array in arrays.items():
        if isinstance(array, np.ndarray):
            value = array.reshape(-1)[0]
            value = value.item() if isinstance(value, np.generic) else value
            if isinstance(value, float) and not np.isfinite(value):
                lacking[name] = f"it is {value}"
            else:
                values[name] = value
    known = {constraint.text: constraint.quantity for constraint in system.constraints}
    asked = [constraint for constraint in constraints if constraint.text in known or not constraint.required_by]
    met = {c.text: bool(values[known[c.text]]) if known.get(c.text) in values else None for c in asked}
    for text, quantity in ((constraint.text, constraint.quantity) for constraint in asked):
        if met[text] is None:
            lacking[text] = lacking.get(quantity) or group.missing[quantity]
    values = {name: value for name, value in values.items() if name not in known.values()}
    parameters = space.parameters(number)
    for name in group.shared:
        if name in values and name not in parameters:
            parameters[name] = _written(values[name], system.graph.units[name])
    parts = [(axis, row) for axis, row in zip(product.axes, rows, strict=True) if axis.is_part]
    tables = [table.name for name, table in product.tables.items() if table.synthetic and name in system.graph.inputs]
    return ReferenceSystem(
        group.labels[number],
        group,
        number,
        parameters,
        arrays,
        values,
        {name: why for name, why in {**group.missing, **lacking}.items() if not name.startswith("constraint_")},
        _measured(group, rows),
        met,
        system.graph.outside_validity(values, 1).of(0),
        list(dict.fromkeys([axis.source for axis, row in parts if any(axis.synthetic_rows[row : row + 1])] + tables)),
        "; ".join(dict.fromkeys(axis.sources[row] for axis, row in parts if axis.sources[row])),
    )


def _measured(group: ReferenceGroup, rows: Sequence[int]) -> dict[str, MeasuredFigure]:
    figures: dict[str, MeasuredFigure] = {}
    for name, measured in group.measured.items():
        row = rows[measured.axis]
        value, source = measured.values[row], group.product.axes[measured.axis].sources[row]
        if not np.isnan(value):
            figures[name] = {"value": float(value), "column": measured.column, "source": source}
    return figures


def _arrays(product: Product, system: System, rows: Sequence[int]) -> tuple[dict[str, Given], dict[str, str]]:
    """Return what is known of one system, and why the rest is not.

    No function is called with an empty cell: a minimum or a choice inside it would hide that a figure is missing.
    """
    given = flat_inputs(system.graph, product, system.assumptions, [np.array([row]) for row in rows])
    columns = {column for axis in product.axes for column in axis.columns}
    arrays: dict[str, Given] = {}
    causes: dict[str, tuple[str, ...]] = {}
    for name, value in given.items():
        if name in columns and _is_empty(value, system.graph.units[name]):
            causes[name] = (f"'{name}' is empty",)
        else:
            arrays[name] = value
    with np.errstate(all="ignore"):
        for function in system.graph.functions:
            why = tuple(dict.fromkeys(cause for need in function.needs for cause in causes.get(need, ())))
            if not why:
                try:
                    arrays.update(call(function, arrays))
                    continue
                except InputError as error:  # a value of this system that a table or a model does not have
                    why = (f"{function.label}: {error}",)
            causes.update(dict.fromkeys(function.gives, why))
    return arrays, {name: "; ".join(why) for name, why in causes.items()}


def _is_empty(value: Given, unit: str) -> bool:
    """Tell whether a cell of a catalogue, as a list of one design, is empty."""
    cell = np.asarray(value)[0]
    return bool(cell == "" if unit == TEXT else np.isnan(cell))


def _written(value: float | str, unit: str) -> str:
    """Write a value as the axis of a space does."""
    return values_axis("value", [value if unit in ("1", TEXT) else f"{value!r} {unit}"], unit).label(0)
