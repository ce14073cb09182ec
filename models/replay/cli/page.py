"""The pages of `dse trace report` and `dse trace factors --report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dse.models.replay.analysis.analysis import Analysis
from dse.models.replay.analysis.drawing import (
    draw_breakdown,
    draw_matrix,
    draw_scale,
    draw_timeline,
    draw_volumes,
    draw_windows,
)
from dse.models.replay.analysis.timeline import MOST_RANKS, pieces_of
from dse.models.replay.cli.tables import breakdown_rows, expanded_text, pattern_text, windows_text
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag
from dse.units import with_unit

__all__ = ["write_scale_page", "write_trace_page"]

_CONFIG = {"displaylogo": False}


def write_trace_page(analysis: Analysis, path: str | Path) -> Path:
    """Write the page of one trace."""
    trace, network = analysis.trace, analysis.network
    pieces = pieces_of(analysis)
    notes = [
        f"the first {min(trace.ranks, MOST_RANKS)} of {trace.ranks} ranks"
        + ("" if pieces.until >= pieces.end.max(initial=0.0) else f", the first {with_unit(pieces.until, 's')}"),
        "parts of the time of each rank; a better network takes away at most the network delay",
        f"{expanded_text(analysis)}; {pattern_text(analysis.pattern)}",
        "pairs of ranks by what they send in the whole run, and messages by powers of two",
        windows_text(analysis.intervals),
    ]
    titles = ("Timeline", "Where the time goes", "Traffic matrix", "Volumes and sizes", "Windows of time")
    drawings = [
        draw_timeline(pieces),
        draw_breakdown(analysis.parts),
        draw_matrix(analysis.traffic),
        draw_volumes(analysis.volumes),
        draw_windows(analysis.intervals),
    ]
    figures = _figures(drawings)
    asked = (
        f"{trace.ranks:,} ranks, {trace.events:,} events, {analysis.times}; latency {with_unit(network.latency, 's')}, "
        f"overhead {with_unit(network.overhead, 's')}, bandwidth {with_unit(network.bandwidth, 'B/s')}"
    )
    header = [tag("h1", f"trace {trace.name}"), tag("p", asked, class_="question")]
    if trace.synthetic:
        header.append(tag("p", "SYNTHETIC: made up, not measured", class_="note"))
    header += [tag("p", warning, class_="note") for warning in trace.warnings]
    main: list[Html] = [tag("h2", "Time of the modes"), _modes(analysis)]
    for title, note, figure in zip(titles, notes, figures, strict=True):
        main += [tag("h2", title), tag("p", note, class_="note"), Html(figure)]
    return write_figures_page(path, title=f"trace {trace.name}", header=header, main=main, figures=figures)


def write_scale_page(analyses: Sequence[Analysis], path: str | Path) -> Path:
    """Write the page of several traces: breakdown over scale."""
    figures = _figures([draw_scale(analyses)])
    words = "mean over the ranks of each run; parts add up to the time of the run"
    main: list[Html] = [
        tag("h2", "Where the time goes, over the number of ranks"),
        tag("p", words, class_="note"),
        Html(figures[0]),
    ]
    names = ", ".join(analysis.trace.name for analysis in analyses)
    header = [tag("h1", "breakdown over scale"), tag("p", names, class_="question")]
    return write_figures_page(path, title="breakdown over scale", header=header, main=main, figures=figures)


def _figures(drawings: Sequence[Any]) -> list[str]:
    return [
        drawing.to_html(full_html=False, include_plotlyjs=number == 0, config=_CONFIG)
        for number, drawing in enumerate(drawings)
    ]


def _modes(analysis: Analysis) -> Html:
    rows = [[mode, with_unit(float(replay.time), "s")] for mode, replay in analysis.modes.items()]
    rows += breakdown_rows(analysis)
    return tag("table", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
