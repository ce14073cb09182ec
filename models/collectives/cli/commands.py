"""The command `dse collectives`: what a collective operation costs by each algorithm, and which is best."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Examples: dse collectives allreduce --processes 1024 --size "8 B"; dse collectives alltoall '
        '--processes 256 --size "4 KiB" --metric energy --report alltoall.html'
    )(collectives)


def collectives(
    operation: Annotated[str, typer.Argument(help="The operation: barrier, bcast, allreduce, alltoall …")],
    processes: Annotated[int, typer.Option(help="Processes that take part.")],
    size: Annotated[str, typer.Option(help="Bytes of each process, or for each destination: '8 B', '1 MiB'.")] = "0 B",
    network: Annotated[str, typer.Option(help="infiniband, infiniband-as-printed or rdma.")] = "infiniband",
    metric: Annotated[str, typer.Option(help="Best by: time, energy, dynamic_energy or memory.")] = "time",
    single: Annotated[bool, typer.Option("--single", help="Static power of a single interface, not of all.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a page with plots over processes and size.")] = None,
    json: Json = False,
) -> None:
    """Compare the algorithms of a collective operation. Time, energy and offload memory, and which is best."""
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.collectives.cli.tables import listed
    from dse.units import parse_quantity

    try:
        bytes_ = parse_quantity(size, "B")
    except InputError as error:
        raise error.within(key="--size") from None
    scope = "single" if single else "per_process"
    rows, winner = listed(operation, processes, bytes_, network, metric=metric, static_scope=scope)
    page = None
    if report is not None:
        from dse.models.collectives.cli.page import write_collectives_page

        page = write_collectives_page(operation, processes, bytes_, network, report, metric=metric, static_scope=scope)
    if json:
        asked = {"operation": operation, "processes": processes, "message_size": bytes_, "network": network}
        prices = {"metric": metric, "static_scope": scope}
        print_json({**asked, **prices, "algorithms": rows, "best": winner, "report": str(page) if page else None})
        return
    say(f"{operation} of {shown(bytes_, 'B')} on {processes:,} processes, network {network}", style="bold")
    table(
        ["algorithm", "time", "dynamic energy", "energy", "memory", "messages", "arity or pieces", "closed form"],
        [_row(row) for row in rows],
        right=range(1, 7),
    )
    say(f"best by {metric}: {_winner_text(winner)}")
    if page:
        say(f"report: {page}")


def _row(row: Mapping[str, Any]) -> list[str]:
    from dse.cli.text.output import shown

    if row["time"] is None:
        return [row["algorithm"], *[""] * 6, f"not defined: for {row['defined']}"]
    units = (("time", "s"), ("dynamic_energy", "J"), ("energy", "J"), ("memory", "B"), ("messages", "1"))
    return [row["algorithm"], *(shown(row[name], unit) for name, unit in units), _tuned(row), row["closed_form"]]


def _winner_text(winner: Mapping[str, Any]) -> str:
    from dse.cli.text.output import shown

    tuned = _tuned(winner)
    prices = f"{shown(winner['time'], 's')}, {shown(winner['energy'], 'J')}, {shown(winner['memory'], 'B')}"
    return f"{winner['algorithm']}{f' ({tuned})' if tuned else ''}, {prices}"


def _tuned(row: Mapping[str, Any]) -> str:
    return next((f"{name} {row[name]:g}" for name in ("arity", "pieces") if row[name] is not None), "")
