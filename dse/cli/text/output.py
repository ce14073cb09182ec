"""What the commands show: tables for people, JSON for programs, progress with an ETA.

Texts of studies are never read as markup.
"""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypedDict

from dse.cli.later import later
from dse.cli.text.table_json import rows_as_json
from dse.errors import visible
from dse.evaluation.reference_records import lacking_text
from dse.report.words.stopped import describe_stopped
from dse.units import TEXT, display_unit, format_number, left_in_words, told_apart
from dse.units import with_unit as shown

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.progress import Task
    from rich.table import Table as RichTable
    from rich.text import Text
    from rich.tree import Tree

    from dse.api import Run
    from dse.evaluation.reference_records import ReferenceRecord
else:
    (Console,) = later("rich.console", "Console")
    (RichTable,) = later("rich.table", "Table")
    (Text,) = later("rich.text", "Text")
    (Tree,) = later("rich.tree", "Tree")

__all__ = [
    "column_of",
    "console",
    "fold_texts",
    "print_certificate",
    "print_json",
    "print_tree",
    "progress_bar",
    "references_table",
    "say",
    "shown",
    "table",
    "width_of",
]

_WIDTH_OF_FILES, _NARROWEST = 120, 6
_HEADING_LINES = 3
_FIGURE = 16  # characters of a figure with its unit, at most
_BETWEEN = 1  # blanks between two columns of a table
_SHOWN = 5  # groups, and reasons for not pruning
# Before either, what a search skips whole has not shown yet: it would foretell hours of what takes seconds.
_SURE_SHARE, _SURE_SECONDS = 0.01, 60.0
_FIRST_LINE, _SOON, _BETWEEN_LINES, _LOOKS, _BETWEEN_FRAMES = 5.0, 2.0, 10.0, 0.5, 0.05  # seconds
_LONG_FRONTIER = 100_000


def console() -> Console:
    """Return the terminal, or what stands for it."""
    columns = os.environ.get("COLUMNS")
    return _console(columns, None if sys.stdout.isatty() or columns else _WIDTH_OF_FILES)


def errors() -> Console:
    """Return the error stream."""
    return _console(os.environ.get("COLUMNS"), None, stderr=True)


@cache
def _console(columns: str | None, width: int | None, *, stderr: bool = False) -> Console:
    """Return the console for what the environment says of the columns of the terminal, which Rich reads there once."""
    del columns
    return Console(highlight=False, markup=False, emoji=False, width=width, stderr=stderr)


def say(text: str = "", style: str | None = None) -> None:
    """Print a line."""
    console().print(visible(text), style=style, soft_wrap=True)


def print_json(document: object) -> None:
    """Print a document as JSON: stable keys, SI numbers, no NaN. A table among its values is a list of rows."""
    tables = {key for key, value in document.items() if hasattr(value, "iloc")} if isinstance(document, dict) else ()
    if not isinstance(document, dict) or not tables:
        sys.stdout.write(_as_json(document) + "\n")
        return

    before = "{"
    for key, value in document.items():
        sys.stdout.write(f"{before}\n {json.dumps(key)}: ")
        # Strings hold no line breaks in JSON, so each begins a line of the document.
        parts = rows_as_json(value) if key in tables else [_as_json(value).replace("\n", "\n ")]
        sys.stdout.writelines(parts)
        before = ","
    sys.stdout.write("\n}\n")


def _as_json(value: object) -> str:
    return json.dumps(_finite(value), indent=1, allow_nan=False, default=_plain)


def _finite(value: object) -> object:
    """Return a document with null for numbers that are not finite, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    numpy = sys.modules.get("numpy")  # which no document needs that holds none of its numbers
    if numpy is not None and isinstance(value, numpy.floating) and not numpy.isfinite(value):
        return None
    return value


def _plain(value: object) -> object:
    return value.tolist() if hasattr(value, "dtype") and hasattr(value, "tolist") else str(value)


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    right: Sequence[int] = (),
    widths: Sequence[int] | None = None,
    title: str = "",
    whole: bool = False,
) -> None:
    """Print a table.

    Parameters
    ----------
    headings : sequence of str
    rows : sequence of sequence
    right : sequence of int
        Columns set to the right.
    widths : sequence of int, optional
        Fixes the widths of the columns.
    title : str
    whole : bool
        Each row on one line, however wide the terminal.
    """
    from rich import box

    narrowed = None if whole or widths is not None else _narrowed(headings, rows)
    widths = widths if narrowed is None else narrowed
    grid = RichTable(
        box=box.SIMPLE_HEAD,
        title=Text(title) if title else None,
        title_justify="left",
        pad_edge=False,
        show_edge=False,
        padding=(0, 1 if widths is None else 0, 0, 0),
    )
    for position, heading in enumerate(headings):
        number = position in right
        grid.add_column(
            Text(heading),
            justify="right" if number else "left",
            overflow="fold",
            width=None if widths is None else widths[position],
            no_wrap=number and " " not in heading and narrowed is None,
        )
    for row in rows:
        grid.add_row(*(Text(visible(str(cell))) for cell in row))
    if whole:
        wide = Console(
            highlight=False, markup=False, emoji=False, width=max(console().width, sum(widths or ()) + len(headings))
        )
        wide.print(grid)
    else:
        console().print(grid)


def references_table(run: Run, most: int | None = 20) -> None:
    """Print the systems beside the space: objectives, what was measured of them, which constraints they break."""
    import pandas as pd

    records = run.references
    if not records:
        return
    units = run.units
    cells = {"reference": ("reference", [record["name"] for record in records], False)}

    def add(name: str) -> None:
        like = run.frontier[name] if name in run.frontier and len(run.frontier) and units.get(name) != TEXT else None
        measured = any(name in record["measured"] for record in records)
        if any(name in record["values"] for record in records) or not measured:
            unknown = "–" if units.get(name, TEXT) == TEXT else math.nan
            values = pd.Series([record["values"].get(name, unknown) for record in records])
            cells[name] = column_of(run.label(name), values, units.get(name, TEXT), exact=False, like=like)
        if measured:
            values = pd.Series([record["measured"].get(name, {}).get("value", math.nan) for record in records])
            cells[f"measured {name}"] = column_of(
                f"measured {run.label(name)}", values, units[name], exact=False, like=like
            )

    objectives = [o["quantity"] for o in run.objectives]
    for name in dict.fromkeys([*objectives, *(name for record in records for name in record["measured"])]):
        add(name)
    if run.manifest.constraints:
        cells["constraints"] = ("constraints", [constraints_text(record) for record in records], False)
    outside = {tuple(sorted(record["extrapolated"])) for record in records}
    shared = ", ".join(outside.pop()) if len(outside) == 1 and len(records) > 1 else ""
    if not shared and any(record["extrapolated"] for record in records):
        cells["extrapolated"] = ("extra- polated", [", ".join(record["extrapolated"]) for record in records], False)
    shown_first = len(cells)
    columns, also = list(cells), [name for name in run.manifest.also if name not in cells]
    for name in also:
        add(name)
    widths = {name: width_of(cell, most) for name, cell in cells.items()}
    for name in (name for name in cells if name not in columns):
        if sum(widths[c] + 1 for c in [*columns, name]) > console().width:
            break
        columns.append(name)
    numbered = run.manifest.constraints and sum(widths[c] + 1 for c in columns) > console().width
    if numbered:  # the numbers of constraints take less room than their texts
        cells["constraints"] = ("constraints", [_constraints_by_number(run, record) for record in records], False)
        widths["constraints"] = width_of(cells["constraints"], most)
    kept = {"reference", *objectives, "constraints", "extrapolated"}
    for name in reversed([c for c in columns if c not in kept]):
        if sum(widths[c] + 1 for c in columns) > console().width:
            columns.remove(name)
    fold_texts(columns, widths, [c for c in columns if not cells[c][2]])
    say()
    say("beside it, not designs of the space:", style="bold")
    count = len(records) if most is None else min(most, len(records))
    rows = [[cells[c][1][i] for c in columns] for i in range(count)]
    numbers = [i for i, c in enumerate(columns) if cells[c][2]]
    table([cells[c][0] for c in columns], rows, right=numbers, widths=[widths[c] for c in columns])
    if count < len(records):
        say(f"… {len(records) - count} more: dse show {run.folder or run.name} --all")
    if numbered:
        broken = {item["text"] for record in records for item in record["constraints"] if item["met"] is False}
        listed = [f"{at} {text}" for at, text in enumerate(run.manifest.constraints, 1) if text in broken]
        say(f"constraints: {'; '.join(listed)}" if listed else "no constraint is broken")
    if shared:
        say(f"all: extrapolated in {shared}")
    if len(columns) < shown_first:
        say(f"with more figures: dse show {run.folder or run.name} --json, or a wider terminal")
    lines = lacking_text(records, [*objectives, *run.manifest.also])
    for line in lines[: most or None]:
        say(line, style="yellow")
    if most is not None and len(lines) > most:
        say(f"… {len(lines) - most} more without a figure", style="yellow")
    for source in dict.fromkeys(source for record in records for source in record["synthetic"]):
        names = [record["name"] for record in records if source in record["synthetic"]]
        which = "all of them" if len(names) == len(records) else ", ".join(names)
        say(f"SYNTHETIC, no real systems: {which} ({source})", style="bold yellow")


def constraints_text(record: ReferenceRecord) -> str:
    """Return which constraints a reference breaks."""
    broken = [item["text"] for item in record["constraints"] if item["met"] is False]
    if broken:
        return f"breaks {'; '.join(broken)}"
    return "met" if record["feasible"] else "not known"


def _constraints_by_number(run: Run, record: ReferenceRecord) -> str:
    broken = {item["text"] for item in record["constraints"] if item["met"] is False}
    if not broken:
        return constraints_text(record)
    return f"breaks {', '.join(str(at) for at, text in enumerate(run.manifest.constraints, 1) if text in broken)}"


def column_of(
    heading: str, values: pd.Series, unit: str, *, exact: bool, like: pd.Series | None = None
) -> tuple[str, list[str], bool]:
    """Return heading, texts and whether these are numbers; in the unit that `like`, or else the values, fit best."""
    import numpy as np

    if unit == TEXT or values.dtype.kind not in "iuf":
        return heading, [str(value) for value in values], False
    chosen = like if like is not None and like.dtype.kind in "iuf" else values
    finite = chosen[np.isfinite(chosen)]
    scale, written = display_unit(unit, float(finite.abs().max()) if len(finite) else 0.0)
    scaled = [value / scale for value in values]
    if exact:
        texts = [f"{value:.12g}" if np.isfinite(value) else "–" for value in scaled]
    else:
        texts = told_apart(scaled, lambda value, digits: format_number(value, digits) if np.isfinite(value) else "–")
    return heading + (f" [{written}]" if written else ""), texts, True


def _narrowed(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> list[int] | None:
    """Return the widths of columns where the table as a whole is too wide: no word is broken, as far as there is room.

    Where there is not, words of the first column stay whole the longest: they say what the lines are.
    """
    columns = [[heading, *(visible(str(row[at])) for row in rows)] for at, heading in enumerate(headings)]
    wanted = [max(len(cell) for cell in column) for column in columns]
    room = console().width - _BETWEEN * len(columns)
    if sum(wanted) <= room or room < len(columns):
        return None
    widths = [max(len(word) for cell in column for word in cell.split(" ")) for column in columns]
    while sum(widths) > room:
        others = widths[1:] if len(widths) > 1 and max(widths[1:]) > _NARROWEST else widths
        widest = len(widths) - len(others) + others.index(max(others))
        widths[widest] -= 1
    bodies = [max((len(cell) for cell in column[1:]), default=0) for column in columns]
    for at in sorted(range(len(columns)), key=lambda at: bodies[at]):  # a figure stays beside its unit
        if bodies[at] <= _FIGURE and sum(widths) + max(0, bodies[at] - widths[at]) <= room:
            widths[at] = max(widths[at], bodies[at])
    while sum(widths) < room:
        lacking = [want - width for want, width in zip(wanted, widths, strict=True)]
        widths[lacking.index(max(lacking))] += 1
    return widths


def width_of(cell: tuple[str, list[str], bool], most: int | None) -> int:
    """Return the width that folds no cell and no word of the heading."""
    longest = max((len(text) for text in cell[1][: most or None]), default=0)
    return max(longest, _heading_width(cell[0]))


def _heading_width(heading: str) -> int:
    """Return the width at which a heading stands on a few lines, no word broken."""
    width = max(len(word) for word in heading.split(" "))
    while len(textwrap.wrap(heading, width, break_on_hyphens=False)) > _HEADING_LINES:
        width += 1
    return width


def fold_texts(columns: Sequence[str], widths: dict[str, int], texts: Sequence[str]) -> None:
    """Narrow the columns of texts, the widest first, until the table fits the terminal."""
    while texts and sum(widths[c] + 1 for c in columns) > console().width:
        widest = max(texts, key=lambda c: widths[c])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1


def _say_some(what: str, texts: Sequence[str]) -> None:
    """Print the first of some texts; the report has all."""
    for text in texts[:_SHOWN]:
        say(f"{what} {text}")
    if len(texts) > _SHOWN:
        say(f"{what} … {len(texts) - _SHOWN} more, in the report")


def print_certificate(run: Run) -> None:
    """Print the account of the search in words."""
    c, seconds = run.manifest.certificate, run.manifest.timings.search_seconds
    n = format_number
    required = run.manifest.required_by
    whole = "the frontier of the whole space" if len(run.frontier) else "no design of the whole space is feasible"
    kind = run.headline if run.within or c.gap is not None else f"NOT exact: {run.headline}"
    if run.exact:
        kind = f"exact: {whole}"
    elif run.promises_all:
        kind = f"{run.headline}: {whole}"
    counts = f"{n(c.designs)} designs, {n(c.evaluated)} evaluated, {n(c.excluded_by_bound)} excluded by bound"
    if c.pruned_by_group:
        counts += f", {n(c.pruned_by_group)} pruned by group"
    say(f"{kind}; {counts}")
    for line in describe_stopped(run):
        say(line)
    if c.evolution is not None:
        say(f"evolve: {c.evolution.as_text}")
    if c.checked:
        say(f"checked: {c.checked_text}")
    for name, refusals in run.manifest.space.enumerations_text():
        say(f"{name}: {refusals}")
    if c.feasible is not None:
        say(f"{n(c.feasible)} of {n(c.designs)} designs are feasible")
        for text, count in (c.infeasible or {}).items():
            by = f" (required by {required[text]})" if text in required else ""
            say(f"  {n(count)} break {text}{by}")
    else:
        for text, name in required.items():
            say(f"subject to {text} (required by {name})")
    say(f"method: {c.method} ({c.reason}), {seconds:.2f} s; {c.ties_text}")
    _say_some("group", [group.split(";")[0] for group in c.groups])
    _say_some("not pruned by", c.not_pruned)
    for item in run.manifest.lifted:
        say(f"lifted by the study: {item.condition} ({item.name})", style="yellow")
    for warning in c.warnings:  # what models warn of stands in the answer
        say(f"warning: {warning}", style="yellow")
    for name, count in run.manifest.frontier.numeric.items():
        if count:
            numeric = f"{count} of {len(run.frontier)} designs"
            said = run.manifest.frontier.marked.get(name)
            words = f"{said} ({name})" if said else f"have no closed form and were worked out numerically ({name} is 1)"
            say(f"{numeric} {words}", style="yellow")
    if run.manifest.frontier.extrapolated:
        outside = f"{run.manifest.frontier.extrapolated} of {len(run.frontier)} designs"
        say(f"{outside} lie outside the range a model was validated on (column extrapolated)", style="yellow")
    if run.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(run.manifest.synthetic)}", style="bold yellow")


@dataclass(frozen=True)
class Told:
    """What a search calls as it goes on: itself with (how much is done, the length of the frontier), and `phase`."""

    update: Callable[..., None]
    phase: Callable[[str], None]

    def __call__(self, done: int, *more: object) -> None:
        """Take note of how much is done."""
        self.update(done, *more)


@contextmanager
def progress_bar(total: int, what: str = "designs", *, quiet: bool = False) -> Iterator[Told | None]:
    """Show progress on the error stream while a search runs: designs/s and an ETA, or a line now and then in a file."""
    if quiet:
        yield None
        return
    if not errors().is_terminal:
        with _progress_lines(total, what, often=True) as listener:
            yield listener
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.speed or task.finished_speed
            return Text(f"{format_number(float(f'{speed:.2g}'))} {what}/s" if speed else "", style="dim")

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            soon = (task.elapsed or 0.0) < _SOON or task.time_remaining is None
            return Text("" if soon else left_in_words(float(task.time_remaining or 0.0)), style="cyan")

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        Speed(),
        Left(),
        TextColumn("{task.fields[note]}"),
        console=errors(),
        transient=True,
        redirect_stdout=False,  # what models print is marked before it comes here (`dse.authoring.watch.prints`)
    )
    with bar, _progress_lines(total, what, often=False) as tell:
        task = bar.add_task(_task(what), total=total, note="")
        drawn = -math.inf

        def update(done: int, on_frontier: int | None = None, *_: object) -> None:
            nonlocal drawn
            tell(done, on_frontier)
            now = time.monotonic()
            if done >= total or now - drawn >= _BETWEEN_FRAMES:
                drawn = now
                bar.update(
                    task, completed=done, note=f"{format_number(on_frontier)} on the frontier" if on_frontier else ""
                )

        def phase(name: str) -> None:
            tell.phase(name)
            bar.update(task, description=name)

        yield Told(update, phase)


def _task(what: str) -> str:
    return "searching" if what == "designs" else what


@contextmanager
def _progress_lines(total: int, what: str, *, often: bool) -> Iterator[Told]:
    """Write a line on a long frontier once, and one of progress every ten seconds if that is to be `often`.

    The first comes after two seconds where more than ten are left, so that what is soon done says nothing. A thread
    writes them, since a single step of a search may take longer.
    """
    done, on_frontier, ended = 0, 0, threading.Event()
    at = _task(what)

    def update(now: int, frontier: int | None = None, *_: object) -> None:
        nonlocal done, on_frontier
        done, on_frontier = now, frontier or 0

    def phase(name: str) -> None:
        nonlocal at
        at = name

    def write() -> None:
        begun = time.monotonic()
        warned, last = False, begun
        while not ended.wait(_LOOKS):
            now = time.monotonic()
            if not warned and on_frontier >= _LONG_FRONTIER and now - begun >= _FIRST_LINE:
                warned = True
                sys.stderr.write(
                    f"{format_number(on_frontier)} designs are on the frontier so far; "
                    "a further constraint or fewer values of an axis make it shorter\n"
                )
            remaining = (now - begun) * (total - done) / done if done else 0.0
            soon = last == begun and now - begun >= _SOON and remaining > _BETWEEN_LINES
            if often and (soon or now - last >= _BETWEEN_LINES):
                last = now
                share = f"{format_number(done)} of {format_number(total)} {what.split()[0]} " if done < total else ""
                frontier = f", {format_number(on_frontier)} on the frontier so far" if on_frontier else ""
                sure = done >= _SURE_SHARE * total or now - begun >= _SURE_SECONDS
                words = left_in_words(remaining) if sure else "too early to say how long the rest takes"
                rest = f", {words}" if words else ""
                sys.stderr.write(f"{at}: {share}after {now - begun:.0f} s{frontier}{rest}\n")
            sys.stderr.flush()

    threading.Thread(target=write, daemon=True, name="dse-progress").start()
    try:
        yield Told(update, phase)
    finally:
        ended.set()


_Number = TypedDict(
    "_Number",
    {
        "quantity": str,
        "value": float | str | None,
        "unit": str,
        "from": str,
        "source": str,
        "shared": bool,
        "needs": "list[_Number]",
    },
)


def print_tree(nodes: Sequence[_Number]) -> None:
    """Print numbers as a tree, each with its value, where it comes from and its source."""

    def line(node: _Number) -> Text:
        value = "a table" if node["value"] is None and node["unit"] == "table" else shown(node["value"], node["unit"])
        text = Text(f"{node['quantity']} = {value}")
        if node["shared"]:
            return text.append("  laid out above", style="dim")
        if not node["needs"]:
            text.append(f"  {node['from']}", style="dim")
        return text.append(f"  {node['source']}", style="dim")

    def grow(tree: Tree, node: _Number) -> Tree:
        for need in node["needs"]:
            grow(tree.add(line(need)), need)
        return tree

    for node in nodes:
        console().print(grow(Tree(line(node)), node))


def units_of(frame: pd.DataFrame, units: Mapping[str, str]) -> dict[str, str]:
    """Return the units of a table's columns."""
    known = {**units, **frame.attrs.get("units", {})}
    return {name: known[name] for name in frame.columns if name in known}
