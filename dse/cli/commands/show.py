"""The command `show`: the frontier of a run, whole or in part, on the screen or as a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.options.rows import Columns, Raw, Rows, Sort, chosen_columns, chosen_rows, write_rows
from dse.cli.options.variant import derived
from dse.cli.text.answer import falsification_document, print_answer, print_falsification
from dse.cli.text.output import print_certificate, print_json, references_table, say
from dse.cli.text.run_summary import (
    answer_document,
    designs_document,
    print_changes,
    print_headline,
    print_nothing_feasible,
)
from dse.cli.text.validation import print_validation_of_frontier
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.api import Run
    from dse.report.words.how_sure import how_sure_document
    from dse.run.result.uncertainty_account import read_uncertainty
else:
    (how_sure_document,) = later("dse.report.words.how_sure", "how_sure_document")
    (read_uncertainty,) = later("dse.run.result.uncertainty_account", "read_uncertainty")

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
    rows: Rows = None,
    sort: Sort = None,
    columns: Columns = None,
    csv: Annotated[
        str | None,
        typer.Option("--csv", help="Write a new file instead (- is stdout): SI, units in headings."),
    ] = None,
    raw: Raw = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Show a run again: its frontier, and how it was searched. Or a table of its rows."""
    from dse.cli.text.frontier_table import MOST, frontier_table, rows_table

    if json and csv is not None:
        raise InputError("does not go with --json", key="--csv", allowed="one of them")
    if raw and csv is None:
        raise InputError("goes with --csv only", key="--raw")
    if rows is not None and every:
        raise InputError("does not go with --all", key="--rows", allowed="one of them")
    loaded = stored_run(folder, allow_code=allow_code)
    names = chosen_columns(loaded, columns)
    screen = not json and csv is None
    chosen = chosen_rows(loaded, sort, MOST if screen and rows is None and not every else rows, by_name=screen)
    if json:
        _print_document(loaded, folder, chosen, names)
        return 0
    if csv is not None:
        sys.stdout.write(write_rows(loaded, chosen, names, "csv", csv, raw=raw))
        return 0
    if len(loaded.frontier) and (rows is not None or sort is not None or names):
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
    print_falsification(loaded)
    return 0


def _print_document(run: Run, folder: str, rows: Sequence[int], columns: Sequence[str]) -> None:
    """Print the run as JSON, its frontier with the rows that are asked for."""
    document = {key: value for key, value in run.manifest.as_dict().items() if key not in ("study_text", "frontier")}
    document["derived_from"] = derived(run)
    document["folder"] = folder
    document["changes"], document["strangers"] = run.changes, run.strangers
    document |= {"exact": run.exact, "headline": run.headline}
    trust = read_uncertainty(run)
    if trust is not None:
        document["trust"] = trust.as_dict()
    document["answer"] = answer_document(run)
    document["how_sure"] = how_sure_document(run)
    document["falsification"] = falsification_document(run)
    document |= designs_document(run)
    if len(rows) != len(run.frontier) or list(rows) != list(range(len(rows))):
        document["frontier"] = document["frontier"].iloc[list(rows)].assign(row=list(rows))
    if columns:
        document["frontier"] = document["frontier"][["design", *(name for name in columns if name != "design")]]
    print_json(document)
