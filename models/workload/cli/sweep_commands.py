"""The command `dse profile sweep`: profiles of a program at several sizes and numbers of ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 3

_LAUNCHER = "mpirun --oversubscribe -n {ranks}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "profile").command(
        epilog="Example: dse profile sweep -o cg- --sizes n=12,24,36 --ranks 1,8,27,64 --merge --dry-run -- ./cg {n}",
        context_settings={"allow_interspersed_args": False},
    )(sweep)


def sweep(
    program: Annotated[list[str], typer.Argument(help="The program after --, with {n} where a size goes.")],
    out: Annotated[str, typer.Option("--out", "-o", help="What the names of the profiles begin with: cg-.")],
    sizes: Annotated[list[str], typer.Option(help="NAME=VALUE,VALUE,…; may be repeated.")],
    ranks: Annotated[str, typer.Option(help="Numbers of processes: 1,8,27,64.")],
    merge: Annotated[
        bool, typer.Option("--merge", help="Make one class of threads that differ by less than 1 %.")
    ] = False,
    launcher: Annotated[str, typer.Option(help="How a number of processes is started.")] = _LAUNCHER,
    sample: Annotated[str, typer.Option(help="As of dse profile record.")] = "default",
    from_function: Annotated[
        str | None, typer.Option("--from", help="A function: its calls alone are recorded, as of dse profile record.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the runs, and start none.")] = False,
    json: Json = False,
) -> None:
    """Record a program at every size and number of ranks; profiles that exist are kept."""
    from dse.cli.text.output import print_json, say
    from dse.models.workload.cli.sweep_runs import planned_runs, record_runs, recording_settings

    runs = planned_runs(out, sizes, ranks, program, launcher)
    if dry_run:
        if json:
            print_json({"runs": [swept.summary() for swept in runs]})
            return
        for swept in runs:
            say(f"{swept.file}{' (kept: it exists)' if swept.file.exists() else ''}: {swept.line}")
        return
    if not out or Path(out).name.startswith("-"):
        raise InputError(f"'{out}'", key="--out", allowed="what the names begin with, such as cg-")
    account = record_runs(runs, recording_settings(sample, from_function), merge=merge, json=json)
    if json:
        print_json(account)
    else:
        failed, kept = len(account["failed"]), len(account["kept"])
        say(f"recorded {len(account['recorded'])}, kept {kept}" + (f", {failed} failed and left out" if failed else ""))
        say(f'next: dse profile fit {out}*.json --size "cells = …" -o {out.rstrip("-._") or "program"}.laws.json')
    if account["failed"]:
        raise typer.Exit(1)
