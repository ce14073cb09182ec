"""One measured quantity beside the computed one: repetitions merged, errors, statistics, what is said of them."""

from __future__ import annotations

import math
import statistics as plain
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dse.analysis.measured.columns import MeasuredColumn, number_of
from dse.analysis.measured.file import MeasuredFile
from dse.analysis.measured.limits import Limits
from dse.analysis.measured.results import ComparedQuantity, ComparedRow
from dse.analysis.measured.statistics import FEW_POINTS, Statistics, order_is_lost, statistics
from dse.analysis.measured.systems import Computed, Configuration, Configurations
from dse.errors import InputError
from dse.study.study import Study

__all__ = ["TableRow", "compared_quantity"]

_CONTRIBUTIONS = 3
_LOST = (
    "errors are small, but so are the differences between the configurations; the order is not predicted "
    "(correlation of the ranks {rank:.2f})"
)


@dataclass(frozen=True)
class TableRow:
    """A row of the table that the models have a configuration for."""

    row: int
    place: int
    configuration: Configuration
    group: str
    fitted: bool

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal for rows whose measurements are repetitions."""
        return self.configuration.key, self.group, self.fitted


def compared_quantity(
    configurations: Configurations,
    table: MeasuredFile,
    column: MeasuredColumn,
    unit: str,
    rows: Sequence[TableRow],
    answers: Mapping[tuple[object, ...], Computed],
    refused: dict[int, str],
    limits: Limits,
    notes: list[str],
) -> ComparedQuantity | None:
    """Return the comparison of one quantity; None where no row has it.

    Parameters
    ----------
    configurations, table
        What the rows set, and their cells.
    column, unit
        Where the measured values stand, and their SI unit.
    rows : sequence of TableRow
    answers : dict of tuple to Computed
        By the key of a configuration.
    refused : dict of int to str
        Rows without an answer, and why. Those without one for this quantity are added.
    limits : Limits
    notes : list of str
        What must be said of the table is added.
    """
    repeated: dict[tuple[object, ...], list[TableRow]] = {}
    for row in rows:
        if table.cells[column.column][row.place] is not None and not answers[row.configuration.key].reason:
            repeated.setdefault(row.key, []).append(row)
    compared: list[tuple[TableRow, ComparedRow]] = []
    taken = False
    for several in repeated.values():
        first, answer = several[0], answers[several[0].configuration.key]
        measured = []
        for row in several:
            value, bare = _measured(table, column.column, row.place, unit)
            measured.append(value)
            taken |= bare
        computed: Any = answer.values.get(column.quantity)
        why = _no_number(column.quantity, computed, unit, configurations.study)
        if why:
            refused |= {row.row: why for row in several}
            continue
        middle = plain.median(measured)
        compared.append((first, _compared_row(table, column, unit, several, middle, measured, float(computed), answer)))
    if not compared:
        return None
    if taken:
        notes.append(f"{column.quantity}: the file gives no unit, so {unit} was taken")
    kept = [compared for row, compared in compared if not row.fitted]
    fitted = [compared for row, compared in compared if row.fitted]
    limit = limits.of_row(column.quantity)
    whole = _statistics(kept, limit, len(refused))
    groups = {name: _statistics([row for row in kept if row.group == name], limit, 0) for name in _groups(kept)}
    said = _said(column.quantity, whole, groups)
    own = ComparedQuantity(column.quantity, unit, kept, fitted, whole, groups, said)
    return replace(own, rows=_explained(configurations, own, {compared.row: row for row, compared in compared}))


def _measured(table: MeasuredFile, column: str, place: int, unit: str) -> tuple[float, bool]:
    cell = table.cells[column][place]
    assert cell is not None
    try:
        return number_of(cell, unit, table.units[column], bare=True)
    except InputError as error:
        raise error.within(file=table.name, key=f"{table.places[place]}, {column}") from None


def _no_number(name: str, computed: Any, unit: str, study: Study) -> str:
    """Return why a quantity has no number that can be compared."""
    if computed is None:
        return f"the alternative gives no '{name}'"
    value = float(computed)
    if not math.isfinite(value):
        return f"'{name}' is {value}"
    unsigned = any(name in system.graph.unsigned for system in study.compiled.systems)
    return f"'{name}' is {value:g} {unit}, which cannot be negative" if value < 0 and unsigned else ""


def _compared_row(
    table: MeasuredFile,
    column: MeasuredColumn,
    unit: str,
    several: Sequence[TableRow],
    middle: float,
    measured: Sequence[float],
    computed: float,
    answer: Computed,
) -> ComparedRow:
    first = several[0]
    deviation = plain.stdev(measured) if len(measured) > 1 else None
    if deviation is None and column.deviation is not None and table.cells[column.deviation][first.place] is not None:
        heading = table.units[column.deviation] or table.units[column.column]
        deviation, _ = number_of(table.cells[column.deviation][first.place], unit, heading, bare=True)
        if deviation < 0:
            place = f"{table.places[first.place]}, {column.deviation}"
            raise InputError(f"{deviation:g} is below 0", file=table.name, key=place, allowed="0 and more")
    repeats = len(several)
    if column.repeats is not None and table.cells[column.repeats][first.place] is not None:
        repetitions = sum(number_of(table.cells[column.repeats][row.place] or 1.0, "1", "")[0] for row in several)
        repeats = max(repeats, round(repetitions))
    texts = {key: str(table.cells[key][first.place] or "") for key in ("name", "source", "notes") if key in table.cells}
    return ComparedRow(
        first.row,
        texts.get("name", ""),
        first.group,
        first.configuration.inputs,
        middle,
        computed,
        (computed - middle) / middle if middle else None,
        deviation,
        repeats,
        answer.extrapolated,
        first.configuration.outside,
        answer.broken,
        texts.get("source", ""),
        texts.get("notes", ""),
    )


def _groups(rows: Sequence[ComparedRow]) -> list[str]:
    names = list(dict.fromkeys(row.group for row in rows))
    return [] if names == [""] else names


def _statistics(rows: Sequence[ComparedRow], limit: float | None, not_comparable: int) -> Statistics:
    return statistics(
        [row.measured for row in rows],
        [row.computed for row in rows],
        rows=[row.row for row in rows],
        limit=limit,
        not_comparable=not_comparable,
    )


def _said(name: str, whole: Statistics, groups: Mapping[str, Statistics]) -> list[str]:
    """Return what must be said of statistics in words."""
    said = []
    for label, own in {"": whole, **groups}.items():
        if order_is_lost(own):
            where = f"{name}, {label}" if label else name
            said.append(f"{where}: {_LOST.format(rank=own['spearman'])}")
    few = [label or "(no group)" for label, own in groups.items() if own["n"] < FEW_POINTS]
    if few:
        said.append(f"{name}: few points in {', '.join(few)}")
    if whole["without_error"]:
        said.append(f"{name}: {whole['without_error']} rows measured 0, which have no error in percent")
    if whole["not_in_logarithms"]:
        said.append(f"{name}: {whole['not_in_logarithms']} rows are not above 0, so they are in no logarithm")
    return said


def _explained(
    configurations: Configurations, quantity: ComparedQuantity, rows: Mapping[int, TableRow]
) -> list[ComparedRow]:
    """Return the rows, the worst with the largest parts of what is computed."""
    worst = {row.row for row in quantity.worst()}
    explained = []
    for row in quantity.rows:
        if row.row in worst:
            breakdowns = configurations.breakdowns(rows[row.row].configuration)
            whole = next((breakdown for breakdown in breakdowns if breakdown["quantity"] == quantity.name), None)
            parts = [(part["quantity"], part["value"]) for part in whole["parts"][:_CONTRIBUTIONS]] if whole else []
            row = replace(row, contributions=parts)
        explained.append(row)
    return explained
