"""What designs of a frontier would be with components that are the other end of a bracket, in words and as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dse.analysis.explain.brackets import brackets_of
from dse.report.words.shortlist import KNEE, roles_of
from dse.run.result.design_names import name_of
from dse.units import percent_text, with_unit

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.study.study import Study

__all__ = ["BracketRow", "bracket_lines", "bracket_rows"]

_FELT = 0.25  # a change that is worth a word


class BracketRow(NamedTuple):
    """An objective of one design by both ends of a bracket; `change` is relative."""

    design: str
    row: int
    slot: str
    component: str
    other: str
    quantity: str
    value: str
    other_value: str
    change: float


def bracket_rows(run: Run, study: Study, rows: Sequence[int] | None = None) -> list[BracketRow]:
    """Return both ends for rows of the frontier; default: the knee, and the best of each objective."""
    if rows is None:
        rows = [*dict.fromkeys(role.row for role in roles_of(run))]
    if not rows:
        return []
    numbers = [int(run.frontier["design"].iloc[row]) for row in rows]
    units = study.compiled.units
    return [
        BracketRow(
            name_of(run, row),
            row,
            bracket.slot,
            bracket.component,
            bracket.other,
            quantity,
            with_unit(bracket.own[place, column], units[quantity]),
            with_unit(bracket.others[place, column], units[quantity]),
            float(bracket.others[place, column] / bracket.own[place, column] - 1.0),
        )
        for bracket in brackets_of(study, numbers)
        for place, row in enumerate(rows)
        for column, quantity in enumerate(bracket.quantities)
        if bracket.own[place, column] != bracket.others[place, column]
    ]


def bracket_lines(run: Run, study: Study) -> Iterator[str]:
    """Yield what differs much at the knee (or the only best design) by the other end of a bracket."""
    roles = roles_of(run)
    if not roles:
        return
    row = next((role.row for role in roles if role.name == KNEE), roles[0].row)
    felt = [own for own in bracket_rows(run, study, [row]) if abs(own.change) > _FELT]
    for slot, component, other in dict.fromkeys((own.slot, own.component, own.other) for own in felt):
        parts = [
            f"{run.label(own.quantity)} {own.other_value}, not {own.value} ({percent_text(own.change, sign=True)})"
            for own in felt
            if (own.slot, own.other) == (slot, other)
        ]
        has = f"with {other} instead of {component}, {name_of(run, row)} has {', '.join(parts)}"
        yield f"{slot}: {has}; the two are a bracket"
