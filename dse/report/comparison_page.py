"""The page of a comparison: candidates side by side, and where they stand among the designs of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import numpy as np

from dse.analysis.candidates import Candidate
from dse.analysis.comparison import Comparison
from dse.authoring.validation import HEADING
from dse.report.figure import axis_scale
from dse.report.figures_page import write_figures_page
from dse.report.html import Html, join, table, tag
from dse.run.run import Run
from dse.units import TEXT, display_unit, format_number, with_unit

__all__ = ["write_comparison"]

_STYLE = """
.parts { display: flex; height: 1.1rem; min-width: 12rem; }
.parts span { display: block; height: 100%; flex: none; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 .9em; border-radius: .15em; }
"""
_SHADES = ("#2f6fde", "#e08a1e", "#3a9c6b", "#b5539c", "#7a6ff0", "#c94f4f", "#4aa3b8", "#8a8f3c")


def write_comparison(found: Comparison, path: str | Path) -> Path:
    """Write the page of a comparison.

    Parameters
    ----------
    found : Comparison
    path : path
        The file to write.
    """
    plot = _plot(found)
    return write_figures_page(
        path,
        title="comparison",
        header=_header(found),
        main=[*_main(found), Html(plot)],
        figures=[plot],
        style=_STYLE,
    )


def _header(comparison: Comparison) -> Iterator[Html]:
    names = [candidate.name for candidate in comparison.candidates]
    yield tag("h1", "comparison")
    yield tag("p", " · ".join(names) or "two runs", class_="question")
    synthetic = dict.fromkeys(name for c in comparison.candidates for name in c.synthetic)
    if synthetic:
        which = f"Not measured, so no result to quote: {', '.join(synthetic)}"
        yield tag("div", tag("strong", "SYNTHETIC DATA"), which, class_="banner", role="note")


def _main(comparison: Comparison) -> Iterator[Html]:
    units = {o["quantity"]: o["unit"] for o in comparison.objectives}
    names = [candidate.name for candidate in comparison.candidates]
    if comparison.runs:
        yield tag("h2", "Runs")
        rows = [
            [
                r["folder"],
                "exact" if r["exact"] else "not exact",
                format_number(r["designs"]),
                format_number(r["frontier"]),
            ]
            + [with_unit(r["best"].get(name), unit) for name, unit in units.items()]
            for r in comparison.runs
        ]
        yield table(
            ["run", "", "designs", "frontier", *(f"best {name}" for name in units)], rows, range(2, 4 + len(units))
        )
    if comparison.candidates:
        yield tag("h2", "Systems")
        yield table(["", *names], list(_rows(comparison)), range(1, len(names) + 1))
        yield from (tag("p", line) for line in comparison.sources())
        if held := comparison.validation_lines():
            yield tag("p", f"{HEADING.capitalize()}:")
            yield tag("ul", *(tag("li", line) for line in held))
        yield from (tag("p", f"{c.name}: {c.note}", class_="note") for c in comparison.candidates if c.note)
        for whole in comparison.sums(every=True):
            yield from _breakdown(comparison.candidates, whole)
        every = [
            [name, *(text for text, _, _ in comparison.figures(name, unit))]
            for name, unit in comparison.quantities().items()
        ]
        listed = table(["quantity", *names], every, range(1, len(names) + 1))
        yield tag("details", tag("summary", f"All {len(every)} quantities"), listed)
        yield tag("h2", "Distance to the frontiers")
        yield table(["system", "frontier of", "distance", "beaten by"], comparison.distance_rows())
    yield from _changes(comparison)


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    for key in dict.fromkeys(key for c in comparison.candidates for key in c.parameters):
        yield [key, *(c.parameters.get(key, "–") for c in comparison.candidates)]
    for entry in (*comparison.objectives, *comparison.also):
        name, unit = entry["quantity"], entry["unit"]
        cells = [
            join(
                [text, f" ({how})" if how else "", tag("div", f"{ratio} the first", class_="quiet") if ratio else ""],
                "",
            )
            for text, ratio, how in comparison.figures(name, unit)
        ]
        yield [tag("b", f"{name} ({entry['sense']})") if "sense" in entry else name, *cells]
        if measured := comparison.measured(name, unit):
            yield [tag("span", f"{name} measured", class_="quiet"), *measured]
    words = {True: "met", False: "NOT met", None: "–"}
    yield ["constraints", *(words[c.feasible] for c in comparison.candidates)]


def _breakdown(candidates: list[Candidate], whole: str) -> Iterator[Html]:
    """Return stacked bars of one sum, all systems on one scale."""
    items = [(c.name, b) for c in candidates for b in c.breakdowns if b["quantity"] == whole]
    if not items:
        return
    parts = list(dict.fromkeys(part["quantity"] for _, item in items for part in item["parts"]))
    shade = {part: _SHADES[place % len(_SHADES)] for place, part in enumerate(parts)}
    largest = max(item["value"] for _, item in items) or 1.0
    yield tag("h2", f"{whole}: where it goes")
    key = [join([tag("span", "", class_="key", style=f"background:{shade[part]}"), part], "") for part in parts]
    yield tag("p", *key)
    rows = []
    for name, item in items:
        spans = [
            tag(
                "span",
                "",
                style=f"width:{100 * part['value'] / largest:.3f}%;background:{shade[part['quantity']]}",
                title=f"{part['quantity']} {with_unit(part['value'], item['unit'])}",
            )
            for part in sorted(item["parts"], key=lambda part: parts.index(part["quantity"]))
        ]
        rows.append([name, tag("div", *spans, class_="parts"), with_unit(item["value"], item["unit"])])
    yield table(["", "", whole], rows, [2])


def _changes(comparison: Comparison) -> Iterator[Html]:
    changes = comparison.changes
    if changes is None:
        return
    yield tag("h2", "From the first run to the second")
    yield tag("p", comparison.counts_in_words() + ".")
    if changes["changed_inputs"]:
        yield tag("p", f"Changed: {', '.join(changes['changed_inputs'])}.")
    if changes["study_diff"]:
        yield tag("pre", "\n".join(changes["study_diff"]))

    units = changes["units"]

    def named(design: Mapping[str, str | float | None]) -> str:
        return ", ".join(f"{name} = {with_unit(value, units.get(name, TEXT))}" for name, value in design.items())

    rows: list[list[str]] = [[kind, named(d)] for kind in ("entered", "left") for d in changes[kind]]
    rows += [
        ["moved", f"{named(d['parameters'])}: from {named(d['before'])} to {named(d['after'])}"]
        for d in changes["moved"]
    ]
    if rows:
        yield table(["", "design"], rows)


def _plot(comparison: Comparison) -> str:
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
    figure.update_layout(
        template="plotly_white",
        height=520,
        font={"family": "system-ui, sans-serif"},
        xaxis={"title": f"{x} [{x_shown}]" if x_shown else x, "type": axis_scale(np.array(values[x], dtype=float))},
        yaxis={"title": f"{y} [{y_shown}]" if y_shown else y, "type": axis_scale(np.array(values[y], dtype=float))},
    )
    body: str = figure.to_html(full_html=False, include_plotlyjs=True, config={"displaylogo": False})
    return str(tag("h2", "The frontiers")) + body
