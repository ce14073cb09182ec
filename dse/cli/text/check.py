"""What `dse check` tells of a study: whole where that is short, else what fits on one screen; the rest by --full."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dse.cli.text.output import console, say, shown, table
from dse.errors import one_of
from dse.evaluation.reference_records import lacking_text
from dse.units import format_number

if TYPE_CHECKING:
    from dse.api import Study
    from dse.run.disk.manifest import AssumedValue, AxisAccount, ChosenComponent, ReferenceTable, SpaceAccount

__all__ = [
    "print_assumptions",
    "print_components",
    "print_parts",
    "print_references",
    "print_space",
    "reference_names",
    "with_long_times",
]

_ALTERNATIVES = 3  # that are laid out one by one
_MOST = 12  # components, assumptions
_AXES = 20
_LACKING = 3
_LISTED = 20
_LONG = ((365.25 * 86400.0, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min"))


def with_long_times(value: float | str, unit: str) -> str:
    """Write a value with its unit, a long time in minutes, hours, days or years too."""
    text = shown(value, unit)
    if unit == "s" and isinstance(value, (int, float)):
        for length, name in _LONG:
            if value >= 2.0 * length:
                return f"{text} ({format_number(value / length, 3)} {name})"
    return text


def print_parts(study: Study) -> None:
    """Print into how many parts each alternative is taken apart, and what is no part."""
    split = study.spec.space.split
    if split:
        # The name of a part is that of its alternative, then each column with its value.
        names = [product.name[: product.name.rindex(f"{split[0]} ")].strip() for product in study.space.products]
        counts = [f"{name} {count}".strip() for name, count in Counter(names).items()]
        say(f"parts by {' and '.join(split)}: {', '.join(counts)}")
    for name, why in study.builder.split_off.items():
        say(f"no part{f' of {name}' if name else ''}: {why}")


def print_space(space: SpaceAccount, *, full: bool) -> None:
    """Print axes by alternative; of many alternatives each axis once, with how many of them have it."""
    alternatives = space.alternatives
    if full or len(alternatives) <= _ALTERNATIVES:
        _print_alternatives(space)
        return
    listed = [f"{alternative.name} {format_number(alternative.designs)}" for alternative in alternatives[:_LISTED]]
    more = f", … {format_number(len(alternatives) - _LISTED)} more" if len(alternatives) > _LISTED else ""
    for line in textwrap.wrap(
        f"{len(alternatives)} alternatives, designs of each: {', '.join(listed)}{more}",
        console().width,
        subsequent_indent="  ",
        break_on_hyphens=False,
    ):
        say(line)
    having: dict[str, list[AxisAccount]] = {}
    for alternative in alternatives:
        for axis in alternative.axes:
            having.setdefault(axis.name, []).append(axis)
    room = max(20, console().width - max(map(len, having)) - 32)
    rows = []
    for name, axes in list(having.items())[:_AXES]:
        counts = sorted({axis.values for axis in axes})
        words = {axis.shown_values for axis in axes}
        values_text = textwrap.shorten(words.pop(), room, placeholder=" …") if len(words) == 1 else "of each its own"
        count = format_number(counts[0]) + (f" to {format_number(counts[-1])}" if len(counts) > 1 else "")
        rows.append([name, count, "all" if len(axes) == len(alternatives) else f"{len(axes)}", values_text])
    table(["axis", "values", "alternatives", "from … to"], rows, right=[1, 2])
    hidden = len(having) - len(rows)
    fixed = {name for alternative in alternatives for name in alternative.set}
    say(
        (f"{hidden} more axes, " if hidden > 0 else "")
        + f"{len(fixed)} values that the study sets, and what enumerations refused: --full"
    )


def _print_alternatives(space: SpaceAccount) -> None:
    for alternative in space.alternatives[:_LISTED]:
        rows = [[axis.name, axis.values, axis.shown_values] for axis in alternative.axes]
        title = f"{alternative.name or 'axes'}: {format_number(alternative.designs)} designs"
        fixed = ", ".join(f"{name} = {with_long_times(v.value, v.unit)}" for name, v in alternative.set.items())
        table(["axis", "values", "from … to"], rows, right=[1], title=title + (f" ({fixed})" if fixed else ""))
    if len(space.alternatives) > _LISTED:
        say(f"… {format_number(len(space.alternatives) - _LISTED)} more alternatives: --json")
    for name, refusals in space.enumerations_text():
        say(f"{name}: {refusals}")


def print_components(parts: Sequence[ChosenComponent], *, full: bool) -> None:
    """Print which component fills each slot; of many those that the study chose none for are counted."""
    if full or len(parts) <= _MOST:
        for part in parts:
            say(f"{part.slot}: {part.component}" + ("" if part.chosen else " (default)"))
        return
    chosen = [part for part in parts if part.chosen]
    say(f"components: {len(chosen)} slots filled by the study, {len(parts) - len(chosen)} by default: --full")


def print_assumptions(assumed: Sequence[AssumedValue], *, full: bool) -> None:
    """Print the assumptions that matter with their sources; how many there are, where these are many."""
    if not assumed:
        return
    if full or len(assumed) <= _MOST:
        rows = [[a.name, with_long_times(a.value, a.unit), a.source] for a in assumed]
        table(["assumption", "value", "source"], rows, right=[1])
        return
    say(f"{len(assumed)} assumptions, each with its source: --full; which of them matter: dse explain, after the run")


def reference_names(loaded: Study, group: str) -> list[str]:
    """Return the names of the systems of one table of references."""
    return [reference.name for reference in loaded.references if reference.group.name == group]


def print_references(loaded: Study, group: ReferenceTable, *, full: bool) -> None:
    """Print one table of references: which systems, how many of them are known, and why others are not."""
    shows = [*(o.quantity for o in loaded.compiled.objectives), *loaded.spec.also]
    own = [reference for reference in loaded.references if reference.group.name == group.name]
    records = [reference.record(shows) for reference in own]
    count, names = len(records), reference_names(loaded, group.name)
    about = f" ({group.description})" if group.description else ""
    say(f"references {group.name}: {one_of(names)}{about}", style="bold")
    say(f"  {group.evaluated} of {count} can be evaluated; they stand beside the space and are no designs of it")
    if full or len(group.components) + len(group.assumptions) <= _MOST:
        for slot, component in group.components.items():
            say(f"  {slot}: {component}")
        for item in group.assumptions:
            say(f"  {item.name} = {with_long_times(item.value, item.unit)} ({item.source})")
    else:
        say(f"  {len(group.components)} components and {len(group.assumptions)} assumptions of their own: --full")
    for quantity, column in group.measured.items():
        having = sum(quantity in record["measured"] for record in records)
        say(f"  {quantity} was measured of {having} of {count} (column {column})")
    lacking = lacking_text(records, shows)
    for line in lacking if full else lacking[:_LACKING]:
        say(f"  {line}", style="yellow")
    if len(lacking) > _LACKING and not full:
        say(f"  … {len(lacking) - _LACKING} more without a figure: --full", style="yellow")
