"""The frame of the pages of sweeps, attainable curves and maps: a head, charts, tables; they need no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dse.report.charts.line_chart import CHART_STYLE, HATCHING
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag
from dse.units import TEXT, format_number, with_unit

if TYPE_CHECKING:
    from dse.analysis.choose.pick import Row

__all__ = ["account", "cell_text", "sentence", "write_page"]

_STYLE = """
.changes { margin: .4rem 0; padding-left: 1.6rem; }
.changes li { margin: .15rem 0; }
.charts > .scroll { max-height: 30rem; align-self: start; }
.charts th.n { white-space: normal; }
.charts td:last-child { min-width: 14rem; }
"""


def write_page(
    path: str | Path,
    study: str,
    about: str,
    question: str,
    synthetic: Sequence[str],
    main: Iterator[Html],
    style: str = "",
) -> Path:
    """Write a page of charts: what it is about, the question of the study, a banner where data are synthetic."""
    header = [tag("h1", study), tag("p", about[:1].upper() + about[1:], class_="question")]
    if question:
        header.append(tag("p", question, class_="note"))
    if synthetic:
        which = f"Not measured, so no result to quote: {', '.join(synthetic)}"
        header.append(tag("div", tag("strong", "SYNTHETIC DATA"), which, class_="banner", role="note"))
    style = CHART_STYLE + _STYLE + style
    return write_figures_page(
        path, title=f"{study}: {about}", header=header, main=[HATCHING, *main], figures=[], style=style
    )


def cell_text(design: Row | None, name: str, units: Mapping[str, str]) -> str:
    """Return what a design has of a quantity, with its unit."""
    value = None if design is None else design.get(name)
    return "–" if value is None or isinstance(value, dict) else with_unit(value, units.get(name, TEXT))


def account(searches: int, evaluated: int) -> Html:
    """Return how much was searched."""
    searched = "1 exact search" if searches == 1 else f"{searches} exact searches"
    return tag("p", f"{searched}, {format_number(evaluated)} designs evaluated.", class_="note")


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return text[:1].upper() + text[1:] + "."
