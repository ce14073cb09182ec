"""How sure an answer is, in words: a line for each objective, what is the same in all, and what would flip it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from dse.report.words.falsification import WITHDRAWN, qualified
from dse.run.result.how_sure import Decided, HowSure, What, read_how_sure
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["DecisionLine", "asked_of", "common_words", "decision_lines", "drawn_levels", "flip_text"]
__all__ += ["how_sure_document", "how_sure_notes", "how_sure_sentence", "is_toss", "percent", "settled_value"]

_SETTLED = 0.95
_HALF = 0.5
_CLOSE, _LEAD = 0.05, 0.6  # of the first two: less apart, or a smaller share of both, is a toss
_MOST = 3  # values that are named
_SHOWN = 0.005  # what is less probable is not


class DecisionLine(NamedTuple):
    """A line of the decision table.

    Attributes
    ----------
    about : str
        "lowest time", or "knee".
    of : str
        The choice, or several that are settled.
    odds : str
        What is best, with probabilities; "a toss" where the first are too near.
    flip : str
        What would flip it; empty where it is settled.
    settled : bool
        Whether it is the best in at least 95 % of draws.
    """

    about: str
    of: str
    odds: str
    flip: str
    settled: bool


def percent(share: float) -> str:
    """Write a share of draws in whole percent, "0 %" and "100 %" only of none and all."""
    if 0.0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1.0:
        return "> 99 %"
    return f"{100.0 * share:.0f} %"


def is_toss(values: Sequence[float], draws: int) -> bool:
    """Tell whether the first two are too near: within 5 points, below 60 : 40, or within two standard errors."""
    if len(values) < 2:
        return False
    first, second = values[0], values[1]
    error = sqrt(max(0.0, first + second - (first - second) ** 2) / max(1, draws))
    return first - second < _CLOSE or first < _LEAD * (first + second) or first - second < 2.0 * error


def decision_lines(run: Run, sure: HowSure) -> list[DecisionLine]:
    """Return the lines of each objective, and of the knee: what is settled, then each choice that is open.

    What all decide alike is said once, by `common_words`.
    """
    return [line for decided in sure.decided for line in _lines(run, sure, decided, asked_of(run, sure, decided))]


def asked_of(run: Run, sure: HowSure, decided: Decided) -> list[What]:
    """Return the choices that are told of an objective: what a buyer asks for, without what all objectives share."""
    alike = _alike(run, sure)
    if any(choice.name not in alike for other in sure.decided for choice in _asked(run, other)):
        return [choice for choice in _asked(run, decided) if choice.name not in alike]
    # All that a buyer asks for is the same: then the rest is what there is to decide.
    return [choice for choice in decided.what if choice.name not in alike]


def _asked(run: Run, decided: Decided) -> list[What]:
    """Return what a buyer asks for: choices, else the alternative; parts; counts of nodes; without any, every axis."""
    manifest = run.manifest
    parts = {axis.name for axis in manifest.space.axes if axis.source.endswith(".csv")}
    every = {axis.name for axis in manifest.space.axes}
    choices = [choice for choice in decided.what if choice.name not in every and choice.name != "alternative"]
    first = choices or [choice for choice in decided.what if choice.name == "alternative"]
    named = [*first, *(choice for choice in decided.what if choice.name in parts or choice.name == "nodes")]
    return named or decided.what


def _alike(run: Run, sure: HowSure) -> dict[str, str]:
    """Return what every objective decides alike, in at least 95 % of draws."""
    common: dict[str, str] | None = None
    for decided in sure.decided:
        if decided.quantity in sure.missing:
            continue
        own = {
            choice.name: value
            for choice in _asked(run, decided)
            if (value := settled_value(choice)) is not None and not qualified(run, choice.name)
        }
        common = own if common is None else {name: value for name, value in common.items() if own.get(name) == value}
    return common if common and len(sure.decided) > 1 else {}


def settled_value(choice: What) -> str | None:
    """Return what is chosen in at least 95 % of draws; None where that is open."""
    value, share = next(iter(choice.values.items()))
    return value if share >= _SETTLED else None


def _about(run: Run, decided: Decided) -> str:
    if not decided.quantity:
        return "knee"
    return f"{'lowest' if decided.sense == 'min' else 'highest'} {run.label(decided.quantity)}"


def _lines(run: Run, sure: HowSure, decided: Decided, asked: Sequence[What]) -> Iterator[DecisionLine]:
    about = _about(run, decided)
    held = {choice.name: words for choice in asked if (words := qualified(run, choice.name))}
    without_error = decided.quantity in sure.missing
    settled = [choice for choice in asked if settled_value(choice) is not None and choice.name not in held]
    if settled:
        first = [next(iter(choice.values)) for choice in settled]
        named = [_value(run, choice.name, value) for choice, value in zip(settled, first, strict=True)]
        plain = [run.short_name(choice.name, value) for choice, value in zip(settled, first, strict=True)]
        if without_error:
            yield DecisionLine(about, "as computed", ", ".join(named), "no error known: not in the probability", True)
        else:
            shown = named if len(settled) > 1 else plain
            values = [f"{value} {percent(_first(choice))}" for choice, value in zip(settled, shown, strict=True)]
            yield DecisionLine(
                about, ", ".join(run.label(choice.name) for choice in settled), ", ".join(values), "", True
            )
    for choice in asked:
        if choice not in settled:
            flip = flip_text(run, choice) if choice.flip is not None else "no single unknown"
            words = held.get(choice.name, "")
            odds = _odds(run, choice, sure.draws)
            if without_error:
                odds = f"{odds} (no error known for {run.label(decided.quantity)} itself)"
            if words:
                odds = words if words.startswith(WITHDRAWN) else f"{odds} ({words})"
            yield DecisionLine(about, run.label(choice.name), odds, "" if words.startswith(WITHDRAWN) else flip, False)
    if decided.unanswered:
        yield DecisionLine(about, "limits", f"met by no design in {percent(decided.unanswered)} of draws", "", False)


def _first(choice: What) -> float:
    return next(iter(choice.values.values()))


def _value(run: Run, name: str, value: str) -> str:
    """Write a value with what it is of, where it is a number."""
    if name == "alternative" or run.units.get(name, TEXT) == TEXT:
        return run.short_name(name, value)
    return f"{run.label(name)} {value}"


def _odds(run: Run, choice: What, draws: int) -> str:
    """Write "GH200 or MI300A, a toss (52 : 48)", or "MI300A 68 %, MI300X 32 %"."""
    values = [(value, share) for value, share in choice.values.items() if share >= _SHOWN]
    shares = [share for _, share in values]
    names = [run.short_name(choice.name, value) for value, _ in values]
    if is_toss(shares, draws):
        near = 2 if len(shares) < 3 or not is_toss([shares[0], shares[2]], draws) else 3
        odds = " : ".join(f"{100.0 * share:.0f}" for share in shares[:near])
        rest = f", {len(values) - near} more" if len(values) > near else ""
        return f"{' or '.join(names[:near])}, a toss ({odds}{rest})"
    named = [f"{name} {percent(share)}" for name, share in zip(names[:_MOST], shares[:_MOST], strict=True)]
    more = [f"{len(values) - _MOST} more"] if len(values) > _MOST else []
    return ", ".join([*named, *more])


def flip_text(run: Run, choice: What) -> str:
    """Write "MI300X where the HPL rate of MI300A is below -2.1 % (88 % there, 3 % else)"."""
    flip = choice.flip
    if flip is None:
        return ""
    if flip.relative:
        value = f"{100.0 * flip.value:+.2g} %"
    else:
        scale, unit = display_unit(run.units.get(flip.unknown, "1"), abs(flip.value))
        value = f"{format_number(flip.value / scale, 3)} {unit}".rstrip()
    of = f" of {flip.part}" if flip.part else ""
    side = "above" if flip.above else "below"
    return (
        f"{run.short_name(choice.name, flip.winner)} if {run.label(flip.unknown)}{of} is {side} {value} "
        f"({percent(flip.share)} there, else {percent(flip.elsewhere)})"
    )


def drawn_levels(sure: HowSure, designs: Iterable[int]) -> list[int]:
    """Return 0 of a design that is on the frontier in at least 95 % of draws, 1 in half of them and more, else 2."""
    shares = [sure.frontier.get(str(design), 0.0) for design in designs]
    return [0 if share >= _SETTLED else 1 if share >= _HALF else 2 for share in shares]


def common_words(run: Run, sure: HowSure) -> str:
    """Return what every objective decides alike."""
    axes = {axis.name for axis in run.manifest.space.axes}
    alike = [(name, run.short_name(name, value)) for name, value in _alike(run, sure).items()]
    return ", ".join(f"{run.label(name)} {value}" if name in axes else value for name, value in alike)


def how_sure_sentence(run: Run, sure: HowSure | None = None) -> str:
    """Return one sentence: what each objective decides, or why that is not said and the command that says it."""
    sure = sure or read_how_sure(run)
    if sure is None:
        return ""
    command = f"dse trust {run.folder or run.name}"
    if sure.refused:
        return f"how sure cannot be told: {sure.refused}"
    if sure.late:
        time = f"about {sure.seconds:.0f} s" if sure.seconds is not None else "longer than this run allows for it"
        return f"no probability: that takes {time}; {command} says it"
    if not sure.decided:
        names = ", ".join(run.label(name) for name in sure.missing)
        return (
            f"no error is known for {names}, which is not the same as being sure" if names else "nothing is uncertain"
        )
    odds: dict[str, list[str]] = {}
    for line in sorted(decision_lines(run, sure), key=lambda line: line.settled):
        counted = line.odds[:1].isdigit() and line.odds.partition(" ")[0].replace(".", "").isdigit()
        text = f"{line.of} {line.odds}" if counted else line.odds
        unknown = line.flip if line.settled else ""
        odds.setdefault(line.about, []).append(f"{text} ({unknown})" if unknown else text)
    order = dict.fromkeys(_about(run, decided) for decided in sure.decided)
    words = [f"{about}: {', '.join(odds[about])}" for about in order if about in odds]
    common = common_words(run, sure)
    return "; ".join([*words, *([f"{common} in all"] if common else [])])


def how_sure_notes(run: Run, sure: HowSure) -> Iterator[str]:
    """Yield what weakens the probabilities: draws, who the candidates are, and errors that are not known."""
    if sure.decided:
        half = 100.0 * sqrt(0.25 / sure.draws)
        possible = f"{format_number(sure.candidates)} candidates of {format_number(sure.possible)} possible designs"
        who = sure.origin or possible
        text = f"{format_number(sure.draws)} draws of what is not known, {who}: "
        text += f"{'draws alone ' if sure.way == 'estimated' else ''}within {2.0 * half:.0f} points"
        if sure.took is not None:
            text += f"; it took {sure.took:.1f} s, dse trust {run.folder or run.name} searches in full"
        if not sure.complete and sure.way == "bounds and rows":
            text += "; designs that others of their row beat at every value looked at are left out"
        yield text
    for name in sure.missing if not sure.decided else ():
        yield f"no error known for {run.label(name)}: not in the probability"
    for name, parts in sure.few.items():
        own = [f"{part} ({count} measured)" for part, count in parts.items() if count]
        none = [part for part, count in parts.items() if not count]
        texts = [*own, *([f"{', '.join(none)} (by {'its' if len(none) == 1 else 'their'} class)"] if none else [])]
        yield f"laws of few measurements, never sure: {run.label(name)} of {', '.join(texts)}"


def how_sure_document(run: Run) -> dict[str, object] | None:
    """Return it for JSON: the record, and the sentence; None where nobody asked."""
    sure = read_how_sure(run)
    return None if sure is None else {"sentence": how_sure_sentence(run, sure), **sure.as_dict()}
