"""The decision table of the page: what it says first after the question, small enough to leave room for the plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dse.report.html.tags import Html, join, tag
from dse.report.words.decisions import decision_table_of

if TYPE_CHECKING:
    from dse.report.words.decisions import Cell, DecisionRow
    from dse.run.result.run import Run

__all__ = ["decision_section"]


def decision_section(run: Run, places: Mapping[int, int]) -> Iterator[Html]:
    """Return the table; nothing where nothing is feasible.

    Parameters
    ----------
    run : Run
    places : mapping of int to int
        Row of the page of a row of the frontier; scripts make the names of designs choose these.
    """
    decisions = decision_table_of(run)
    if decisions is None:
        return
    flips = any(row.flip or row.unanswered for row in decisions.rows)
    heads = ["best in", "as computed", *decisions.columns.values(), *(["what would flip it"] if flips else [])]
    body = [_line(row, decisions.columns, places, flips) for row in decisions.rows]
    head = tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads)))
    whole = tag("div", tag("table", head, tag("tbody", *body)), class_="scroll", tabindex=0)
    notes = [*([f"in all: {decisions.common}"] if decisions.common else []), decisions.note]
    note = tag("p", f"{'; '.join(notes)}.", class_="note")
    yield tag("section", whole, note, id="decision", aria_label="What is decided, and how sure that is")


def _line(row: DecisionRow, columns: Mapping[str, str], places: Mapping[int, int], flips: bool) -> Html:
    place = places.get(row.row)
    name = tag("button", row.name, type="button", class_="link", data_row=place) if place is not None else row.name
    value = [" ", tag("b", row.value)] if row.value else []
    cells = [tag("th", row.about, scope="row"), tag("td", name, *value, data_label="as computed")]
    cells += [tag("td", *_choice(row.cells.get(column)), data_label=label) for column, label in columns.items()]
    if flips:
        unmet = [tag("div", f"limits met by no design in {row.unanswered} of draws")] if row.unanswered else []
        cells.append(tag("td", _together(row.flip), *unmet, class_="flip", data_label="flips"))
    return tag("tr", *cells, data_row=place)


def _choice(cell: Cell | None) -> Iterator[Html]:
    if cell is None:
        yield tag("span", "–", class_="quiet")
        return
    odds = [" ", tag("span", _together(cell.odds), class_="toss" if cell.toss else "odds")] if cell.odds else []
    yield join([tag("b", cell.best), *odds], "")
    if cell.other:
        yield tag("small", _together(cell.other))


def _together(text: str) -> str:
    """Keep a number and its percent sign on one line."""
    return text.replace(" %", "\u00a0%")
