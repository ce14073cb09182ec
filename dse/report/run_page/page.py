"""The page of a run: one HTML file that needs nothing else, neither a network nor a server.

Texts of a study (its question, part labels, constraints, sources) may hold anything: they reach the page escaped or as
JSON, its scripts write them as text, and the page allows only its own scripts to run, by their hashes. Plotly is packed
(it would be more than half of the page) and unpacked after everything else works.
"""

from __future__ import annotations

import base64
import gzip
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from dse.errors import InputError
from dse.report.charts.line_chart import CHART_STYLE
from dse.report.charts.palette import palette_style
from dse.report.html.policy import content_policy
from dse.report.html.static_files import joined_scripts, plotly_script, style_of, template_of
from dse.report.html.tags import Html, escaped, join, safe_json, tag
from dse.report.record.before import encode_before
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_view
from dse.report.record.pictures import pictures_section
from dse.report.record.references import references_section
from dse.report.run_page.along_section import along_section
from dse.report.run_page.brackets_section import brackets_section
from dse.report.run_page.machines_section import machines_section
from dse.report.run_page.more_section import MorePanel, more_section
from dse.report.run_page.sections import account, header, in_words, rejected
from dse.report.run_page.uncertainty_section import uncertainty_section
from dse.report.words.answer import nearest_in_words
from dse.report.words.stopped import why_stopped
from dse.run.disk.folder import REPORT, RunFolder

if TYPE_CHECKING:
    from dse.report.record.view import PageView
    from dse.run.result.run import Run

__all__ = ["page_html", "write_report"]


def write_report(run: Run, path: str | Path | None = None) -> Path:
    """Write the page of a run.

    Parameters
    ----------
    run : Run
    path : path, optional
        The file to write. Default: ``report.html`` in the run's folder.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        No path for a run without a folder, or a file that cannot be written.
    """
    if path is None and run.folder is None:
        raise InputError(
            "the run is not in a folder, so the page needs a path", allowed='write_report(run, "page.html")'
        )
    target = Path(path) if path is not None else Path(str(run.folder)) / REPORT
    return RunFolder(target.parent).write_text(target.name, page_html(run))


def page_html(run: Run, before: Run | None = None) -> str:
    """Return the text of the page: on one screen question, decisions, plot and a design; the rest in tabs.

    Parameters
    ----------
    run : Run
    before : Run, optional
        Another run, whose frontier is drawn faded behind that of this one where it has the same objectives.

    Returns
    -------
    str
    """
    view = page_view(run)
    along = [*along_section(run)]
    charts_style = [CHART_STYLE.strip("\n")] if along else []
    script, data, packed, scripts = "", "null", "", []
    if len(view.numbers):
        plotly = plotly_script()
        script = joined_scripts()
        record = encode_view(view) | {"before": None if before is None else encode_before(run, before)}
        data, packed = safe_json(record), base64.b64encode(gzip.compress(plotly, 9, mtime=0)).decode("ascii")
        scripts = [script.encode(), plotly]
    return Template(template_of("run")).substitute(
        policy=content_policy(scripts),
        title=escaped(f"{run.name}: frontier"),
        style="\n".join([*(style.strip("\n") for style in style_of("run")), palette_style(), *charts_style]),
        header=join(header(run, view)),
        main=join([*_main(run, len(view.numbers) > 0), *more_section(_panels(run, view, along))]),
        data=data,
        script=script,
        plotly=packed,
    )


def _panels(run: Run, view: PageView, along: list[Html]) -> list[MorePanel]:
    """Return what lies below the plot, each with its tab."""
    designs = [Html(template_of("designs"))] if len(view.numbers) else []
    machines = [*machines_section(run), *references_section(run)]
    return [
        MorePanel("designs", "all designs", designs),
        MorePanel("words", "in words", [*in_words(run, view), *along]),
        MorePanel("sure", "how sure", [*uncertainty_section(run), *brackets_section(run)]),
        MorePanel("machines", "real machines", machines),
        MorePanel("pictures", "pictures", [*pictures_section(view)]),
        MorePanel("about", "about the run", [*account(run)]),
    ]


def _title(run: Run) -> str:
    if run.manifest.certificate.gap is not None:
        return f"The best designs found so far ({run.headline})"
    return f"The frontier, {run.headline}" if run.within or run.promises_all else "The best designs found"


def _main(run: Run, explorer: bool) -> list[Html]:
    title = "The frontier" if run.exact else _title(run)
    if not len(run.frontier) and run.stopped:
        return [tag("h2", "Nothing feasible is found yet"), tag("p", f"{why_stopped(run).capitalize()}.")]
    # The line under the question says the same of an exact frontier; who listens to the page still finds the heading.
    pieces = [
        tag(
            "h2",
            title if len(run.frontier) else "Nothing is feasible",
            class_="unseen" if run.exact and len(run.frontier) else None,
        )
    ]
    if not len(run.frontier):
        why = "So there is no frontier. Designs each constraint rejects (one design may break several):"
        nearest = nearest_in_words(run)
        pieces += [tag("p", f"{nearest[0].upper()}{nearest[1:]}.")] if nearest is not None else []
        pieces += [tag("p", why), rejected(run)]
    if explorer:
        pieces.append(Html(template_of("explorer")))
    return pieces
