"""Measured configurations beside what the models of a study give for them: errors, statistics, groups, limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dse.analysis.measured.columns import Columns, columns_of, number_of
from dse.analysis.measured.file import MeasuredFile, read_measured, rows_meant
from dse.analysis.measured.limits import Limits
from dse.analysis.measured.quantity import TableRow, compared_quantity
from dse.analysis.measured.results import ComparedQuantity, MeasuredComparison
from dse.analysis.measured.systems import Configurations
from dse.errors import InputError
from dse.study.study import Study
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare_measured"]

_TRUE, _FALSE = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0")


def compare_measured(
    study: Study,
    table: str | Path | pd.DataFrame,
    *,
    group_by: Sequence[str] = (),
    quantities: Sequence[str] = (),
    ignore: Sequence[str] = (),
    rows: str | None = None,
    use: Sequence[Mapping[str, str]] = (),
    limit: Iterable[str | float] = (),
    limit_mean: Iterable[str | float] = (),
    least_rank: Iterable[str | float] = (),
    strict: bool = False,
) -> MeasuredComparison:
    """Compare a table of measurements with what the models of a study give; nothing is fitted.

    Parameters
    ----------
    study : Study
        Gives everything that the table does not set. Its constraints are told where they are broken, not applied.
    table : path or DataFrame
        A row per configuration: columns that set axes, parameters, assumptions and slots, and measured quantities.
    group_by : sequence of str
        Columns that are labels. Default: ``group``, if there is one.
    quantities : sequence of str
        The measured quantities that count. Default: all.
    ignore : sequence of str
        Columns that mean nothing.
    rows : str, optional
        "0:10": the first ten rows only; "10:" the others.
    use : sequence of dict
        Components of slots with which the table is compared too, each set beside the study's own.
    limit, limit_mean, least_rank
        Largest error, largest mean error, least correlation of the ranks: "20 %", 0.2, or "run_time=20 %".
    strict : bool
        Whether a row that cannot be compared fails.

    Raises
    ------
    InputError
        A fault of the table, of a limit, or no value that can be compared.
    """
    read = read_measured(table)
    read = read if rows is None else read.some(rows_meant(rows))
    if not len(read):
        raise InputError("no row is meant", file=read.name, key="--rows", allowed="rows of the file")
    columns = columns_of(read, study, group_by=group_by, ignore=ignore, quantities=quantities)
    limits = Limits.of(limit, limit_mean, least_rank, strict=strict, quantities=columns.measured)
    own = _compared(_with_quantities(study, read, columns), read, columns, limits)
    variants = {}
    for chosen in use:
        name = ", ".join(f"{slot}={component}" for slot, component in chosen.items())
        variants[name] = _compared(_with_quantities(_using(study, chosen), read, columns), read, columns, Limits())
    return replace(own, variants=variants) if variants else own


def _using(study: Study, chosen: Mapping[str, str]) -> Study:
    try:
        other = study.edited(use={**dict(study.document.get("use", {})), **chosen})
        _ = other.compiled
    except InputError as error:
        raise InputError(error.problem, key="--use", allowed=error.allowed) from None
    return other


def _with_quantities(study: Study, table: MeasuredFile, columns: Columns) -> Study:
    """Return the study whose graphs give all that was measured, and read all that is set."""
    known = study.units
    missing = [name for name in columns.measured if name not in known]
    computed = {name for system in study.compiled.systems for name in system.graph.providers}
    fixed = [name for name in columns.given if name in computed and study.declarations.of_input(name) is not None]
    if not missing and not fixed:
        return study
    changes: dict[str, object] = {"also": [*study.spec.also, *missing]}
    if fixed:
        examples = {name: next(cell for cell in table.cells[name] if cell is not None) for name in fixed}
        units = {name: study.declarations.units[name] for name in fixed}
        values = {name: number_of(cell, units[name], table.units[name])[0] for name, cell in examples.items()}
        written = {name: value if units[name] == "1" else f"{value!r} {units[name]}" for name, value in values.items()}
        changes["set"] = {**dict(study.document.get("set", {})), **written}
    try:
        other = study.edited(**changes)
        _ = other.compiled
    except InputError as error:
        named = ", ".join([*missing, *fixed])
        raise InputError(f"{named}: {error.problem}", file=table.name, allowed=error.allowed) from None
    return other


def _compared(study: Study, table: MeasuredFile, columns: Columns, limits: Limits) -> MeasuredComparison:
    units = study.units
    for name in columns.measured:
        if units[name] in (TEXT, "bool", "table"):
            raise InputError("is no number", file=table.name, key=name, allowed="measured quantities that are numbers")
    configurations = Configurations(study, table, columns.given, columns.measured)
    rows, refused = _rows(configurations, table, columns)
    distinct = {row.configuration.key: row.configuration for row in rows}
    answers = dict(zip(distinct, configurations.computed(list(distinct.values())), strict=True))
    for row in rows:
        if answers[row.configuration.key].reason:
            refused[row.row] = answers[row.configuration.key].reason
    notes: list[str] = []
    quantities: dict[str, ComparedQuantity] = {}
    faults: list[str] = []
    of_quantities: dict[int, str] = {}
    for name, column in columns.measured.items():
        missed = dict(refused)
        comparison = compared_quantity(configurations, table, column, units[name], rows, answers, missed, limits, notes)
        of_quantities |= missed
        if comparison is not None:
            quantities[name] = comparison
            faults += limits.faults(name, comparison.statistics)
    if not quantities:
        refused |= of_quantities
        why = next(iter(refused.values()), "no row has a measured value")
        raise InputError(f"nothing can be compared: {why}", file=table.name, allowed="at least one comparable value")
    listed = [{"row": row, "reason": reason} for row, reason in sorted(of_quantities.items())]
    if limits.strict and listed:
        faults.append(f"{len(listed)} rows cannot be compared")
    both = [name for name in columns.given if name in {n for s in study.compiled.systems for n in s.graph.providers}]
    notes += [f"'{name}' is set by the file; a column measured.{name} would compare it" for name in both]
    return MeasuredComparison(
        study.name,
        table.name,
        quantities,
        listed,
        _varied(rows),
        limits,
        faults,
        list(dict.fromkeys(notes)),
        study.labels,
        {**study.declarations.units, **units},
        study.synthetic,
    )


def _rows(
    configurations: Configurations, table: MeasuredFile, columns: Columns
) -> tuple[list[TableRow], dict[int, str]]:
    rows: list[TableRow] = []
    refused: dict[int, str] = {}
    for place, number in enumerate(table.numbers):
        set_ = configurations.row(place)
        if isinstance(set_, str):
            refused[number] = set_
            continue
        texts = [table.cells[name][place] for name in columns.groups]
        group = ", ".join(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in texts if cell is not None)
        rows.append(TableRow(number, place, set_, group, _is_fitted(table, place)))
    return rows, refused


def _is_fitted(table: MeasuredFile, place: int) -> bool:
    cell = table.cells["fitted"][place] if "fitted" in table.cells else None
    text = "" if cell is None else str(cell).casefold()
    if text and text not in (*_TRUE, *_FALSE):
        key = f"{table.places[place]}, fitted"
        raise InputError(f"'{cell}' is neither true nor false", file=table.name, key=key, allowed="true, false")
    return text in _TRUE


def _varied(rows: Sequence[TableRow]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row.configuration.inputs)
    return [name for name in names if len({row.configuration.inputs.get(name) for row in rows}) > 1]
