"""The report of a run: the figure of the frontier, and one HTML page that holds everything."""

from dse.report.figure import FrontView, front_figure, front_view
from dse.report.page import write_report

__all__ = ["FrontView", "front_figure", "front_view", "write_report"]
