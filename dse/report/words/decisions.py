"""The decision table of a page: for each objective, and the knee, what is chosen, how probably, and what would flip it.

Where nobody knows how probably, the table holds what is computed, and a sentence says why there is no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dse.report.charts.shown_column import shown_column, spelled
from dse.report.words.falsification import WITHDRAWN, qualified
from dse.report.words.how_sure import (
    asked_of,
    common_words,
    flip_text,
    how_sure_sentence,
    is_toss,
    percent,
    settled_value,
)
from dse.report.words.shortlist import KNEE, Part, Role, chosen_axes, parts_of, roles_of
from dse.run.result.design_names import name_of
from dse.run.result.how_sure import read_how_sure
from dse.units import format_number

if TYPE_CHECKING:
    from dse.run.result.how_sure import Decided, HowSure, What
    from dse.run.result.run import Run

__all__ = ["Cell", "DecisionRow", "DecisionTable", "decision_table_of"]

_MOST = 4  # choices that have a column; all of them stand in the section on how sure it is
_SHOWN = 0.005  # what is less probable is not
_SIZE = "nodes"
_NONE = "none"


class Cell(NamedTuple):
    """What is chosen: `best` with its `odds` ("68 %", "52 : 48, a toss", or empty), then the runner-up `other`."""

    best: str
    odds: str = ""
    other: str = ""
    toss: bool = False


class DecisionRow(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    about : str
        "lowest time", "knee", or the rule of the study.
    row : int
        Of the frontier: the design that is computed to be it.
    name, value : str
        Its name, and what it is the best of; empty for a knee.
    cells : dict of str to Cell
        By choice.
    flip : str
        What would flip the first choice that is not settled; empty where nothing is known to.
    unanswered : str
        In how many draws no design meets the limits; empty where there always is a design.
    """

    about: str
    row: int
    name: str
    value: str
    cells: dict[str, Cell]
    flip: str = ""
    unanswered: str = ""


class DecisionTable(NamedTuple):
    """The table.

    Attributes
    ----------
    columns : dict of str to str
        Label of each choice, by its name.
    rows : tuple of DecisionRow
    common : str
        What all rows decide alike.
    note : str
        What the shares are of, or why there are none.
    """

    columns: dict[str, str]
    rows: tuple[DecisionRow, ...]
    common: str
    note: str


def decision_table_of(run: Run) -> DecisionTable | None:
    """Return the table of a run; None where nothing is feasible."""
    roles, sure = roles_of(run), read_how_sure(run)
    if not roles:
        return None
    if sure is None or not sure.decided:
        return _as_computed(run, roles, sure)
    choices = {decided.quantity: asked_of(run, sure, decided) for decided in sure.decided}
    decisions = {decided.quantity: decided for decided in sure.decided}
    names = list(dict.fromkeys(choice.name for asked in choices.values() for choice in asked))
    columns = _labels(run, names[:_MOST])
    rows = []
    for role in roles:
        key = "" if role.name == KNEE else role.quantity
        if role.name != KNEE and not role.quantity:
            rows.append(_row(run, role, _chosen(run, role.row, columns)))  # the study's pick is in no draw
        elif key in choices:
            rows.append(_drawn(run, role, sure, decisions[key], choices[key], columns))
    hidden = len(names) - len(columns)
    more = f"; {hidden} more choices below, under how sure" if hidden else ""
    estimate = "an estimate (under how sure): " if sure.way == "estimated" else ""
    note = f"{estimate}shares of {format_number(sure.draws)} draws of what is not known{more}"
    return DecisionTable(columns, tuple(rows), common_words(run, sure), note)


def _drawn(
    run: Run, role: Role, sure: HowSure, decided: Decided, asked: Sequence[What], columns: Mapping[str, str]
) -> DecisionRow:
    shown = [choice for choice in asked if choice.name in columns]
    cells = {choice.name: _cell(run, choice, sure.draws, decided.unanswered) for choice in shown}
    if decided.quantity in sure.missing:  # what limits with errors leave open has odds all the same
        settled = {choice.name: value for choice in shown if (value := settled_value(choice)) is not None}
        cells |= {name: Cell(run.short_name(name, value)) for name, value in settled.items()}
        known = "not in the probability" if len(settled) == len(shown) else "odds by those of limits alone"
        return _row(run, role, cells, f"no error known: {known}")
    # The first that is not settled; how often it is so stands with all others below.
    flips = [flip_text(run, choice).partition(" (")[0] for choice in asked if choice.flip is not None]
    row = _row(run, role, cells, flips[0] if flips else "")
    return row._replace(unanswered=percent(decided.unanswered)) if decided.unanswered else row


def _cell(run: Run, choice: What, draws: int, unanswered: float) -> Cell:
    words = qualified(run, choice.name)
    if words.startswith(WITHDRAWN):
        return Cell(words)
    without = 1.0 - unanswered - sum(choice.values.values())  # designs that do not have this choice at all
    every = [*choice.values.items(), *([(_NONE, without)] if without >= _SHOWN else [])]
    likely = [(run.short_name(choice.name, value), share) for value, share in every if share >= _SHOWN]
    values = sorted(likely, key=lambda pair: -pair[1])
    shares = [share for _, share in values]
    if not values:
        return Cell("–")
    if is_toss(shares, draws):
        pair = " : ".join(f"{100.0 * share:.0f}" for share in shares[:2])
        rest = f"{len(values) - 2} more" if len(values) > 2 else ""
        return Cell(" or ".join(value for value, _ in values[:2]), f"a toss, {pair}", rest, True)
    other = f"{values[1][0]} {percent(values[1][1])}" if len(values) > 1 else ""
    return Cell(values[0][0], f"{percent(shares[0])}{f', {words}' if words else ''}", other)


def _row(run: Run, role: Role, cells: dict[str, Cell], flip: str = "") -> DecisionRow:
    value = ""
    if role.quantity:
        shown = shown_column(run, role.quantity)
        value = spelled(float(run.frontier[shown.name].iloc[role.row]), shown.scale, shown.unit)
    return DecisionRow(role.name, role.row, name_of(run, role.row), value, cells, flip)


def _chosen(run: Run, row: int, columns: Mapping[str, str]) -> dict[str, Cell]:
    return {name: Cell(part.text) for name, part in parts_of(run, [row])[0].items() if name in columns}


def _as_computed(run: Run, roles: Sequence[Role], sure: HowSure | None) -> DecisionTable:
    """Return what was chosen in the designs, without probabilities: first what differs between them."""
    parts = parts_of(run, [role.row for role in roles])
    several = chosen_axes(run) | {"alternative"}
    if _SIZE in run.frontier.columns and all(_SIZE not in chosen for chosen in parts):
        for chosen, role in zip(parts, roles, strict=True):
            shown = shown_column(run, _SIZE)
            chosen[_SIZE] = Part(spelled(float(run.frontier[_SIZE].iloc[role.row]), shown.scale, shown.unit))
        several |= {_SIZE}
    names = [name for name in dict.fromkeys(name for chosen in parts for name in chosen) if name in several]
    differ = [name for name in names if len({chosen[name].text if name in chosen else "" for chosen in parts}) > 1]
    kept = set([*differ, *(name for name in names if name not in differ)][: _MOST + 1])
    columns = _labels(run, [name for name in names if name in kept])
    rows = [
        _row(run, role, {name: Cell(chosen[name].text) for name in columns if name in chosen})
        for role, chosen in zip(roles, parts, strict=True)
    ]
    return DecisionTable(columns, tuple(rows), "", "; ".join(_why_no_odds(run, sure)))


def _labels(run: Run, names: Sequence[str]) -> dict[str, str]:
    """Return the label of each; of two with the same label the second has its name."""
    labels: dict[str, str] = {}
    for name in names:
        label = run.label(name)
        labels[name] = name.replace("_", " ") if label in labels.values() else label
    return labels


def _why_no_odds(run: Run, sure: HowSure | None) -> Iterator[str]:
    yield "as computed"
    if sure is not None:
        yield how_sure_sentence(run, sure)
    elif run.manifest.uncertain:
        yield f"dse trust {run.folder or run.name} tells how sure that is"
    else:
        yield "the study states no errors, which is not the same as being sure"
