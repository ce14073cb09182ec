"""The command `trust`: how sure the frontier of a run is while some numbers are not known."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import AllowCode, Folder, Json

if TYPE_CHECKING:
    from dse.api import Run

__all__ = ["decide", "register"]


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
    from dse.cli.output import print_json
    from dse.cli.trust_text import print_trust

    loaded = Run.load(folder, allow_code=allow_code)
    found = loaded.trust(draws=draws, seed=seed, cells=cells, progress=_tell)
    if json:
        print_json(found.as_dict())
    else:
        print_trust(loaded, found)


def decide(run: Run, rule: dict[str, object] | None, where: Sequence[str], meets: float | None, *, json: bool) -> int:
    """Print which design is the best of a rule how probably, and which one is robust."""
    from dse.analysis.trust import decide_run
    from dse.cli.output import print_json, say
    from dse.cli.trust_text import print_decision

    found = decide_run(run, rule, where, meets=meets)
    if json:
        print_json({"decisions": [decision.model_dump() for decision in found], "units": run.units})
    else:
        for decision in found:
            print_decision(run, decision)
        say(f"{run.headline}; {found[0].draws} draws")
    return 0 if all(decision.robust is not None for decision in found) else 1


def _tell(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what} …" if what else "\r\x1b[K")
        sys.stderr.flush()
