"""The section on the objectives along the parts of a split space: how the time of a run falls with nodes, say.

Each objective is a curve at the choices of the knee, with what it may be about it, and with the other end of a bracket
beside it; a time has the line of what it would be if more nodes cut it alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.analysis.explain.parts import along_parts, curves_along
from dse.errors import InputError, ModelError
from dse.report.charts.line_chart import Area, Chart, Mark, chart_figure, tone_key
from dse.report.html.tags import Html, table, tag
from dse.report.words.along import band_text, headings, row_texts
from dse.report.words.shortlist import KNEE, roles_of
from dse.run.result.design_names import name_of
from dse.units import with_unit

if TYPE_CHECKING:
    from dse.analysis.explain.parts import Curve
    from dse.run.result.run import Run

__all__ = ["along_chart", "along_section"]

_FEWEST = 2
_OWN, _OTHER, _IDEAL = 0, 1, 4


def along_section(run: Run) -> Iterator[Html]:
    """Return the section; nothing where nothing is split, or the study cannot be evaluated."""
    try:
        study, roles = run.study, roles_of(run)
        row = next((role.row for role in roles if role.name == KNEE), 0)
        points = along_parts(study, int(run.frontier["design"].iloc[row])) if len(run.frontier) else []
        curves = curves_along(study, points) if len(points) >= _FEWEST else []
    except (InputError, ModelError):
        return
    if not curves:
        return
    yield tag("h2", f"Along {run.label(curves[0].column)}, at the choices of {name_of(run, row)}")
    yield tag("p", "All else is as in that design; of what is a part's own, such as the shape, the best is taken.")
    if any(curve.banded for curve in curves):
        yield tag("p", band_text(curves[0]))
    charts = [along_chart(run, curve) for curve in curves]
    yield tag("div", *(chart_figure(chart, tone_key(keys)) for chart, keys in charts), class_="charts")
    yield table(
        headings(curves, run.label),
        [row_texts(curves, place, point.part) for place, point in enumerate(points)],
        numeric=[0, *range(2, len(headings(curves, run.label)))],
    )


def along_chart(run: Run, curve: Curve) -> tuple[Chart, list[tuple[int, str]]]:
    """Return the chart of a curve, and what its tones mean."""
    name, column = run.label(curve.quantity), run.label(curve.column)
    own = [*zip(curve.values, curve.points, strict=True)]
    lines, tones, keys = [own], [_OWN], [(_OWN, name)]
    marks = [Mark(x, y, _OWN, f"{with_unit(x, curve.column_unit)}: {with_unit(y, curve.unit)}") for x, y in own]
    for place, (other, values) in enumerate(curve.others.items()):
        tone = _OTHER + place
        line = [*zip(curve.values, values, strict=True)]
        lines.append(line)
        tones.append(tone)
        keys.append((tone, f"with {other}"))
        marks += [Mark(x, y, tone, f"{with_unit(x, curve.column_unit)}: {with_unit(y, curve.unit)}") for x, y in line]
    if curve.efficiency:
        ideal = [(x, y * share) for (x, y), share in zip(own, curve.efficiency, strict=True)]
        lines.append(ideal)
        tones.append(_IDEAL)
        keys.append((_IDEAL, f"if {column} cut it alike"))
    ribbons = [
        Area(_OWN, [(x, low, high) for x, (low, high) in zip(curve.values, ends, strict=True)])
        for ends in (curve.reach, curve.band)
        if curve.banded
    ]
    chart = Chart(
        f"{name} along {column}",
        column,
        curve.column_unit,
        name,
        curve.unit,
        marks=marks,
        lines=lines,
        line_tones=tones,
        ribbons=ribbons,
        x_values=curve.values,
    )
    return chart, keys
