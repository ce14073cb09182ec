"""The command `trust`: how sure the frontier of a run is while some numbers are not known."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dse.cli.options.options import AllowCode, Folder, Json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse trust runs/hybrid-arm-lb --draws 200")(trust)


def trust(
    folder: Folder,
    draws: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Draws for probabilities. Default: the study's, else 1,000."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the draws.")] = None,
    cells: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Parts into which the values are cut at most. Default: 256."),
    ] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Say how sure a frontier is: which designs are certain and possible, how probable they are, what is robust.

    What is not known stands in [uncertain] of the study; the frontier of the run stays as it is.
    """
    from dse.api import Run
    from dse.cli.text.output import print_json
    from dse.cli.text.uncertainty import print_uncertainty

    run = Run.load(folder, allow_code=allow_code)
    account = run.trust(draws=draws, seed=seed, cells=cells, progress=_show_phase)
    if json:
        print_json(account.as_dict())
    else:
        print_uncertainty(run, account)


def _show_phase(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what} …" if what else "\r\x1b[K")
        sys.stderr.flush()
