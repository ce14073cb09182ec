"""What `dse sweep` prints: a table, a line plot, where the best changes, what the figures rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dse.cli.text.line_plot import MARKS, Marked, axis_labels, line_plot
from dse.cli.text.output import console, say, shown, table
from dse.report.words.sweep import (
    chosen_text,
    describe_attainable,
    describe_map,
    describe_unchanged,
    differing_choices,
    winner_text,
)
from dse.units import TEXT, format_number

if TYPE_CHECKING:
    from dse.analysis.choose.pick import Row
    from dse.analysis.sweep.attainable import Attainable, Curve, Point
    from dse.analysis.sweep.sweep import Sweep
    from dse.analysis.sweep.winner_map import WinnerMap

__all__ = ["print_attainable", "print_map", "print_sweep"]

_POINTS = 20  # of a curve, on the terminal
_HEIGHT = 9
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def print_sweep(result: Sweep) -> None:
    """Print a sweep."""
    say(f"{result.study}: {result.rule} along {result.varied}", style="bold")
    by_text = ", ".join(result.by)
    told_by = partial(winner_text, by=result.by, units=result.units, labels=result.labels)
    rows = []
    for step in result.steps:
        values = [None if step.design is None else step.design.get(name) for name in result.objectives]
        known = zip(result.objectives, values, strict=True)
        cells = [shown(v, result.units[name]) if isinstance(v, (int, float)) else "–" for name, v in known]
        rows.append([shown(step.value, result.unit), *cells, *([told_by(step.winner)] if by_text else [])])
    headings = [result.varied, *result.objectives, *([by_text] if by_text else [])]
    table(headings, rows, right=range(1 + len(result.objectives)))
    marks = {winner: MARKS[place % len(MARKS)] for place, winner in enumerate(result.winners)}
    for name in result.objectives:
        _plot_sweep(result, name, marks)
    if len(marks) > 1:
        for winner, mark in marks.items():
            say(f"{mark} {told_by(winner)}")
    for change in result.break_even:
        before, after = told_by(change.before), told_by(change.after)
        low, high = shown(change.low, result.unit), shown(change.high, result.unit)
        say(f"between {low} and {high}: {before} → {after}")
    for line in describe_unchanged(result):
        say(line)
    _rest(result.searches, result.evaluated, result.synthetic)


def _plot_sweep(result: Sweep, name: str, marks: dict[str, str]) -> None:
    points = []
    for step in result.steps:
        value = step.design.get(name) if step.design else None
        if isinstance(value, (int, float)) and math.isfinite(value):
            points.append(Marked(step.value, float(value), marks.get(step.winner or "", MARKS[0])))
    lines = line_plot(
        points,
        width=min(console().width, 100),
        height=_HEIGHT,
        x_text=partial(shown, unit=result.unit),
        y_text=partial(shown, unit=result.units[name]),
        verticals=[
            change.high for change in result.break_even if points and points[0].x <= change.high <= points[-1].x
        ],
        limits=[limit.value for limit in result.limits if limit.quantity == name],
    )
    if lines:
        say(name, style="bold")
        for line in lines:
            say(line)
        say()


def print_map(result: WinnerMap) -> None:
    """Print a map of winners: a letter for each, a small one where another is as good within the model's error."""
    say(f"{result.study}: {result.rule} over {result.x} and {result.y}", style="bold")
    letters = {winner: _LETTERS[place % len(_LETTERS)] for place, winner in enumerate(result.winners)}
    of = {(cell.x, cell.y): cell for cell in result.cells}
    xs, ys = result.xs, result.ys
    texts = [shown(y, result.y_unit) for y in ys]
    margin = max(len(text) for text in texts)
    say(result.y)
    for y, text in reversed(list(zip(ys, texts, strict=True))):
        row = [of[x, y] for x in xs]
        drawn = [letters.get(cell.winner or "", "·") for cell in row]
        cells = [mark.lower() if cell.close else mark for mark, cell in zip(drawn, row, strict=True)]
        say(f"{text:>{margin}} ┤ {'  '.join(cells)}")
    columns = 3 * len(xs)
    say(f"{'':>{margin}} └{'─' * columns}")
    ends = [xs[0], xs[len(xs) // 2], xs[-1]]
    say(f"{'':>{margin}}   {axis_labels(ends, partial(shown, unit=result.x_unit), columns - 2)}  {result.x}")
    say()
    for line in describe_map(result, letters):
        say(line)
    _rest(result.searches, result.evaluated, result.synthetic)


def print_attainable(result: Attainable) -> None:
    """Print attainable curves."""
    say(f"{result.study}: {describe_attainable(result)}", style="bold")
    for curve in result.curves:
        _curve(result, curve)
    for limit in result.lifted:
        say(f"lifted: {limit.text}", style="yellow")
    for limit in result.limits:
        by = f", which {limit.required_by} requires" if limit.required_by else ": --lift leaves it out"
        say(f"the curve ends at the limit {limit.text}{by}", style="yellow")
    _rest(result.searches, result.evaluated, result.synthetic)


def _curve(result: Attainable, curve: Curve) -> None:
    built = [point for point in curve.points if point.design is not None]
    designs = [point.design for point in built if point.design is not None]
    alike, differ = differing_choices(designs, result.choices)
    say()
    say(f"{'least' if curve.sense == 'min' else 'most'} {curve.quantity}", style="bold")
    listed = _some(curve.points)
    rows = [
        [
            shown(point.budget, result.unit),
            "–" if point.value is None else shown(point.value, curve.unit),
            *(_cell(point.design, name, result.units) for name in result.also),
            chosen_text(point.design, differ, result.units, result.labels) if point.design else "nothing feasible",
        ]
        for point in listed
    ]
    heads = [result.budget, curve.quantity, *result.also]
    table([*heads, "paid for by"], rows, right=range(len(heads)))
    if len(listed) < len(curve.points):
        say(f"{len(listed)} of {len(curve.points)} points; --csv and --json have all")
    if designs and (common := chosen_text(designs[0], alike, result.units, result.labels)):
        say(f"all: {common}")
    points = [Marked(point.budget, float(point.value), MARKS[0]) for point in built if point.value is not None]
    lines = line_plot(
        points,
        width=min(console().width, 100),
        height=_HEIGHT,
        x_text=partial(shown, unit=result.unit),
        y_text=partial(shown, unit=curve.unit),
        level=result.relation == "within",
    )
    for line in lines:
        say(line)


def _cell(design: Row | None, name: str, units: Mapping[str, str]) -> str:
    value = None if design is None else design.get(name)
    return "–" if value is None or isinstance(value, dict) else shown(value, units.get(name, TEXT))


def _some(points: Sequence[Point]) -> list[Point]:
    """Return some points of a curve, evenly over it, its ends among them."""
    if len(points) <= _POINTS:
        return list(points)
    places = sorted({round(place * (len(points) - 1) / (_POINTS - 1)) for place in range(_POINTS)})
    return [points[place] for place in places]


def _rest(searches: int, evaluated: int, synthetic: Sequence[str]) -> None:
    searched = "1 exact search" if searches == 1 else f"{searches} exact searches"
    say(f"{searched}, {format_number(evaluated)} designs evaluated")
    if synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(synthetic)}", style="bold yellow")
