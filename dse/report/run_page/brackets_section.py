"""The section on designs that stand out, with the other end of a bracket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.errors import InputError, ModelError
from dse.report.html.tags import Html, table, tag
from dse.report.words.brackets import bracket_rows
from dse.units import percent_text

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["brackets_section"]

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
