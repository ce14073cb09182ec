"""How sure an answer is, in the terminal: the decision table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.text.output import console, say, table
from dse.report.words.how_sure import common_words, decision_lines, how_sure_notes, how_sure_sentence
from dse.run.result.how_sure import read_how_sure

if TYPE_CHECKING:
    from dse.api import Run

__all__ = ["print_how_sure"]


def print_how_sure(run: Run) -> None:
    """Print what each objective decides, how probably, and what would flip it; nothing where nobody asked."""
    sure = read_how_sure(run)
    if sure is None:
        return
    if not sure.decided:
        say(f"  how sure: {how_sure_sentence(run, sure)}")
        return
    rows: list[list[str]] = []
    before = ""
    for line in decision_lines(run, sure):
        rows.append([line.about if line.about != before else "", line.of, line.odds, line.flip])
        before = line.about
    if rows:
        table(["best in", "of", "decided", "what would flip it, against what is computed"], rows, widths=_widths(rows))
    if common := common_words(run, sure):
        say(f"  in all: {common}")
    for note in how_sure_notes(run, sure):
        say(f"  {note}")
    say()


def _widths(rows: list[list[str]]) -> list[int]:
    """Return the widths of the columns: the first two as wide as they need be, the others share the rest."""
    first, second = (min(most, max(len(row[at]) for row in rows)) + 1 for at, most in ((0, 30), (1, 18)))
    left = max(40, console().width - first - second)
    wanted = [max(len(row[at]) for row in rows) + 1 for at in (2, 3)]
    third = min(wanted[0], max(left // 2, left - wanted[1]))
    return [first, second, third, min(wanted[1], left - third)]
