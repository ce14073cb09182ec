"""Frontiers as files for other programs, with the SI unit of each column: CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dse.run.disk.folder import RunFolder
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["headings_of", "write_csv", "write_parquet"]


def headings_of(frame: pd.DataFrame, units: Mapping[str, str]) -> dict[str, str]:
    """Return the heading of each column as catalogues have it: ``power [W]``, a bare name for a count or a text."""
    bare = ("1", TEXT)
    return {name: name if units.get(name, TEXT) in bare else f"{name} [{units[name]}]" for name in frame.columns}


def write_csv(frame: pd.DataFrame, units: Mapping[str, str], path: str | Path) -> Path:
    """Write a table as CSV in SI, the unit in each heading; numbers to the last digit."""
    named = frame.rename(columns=headings_of(frame, units))
    return _write(path, lambda file: named.to_csv(file, index=False))


def write_parquet(frame: pd.DataFrame, units: Mapping[str, str], path: str | Path) -> Path:
    """Write a table as Parquet in SI, with ``unit`` in the metadata of each field that has one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    known = {name: unit for name, unit in units.items() if unit != TEXT}
    fields = [
        field.with_metadata({"unit": known[field.name]}) if field.name in known else field for field in table.schema
    ]
    table = table.cast(pa.schema(fields, metadata=table.schema.metadata))
    return _write(path, lambda file: pq.write_table(table, file))


def _write(path: str | Path, writer: Callable[[Path], None]) -> Path:
    target = Path(path)
    return RunFolder(target.parent).write(target.name, writer)
