"""What the tables of a run must hold: the columns its manifest names, of the right kinds, designs of its space."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.errors import InputError, RunFolderError, refuse_control, shown
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.disk.manifest import Manifest

__all__ = ["LARGEST_TABLE", "columns_of", "read_table", "refuse_other_columns", "refuse_other_sample"]

LARGEST_TABLE = 1_000_000_000
"""Bytes of a table beyond which it is not read."""
_MOST_CELLS = 50_000_000
_NUMBER = "fiu"


def read_table(data: bytes, digest: str | None, file: Path, manifest: Manifest | None = None) -> pd.DataFrame:
    """Return a table of a run, whose bytes must be those the run wrote: Parquet has no checksum of its own.

    Parameters
    ----------
    data : bytes
    digest : str or None
        Their hash, as the manifest has it.
    file : Path
        Where they stand.
    manifest : Manifest, optional
        Of a frontier: a missing column is told by name.
    """
    import pyarrow.parquet

    try:  # pandas' own reader imports its datasets and file systems too, which takes a tenth of a second
        with pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data)) as opened:
            _refuse_large(opened.metadata, opened.schema_arrow, file)
            frame: pd.DataFrame = opened.read().to_pandas()
    except RunFolderError:
        raise
    except Exception as error:
        first = str(error).split("\n")[0]
        raise RunFolderError(f"cannot be read: {first}", file=file) from None
    if hashlib.sha256(data).hexdigest() != digest:
        if manifest is not None:
            _refuse_missing(frame, columns_of(manifest), file)
        raise RunFolderError("was changed after the run wrote it", file=file, allowed="dse run --fresh")
    return frame


def _refuse_large(parquet: Any, schema: Any, file: Path) -> None:
    """Refuse a table that few bytes may spread over much memory, and cells that are no single values."""
    import pyarrow.types

    if parquet.num_rows * max(1, parquet.num_columns) > _MOST_CELLS:
        size = f"has {parquet.num_rows} rows of {parquet.num_columns} columns"
        raise RunFolderError(size, file=file, allowed=f"at most {_MOST_CELLS} cells")
    if sum(parquet.row_group(group).total_byte_size for group in range(parquet.num_row_groups)) > LARGEST_TABLE:
        raise RunFolderError("holds too much", file=file, allowed=f"at most {LARGEST_TABLE} bytes")
    if any(pyarrow.types.is_nested(column.type) for column in schema):
        raise _damaged("has cells that are neither numbers nor texts", file)


def columns_of(manifest: Manifest) -> list[str]:
    """Return the columns that the frontier of a run has, in no order that counts."""
    space = manifest.space
    objectives = [objective["quantity"] for objective in manifest.objectives]
    names = ["design", *objectives, *_texts_of(manifest), *(axis.name for axis in space.axes), *manifest.also]
    return list(dict.fromkeys([*names, "extrapolated"]))


def _texts_of(manifest: Manifest) -> Iterator[str]:
    """Yield the columns of texts that tell designs apart."""
    if any(alternative.name for alternative in manifest.space.alternatives):
        yield "alternative"
    for axis in manifest.space.axes:
        if axis.confidences:
            yield f"{axis.name}_confidence"
        if axis.validations:
            yield f"{axis.name}_validation"


def refuse_other_columns(frame: pd.DataFrame, manifest: Manifest, file: Path) -> None:
    """Refuse a frontier that no run writes.

    Raises
    ------
    RunFolderError
        A column is missing or of another kind, a design is none of the space, an objective or an axis is not finite,
        or a text moves the cursor of a terminal.
    """
    _refuse_missing(frame, columns_of(manifest), file)
    _refuse_control(frame, file)
    _refuse_designs(frame, manifest, file)
    for objective in manifest.objectives:
        _refuse_not_finite(frame, objective["quantity"], file)
    for name in [*_texts_of(manifest), "extrapolated"]:
        if not all(isinstance(cell, str) for cell in frame[name].unique().tolist()):
            raise _damaged(f"the column '{name}' holds what is no text", file)
    axes = {axis.name for axis in manifest.space.axes}
    for name in manifest.also:
        if name not in axes and manifest.units.get(name, TEXT) != TEXT:
            _refuse_no_number(frame, name, file)
    for axis in manifest.space.axes:
        if frame[axis.name].dtype.kind in _NUMBER and np.isinf(frame[axis.name].to_numpy(dtype=float)).any():
            raise _damaged(f"the column '{axis.name}' is infinite", file)
    units = frame.attrs.get("units", {})
    if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
        raise _damaged("its units are no texts", file)


def refuse_other_sample(frame: pd.DataFrame, manifest: Manifest, file: Path) -> None:
    """Refuse a sample of designs that no run writes; objectives of a design that is not feasible may be anything."""
    objectives = [objective["quantity"] for objective in manifest.objectives]
    _refuse_missing(frame, ["design", *objectives, "feasible"], file)
    _refuse_designs(frame, manifest, file)
    if frame["feasible"].dtype.kind != "b":
        raise _damaged("the column 'feasible' holds what is neither true nor false", file)
    for name in objectives:
        _refuse_no_number(frame, name, file)
    if "violated" in frame.columns:
        _refuse_no_number(frame, "violated", file)
        places = frame["violated"].to_numpy(dtype=float)
        if len(places) and not (places.min() >= -1 and places.max() < max(1, len(manifest.constraints))):
            raise _damaged("the column 'violated' names a constraint that is none of the study", file)


def _damaged(problem: str, file: Path) -> RunFolderError:
    return RunFolderError(f"{problem}; the file is damaged", file=file)


def _refuse_missing(frame: pd.DataFrame, wanted: list[str], file: Path) -> None:
    if not frame.columns.is_unique:
        raise _damaged("two columns have one name", file)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise _damaged(f"the column '{missing[0]}' is missing", file)


def _refuse_designs(frame: pd.DataFrame, manifest: Manifest, file: Path) -> None:
    designs, size = frame["design"], manifest.space.designs
    if not len(frame):
        return
    if designs.dtype.kind not in "iu":
        raise _damaged("the column 'design' holds what is no whole number", file)
    numbers = designs.to_numpy()
    if int(numbers.min()) < 0 or int(numbers.max()) >= size:
        wrong = int(numbers.min()) if int(numbers.min()) < 0 else int(numbers.max())
        raise RunFolderError(f"there is no design {wrong} in the space", file=file, allowed=f"0 to {size - 1}")


def _refuse_no_number(frame: pd.DataFrame, name: str, file: Path) -> None:
    if len(frame) and frame[name].dtype.kind not in _NUMBER:
        raise _damaged(f"the column '{name}' holds what is no number", file)


def _refuse_not_finite(frame: pd.DataFrame, name: str, file: Path) -> None:
    _refuse_no_number(frame, name, file)
    values = frame[name].to_numpy(dtype=float) if len(frame) else np.empty(0)
    for row in np.flatnonzero(~np.isfinite(values))[:1]:
        raise _damaged(f"'{name}' is {shown(values[row])} in row {row}", file)


def _refuse_control(frame: pd.DataFrame, file: Path) -> None:
    """Refuse control characters in the headings and texts of a table, and cells that are neither numbers nor texts."""
    try:
        texts = [frame[name].unique().tolist() for name in frame.columns if frame[name].dtype.kind not in "biuf"]
        if not all(isinstance(cell, str) for column in texts for cell in column):
            raise TypeError
        refuse_control([[str(name) for name in frame.columns], *texts])
    except TypeError:  # cells that are lists
        raise RunFolderError("has cells that are neither numbers nor texts; the file is damaged", file=file) from None
    except InputError as error:
        raise RunFolderError(error.problem, file=file) from None
