"""From rows of any format to the table: units of a metric agree, repetitions are numbered, gaps are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.tables.rows import MOST_ROWS, Row, in_si, split_heading
from dse.models.measured_laws.tables.table import Measurements
from dse.units import same_dimension

__all__ = ["assembled"]


def assembled(
    rows: Sequence[Row],
    source: str,
    sha256: str = "",
    *,
    units: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
) -> Measurements:
    """Return the table of rows.

    Parameters
    ----------
    rows : sequence of Row
    source, sha256 : str
    units : mapping of str to str, optional
        The units of metrics that have none in the file.
    warnings : sequence of str
        What the reader found.

    Raises
    ------
    InputError
        No rows, other parameters in some rows, units of one metric that do not fit, the same measurement twice.
    """
    import pandas as pd

    if not rows:
        raise InputError("has no measurements", file=source)
    if len(rows) > MOST_ROWS:
        raise InputError(f"{len(rows):,} values", file=source, allowed=f"at most {MOST_ROWS:,}")
    names = tuple(dict.fromkeys(name for row in rows for name in row.parameters))
    for row in rows:
        if missing := [name for name in names if name not in row.parameters]:
            raise InputError(f"no value of the parameter '{missing[0]}'", file=row.file or source, key=row.place)
    values, bases, bare = _converted(rows, source, dict(units or {}))
    repetitions, alike = _numbered(rows, names, values, source)
    notes = list(warnings)
    if bare:
        notes.append(f"no unit is given for {', '.join(bare)}: taken as plain numbers")
    if alike:
        notes.append(f"{alike} rows are repeated to the last digit: measured again, or copied?")
    records: dict[str, Any] = {
        "application": [row.application for row in rows],
        "region": [row.region for row in rows],
        "metric": [_metric(row)[0] for row in rows],
        **{name: [float(row.parameters[name]) for row in rows] for name in names},
        "repetition": repetitions,
        "rank": pd.array([row.rank for row in rows], dtype="Int64"),
        "value": values,
        "unit": bases,
        "litmus": [row.litmus for row in rows],
    }
    for column in ("application", "region", "metric"):
        for name in dict.fromkeys(records[column]):
            refuse_control(name, file=source, key=column)
    table = pd.DataFrame(records)
    notes.extend(_order_and_gaps(table, names))
    if names:
        table = table.sort_values(list(names), kind="stable", ignore_index=True)
    table.loc[:, "litmus"] = table.groupby("region", sort=False)["litmus"].transform("any")
    remarks = {name: _remarks(rows, name, source) for name in ("source", "scope")}
    synthetic = any(_is_yes(row, source) for row in rows)
    return Measurements(table, names, source, sha256, tuple(notes), remarks, synthetic)


def _remarks(rows: Sequence[Row], name: str, source: str) -> tuple[str, ...]:
    remarks = tuple(dict.fromkeys(text for row in rows if (text := row.remarks.get(name, ""))))
    for text in remarks:
        refuse_control(text, file=source, key=name)
    return remarks


def _is_yes(row: Row, source: str) -> bool:
    text = row.remarks.get("synthetic", "").casefold()
    if text not in ("", "yes", "no", "true", "false"):
        raise InputError(shown(text), file=row.file or source, key=f"{row.place}, synthetic", allowed="yes or no")
    return text in ("yes", "true")


def _metric(row: Row) -> tuple[str, str]:
    """Return the name and the unit of a metric: a unit in its name counts where the row has none."""
    return (row.metric, row.unit) if row.unit else split_heading(row.metric)


def _converted(rows: Sequence[Row], source: str, units: dict[str, str]) -> tuple[list[float], list[str], list[str]]:
    values, bases, bare, known = [], [], dict[str, None](), dict[str, str]()
    for row in rows:
        name, unit = _metric(row)
        if not unit:
            unit = units.get(name, "")
            if not unit:
                bare[name] = None
        where = row.file or source
        value, base = in_si(row.value, unit, f"{row.place}, {name}", where, idle=row.rank is not None)
        first = known.setdefault(name, base)
        if first != base:
            if not same_dimension(first, base) or "1" in (first, base):
                raise InputError(
                    f"{name} in {unit or 'no unit'}, and in {first} before",
                    file=where,
                    key=row.place,
                    allowed="units of one kind for one metric",
                )
            base = first
        values.append(value)
        bases.append(base)
    for name in units:
        if name not in known:
            raise InputError(f"unit of '{name}': no such metric", allowed=list(known), wrong=name, candidates=known)
    return values, bases, list(bare)


def _numbered(rows: Sequence[Row], names: Sequence[str], values: Sequence[float], source: str) -> tuple[list[int], int]:
    """Return the repetition of each row, and how many look like copies; refuse the same repetition twice."""
    seen: dict[tuple[Any, ...], dict[int, int]] = {}
    known: set[tuple[Any, ...]] = set()
    repetitions, alike = [], 0
    for place, row in enumerate(rows):
        point = (row.application, row.region, _metric(row)[0], row.rank, *(row.parameters[name] for name in names))
        taken = seen.setdefault(point, {})
        number = row.repetition if row.repetition is not None else len(taken) + 1
        if number in taken:
            first = rows[taken[number]]
            raise InputError(
                f"repetition {number} of {_metric(row)[0]} stands twice (first in {first.place})",
                file=row.file or source,
                key=row.place,
                allowed="each repetition once",
            )
        taken[number] = place
        if row.repetition is None and row.rank is None:
            alike += (*point, values[place]) in known
            known.add((*point, values[place]))
        repetitions.append(number)
    return repetitions, alike


def _order_and_gaps(table: Any, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    notes = []
    points = table[list(names)]
    first = points.drop_duplicates()
    if not first.sort_values(list(names), kind="stable").index.equals(first.index):
        notes.append("the sizes stand in no rising order: sorted")
    runs = table[table["rank"].isna()]
    every = runs.groupby("application", sort=False).apply(lambda part: len(part[list(names)].drop_duplicates()))
    for (application, region, metric), part in runs.groupby(["application", "region", "metric"], sort=False):
        missing = int(every[application]) - len(part[list(names)].drop_duplicates())
        if missing:
            where = f" in {region}" if region else ""
            notes.append(f"{metric}{where} was not measured at {missing} of {int(every[application])} points")
    most = 8
    return [*notes[:most], f"… {len(notes) - most} more of these"] if len(notes) > most else notes
