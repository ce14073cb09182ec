"""The command `trust`: how sure the frontier of a run is while some numbers are not known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.answer import falsify, print_answer, print_falsification, print_withdrawn
from dse.cli.text.output import print_json, say
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.api import Run
    from dse.cli.text.uncertainty import print_uncertainty
    from dse.run.result.falsification_account import FalsificationAccount
else:
    (print_uncertainty,) = later("dse.cli.text.uncertainty", "print_uncertainty")

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
    measured: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measured systems to hold against the frontier, beside those of the study."),
    ] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Say how sure a frontier is. Which designs are certain and possible, how probable they are, what is robust.

    What is not known stands in [uncertain] of the study; the frontier of the run stays as it is.
    Exit code 3: a measured system contradicts the answer.
    """
    run = stored_run(folder, allow_code=allow_code)
    falsification = falsify(run, measured)
    try:
        account = run.trust(draws=draws, seed=seed, cells=cells, progress=_show_phase)
    except InputError as error:
        if falsification is None or not falsification.refuted:
            raise
        return _refuted_without_draws(run, falsification, error, json=json)
    if json:
        beside = {} if falsification is None else {"falsification": falsification.as_dict()}
        print_json(account.as_dict() | beside)
    else:
        print_withdrawn(run)
        print_uncertainty(run, account)
        print_falsification(run, whole=True)
    return 3 if falsification is not None and falsification.refuted else 0


def _refuted_without_draws(run: Run, falsification: FalsificationAccount, error: InputError, *, json: bool) -> int:
    """Print what refutes the answer where there is no probability to weigh it with."""
    if json:
        print_json({"refused": error.problem, "falsification": falsification.as_dict()})
    else:
        say(f"no probability: {error.problem}")
        print_answer(run)
        print_falsification(run, whole=True)
    return 3


def _show_phase(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what} …" if what else "\r\x1b[K")
        sys.stderr.flush()
