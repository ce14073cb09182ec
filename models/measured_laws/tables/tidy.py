"""Tables: tidy (a row per value) and wide (a column per metric, its unit in the heading)."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from typing import Any

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.tables.rows import MOST_ROWS, REMARKS, Row, number_of, parameter_value, split_heading
from dse.models.measured_laws.tables.table import LABELS

__all__ = ["read_csv_rows", "read_parquet_rows"]

_YES, _NO = ("true", "yes", "1", "True"), ("false", "no", "0", "", "False", "nan")


def read_csv_rows(text: str, name: str, plain: Collection[str] = ()) -> tuple[list[Row], list[str]]:
    """Read a table in CSV; lines that begin with # are left out, and `plain` headings are metrics without a unit."""
    lines = [
        (number, line)
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1)
        if line.strip() and not line.startswith("#")
    ]
    if len(lines) < 2:
        raise InputError("has no rows (a heading line and at least one row are needed)", file=name)
    if len(lines) > MOST_ROWS:
        raise InputError(f"{len(lines):,} rows", file=name, allowed=f"at most {MOST_ROWS:,}")
    records = []
    for number, line in lines:
        try:
            refuse_control(line.replace("\t", " "))
            records.append([cell.strip() for cell in next(csv.reader([line], strict=True))])
        except InputError as error:
            raise error.within(file=name, key=f"line {number}") from None
        except csv.Error as error:
            raise InputError(f"cannot be read: {error}", file=name, key=f"line {number}") from None
    headings, *cells = records
    if len(headings) == 1 and (other := next((separator for separator in ";\t" if separator in lines[0][1]), None)):
        separator = "semicolons" if other == ";" else "tabs"
        raise InputError(f"{separator} between the columns", file=name, key=f"line {lines[0][0]}", allowed="commas")
    for (number, _), row in zip(lines[1:], cells, strict=True):
        if len(row) != len(headings):
            raise InputError(f"has {len(row)} cells, the heading {len(headings)}", file=name, key=f"line {number}")
    return _rows(headings, cells, [f"line {number}" for number, _ in lines[1:]], name, plain)


def read_parquet_rows(data: bytes, name: str, plain: Collection[str] = ()) -> tuple[list[Row], list[str]]:
    """Read a table in Parquet, with the same columns."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(data))
        if file.metadata.num_rows > MOST_ROWS:
            raise InputError(f"{file.metadata.num_rows:,} rows", file=name, allowed=f"at most {MOST_ROWS:,}")
        table = file.read()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is no Parquet file: {str(error).splitlines()[0]}", file=name) from None
    headings = [str(column) for column in table.column_names]
    columns = [table.column(place).to_pylist() for place in range(len(headings))]
    cells = [list(row) for row in zip(*columns, strict=True)]
    if not cells:
        raise InputError("has no rows", file=name)
    return _rows(headings, cells, [f"row {number}" for number in range(len(cells))], name, plain)


def _rows(
    headings: Sequence[str],
    cells: Sequence[Sequence[Any]],
    places: Sequence[str],
    name: str,
    plain: Collection[str],
) -> tuple[list[Row], list[str]]:
    for heading in headings:
        if not heading:
            raise InputError("a column has no heading", file=name)
        if list(headings).count(heading) > 1:
            raise InputError(f"the column '{heading}' stands twice", file=name, allowed="each once")
    labels = {label: place for place, heading in enumerate(headings) if (label := heading.strip()) in LABELS}
    value_unit = ""
    for place, heading in enumerate(headings):
        bare, unit = split_heading(heading)
        if bare == "value" and unit:
            labels["value"], value_unit = place, unit
    wide = "value" not in labels
    if wide and "metric" in labels:
        raise InputError("a column 'metric', and no column 'value'", file=name, allowed="both, or neither")
    if not wide and "metric" not in labels:
        raise InputError("a column 'value', and no column 'metric'", file=name, allowed="both, or neither")
    remark_columns = {heading: place for place, heading in enumerate(headings) if heading in REMARKS}
    taken = {*labels.values(), *remark_columns.values()}
    others = [place for place in range(len(headings)) if place not in taken]
    metrics = (
        [column for column in others if split_heading(headings[column])[1] or headings[column] in plain] if wide else []
    )
    if wide and not metrics:
        raise InputError(
            "has no column of values",
            file=name,
            allowed="columns 'metric' and 'value', or metrics with a unit in the heading: 'time [s]', 'time_s'; "
            "where one has none, its unit by name: --unit time=s",
        )
    named = [split_heading(headings[column])[0] for column in metrics]
    if twice := [metric for metric in named if named.count(metric) > 1]:
        raise InputError(f"the metric '{twice[0]}' stands twice", file=name, allowed="one column of it")
    parameters = [place for place in others if place not in metrics]
    if not wide and (odd := [headings[column] for column in parameters if split_heading(headings[column])[1]]):
        raise InputError(f"'{odd[0]}' is a parameter with a unit", file=name, allowed="plain numbers")
    rows = []
    for where, row in zip(places, cells, strict=True):

        def text(label: str, row: Sequence[Any] = row) -> str:
            cell = row[labels[label]] if label in labels else None
            return "" if cell is None else str(cell).strip()

        def whole(label: str, least: int, row: Sequence[Any] = row, where: str = where) -> int | None:
            if not text(label, row):
                return None
            number = number_of(row[labels[label]], f"{where}, {label}", name)
            if not number.is_integer() or number < least:
                raise InputError(
                    f"{number:g}", file=name, key=f"{where}, {label}", allowed=f"a whole number >= {least}"
                )
            return int(number)

        litmus = text("litmus")
        if litmus not in _YES + _NO:
            raise InputError(shown(litmus), file=name, key=f"{where}, litmus", allowed="true or false")
        common: dict[str, Any] = {
            "place": where,
            "parameters": {
                headings[column]: parameter_value(headings[column], row[column], f"{where}, {headings[column]}", name)
                for column in parameters
            },
            "application": text("application"),
            "region": text("region"),
            "repetition": whole("repetition", 0),
            "rank": whole("rank", 0),
            "litmus": litmus in _YES,
            "remarks": {
                key: "" if row[column] is None else str(row[column]).strip() for key, column in remark_columns.items()
            },
            "file": name,
        }
        if not wide:
            if not text("metric"):
                raise InputError("is empty", file=name, key=f"{where}, metric", allowed="the name of a metric")
            number = number_of(row[labels["value"]], f"{where}, value", name)
            rows.append(Row(metric=text("metric"), value=number, unit=text("unit") or value_unit, **common))
            continue
        for column in metrics:
            metric, unit = split_heading(headings[column])
            if row[column] is None or row[column] == "":
                continue
            number = number_of(row[column], f"{where}, {headings[column]}", name)
            rows.append(Row(metric=metric, value=number, unit=unit or "1", **common))
    return rows, []
