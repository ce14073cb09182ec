"""The answer of a run in words: which design, the best of each objective, what is tight, and what weakens it.

Sentences are made by rule from what the run has stored; no model runs for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dse.report.figure import shown_column, spelled
from dse.report.shortlist import Role, chosen_axes, parts_of, roles_of, shared_parts
from dse.report.validated_parts import validated_parts
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    from dse.run.manifest import AxisEdge, LimitMargin
    from dse.run.run import Run

__all__ = ["Answer", "Sentence", "answer_of", "in_words"]

_EXAMPLES = 3


class Sentence(NamedTuple):
    """A sentence of the answer, and the row of the frontier it speaks of (None: of several)."""

    about: str
    text: str
    row: int | None = None


class Answer(NamedTuple):
    """The answer of a run.

    Attributes
    ----------
    question : str
    design : Sentence
        The design to begin with: the knee, or the best where there is one objective.
    best : tuple of Sentence
        The best design of each objective.
    margins : tuple of Sentence
        The limit with least to spare; what all designs have alike.
    weakened_by : tuple of Sentence
        What speaks against taking it as it stands, the gravest first.
    """

    question: str
    design: Sentence
    best: tuple[Sentence, ...]
    margins: tuple[Sentence, ...]
    weakened_by: tuple[Sentence, ...]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All of it, in order."""
        return (self.design, *self.best, *self.margins, *self.weakened_by)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        several = {
            name: [sentence._asdict() for sentence in getattr(self, name)]
            for name in ("best", "margins", "weakened_by")
        }
        return {"question": self.question, "design": self.design._asdict(), **several}


def in_words(name: str) -> str:
    """Return the name of a quantity or an axis as people say it."""
    return name.replace("_", " ")


def answer_of(run: Run) -> Answer | None:
    """Return the answer of a run; None where nothing is feasible."""
    roles = roles_of(run)
    if not roles:
        return None
    first, *others = roles
    about = "the knee, where the frontier bends most" if others else in_words(first.name)
    if len(run.frontier) == 1:
        about, others = "the only design that no other beats", []
    told = {objective["quantity"] for objective in run.objectives}
    design = Sentence(about, f"{_parts(run, first.row, told)}: {_objectives(run, first.row)}", first.row)
    best = tuple(_best(run, role) for role in others)
    return Answer(run.manifest.question, design, best, tuple(_margins(run)), tuple(_weakened_by(run, first.row)))


def _best(run: Run, role: Role) -> Sentence:
    extreme, name = role.name.split(" ", 1)
    shown = shown_column(run, name)
    value = spelled(float(run.frontier[name].iloc[role.row]), shown.scale, shown.unit)
    return Sentence(f"{extreme} {in_words(name)}", f"{value}, {_parts(run, role.row, {name})}", role.row)


def _parts(run: Run, row: int, told: Collection[str]) -> str:
    """Return what is chosen in a design where there was a choice: the alternative first, parts by name, counts.

    `told` are axes that are said elsewhere.
    """
    several = _several(run).difference(told)
    texts = {axis.name for axis in run.manifest.space.axes if run.units.get(axis.name, TEXT) == TEXT}
    chosen = parts_of(run, [row])[0]
    words = [
        part.text if name == "alternative" or name in texts else _counted(name, part.text)
        for name, part in chosen.items()
        if name in several
    ]
    return ", ".join(words) or f"design {int(run.frontier['design'].iloc[row])}"


def _counted(name: str, text: str) -> str:
    """Write "16 nodes" of a count, whose name is a plural, and "frequency 1.8 GHz" of all else."""
    words = in_words(name)
    count = text.replace("\u202f", "").isdigit() and words.split(" ")[0].endswith("s")
    return f"{text} {words}" if count else f"{words} {text}"


def _several(run: Run) -> set[str]:
    """Return the axes with more than one value, and the alternative."""
    return chosen_axes(run) | {"alternative"}


def _objectives(run: Run, row: int) -> str:
    words = []
    for objective in run.objectives:
        shown = shown_column(run, objective["quantity"])
        value = spelled(float(run.frontier[shown.name].iloc[row]), shown.scale, shown.unit)
        words.append(f"{in_words(shown.name)} {value}")
    return ", ".join(words)


def _margins(run: Run) -> Iterator[Sentence]:
    margins = run.manifest.margins
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
        yield Sentence("common to all", ", ".join(_counted(name, part.text) for name, part in alike.items()))


def _weakened_by(run: Run, row: int) -> Iterator[Sentence]:
    frame, margins = run.frontier, run.manifest.margins
    rows = len(frame)
    if not run.exact:
        yield Sentence("the search", "these are the best designs found; others may beat them")
    if run.manifest.synthetic:
        names = run.manifest.synthetic
        more = f" and {len(names) - _EXAMPLES} more" if len(names) > _EXAMPLES else ""
        yield Sentence("synthetic", f"{', '.join(names[:_EXAMPLES])}{more} were not measured")
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
    for edge in margins.edges if margins is not None else []:
        yield _at_edge(edge, rows)
    outside = frame["extrapolated"] != ""
    if outside.any():
        names = sorted({name for text in frame["extrapolated"].unique() for name in str(text).split(", ") if name})
        which = "every design is" if outside.all() else f"{int(outside.sum())} of {rows} designs are"
        yield Sentence("extrapolated", f"{which} outside what models were validated on, in {', '.join(names)}")


def _within_error(limit: LimitMargin, looked_at: int) -> Sentence:
    error = format_number(100 * (limit.error or 0.0), 2)
    return Sentence(
        "within the error",
        f"{limit.within_error} of {looked_at} designs meet {_one_line(limit.limit)} "
        f"by less than the model's error of {error} %",
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _at_edge(edge: AxisEdge, rows: int) -> Sentence:
    scale, unit = display_unit(edge.unit, abs(edge.value))
    value = spelled(edge.value, scale, unit, given=True)
    return Sentence(
        "edge of the space",
        f"{edge.designs} of {rows} {'design has' if rows == 1 else 'designs have'} {_counted(edge.axis, value)}, "
        f"the {edge.end} offered: what lies beyond was not looked at",
    )
