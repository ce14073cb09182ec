"""The command `dse slower`: how fast a node is whose cores hide latency, and what it loses where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options.options import Json

__all__ = ["register"]

PLACE = 4


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse slower --latency 8192 --tasks 64 --cores 16; "
        "dse slower --latency 1024 --overhead 100 --network 0.02 --memory 0.3 --tasks 16 --report slower.html"
    )(slower)


def slower(
    latency: Annotated[float, typer.Option(help="Cycles from sending a message to its answer.")],
    overhead: Annotated[float, typer.Option(help="Cycles of a switch to another task.")] = 16.0,
    tasks: Annotated[int, typer.Option(help="Tasks per core.")] = 64,
    cores: Annotated[int, typer.Option(help="Cores that share the memory of the node.")] = 1,
    network: Annotated[float, typer.Option(help="Share of the instructions that are messages.")] = 0.08,
    memory: Annotated[float, typer.Option(help="Share of the instructions that access memory.")] = 0.24,
    service: Annotated[float, typer.Option(help="Cycles of an access to the shared memory.")] = 200.0,
    cumulative: Annotated[bool, typer.Option(help="Misses cost the levels asked in vain, too.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a page with the published figures and this node.")] = None,
    json: Json = False,
) -> None:
    """Show what many tasks per core gain a node. Its rate, the gain over one that blocks, and where time is lost."""
    from dse.cli.text.output import print_json, say, table
    from dse.models.slower.cli.page import described, write_slower_page
    from dse.models.slower.work import work_of_mix

    work = work_of_mix(network, memory, memory_service_cycles=service, cumulative=cumulative)
    design = {"latency": latency, "overhead": overhead, "tasks": tasks, "cores": cores}
    figures = described(work, design)
    page = write_slower_page(work, design, report) if report else None
    if json:
        mix = {"network_fraction": network, "memory_fraction": memory, "memory_service_cycles": service}
        print_json({**mix, "cumulative": cumulative, **design, **figures, "report": str(page) if page else None})
        return
    say(f"{tasks} tasks on each of {cores} cores, latency {latency:g}, overhead {overhead:g} cycles", style="bold")
    table(["", ""], [[name.replace("_", " "), _shown(value)] for name, value in figures.items()], right=[1])
    if figures["near_knee"]:
        say("near the knee of few tasks, or of few cores at the memory: rates may be off by 15 %")
    if page:
        say(f"report: {page}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:.5g}"
