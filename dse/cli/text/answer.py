"""The answer of a run in the terminal: the last thing that is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.text.how_sure import print_how_sure
from dse.cli.text.output import say
from dse.report.words.answer import answer_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dse.api import Run
    from dse.report.words.answer import Sentence

__all__ = ["print_answer"]


def print_answer(run: Run) -> None:
    """Print the answer of a run in words; nothing where nothing is feasible."""
    answer = answer_of(run)
    if answer is None:
        return
    say()
    say(f"answer: {answer.question or run.name}", style="bold")
    print_how_sure(run)
    _print((answer.design, *answer.best, *answer.margins))
    if answer.weakened_by:
        say("what weakens it:")
        _print(answer.weakened_by)


def _print(sentences: Iterable[Sentence]) -> None:
    for sentence in sentences:
        name = f" ({sentence.name})" if sentence.name else ""
        say(f"  {sentence.about}: {sentence.text}{name}")
