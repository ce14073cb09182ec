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
from dse.report.words.sweep import chosen_words, rule_words, unchanged_words, winner_words
from dse.study.build.labels import label_of
from dse.units import with_unit

if TYPE_CHECKING:
    from dse.analysis.sweep.sweep import Step, Sweep

__all__ = ["write_sweep"]


def write_sweep(found: Sweep, path: str | Path, question: str = "") -> Path:
    """Write the page of a sweep.

    Parameters
    ----------
    found : Sweep
    path : path
        The file to write.
    question : str
        Of the study.
    """
    about = f"{rule_words(found.rule, found.labels)} along {label_of(found.labels, found.varied)}"
    return write_page(path, found.study, about, question, found.synthetic, _sweep_main(found))


def _sweep_main(found: Sweep) -> Iterator[Html]:
    tones = {winner: place for place, winner in enumerate(found.winners)}
    yield tag("h2", "Where the best changes")
    items = []
    for change in found.break_even:
        low, high = with_unit(change.low, found.unit), with_unit(change.high, found.unit)
        before, after = (
            winner_words(one, found.by, found.units, found.labels) for one in (change.before, change.after)
        )
        items.append(tag("li", tag("b", f"between {low} and {high}"), f": {before} → {after}"))
    if items:
        yield tag("ol", *items, class_="changes")
    yield from (tag("p", sentence(line)) for line in unchanged_words(found))
    keys = _winners(found, tones) if found.by else None
    charts = [chart_figure(chart, None) for chart in _lines(found, tones)]
    if charts:
        yield tag("h2", "Along it")
        if keys is not None:
            yield keys
        yield tag("div", *charts, class_="charts")
    if stacks := list(_stacks(found)):
        yield tag("h2", "Where it goes, in the best design at each value")
        yield tag("div", *stacks, class_="charts")
    yield tag("h2", "The best design at each value")
    choice_heads = [", ".join(label_of(found.labels, name) for name in found.by)] if found.by else []
    rows = []
    for step in found.steps:
        cells = [cell_text(step.design, name, found.units) for name in found.objectives]
        other = [chosen_words(step.design, found.other_changes, found.units, found.labels)] if step.design else [""]
        winner = [winner_words(step.winner, found.by, found.units, found.labels)] if found.by else []
        rows.append([with_unit(step.value, found.unit), *cells, *winner, *(other if found.other_changes else [])])
    heads = [
        label_of(found.labels, found.varied),
        *(label_of(found.labels, name) for name in found.objectives),
        *choice_heads,
    ]
    heads += ["and"] if found.other_changes else []
    yield table(heads, rows, range(1 + len(found.objectives)))
    yield account(found.searches, found.evaluated)


def _winners(found: Sweep, tones: dict[str, int]) -> Html:
    return tone_key(
        [(tone, winner_words(winner, found.by, found.units, found.labels)) for winner, tone in tones.items()]
    )


def _lines(found: Sweep, tones: dict[str, int]) -> Iterator[Chart]:
    """Return the chart of each quantity that is shown."""
    places = [(change.high, str(number)) for number, change in enumerate(found.break_even, 1)]
    for name in found.objectives:
        marks = [
            Mark(step.value, value, tones.get(step.winner or "", 0), _title(found, step, name))
            for step in found.steps
            if (value := _number(step, name)) is not None
        ]
        if len(marks) < 2:
            continue
        lines = [
            [(step.value, _number(step, name) or 0.0) for step in run] for run in _feasible_runs(found.searched, name)
        ]
        yield Chart(
            label_of(found.labels, name),
            label_of(found.labels, found.varied),
            found.unit,
            label_of(found.labels, name),
            found.units[name],
            marks=marks,
            lines=lines,
            bands=list(_bands(found, tones)),
            places=places,
            limits=[(limit.value, limit.text) for limit in found.limits if limit.quantity == name],
            x_values=[step.value for step in found.steps],
        )


def _number(step: Step, name: str) -> float | None:
    value = step.design.get(name) if step.design else None
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _title(found: Sweep, step: Step, name: str) -> str:
    value = with_unit(_number(step, name), found.units[name])
    who = f", {winner_words(step.winner, found.by, found.units, found.labels)}" if step.winner else ""
    varied, shown = label_of(found.labels, found.varied), label_of(found.labels, name)
    return f"{varied} {with_unit(step.value, found.unit)}: {shown} {value}{who}"


def _feasible_runs(steps: Sequence[Step], name: str) -> Iterator[list[Step]]:
    for known, run in groupby(steps, key=lambda step: _number(step, name) is not None):
        if known:
            yield list(run)


def _bands(found: Sweep, tones: dict[str, int]) -> Iterator[Band]:
    """Return the stretches along the parameter, from break-even to break-even."""
    if not found.by:
        return
    begin, winner = found.steps[0].value, found.steps[0].winner
    for change in found.break_even:
        yield Band(begin, change.high, None if winner is None else tones[winner])
        begin, winner = change.high, change.after
    yield Band(begin, found.steps[-1].value, None if winner is None else tones[winner])


def _stacks(found: Sweep) -> Iterator[Html]:
    """Return a chart of each sum that is shown: its parts in the best design at each value, stacked."""
    for name in found.objectives:
        steps = [step for step in found.searched if step.parts.get(name)]
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
            f"{label_of(found.labels, name)}: where it goes",
            label_of(found.labels, found.varied),
            found.unit,
            label_of(found.labels, name),
            found.units[name],
            areas=areas,
            places=[(change.high, str(number)) for number, change in enumerate(found.break_even, 1)],
            x_values=[step.value for step in found.steps],
        )
        yield chart_figure(
            chart, tone_key([(tone, label_of(found.labels, p)) for tone, p in enumerate(ordered)], patches=True)
        )
