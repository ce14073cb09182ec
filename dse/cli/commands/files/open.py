"""The command `open`: the page of a run, live, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.options import AllowCode, Json
from dse.cli.text.output import print_json, say
from dse.errors import InputError
from dse.units import parse_quantity

if TYPE_CHECKING:
    from dse.live.serve import serve
else:
    (serve,) = later("dse.live.serve", "serve")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        name="open",
        epilog="Examples: dse open ska-correlator · dse open runs/ska-correlator · dse open --no-browser --port 8765",
    )(open_page)


def open_page(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[STUDY|RUN]", help="A study, or the folder of a run. Default: the list of runs here."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port. Default: one that is free.")] = 0,
    memory: Annotated[
        str | None,
        typer.Option(help='What each search may use, "8 GB"; "0 B": no limit. Default: 3/4 of the machine\'s.'),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")] = True,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Open a study or a run in the browser: change it, search again, compare. For one user, on this machine.

    The link it prints has a token: who has the link is the user. Ctrl-C ends it; nothing that was found is lost.
    """

    def announce(link: str) -> None:
        if json:
            print_json({"url": link, "folder": str(Path.cwd())})
        else:
            say(f"open: {link}")
            say("one user, one machine: only who has this link gets in; Ctrl-C ends it")

    try:
        serve(
            name,
            Path.cwd(),
            port=port,
            memory=_bytes(memory),
            allow_code=allow_code,
            browser=browser,
            announce=announce,
        )
    except KeyboardInterrupt:  # the way it ends
        return 0
    return 0


def _bytes(memory: str | None) -> int | None:
    if memory is None:
        return None
    try:
        return int(parse_quantity(memory, "B"))
    except InputError as error:
        raise InputError(error.problem, key="--memory", allowed='"8 GB"; "0 B" for no limit') from None
