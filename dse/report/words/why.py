"""Why a part is not on the frontier, and what decides, in words: the same wherever it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dse.units import format_number, percent_text, with_unit

if TYPE_CHECKING:
    from dse.analysis.why.break_even import BreakEven
    from dse.analysis.why.break_even_map import BreakEvenMap
    from dse.analysis.why.infeasible_part import Infeasible
    from dse.analysis.why.membership import Membership
    from dse.analysis.why.space_sensitivity import SpaceSensitivity
    from dse.analysis.why.why import Absence

__all__ = [
    "LEAST_EFFECT",
    "beating_rows",
    "describe_absence",
    "describe_break_even",
    "describe_designs",
    "effect_rows",
    "effect_text",
    "map_rows",
    "sensitivity_rows",
    "value_rows",
]

LEAST_EFFECT = 0.005  # effects below which an axis is not named
_VALUES = 6


def describe_absence(absence: Absence, units: Mapping[str, str]) -> Iterator[str]:
    """Yield lines on how far a part is from the frontier."""
    count = format_number(absence.designs)
    if absence.infeasible is not None:
        yield f"{absence.part}: none of its {count} designs is feasible"
        yield from _infeasible(absence.infeasible)
        return
    assert absence.distance is not None
    many = "" if absence.feasible is None else f", {format_number(absence.feasible)} of them feasible"
    factor = absence.distance["factor"]
    if absence.on_frontier:
        yield f"{absence.part} ({count} designs{many}): {format_number(absence.on_frontier)} of them on the frontier"
    elif factor is None:
        yield f"{absence.part} ({count} designs{many}): not on the frontier; an objective is not positive, so no factor"
    elif factor <= 1:
        yield (
            f"{absence.part} ({count} designs{many}): not on the frontier, though some objective equals that of a "
            "design there: any improvement of all objectives would do"
        )
    else:
        yield (
            f"{absence.part} ({count} designs{many}): not on the frontier; every objective would have to be "
            f"{factor:.4g} times better (design {absence.distance['design']})"
        )
    yield from _beating(absence)
    if absence.on_frontier:
        return
    alone = []
    for name, alone_by in absence.distance["single"].items():
        if "factor" not in alone_by:
            amount = f"better by {with_unit(alone_by['difference'], units.get(name, '1'))}"
        else:
            amount = f"{alone_by['factor']:.4g} times better" if alone_by["factor"] > 1 else "any better"
        alone.append(f"{name} {amount} (design {alone_by['design']})")
    yield f"one objective alone: {', '.join(alone)}"


def _beating(absence: Absence) -> Iterator[str]:
    """Say which limits designs of a part break, and what beats its best ones."""
    if absence.limits:
        broken = (f"{format_number(count)} {text}" for text, count in absence.limits.items())
        yield f"not feasible, as they break: {', '.join(broken)}"
    beating = absence.beating
    inside = 0 if absence.feasible is None else absence.feasible - absence.own
    if inside > 0 and (beating is not None or absence.on_frontier):
        yield f"beaten by other designs with {absence.part}: {format_number(inside)}"
    if beating is None:
        return
    own = f"its {format_number(absence.own)} best designs, of which none beats another"
    by = ", ".join(f"{format_number(count)} by {name}" for name, count in list(beating.by.items())[:_VALUES])
    more = len(beating.by) - _VALUES
    by += f", … {more} more" if more > 0 else ""
    yield f"beaten: {format_number(beating.beaten)} of {own}{f' ({by})' if by else ''}"


def beating_rows(
    absence: Absence, units: Mapping[str, str], name_of: Callable[[int], str]
) -> tuple[list[str], list[list[str]], str]:
    """Return headings and rows of the designs of a part that are beaten, each beside one that beats it; what all have.

    Parameters
    ----------
    absence : Absence
    units : dict of str to str
        Of the objectives.
    name_of : callable
        The name of a row of the frontier.
    """
    pairs = absence.beating.pairs if absence.beating is not None else ()
    if not pairs:
        return [], [], ""
    names = [name for name in absence.named[pairs[0].design] if not name.endswith("_confidence")]
    shared = [name for name in names if len({absence.named[pair.design].get(name) for pair in pairs}) == 1]
    apart = [name for name in names if name not in shared] if len(pairs) > 1 else []
    rows = []
    for pair in pairs:
        row = [str(pair.design), *(absence.named[pair.design].get(name, "–") for name in apart), name_of(pair.by_row)]
        for quantity, value in pair.values.items():
            other, unit = pair.by_values[quantity], units.get(quantity, "1")
            change = f" ({percent_text((other - value) / abs(value), 1, sign=True)})" if value else ""
            better = "the same" if other == value else f"{with_unit(other, unit)}{change}"
            row.append(f"{with_unit(value, unit)} → {better}")
        rows.append(row)
    first = absence.named[pairs[0].design]
    alike = ", ".join(f"{name} = {first[name]}" for name in names if name not in apart)
    return ["design", *apart, "beaten by", *pairs[0].values], rows, alike


def _infeasible(infeasible: Infeasible) -> Iterator[str]:
    looked = "" if infeasible["every"] else f" of {format_number(infeasible['looked_at'])} that were looked at"
    for limit in infeasible["limits"]:
        line = f"  {format_number(limit['broken'])}{looked} break {limit['text']}"
        if limit["appears_at"] is not None:
            line += f"; the first design that meets all else is at {with_unit(limit['appears_at'], limit['unit'])}"
        elif limit["least"] is None:
            line += "; none of these meets all else"
        yield line


def describe_break_even(break_even: BreakEven) -> Iterator[str]:
    """Yield lines on the value of a number at which a part is on the frontier, or leaves it."""

    def value(at: float) -> str:
        return with_unit(at, break_even.unit, 6)

    span = f"from {value(break_even.low)} to {value(break_even.high)}"
    present = f"{break_even.parameter} is {value(break_even.present)}"
    change = "other change"
    if break_even.value is None:
        remaining = "" if break_even.factor is None else f"; {break_even.factor:.4g} times is left at best"
        yield f"{present}; at no value {span} would it be on the frontier{remaining}"
    elif break_even.value == break_even.present:
        if stays := _staying(break_even):
            yield f"{present}; it is on the frontier as it is, {stays}: beyond, no design of it is"
        else:
            yield f"{present}; it is on the frontier as it is, and at every value {span}"
            change = "change"
    else:
        by = percent_text(break_even.change or 0.0, 2, sign=True)
        yield f"{present}; at {value(break_even.value)} ({by}) design {break_even.design} would be on the frontier"
    if break_even.proved:
        yield f"proved by signs: there is no {change}"
    else:
        scanned = f"values {span} were scanned, and between scanned values others may exist"
        yield f"not proved ({break_even.why_not}): {scanned}"
    if len(break_even.intervals) > 1:
        yield f"on the frontier {' and '.join(f'from {value(a)} to {value(b)}' for a, b in break_even.intervals)}"


def _staying(break_even: BreakEven) -> str:
    """Say how far a part that is on the frontier stays there; nothing where that is all that was looked through."""

    def value(at: float) -> str:
        return f"{with_unit(at, break_even.unit, 6)} ({percent_text(break_even.share(at), 2, sign=True)})"

    low, high = break_even.stays or (break_even.low, break_even.high)
    ends = []
    if low > break_even.low:
        ends.append(f"down to {value(low)}")
    if high < break_even.high:
        ends.append(f"up to {value(high)}")
    return " and ".join(ends)


def map_rows(break_even_map: BreakEvenMap) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of the break-evens of one number at values of another."""
    rows = []
    for value, even in break_even_map.rows:
        at = "none within reach" if even.value is None else with_unit(even.value, even.unit, 6)
        change = "" if even.change is None else percent_text(even.change, 2, sign=True)
        if even.stays is not None:
            at, change = f"on it {_staying(even) or 'throughout'}", ""
        rows.append([with_unit(value, break_even_map.unit), at, change, "proved" if even.proved else "scanned"])
    return [break_even_map.parameter, f"{break_even_map.other} at break-even", "change", ""], rows


def describe_designs(named: Mapping[int, Mapping[str, str]]) -> Iterator[str]:
    """Yield a line for each design that was named."""
    for number, own in named.items():
        parameters = ", ".join(f"{name} = {value}" for name, value in own.items() if not name.endswith("_confidence"))
        yield f"  design {number}: {parameters}"


def sensitivity_rows(sensitivity: SpaceSensitivity, alternative: str) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a table of one alternative: an axis each, main (total) effect on each objective."""
    objectives = sensitivity.effects[alternative]
    axes = list(dict.fromkeys(axis for own in objectives.values() for axis in own))
    size = {axis: max(own[axis]["total"] for own in objectives.values()) for axis in axes}
    rows = []
    for axis in sorted(axes, key=lambda axis: -size[axis]):
        if size[axis] >= LEAST_EFFECT:
            cells = (objectives[name][axis] for name in objectives)
            rows.append(
                [axis, *(f"{effect_text(effect['main'])} ({effect_text(effect['total'])})" for effect in cells)]
            )
    return ["axis", *objectives], rows


def effect_text(effect: float) -> str:
    """Write an effect, a share of 1."""
    return f"{effect:.2f}".replace("-0.00", "0.00")


def value_rows(membership: Membership) -> list[list[str]]:
    """Return a row for each axis: how much of the frontier each of its values has, and what it costs to do without."""
    rows = []
    for axis, values in membership.values.items():
        order = sorted(values.items(), key=lambda item: -item[1]["share"])
        costs = []
        for name, own in order[:_VALUES]:
            regret = own["regret"]
            least = "" if own["exact"] else "≤ "
            cost = "nothing is left" if regret is None else f"{least}{percent_text(regret, 1)}"
            costs.append(f"{name} {percent_text(own['share'], 0)} ({cost})")
        more = len(order) - _VALUES
        rows.append([axis, ", ".join(costs) + (f", … {more} more" if more > 0 else "")])
    return rows


def effect_rows(membership: Membership) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of the total effects of axes on being near the frontier, a column per alternative."""
    names = [name for name, own in membership.effects.items() if any(effect["total"] > 0 for effect in own.values())]
    axes: Sequence[str] = list(dict.fromkeys(axis for name in names for axis in membership.effects[name]))
    rows = [
        [
            axis,
            *(
                f"{effect_text(membership.effects[name][axis]['total'])}" if axis in membership.effects[name] else ""
                for name in names
            ),
        ]
        for axis in axes
    ]
    return ["axis", *(name or "total effect" for name in names)], rows
