"""A run as a notebook shows it: the answer in words, and the short list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.report.html.tags import Html, join, tag
from dse.report.run_page.machines_section import machines_list
from dse.report.run_page.uncertainty_section import decision_table
from dse.report.words.answer import Sentence, answer_of
from dse.report.words.shortlist import Listed, Part, figure_texts, short_list
from dse.run.result.design_names import name_of
from dse.run.result.how_sure import read_how_sure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dse.run.result.run import Run

__all__ = ["run_html"]

_MOST = 12  # lines of the short list: designs, then references


def run_html(run: Run) -> Html:
    """Return the account of a run, its answer and its short list; no scripts, no styles, no pictures."""
    answer = answer_of(run)
    head = tag("pre", repr(run))
    if answer is None:
        return join([head, tag("p", "Nothing is feasible: no design meets every constraint.")], "")
    question = tag("p", tag("b", answer.question or run.name))
    sure = read_how_sure(run)
    table = [decision_table(run, sure)] if sure is not None else []
    first = [_sentences(answer.withdrawn)] if answer.withdrawn else []
    pieces = [head, question, *first, *table, _sentences((answer.design, *answer.best, *answer.margins))]
    if answer.weakened_by:
        pieces += [tag("p", "What weakens it:"), _sentences(answer.weakened_by)]
    return join([*pieces, *machines_list(run), _short_list(run)], "")


def _sentences(sentences: Iterable[Sentence]) -> Html:
    return tag(
        "ul",
        *(tag("li", tag("b", own.about), f": {own.text}", f" ({own.name})" if own.name else "") for own in sentences),
    )


def _short_list(run: Run) -> Html:
    listed = short_list(run)
    lines = listed.lines[:_MOST]
    texts = [figure_texts(lines, column) for column in listed.objectives]
    heads = ["", *(column.title for column in listed.objectives), "chosen"]
    rows = [
        tag(
            "tr",
            tag("th", _name(run, line)),
            *(tag("td", column[at]) for column in texts),
            tag("td", _parts(run, {name: part for name, part in line.parts.items() if name not in listed.common})),
        )
        for at, line in enumerate(lines)
    ]
    table = tag("table", tag("thead", tag("tr", *(tag("th", head) for head in heads))), tag("tbody", *rows))
    alike = tag("p", f"all of these designs: {_parts(run, listed.common)}") if listed.common else ""
    return join([table, alike], "")


def _name(run: Run, line: Listed) -> Html:
    beside = line.name or name_of(run, line.row)
    return join([part for part in (line.title, beside) if part], ": ")


def _parts(run: Run, parts: Mapping[str, Part]) -> str:
    named = (str(part) if name == "alternative" else f"{run.label(name)} {part}" for name, part in parts.items())
    return ", ".join(named)
