"""The answer of a run in words: which design, the best of each objective, what is tight, and what weakens it.

Sentences are made by rule from what the run has stored; no model runs for them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dse.analysis.choose.rounding import by_rounding
from dse.analysis.choose.rules import row_by_rule, rule_text
from dse.errors import InputError, ModelError
from dse.report.charts.shown_column import shown_column, spelled
from dse.report.words.falsification import class_sentences, exact_laws
from dse.report.words.part_bias import PartBias, part_biases
from dse.report.words.shortlist import KNEE, PICK, Role, chosen_axes, parts_of, roles_of, shared_parts
from dse.report.words.uncertainty import trust_sentences
from dse.report.words.validated_parts import validated_parts
from dse.run.disk.manifest import LEFT_OUT
from dse.run.result.design_names import name_of
from dse.run.result.falsification_account import read_falsification
from dse.search.frontier.pareto import to_minimise
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    from dse.run.disk.manifest import AxisEdge, LimitMargin
    from dse.run.result.run import Run

__all__ = ["Answer", "Sentence", "answer_of", "nearest_in_words"]

_EXAMPLES = 3
_COMPARED = 20_000  # designs of a frontier, at most, that are compared without their last bits
_SIZE = "nodes"  # of a machine
_ENDS = 3  # values of an axis, from which an end of it is one
_BEYOND = {"most": "above", "least": "below"}
_KNEE = "the knee, where the frontier bends most"


class Sentence(NamedTuple):
    """A sentence of the answer, and the row of the frontier it speaks of (None: of several), with its name."""

    about: str
    text: str
    row: int | None = None
    name: str = ""


class Answer(NamedTuple):
    """The answer of a run.

    Attributes
    ----------
    question : str
    withdrawn : tuple of Sentence
        What measured systems leave of what the laws say of a class: "withdrawn", or "probably"; said before all else.
    design : Sentence
        The design to begin with: what the rule of the study picks; else the knee, or the best of a single objective.
    best : tuple of Sentence
        The best design of each objective; before them the knee, where the study picks another design.
    margins : tuple of Sentence
        The limit with least to spare; what all designs have alike.
    weakened_by : tuple of Sentence
        What speaks against taking it as it stands, the gravest first.
    """

    question: str
    withdrawn: tuple[Sentence, ...]
    design: Sentence
    best: tuple[Sentence, ...]
    margins: tuple[Sentence, ...]
    weakened_by: tuple[Sentence, ...]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All of it, in order."""
        return (*self.withdrawn, self.design, *self.best, *self.margins, *self.weakened_by)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        several = {
            name: [sentence._asdict() for sentence in getattr(self, name)]
            for name in ("withdrawn", "best", "margins", "weakened_by")
        }
        return {"question": self.question, "design": self.design._asdict(), **several}


def answer_of(run: Run) -> Answer | None:
    """Return the answer of a run; None where nothing is feasible."""
    roles = roles_of(run)
    if not roles:
        return None
    first, *others = roles
    about = _KNEE if first.name == KNEE else first.name
    rule = run.manifest.pick
    if rule is not None and first.name == PICK:
        about = f"{PICK}, {rule_text(rule, run.label)}"
    if len(run.frontier) == 1:
        about, others = "the only design that no other beats", []
    best = tuple(_whole(run, role.row, role.name) if role.name == KNEE else _best(run, role) for role in others)
    sure = (Sentence("how sure", text) for text in trust_sentences(run))
    account = read_falsification(run)
    exact = (Sentence("no error", f"the law of {name} was taken as exact") for name in exact_laws(account))
    weakened_by = [*_unanswered(run), *sure, *exact, *_weakened_by(run, first.row)]
    design, *named = (
        _named(run, sentence) for sentence in (_whole(run, first.row, about), *best, *_margins(run), *weakened_by)
    )
    ends = [len(best), len(named) - len(weakened_by)]
    return Answer(
        run.manifest.question,
        tuple(Sentence(*sentence) for sentence in class_sentences(account)),
        design,
        tuple(named[: ends[0]]),
        tuple(named[ends[0] : ends[1]]),
        tuple(named[ends[1] :]),
    )


def _named(run: Run, sentence: Sentence) -> Sentence:
    """Return a sentence with the name of its design."""
    return sentence if sentence.row is None else sentence._replace(name=name_of(run, sentence.row))


def _whole(run: Run, row: int, about: str) -> Sentence:
    """Return a design with its parts and all objectives."""
    objectives = {objective["quantity"] for objective in run.objectives}
    return Sentence(about, f"{_parts(run, row, objectives)}: {_objectives(run, row)}", row)


def _unanswered(run: Run) -> Iterator[Sentence]:
    """Return what keeps the frontier from answering the rule of the study, if anything does."""
    rule, command = run.manifest.pick, f"dse pick {run.folder or run.name}"
    if rule is None:
        return
    words = rule_text(rule, run.label)
    try:
        row, answers = row_by_rule(run, rule)
    except (InputError, ModelError) as error:
        yield Sentence(PICK, f"{words}: {getattr(error, 'problem', error)}; {command} searches the space for it")
        return
    if row is None:
        what = "no design" if answers else "no design of the frontier"
        others = "" if answers else f"; others may: {command} searches the space for them"
        yield Sentence(PICK, f"{what} meets {words.partition(' where ')[2]}{others}")
    elif not answers:
        text = f"{words} is that of the frontier's designs; others may beat it: {command} searches the space for them"
        yield Sentence(PICK, text)


def nearest_in_words(run: Run) -> str | None:
    """Say of a run where nothing is feasible which constraint stands in the way, and how near a design comes to it."""
    miss = run.manifest.nearest_miss
    if miss is None:
        return None
    which = (
        "all designs" if miss.looked_at == run.manifest.space.designs else f"{format_number(miss.looked_at)} designs"
    )
    text = f"of {which} looked at, {format_number(miss.designs)} break {_one_line(miss.constraint)}"
    text += " and no other constraint" if miss.alone else ", and each of them others too"
    if miss.short is None:
        return text
    return f"{text}; the nearest misses it by {format_number(100 * miss.short, 3)} % (design {miss.design})"


def _best(run: Run, role: Role) -> Sentence:
    shown = shown_column(run, role.quantity)
    value = spelled(float(run.frontier[shown.name].iloc[role.row]), shown.scale, shown.unit)
    return Sentence(role.name, f"{value}, {_parts(run, role.row, {shown.name})}", role.row)


def _parts(run: Run, row: int, objectives: Collection[str]) -> str:
    """Return what is chosen in a design where there was a choice: the alternative first, parts by name, counts.

    `objectives` are axes that are said elsewhere.
    """
    several = _several(run).difference(objectives)
    texts = {axis.name for axis in run.manifest.space.axes if run.units.get(axis.name, TEXT) == TEXT}
    chosen = parts_of(run, [row])[0]
    words = [
        part.text if name == "alternative" or name in texts else _counted(run.label(name), part.text)
        for name, part in chosen.items()
        if name in several
    ]
    # A shape says it in its own way.
    if words and _SIZE in run.frontier.columns and _SIZE not in {*chosen, *objectives}:
        words.append(_counted(run.label(_SIZE), format_number(float(run.frontier[_SIZE].iloc[row]))))
    return ", ".join(words) or f"design {int(run.frontier['design'].iloc[row])}"


def _counted(words: str, text: str) -> str:
    """Write "16 nodes" and "8 cores per socket" of a count, and "frequency 1.8 GHz" of all else."""
    head, *rest = re.split(r" (?=per |of )", words, maxsplit=1)
    count = text.replace("\u202f", "").isdigit() and head.endswith("s")
    if count and text == "1":
        words = " ".join([_singular(head), *rest])
    return f"{text} {words}" if count else f"{words} {text}"


def _singular(words: str) -> str:
    """Return "switch" of "switches", "memory" of "memories", "node" of "nodes"."""
    for end, ending in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if words.endswith(end):
            return words.removesuffix(end) + ending
    return words.removesuffix("s")


def _several(run: Run) -> set[str]:
    """Return the axes with more than one value, and the alternative."""
    return chosen_axes(run) | {"alternative"}


def _objectives(run: Run, row: int) -> str:
    words = []
    for objective in run.objectives:
        shown = shown_column(run, objective["quantity"])
        value = spelled(float(run.frontier[shown.name].iloc[row]), shown.scale, shown.unit)
        words.append(f"{shown.label} {value}")
    return ", ".join(words)


def _margins(run: Run) -> Iterator[Sentence]:
    margins = run.margins
    limits = margins.limits if margins is not None else []
    if limits:
        numbers = [limit for limit in limits if limit.constant]  # ports in use are often all a switch has
        tight = min(numbers or limits, key=lambda limit: limit.spare)
        spare = f"{format_number(100 * tight.spare, 2)} %" if tight.spare > 0 else "nothing"
        yield Sentence(
            "tightest limit", f"{_one_line(tight.limit)}, which a design meets with {spare} to spare", tight.row
        )
    several = _several(run)
    alike = {name: part for name, part in shared_parts(run).items() if name in several}
    if alike:
        yield Sentence("common to all", ", ".join(_counted(run.label(name), part.text) for name, part in alike.items()))


def _weakened_by(run: Run, row: int) -> Iterator[Sentence]:
    frame, margins = run.frontier, run.margins
    rows = len(frame)
    if run.manifest.certificate.gap is not None:
        more = "others may be better by as much" if run.within else "others may beat them"
        yield Sentence("the search", f"{run.headline}: these are the best designs found so far; {more}")
    elif run.within:
        yield Sentence("the search", f"{run.headline}: a design that is left out may be better by as much")
    elif run.promises_all and not run.exact:
        yield Sentence("the search", f"{run.headline}: it was not searched here")
    elif not run.exact:
        yield Sentence("the search", f"{run.headline}: these are the best designs found; others may beat them")
    close = _by_rounding(run) if rows <= _COMPARED else 0
    if close:
        which = f"{close} of {rows} designs {'is' if close == 1 else 'are'}"
        yield Sentence("rounding", f"{which} on the frontier by the last bits of an objective only")
    if run.manifest.synthetic:
        names = run.manifest.synthetic
        more = f" and {len(names) - _EXAMPLES} more" if len(names) > _EXAMPLES else ""
        yield Sentence("synthetic", f"{', '.join(names[:_EXAMPLES])}{more} were not measured")
    for bias in part_biases(run)[:_EXAMPLES]:
        yield Sentence("real machines", _in_words(bias))
    lines = validated_parts(run, [row]).lines
    yield from (Sentence("real machines", line) for line in lines)
    unsure = [
        f"{part.text} ({part.confidence})" for part in parts_of(run, [row])[0].values() if "low" in part.confidence
    ]
    if unsure:
        yield Sentence("unsure figures", f"of {', '.join(unsure)} in this design", row)
    for limit in margins.limits if margins is not None else []:
        if limit.within_error and margins is not None:
            yield _within_error(limit, margins.looked_at)
    values = {axis.name: axis.values for axis in run.manifest.space.axes}
    for edge in margins.edges if margins is not None else []:
        # Of two values both are ends, and what few designs have is no sign of what lies beyond.
        if values.get(edge.axis, 0) >= _ENDS and 2 * edge.designs > rows:
            yield _at_edge(edge, run.label(edge.axis), rows)
    outside = frame["extrapolated"] != ""
    if outside.any():
        names = sorted({name for text in frame["extrapolated"].unique() for name in str(text).split(", ") if name})
        which = "every design is" if outside.all() else f"{int(outside.sum())} of {rows} designs are"
        names = [run.label(name) for name in names]
        yield Sentence("extrapolated", f"{which} outside what models were validated on, in {', '.join(names)}")
    for warning in run.manifest.warnings:
        beginning, _, rest = warning.partition(": ")
        yield Sentence(LEFT_OUT, rest) if beginning == LEFT_OUT else Sentence("warning", warning)


def _in_words(bias: PartBias) -> str:
    """Say "MI300A: El Capitan measured 11.8 % below what is computed of it; with that, 12 of 57 designs miss …"."""
    off = f"{format_number(100 * abs(bias.ratio - 1), 3)} % {'below' if bias.ratio < 1 else 'above'}"
    return (
        f"{bias.part}: {bias.reference} measured {off} what is computed of it; with that, {bias.missing} of its "
        f"{bias.designs} {'design' if bias.designs == 1 else 'designs'} would miss {_one_line(bias.limit)}"
    )


def _by_rounding(run: Run) -> int:
    """Count the designs that others beat but for the last bits of an objective."""
    names, senses = [o["quantity"] for o in run.objectives], [o["sense"] for o in run.objectives]
    return int(by_rounding(to_minimise(run.frontier[names].to_numpy(dtype=float), senses)).sum())


def _within_error(limit: LimitMargin, looked_at: int) -> Sentence:
    error = format_number(100 * (limit.error or 0.0), 2)
    return Sentence(
        "within the error",
        f"{limit.within_error} of {looked_at} designs meet {_one_line(limit.limit)} "
        f"by less than the model's error of {error} %",
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _at_edge(edge: AxisEdge, label: str, rows: int) -> Sentence:
    scale, unit = display_unit(edge.unit, abs(edge.value))
    value = spelled(edge.value, scale, unit, given=True)
    return Sentence(
        "edge of the space",
        f"{edge.designs} of {rows} {'design' if rows == 1 else 'designs'} {'has' if edge.designs == 1 else 'have'} "
        f"{_counted(label, value)}, "
        f"the {edge.end} offered: what lies beyond was not looked at; add values {_BEYOND[edge.end]} it",
    )
