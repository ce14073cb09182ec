"""The command `compare`: runs, designs, references and candidate systems side by side.

What fits on one screen is shown: runs and the systems always, then what changed, then distances, sums and notes, each
whole or not at all. With ``--full`` all of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dse.cli.later import later
from dse.cli.options.options import AllowCode, Json
from dse.cli.text.output import console, print_json, say, shown, table
from dse.cli.text.validation import print_validation

if TYPE_CHECKING:
    from dse.analysis.compare.comparison import Comparison
    from dse.report.comparison.page import write_comparison
else:
    (write_comparison,) = later("dse.report.comparison.page", "write_comparison")

__all__ = ["register"]

_SHOWN = 10  # designs that entered, and that left
_SCREEN, _BRIEF = 24, 8  # lines that are shown without --full; of them of what entered and left, at least
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse compare runs/ska-correlator:A1 runs/ska-correlator:A5")(compare)


def compare(
    items: Annotated[
        list[str],
        typer.Argument(
            help="Runs (runs/a), designs (runs/a:A3), references by name, candidate systems (machine.toml)."
        ),
    ],
    full: Annotated[bool, typer.Option("--full", help="All of it, not what fits on one screen.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Every quantity, and the parts of every sum, beside what --full shows.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write the comparison as an HTML page.")] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Compare runs, designs, and systems of your own. Ratios, breakdowns, distances from frontiers."""
    from dse.analysis.compare.compare import compare as compared

    comparison = compared(items, allow_code=allow_code)
    page = None
    if report is not None:
        page = write_comparison(comparison, report)
    if json:
        print_json({**comparison.as_dict(), "report": str(page) if page else None})
        return
    synthetic = list(dict.fromkeys(name for c in comparison.candidates for name in c.synthetic))
    warning = f"SYNTHETIC data, not measurements: {', '.join(synthetic)}" if synthetic else ""
    if full or every:
        _print_runs(comparison)
        _print_systems(_system_rows(comparison), comparison)
        _print_sums(comparison, every=every)
        _print_notes(comparison)
        _print_distances(comparison)
        _print_counts(comparison)
        _print_changes(comparison, _SHOWN)
    else:
        _print_screen(comparison, _SCREEN - bool(warning) - bool(page))
    if warning:
        say(warning, style="bold yellow")
    if page:
        say(f"report: {page}")


def _print_runs(comparison: Comparison) -> None:
    if not comparison.runs:
        return
    units = {o["quantity"]: o["unit"] for o in comparison.objectives}
    rows = [
        [
            run["folder"],
            run["headline"]
            if run["exact"] or run["headline"].startswith(("within", "exact"))
            else f"NOT exact: {run['headline']}",
            shown(run["designs"], "1"),
            shown(run["frontier"], "1"),
            *(shown(run["best"].get(name), unit) for name, unit in units.items()),
        ]
        for run in comparison.runs
    ]
    headings = ["run", "", "designs", "frontier", *(f"best {name}" for name in units)]
    table(headings, rows, right=range(2, len(headings)))
    for run in comparison.runs:
        if origin := run["derived_from"]:
            say(f"{run['folder']}: derived from {origin['study']}: {' '.join(origin['changes']) or 'no change'}")


def _print_screen(comparison: Comparison, lines: int) -> None:
    """Print what fits on a screen of so many lines, and how the rest is seen."""
    runs, counts = _text(lambda: _print_runs(comparison)), _text(lambda: _print_counts(comparison))
    rows = _system_rows(comparison)
    systems = _text(lambda: _print_systems(rows, comparison))
    rest = {
        "changes": _text(lambda: _print_changes(comparison, _SHOWN)),
        "notes": _text(lambda: _print_notes(comparison)),
        "distances": _text(lambda: _print_distances(comparison)),
        "sums": _text(lambda: _print_sums(comparison)),
    }
    room = lines - _lines(runs) - _lines(counts)
    fits = _lines(systems) + sum(map(_lines, rest.values())) <= room
    if not fits:
        room -= 1  # for the line that says so
        brief = _text(lambda: _print_changes(comparison, 1, diff=False))
        kept_free = _lines(brief) if _lines(brief) <= _BRIEF else 0
        systems = _fitting(rows, comparison, room - kept_free)
        room -= _lines(systems)
        rest["changes"] = rest["changes"] if _lines(rest["changes"]) <= room else brief
        for name, text in rest.items():
            rest[name] = text if _lines(text) <= room else ""
            room -= _lines(rest[name])
    for text in (runs, systems, rest["sums"], rest["notes"], rest["distances"], counts, rest["changes"]):
        sys.stdout.write(text)
    if not fits:
        say("… and more that does not fit on a screen: --full")


def _fitting(rows: list[_Row], comparison: Comparison, room: int) -> str:
    """Return the table of the systems with as many of the rows in which they differ as there is room for."""
    apart = sorted((row for row in rows if row.differs), key=lambda row: row.rank)
    text = ""
    for count in range(len(apart), 0, -1):
        kept = [row for row in rows if row in apart[:count]]
        text = _text(partial(_print_systems, kept, comparison))
        if _lines(text) <= room:
            break
    return text


def _text(print_it: Callable[[], None]) -> str:
    """Return what is printed."""
    with console().capture() as captured:
        print_it()
    return captured.get()


def _lines(text: str) -> int:
    """Return the lines of a text on the terminal."""
    return sum(max(1, -(-len(_COLOURS.sub("", line)) // console().width)) for line in text.splitlines())


class _Row(NamedTuple):
    """A row of the table of systems: the less its rank the longer it stays; the cells, first what it is."""

    rank: int
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether it tells the systems apart, or that of one system is looked at."""
        return len(self.cells) == 2 or len(set(self.cells[1:])) > 1


def _system_rows(comparison: Comparison) -> list[_Row]:
    """Return a row for each parameter and figure, with the text of each system; objectives stay the longest."""
    rows: list[_Row] = []
    for key in dict.fromkeys(key for c in comparison.candidates for key in c.parameters):
        rows.append(_Row(2, (key, *(c.parameters.get(key, "–") for c in comparison.candidates))))
    for entry in (*comparison.objectives, *comparison.also):
        title = f"{entry['quantity']} ({entry['sense']})" if "sense" in entry else entry["quantity"]
        cells = comparison.figures(entry["quantity"], entry["unit"])
        texts = ((text, f"({ratio})" if ratio else "", how) for text, ratio, how in cells)
        rank = 0 if "sense" in entry else 3
        rows.append(_Row(rank, (title, *(" ".join(filter(None, parts)) for parts in texts))))
        if measured := comparison.measured(entry["quantity"], entry["unit"]):
            rows.append(_Row(rank, (f"{entry['quantity']} measured", *measured)))
    met = ({True: "met", False: "NOT met", None: "–"}[c.feasible] for c in comparison.candidates)
    rows.append(_Row(1, ("constraints", *met)))
    return rows


def _print_systems(rows: list[_Row], comparison: Comparison) -> None:
    if comparison.candidates:
        names = [candidate.name for candidate in comparison.candidates]
        table(["", *names], [row.cells for row in rows], right=range(1, len(names) + 1))


def _print_sums(comparison: Comparison, *, every: bool = False) -> None:
    """Print the parts of sums, and every quantity of every system where that is asked for."""
    names = [candidate.name for candidate in comparison.candidates]
    for whole in comparison.sums(every):
        parts: dict[str, list[str]] = {}
        for position, candidate in enumerate(comparison.candidates):
            for item in candidate.breakdowns:
                for part in item["parts"] if item["quantity"] == whole else ():
                    value = shown(part["value"], item["unit"])
                    share = f" ({100 * part['share']:.0f} %)" if part["share"] is not None else ""
                    parts.setdefault(part["quantity"], ["–"] * len(names))[position] = value + share
        table([f"{whole} is the sum of", *names], [[k, *v] for k, v in parts.items()], right=range(1, len(names) + 1))
    if every and comparison.candidates:
        _print_all(comparison)


def _print_notes(comparison: Comparison) -> None:
    """Print where measured figures come from, how well laws held, and what each system says of itself."""
    for line in comparison.sources():
        say(line)
    print_validation(comparison.validation_lines())
    for candidate in comparison.candidates:
        if candidate.note:
            say(f"{candidate.name}: {candidate.note}", style="yellow")


def _print_all(comparison: Comparison) -> None:
    """Print every quantity of every system."""
    rows = [
        [name, *(text for text, _, _ in comparison.figures(name, unit))]
        for name, unit in comparison.quantities().items()
    ]
    table(["quantity", *(c.name for c in comparison.candidates)], rows, right=range(1, len(comparison.candidates) + 1))


def _print_distances(comparison: Comparison) -> None:
    rows = comparison.distance_rows()
    if rows:
        table(["system", "frontier of", "distance", "beaten by"], rows)


def _print_counts(comparison: Comparison) -> None:
    if comparison.changes is not None:
        say(f"from the first run to the second: {comparison.counts_text()}")


def _print_changes(comparison: Comparison, most: int, *, diff: bool = True) -> None:
    """Print what of the inputs changed, and the first designs that entered, left and moved."""
    changes = comparison.changes
    if changes is None:
        return
    units = changes["units"]

    def named(design: Mapping[str, str | float]) -> str:
        return ", ".join(f"{name} = {shown(value, units.get(name, 'text'))}" for name, value in design.items())

    if changes["changed_inputs"]:
        say(f"changed: {', '.join(changes['changed_inputs'])}")
    for line in changes["study_diff"] if diff else ():
        say(f"  {line}", style="green" if line.startswith("+") else "red" if line.startswith("-") else None)
    for kind, designs, count in (
        ("entered", changes["entered"], changes["entered_count"]),
        ("left", changes["left"], changes["left_count"]),
    ):
        for design in designs[:most]:
            say(f"  {kind}: {named(design)}")
        if (more := count - most) > 0:
            say(f"  … {more} more {kind}: --json has the first {len(designs)}")
    for moved in changes["moved"][:most]:
        say(f"  moved: {named(moved['parameters'])}")
        say(f"    from {named(moved['before'])} to {named(moved['after'])}")
