"""Reading measurements: which format a file has, bounded sizes, one hash of everything that was read."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from dse.errors import InputError
from dse.models.measured_laws.tables.assembling import assembled
from dse.models.measured_laws.tables.call_trees import read_caliper, read_tau
from dse.models.measured_laws.tables.cube import read_cube
from dse.models.measured_laws.tables.extra_p_experiment import read_extra_p_experiment
from dse.models.measured_laws.tables.extra_p_json import read_extra_p_json, read_extra_p_lines
from dse.models.measured_laws.tables.extra_p_text import read_extra_p_text
from dse.models.measured_laws.tables.file_names import entries_of
from dse.models.measured_laws.tables.hpctoolkit.reading import (
    database_in,
    files_beside,
    is_hpctoolkit,
    read_hpctoolkit,
)
from dse.models.measured_laws.tables.mpip import read_mpip
from dse.models.measured_laws.tables.process_means import mean_rows
from dse.models.measured_laws.tables.rows import LARGEST_FILE, Row
from dse.models.measured_laws.tables.table import Measurements
from dse.models.measured_laws.tables.tidy import read_csv_rows, read_parquet_rows

__all__ = ["Format", "read_measurements"]

Format = Literal[
    "csv",
    "parquet",
    "extra-p",
    "extra-p-json",
    "extra-p-jsonl",
    "extra-p-experiment",
    "cube",
    "tau",
    "caliper",
    "hpctoolkit",
    "mpip",
    "folder",
]
_OF_PROCESSES = ("cube", "tau", "caliper")
_BY_SUFFIX: dict[str, Format] = {".csv": "csv", ".parquet": "parquet", ".json": "extra-p-json"}
_BY_SUFFIX |= {".jsonl": "extra-p-jsonl", ".ndjson": "extra-p-jsonl", ".mpip": "mpip", ".mpiP": "mpip"}


def read_measurements(
    path: str | Path | Sequence[str | Path],
    format: Format | None = None,
    *,
    units: Mapping[str, str] | None = None,
    plain: Collection[str] = (),
) -> Measurements:
    """Read measurements.

    Parameters
    ----------
    path : path or sequence of paths
        Several files make one table.
    format : str, optional
        ``csv`` (tidy or wide, also ``.csv.gz``), ``parquet``, ``extra-p``, ``extra-p-json``, ``extra-p-jsonl``,
        ``extra-p-experiment``, ``cube``, ``tau``, ``caliper``, ``hpctoolkit``, ``mpip`` or ``folder``; known by the
        content of each file, or by its name where that says nothing.
    units : mapping of str to str, optional
        Units of metrics that have none in the files, such as ``{"time": "ms"}``; of a wide table also which columns
        without a unit are metrics.
    plain : collection of str
        Headings of wide tables that are metrics without a unit, not parameters.

    Returns
    -------
    Measurements

    Raises
    ------
    InputError
        What cannot be read, with file and line or row.
    """
    paths = [Path(path)] if isinstance(path, (str, Path)) else [Path(file) for file in path]
    if not paths:
        raise InputError("no file of measurements")
    if format is not None and format not in get_args(Format):
        raise InputError(f"format '{format}'", allowed=get_args(Format), wrong=format, candidates=get_args(Format))
    rows: list[Row] = []
    warnings: list[str] = []
    digest = hashlib.sha256()
    given = units or {}
    of_processes: set[str] = set()
    bare = {*plain, *given}
    for given_path in paths:
        file = (database_in(given_path) if given_path.is_dir() else None) or given_path
        read, notes = (
            _folder(file, digest, of_processes)
            if file.is_dir()
            else _file(file, format, digest, bare, alone=len(paths) == 1, of_processes=of_processes)
        )
        if format == "folder" and not file.is_dir():
            raise InputError("is no folder", file=file)
        rows.extend(replace(row, unit="") if row.unit == "1" and row.metric in given else row for row in read)
        warnings.extend(notes if len(paths) == 1 else [f"{file.name}: {text}" for text in notes])
    rows.extend(mean_rows(rows, of_processes))
    source = str(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    return assembled(rows, source, digest.hexdigest(), units=units, warnings=warnings)


def _bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise InputError(
                f"is too large ({size / 1e6:.0f} MB)", file=path, allowed=f"up to {LARGEST_FILE / 1e6:g} MB"
            )
        data = path.read_bytes()
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(LARGEST_FILE + 1)
            if len(data) > LARGEST_FILE:
                raise InputError("is too large when unpacked", file=path, allowed=f"up to {LARGEST_FILE / 1e6:g} MB")
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    return data


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1 << 16)
    except OSError:
        return b""  # reading the whole says why


def _format_of(path: Path, data: bytes) -> Format:
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if b'"column_metadata"' in data[-65536:] or b'"column_metadata"' in data[:65536]:
        return "caliper"
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if data[257:262] == b"ustar" or suffix == ".cubex":
        return "cube"
    if data[:4] == b"PK\x03\x04":
        return "extra-p-experiment"
    if b"templated_functions" in data[:64]:
        return "tau"
    if data[:4] == b"PAR1":
        return "parquet"
    lines = [line.strip() for line in data[:4096].decode("utf-8", "replace").splitlines()]
    begun = next((line for line in lines if line and not line.startswith("#")), "")
    if begun.startswith("@"):
        return "mpip"
    if begun.split(" ")[0].split("\t")[0] in ("PARAMETER", "POINTS", "METRIC", "REGION", "EXPERIMENT"):
        return "extra-p"
    if begun.startswith("{"):
        return "extra-p-json"
    if "," in begun:
        return "csv"
    raise InputError("is in no format that is known", file=path, allowed=get_args(Format))


def _file(
    path: Path,
    format: Format | None,
    digest: hashlib._Hash,
    plain: Collection[str] = (),
    *,
    alone: bool = False,
    named: bool = False,
    of_processes: set[str],
) -> tuple[list[Row], list[str]]:
    begun = _beginning(path)
    if format in (None, "hpctoolkit") and is_hpctoolkit(begun):
        of_processes.add(str(path))
        for part in (path, *files_beside(path)):  # gone through: these may be larger than what is held at once
            with part.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return read_hpctoolkit(path, begun, alone=not named)
    data = _bytes(path)
    if not alone:  # of one file the hash is that of its bytes, which anyone can check
        digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)
    name, kind = str(path), format or _format_of(path, data)
    if kind in _OF_PROCESSES:
        of_processes.add(name)
    if kind == "parquet":
        return read_parquet_rows(data, name, plain)
    if kind == "cube":
        return read_cube(path, alone=not named)
    if kind == "hpctoolkit":
        raise InputError("is no database of HPCToolkit", file=path, allowed="its folder, meta.db or experiment.xml")
    if kind == "extra-p-experiment":
        return read_extra_p_experiment(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot be read: {error}", file=path, allowed="UTF-8") from None
    if kind == "csv":
        return read_csv_rows(text, name, plain)
    if kind == "extra-p":
        return read_extra_p_text(text, name)
    if kind == "extra-p-json":
        return read_extra_p_json(text, name)
    if kind == "extra-p-jsonl":
        return read_extra_p_lines(text, name)
    if kind == "tau":
        return read_tau(text, name)
    if kind == "caliper":
        return read_caliper(text, name)
    if kind == "mpip":
        return read_mpip(text, name)
    raise InputError("is no folder", file=path)


def _folder(path: Path, digest: hashlib._Hash, of_processes: set[str]) -> tuple[list[Row], list[str]]:
    from dataclasses import replace

    rows: list[Row] = []
    warnings: list[str] = []
    for entry in entries_of(path):
        digest.update(f"{entry.file.relative_to(path)}\n".encode())
        read, notes = _file(entry.file, None, digest, named=True, of_processes=of_processes)
        warnings.extend(f"{entry.file.relative_to(path)}: {text}" for text in notes)
        for row in read:
            for name, value in entry.parameters.items():
                if row.parameters.get(name, value) != value:
                    raise InputError(
                        f"{name} = {row.parameters[name]:g}, but {value:g} by the name", file=entry.file, key=row.place
                    )
            rows.append(
                replace(
                    row,
                    parameters={**entry.parameters, **row.parameters},
                    repetition=entry.repetition if row.repetition is None else row.repetition,
                    application=row.application or entry.application,
                    file=str(entry.file),
                )
            )
    return rows, warnings
