"""Which rows and columns of a frontier are meant, and a new file to write them to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from dse.api import Run
    from dse.run.result.design_names import names_of
else:
    (names_of,) = later("dse.run.result.design_names", "names_of")

__all__ = ["Columns", "Raw", "Rows", "Sort", "chosen_columns", "chosen_rows", "write_rows"]

Rows = Annotated[int | None, typer.Option("--rows", min=1, help="So many rows, the first or best ones.")]
Sort = Annotated[str | None, typer.Option("--sort", help="By a column: an objective, the best first; others upwards.")]
Raw = Annotated[
    bool,
    typer.Option("--raw", help="CSV with texts as they are: else those that begin with = + - @ get an apostrophe."),
]
Columns = Annotated[str | None, typer.Option("--columns", help="Only these columns: cores,run_time.")]


def chosen_columns(run: Run, text: str | None) -> list[str]:
    """Return the columns that are asked for; none where nothing is."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("names no column", key="--columns", allowed=_shown(run))
    for name in names:
        _refuse_unknown(run, name, "--columns")
    return list(dict.fromkeys(names))


def chosen_rows(run: Run, sort: str | None, most: int | None, *, by_name: bool = False) -> list[int]:
    """Return the rows that are asked for, in their order: rows alike in what sorts them as they stand."""
    if sort is None and by_name:
        return [int(row) for row in run.ranks.argsort()[:most]]
    order = list(range(len(run.frontier)))
    if sort is not None:
        _refuse_unknown(run, sort, "--sort")
        senses = {o["quantity"]: o["sense"] for o in run.objectives}
        values = run.frontier[sort].tolist()
        texts = any(isinstance(value, str) for value in values)
        keys = [str(value) if texts else float("inf") if value != value else float(value) for value in values]
        down = senses.get(sort) == "max"
        order.sort(key=lambda row: -keys[row] if down else keys[row])  # type: ignore[operator]
    return order[:most]


def _refuse_unknown(run: Run, name: str, key: str) -> None:
    if name not in run.frontier.columns:
        known = _shown(run)
        raise InputError(f"the frontier has no column '{name}'", key=key, allowed=known, wrong=name, candidates=known)


def _shown(run: Run) -> list[str]:
    return [str(name) for name in run.frontier.columns]


def write_rows(
    run: Run, rows: Sequence[int], columns: Sequence[str], form: str, file: str, *, raw: bool = False
) -> str:
    """Write rows of the frontier: row and name, then the columns. ``-`` is the screen.

    Returns
    -------
    str
        What was written, in words; empty for the screen.

    Raises
    ------
    InputError
        A file that exists, a folder that does not, a file on the screen that is none of text.
    """
    from dse.run.result.exported import TEXTS, text_of, write_parquet, write_text

    if raw and form != "csv":
        raise InputError("goes with CSV only", key="--raw")

    table = _part(run, rows, columns, form)
    units = {**run.units, **run.frontier.units}
    path = Path(file)
    if file == "-":
        if form not in TEXTS:
            texts = f"a file, or --format {', '.join(TEXTS)}"
            raise InputError(f"'{form}' is no text for the screen", key="--out", allowed=texts)
        sys.stdout.write(text_of(table, units, form, raw=raw))
        return ""
    if path.exists():
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name, or -")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder '{path.parent}'", file=file, allowed="a file in a folder that is there")
    if form in TEXTS:
        write_text(table, units, path, form, raw=raw)
    else:
        write_parquet(table, units, path)
    return f"wrote {path}: {len(table)} designs\n"


def _part(run: Run, rows: Sequence[int], columns: Sequence[str], form: str) -> pd.DataFrame:
    """Return the designs with their names, and with their rows where a program reads them."""
    part = run.frontier.iloc[list(rows)]
    table = part[list(columns)].copy() if columns else part.copy()
    marks: dict[str, list[str] | list[int]] = {"name": names_of(run, rows), "row": list(rows)}
    for mark, values in marks.items():
        if mark not in table.columns and (mark == "name" or form != "markdown"):
            table.insert(0, mark, values)
    return table
