"""The part of "How sure" on what decides in the space: effects of axes as bars, membership, absent alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dse.analysis.why.why_account import read_why
from dse.report.html.tags import Html, join, table, tag
from dse.report.words.why import LEAST_EFFECT, describe_absence, describe_designs, effect_rows, effect_text, value_rows
from dse.units import percent_text

if TYPE_CHECKING:
    from dse.analysis.why.space_sensitivity import Effects, SpaceSensitivity
    from dse.analysis.why.why import Absence, Decisive
    from dse.run.result.run import Run

__all__ = ["why_section"]

_AXES = 12


def why_section(run: Run) -> Iterator[Html]:
    """Return what decides in the space of a run; the command where it is not stored and could be."""
    decided = read_why(run)
    if decided is not None:
        yield tag("h3", "What decides")
        yield from _sensitivities(run, decided)
        yield from _membership(run, decided)
        if decided.absent:
            yield tag("h3", "Why not")
            yield tag("ul", *(_absent(run, absence) for absence in decided.absent))
    elif run.exact and run.folder is not None and len(run.frontier):
        yield tag(
            "p",
            tag("code", f"dse why {run.folder}"),
            " tells what decides in the space, and why alternatives are not on the frontier.",
        )


def _sensitivities(run: Run, decided: Decisive) -> Iterator[Html]:
    kind = decided.values if decided.logarithms.left_out else decided.logarithms
    of = "the logarithm of each objective" if kind.logarithms else "each objective"
    yield tag(
        "p",
        f"What each axis explains of the variance of {of} over all designs: alone (main effect, the dark bar), and "
        "with all that it does together with others (total effect, the light one).",
        class_="note",
    )
    for name in kind.effects:
        bars = _alternative(run, kind, name)
        yield tag("details", tag("summary", name), bars, class_="part") if len(kind.effects) > 1 else bars
    for quantity, why_not in kind.left_out.items():
        yield tag("p", f"No effects on {run.label(quantity)}: {why_not}.", class_="note")
    if kind.between:
        shares = ", ".join(f"{run.label(name)} {share:.2f}" for name, share in kind.between.items())
        yield tag("p", f"Between the means of the alternatives: {shares}.", class_="note")


def _alternative(run: Run, kind: SpaceSensitivity, name: str) -> Html:
    several = [_bars(run.label(objective), axes, run) for objective, axes in kind.effects[name].items()]
    if name in kind.estimated:
        several.append(tag("p", "An estimate: the alternative has too many designs to look at each.", class_="note"))
    return join(several)


def _bars(title: str, axes: Mapping[str, Effects], run: Run) -> Html:
    """Return the effects on one objective, the largest first."""
    order = sorted(axes, key=lambda axis: -axes[axis]["total"])
    shown = [axis for axis in order if axes[axis]["total"] >= LEAST_EFFECT][:_AXES]
    rows = [
        tag(
            "tr",
            tag("th", run.label(axis), scope="row"),
            tag("td", _bar(axes[axis])),
            tag("td", effect_text(axes[axis]["main"]), class_="n"),
            tag("td", effect_text(axes[axis]["total"]), class_="n"),
        )
        for axis in shown
    ]
    caption = tag("caption", tag("b", title if rows else f"{title}: no axis changes it"))
    texts = ("axis", "", "main", "total")
    head = tag(
        "tr", *(tag("th", text, scope="col", class_="n" if place > 1 else None) for place, text in enumerate(texts))
    )
    return tag("table", caption, *([tag("thead", head), tag("tbody", *rows)] if rows else []), class_="effects")


def _bar(effect: Effects) -> Html:
    pieces = (tag("i", "", class_=kind, style=f"width:{_width(effect[kind]):.2f}%") for kind in ("total", "main"))
    return tag("span", *pieces, class_="effect-bar", aria_hidden="true")


def _width(effect: float) -> float:
    """Return a share of 1 in percent; estimates may be a little outside."""
    return 100 * min(max(effect, 0.0), 1.0)


def _membership(run: Run, decided: Decisive) -> Iterator[Html]:
    own = decided.membership
    near = (f"{name} {percent_text(share, 2)}".strip() for name, share in own.near.items())
    yield tag("p", f"Designs within {100 * own.within:g} % of the frontier: {', '.join(near) or 'not known'}.")
    headings, rows = effect_rows(own)
    if rows:
        yield tag("p", "Total effects of the axes on whether a design is:", class_="note")
        yield table(headings, [[run.label(row[0]), *row[1:]] for row in rows], numeric=range(1, len(headings)))
    if own.left_out:
        yield tag("p", f"Not looked at, as they have too many designs: {', '.join(own.left_out)}.", class_="note")
    yield tag(
        "details",
        tag("summary", "How much of the frontier has a value, and how much worse it is without it"),
        table(["axis", "values"], [[run.label(axis), values] for axis, values in value_rows(own)]),
        class_="part",
    )


def _absent(run: Run, outcome: Absence) -> Html:
    units = {objective["quantity"]: objective["unit"] for objective in run.objectives}
    first, *others = describe_absence(outcome, units)
    lines = [tag("div", line.strip(), class_="note") for line in others]
    designs = [tag("div", line.strip()) for line in describe_designs(outcome.named)]
    which = [tag("details", tag("summary", "which designs these are"), *designs)] if designs else []
    return tag("li", first, *lines, *which)
