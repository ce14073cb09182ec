"""The command `show`: the frontier of a run, whole or in part, on the screen or as a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options.options import AllowCode, Folder, Json
from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from dse.api import Run

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse show runs/ska-correlator --all · "
        "dse show runs/ska-correlator --sort total_power --rows 5 --columns cores,node_power,total_power · "
        "dse show runs/ska-correlator --csv frontier.csv"
    )(show)


def show(
    folder: Folder,
    every: Annotated[bool, typer.Option("--all", help="All rows.")] = False,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="So many rows, the first or best ones.")] = None,
    sort: Annotated[
        str | None, typer.Option("--sort", help="By a column: an objective, the best first; others upwards.")
    ] = None,
    columns: Annotated[str | None, typer.Option("--columns", help="Only these columns: cores,run_time.")] = None,
    csv: Annotated[
        str | None,
        typer.Option("--csv", help="Write a new file instead (- is stdout): SI, units in headings."),
    ] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Show the frontier of a run and the account of its search, or a table of its rows."""
    from dse.api import Run
    from dse.cli.text.answer import print_answer
    from dse.cli.text.frontier_table import MOST, frontier_table, rows_table
    from dse.cli.text.output import print_certificate, references_table, say
    from dse.cli.text.run_words import print_changes, print_headline, print_nothing_feasible
    from dse.cli.text.validation import print_validation_of_frontier

    if json and csv is not None:
        raise InputError("does not go with --json", key="--csv", allowed="one of them")
    if rows is not None and every:
        raise InputError("does not go with --all", key="--rows", allowed="one of them")
    loaded = Run.load(folder, allow_code=allow_code)
    names = _columns(loaded, columns)
    chosen = _rows(loaded, sort, rows)
    if json:
        _print_document(loaded, folder, chosen, names)
        return 0
    if csv is not None:
        _write_csv(loaded, chosen, names, csv)
        return 0
    if len(loaded.frontier) and (rows is not None or sort is not None or names):
        if rows is None and not every:
            chosen = chosen[:MOST]
        rows_table(loaded, chosen, names)
        say(f"{len(chosen)} of {len(loaded.frontier)} designs")
        return 0
    print_headline(loaded)
    if not len(loaded.frontier):
        print_nothing_feasible(loaded)
    else:
        if every:
            rows_table(loaded, chosen)
        else:
            frontier_table(loaded)
        print_validation_of_frontier(loaded, every=every)
    references_table(loaded, None if every else MOST)
    print_certificate(loaded)
    print_changes(loaded)
    print_answer(loaded)
    return 0


def _columns(run: Run, text: str | None) -> list[str]:
    """Return the columns that are asked for; none where nothing is."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("names no column", key="--columns", allowed=_shown(run))
    for name in names:
        _refuse_unknown(run, name, "--columns")
    return list(dict.fromkeys(names))


def _rows(run: Run, sort: str | None, most: int | None) -> list[int]:
    """Return the rows that are asked for, in their order: rows alike in what sorts them as they stand."""
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


def _write_csv(run: Run, rows: Sequence[int], columns: Sequence[str], file: str) -> None:
    """Write rows of the frontier as a spreadsheet reads them: the row, then the columns with their SI units."""
    table = _with_units(run, rows, columns)
    if file == "-":
        table.to_csv(sys.stdout, index=False)
        return
    path = Path(file)
    if path.exists():
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name, or -")
    try:
        table.to_csv(path, index=False)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=file) from None
    sys.stdout.write(f"wrote {path}: {len(table)} designs\n")


def _with_units(run: Run, rows: Sequence[int], columns: Sequence[str]) -> pd.DataFrame:
    from dse.cli.text.output import units_of
    from dse.run.result.exported import headings_of

    part = run.frontier.iloc[list(rows)]
    units = units_of(run.frontier, run.units)
    part = part[list(columns)] if columns else part
    table = part.rename(columns=headings_of(part, units))
    table.insert(0, "row", list(rows))
    return table


def _print_document(run: Run, folder: str, rows: Sequence[int], columns: Sequence[str]) -> None:
    """Print the run as JSON, its frontier with the rows that are asked for."""
    from dse.cli.options.variant import derived
    from dse.cli.text.output import print_json
    from dse.cli.text.run_words import answer_document, designs_document
    from dse.report.words.answer import answer_of
    from dse.run.result.uncertainty_account import read_uncertainty

    document = {key: value for key, value in run.manifest.as_dict().items() if key not in ("study_text", "frontier")}
    document["derived_from"] = derived(run)
    document["folder"] = folder
    document["changes"] = run.changes
    trust = read_uncertainty(run)
    if trust is not None:
        document["trust"] = trust.as_dict()
    document["answer"] = answer_document(answer_of(run))
    document |= designs_document(run)
    if len(rows) != len(run.frontier) or list(rows) != list(range(len(rows))):
        document["frontier"] = document["frontier"].iloc[list(rows)].assign(row=list(rows))
    if columns:
        document["frontier"] = document["frontier"][["design", *(name for name in columns if name != "design")]]
    print_json(document)
