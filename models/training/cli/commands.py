"""The command `dse training`: the best ways to cut a model over devices, with time, memory and utilisation."""

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
        epilog='Examples: dse training --architecture llama3.1-405b --device "H100 SXM" --devices 8192 --batch 1536 '
        '--precision fp8 --report training.html; dse training --architecture gpt3-175b --device "A100 80 GB" '
        "--devices 1024 --batch 1536"
    )(training)


def training(
    architecture: Annotated[str, typer.Option(help="A row of training/models.csv: llama3.1-405b.")],
    device: Annotated[str, typer.Option(help="A row of training/devices.csv: 'H100 SXM'.")],
    devices: Annotated[int, typer.Option(min=1, help="How many of them.")],
    batch: Annotated[int, typer.Option(min=1, help="Sequences of a step.")],
    precision: Annotated[str, typer.Option(help="Of the products: bf16, fp8 or fp4.")] = "bf16",
    stack: Annotated[str, typer.Option(help="Software: unfused, fused or overlapped.")] = "overlapped",
    zero: Annotated[int, typer.Option(help="ZeRO stage, 0 to 3.")] = 1,
    rows: Annotated[int, typer.Option(min=1, max=50, help="How many cuts to show.")] = 5,
    report: Annotated[Path | None, typer.Option(help="Write a page with time, memory, rate and cut by scale.")] = None,
    json: Json = False,
) -> None:
    """Find the fastest ways to train a model over many devices. Of the cuts that fit their memory."""
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.training.cut.cuts import Task, best_cuts

    task = Task(architecture, device, batch, precision, stack, zero)
    best = best_cuts(task, devices, rows)
    page = None
    if report is not None:
        from dse.models.training.cli.page import write_training_page

        page = write_training_page(task, best, report)
    if json:
        asked = {"architecture": architecture, "device": device, "devices": devices, "batch": batch}
        asked |= {"precision": precision, "stack": stack, "zero_stage": zero}
        cuts = [{"parallelism": cut.label, **cut.values} for cut in best]
        print_json({**asked, "cuts": cuts, "report": str(page) if page else None})
        return
    table(
        ["parallelism", "time of a step", "memory", "tokens per second", "utilisation", "computing"],
        [
            [
                cut.label,
                shown(cut.values["step_time"], "s"),
                shown(cut.values["training_memory"], "B"),
                f"{cut.values['tokens_per_second']:,.0f}".replace(",", " "),
                f"{100.0 * cut.values['model_flop_utilisation']:.1f} %",
                f"{100.0 * cut.values['device_busy_share']:.1f} %",
            ]
            for cut in best
        ],
        right=range(1, 6),
    )
    say(
        f"usable of each device: {shown(best[0].values['usable_device_memory'], 'B')}; utilisation over the bf16 "
        "peak; full: layers are computed again"
    )
    if page:
        say(f"report: {page}")
