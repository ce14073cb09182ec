"""The command `report`: write the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.output import print_json, say
from dse.cli.text.run_summary import print_changes

if TYPE_CHECKING:
    from dse.report.run_page.page import write_report
else:
    (write_report,) = later("dse.report.run_page.page", "write_report")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse report runs/ska-correlator")(report)


def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: report.html in the folder.")] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Write the report of a run as one HTML page. It needs no network."""
    run = stored_run(folder, allow_code=allow_code)
    page = write_report(run, out)
    if json:
        print_json({"report": str(page), "bytes": page.stat().st_size, "changes": run.changes})
    else:
        print_changes(run)
        say(f"report: {page}")
