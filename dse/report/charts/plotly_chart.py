"""Charts as plotly figures, for notebooks: what `line_chart` draws for a page, from the same description.

A panel for each chart, one below the other over one parameter; a tone is a colour and a shape, as on the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from dse.report.charts.line_chart import TONES, Chart
from dse.units import display_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Keys", "charts_figure", "heading", "look", "scale_of"]

Keys = Sequence[tuple[int, str]]
"""What the tones of a chart mean."""

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400", "#7a5cc2", "#b8543d")
_SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "pentagon", "hexagon")
_SHAPES = {"": "linear", "after": "hv", "before": "vh"}
_GREY = "#777777"


def charts_figure(charts: Sequence[tuple[Chart, Keys]]) -> go.Figure:
    """Return a panel for each chart: lines, points by tone, places, limits, stretches; no areas and no ribbons."""
    from plotly.subplots import make_subplots

    count = max(1, len(charts))
    figure = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.06 if count > 1 else None)
    figure.update_layout(template="plotly_white", height=180 + 240 * count)
    spans = [x for chart, _ in charts for x in (*chart.x_values, *(mark.x for mark in chart.marks))]
    x_scale, x_unit = scale_of(spans, charts[0][0].x_unit) if charts else (1.0, "")
    named: set[str] = set()
    for row, (chart, keys) in enumerate(charts, 1):
        _panel(figure, chart, keys, row, x_scale, named)
    if charts:
        figure.update_xaxes(title=heading(charts[0][0].x_name, x_unit), row=count, col=1)
    return figure


def _panel(figure: go.Figure, chart: Chart, keys: Keys, row: int, x_scale: float, named: set[str]) -> None:
    place = {"row": row, "col": 1}
    y_scale, y_unit = scale_of([mark.y for mark in chart.marks], chart.y_unit)
    for band in chart.bands:
        shade = _GREY if band.tone is None else _SHADES[band.tone % TONES]
        ends = {"x0": band.begin / x_scale, "x1": band.end / x_scale}
        figure.add_vrect(**ends, fillcolor=shade, opacity=0.12, line_width=0, layer="below", **place)
    for number, line in enumerate(chart.lines):
        shade = _SHADES[chart.line_tones[number] % TONES] if chart.line_tones else _GREY
        figure.add_scatter(
            x=[x / x_scale for x, _ in line],
            y=[y / y_scale for _, y in line],
            mode="lines",
            line={"color": shade, "width": 1, "shape": _SHAPES[chart.level]},
            showlegend=False,
            **place,
        )
    names = dict(keys)
    for tone in dict.fromkeys(mark.tone for mark in chart.marks):
        own = [mark for mark in chart.marks if mark.tone == tone]
        name = names.get(tone, "")
        figure.add_scatter(
            x=[mark.x / x_scale for mark in own],
            y=[mark.y / y_scale for mark in own],
            mode="markers",
            marker=look(tone),
            name=escape(name),
            hovertext=[escape(mark.title) for mark in own],
            hoverinfo="text",
            legendgroup=name,
            showlegend=bool(name) and name not in named,
            **place,
        )
        named.add(name)
    for x, _ in chart.places:
        figure.add_vline(x=x / x_scale, line_dash="dot", **place)
    for y, text in chart.limits:
        figure.add_hline(y=y / y_scale, line_dash="dash", annotation_text=escape(text), **place)
    for x, text in chart.x_limits:
        figure.add_vline(x=x / x_scale, line_dash="dash", annotation_text=escape(text), **place)
    figure.update_yaxes(title=heading(chart.y_name, y_unit), **place)


def look(tone: int, *, hollow: bool = False) -> Mapping[str, object]:
    """Return the marker of a tone; those beyond the colours there are, and `hollow` ones, are open."""
    symbol = _SYMBOLS[tone % TONES] + ("-open" if hollow or tone >= TONES else "")
    return {"color": _SHADES[tone % TONES], "symbol": symbol, "size": 8}


def scale_of(values: Sequence[float], unit: str) -> tuple[float, str]:
    """Return what values in SI are divided by to be shown, and the unit they then have."""
    return display_unit(unit, max((abs(value) for value in values), default=0.0))


def heading(words: str, unit: str) -> str:
    """Return the title of an axis."""
    return escape(words + (f" [{unit}]" if unit else ""))
