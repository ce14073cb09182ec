"""The page of a comparison with measurements: for each quantity its scatter plot, statistics, errors and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, table, tag
from dse.report.measured.figure import error_figure, error_view, scatter_figure, scatter_view
from dse.report.words.measured import describe_worst, row_cells, row_headings, row_name, statistics_rows

if TYPE_CHECKING:
    from dse.analysis.measured.results import ComparedQuantity, MeasuredComparison

__all__ = ["write_measured"]

_STYLE = """
.pair { display: grid; gap: 1.2rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
.pair > * { min-width: 0; }
.pair .scroll { max-height: 34rem; align-self: start; }
.pair .plot { order: -1; }
"""


def write_measured(comparison: MeasuredComparison, path: str | Path, bands: Sequence[float] = (0.1, 0.2)) -> Path:
    """Write the page of a comparison.

    Parameters
    ----------
    comparison : MeasuredComparison
    path : path
        The file to write.
    bands : sequence of float
        Errors whose bands are drawn.
    """
    figures: list[str] = []
    header = [
        tag("h1", comparison.study),
        tag("p", "How far are the models from what was measured?", class_="question"),
        tag("p", f"{comparison.file} beside what is computed. Nothing is fitted.", class_="note"),
    ]
    if comparison.synthetic:
        which = f"The models read figures that are not measured: {', '.join(comparison.synthetic)}"
        header.append(tag("div", tag("strong", "SYNTHETIC DATA"), which, class_="banner", role="note"))
    main = list(_main(comparison, bands, figures))
    title = f"{comparison.study}: measured beside computed"
    return write_figures_page(path, title=title, header=header, main=main, figures=figures, style=_STYLE)


def _main(comparison: MeasuredComparison, bands: Sequence[float], figures: list[str]) -> Iterator[Html]:
    if comparison.passed is not None:
        yield tag("p", "Every limit is kept." if comparison.passed else f"Not kept: {'; '.join(comparison.faults)}.")
    for name, compared in comparison.quantities.items():
        yield tag("h2", comparison.labels.get(name, name.replace("_", " ")))
        yield from (tag("p", note, class_="note") for note in compared.notes)
        columns = {"all": compared.statistics, **compared.groups}
        for variant, other in comparison.variants.items():
            if name in other.quantities:
                columns[variant] = other.quantities[name].statistics
        statistics = table(["statistic", *columns], statistics_rows(columns), range(1, len(columns) + 1))
        plot = _drawn(scatter_figure(scatter_view(comparison, name, bands)), figures)
        yield tag("div", statistics, plot, class_="pair")  # a plot takes the width that it finds when it is drawn
        if compared.rows:
            yield _drawn(error_figure(error_view(compared)), figures)
        yield tag("ul", *(tag("li", f"{line}") for line in describe_worst(comparison, compared)))
        yield from _rows(comparison, compared)
    if comparison.not_comparable:
        yield tag("h2", "Not comparable")
        yield table(["row", "reason"], [[str(record["row"]), record["reason"]] for record in comparison.not_comparable])
    yield from (tag("p", note, class_="note") for note in comparison.notes)


def _rows(comparison: MeasuredComparison, compared: ComparedQuantity) -> Iterator[Html]:
    headings = row_headings(comparison)
    rows = [row_cells(comparison, compared, row) for row in compared.rows]
    rows += [row_cells(comparison, compared, row, fitted=True) for row in compared.fitted]
    right = [headings.index(name) for name in ("measured", "computed", "error")]
    yield tag("details", tag("summary", f"All {len(rows)} rows"), table(headings, rows, right))
    if compared.fitted:
        names = ", ".join(row_name(comparison, row) for row in compared.fitted)
        yield tag("p", f"Used for fitting, and in no statistic: {names}.", class_="note")


def _drawn(figure: object, figures: list[str]) -> Html:
    plot = figure.to_html(  # type: ignore[attr-defined]
        full_html=False, include_plotlyjs=not figures, config={"displaylogo": False, "responsive": True}
    )
    figures.append(plot)
    return tag("div", Html(plot), class_="plot")
