"""What `dse sweep` and `dse explain --along` print: tables, plots, where the best changes, what figures rest on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dse.cli.text.line_plot import MARKS, Marked, axis_labels, line_plot
from dse.cli.text.output import console, say, shown, table
from dse.report.words.along import band_text, headings, row_texts
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
    from dse.analysis.explain.parts import Curve as Along
    from dse.analysis.explain.parts import PartPoint
    from dse.analysis.sweep.attainable import Attainable, Curve, Point
    from dse.analysis.sweep.sweep import Sweep
    from dse.analysis.sweep.winner_map import WinnerMap

__all__ = ["along_json", "print_along", "print_attainable", "print_map", "print_sweep"]

_POINTS = 20  # of a curve, on the terminal
_HEIGHT, _TALL = 9, 12
_END = "·"  # of a band
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


def print_along(curves: Sequence[Along], points: Sequence[PartPoint], label: Callable[[str], str]) -> None:
    """Print the curves of the objectives, the first as a plot, all as a table each.

    Parameters
    ----------
    curves : sequence of dse.analysis.explain.parts.Curve
    points : sequence of PartPoint
        What they go through.
    label : callable
        What people read instead of the name of a quantity.
    """
    first = curves[0]
    say(f"{label(first.quantity)} along {label(first.column)}", style="bold")
    for line in _plot_along(first):
        say(line)
    keys = [f"{MARKS[0]} {label(first.quantity)}"]
    keys += [f"{MARKS[1 + place]} with {other}" for place, other in enumerate(first.others)]
    keys += [f"{_END} ends of the band"] if first.banded else []
    say("   ".join(keys))
    say()
    for curve in curves:
        heads = headings([curve], label)
        rows = [row_texts([curve], place, point.part) for place, point in enumerate(points)]
        table(heads, rows, right=[0, *range(2, len(heads))])
    if any(curve.banded for curve in curves):
        say(band_text(first).replace("The dark band", "By laws alike").replace("the light one", "the other band"))
    say("all else is as in the design; of what is a part's own, such as the shape, the best is taken")


def along_json(curves: Sequence[Along], points: Sequence[PartPoint]) -> list[dict[str, object]]:
    """Return the curves as JSON has them: SI numbers, units beside them."""
    return [
        {
            "quantity": curve.quantity,
            "unit": curve.unit,
            "along": curve.column,
            "points": [
                {
                    "value": curve.values[place],
                    "design": point.number,
                    "part": point.part,
                    "objective": curve.points[place],
                    "band": list(curve.band[place]),
                    "reach": list(curve.reach[place]),
                    "others": {other: values[place] for other, values in curve.others.items()},
                    "efficiency": curve.efficiency[place] if curve.efficiency else None,
                }
                for place, point in enumerate(points)
            ],
        }
        for curve in curves
    ]


def _plot_along(curve: Along) -> list[str]:
    ends = [Marked(x, end, _END) for x, reach in zip(curve.values, curve.reach, strict=True) for end in reach]
    others = [
        Marked(x, y, MARKS[1 + place])
        for place, values in enumerate(curve.others.values())
        for x, y in zip(curve.values, values, strict=True)
    ]
    own = [Marked(x, y, MARKS[0]) for x, y in zip(curve.values, curve.points, strict=True)]
    # Drawn in this order, so that of two at one place the curve itself is seen; points rise along x for the plot.
    drawn = sorted([*(ends if curve.banded else []), *others, *own], key=lambda point: point.x)
    return line_plot(
        drawn,
        width=min(console().width, 100),
        height=_TALL,
        x_text=partial(shown, unit=curve.column_unit),
        y_text=partial(shown, unit=curve.unit),
    )
