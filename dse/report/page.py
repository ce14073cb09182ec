"""The page of a run: one HTML file that needs nothing else, neither a network nor a server.

Texts of a study (its question, part labels, constraints, sources) may hold anything: they reach the page escaped or as
JSON, its scripts write them as text, and the page allows only its own scripts to run, by their hashes. Plotly is packed
(it would be more than half of the page) and unpacked after everything else works.
"""

from __future__ import annotations

import base64
import gzip
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from dse.errors import InputError
from dse.report.answer import nearest_in_words
from dse.report.collect import page_view
from dse.report.encode import encode_view
from dse.report.html import Html, escaped, join, safe_json, tag
from dse.report.palette import palette_style
from dse.report.pictures import pictures_section
from dse.report.policy import content_policy
from dse.report.references import references_section
from dse.report.sections import account, header, rejected
from dse.report.stopped import why_stopped
from dse.report.trust_section import trust_section
from dse.run.folder import REPORT, RunFolder

if TYPE_CHECKING:
    from dse.run.run import Run

__all__ = ["write_report"]

_SCRIPTS = (
    "model.js",
    "text.js",
    "stored.js",
    "look.js",
    "colours.js",
    "table.js",
    "tabs.js",
    "limits.js",
    "breakdown.js",
    "neighbours.js",
    "detail.js",
    "shortlist.js",
    "references.js",
    "state.js",
    "parallel_axes.js",
    "parallel_heads.js",
    "parallel.js",
    "cloud.js",
    "marks.js",
    "legend.js",
    "beside.js",
    "traces.js",
    "tips.js",
    "lines.js",
    "stacked_bars.js",
    "along.js",
    "loading.js",
    "plot.js",
    "marked.js",
    "wishes.js",
    "choose.js",
    "keys.js",
    "shared_view.js",
    "page.js",
    "steps.js",
    "moved.js",
    "sliders.js",
    "contents.js",
)


_STYLES = ("page.css", "stacks.css", "detail.css", "sliders.css", "effects.css")


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
    return RunFolder(target.parent).write_text(target.name, _page(run))


def _page(run: Run) -> str:
    view = page_view(run)
    script, data, packed, scripts = "", "null", "", []
    if len(view.numbers):
        plotly = _plotly()
        script = "\n".join(_read(name) for name in _SCRIPTS)
        data, packed = safe_json(encode_view(view)), base64.b64encode(gzip.compress(plotly, 5, mtime=0)).decode("ascii")
        scripts = [script.encode(), plotly]
    return Template(_read("page.html")).substitute(
        policy=content_policy(scripts),
        title=escaped(f"{run.name}: frontier"),
        style="\n".join([*(_read(name) for name in _STYLES), palette_style()]),
        header=join(header(run, view)),
        main=join(
            [*_main(run, len(view.numbers) > 0), *trust_section(run), *references_section(run), *pictures_section(view)]
        ),
        account=join(account(run)),
        data=data,
        script=script,
        plotly=packed,
    )


def _title(run: Run) -> str:
    if run.manifest.certificate.gap is not None:
        return f"The best designs found so far ({run.headline})"
    return f"The frontier, {run.headline}" if run.within else "The best designs found"


def _main(run: Run, explorer: bool) -> list[Html]:
    title = "The frontier" if run.exact else _title(run)
    if not len(run.frontier) and run.stopped:
        return [tag("h2", "Nothing feasible is found yet"), tag("p", f"{why_stopped(run).capitalize()}.")]
    pieces = [tag("h2", title if len(run.frontier) else "Nothing is feasible")]
    if not len(run.frontier):
        why = "So there is no frontier. Designs each constraint rejects (one design may break several):"
        told = nearest_in_words(run)
        pieces += [tag("p", f"{told[0].upper()}{told[1:]}.")] if told is not None else []
        pieces += [tag("p", why), rejected(run)]
    if explorer:
        pieces.append(Html(_read("explorer.html")))
    return pieces


def _read(name: str) -> str:
    return files("dse.report").joinpath(name).read_text(encoding="utf-8").strip("\n")


def _plotly() -> bytes:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs()).encode()
