"""Tables as Arrow holds them: with the SI unit of each column in the metadata of its field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["put_parquet", "with_field_units"]

_ATTRIBUTES = b"PANDAS_ATTRS"  # where pandas looks for what a table knows of itself


def with_field_units(frame: pd.DataFrame, units: Mapping[str, str]) -> pa.Table:
    """Return a table, with ``unit`` in the metadata of each field that has one; what pandas knows of it is kept."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    known = {name: unit for name, unit in units.items() if unit != TEXT}
    fields = [
        field.with_metadata({"unit": known[field.name]}) if field.name in known else field for field in table.schema
    ]
    metadata = dict(table.schema.metadata)
    if frame.attrs:
        metadata[_ATTRIBUTES] = json.dumps(frame.attrs).encode()
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, metadata=metadata))


def put_parquet(frame: pd.DataFrame, units: Mapping[str, str], path: Path) -> None:
    """Write a table as Parquet in SI, with ``unit`` in the metadata of each field that has one."""
    import pyarrow.parquet

    pyarrow.parquet.write_table(with_field_units(frame, units), path)
