"""What the columns of a table of measurements mean: what sets a configuration, and what was measured of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from dse.analysis.measured.file import Cell, MeasuredFile
from dse.errors import InputError
from dse.study.study import Study
from dse.units import TEXT, convert, parse_quantity, same_dimension

__all__ = ["ALTERNATIVE", "SLOT", "Columns", "MeasuredColumn", "columns_of", "number_of"]

ALTERNATIVE, SLOT = "alternative", "use."
_MEASURED = "measured."
_SAID = ("name", "source", "notes", "fitted")
_OF_MEASURED = (".sd", ".repeats")


@dataclass(frozen=True)
class MeasuredColumn:
    """A measured quantity: the column of its values, and those of standard deviations and repetitions."""

    quantity: str
    column: str
    deviation: str | None = None
    repeats: str | None = None


@dataclass(frozen=True)
class Columns:
    """The columns by what they mean.

    Attributes
    ----------
    given : list of str
        Those that set a configuration: "alternative", choices, "use.SLOT", axes, parameters and assumptions.
    measured : dict of str to MeasuredColumn
        By quantity.
    groups : list of str
        Those whose texts are the group of a row.
    """

    given: list[str]
    measured: dict[str, MeasuredColumn]
    groups: list[str]


def columns_of(
    table: MeasuredFile,
    study: Study,
    *,
    group_by: Sequence[str] = (),
    ignore: Collection[str] = (),
    quantities: Collection[str] = (),
) -> Columns:
    """Find out what columns mean.

    Parameters
    ----------
    table : MeasuredFile
    study : Study
    group_by : sequence of str
        Columns that tell groups, and are inputs only where the study has one of the name. Default: ``group``, if there
        is one.
    ignore : collection of str
        Columns that mean nothing.
    quantities : collection of str
        The measured quantities that count. Default: all.

    Raises
    ------
    InputError
        An unknown column with the nearest name, a quantity that is set and measured at once, nothing measured.
    """
    for option, names in (("--group-by", group_by), ("--ignore-columns", ignore)):
        for name in names:
            if name not in table.cells:
                raise _no_column(table, name, list(table.cells)).within(key=option)
    inputs = _inputs(study)
    groups = list(dict.fromkeys(group_by)) or (["group"] if "group" in table.cells else [])
    labels = [name for name in groups if name not in inputs]
    names = [name for name in table.cells if name not in labels and name not in ignore]
    computed = list(dict.fromkeys([*_derived(study), *study.spec.quantities, *study.declarations.computed]))
    given = [name for name in names if name in inputs or _is_slot(name, study)]
    said = [name for name in names if name in _SAID and name not in given]
    rest = [name for name in names if name not in (*given, *said)]
    values = {name: name.removeprefix(_MEASURED) for name in rest if not name.endswith(_OF_MEASURED)}
    known = [
        *inputs,
        *(f"{SLOT}{slot}" for slot in _slots(study)),
        *computed,
        *(f"{_MEASURED}{quantity}" for quantity in computed),
    ]
    columns_by_quantity: dict[str, MeasuredColumn] = {}
    for column, quantity in values.items():
        if column.startswith(_MEASURED) and quantity in given:
            problem = f"the computed quantity '{quantity}' is set by the file"
            raise InputError(problem, file=table.name, key=column, allowed="measured or set, one of them")
        if quantity in inputs and quantity not in computed:
            problem = f"'{quantity}' is an input of the study, which computes nothing to compare it with"
            raise InputError(problem, file=table.name, key=column, allowed=sorted(computed))
        if quantity not in computed:
            raise _no_column(table, column, known)
        if quantity in columns_by_quantity:
            problem = f"'{quantity}' is measured in two columns"
            raise InputError(problem, file=table.name, key=column, allowed="one of them")
        deviation, repeats = (
            next((heading for heading in (f"{quantity}{end}", f"{_MEASURED}{quantity}{end}") if heading in rest), None)
            for end in _OF_MEASURED
        )
        columns_by_quantity[quantity] = MeasuredColumn(quantity, column, deviation, repeats)
    used = {heading for item in columns_by_quantity.values() for heading in (item.deviation, item.repeats)}
    for column in rest:
        if column not in values and column not in used:
            raise _no_column(
                table, column, [*known, *(f"{heading}{end}" for heading in columns_by_quantity for end in _OF_MEASURED)]
            )
    for quantity in quantities:
        if quantity not in columns_by_quantity:
            raise InputError(
                f"'{quantity}' was not measured",
                file=table.name,
                key="--quantity",
                allowed=list(columns_by_quantity) or "none, nothing was",
                wrong=quantity,
                candidates=columns_by_quantity,
            )
    wanted = {name: item for name, item in columns_by_quantity.items() if not quantities or name in quantities}
    if not wanted:
        raise InputError(
            "no column has a quantity that the study computes", file=table.name, allowed=f"such as {_some(study)}"
        )
    return Columns(given, wanted, groups)


def number_of(cell: Cell, unit: str, heading: str, *, bare: bool = False) -> tuple[float, bool]:
    """Return a cell in SI, and whether its unit was taken for granted.

    Parameters
    ----------
    cell : str or float
    unit : str
        The SI unit of the quantity.
    heading : str
        The unit of the column, empty where the heading has none.
    bare : bool
        Whether a number may stand without a unit; it is one of the quantity's own.
    """
    text = f"{cell!r}" if isinstance(cell, float) else str(cell)
    try:
        plain = parse_quantity(text, "1") if not isinstance(cell, float) else cell
    except InputError:
        return parse_quantity(text, unit), False
    if not np.isfinite(plain):
        raise InputError(f"{text} is not finite", allowed="a number")
    if heading:
        parse_quantity(f"1 {heading}", unit)  # which says what is wrong with the unit
        return convert(plain, heading, unit), False
    if same_dimension(unit, "1"):
        return plain, False
    if bare:
        return plain, True
    return parse_quantity(cell, unit), False


def _inputs(study: Study) -> dict[str, str]:
    """Return the unit of everything that sets a configuration, by its name."""
    inputs = {ALTERNATIVE: TEXT} if len(study.space.products) > 1 else {}
    inputs |= dict.fromkeys(study.spec.space.choices, TEXT)
    inputs |= study.declarations.units
    for product, system in zip(study.space.products, study.compiled.systems, strict=True):
        inputs |= {name: item.unit for name, item in system.graph.inputs.items() if item.kind != "table"}
        inputs |= {axis.name: TEXT if axis.is_part else axis.units[axis.name] for axis in product.axes}
    return inputs


def _derived(study: Study) -> list[str]:
    """Return the quantities that the graphs of the study give."""
    names = (name for system in study.compiled.systems for name in system.graph.providers)
    return [name for name in names if not name.startswith("constraint_")]


def _slots(study: Study) -> list[str]:
    return list(dict.fromkeys(function.slot for model in study.models for function in model.functions if function.slot))


def _is_slot(name: str, study: Study) -> bool:
    return name.startswith(SLOT) and name.removeprefix(SLOT) in _slots(study)


def _some(study: Study) -> str:
    return ", ".join([objective.quantity for objective in study.compiled.objectives][:3])


def _no_column(table: MeasuredFile, name: str, known: Sequence[str]) -> InputError:
    return InputError(
        f"unknown column '{name}'",
        file=table.name,
        allowed="inputs and quantities of the study, or --ignore-columns",
        wrong=name,
        candidates=known,
    )
