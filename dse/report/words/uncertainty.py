"""How sure a run is, in sentences: what is certain, what is a toss, and which design is robust."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dse.report.words.falsification import WITHDRAWN, qualified
from dse.run.result.how_sure import read_how_sure
from dse.run.result.uncertainty_account import read_uncertainty
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.run.result.uncertainty_account import DecidedDesign, Decision, UncertaintyAccount, UnknownAccount

__all__ = [
    "brackets_in_words",
    "decision_sentence",
    "ends_in_words",
    "interval_in_words",
    "levels",
    "memberships",
    "named_design",
    "probability",
    "regret",
    "robust_sentence",
    "trust_sentences",
]

_SURE, _LIKELY, _HALF = 0.95, 0.75, 0.5
_TOLD = 0.05  # values less probable than this are counted together
_MOST_VALUES = 4


def probability(share: float) -> str:
    """Write a share of draws in percent, "0 %" and "100 %" only of none and all."""
    if 0.0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1.0:
        return "> 99 %"
    return f"{100.0 * share:.0f} %"


def interval_in_words(unknown: UnknownAccount, unit: str, axis: str) -> str:
    """Return the interval of an unknown, whose values have an SI `unit`, and whom it is shared by: rows of `axis`."""
    if unknown.relative:
        low, high = f"{100.0 * unknown.low:+.3g}", f"{100.0 * unknown.high:+.3g}"
        text = f"± {high.lstrip('+')} %" if unknown.high == -unknown.low else f"{low} to {high} %"
    else:
        scale, shown = display_unit(unit, max(abs(unknown.low), abs(unknown.high)))
        text = f"{format_number(unknown.low / scale, 4)} to {format_number(unknown.high / scale, 4)} {shown}".rstrip()
    if unknown.each:
        return f"{text}, one for each {axis}"
    if unknown.shared == 1.0:
        return f"{text}, the same for all designs"
    if unknown.shared:
        return f"{text}, {100.0 * unknown.shared:g} % of it the same for all designs"
    return f"{text}, one for each design"


def brackets_in_words(run: Run, trust: UncertaintyAccount) -> str:
    """Say how many designs are certain, possible and undecided."""
    frontier = len(run.frontier)
    if trust.refused:
        return f"which designs are certain or possible cannot be told: {trust.refused}"
    certain, possible = len(trust.certain), len(trust.possible)
    open_certain, open_possible = trust.undecided["certain"], trust.undecided["possible"]
    sure = f"{certain}" if not open_certain else f"{certain} to {certain + open_certain}"
    may = f"{possible}" if not open_possible else f"{possible - open_possible} to {possible}"
    alike = ""
    if trust.classes and trust.classes < possible:
        alike = f" (of {trust.classes} kinds, equal in the bounds of all objectives)"
    return f"{sure} of {frontier} designs are certain, {may} possible{alike}"


def ends_in_words(trust: UncertaintyAccount) -> str:
    """Say what is certain and possible where designs share all errors, and where they share none."""
    clauses = [
        f"{words}: {own['certain']} certain, {own['possible']} possible"
        for words, own in (
            ("if designs share their errors", trust.ends.get("shared")),
            ("if each has its own", trust.ends.get("independent")),
        )
        if own is not None
    ]
    return "; ".join(clauses)


def memberships(trust: UncertaintyAccount, designs: Iterable[int]) -> list[str]:
    """Return what a table says of each of some designs: "certain", else the probability that it is on the frontier."""
    certain = frozenset(trust.certain)
    return [
        "certain" if design in certain else probability(trust.probability.get(str(design), 0.0)) for design in designs
    ]


def levels(trust: UncertaintyAccount, designs: Iterable[int]) -> list[int]:
    """Return 0 of a certain design, 1 of one that is on the frontier in half of the draws and more, else 2."""
    certain, drawn = frozenset(trust.certain), trust.probability
    return [0 if design in certain else 1 if drawn.get(str(design), 0.0) >= _HALF else 2 for design in designs]


def decision_sentence(run: Run, decision: Decision) -> str:
    """Say what is sure and what is a toss: "the device is sure: MI300A; the topology is a toss: HyperX 37 %, …"."""
    if decision.unanswered == decision.draws:
        return "no design meets the limits in any draw"
    clauses = [_value_words(run, name, values) for name, values in _asked(run, decision)]
    if decision.unanswered:
        clauses.append(f"in {probability(decision.unanswered / decision.draws)} of draws nothing meets the limits")
    return "; ".join(clauses)


def _all_sure(run: Run, decision: Decision) -> bool:
    return all(max(values.values()) >= _SURE for _, values in _asked(run, decision)) and not decision.unanswered


def _asked(run: Run, decision: Decision) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what a buyer asks for: choices, else the alternative; parts; where there is neither, every axis."""
    manifest = run.manifest
    parts = {axis.name for axis in manifest.space.axes if axis.source.endswith(".csv")}
    every = {axis.name for axis in manifest.space.axes}
    choices = [name for name in decision.values if name not in every and name != "alternative"]
    first = choices or [name for name in ("alternative",) if name in decision.values]
    chosen = [*first, *(name for name in decision.values if name in parts)]
    for name in chosen or decision.values:
        yield name, decision.values[name]


def _value_words(run: Run, name: str, values: dict[str, float]) -> str:
    """Return the words for one choice."""
    label = run.label(name)
    what = f"{label} are" if label.endswith("s") and not label.endswith("ss") else f"{label} is"
    first, share = next(iter(values.items()))
    best, held = run.short_name(name, first), qualified(run, name)
    if held.startswith(WITHDRAWN):
        return f"the {label}: {held}"
    if held and share >= _SURE:
        return f"the {what} {best} ({probability(share)}; {held})"
    if share >= _SURE:
        known = read_how_sure(run)
        weak = known is not None and bool(known.few or known.missing)
        return (
            f"the {what} {best} ({probability(share)})" if weak else f"the {what} sure: {best} ({probability(share)})"
        )
    shown = {value: own for value, own in values.items() if own >= _TOLD}
    listed = list(shown.items())[:_MOST_VALUES]
    rest = len(values) - len(listed)
    more = [f"{rest} more"] if rest else []
    words = [f"{run.short_name(name, value)} ({probability(own)})" for value, own in listed]
    if share >= _LIKELY:
        return f"the {what} likely {best} ({probability(share)}), else {', '.join([*words[1:], *more])}"
    return f"the {what} a toss between {', '.join([*words, *more])}"


def named_design(run: Run, record: DecidedDesign) -> str:
    """Return what a person would call a design: what differs in it."""
    several = {axis.name for axis in run.manifest.space.axes if axis.values > 1} | {"alternative"}
    words = [
        run.short_name(name, value)
        if name == "alternative" or run.units.get(name, TEXT) == TEXT
        else f"{run.label(name)} {value}"
        for name, value in record.parameters.items()
        if name in several
    ]
    return ", ".join(words) or f"design {record.design}"


def regret(run: Run, decision: Decision, value: float | None) -> str:
    """Write a regret: percent, or a difference in its unit."""
    if value is None:
        return "never meets the limits"
    if decision.relative:
        return f"{100.0 * value:.2g} %"
    scale, unit = display_unit(run.units.get(decision.quantity, "1"), abs(value))
    return f"{format_number(value / scale, 3)} {unit}".rstrip()


def trust_sentences(run: Run) -> Iterator[str]:
    """Yield what an answer says of how sure it is; the command that finds out, where nothing is stored."""
    trust = read_uncertainty(run)
    if trust is None:
        if run.manifest.uncertain and run.exact:
            names = ", ".join(map(run.label, run.manifest.uncertain))
            yield f"{names} {'is' if len(run.manifest.uncertain) == 1 else 'are'} not known: dse trust {run.folder}"
        return
    yield brackets_in_words(run, trust)
    tosses = [decision for decision in trust.decisions if len(trust.decisions) == 1 or not _all_sure(run, decision)]
    for decision in tosses:
        yield f"{decision.rule}: {decision_sentence(run, decision)}; {robust_sentence(run, decision)}"


def robust_sentence(run: Run, decision: Decision) -> str:
    """Say which design is robust, and what it costs."""
    record = decision.of(decision.robust)
    if record is None:
        return f"no design meets the limits in {probability(decision.meets)} of draws"
    return (
        f"robust: {named_design(run, record)} (design {record.design}), {regret(run, decision, record.expected)} worse "
        f"than the best on average, {regret(run, decision, record.greatest)} at most"
    )
