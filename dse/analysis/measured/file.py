"""A table of measured configurations, as it is written: CSV, compressed or not, Parquet, or a pandas table."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, SupportsFloat, cast

from dse.errors import InputError, refuse_control

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cell", "MeasuredFile", "read_measured", "rows_meant"]

Cell = str | float | None
"""A text, a number, or nothing."""

_HEADING = re.compile(r"\s*([^\[\]]*[^\[\]\s])\s*(?:\[\s*([^\]]+?)\s*\])?\s*\Z")
_LARGEST = 200_000_000  # bytes, uncompressed


@dataclass(frozen=True)
class MeasuredFile:
    """The cells of a table.

    Attributes
    ----------
    name : str
    cells : dict of str to list
        By column, without the unit of its heading; empty cells are None.
    units : dict of str to str
        The units of the headings, as they are written; empty where there is none.
    places : list of str
        What each row is called in messages: "line 3", "row 0".
    numbers : list of int
        The number of each row of data, from 0.
    """

    name: str
    cells: dict[str, list[Cell]]
    units: dict[str, str]
    places: list[str]
    numbers: list[int]

    def __len__(self) -> int:
        return len(self.places)

    def some(self, meant: slice) -> MeasuredFile:
        """Return some of the rows, which keep their numbers."""
        return replace(
            self,
            cells={name: cells[meant] for name, cells in self.cells.items()},
            places=self.places[meant],
            numbers=self.numbers[meant],
        )


def rows_meant(text: str) -> slice:
    """Return the rows that a text means: "0:10" the first ten, "10:" all others.

    Raises
    ------
    InputError
        Another text.
    """
    match = re.fullmatch(r"\s*(\d{0,12})\s*:\s*(\d{0,12})\s*", text, re.ASCII)
    if match is None:
        raise InputError(f"'{text}' means no rows", key="--rows", allowed="0:10 for the first ten, 10: for the others")
    first, last = (int(end) if end else None for end in match.groups())
    return slice(first, last)


def read_measured(table: str | Path | pd.DataFrame) -> MeasuredFile:
    """Read a table of measured configurations.

    Parameters
    ----------
    table : path or DataFrame
        ``.csv``, ``.csv.gz`` or ``.parquet``; a heading is ``name`` or ``name [unit]``. In Parquet the metadata
        ``unit`` of a field counts too, and so do ``attrs["units"]`` of a pandas table.

    Raises
    ------
    InputError
        No such file, no rows, a heading that stands twice, rows of other lengths, control characters.
    """
    if not isinstance(table, (str, Path)):
        units = dict(table.attrs.get("units", {}))
        columns = {str(name): list(table[name]) for name in table.columns}
        if len(columns) < len(table.columns):
            raise InputError("a column stands twice", file="the table", allowed="each once")
        return _of_columns("the table", columns, {str(name): str(unit) for name, unit in units.items()})
    path, name = Path(table), str(table)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("is too large", file=name, allowed=f"up to {_LARGEST / 1e6:.0f} MB")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", file=name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=name) from None
    if path.suffix == ".parquet":
        return _of_parquet(data, name)
    if path.suffix == ".gz":
        data = _unpacked(data, name)
    return _of_csv(data, name)


def _unpacked(data: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(_LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {error}", file=name) from None
    if len(content) > _LARGEST:
        raise InputError("is too large when unpacked", file=name, allowed=f"up to {_LARGEST / 1e6:.0f} MB")
    return content


def _of_csv(data: bytes, name: str) -> MeasuredFile:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot be read: {error}", file=name, allowed="UTF-8") from None
    lines = [
        (number, line)
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1)
        if line.strip() and not line.startswith("#")
    ]
    if len(lines) < 2:
        raise InputError("has no rows (a heading line and at least one row are needed)", file=name)
    records: list[list[str]] = []
    for number, line in lines:
        try:
            refuse_control(line.replace("\t", " "))
            records.append(next(csv.reader([line], strict=True)))
        except InputError as error:
            raise error.within(file=name, key=f"line {number}") from None
        except csv.Error as error:
            raise InputError(f"cannot be read: {error}", file=name, key=f"line {number}") from None
    headings, *rows = records
    for (number, _), row in zip(lines[1:], rows, strict=True):
        if len(row) != len(headings):
            raise InputError(f"has {len(row)} cells, the heading {len(headings)}", file=name, key=f"line {number}")
    columns: dict[str, list[object]] = {}
    for place, heading in enumerate(headings):
        if heading in columns:
            raise InputError(f"the column '{heading}' stands twice", file=name, allowed="each once")
        columns[heading] = [row[place] for row in rows]
    return _of_columns(name, columns, {}, [f"line {number}" for number, _ in lines[1:]])


def _of_parquet(data: bytes, name: str) -> MeasuredFile:
    import pyarrow.parquet

    try:
        parquet = pyarrow.parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"cannot be read: {str(error).splitlines()[0]}", file=name) from None
    if parquet.nbytes > _LARGEST:
        raise InputError("is too large when unpacked", file=name, allowed=f"up to {_LARGEST / 1e6:.0f} MB")
    units = {}
    for field in parquet.schema:
        unit = (field.metadata or {}).get(b"unit", b"").decode("utf-8", "replace")
        if unit and unit != "text":
            units[field.name] = unit
    return _of_columns(name, parquet.to_pydict(), units)


def _of_columns(
    name: str, columns: dict[str, list[object]], units: dict[str, str], places: Sequence[str] | None = None
) -> MeasuredFile:
    """Return columns with headings as cells with units."""
    cells: dict[str, list[Cell]] = {}
    written: dict[str, str] = {}
    count = len(next(iter(columns.values()), []))
    where = list(places) if places is not None else [f"row {row}" for row in range(count)]
    if not count:
        raise InputError("has no rows", file=name)
    for heading, values in columns.items():
        match = _HEADING.match(heading)
        if not match:
            raise InputError(f"the heading '{heading}' is not 'name' or 'name [unit]'", file=name)
        if match[1] in cells:
            raise InputError(f"the column '{match[1]}' stands twice", file=name, allowed="each once")
        cells[match[1]] = [_cell(value, f"{where[row]}, {match[1]}", name) for row, value in enumerate(values)]
        written[match[1]] = match[2] or units.get(heading, "")
    return MeasuredFile(name, cells, written, where, list(range(count)))


def _cell(value: object, place: str, name: str) -> Cell:
    if value is None or isinstance(value, str):
        text = (value or "").strip()
        return text or None
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    try:
        number = float(cast("SupportsFloat", value))
    except (TypeError, ValueError):
        raise InputError(f"{type(value).__name__} is no cell", file=name, key=place, allowed="texts, numbers") from None
    return None if number != number else number
