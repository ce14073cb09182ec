"""The answer of a run in words, as the first thing of its page."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dse.report.html.tags import Html, tag
from dse.report.words.answer import Answer, Sentence

__all__ = ["answer_section"]


def answer_section(answer: Answer, leave_out: Collection[str] = ()) -> Html:
    """Return the design to begin with, the best of each objective, what is tight, and what weakens all of it.

    Parameters
    ----------
    answer : Answer
    leave_out : collection of str
        What need not be said again, by what sentences are about.
    """
    weakened_by = [sentence for sentence in answer.weakened_by if sentence.about not in leave_out]
    sections = [
        *(
            tag("p", tag("b", f"{_capital(own.about)}: {own.text}."), class_="design withdrawn")
            for own in answer.withdrawn
        ),
        tag("p", tag("b", _capital(answer.design.text)), class_="design"),
        tag("p", f"{_capital(answer.design.about)}{_row(answer.design)}.", class_="note"),
        _list((*answer.best, *answer.margins)),
    ]
    pieces = [tag("div", *sections)]
    if weakened_by:
        pieces.append(tag("div", tag("h2", "What weakens it"), _list(weakened_by)))
    return tag("section", *pieces, class_="words", aria_label="The answer in words")


def _list(sentences: Iterable[Sentence]) -> Html:
    rows = [(tag("dt", sentence.about), tag("dd", sentence.text + _row(sentence))) for sentence in sentences]
    return tag("dl", *(cell for row in rows for cell in row))


def _row(sentence: Sentence) -> str:
    return f" ({sentence.name})" if sentence.name else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
