"""The bottleneck plot of the terminal: bounds as labelled stems on one axis, with what is achieved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from dse.authoring.declare.stem_axis import stem_axis
from dse.cli.text.output import console, say
from dse.units import with_unit

if TYPE_CHECKING:
    from dse.analysis.explain.explanation import RateBounds

__all__ = ["Stem", "print_rates", "stem_plot"]

Kind = Literal["achieved", "binding", "between", "bound"]

_POLES: dict[Kind, str] = {"achieved": "┃", "binding": "║", "bound": "│", "between": "┊"}
_FEET: dict[Kind, str] = {"achieved": "●", "binding": "╨", "bound": "┴", "between": "┴"}
_FIRST: tuple[Kind, ...] = ("achieved", "binding", "between", "bound")  # in one column, the most telling is drawn


class Stem(NamedTuple):
    """A value on the axis, finite and not negative, with a label; how it is drawn tells what it is."""

    value: float
    label: str
    kind: Kind


def stem_plot(stems: Sequence[Stem], width: int) -> tuple[list[str], bool]:
    """Draw stems on one axis, the lowest value on top, each with its label to the right.

    Parameters
    ----------
    stems : sequence of Stem
    width : int
        Of the plot, in characters.

    Returns
    -------
    (list of str, bool)
        The lines: one per stem, the axis, the numbers below it; and whether the axis is logarithmic, which it is where
        the values spread far.
    """
    if not stems:
        return [], False
    ordered = sorted(stems, key=lambda stem: (stem.value, _FIRST.index(stem.kind)))
    axis = stem_axis([stem.value for stem in ordered], [len(stem.label) + 1.0 for stem in ordered], width - 1.0)
    columns = [round(axis.place(stem.value)) for stem in ordered]
    lines = []
    for row, stem in enumerate(ordered):
        poles = _drawn(columns[: row + 1], ordered[: row + 1], _POLES, " ", columns[row] + 1)
        lines.append(f"{poles} {stem.label}")
    ticks = axis.ticks(lambda tick: len(f"{tick:g}") + 1.0)
    beyond = [place for place in map(round, map(axis.place, ticks)) if place >= columns[-1]]
    end = min(beyond, default=width - 1) + 1
    line = list("─" * end)
    numbers = [" "] * (width + 12)
    for tick in ticks:
        if axis.place(tick) >= end:
            break
        column, text = round(axis.place(tick)), f"{tick:g}"
        line[column] = "┬"
        begin = max(0, column - len(text) // 2)
        numbers[begin : begin + len(text)] = text
    for column, foot in enumerate(_drawn(columns, ordered, _FEET, " ", end)):
        if foot != " ":
            line[column] = "┼" if foot == "┴" and line[column] == "┬" else foot
    return [*lines, "".join(line), "".join(numbers).rstrip()], axis.logarithmic


def _drawn(columns: Sequence[int], stems: Sequence[Stem], marks: dict[Kind, str], blank: str, width: int) -> str:
    """Return a line with the mark of each stem in its column."""
    line = [blank] * width
    for kind in reversed(_FIRST):
        for column, stem in zip(columns, stems, strict=True):
            if stem.kind == kind and column < width:
                line[column] = marks[kind]
    return "".join(line)


def print_rates(axis: RateBounds) -> None:
    """Print an axis of rates as `dse explain` tells it: every bound a stem, what sets no limit named below."""
    stems: list[Stem] = []
    named: dict[str, list[str]] = {}
    points: list[tuple[float, str, Kind]] = [(axis["achieved"], "achieved", "achieved")]
    for bound in axis["bounds"]:
        name, kind = bound["quantity"], _FIRST[-1]
        if bound["contains"]:
            name, kind = f"{name}, on top of {bound['contains']}", "between"
        elif bound["binds"]:
            name, kind = f"{name}, binds {bound['of']}", "binding"
        points.append((bound["value"], name, kind))
    for value, name, kind in points:
        if math.isfinite(value):
            stems.append(Stem(value, f"{with_unit(value, axis['unit'])} {name}", kind))
        else:
            named.setdefault("not a number" if math.isnan(value) else "no limit from", []).append(name)
    words = axis["rate"] + (f" [{axis['unit']}]" if axis["unit"] != "1" else "")
    lines, logarithmic = stem_plot(stems, console().width)
    say()
    say(f"bottlenecks in {words}, 1 / {axis['quantity']}{' (logarithmic)' if logarithmic else ''}", style="bold")
    for line in lines:
        say(line)
    for what, names in named.items():
        say(f"{what}: {', '.join(names)}")
    say()
