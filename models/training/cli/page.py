"""The page of the command `dse training`: time and memory of the best cuts, rate and cut over the number of devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dse.evaluation.direct import evaluate_models
from dse.models.training.catalogues import catalogue, part
from dse.models.training.cli.drawing import draw_cut_per_scale, draw_memory, draw_rate, draw_step
from dse.models.training.cut.cuts import Cut, Task, best_per_scale
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag

__all__ = ["counts_around", "measured_rates", "write_training_page"]

_STEPS = 4  # times two, to either side
_NOTE = (
    "Diamonds are published runs of this model, on the devices and with the software they name, which may be "
    "others. Rates of MLPerf rounds are derived by us: not an MLPerf metric, not verified by MLCommons."
)


def counts_around(devices: int) -> list[int]:
    """Return numbers of devices from a sixteenth of these to sixteen times them."""
    fewer = [devices >> step for step in range(_STEPS, 0, -1) if devices % (1 << step) == 0]
    return [*fewer, *(devices << step for step in range(_STEPS + 1))]


def measured_rates(architecture: str) -> dict[str, list[tuple[int, float]]]:
    """Return devices and tokens per second of the published runs of a model, by table and device.

    Where a paper prints operations per device and no times, a token takes 6 P and half of the scores, as it counts.
    Runs with sequences of another length are left out.
    """
    runs, of = catalogue("measured"), part("models", architecture)
    active = evaluate_models(["training"], ["model_active_parameters"], of)["model_active_parameters"][0]
    operations = 6.0 * active + 6.0 * of["sequence"] * of["core_width"] * of["layers"]
    by_table: dict[str, list[tuple[int, float]]] = {}
    for row in np.flatnonzero((runs["model"] == architecture) & (runs["sequence"] == of["sequence"])).tolist():
        devices, value = int(runs["devices"][row]), float(runs["value"][row])
        if runs["quantity"][row] == "step_time":
            rate = float(runs["B"][row] * runs["sequence"][row]) / value
        elif runs["quantity"][row] == "model operations per second and device":
            rate = value * 1e12 * devices / float(operations)
        else:
            continue
        by_table.setdefault(f"{runs['table'][row]}, {runs['device'][row]}", []).append((devices, rate))
    return by_table


def write_training_page(task: Task, cuts: Sequence[Cut], path: str | Path) -> Path:
    """Write the page for a task and its best cuts on so many devices."""
    scales = best_per_scale(task, counts_around(cuts[0].devices))
    drawings = [
        draw_step(cuts),
        draw_memory(cuts),
        draw_rate(scales, measured_rates(task.architecture)),
        draw_cut_per_scale(scales),
    ]
    figures = [
        drawing.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, drawing in enumerate(drawings)
    ]
    titles = ("Time of a step", "Memory of a device", "Tokens per second", "The best cut, by the number of devices")
    main: list[Html] = []
    for number, (title, figure) in enumerate(zip(titles, figures, strict=True)):
        main += [tag("h2", title), *([tag("p", _NOTE, class_="note")] if number == 2 else []), Html(figure)]
    asked = (
        f"{task.architecture} on {cuts[0].devices:,} × {task.device}, {task.batch:,} sequences a step, "
        f"{task.precision}, ZeRO stage {task.zero_stage}, stack {task.stack}"
    )
    return write_figures_page(
        path,
        title="training",
        header=[tag("h1", "training"), tag("p", asked, class_="question")],
        main=main,
        figures=figures,
    )
