"""Sweeps, attainable curves and maps of winners as plotly figures: the charts of their pages, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dse.report.charts.plotly_chart import charts_figure, heading, look, scale_of
from dse.report.sweep_pages.attainable import attainable_charts
from dse.report.sweep_pages.sweep import sweep_charts
from dse.report.words.sweep import winner_text
from dse.study.build.labels import label_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dse.analysis.sweep.attainable import Attainable
    from dse.analysis.sweep.sweep import Sweep
    from dse.analysis.sweep.winner_map import WinnerMap

__all__ = ["attainable_figure", "map_figure", "sweep_figure"]


def sweep_figure(sweep: Sweep) -> go.Figure:
    """Return a panel for each quantity: its line over the parameter, points by winner, break-evens and limits."""
    return charts_figure(sweep_charts(sweep))


def attainable_figure(attainable: Attainable) -> go.Figure:
    """Return a panel for each curve."""
    return charts_figure(attainable_charts(attainable))


def map_figure(winners: WinnerMap) -> go.Figure:
    """Return the cells over both parameters; those where another winner is as good within the error are hollow."""
    import plotly.graph_objects as go

    figure = go.Figure()
    (x_scale, x_unit), (y_scale, y_unit) = scale_of(winners.xs, winners.x_unit), scale_of(winners.ys, winners.y_unit)
    for tone, winner in enumerate(winners.winners):
        own = [cell for cell in winners.cells if cell.winner == winner]
        symbols = [look(tone, hollow=bool(cell.close))["symbol"] for cell in own]
        figure.add_scatter(
            x=[cell.x / x_scale for cell in own],
            y=[cell.y / y_scale for cell in own],
            mode="markers",
            marker={**look(tone), "size": 11, "symbol": symbols},
            name=escape(winner_text(winner, winners.by, winners.units, winners.labels)),
        )
    figure.update_layout(
        xaxis_title=heading(label_of(winners.labels, winners.x), x_unit),
        yaxis_title=heading(label_of(winners.labels, winners.y), y_unit),
        template="plotly_white",
    )
    return figure
