"""Sweeps, attainable curves and maps of winners that draw themselves: what `dse.Study` returns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import dse.analysis.attainable
import dse.analysis.sweep
import dse.analysis.winner_map

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Attainable", "Sweep", "WinnerMap"]


class Sweep(dse.analysis.sweep.Sweep):  # noqa: D101
    __doc__ = dse.analysis.sweep.Sweep.__doc__

    def figure(self) -> go.Figure:
        """Draw what is shown over the parameter, marked by winner, as a plotly figure."""
        from dse.report.sweep_figure import sweep_figure

        return sweep_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        from dse.report.sweep_page import write_sweep

        return write_sweep(self, path, question)


class Attainable(dse.analysis.attainable.Attainable):  # noqa: D101
    __doc__ = dse.analysis.attainable.Attainable.__doc__

    def figure(self) -> go.Figure:
        """Draw the curves as a plotly figure."""
        from dse.report.sweep_figure import attainable_figure

        return attainable_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        from dse.report.attainable_page import write_attainable

        return write_attainable(self, path, question)


class WinnerMap(dse.analysis.winner_map.WinnerMap):  # noqa: D101
    __doc__ = dse.analysis.winner_map.WinnerMap.__doc__

    def figure(self) -> go.Figure:
        """Draw the map as a plotly figure: a colour and a shape for each winner, hollow where others are as good."""
        from dse.report.sweep_figure import map_figure

        return map_figure(self)

    def report(self, path: str | Path, question: str = "") -> Path:
        """Write the page."""
        from dse.report.winner_map_page import write_map

        return write_map(self, path, question)
