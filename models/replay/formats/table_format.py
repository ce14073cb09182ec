"""Traces as tables: CSV, compressed CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from dse.errors import InputError, shown
from dse.models.replay.formats.header import header_of, header_values
from dse.models.replay.trace.assembling import COLUMNS, HEADER, MOST_EVENTS, assembled
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, KINDS, OPERATIONS, SEND, WAIT

__all__ = ["LARGEST_FILE", "read_csv_trace", "read_parquet_trace", "write_csv_trace", "write_parquet_trace"]

LARGEST_FILE = 2 * 1024**3
"""Most bytes of a file, unpacked."""

_TEXTS = ("kind", "op", "region")
_NUMBERS = tuple(name for name in COLUMNS if name not in _TEXTS)


def read_csv_trace(data: bytes, *, named: str = "") -> Trace:
    """Read a trace from the bytes of a CSV file: ``# key: value`` lines, a line of headings, a row per event."""
    header, skipped = header_of(data)
    if not data[skipped:].strip():
        raise InputError("no line of headings", allowed=f"the columns {', '.join(COLUMNS)}")
    _refuse_headings(next(csv.reader([data[skipped:].split(b"\n", 1)[0].decode("utf-8", "replace").strip()])))
    try:
        table = pacsv.read_csv(
            io.BytesIO(data[skipped:]),
            parse_options=pacsv.ParseOptions(newlines_in_values=False),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"is no table: {str(error).splitlines()[0]}", allowed="as many cells in each row") from None
    return assembled({name: _read(name, table.column(name)) for name in table.column_names}, header, named=named)


def read_parquet_trace(path: Path, *, named: str = "") -> Trace:
    """Read a trace from a Parquet file with the columns of the CSV; key and value metadata hold the header."""
    try:
        file = pq.ParquetFile(path)
        names = list(file.schema_arrow.names)
        _refuse_headings(names)
        if file.metadata.num_rows > MOST_EVENTS:
            raise InputError(f"{file.metadata.num_rows:,} events", allowed=f"at most {MOST_EVENTS:,}")
        table = file.read()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"is no Parquet file: {str(error).splitlines()[0]}") from None
    held = table.schema.metadata or {}
    header = {name: held[name.encode()].decode("utf-8", "replace") for name in HEADER if name.encode() in held}
    columns = {}
    for name in names:
        column = table.column(name)
        if name in _TEXTS:
            column = column.cast(pa.string())
        columns[name] = _read(name, column)
    return assembled(columns, header, named=named)


def _refuse_headings(names: list[str]) -> None:
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"unknown column {shown(name)}", allowed=COLUMNS, wrong=name, candidates=COLUMNS)
        if names.count(name) > 1:
            raise InputError(f"the column '{name}' stands twice")
    for name in ("rank", "kind"):
        if name not in names:
            raise InputError(f"no column '{name}'", allowed=COLUMNS)


def _read(name: str, column: Any) -> np.ndarray:
    if name in _TEXTS:
        return np.asarray(pc.fill_null(column, "").to_numpy(zero_copy_only=False), dtype=object)
    try:
        if column.null_count == len(column):
            return np.full(len(column), np.nan)
        if name in ("rank", "peer", "tag", "request") and not column.null_count:
            return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=float)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _one_by_one(name, column.to_pylist())


def _one_by_one(name: str, cells: list[Any]) -> np.ndarray:
    """Read what Arrow does not take (blanks around a number), and find the cell that is no number."""
    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            continue
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError):
            raise InputError(shown(cell), key=f"row {row}: {name}", allowed="a number, or nothing") from None
    return numbers


def _columns(trace: Trace) -> dict[str, list[Any]]:
    kind = trace.kind
    point_to_point = (kind >= SEND) & (kind <= IRECV)
    has_bytes = point_to_point | (kind >= COLLECTIVE)
    has_request = (kind == ISEND) | (kind == IRECV) | (kind == WAIT)

    def given(values: np.ndarray, where: np.ndarray) -> list[Any]:
        return [value if is_given else None for value, is_given in zip(values.tolist(), where.tolist(), strict=True)]

    regions, operations = np.array([*trace.regions, ""], dtype=object), np.array([*OPERATIONS, ""], dtype=object)
    return {
        "rank": trace.rank.tolist(),
        "kind": np.array(KINDS, dtype=object)[kind].tolist(),
        "seconds": given(trace.seconds, kind == COMPUTE),
        "peer": given(trace.peer, trace.peer != NONE),
        "bytes": given(trace.bytes, has_bytes),
        "tag": given(trace.tag, point_to_point),
        "request": given(trace.request, has_request),
        "op": given(operations[trace.operation], kind == COLLECTIVE),
        "enter": given(trace.enter, ~np.isnan(trace.enter)),
        "exit": given(trace.exit, ~np.isnan(trace.exit)),
        "region": given(regions[trace.region], trace.region != NONE),
    }


def write_csv_trace(trace: Trace, path: Path) -> None:
    """Write a trace as CSV (``.csv.gz``: compressed); `read_csv_trace` gives the same back."""
    out = io.StringIO()
    for name, value in header_values(trace).items():
        out.write(f"# {name}: {value}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    columns = _columns(trace)
    cells = [[_number(value) for value in columns[name]] if name in _NUMBERS else columns[name] for name in COLUMNS]
    writer.writerows(zip(*cells, strict=True))
    data = out.getvalue().encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(value)


def write_parquet_trace(trace: Trace, path: Path) -> None:
    """Write a trace as Parquet, its header as metadata."""
    kinds = {name: pa.string() for name in _TEXTS} | {name: pa.int64() for name in ("rank", "peer", "tag", "request")}
    columns = {name: pa.array(values, type=kinds.get(name, pa.float64())) for name, values in _columns(trace).items()}
    table = pa.table(columns).replace_schema_metadata(header_values(trace))
    pq.write_table(table, path)
