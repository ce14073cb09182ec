"""Frontiers as files for other programs, with the SI unit of each column: CSV, Parquet, JSON and Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dse.run.disk.arrow_tables import put_parquet
from dse.run.disk.folder import RunFolder
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TEXTS", "for_spreadsheets", "headings_of", "text_of", "write_csv", "write_parquet", "write_text"]


def headings_of(frame: pd.DataFrame, units: Mapping[str, str]) -> dict[str, str]:
    """Return the heading of each column as catalogues have it: ``power [W]``, a bare name for a count or a text."""
    bare = ("1", TEXT)
    return {name: name if units.get(name, TEXT) in bare else f"{name} [{units[name]}]" for name in frame.columns}


def as_csv(frame: pd.DataFrame, units: Mapping[str, str]) -> str:
    """Return a table as CSV in SI, the unit in each heading; numbers to the last digit (`for_spreadsheets`)."""
    return as_raw_csv(for_spreadsheets(frame), {str(_unformed(name)): unit for name, unit in units.items()})


def as_raw_csv(frame: pd.DataFrame, units: Mapping[str, str]) -> str:
    """Return a table as CSV in SI with its texts as they are, which a spreadsheet may take for formulas."""
    return str(frame.rename(columns=headings_of(frame, units)).to_csv(index=False, lineterminator="\n"))


def for_spreadsheets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts no spreadsheet takes for a formula: an apostrophe before = + - @ and tabs."""
    texts = {name: frame[name].map(_unformed) for name in frame.columns if frame[name].dtype.kind not in "biuf"}
    return frame.assign(**texts).rename(columns=_unformed)


def _unformed(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def as_json(frame: pd.DataFrame, units: Mapping[str, str]) -> str:
    """Return a table as JSON: ``units`` by column, ``rows``, each a table, in SI; what is no number is null."""
    columns = {str(name): [_plain(value) for value in frame[name].tolist()] for name in frame.columns}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    known = {name: units[name] for name in columns if units.get(name, TEXT) != TEXT}
    return json.dumps({"units": known, "rows": rows}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_markdown(frame: pd.DataFrame, units: Mapping[str, str]) -> str:
    """Return a table as Markdown for people: readable units in the headings, digits that tell its rows apart."""
    from dse.run.result.tables import readable_cells

    heads, rules, columns = [], [], []
    for name in frame.columns:
        unit, cells = readable_cells(frame[name], units.get(name, TEXT), len(frame))
        heads.append(f"{name} [{unit}]" if unit not in ("", "1") else str(name))
        rules.append("---:" if frame[name].dtype.kind in "iuf" else "---")
        columns.append(cells)
    lines = [heads, rules, *zip(*columns, strict=True)]
    return "".join(f"| {' | '.join(_cell(text) for text in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())


_FORMULA = ("=", "+", "-", "@", "\t", "\r")

TEXTS: dict[str, Callable[[pd.DataFrame, Mapping[str, str]], str]] = {
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
}
"""What returns a table as a text, by the name of its format."""


def text_of(frame: pd.DataFrame, units: Mapping[str, str], form: str, *, raw: bool = False) -> str:
    """Return a table in one of the formats that are texts; `raw`: as CSV with its texts as they are."""
    return as_raw_csv(frame, units) if raw and form == "csv" else TEXTS[form](frame, units)


def write_text(
    frame: pd.DataFrame, units: Mapping[str, str], path: str | Path, form: str, *, raw: bool = False
) -> Path:
    """Write a table in one of the formats that are texts."""
    data = text_of(frame, units, form, raw=raw).encode()

    def put(file: Path) -> None:
        file.write_bytes(data)

    return _write(path, put)


def write_csv(frame: pd.DataFrame, units: Mapping[str, str], path: str | Path, *, raw: bool = False) -> Path:
    """Write a table as CSV in SI, the unit in each heading; numbers to the last digit."""
    return write_text(frame, units, path, "csv", raw=raw)


def write_parquet(frame: pd.DataFrame, units: Mapping[str, str], path: str | Path) -> Path:
    """Write a table as Parquet in SI, with ``unit`` in the metadata of each field that has one."""
    return _write(path, lambda file: put_parquet(frame, units, file))


def _write(path: str | Path, writer: Callable[[Path], None]) -> Path:
    target = Path(path)
    return RunFolder(target.parent).write(target.name, writer)
