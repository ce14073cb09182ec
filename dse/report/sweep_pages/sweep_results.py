"""Sweeps, attainable curves and maps of winners that draw themselves: what `dse.Study` returns, and what finds them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import dse.analysis.sweep.attainable
import dse.analysis.sweep.sweep
import dse.analysis.sweep.winner_map
from dse.analysis.sweep.attainable import attainable_study
from dse.analysis.sweep.sweep import sweep_study
from dse.analysis.sweep.winner_search import map_winners
from dse.report.sweep_pages.attainable import write_attainable
from dse.report.sweep_pages.sweep import write_sweep
from dse.report.sweep_pages.sweep_figure import attainable_figure, map_figure, sweep_figure
from dse.report.sweep_pages.winner_map import write_map

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Attainable", "Sweep", "WinnerMap", "attainable_study", "map_winners", "sweep_study"]


class Sweep(dse.analysis.sweep.sweep.Sweep):  # noqa: D101
    __doc__ = dse.analysis.sweep.sweep.Sweep.__doc__

    def figure(self) -> go.Figure:
        """Draw what is shown over the parameter, marked by winner, as a plotly figure."""
        return sweep_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        return write_sweep(self, path, question)


class Attainable(dse.analysis.sweep.attainable.Attainable):  # noqa: D101
    __doc__ = dse.analysis.sweep.attainable.Attainable.__doc__

    def figure(self) -> go.Figure:
        """Draw the curves as a plotly figure."""
        return attainable_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        return write_attainable(self, path, question)


class WinnerMap(dse.analysis.sweep.winner_map.WinnerMap):  # noqa: D101
    __doc__ = dse.analysis.sweep.winner_map.WinnerMap.__doc__

    def figure(self) -> go.Figure:
        """Draw the map as a plotly figure: a colour and a shape for each winner, hollow where others are as good."""
        return map_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        return write_map(self, path, question)
