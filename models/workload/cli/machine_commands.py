"""The command `dse profile machine`: the user's own machine, by microbenchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json

__all__ = ["register"]

PLACE = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "profile").command(epilog="Example: dse profile machine -o mine.json")(machine)


def machine(
    out: Annotated[Path, typer.Option("--out", "-o", help="The description to write: mine.json.")],
    seconds: Annotated[float, typer.Option(min=1.0, max=600.0, help="About how long to measure.")] = 50.0,
    name: Annotated[str, typer.Option(help="Of the machine; its host name if left out.")] = "",
    json: Json = False,
) -> None:
    """Measure this machine: clock, caches, memory, multiplications, pages."""
    from dse.cli.text.output import print_json
    from dse.errors import InputError
    from dse.models.workload.machine.description import cache_sizes, described, write_machine
    from dse.models.workload.machine.microbenchmarks import beside, largest_working_set, run_microbenchmarks

    if out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    sizes = cache_sizes()
    before = beside()
    samples = run_microbenchmarks(seconds, largest_working_set(sizes["l3"] or sizes["l2"]))
    description = described(samples, sizes, _cores(), before, beside(), name=name)
    write_machine(description, out)
    if json:
        print_json(description)
    else:
        _print(description, out)


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _print(description: dict[str, Any], out: Path) -> None:
    from dse.cli.text.output import say, shown, table
    from dse.models.workload.machine.description import study_lines

    say(f"{description['name']}: {description['processor']}, {description['cores']} cores", style="bold")
    rows = [
        [
            name,
            *(shown(figure[part], figure["unit"]) for part in ("value", "median", "least", "largest")),
            str(figure["times"]),
        ]
        for name, figure in description["figures"].items()
    ]
    table(["figure", "taken", "median", "least", "greatest", "times"], rows, right=range(1, 6))
    around = description["beside"]
    others = ", ".join(around["running"][:6]) or "nothing that was seen running"
    say(
        f"beside it: load {around['load_before']:.1f} before and {around['load_after']:.1f} after, "
        f"{100.0 * around['stolen_share']:.0f} % taken by other guests; {others}"
    )
    for note in description["notes"]:
        say(note, style="yellow")
    say(f"wrote {out}; a study of this machine takes, beside the widths of its cores:")
    for line in study_lines(description, out):
        say(f"  {line}")
