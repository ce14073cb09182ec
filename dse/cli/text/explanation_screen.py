"""An explanation on one screen: objectives and what they come from, what binds, what a step changes, what is given."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dse.authoring.watch.validation import HEADING, validation_lines
from dse.cli.text.output import console, say, shown, table
from dse.units import percent_text

if TYPE_CHECKING:
    from dse.analysis.explain.decomposition import Decomposition, Member
    from dse.analysis.explain.explanation import Explanation, Neighbour

__all__ = ["print_heading", "print_screen"]

_OBJECTIVE_LINES = 18  # of all objectives together
_MEMBERS = 5  # of a sum or a mean
_BINDING = 3
_STEPS = 10
_GIVEN = 4
_CONFIDENCE = "_confidence"
_NUMBER = re.compile(r"([0-9]) (?=[%A-Za-zµ])")
_FELT = 5e-5  # a change that is shown as more than 0.00 %


class Binding(NamedTuple):
    """Something that limits a design: how near it is, as a share, and in words."""

    nearness: float
    text: str


def print_screen(explanation: Explanation, ways: dict[str, list[Decomposition]], name: str | None) -> None:
    """Print what an explanation says first, on one screen.

    Parameters
    ----------
    explanation : Explanation
    ways : dict of str to list of Decomposition
        How each objective comes from others (`dse.analysis.explain.decomposition.way_down`).
    name : str, optional
        Of the frontier, where the design stands on it.
    """
    print_heading(explanation, name)
    _print_account(explanation)
    _print_objectives(explanation, ways)
    binding = sorted(_binding(explanation), key=lambda item: item.nearness)
    if binding:
        say("what binds:", style="bold")
        for item in binding[:_BINDING]:
            _wrapped(item.text)
    _print_steps(explanation)
    _print_given(explanation)
    for line in list(dict.fromkeys(validation_lines(explanation.parameters, explanation.validation)))[:2]:
        _wrapped(f"{HEADING}: {line}", "")
    if explanation.extrapolated:
        _wrapped(f"extrapolated, outside what a model was validated on: {_some(explanation.extrapolated)}", "")
    if explanation.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(explanation.synthetic)}", style="bold yellow")
    say("more: --full (every sum, bound and step), --sources (of each number), --tree (what rests on what)")


def print_heading(explanation: Explanation, name: str | None) -> None:
    """Print which design it is and what was chosen for it."""
    parameters = explanation.parameters
    chosen = []
    for key, value in parameters.items():
        if not key.endswith(_CONFIDENCE):
            sure = parameters.get(f"{key}{_CONFIDENCE}")
            chosen.append(f"{key} = {value}" + (f" (confidence: {sure})" if sure else ""))
    of = explanation.reference
    at = "" if name is None else f" ({name})"
    begin = f"design {explanation.design}{at} of" if of is None else f"{of}, beside the designs of"
    _wrapped(f"{begin} {explanation.study}: {', '.join(chosen)}", "", style="bold")
    if explanation.on_frontier is False:
        beaten = ", ".join(other["name"] for other in explanation.dominated_by)
        say(f"not on the frontier{f': beaten by {beaten}' if beaten else ''}", style="yellow")


def _print_account(explanation: Explanation) -> None:
    """Print what the models say of a design first, and what it would be at the other end of a bracket."""
    for place, line in enumerate(explanation.account):
        _wrapped(line, "  " if place else "")
    for slot, component, other in dict.fromkeys(
        (end["slot"], end["component"], end["other"]) for end in explanation.other_ends
    ):
        parts = []
        for end in explanation.other_ends:
            if (end["slot"], end["other"]) == (slot, other):
                change = "" if end["change"] is None else f" ({percent_text(end['change'], sign=True)})"
                parts.append(f"{end['quantity']} {shown(end['other_value'], end['unit'])}{change}")
        _wrapped(f"with {slot} {other} instead of {component}: {', '.join(parts)}")


def _print_objectives(explanation: Explanation, ways: dict[str, list[Decomposition]]) -> None:
    units = {row["name"]: row["unit"] for row in explanation.numbers}
    measured = {item["quantity"]: item for item in explanation.measured}
    budget = max(1, _OBJECTIVE_LINES // max(1, len(explanation.objectives)) - 1)
    shown_steps: set[str] = set()
    for objective in explanation.objectives:
        name, sense = objective["quantity"], "minimised" if objective["sense"] == "min" else "maximised"
        was = f"; measured {shown(measured[name]['value'], objective['unit'])}" if name in measured else ""
        say(f"{name} = {shown(objective['value'], objective['unit'])} ({sense}{was})", style="bold")
        remaining = budget
        for step in ways.get(name, ()):
            lines = _lines(_decomposition_text(step, units))
            if step.name in shown_steps:
                say(f"  {step.name}: above")
                break
            if len(lines) > remaining:
                break
            shown_steps.add(step.name)
            remaining -= len(lines)
            for line in lines:
                say(line)


def _decomposition_text(step: Decomposition, units: dict[str, str]) -> str:
    def value(member: Member) -> str:
        return f"{member.name} {shown(member.value, units.get(member.name, '1'))}"

    name = f"{step.also} = {step.name}" if step.also else step.name
    felt = [member for member in step.members if member.share >= 0.0005 or step.kind in ("product", "other")]
    listed = felt[:_MEMBERS]
    more = f", … {len(felt) - len(listed)} more" if len(felt) > len(listed) else ""
    if step.kind == "product":
        above = [_power(member, value(member)) for member in listed if member.share > 0]
        below = [_power(member, value(member)) for member in listed if member.share < 0]
        words = " × ".join(above or ["1"]) + "".join(f" / {text}" for text in below)
        return f"{name} = {words}{more}"
    if step.kind == "other":
        return f"{name} comes from {', '.join(value(member) for member in listed)}{more}"
    if step.kind == "largest":
        rest = [f"{value(member)} ({percent_text(1 - member.share)} below)" for member in listed[1:]]
        return f"{name} is the largest: {value(listed[0])}, before {', '.join(rest) or 'nothing else'}{more}"
    how = "is the sum of" if step.kind == "sum" else "is the weighted geometric mean of"
    parts = [f"{value(member)} ({percent_text(member.share)})" for member in listed]
    return f"{name} {how} {', '.join(parts)}{more}"


def _power(member: Member, text: str) -> str:
    size = abs(member.share)
    return text if abs(size - 1.0) < 1e-6 else f"({text})^{size:.3g}"


def _binding(explanation: Explanation) -> Iterator[Binding]:
    """Yield what limits the design: constraints by their slack, and the largest of several by its lead."""
    for constraint in explanation.constraints:
        by = f" (required by {constraint['required_by']})" if "required_by" in constraint else ""
        if constraint["met"] is False:
            yield Binding(-1.0, f"{constraint['text']}{by}: NOT met")
        elif "slack" in constraint:
            share = constraint.get("relative_slack")
            room = shown(constraint["slack"], constraint["unit"])
            room += "" if share is None else f", {percent_text(share)}"
            yield Binding(abs(share) if share is not None else 1.0, f"{constraint['text']}{by}: {room} to spare")
    plotted = {name for axis in explanation.rates for name in axis["maxima"]}
    for axis in explanation.rates:
        of = "".join(f", {name} binds" for name in axis["binding"])
        yield Binding(0.0, f"{axis['rate']}: {shown(axis['achieved'], axis['unit'])}{of} (all bounds: --full)")
    for whole in explanation.bounds:
        first, *rest = whole["parts"]
        lead = rest[0].get("relative_distance") if rest else None
        if lead is not None and whole["quantity"] not in plotted:
            second = rest[0]["quantity"]
            text = f"{whole['quantity']}: {first['quantity']} binds, {second} is {percent_text(lead)} below"
            yield Binding(lead, text)


def _print_steps(explanation: Explanation) -> None:
    """Print the steps along axes that change an objective, or what is feasible."""
    names = [o["quantity"] for o in explanation.objectives]
    felt = [step for step in explanation.neighbours if any(_felt(step, name) for name in names)]
    if not felt:
        return
    room = max(16, console().width - 24 - sum(max(8, len(name)) + 2 for name in names) - 12)
    rows = [
        [
            step["axis"],
            textwrap.shorten(step["value"], room, placeholder="…"),
            *(_change(step, name) for name in names),
            "" if step["feasible"] else "infeasible",
        ]
        for step in felt[:_STEPS]
    ]
    table(["one step", "to", *names, ""], rows, right=list(range(2, 2 + len(names))))
    hidden = len(felt) - len(rows)
    if hidden > 0:
        say(f"… {hidden} more steps: --full")


def _felt(step: Neighbour, name: str) -> bool:
    change = step["change"].get(name)
    return change is None or abs(change) >= _FELT


def _change(step: Neighbour, name: str) -> str:
    change = step["change"].get(name)
    return "–" if change is None else percent_text(change, 2, sign=True)


def _print_given(explanation: Explanation) -> None:
    """Print what the study gives and what models assume, by how much an objective feels a percent more of it."""
    kinds = {"given": ("set", "table", "document"), "assumed": ("assumption",)}
    lines = []
    for what, origins in kinds.items():
        rows = [row for row in explanation.sensitivities if row["from"] in origins]
        strongest = []
        for objective in explanation.objectives:
            name = objective["quantity"]
            effects = [
                (elasticity, row["input"])
                for row in rows
                if (effect := row["effects"].get(name)) is not None and (elasticity := effect["elasticity"])
            ]
            effects.sort(key=lambda pair: -abs(pair[0]))
            if effects:
                strongest.append(
                    f"{name}: " + ", ".join(f"{objective} {size:+.3g} %" for size, objective in effects[:_GIVEN])
                )
        if strongest:
            lines.append(f"{what}: {'; '.join(strongest)}")
    if lines:
        say("what 1 % more of a number that no axis varies would change", style="bold")
        for line in lines:
            _wrapped(line)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f", … {len(names) - 6} more" if len(names) > 6 else "")


def _lines(text: str, indent: str = "  ") -> list[str]:
    """Return the lines of a text; a number keeps its unit beside it."""
    joined = _NUMBER.sub("\\1\u00a0", text)
    width, more = console().width, f"{indent}  "
    lines = textwrap.wrap(joined, width, initial_indent=indent, subsequent_indent=more, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def _wrapped(text: str, indent: str = "  ", style: str | None = None) -> None:
    for line in _lines(text, indent):
        say(line, style=style)
