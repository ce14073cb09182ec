"""The answer of a run in the terminal: the last thing that is printed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dse.cli.text.output import say, table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dse.api import Run
    from dse.report.words.answer import Sentence
    from dse.run.result.falsification_account import FalsificationAccount

__all__ = [
    "falsification_document",
    "falsify",
    "print_answer",
    "print_brackets",
    "print_falsification",
    "print_withdrawn",
]


def print_answer(run: Run) -> None:
    """Print the answer of a run in words; nothing where nothing is feasible."""
    from dse.cli.text.how_sure import print_how_sure
    from dse.report.words.answer import answer_of

    answer = answer_of(run)
    if answer is None:
        return
    say()
    say(f"answer: {answer.question or run.name}", style="bold")
    for sentence in answer.withdrawn:
        say(f"  {sentence.about}: {sentence.text}", style="bold")
    print_how_sure(run)
    _print((answer.design, *answer.best, *answer.margins))
    if answer.weakened_by:
        say("what weakens it:")
        _print(answer.weakened_by)


def print_brackets(run: Run) -> None:
    """Print what the knee would be at the other end of a bracket, where that is felt; nothing where there is none."""
    from dse.report.words.brackets import bracket_lines

    for line in bracket_lines(run, run.study):
        say(f"  {line}")


def _print(sentences: Iterable[Sentence]) -> None:
    for sentence in sentences:
        name = f" ({sentence.name})" if sentence.name else ""
        say(f"  {sentence.about}: {sentence.text}{name}")


def print_withdrawn(run: Run) -> None:
    """Print what the measured systems that are kept with a run leave of what the laws say of classes."""
    from dse.report.words.falsification import class_sentences
    from dse.run.result.falsification_account import read_falsification

    for sentence in class_sentences(read_falsification(run)):
        say(f"{sentence.about}: {sentence.text}", style="bold")


def falsify(run: Run, measured: Path | None) -> FalsificationAccount | None:
    """Hold the measured systems of a study, and of a file, against a run; None where the study has none.

    Nor of a run whose search was stopped or has no bound: a system beyond what it has seen refutes nothing.

    Raises
    ------
    InputError
        A file is given, and the study does not say of what classes its references are, or what is wrong with it.
    """
    from dse.analysis.falsify.falsify import has_classes, is_held_against

    if not is_held_against(run) and (measured is None or has_classes(run.study)):
        if measured is not None and len(run.frontier):
            sys.stderr.write(f"note: {run.headline}: measured systems are held against a whole frontier only\n")
        return None
    return run.falsify(measured)


def print_falsification(run: Run, *, whole: bool = False) -> None:
    """Print what is stored with a run of the systems beside it; nothing where nothing is. `whole`: verdicts too."""
    from dse.report.words.falsification import VERDICT_HEADINGS, falsification_lines, verdict_rows
    from dse.run.result.falsification_account import read_falsification

    account = read_falsification(run)
    if account is None or not account.systems:
        return
    if whole:
        say()
        table(
            list(VERDICT_HEADINGS[:-1]),
            [row[:-1] for row in verdict_rows(account, run.label) if row[2] != "says nothing"],
        )
    say("measured systems beside it:")
    for line in falsification_lines(account, run.label):
        say(f"  {line}")


def falsification_document(run: Run) -> dict[str, object] | None:
    """Return what measured systems say of a run for JSON; None where nothing is stored."""
    from dse.run.result.falsification_account import read_falsification

    account = read_falsification(run)
    return None if account is None else account.as_dict()
