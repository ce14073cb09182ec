"""The page of a comparison: candidates side by side, and where they stand among the designs of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dse.analysis.compare.comparison import Comparison
from dse.authoring.watch.validation import HEADING
from dse.report.charts.figure import axis_scale
from dse.report.comparison.bars import Figure, bars, mini_bar, ratio_text, stacks
from dse.report.comparison.changes import changes_section
from dse.report.html.page import write_figures_page
from dse.report.html.static_files import style_of
from dse.report.html.tags import Html, join, table, tag
from dse.run.result.run import Run
from dse.study.build.labels import label_of
from dse.units import display_unit, format_number, with_unit

__all__ = ["write_comparison"]

Labels = Mapping[str, str]
_MISSING = "–"
_SHADES = ("#2f6fde", "#e08a1e", "#3a9c6b", "#b5539c", "#7a6ff0", "#c94f4f", "#4aa3b8", "#8a8f3c")


def write_comparison(comparison: Comparison, path: str | Path) -> Path:
    """Write the page of a comparison.

    Parameters
    ----------
    comparison : Comparison
    path : path
        The file to write.
    """
    labels: dict[str, str] = {}
    for run in comparison.runs:
        labels = {**Run.load(run["folder"]).manifest.labels, **labels}
    plot = _plot(comparison, labels)
    return write_figures_page(
        path,
        title="comparison",
        header=_header(comparison),
        main=[*_main(comparison, labels), Html(plot)],
        figures=[plot],
        style=_style(),
    )


def _style() -> str:
    """Return the looks of bars, those of the panel's breakdowns among them."""
    return "".join(style_of("comparison"))


def _header(comparison: Comparison) -> Iterator[Html]:
    names = [candidate.name for candidate in comparison.candidates]
    yield tag("h1", "comparison")
    yield tag("p", " · ".join(names) or "two runs", class_="question")
    synthetic = dict.fromkeys(name for c in comparison.candidates for name in c.synthetic)
    if synthetic:
        which = f"Not measured, so no result to quote: {', '.join(synthetic)}"
        yield tag("div", tag("strong", "SYNTHETIC DATA"), which, class_="banner", role="note")


def _main(comparison: Comparison, labels: Labels) -> Iterator[Html]:
    units = {o["quantity"]: o["unit"] for o in comparison.objectives}
    names = [candidate.name for candidate in comparison.candidates]
    if comparison.runs:
        yield tag("h2", "Runs")
        rows = [
            [
                r["folder"],
                r["headline"],
                format_number(r["designs"]),
                format_number(r["frontier"]),
            ]
            + [with_unit(r["best"].get(name), unit) for name, unit in units.items()]
            for r in comparison.runs
        ]
        yield table(
            ["run", "certificate", "designs", "frontier", *(f"best {label_of(labels, name)}" for name in units)],
            rows,
            range(2, 4 + len(units)),
        )
        for run in comparison.runs:
            if origin := run["derived_from"]:
                changed = " ".join(origin["changes"]) or "no change"
                yield tag("p", f"{run['folder']}: derived from {origin['study']}: {changed}", class_="note")
    yield from changes_section(comparison, labels)
    if comparison.candidates:
        yield tag("h2", "Objectives")
        yield tag("div", *_figures(comparison, comparison.objectives, labels), class_="figures")
        yield tag("h2", "Parameters")
        yield _differing("parameters", names, list(_parameters(comparison, labels)))
        if comparison.also:
            yield tag("h2", "What else the study shows")
            yield tag("div", *_figures(comparison, comparison.also, labels), class_="figures")
        yield from (tag("p", line) for line in comparison.sources())
        yield from (tag("p", f"{c.name}: {c.note}", class_="note") for c in comparison.candidates if c.note)
        if held := comparison.validation_lines():
            yield tag("p", f"{HEADING.capitalize()}:")
            yield tag("ul", *(tag("li", line) for line in held))
        if sums := comparison.sums(every=True):
            yield tag("h2", "What the figures consist of")
            for whole in sums:
                yield from stacks(comparison.candidates, whole, labels)
        every = list(_quantities(comparison, labels))
        listed = _differing("quantities", names, every)
        yield tag("details", tag("summary", f"All {len(every)} quantities"), listed)
        yield tag("h2", "Distance to the frontiers")
        yield table(["system", "frontier of", "distance", "beaten by"], comparison.distance_rows())


def _figures(comparison: Comparison, entries: Sequence[Mapping[str, str]], labels: Labels) -> Iterator[Html]:
    """Return a table with bars for each of some quantities; what was measured stands below what is computed."""
    for entry in entries:
        name, unit = entry["quantity"], entry["unit"]
        figures = []
        for candidate, (text, _, how) in zip(comparison.candidates, comparison.figures(name, unit), strict=True):
            figures.append(Figure(candidate.name, candidate.values.get(name), text, how))
            if name in candidate.beside:
                measured = candidate.beside[name]["value"]
                figures.append(Figure(f"{candidate.name}, measured", measured, with_unit(measured, unit)))
        yield bars(label_of(labels, name), entry.get("sense", ""), figures)


class _Row(NamedTuple):
    """A line of a table of systems: what it tells, its cells, and what they are compared by."""

    name: str
    cells: list[Html | str]
    values: list[object]

    @property
    def same(self) -> bool:
        return all(value == self.values[0] for value in self.values)


def _parameters(comparison: Comparison, labels: Labels) -> Iterator[_Row]:
    for key in dict.fromkeys(key for c in comparison.candidates for key in c.parameters):
        texts = [c.parameters.get(key, _MISSING) for c in comparison.candidates]
        yield _Row(label_of(labels, key), [*texts], [*texts])
    words = {True: "met", False: "NOT met", None: _MISSING}
    met = [words[c.feasible] for c in comparison.candidates]
    yield _Row("constraints", [*met], [*met])


def _quantities(comparison: Comparison, labels: Labels) -> Iterator[_Row]:
    for name, unit in comparison.quantities().items():
        values = [candidate.values.get(name) for candidate in comparison.candidates]
        cells: list[Html | str] = []
        for place, (text, _, how) in enumerate(comparison.figures(name, unit)):
            ratio = ratio_text(values[place], values[0]) if place else ""
            content = [
                text,
                *([f" ({how})"] if how else []),
                *([tag("span", f" {ratio}", class_="quiet")] if ratio else []),
            ]
            cells.append(join([*content, mini_bar(values[place], values)], ""))
        yield _Row(label_of(labels, name), cells, values)


def _differing(what: str, names: list[str], rows: list[_Row]) -> Html:
    """Return a table of systems that shows where they differ; the rest is there when it is asked for."""
    body = []
    for row in rows:
        cells = [
            tag("td", cell, class_="n other" if value not in (row.values[0], None, _MISSING) else "n")
            for cell, value in zip(row.cells, row.values, strict=True)
        ]
        same = row.same and len(names) > 1
        body.append(tag("tr", tag("th", row.name, scope="row"), *cells, class_="same" if same else None))
    head = tag("tr", tag("th", what, scope="col"), *(tag("th", name, scope="col", class_="n") for name in names))
    listed = tag("table", tag("thead", head), tag("tbody", *body))
    alike = sum(row.same for row in rows)
    box: list[Html] = []
    if len(names) > 1 and alike:
        box = [
            tag("input", type="checkbox", id=f"all-{what}"),
            tag("label", f"also the {alike} {what} in which they are the same", for_=f"all-{what}"),
        ]
    return tag("div", *box, tag("div", listed, class_="scroll", tabindex=0), class_="differing")


def _plot(comparison: Comparison, labels: Labels) -> str:
    """Draw the frontiers and the systems over the first two objectives."""
    if len(comparison.objectives) < 2 or not comparison.runs:
        return ""
    import plotly.graph_objects as go

    (x, x_unit), (y, y_unit) = [(o["quantity"], o["unit"]) for o in comparison.objectives[:2]]
    frames = [(run["folder"], Run.load(run["folder"]).frontier) for run in comparison.runs]
    frames = [(name, frame) for name, frame in frames if x in frame and y in frame and len(frame)]
    systems = [c for c in comparison.candidates if c.values.get(x) is not None and c.values.get(y) is not None]
    values = {name: [v for _, f in frames for v in f[name]] + [c.values[name] for c in systems] for name in (x, y)}
    if not values[x]:
        return ""
    (x_scale, x_shown), (y_scale, y_shown) = (
        display_unit(unit, max(abs(v) for v in values[name])) for name, unit in ((x, x_unit), (y, y_unit))
    )
    figure = go.Figure()
    for place, (name, frame) in enumerate(frames):
        ordered = frame.sort_values(x)
        figure.add_scatter(
            x=(ordered[x] / x_scale).to_numpy(),
            y=(ordered[y] / y_scale).to_numpy(),
            mode="lines+markers",
            line={"color": _SHADES[place % len(_SHADES)], "width": 1.5, "shape": "hv"},
            name=escape(f"frontier of {name}"),
        )
    for place, candidate in enumerate(systems):
        figure.add_scatter(
            x=[candidate.values[x] / x_scale],
            y=[candidate.values[y] / y_scale],
            mode="markers+text",
            text=[escape(candidate.name)],
            textposition="top center",
            marker={"size": 12, "symbol": "diamond", "color": _SHADES[-1 - place % len(_SHADES)]},
            name=escape(candidate.name),
        )
    x_title, y_title = label_of(labels, x), label_of(labels, y)
    figure.update_layout(
        template="plotly_white",
        height=520,
        font={"family": "system-ui, sans-serif"},
        xaxis={
            "title": f"{x_title} [{x_shown}]" if x_shown else x_title,
            "type": axis_scale(np.array(values[x], dtype=float)),
        },
        yaxis={
            "title": f"{y_title} [{y_shown}]" if y_shown else y_title,
            "type": axis_scale(np.array(values[y], dtype=float)),
        },
    )
    body: str = figure.to_html(
        full_html=False, include_plotlyjs=True, config={"displaylogo": False, "responsive": True}
    )
    return str(tag("h2", "The frontiers")) + body
