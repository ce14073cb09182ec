"""The options of a search: where it is kept, how it goes, what it may leave out, when it stops."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.errors import InputError

__all__ = [
    "AcceptLedger",
    "Budget",
    "Cluster",
    "CountInfeasible",
    "Evaluations",
    "Fresh",
    "Jobs",
    "Method",
    "NoCache",
    "RunFolder",
    "Tolerance",
    "tolerance_of",
]

RunFolder = Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/<name of the study>.")]
Jobs = Annotated[int | None, typer.Option(min=0, help="Processes; 0: one per processor. The result is the same.")]
Method = Annotated[
    str | None,
    typer.Option(help="auto, exhaustive, bundles or groups: the same result. evolve: good designs, no bound."),
]
Evaluations = Annotated[
    int | None, typer.Option(min=1, help="With --method evolve: the most designs that are evaluated.")
]
CountInfeasible = Annotated[
    bool | None, typer.Option("--count-infeasible/--no-count", help="Count the designs that break each constraint.")
]
Tolerance = Annotated[
    list[str],
    typer.Option(
        "--tolerance",
        help='How much worse than what is left out a design found may be: "1 %", or of an objective '
        'OBJECTIVE="1 %" or OBJECTIVE="0.2 MW".',
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        help='Stop after a time ("60 s") and say within what the frontier holds; the same command goes on. '
        '"none": no budget where the study names one.'
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Start over; an old run in the folder moves to .old/ beside it.")]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Neither look up nor keep results of costly models in your cache folder; DSE_NO_CACHE=1 for all commands.",
    ),
]
AcceptLedger = Annotated[
    bool,
    typer.Option(
        "--accept-ledger",
        help="Believe a finished run, or finished blocks, in the folder that bear no seal of this user; said wherever "
        "the result is shown.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="A Dask scheduler whose workers search. The result is the same."),
]


def tolerance_of(given: list[str]) -> str | dict[str, object] | None:
    """Return a tolerance for all objectives, or by objective."""
    if not given:
        return None
    pairs = [text.partition("=") for text in given]
    if len(given) == 1 and not pairs[0][1]:
        return given[0]
    names = [name for name, _, _ in pairs]
    for text, (name, equals, _) in zip(given, pairs, strict=True):
        if not equals:
            raise InputError(f"'{text}' names no objective", key="--tolerance", allowed='OBJECTIVE="1 %"')
        if names.count(name) > 1:
            raise InputError(f"'{name}' stands twice", key="--tolerance")
    return {name.strip(): value.strip() for name, _, value in pairs}
