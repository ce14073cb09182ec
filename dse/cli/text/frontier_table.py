"""The frontier in the terminal: a table where it fits, else the short list with one column for each design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dse.cli.text.output import column_of, console, fold_texts, say, table, width_of
from dse.report.words.shortlist import (
    Listed,
    Part,
    ShortList,
    chosen_axes,
    figure_texts,
    parts_of,
    roles_of,
    shared_parts,
    short_list,
    varies,
)
from dse.report.words.uncertainty import memberships
from dse.run.result.design_names import name_of, names_of
from dse.run.result.uncertainty_account import read_uncertainty
from dse.units import TEXT

if TYPE_CHECKING:
    from dse.api import Run

__all__ = ["MOST", "frontier_table", "rows_table"]

MOST = 20  # rows of a table that nobody asked for in full
_LEGIBLE = 16  # a column of texts is not folded to less, unless its words are shorter
_LABELS = 26  # width of the first column of the short list

Cells = tuple[str, list[str], bool]


def frontier_table(run: Run) -> None:
    """Print the frontier: what varies, the objectives, and as much else as fits; or its short list.

    Designs of alternatives with different axes stand in tables of their own, so that no column is empty. What all have
    alike is said once. Of a long frontier `MOST` rows are printed. The best of each objective and the knee are among
    them, and are named, at any width.
    """
    count = len(run.frontier)
    standing = list(dict.fromkeys(role.row for role in roles_of(run)))[:MOST]
    others = [row for row in range(min(count, 2 * MOST)) if row not in standing]
    rows = sorted([*standing, *others[: MOST - len(standing)]], key=lambda row: int(run.ranks[row]))
    tables = _tables(run, rows, wide=False)
    if any(_least(cells) > console().width for _, cells in tables):
        _short(run)
        return
    _print_tables(run, tables, wide=False)
    if count > 1:
        _say_standing(run)
    if len(rows) < count:
        say(f"… {count - len(rows)} more rows: dse show {run.folder or run.name} --all")


def rows_table(run: Run, rows: Sequence[int], columns: Sequence[str] = ()) -> None:
    """Print some rows of the frontier, each on one line, however wide; only some `columns` where these are named."""
    if not columns:
        _print_tables(run, _tables(run, rows, wide=True), wide=True)
        return
    frame = run.frontier
    part = frame.iloc[list(rows)]
    cells: dict[str, Cells] = {"name": ("name", names_of(run, rows), True)}
    for name in columns:
        unit = frame.attrs.get("units", {}).get(name, run.units.get(name, TEXT))
        exact = name in run.axis_names or name == "design"
        cells[name] = column_of(run.label(name), part[name], unit, exact=exact, like=frame[name])
    _print(cells, wide=True)


def _say_standing(run: Run) -> None:
    """Say which rows are the best of each objective and the knee."""
    standing: dict[int, list[str]] = {}
    for role in roles_of(run):
        standing.setdefault(role.row, []).append(role.name)
    say("; ".join(f"{' and '.join(names)}: {name_of(run, row)}" for row, names in standing.items()))


def _tables(run: Run, rows: Sequence[int], *, wide: bool) -> list[tuple[str, dict[str, Cells]]]:
    """Return a table for the designs of each kind of alternative, with their names where there are several."""
    printed = dict(zip(rows, parts_of(run, rows), strict=True))
    shared, outside = _shared(run)
    groups = _groups(printed)
    made = []
    for group in groups:
        names = dict.fromkeys(str(printed[row].get("alternative", "")) for row in group)
        title = ", ".join(names) if len(groups) > 1 else ""
        made.append((title, _table(run, group, printed, shared, outside, wide=wide)))
    return made


def _print_tables(run: Run, tables: Sequence[tuple[str, dict[str, Cells]]], *, wide: bool) -> None:
    for title, cells in tables:
        if title:
            say(title, style="bold")
        _print(cells, wide=wide)
    _say_common(run, *_shared(run))


def _shared(run: Run) -> tuple[dict[str, Part], str]:
    """Return the choices that all designs have alike, of axes with several values, and what is extrapolated in all."""
    frame = run.frontier
    several = chosen_axes(run)
    if len(run.manifest.space.alternatives) > 1:
        several.add("alternative")
    outside = {_names(text) for text in frame["extrapolated"].unique()}
    return (
        {name: part for name, part in shared_parts(run).items() if name in several},
        ", ".join(outside.pop()) if len(frame) > 1 and len(outside) == 1 else "",
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(sorted(name for name in str(text).split(", ") if name))


def _groups(printed: Mapping[int, Mapping[str, Part]]) -> list[list[int]]:
    """Return the printed rows, those of alternatives with the same choices to make together."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, parts in printed.items():
        groups.setdefault(tuple(parts), []).append(row)
    return list(groups.values())


def _table(
    run: Run,
    rows: Sequence[int],
    printed: Mapping[int, Mapping[str, Part]],
    shared: Mapping[str, Part],
    outside: str,
    *,
    wide: bool,
) -> dict[str, Cells]:
    """Return the columns of a table of some rows: heading, cells, and whether they are numbers."""
    frame, units = run.frontier, run.units
    several = chosen_axes(run)
    varying = {name for name in run.axis_names if varies(frame[name])}
    part = frame.iloc[list(rows)]
    cells: dict[str, Cells] = {"name": ("name", names_of(run, rows), True)}

    def add(name: str, *, exact: bool) -> None:
        unit = frame.attrs.get("units", {}).get(name, units.get(name, TEXT))
        cells[name] = column_of(run.label(name), part[name], unit, exact=exact, like=frame[name])

    for name in printed[rows[0]] if len(rows) else ():
        alike = name == "alternative" and len({printed[row][name] for row in rows}) == 1
        if name not in shared and name in several | varying and not alike:
            add(name, exact=True)
            if name in run.manifest.short_names or any(printed[row][name].confidence for row in rows):
                cells[name] = (cells[name][0], [str(printed[row][name]) for row in rows], False)
    objectives = [o["quantity"] for o in run.objectives]
    for name in objectives:
        add(name, exact=False)
    trust = read_uncertainty(run)
    if trust is not None:
        cells["how sure"] = ("how sure", memberships(trust, part["design"].tolist()), False)
    if not outside and (frame["extrapolated"] != "").any():
        cells["extrapolated"] = ("extra- polated", [str(v) for v in part["extrapolated"]], False)
    for name in run.manifest.also:
        if name in frame.columns and name not in cells:
            width = _whole(cells)
            add(name, exact=False)
            if not wide and width + width_of(cells[name], None) + 1 > console().width:
                del cells[name]
                break
    return cells


def _whole(cells: Mapping[str, Cells]) -> int:
    return sum(width_of(cell, None) + 1 for cell in cells.values())


def _least(cells: Mapping[str, Cells]) -> int:
    """Return the width at which numbers are whole and texts are folded between words only."""
    least = 0
    for cell in cells.values():
        width = width_of(cell, None)
        if not cell[2]:
            words = [word for text in (cell[0], *cell[1]) for word in text.split(" ")]
            width = min(width, max(_LEGIBLE, *(len(word) for word in words)))
        least += width + 1
    return least


def _print(cells: Mapping[str, Cells], *, wide: bool) -> None:
    widths = {name: width_of(cell, None) for name, cell in cells.items()}
    if not wide:
        fold_texts(list(cells), widths, [name for name, cell in cells.items() if not cell[2]])
    rows = list(zip(*(cell[1] for cell in cells.values()), strict=True))
    numbers = [place for place, cell in enumerate(cells.values()) if cell[2]]
    table([cell[0] for cell in cells.values()], rows, right=numbers, widths=list(widths.values()), whole=wide)


def _say_common(run: Run, common: Mapping[str, Part], outside: str) -> None:
    choices = [str(part) if name == "alternative" else f"{run.label(name)} {part}" for name, part in common.items()]
    choices += [f"extrapolated in {outside}"] if outside else []
    if choices:
        say(f"all: {', '.join(choices)}")


# ---- the short list -------------------------------------------------------------------------------------------------


def _short(run: Run) -> None:
    """Print the short list, as many designs beside each other as fit."""
    listed = short_list(run)
    count = len(run.frontier)
    say(f"the best of each objective and the knee; the whole frontier has {count} designs:", style="bold")
    figures = [
        [
            f"{text} measured" if column.name in line.measured else text
            for line, text in zip(listed.lines, texts, strict=True)
        ]
        for column in (*listed.objectives, *listed.also)
        for texts in (figure_texts(listed.lines, column),)
    ]
    labels = _labels(run, listed)
    columns = [_column(run, listed, line, [texts[at] for texts in figures]) for at, line in enumerate(listed.lines)]
    widths = [max(_longest(cell) for cell in column) for column in columns]
    first = min(_LABELS, max(len(label) for label in labels))
    at = 0
    while at < len(columns):
        end, room = at + 1, console().width - first - 1 - widths[at]
        while end < len(columns) and room >= widths[end] + 2:
            room -= widths[end] + 2
            end += 1
        rows = [
            [label, *(column[place] for column in columns[at:end])]
            for place, label in enumerate(labels)
            if any(column[place] for column in columns[at:end])
        ]
        room = max(0, room) // (end - at)
        table(rows[0], rows[1:], widths=[first + 1, *(width + 2 + min(room, 12) for width in widths[at:end])])
        at = end
    _say_common(run, listed.common, listed.extrapolated)
    folder = run.folder or run.name
    say(f"every design, on lines as long as they are: dse show {folder} --all; as a table: --csv FILE")
    say(f"one design: dse explain {folder} --design NAME")


def _longest(cell: str) -> int:
    return max([len(word) for word in cell.split(" ")] + [min(len(cell), _LEGIBLE)])


def _labels(run: Run, listed: ShortList) -> list[str]:
    figures = [column.title for column in (*listed.objectives, *listed.also)]
    references = any(line.reference >= 0 for line in listed.lines)
    own = [name for line in listed.lines if line.reference >= 0 for name in line.parts if name not in listed.differing]
    return ["", "name", *figures, *map(run.label, (*listed.differing, *dict.fromkeys(own))), "extrapolated"] + (
        ["constraints"] if references else []
    )


def _column(run: Run, listed: ShortList, chosen: Listed, figures: Sequence[str]) -> list[str]:
    """Return the cells of a design or a reference, in the order of the labels."""
    own = [name for line in listed.lines if line.reference >= 0 for name in line.parts if name not in listed.differing]
    parts = [str(chosen.parts.get(name, "")) for name in (*listed.differing, *dict.fromkeys(own))]
    outside = chosen.extrapolated if chosen.extrapolated != listed.extrapolated or chosen.reference >= 0 else ""
    heading = f"{chosen.title}: {chosen.name}" if chosen.name else chosen.title
    cells = [heading, name_of(run, chosen.row) if chosen.row >= 0 else "", *figures, *parts, outside]
    if any(line.reference >= 0 for line in listed.lines):
        cells.append(f"breaks {'; '.join(chosen.broken)}" if chosen.broken else "")
    return cells
