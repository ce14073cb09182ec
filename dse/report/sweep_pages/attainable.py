"""The page of attainable curves: a chart of each, below which nothing can be built, and what pays for each point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dse.report.charts.line_chart import Chart, Mark, chart_figure, tone_key
from dse.report.html.tags import Html, table, tag
from dse.report.sweep_pages.chart_page import account, cell_text, sentence, write_page
from dse.report.words.sweep import chosen_text, describe_attainable, differing_choices
from dse.study.build.labels import label_of
from dse.units import with_unit

if TYPE_CHECKING:
    from dse.analysis.choose.pick import Row
    from dse.analysis.sweep.attainable import Attainable, Curve, Point

__all__ = ["attainable_charts", "write_attainable"]

_MOST_TONES = 16


def write_attainable(attainable: Attainable, path: str | Path, question: str = "") -> Path:
    """Write the page of attainable curves.

    Parameters
    ----------
    attainable : Attainable
    path : path
        The file to write.
    question : str
        Of the study.
    """
    about = f"what can be attained {attainable.relation} each {label_of(attainable.labels, attainable.budget)}"
    return write_page(path, attainable.study, about, question, attainable.synthetic, _attainable_main(attainable))


def _attainable_main(attainable: Attainable) -> Iterator[Html]:
    yield tag("p", sentence(describe_attainable(attainable)))
    for limit in attainable.lifted:
        yield tag("p", f"Lifted: {limit.text}.")
    for limit in attainable.limits:
        by = f", which {limit.required_by} requires" if limit.required_by else "; --lift leaves it out"
        yield tag("p", f"The curves end at the limit {limit.text}{by}.")
    for curve in attainable.curves:
        yield from _curve(attainable, curve)
    yield account(attainable.searches, attainable.evaluated)


def _curve(attainable: Attainable, curve: Curve) -> Iterator[Html]:
    built = _built(curve)
    designs = [point.design for point in built if point.design is not None]
    alike, differ = differing_choices(designs, attainable.choices)
    yield tag("h2", f"{'Least' if curve.sense == 'min' else 'Most'} {label_of(attainable.labels, curve.quantity)}")
    if not built:
        yield tag("p", "Nothing is feasible.")
        return
    if common := chosen_text(designs[0], alike, attainable.units, attainable.labels):
        yield tag("p", f"All: {common}.")
    charts = []
    if len(built) > 1:
        chart, keys = _chart(attainable, curve)
        charts = [chart_figure(chart, tone_key(keys) if keys else None)]
    rows = [
        [
            with_unit(point.budget, attainable.unit),
            with_unit(point.value, curve.unit),
            *(cell_text(point.design, name, attainable.units) for name in attainable.also),
            chosen_text(point.design, differ, attainable.units, attainable.labels)
            if point.design
            else "nothing feasible",
        ]
        for point in curve.points
    ]
    heads = [label_of(attainable.labels, name) for name in (attainable.budget, curve.quantity, *attainable.also)]
    yield tag("div", *charts, table([*heads, "paid for by"], rows, range(len(heads))), class_="charts")


def attainable_charts(attainable: Attainable) -> list[tuple[Chart, list[tuple[int, str]]]]:
    """Return the chart of each curve with anything on it, with what its tones mean."""
    return [_chart(attainable, curve) for curve in attainable.curves if _built(curve)]


def _built(curve: Curve) -> list[Point]:
    return [point for point in curve.points if point.design is not None and point.value is not None]


def _chart(attainable: Attainable, curve: Curve) -> tuple[Chart, list[tuple[int, str]]]:
    built = _built(curve)
    designs = [point.design for point in built if point.design is not None]
    _, differ = differing_choices(designs, attainable.choices)
    key = _told_by(designs, differ)
    labels = list(dict.fromkeys(str(design.get(key)) for design in designs)) if key else []
    level = {"within": "after", "reaching": "before", "at": ""}[attainable.relation]
    budget, quantity = label_of(attainable.labels, attainable.budget), label_of(attainable.labels, curve.quantity)
    marks = [
        Mark(
            point.budget,
            point.value or 0.0,
            labels.index(str(point.design.get(key))) if key and point.design else 0,
            f"{with_unit(point.budget, attainable.unit)}: {with_unit(point.value, curve.unit)}, "
            + chosen_text(point.design or {}, differ, attainable.units, attainable.labels),
        )
        for point in built
    ]
    chart = Chart(
        f"{quantity} {attainable.relation} {budget}",
        budget,
        attainable.unit,
        quantity,
        curve.unit,
        marks=marks,
        lines=[_line(attainable, built)] if level else [],
        x_limits=[(limit.value, limit.text) for limit in attainable.limits],
        level=level,
        x_values=_spanned([point.budget for point in built], [limit.value for limit in attainable.limits]),
        nothing=("below" if curve.sense == "min" else "above") if level else "",
    )
    return chart, list(enumerate(labels))


def _spanned(budgets: Sequence[float], limits: Sequence[float]) -> list[float]:
    """Return the budgets, and the limits near them, up to which the curve is known to be level."""
    low, high = budgets[0], budgets[-1]
    reach = high - low
    return sorted({*budgets, *(limit for limit in limits if low - reach <= limit <= high + reach)})


def _line(attainable: Attainable, built: Sequence[Point]) -> list[tuple[float, float]]:
    """Return the points of a curve, and its end at the limit up to which it is known to be level."""
    points = [(point.budget, point.value or 0.0) for point in built]
    ends = [limit.value for limit in attainable.limits if limit.relation[0] == "<" and limit.value > built[-1].budget]
    shown = _spanned([budget for budget, _ in points], ends)
    if attainable.relation == "within" and ends and min(ends) in shown:
        points.append((min(ends), points[-1][1]))
    return points


def _told_by(designs: Sequence[Row], differ: Sequence[str]) -> str:
    """Return the choice that markers tell: the first with a name rather than a number, and not too many of them."""
    for name in differ:
        cells = {design.get(name) for design in designs}
        if all(isinstance(cell, str) for cell in cells) and len(cells) <= _MOST_TONES:
            return name
    return ""
