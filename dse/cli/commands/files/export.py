"""The command `export`: the frontier of a run as a file for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.options.rows import Columns, Raw, Rows, Sort, chosen_columns, chosen_rows, write_rows
from dse.cli.text.output import print_json
from dse.errors import InputError

__all__ = ["register"]

_ENDINGS = {".csv": "csv", ".parquet": "parquet", ".json": "json", ".md": "markdown"}
_FORMATS = tuple(_ENDINGS.values())


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse export runs/ska-correlator --format markdown --rows 5 · "
        "dse export runs/ska-correlator --out frontier.parquet"
    )(export)


def export(
    folder: Folder,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", help=f"{', '.join(_FORMATS)}. Default: by the ending of --out, else csv."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", "-o", help="The file to write; it must not exist. Default: -, the screen.")
    ] = "-",
    rows: Rows = None,
    sort: Sort = None,
    columns: Columns = None,
    raw: Raw = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Write the frontier of a run for other programs, with units.

    csv, parquet and json: SI, every digit. markdown: readable units, for people.
    """
    from dse.api import Run

    if json and out == "-":
        raise InputError("says what was written, and nothing is", key="--json", allowed="--out FILE, --format json")
    chosen = form or _ENDINGS.get(Path(out).suffix, "csv" if out == "-" else None)
    if chosen is None:
        raise InputError(f"'{out}' has no ending of a format", key="--out", allowed=[*_ENDINGS, "--format"])
    if chosen not in _FORMATS:
        raise InputError(
            f"unknown format '{chosen}'", key="--format", allowed=list(_FORMATS), wrong=chosen, candidates=_FORMATS
        )
    run = Run.load(folder, allow_code=allow_code)
    order = chosen_rows(run, sort, rows, by_name=chosen == "markdown")
    written = write_rows(run, order, chosen_columns(run, columns), chosen, out, raw=raw)
    if json:
        print_json({"file": out, "format": chosen, "designs": len(order)})
    else:
        sys.stdout.write(written)
