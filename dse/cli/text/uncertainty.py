"""How sure a run is, in the terminal: what is not known, certain and possible designs, decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dse.cli.text.output import say, table
from dse.report.words.uncertainty import (
    brackets_in_words,
    decision_sentence,
    ends_in_words,
    interval_in_words,
    named_design,
    probability,
    regret,
    robust_sentence,
)

if TYPE_CHECKING:
    from dse.api import Run
    from dse.run.result.uncertainty_account import Decision, UncertaintyAccount, UnknownAccount

__all__ = ["print_decision", "print_uncertainty", "print_unknowns"]

_ROWS = 8


def print_unknowns(unknowns: Sequence[UnknownAccount], units: Mapping[str, str], label: Callable[[str], str]) -> None:
    """Print what is not known."""
    rows = [
        [unknown.name, interval_in_words(unknown, units.get(unknown.name, "1"), label(unknown.each)), unknown.source]
        for unknown in unknowns
    ]
    table(["not known", "interval", "source"], rows)


def print_uncertainty(run: Run, trust: UncertaintyAccount) -> None:
    """Print how sure a run is."""
    print_unknowns(trust.unknowns, run.units, run.label)
    for note in trust.notes:
        say(f"  {note}")
    say()
    say(f"for certain: {brackets_in_words(run, trust)}", style="bold")
    if not trust.refused:
        why = {"cells": "the most that were asked for", "work": "more would take long"}.get(trust.stopped, "")
        say(f"  values in {trust.cells} cell{'s' if trust.cells > 1 else ''}{f' ({why})' if why else ''}")
    if trust.ends:
        say(f"  {ends_in_words(trust)}")
    half = len(trust.robust.get("half", []))
    say(
        f"in {trust.draws} draws (seed {trust.seed}) of {trust.candidates} candidates {trust.seen['ever']} were on the "
        f"frontier at least once, {trust.seen['always']} always, {half} in half of them and more; "
        f"standard error of a probability at most {100 * trust.error:.1f} %"
    )
    if trust.origin:
        say(f"  {trust.origin}", style="yellow")
    elif not trust.complete:
        say("  candidates are the frontier and its neighbours only: others may be possible", style="yellow")
    for decision in trust.decisions:
        say()
        print_decision(run, decision)


def print_decision(run: Run, decision: Decision) -> None:
    """Print what a query decides."""
    say(decision.rule, style="bold")
    say(f"  {decision_sentence(run, decision)}")
    say(f"  {robust_sentence(run, decision)}")
    cautious = decision.of(decision.cautious)
    if cautious is not None and decision.cautious != decision.robust:
        say(
            f"  least greatest regret: {named_design(run, cautious)} (design {cautious.design}), "
            f"{regret(run, decision, cautious.greatest)} at most"
        )
    if not decision.designs:
        return
    rows = [
        [
            str(record.design),
            named_design(run, record),
            probability(record.best),
            probability(record.meets),
            regret(run, decision, record.expected),
            regret(run, decision, record.greatest),
        ]
        for record in decision.designs[:_ROWS]
    ]
    headings = ["design", "what", "best", "meets limits", "regret, mean", "regret, most"]
    table(headings, rows, right=[0, 2, 3, 4, 5])
    if len(decision.designs) > _ROWS:
        say(f"  … {len(decision.designs) - _ROWS} more designs are best in some draw (--json)")
    say(f"  {len(decision.holding)} designs hold the best one in 95 % of draws")
