"""The page of a sweep: charts along the parameter, where the best changes, the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from dse.report.charts.line_chart import Area, Band, Chart, Mark, chart_figure, tone_key
from dse.report.html.tags import Html, table, tag
from dse.report.sweep_pages.chart_page import account, cell_text, sentence, write_page
from dse.report.words.sweep import chosen_text, describe_rule, describe_unchanged, winner_text
from dse.study.build.labels import label_of
from dse.units import with_unit

if TYPE_CHECKING:
    from dse.analysis.sweep.sweep import Step, Sweep

__all__ = ["sweep_charts", "write_sweep"]


def write_sweep(sweep: Sweep, path: str | Path, question: str = "") -> Path:
    """Write the page of a sweep.

    Parameters
    ----------
    sweep : Sweep
    path : path
        The file to write.
    question : str
        Of the study.
    """
    about = f"{describe_rule(sweep.rule, sweep.labels)} along {label_of(sweep.labels, sweep.varied)}"
    return write_page(path, sweep.study, about, question, sweep.synthetic, _sweep_main(sweep))


def _sweep_main(sweep: Sweep) -> Iterator[Html]:
    yield tag("h2", "Where the best changes")
    items = []
    for change in sweep.break_even:
        low, high = with_unit(change.low, sweep.unit), with_unit(change.high, sweep.unit)
        before, after = (
            winner_text(winner, sweep.by, sweep.units, sweep.labels) for winner in (change.before, change.after)
        )
        items.append(tag("li", tag("b", f"between {low} and {high}"), f": {before} → {after}"))
    if items:
        yield tag("ol", *items, class_="changes")
    yield from (tag("p", sentence(line)) for line in describe_unchanged(sweep))
    charts = [chart_figure(chart, None) for chart, _ in sweep_charts(sweep)]
    if charts:
        yield tag("h2", "Along it")
        if sweep.by:
            yield tone_key(_winners(sweep))
        yield tag("div", *charts, class_="charts")
    if stacks := list(_stacks(sweep)):
        yield tag("h2", "Where it goes, in the best design at each value")
        yield tag("div", *stacks, class_="charts")
    yield tag("h2", "The best design at each value")
    choice_heads = [", ".join(label_of(sweep.labels, name) for name in sweep.by)] if sweep.by else []
    rows = []
    for step in sweep.steps:
        cells = [cell_text(step.design, name, sweep.units) for name in sweep.objectives]
        other = [chosen_text(step.design, sweep.other_changes, sweep.units, sweep.labels)] if step.design else [""]
        winner = [winner_text(step.winner, sweep.by, sweep.units, sweep.labels)] if sweep.by else []
        rows.append([with_unit(step.value, sweep.unit), *cells, *winner, *(other if sweep.other_changes else [])])
    heads = [
        label_of(sweep.labels, sweep.varied),
        *(label_of(sweep.labels, name) for name in sweep.objectives),
        *choice_heads,
    ]
    heads += ["and"] if sweep.other_changes else []
    yield table(heads, rows, range(1 + len(sweep.objectives)))
    yield account(sweep.searches, sweep.evaluated)


def _winners(sweep: Sweep) -> list[tuple[int, str]]:
    return [
        (tone, winner_text(winner, sweep.by, sweep.units, sweep.labels)) for tone, winner in enumerate(sweep.winners)
    ]


def sweep_charts(sweep: Sweep) -> list[tuple[Chart, list[tuple[int, str]]]]:
    """Return the chart of each quantity that is shown, with what its tones mean."""
    keys = _winners(sweep) if sweep.by else []
    return [(chart, keys) for chart in _lines(sweep)]


def _lines(sweep: Sweep) -> Iterator[Chart]:
    tones = {winner: place for place, winner in enumerate(sweep.winners)}
    places = [(change.high, str(number)) for number, change in enumerate(sweep.break_even, 1)]
    for name in sweep.objectives:
        marks = [
            Mark(step.value, value, tones.get(step.winner or "", 0), _title(sweep, step, name))
            for step in sweep.steps
            if (value := _number(step, name)) is not None
        ]
        if len(marks) < 2:
            continue
        lines = [
            [(step.value, _number(step, name) or 0.0) for step in run] for run in _feasible_runs(sweep.searched, name)
        ]
        yield Chart(
            label_of(sweep.labels, name),
            label_of(sweep.labels, sweep.varied),
            sweep.unit,
            label_of(sweep.labels, name),
            sweep.units[name],
            marks=marks,
            lines=lines,
            bands=list(_bands(sweep, tones)),
            places=places,
            limits=[(limit.value, limit.text) for limit in sweep.limits if limit.quantity == name],
            x_values=[step.value for step in sweep.steps],
        )


def _number(step: Step, name: str) -> float | None:
    value = step.design.get(name) if step.design else None
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _title(sweep: Sweep, step: Step, name: str) -> str:
    value = with_unit(_number(step, name), sweep.units[name])
    who = f", {winner_text(step.winner, sweep.by, sweep.units, sweep.labels)}" if step.winner else ""
    varied, shown = label_of(sweep.labels, sweep.varied), label_of(sweep.labels, name)
    return f"{varied} {with_unit(step.value, sweep.unit)}: {shown} {value}{who}"


def _feasible_runs(steps: Sequence[Step], name: str) -> Iterator[list[Step]]:
    for known, run in groupby(steps, key=lambda step: _number(step, name) is not None):
        if known:
            yield list(run)


def _bands(sweep: Sweep, tones: dict[str, int]) -> Iterator[Band]:
    """Return the stretches along the parameter, from break-even to break-even."""
    if not sweep.by:
        return
    begin, winner = sweep.steps[0].value, sweep.steps[0].winner
    for change in sweep.break_even:
        yield Band(begin, change.high, None if winner is None else tones[winner])
        begin, winner = change.high, change.after
    yield Band(begin, sweep.steps[-1].value, None if winner is None else tones[winner])


def _stacks(sweep: Sweep) -> Iterator[Html]:
    """Return a chart of each sum that is shown: its parts in the best design at each value, stacked."""
    for name in sweep.objectives:
        steps = [step for step in sweep.searched if step.parts.get(name)]
        if len(steps) < 2 or any(value < 0 for step in steps for value in step.parts[name].values()):
            continue
        totals: dict[str, float] = {}
        for step in steps:
            for part, value in step.parts[name].items():
                totals[part] = totals.get(part, 0.0) + value
        ordered = sorted((part for part, total in totals.items() if total > 0), key=lambda part: -totals[part])
        below = [0.0] * len(steps)
        areas = []
        for tone, part in enumerate(ordered):
            values = [step.parts[name].get(part, 0.0) for step in steps]
            ends = [low + value for low, value in zip(below, values, strict=True)]
            areas.append(Area(tone, [(s.value, lo, hi) for s, lo, hi in zip(steps, below, ends, strict=True)]))
            below = ends
        chart = Chart(
            f"{label_of(sweep.labels, name)}: where it goes",
            label_of(sweep.labels, sweep.varied),
            sweep.unit,
            label_of(sweep.labels, name),
            sweep.units[name],
            areas=areas,
            places=[(change.high, str(number)) for number, change in enumerate(sweep.break_even, 1)],
            x_values=[step.value for step in sweep.steps],
        )
        yield chart_figure(
            chart, tone_key([(tone, label_of(sweep.labels, p)) for tone, p in enumerate(ordered)], patches=True)
        )
