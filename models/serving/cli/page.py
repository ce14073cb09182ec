"""The page of the command `dse serving`: frontiers with measured points, a step by part, ratios of workers, energy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from dse.evaluation.direct import evaluate_models
from dse.models.serving.best import REQUESTS, Served, Task
from dse.models.serving.cli.answers import Answer, Answers
from dse.models.serving.cli.drawing import PART_WORDS, draw_cost, draw_frontier, draw_ratio, draw_step
from dse.models.serving.frontier import on_frontier
from dse.models.serving.seen import measured, plain_stack
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag

__all__ = ["measured_points", "write_serving_page"]

_MEAN, _STEADY, _NEAR = 0.9, 0.977, 0.15
_SOURCE = "InferenceMAX, December 2025 and January 2026"
_NOTE = (
    "Lines are computed at the means of the lengths that were asked for; dashed: cuts that no measured row has with "
    "this software. Points are measured rows of the same model and precision whose mean lengths are within 15 % of "
    "these, derived from public benchmark runs (InferenceMAX; December 2025 and January 2026): medians, brought to all "
    "devices, in a closed loop. They belong to the software of their month; names are their owners'."
)
_STEP_NOTE = (
    "Of the best cut within the limits. Gaps are time in which nothing is read or computed; they do not shrink with "
    "devices."
)
_RATIO_NOTE = "The best workers for prompts and for decoding, in ratios of 1 to 16 of each."
_WAGER = "Energy is a wager: shares of the rated power come from training, nothing was measured while serving."


def measured_points(task: Task) -> dict[str, list[tuple[float, float]]]:
    """Return rates of a user and of a device of measured rows like a task, by what ran them."""
    table = measured()
    written = "fp4" if task.precision == "mxfp4" else task.precision
    like = (table["model"] == task.architecture) & (table["precision"] == written) & (table["cold"] == 0.0)
    for key, length in (("isl", task.input_tokens), ("osl", task.output_tokens)):
        like = like & (np.abs(np.log(_MEAN * table[key] / length)) <= np.log(1.0 + _NEAR))
    points: dict[str, list[tuple[float, float]]] = {}
    for row in np.flatnonzero(like).tolist():
        device, stack = str(table["device"][row]), str(table["stack"][row])
        if device != task.device or plain_stack(stack) != task.stack:
            continue
        drafts = ", drafts" if table["speculative"][row] != "none" else ""
        name = f"measured: {device} {stack}{drafts} ({_SOURCE})"
        rates = (1.0 / float(table["tpot_mean"][row]), float(table["output_rate"][row]) / _STEADY)
        points.setdefault(name, []).append(rates)
    return points


def write_serving_page(answers: Answers, path: str | Path) -> Path:
    """Write the page of some answers."""
    sections = [
        ("Tokens per second of a device and of a user", _NOTE, draw_frontier(_lines(answers), _measured(answers))),
        (f"A step of decoding: {answers.every[0].name}", _STEP_NOTE, draw_step(*_step(answers.every[0]))),
    ]
    ratios = _ratios(answers)
    if ratios:
        sections.append(("Prompts apart: how many devices take them", _RATIO_NOTE, draw_ratio(ratios)))
    energy = _over_user(answers, lambda answer, design: design.values["serving_energy_per_token"])
    sections.append(("Energy per token", _WAGER, draw_cost(energy, "energy per token [J]")))
    if all(answer.price is not None for answer in answers.every):
        title = f"cost of a million tokens [{answers.currency}]"
        cost = _over_user(answers, lambda answer, design: answer.cost(design) or 0.0)
        sections.append(("Cost", "Prices are those of the list that was given.", draw_cost(cost, title)))
    figures = [
        figure.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, (_, _, figure) in enumerate(sections)
    ]
    main: list[Html] = []
    for (title, note, _), figure in zip(sections, figures, strict=True):
        main += [tag("h2", title), tag("p", note, class_="note"), Html(figure)]
    task = answers.every[0].task
    asked = (
        f"{task.architecture}, {task.input_tokens:g} tokens in and {task.output_tokens:g} out in the mean: "
        f"{', '.join(answer.name for answer in answers.every)}"
    )
    return write_figures_page(
        path,
        title="serving",
        header=[tag("h1", "serving"), tag("p", asked, class_="question")],
        main=main,
        figures=figures,
    )


def _lines(answers: Answers) -> dict[str, list[Served]]:
    lines: dict[str, list[Served]] = {}
    for answer in answers.every:
        for design in answer.designs:
            lines.setdefault(f"{answer.name}, {design.mode}", []).append(design)
    return lines


def _measured(answers: Answers) -> dict[str, list[tuple[float, float]]]:
    points: dict[str, list[tuple[float, float]]] = {}
    for answer in answers.every:
        points |= measured_points(answer.task)
    return points


def _step(answer: Answer) -> tuple[Sequence[float], Mapping[str, np.ndarray]]:
    """Return the parts of a step of the cut of the best design, over the number of requests."""
    best = max(answer.within, key=lambda design: design.values["serving_tokens_per_device"])
    columns, labels = answer.task.cuts()
    row = list(labels).index(best.cut.rpartition(" x ")[2])
    cut = {name: values[row] for name, values in columns.items()}
    counts = REQUESTS[(cut["attention_copies"] <= REQUESTS) & (np.arange(len(REQUESTS)) % 2 == 0)]
    given = {**answer.task.inputs(), **cut, "requests": counts}
    values = evaluate_models(["serving"], list(PART_WORDS), given, {"serving_stack": "of-engine"})
    return counts.tolist(), {name: np.broadcast_to(values[name], counts.shape) for name in PART_WORDS}


def _ratios(answers: Answers) -> dict[str, list[tuple[float, float]]]:
    """Return share of devices that take prompts and rate per device, of the best design of each engine apart."""
    lines = {}
    for answer in answers.every:
        designs = [design for design in answer.within if design.mode == "apart"]
        if not designs:
            continue
        best = max(designs, key=lambda design: design.values["serving_tokens_per_device"])
        lines[answer.name] = _along_ratio(answer.task, best)
    return lines


def _along_ratio(task: Task, design: Served) -> list[tuple[float, float]]:
    columns, labels = task.cuts()
    own, decoding = (part.partition(" x ")[2] for part in design.cut.split(" + "))
    rows = {key: list(labels).index(label) for key, label in (("prompt_", own), ("", decoding))}
    cut = {key + name: float(values[row]) for key, row in rows.items() for name, values in columns.items()}
    pre, dec = (axis.reshape(-1) for axis in np.meshgrid(np.arange(1.0, 17.0), np.arange(1.0, 17.0)))
    given = {**task.inputs(), **cut, "requests": float(design.requests), "prompt_workers": pre, "decode_workers": dec}
    use = {"serving_stack": "of-engine", "serving_mode": "apart"}
    rate = evaluate_models(["serving"], ["serving_tokens_per_device"], given, use)["serving_tokens_per_device"]
    taken = pre * cut["prompt_worker_devices"]
    share = taken / (taken + dec * cut["worker_devices"])
    order = np.argsort(share, kind="stable")
    return [(float(share[place]), float(rate[place])) for place in order.tolist()]


def _over_user(answers: Answers, of: Callable[[Answer, Served], float]) -> dict[str, list[tuple[float, float]]]:
    """Return a quantity of the designs on each engine's frontier over the rate of a user."""
    lines = {}
    for answer in answers.every:
        user, rate = (
            np.array([design.values[name] for design in answer.designs])
            for name in ("user_token_rate", "serving_tokens_per_device")
        )
        designs = [answer.designs[place] for place in on_frontier(user, rate).tolist()]
        lines[answer.name] = [(design.values["user_token_rate"], of(answer, design)) for design in designs]
    return lines
