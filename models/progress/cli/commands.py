"""The command `dse trace waits`: what one-sided operations waited for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json

__all__ = ["register"]

PLACE = 5.5


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "trace").command(epilog="Example: dse trace waits calls.csv")(waits)


def waits(
    file: Annotated[Path, typer.Argument(help="CSV of calls: rank, enter, exit, kind, targets; or a measured trace.")],
    json: Json = False,
) -> None:
    """Show what one-sided operations waited until their targets made progress, by rank, region and kind."""
    import numpy as np

    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.progress.call_record import KINDS
    from dse.models.progress.call_record import waits as waits_of
    from dse.models.progress.record_files import read_record

    record = read_record(file)
    waited = waits_of(record)
    lasted = record.exit - record.enter
    region = np.array(record.region or ("",) * len(waited))
    groups = {
        "rank": [str(rank) for rank in record.rank],
        "kind": [KINDS[kind] for kind in record.kind],
        **({"region": region.tolist()} if record.region else {}),
    }
    sums = {}
    for name, labels in groups.items():
        different, of_call = np.unique(labels, return_inverse=True)
        both = [np.bincount(of_call, weights=values, minlength=len(different)) for values in (waited, lasted)]
        order = np.argsort(different.astype(int)) if name == "rank" else np.arange(len(different))
        sums[name] = {str(different[at]): (float(both[0][at]), float(both[1][at])) for at in order}
    total, calls = float(waited.sum()), float(lasted.sum())
    share = total / calls if calls > 0 else 0.0
    if json:
        document = {
            name: {key: {"wait": wait, "calls": all_} for key, (wait, all_) in part.items()}
            for name, part in sums.items()
        }
        print_json({"file": str(file), "wait": total, "calls": calls, "share": share, "unit": "s", **document})
        return
    say(f"{len(waited):,} calls of {record.ranks:,} ranks: {shown(total, 's')} of {shown(calls, 's')} ({share:.1%})")
    for name, part in sums.items():
        rows = [[key, shown(wait, "s"), shown(all_, "s")] for key, (wait, all_) in part.items()]
        table([name, "waits for progress", "in calls"], rows[:32], right=[1, 2])
        if len(rows) > 32:
            say(f"and {len(rows) - 32:,} more; --json has them")
    if all(KINDS[kind] == "other" for kind in np.unique(record.kind)):
        say("warning: no call is one-sided (get, put, accumulate, rmw, fence, allfence)", style="yellow")
    say("a wait is at least this: targets are taken to serve all requests at their first call")
