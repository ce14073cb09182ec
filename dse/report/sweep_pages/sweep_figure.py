"""Sweeps, attainable curves and maps of winners as plotly figures, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from dse.report.words.sweep import winner_words
from dse.study.build.labels import label_of
from dse.units import display_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dse.analysis.sweep.attainable import Attainable
    from dse.analysis.sweep.sweep import Sweep
    from dse.analysis.sweep.winner_map import WinnerMap

__all__ = ["attainable_figure", "map_figure", "sweep_figure"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400", "#7a5cc2", "#b8543d")
_SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "pentagon", "hexagon")


def sweep_figure(sweep: Sweep) -> go.Figure:
    """Return a panel for each quantity: its line over the parameter, points by winner, break-evens and limits."""
    figure = _panels(sweep.objectives)
    x_scale, x_unit = _scale([step.value for step in sweep.steps], sweep.unit)
    for row, name in enumerate(sweep.objectives, 1):
        known = [(step, step.design.get(name)) for step in sweep.searched if step.design]
        points = [(step, float(value)) for step, value in known if isinstance(value, (int, float))]
        y_scale, y_unit = _scale([value for _, value in points], sweep.units[name])
        line = {"color": "#777777", "width": 1}
        xs, ys = [step.value / x_scale for step, _ in points], [value / y_scale for _, value in points]
        figure.add_scatter(x=xs, y=ys, mode="lines", line=line, showlegend=False, row=row, col=1)
        stepped = {step.value for step in sweep.steps}
        for tone, winner in enumerate(sweep.winners):
            own = [(s.value / x_scale, v / y_scale) for s, v in points if s.winner == winner and s.value in stepped]
            figure.add_scatter(
                x=[x for x, _ in own],
                y=[y for _, y in own],
                mode="markers",
                marker=_look(tone),
                name=escape(winner_words(winner, sweep.by, sweep.units, sweep.labels)),
                legendgroup=winner,
                showlegend=row == 1 and bool(sweep.by),
                row=row,
                col=1,
            )
        for change in sweep.break_even:
            figure.add_vline(x=change.high / x_scale, line_dash="dot", row=row, col=1)
        for limit in sweep.limits:
            if limit.quantity == name:
                figure.add_hline(
                    y=limit.value / y_scale, line_dash="dash", annotation_text=escape(limit.text), row=row, col=1
                )
        figure.update_yaxes(title=_heading(label_of(sweep.labels, name), y_unit), row=row, col=1)
    figure.update_xaxes(title=_heading(label_of(sweep.labels, sweep.varied), x_unit), row=len(sweep.objectives), col=1)
    return figure


def attainable_figure(attainable: Attainable) -> go.Figure:
    """Return a panel for each curve."""
    figure = _panels([curve.quantity for curve in attainable.curves])
    shape = {"within": "hv", "reaching": "vh", "at": "linear"}[attainable.relation]
    x_scale, x_unit = _scale([point.budget for curve in attainable.curves for point in curve.points], attainable.unit)
    for row, curve in enumerate(attainable.curves, 1):
        points = [(point.budget, point.value) for point in curve.points if point.value is not None]
        y_scale, y_unit = _scale([value for _, value in points], curve.unit)
        figure.add_scatter(
            x=[budget / x_scale for budget, _ in points],
            y=[value / y_scale for _, value in points],
            mode="markers" if attainable.relation == "at" else "lines+markers",
            line={"shape": shape, "color": _SHADES[0]},
            showlegend=False,
            row=row,
            col=1,
        )
        figure.update_yaxes(title=_heading(label_of(attainable.labels, curve.quantity), y_unit), row=row, col=1)
    figure.update_xaxes(
        title=_heading(label_of(attainable.labels, attainable.budget), x_unit), row=len(attainable.curves), col=1
    )
    return figure


def map_figure(winners: WinnerMap) -> go.Figure:
    """Return the cells over both parameters; those where another winner is as good within the error are hollow."""
    import plotly.graph_objects as go

    figure = go.Figure()
    (x_scale, x_unit), (y_scale, y_unit) = _scale(winners.xs, winners.x_unit), _scale(winners.ys, winners.y_unit)
    for tone, winner in enumerate(winners.winners):
        own = [cell for cell in winners.cells if cell.winner == winner]
        symbol = _SYMBOLS[tone % len(_SYMBOLS)]
        figure.add_scatter(
            x=[cell.x / x_scale for cell in own],
            y=[cell.y / y_scale for cell in own],
            mode="markers",
            marker={**_look(tone), "size": 11, "symbol": [symbol + ("-open" if c.close else "") for c in own]},
            name=escape(winner_words(winner, winners.by, winners.units, winners.labels)),
        )
    figure.update_layout(
        xaxis_title=_heading(label_of(winners.labels, winners.x), x_unit),
        yaxis_title=_heading(label_of(winners.labels, winners.y), y_unit),
        template="plotly_white",
    )
    return figure


def _panels(names: Sequence[str]) -> go.Figure:
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=len(names), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    figure.update_layout(template="plotly_white", height=180 + 240 * len(names))
    return figure


def _look(tone: int) -> Mapping[str, object]:
    return {"color": _SHADES[tone % len(_SHADES)], "symbol": _SYMBOLS[tone % len(_SYMBOLS)], "size": 8}


def _scale(values: Sequence[float], unit: str) -> tuple[float, str]:
    return display_unit(unit, max((abs(value) for value in values), default=0.0))


def _heading(words: str, unit: str) -> str:
    return escape(words + (f" [{unit}]" if unit else ""))
