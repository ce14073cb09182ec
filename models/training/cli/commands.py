"""The command `dse training`: the best ways to cut a model over devices, with time, memory and utilisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dse.cli.later import later
from dse.cli.options.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.training.catalogues import part
    from dse.models.training.cli.page import write_training_page
    from dse.models.training.cut.cuts import Cut, Task, best_cuts
else:
    print_json, say, shown, table = later("dse.cli.text.output", "print_json", "say", "shown", "table")
    (part,) = later("dse.models.training.catalogues", "part")
    (write_training_page,) = later("dse.models.training.cli.page", "write_training_page")
    Task, best_cuts = later("dse.models.training.cut.cuts", "Task", "best_cuts")

__all__ = ["register"]

PLACE = 4

_FIGURES = ("time of a step", "memory", "tokens per second", "utilisation", "computing")
_LEGEND = "utilisation over the bf16 peak; full: layers are computed again"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Examples: dse training --architecture llama3.1-405b --device "H100 SXM" --devices 8192 --batch 1536 '
        '--precision fp8 --report training.html; dse training --architecture gpt3-175b --device "A100 80 GB" '
        "--devices 1024 --batch 1536; dse training --architecture gpt3-175b --device 'H100 SXM' --device MI300X "
        "--devices 1024 --batch 1536"
    )(training)


def training(
    architecture: Annotated[str, typer.Option(help="A row of training/models.csv: llama3.1-405b.")],
    device: Annotated[
        list[str], typer.Option(help="A row of training/devices.csv: 'H100 SXM'. Several times: a table of the best.")
    ],
    devices: Annotated[list[int], typer.Option(min=1, help="How many of them. Several times: a table.")],
    batch: Annotated[int, typer.Option(min=1, help="Sequences of a step.")],
    precision: Annotated[str, typer.Option(help="Of the products: bf16, fp8 or fp4.")] = "bf16",
    stack: Annotated[str, typer.Option(help="Software: unfused, fused or overlapped.")] = "overlapped",
    zero: Annotated[int, typer.Option(help="ZeRO stage, 0 to 3.")] = 1,
    rows: Annotated[int, typer.Option(min=1, max=50, help="How many cuts to show.")] = 5,
    report: Annotated[Path | None, typer.Option(help="Write a page with time, memory, rate and cut by scale.")] = None,
    json: Json = False,
) -> None:
    """Find the fastest ways to train a model over many devices. Of the cuts that fit their memory."""
    asked: dict[str, object] = {"architecture": architecture, "batch": batch}
    asked |= {"precision": precision, "stack": stack, "zero_stage": zero}
    tasks = [Task(architecture, name, batch, precision, stack, zero) for name in dict.fromkeys(device)]
    counts = list(dict.fromkeys(devices))
    if len(tasks) * len(counts) > 1:
        if report is not None:
            raise InputError("is of one kind and one number of devices", key="--report", allowed="a command for each")
        _print_machines(asked, _machines(tasks, counts, rows), json=json)
        return
    best = best_cuts(tasks[0], counts[0], rows)
    page = write_training_page(tasks[0], best, report) if report is not None else None
    if json:
        asked |= {"device": tasks[0].device, "devices": counts[0]}
        print_json({**asked, "cuts": _documents(best), "report": str(page) if page else None})
        return
    table(["parallelism", *_FIGURES], [[cut.label, *_figures(cut)] for cut in best], right=range(1, 6))
    say(f"usable of each device: {shown(best[0].values['usable_device_memory'], 'B')}; {_LEGEND}")
    if page:
        say(f"report: {page}")


class _Machine(NamedTuple):
    """So many devices of a kind: the best cuts, or why there are none."""

    device: str
    devices: int
    cuts: Sequence[Cut]
    refusal: str = ""


def _machines(tasks: Sequence[Task], counts: Sequence[int], rows: int) -> list[_Machine]:
    """Return the best cuts on each number of each kind of device.

    Raises
    ------
    InputError
        None of them can do it, or a name is not known.
    """
    machines: list[_Machine] = []
    faults: list[InputError] = []
    for task in tasks:
        part("devices", task.device)  # a name that is not known is a fault, whatever the others can do
        for count in counts:
            try:
                machines.append(_Machine(task.device, count, best_cuts(task, count, rows)))
            except InputError as error:
                faults.append(error)
                machines.append(_Machine(task.device, count, (), error.problem))
    if len(faults) == len(machines):
        raise faults[0]
    return machines


def _print_machines(asked: Mapping[str, object], machines: Sequence[_Machine], *, json: bool) -> None:
    """Print the best cut on each number of each kind of device, the fastest first."""
    if json:
        documents = [
            {
                "device": machine.device,
                "devices": machine.devices,
                "cuts": _documents(machine.cuts),
                "refusal": machine.refusal or None,
            }
            for machine in machines
        ]
        print_json({**asked, "machines": documents})
        return
    able = sorted((m for m in machines if m.cuts), key=lambda m: m.cuts[0].values["step_time"])
    cells = [[m.device, f"{m.devices:,}".replace(",", " "), m.cuts[0].label, *_figures(m.cuts[0])] for m in able]
    table(["device", "devices", "fastest cut", *_FIGURES], cells, right=[1, *range(3, 8)])
    for machine in machines:
        if machine.refusal:
            say(f"{machine.devices} x {machine.device}: {machine.refusal}", style="yellow")
    say(_LEGEND)


def _documents(cuts: Sequence[Cut]) -> list[dict[str, object]]:
    return [{"parallelism": cut.label, **cut.values} for cut in cuts]


def _figures(cut: Cut) -> list[str]:
    return [
        shown(cut.values["step_time"], "s"),
        shown(cut.values["training_memory"], "B"),
        f"{cut.values['tokens_per_second']:,.0f}".replace(",", " "),
        f"{100.0 * cut.values['model_flop_utilisation']:.1f} %",
        f"{100.0 * cut.values['device_busy_share']:.1f} %",
    ]
