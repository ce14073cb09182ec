"""The report of a run: the figure of the frontier, and one HTML page that holds everything."""

from dse.report.collect import page_view
from dse.report.figure import FrontView, front_figure, front_view
from dse.report.page import write_report
from dse.report.view import PageView

__all__ = ["FrontView", "PageView", "front_figure", "front_view", "page_view", "write_report"]
