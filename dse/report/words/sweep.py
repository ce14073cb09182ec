"""What sweeps and attainable curves say of designs, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dse.study.build.labels import label_of
from dse.units import TEXT, with_unit

if TYPE_CHECKING:
    from dse.analysis.choose.pick import Row
    from dse.analysis.sweep.attainable import Attainable
    from dse.analysis.sweep.sweep import Sweep
    from dse.analysis.sweep.winner_map import WinnerMap

__all__ = [
    "chosen_text",
    "describe_attainable",
    "describe_map",
    "describe_rule",
    "describe_ties",
    "describe_unchanged",
    "differing_choices",
    "told_apart_text",
    "winner_text",
]

_SENSES = ("least", "most")


def chosen_text(design: Row, choices: Iterable[str], units: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """Return what was chosen in a design: the alternative and parts by name, numbers with theirs.

    Parameters
    ----------
    design : dict
        Its cells, SI.
    choices : iterable of str
        Which are told; what the design does not have is left out.
    units, labels : dict of str to str
    """
    words = []
    for name in choices:
        value = design.get(name)
        if value is None or value == "":
            continue
        text = isinstance(value, str) and units.get(name, TEXT) == TEXT
        said = str(value) if text or isinstance(value, dict) else with_unit(value, units.get(name, "1"))
        words.append(said if text else f"{label_of(labels, name)} {said}")
    return ", ".join(words)


def winner_text(winner: str | None, by: Sequence[str], units: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """Return what the best is told by: a number with its name and unit, else the names."""
    if winner is None:
        return "nothing feasible"
    unit = units.get(by[0], TEXT) if len(by) == 1 else TEXT
    try:
        value = float(winner)
    except ValueError:  # a part, a member of a choice
        return winner
    return winner if unit == TEXT else f"{label_of(labels, by[0])} {with_unit(value, unit)}"


def describe_rule(rule: str, labels: Mapping[str, str]) -> str:
    """Return what is best: "least time of the mix", or "knee"."""
    sense, _, rest = rule.partition(" ")
    if sense not in _SENSES:
        return rule
    name, *limits = rest.split(" ", 1)
    return " ".join([sense, label_of(labels, name), *limits])


def differing_choices(designs: Sequence[Row], choices: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the choices in which designs are alike, and those in which they differ; of a single design, all."""
    if len(designs) == 1:
        return [], list(choices)
    differ = [name for name in choices if len({str(design.get(name)) for design in designs}) > 1]
    return [name for name in choices if name not in differ], differ


def told_apart_text(names: Sequence[str], labels: Mapping[str, str]) -> str:
    """Return the words for names, with "and" before the last."""
    words = [label_of(labels, name) for name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def describe_unchanged(sweep: Sweep) -> list[str]:
    """Return what does not change in the best design of a sweep, and what changes beside what designs are told by."""
    if not any(step.design for step in sweep.steps):
        return []
    others = told_apart_text(sweep.other_changes, sweep.labels)
    keys = told_apart_text(sweep.by, sweep.labels)
    same = not sweep.break_even
    if not others:
        return ["the best does not change"] if same and sweep.by else []
    options = ", ".join(f"--by {name}" for name in sweep.other_changes)
    begin = f"the best keeps its {keys}, but not its" if same and keys else "the best also changes its"
    return [f"{begin} {others}: {options} tells where"]


def describe_map(winner_map: WinnerMap, letters: Mapping[str, str]) -> list[str]:
    """Return what the letters of a map mean, where nothing is feasible, and what is known of ties."""
    total = len(winner_map.cells)
    counts = {winner: sum(cell.winner == winner for cell in winner_map.cells) for winner in winner_map.winners}
    lines = [
        f"{letters[winner]} {winner_text(winner, winner_map.by, winner_map.units, winner_map.labels)}: "
        f"{count} of {total}"
        for winner, count in counts.items()
    ]
    if nothing := total - sum(counts.values()):
        lines.append(f"· nothing feasible: {nothing} of {total}")
    return [*lines, describe_ties(winner_map)]


def describe_ties(winner_map: WinnerMap) -> str:
    """Return what is known of ties."""
    if winner_map.error is None:
        sense, _, name = winner_map.rule.partition(" ")
        if sense not in _SENSES or " " in name:
            return "ties are told of a --quantity alone"
        return f"no model states an error of the {label_of(winner_map.labels, name)}, so no ties are told"
    ties = sum(bool(cell.close) for cell in winner_map.cells)
    percent = f"{100 * winner_map.error:.2g} %"
    return f"in {ties} of {len(winner_map.cells)} another winner is as good within the model's error of {percent}"


def describe_attainable(attainable: Attainable) -> str:
    """Return what the curves are, in a sentence."""
    name, nothing = label_of(attainable.labels, attainable.budget), "no design meets the limits"
    return {
        "within": f"the best that any design reaches within each {name}, whatever else is chosen; below the first "
        f"{nothing}",
        "reaching": f"the best of all designs that have each {name} at least, whatever else is chosen; above the last "
        f"{nothing}",
        "at": f"the best that any design reaches at each {name}, whatever else is chosen",
    }[attainable.relation]
