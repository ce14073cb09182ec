"""Sections on designs that stand out: with the other end of a bracket, and along the parts of a split space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.analysis.explain.parts import along_parts
from dse.errors import InputError, ModelError
from dse.report.html.tags import Html, table, tag
from dse.report.words.brackets import bracket_rows
from dse.report.words.shortlist import KNEE, roles_of
from dse.run.result.design_names import name_of
from dse.units import format_number, percent_text, with_unit

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["along_section", "brackets_section"]

_FEWEST = 2
_HEADINGS = ["design", "component", "quantity", "value", "other component", "value there", "change"]


def brackets_section(run: Run) -> Iterator[Html]:
    """Return the section; nothing where no component has another end, or the study cannot be evaluated."""
    try:
        rows = bracket_rows(run, run.study) if len(run.frontier) else []
    except (InputError, ModelError):
        return
    if not rows:
        return
    yield tag("h2", "Both ends of a bracket")
    yield tag("p", "Neither component is right for every program: the two are a bracket.")
    yield table(
        _HEADINGS,
        [
            [
                row.design,
                f"{row.slot} {row.component}",
                run.label(row.quantity),
                row.value,
                f"{row.slot} {row.other}",
                row.other_value,
                percent_text(row.change, sign=True),
            ]
            for row in rows
        ],
        numeric=[3, 5, 6],
    )


def along_section(run: Run) -> Iterator[Html]:
    """Return how the objectives go along the parts at the choices of the knee; nothing where nothing is split."""
    try:
        study, roles = run.study, roles_of(run)
        row = next((role.row for role in roles if role.name == KNEE), 0)
        points = along_parts(study, int(run.frontier["design"].iloc[row])) if len(run.frontier) else []
    except (InputError, ModelError):
        return
    if len(points) < _FEWEST:
        return
    column = study.spec.space.split[0]
    units = [study.compiled.units[objective["quantity"]] for objective in run.objectives]
    yield tag("h2", f"Along {run.label(column)}, at the choices of {name_of(run, row)}")
    yield tag("p", "All else is as in that design; of what is a part's own, such as the shape, the best is taken.")
    yield table(
        [run.label(column), "part", *(run.label(objective["quantity"]) for objective in run.objectives)],
        [
            [
                format_number(point.value),
                point.part,
                *(with_unit(value, unit) for value, unit in zip(point.objectives, units, strict=True)),
            ]
            for point in points
        ],
        numeric=[0, *range(2, 2 + len(units))],
    )
