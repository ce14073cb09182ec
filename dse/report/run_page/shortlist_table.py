"""The short list as a table of the page: two lines for each design, its figures and what was chosen.

It can be read as it stands; scripts make its rows select designs and add bars for what the objectives consist of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dse.authoring.watch.validation import HEADING
from dse.report.charts.shown_column import Shown
from dse.report.html.tags import Html, escaped, join, tag
from dse.report.words.shortlist import Listed, Part, ShortList, figure_texts
from dse.report.words.validated_parts import validated_parts
from dse.run.result.design_names import name_of
from dse.units import format_number

if TYPE_CHECKING:
    from dse.report.record.view import ShortView
    from dse.run.result.run import Run

__all__ = ["short_list_section"]


def short_list_section(run: Run, short: ShortView) -> Html:
    """Return the table, with what all its designs share said once underneath."""
    listed = short.list
    senses = {o["quantity"]: o["sense"] for o in run.objectives}
    columns = [*listed.objectives, *listed.also]
    heads = [tag("th", tag("span", "design", class_="unseen"), scope="col")]
    heads += [_head(column, senses.get(column.name, ""), _doc(run, column.name)) for column in columns]
    texts = {column.name: figure_texts(listed.lines, column) for column in columns}
    bodies = [
        _body(run, line, row, [(column, texts[column.name][at], column.name in senses) for column in columns], listed)
        for at, (line, row) in enumerate(zip(listed.lines, short.rows, strict=True))
    ]
    whole = tag("div", tag("table", tag("thead", tag("tr", *heads)), *bodies), class_="scroll", tabindex=0)
    shared = [_parts(run, listed.common)] if listed.common else []
    if listed.extrapolated:
        shared.append(tag("span", f"extrapolated in {listed.extrapolated}", class_="warn"))
    common = tag("p", "all: ", join(shared, ", "), class_="note common") if shared else ""
    legend = tag("div", class_="legend", id="short-legend")
    return tag("div", whole, common, *_validation(run, listed), legend, id="short")


def _validation(run: Run, listed: ShortList) -> Iterator[Html]:
    """Return how well the laws of the parts in the list held, each once, where the answer has not said it of all."""
    every = validated_parts(run)
    lines = validated_parts(run, [line.row for line in listed.lines if line.row >= 0]).lines
    if lines and (every.without or len(every.lines) > 1):
        yield tag("p", f"{HEADING}:", class_="note common")
        yield tag("ul", *(tag("li", line) for line in lines), class_="note held")


def _doc(run: Run, name: str) -> str | None:
    return next((item.doc for item in run.manifest.sources if item.quantity == name and item.doc), None)


def _head(column: Shown, sense: str, doc: str | None) -> Html:
    title = f"{column.name}: {doc}" if doc else column.name
    unit = tag("span", f" [{column.unit}]", class_="unit") if column.unit else ""
    goal = tag("span", "minimise" if sense == "min" else "maximise", class_="goal") if sense else ""
    return tag("th", column.label, unit, goal, scope="col", class_="n", title=title)


def _body(run: Run, line: Listed, row: int, columns: Iterable[tuple[Shown, str, bool]], listed: ShortList) -> Html:
    """Return the two lines of a design or a reference."""
    place = {"data_row": row} if row >= 0 else {"data_reference": line.reference} if line.reference >= 0 else {}
    roles = tag("button", line.title, type="button", class_="link")
    title = "; ".join(role.told for role in line.roles)
    equal = f" and {format_number(line.equal)} equal" if line.equal else ""
    name = line.name or f"{name_of(run, line.row)}{equal}, design {format_number(line.design)}"
    cells = [tag("th", roles, tag("div", name, class_="quiet"), scope="rowgroup", rowspan=2, title=title)]
    for column, text, objective in columns:
        figure = tag("b", text) if objective else text
        measured = tag("small", " measured") if column.name in line.measured else ""
        cells.append(tag("td", figure, measured, class_="n", data_objective=column.name if objective else None))
    chosen = {name: part for name, part in line.parts.items() if line.reference >= 0 or name not in listed.common}
    words = [_parts(run, chosen)] if chosen else []
    if line.reference >= 0:
        words.insert(0, tag("span", "beside the space", class_="quiet"))
    words += [tag("span", f"breaks {text}", class_="bad") for text in line.broken]
    if line.extrapolated and (line.extrapolated != listed.extrapolated or line.reference >= 0):
        words.append(tag("span", f"extrapolated in {line.extrapolated}", class_="warn"))
    described = tag("tr", tag("td", tag("div", join(words, "; ")), colspan=len(cells) - 1, class_="chosen"))
    return tag("tbody", tag("tr", *cells), described, **place)


def _parts(run: Run, parts: Mapping[str, Part]) -> Html:
    """Return choices in a row, each with its name before it and how sure it is, small, behind it."""
    return join([_part(name, run.label(name), part) for name, part in parts.items()], ", ")


def _part(name: str, label: str, part: Part) -> Html:
    known = [] if name == "alternative" else [tag("span", label, class_="quiet"), " "]
    sure = [" ", tag("small", f"· {part.confidence}", class_="sure")] if part.confidence else []
    return join([*known, escaped(part.text), *sure], "")
