"""The command `dse resilience`: how often to save, and what share of time is left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 4


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Examples: dse resilience --cost "60 s" --failures "1 h" --restart "60 s" --report checkpoints.html; '
        'dse resilience --cost "5 s" --failures "1 h" --global-cost "5 min" --global-failures "1 day"'
    )(resilience)


def resilience(
    cost: Annotated[str, typer.Option(help="Time of a checkpoint: '60 s'.")],
    failures: Annotated[str, typer.Option(help="Mean time between failures of the whole system: '1 h'.")],
    restart: Annotated[str, typer.Option(help="Time of a restart.")] = "0 s",
    global_cost: Annotated[str, typer.Option(help="Two levels: time of a global checkpoint.")] = "",
    global_failures: Annotated[str, typer.Option(help="Two levels: between failures only it survives.")] = "",
    global_restart: Annotated[str, typer.Option(help="Two levels: time of a restart from it.")] = "0 s",
    busy_power: Annotated[str, typer.Option(help="Power while computing, for energies: '20 MW'.")] = "",
    io_power: Annotated[
        str, typer.Option(help="Power while writing checkpoints; that of computing unless given.")
    ] = "",
    restart_power: Annotated[str, typer.Option(help="Power during restarts; that of writing unless given.")] = "",
    report: Annotated[Path | None, typer.Option(help="Write a page with plots over interval and nodes.")] = None,
    json: Json = False,
) -> None:
    """Find the best interval between checkpoints. The useful share of time, and where the rest goes."""
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.resilience.cli.tables import intervals, two_levels

    times = tuple(_read(text, "s", key) for text, key in ((cost, "cost"), (failures, "failures"), (restart, "restart")))
    busy = _read(busy_power, "W", "busy-power") if busy_power else None
    powers = None
    if busy is not None:
        io = _read(io_power, "W", "io-power") if io_power else busy
        powers = (busy, io, _read(restart_power, "W", "restart-power") if restart_power else io)
    elif io_power or restart_power:
        raise InputError("no power of computing", key="--busy-power", allowed="a power such as '20 MW'")
    if bool(global_cost) != bool(global_failures):
        missing = "--global-failures" if global_cost else "--global-cost"
        raise InputError("two levels need both", key=missing, allowed="a time such as '5 min'")
    both = None
    if global_cost:
        texts = ((global_cost, "global-cost"), (global_failures, "global-failures"), (global_restart, "global-restart"))
        whole = tuple(_read(text, "s", key) for text, key in texts)
        both = two_levels((times[0], times[1], times[2]), (whole[0], whole[1], whole[2]))
    rows = intervals(times[0], times[1], times[2], powers)
    page = None
    if report is not None:
        from dse.models.resilience.cli.page import write_resilience_page

        page = write_resilience_page(times[0], times[1], times[2], report)
    if json:
        asked = {"cost": times[0], "mean_time_between_failures": times[1], "restart": times[2]}
        print_json({**asked, "intervals": rows, "two_levels": both, "report": str(page) if page else None})
        return
    headings = ["interval", "", "useful", "rework", "checkpoints", "restarts"]
    table(
        [*headings, "energy per useful second"] if powers else headings,
        [
            [
                row["rule"],
                shown(row["interval"], "s"),
                *(
                    f"{100.0 * value / row['wall']:.2f} %"
                    for value in (1.0, row["busy"] - 1.0, row["checkpoints"], row["restarts"])
                ),
                *([shown(row["energy_per_useful_second"], "J")] if powers else []),
            ]
            for row in rows
        ],
        right=range(1, 7 if powers else 6),
    )
    if both:
        say(
            f"two levels: a checkpoint every {shown(both['interval'], 's')}, {both['per_global']:g} of them to a "
            f"global one: {100.0 * both['efficiency']:.2f} % useful"
        )
    if page:
        say(f"report: {page}")


def _read(text: str, unit: str, option: str) -> float:
    """Return a time or power above 0 (a restart may be 0) in SI."""
    from dse.units import parse_quantity

    try:
        value = parse_quantity(text, unit)
    except InputError as error:
        raise error.within(key=f"--{option}") from None
    least = 0.0 if option.endswith("restart") or unit == "W" else None
    if value < 0.0 or (least is None and value == 0.0):
        raise InputError(f"{text!r}", key=f"--{option}", allowed="0 or more" if least == 0.0 else "above 0")
    return float(value)
