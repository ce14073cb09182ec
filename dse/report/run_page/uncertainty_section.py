"""The section "How sure" of the page: what is not known, certain and possible, what is decided, and what decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.report.html.tags import Html, join, table, tag
from dse.report.run_page.sliders_section import sliders_section
from dse.report.run_page.why_section import why_section
from dse.report.words.how_sure import common_words, decision_lines, how_sure_notes, how_sure_sentence
from dse.report.words.uncertainty import (
    brackets_in_words,
    decision_sentence,
    interval_in_words,
    named_design,
    probability,
    regret,
    robust_sentence,
)
from dse.run.result.how_sure import HowSure, read_how_sure
from dse.run.result.uncertainty_account import read_uncertainty

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.run.result.uncertainty_account import Decision, UncertaintyAccount

__all__ = ["decision_table", "uncertainty_section"]

_DESIGNS = 12
_VALUES = 8


def uncertainty_section(run: Run) -> Iterator[Html]:
    """Return the section: what is stored of the run, and the command of what is not."""
    trust, deciding, sure = read_uncertainty(run), [*why_section(run)], read_how_sure(run)
    asked = bool(run.manifest.uncertain) and run.exact and run.folder is not None and sure is None
    if trust is not None or deciding or asked or sure is not None:
        yield tag("h2", "How sure")
    if sure is not None:
        yield decision_table(run, sure)
    if trust is not None:
        yield from _stored(run, trust)
    elif asked:
        names = ", ".join(map(run.label, run.manifest.uncertain))
        yield tag("p", f"Not known: {names}. ", tag("code", f"dse trust {run.folder}"), " tells what that decides.")
    yield from deciding
    if trust is not None:
        yield tag("details", tag("summary", "What is not known"), *_unknowns(run, trust), class_="part")


def decision_table(run: Run, sure: HowSure) -> Html:
    """Return what each objective decides, how probably, and what would flip it; else why that is not said."""
    if not sure.decided:
        return tag("p", f"{_capital(how_sure_sentence(run, sure))}.")
    rows = [[line.about, line.of, line.odds, line.flip] for line in decision_lines(run, sure)]
    notes = [*([f"in all: {common}"] if (common := common_words(run, sure)) else []), *how_sure_notes(run, sure)]
    pieces = [table(["best in", "of", "decided", "what would flip it, against what is computed"], rows)] if rows else []
    return join([*pieces, *(tag("p", f"{_capital(note)}.", class_="note") for note in notes)])


def _stored(run: Run, trust: UncertaintyAccount) -> Iterator[Html]:
    yield tag("p", f"{_capital(brackets_in_words(run, trust))}.")
    yield tag(
        "p",
        "In the plot certain designs are filled, those that are on the frontier in half of the draws and more "
        "are rings with a dot, and the others faint.",
        class_="note",
    )
    yield _ends(run, trust)
    yield from sliders_section(run)
    for decision in trust.decisions:
        yield from _decision(run, decision)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ends(run: Run, trust: UncertaintyAccount) -> Html:
    """Return what is certain and possible as it is, where designs share all errors, and where they share none."""
    rows: list[list[object]] = []
    if not trust.refused:
        rows.append(["as the study says", len(trust.certain), len(trust.possible)])
    for name, words in (("shared", "if designs share their errors"), ("independent", "if each design has its own")):
        if own := trust.ends.get(name):
            rows.append([words, own["certain"], own["possible"]])
    drawn = (
        f"In {trust.draws} draws {trust.seen['ever']} designs were on the frontier at least once and "
        f"{trust.seen['always']} always (always is not certain: other values were not drawn). A probability has a "
        f"standard error of at most {100 * trust.error:.1f} %."
    )
    pieces = [table(["errors", "certain", "possible"], rows, numeric=[1, 2])] if rows else []
    if not trust.complete:
        neighbours = "Candidates are the frontier and its neighbours only: others may be possible"
        pieces.append(tag("p", f"{trust.origin or neighbours}."))
    return join([*pieces, tag("p", drawn, class_="note")])


def _decision(run: Run, decision: Decision) -> Iterator[Html]:
    yield tag("h3", _capital(decision.rule))
    yield tag("p", tag("b", f"{_capital(decision_sentence(run, decision))}."))
    yield tag("p", f"{_capital(robust_sentence(run, decision))}.")
    if not decision.designs:
        return
    rows = [
        [
            record.design,
            named_design(run, record),
            probability(record.best),
            probability(record.meets),
            regret(run, decision, record.expected),
            regret(run, decision, record.greatest),
        ]
        for record in decision.designs[:_DESIGNS]
    ]
    headings = ["design", "what", "is best", "meets all limits", "regret on average", "regret at most"]
    yield table(headings, rows, numeric=[0, 2, 3, 4, 5])
    more = len(decision.designs) - _DESIGNS
    held = f"{len(decision.holding)} designs hold the best one in 95 % of draws"
    yield tag("p", f"{f'{more} more are best in some draw; ' if more > 0 else ''}{held}.", class_="note")
    shares = [
        [run.label(name), ", ".join(f"{value} {probability(share)}" for value, share in [*values.items()][:_VALUES])]
        for name, values in decision.values.items()
    ]
    yield tag(
        "details",
        tag("summary", "How probably the best design has which value"),
        table(["of", "values"], shares),
        class_="part",
    )


def _unknowns(run: Run, trust: UncertaintyAccount) -> Iterator[Html]:
    rows = [
        [
            run.label(unknown.name),
            interval_in_words(unknown, run.units.get(unknown.name, "1"), run.label(unknown.each)),
            unknown.distribution,
            unknown.source,
        ]
        for unknown in trust.unknowns
    ]
    yield table(["quantity", "interval", "distribution, for probabilities", "source"], rows)
    if trust.notes:
        yield tag("ul", *(tag("li", note) for note in trust.notes), class_="note")
