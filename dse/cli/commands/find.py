"""The command that searches what comes with dse: find."""

from __future__ import annotations

from typing import Annotated

import typer

from dse.cli.options.options import Json
from dse.cli.text.output import print_json, say, table
from dse.errors import nearest

__all__ = ["register"]

_LISTED = 40
_LONGEST = 90


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Examples: dse find power; dse find switch latency; dse find torus --json")(find)


def find(
    words: Annotated[list[str], typer.Argument(metavar="WORD…", help="In a name, a description, or a unit.")],
    every: Annotated[bool, typer.Option("--all", help="All that is found, however much.")] = False,
    json: Json = False,
) -> int:
    """Find quantities, models, parts and studies by a word. Exit code 1 when nothing fits."""
    from dse.study.file import finding

    matches = finding.find(words)
    near = None if matches else nearest(" ".join(words).replace(" ", "_"), finding.known_names())
    if json:
        print_json({"words": words, "found": [item.as_dict() for item in matches], "nearest": near})
        return 0 if matches else 1
    if not matches:
        say(f"nothing fits {' '.join(words)}" + (f"; did you mean '{near}'?" if near else ""))
        return 1
    shown = matches if every else matches[:_LISTED]
    rows = [[item.kind, item.name, item.place, item.unit, _short(item.doc or item.see)] for item in shown]
    table(["what", "name", "in", "unit", "description"], rows)
    if len(matches) > len(shown):
        say(f"… {len(matches) - len(shown)} more: --all, or another word beside")
    say(f"one in full: {matches[0].see}" if matches[0].see.startswith("dse ") else f"in a study: {matches[0].see}")
    return 0


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
