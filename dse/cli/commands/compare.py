"""The command `compare`: runs, designs, references and candidate systems side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.options import AllowCode, Json
from dse.cli.text.output import print_json, say, shown, table
from dse.cli.text.validation import print_validation

if TYPE_CHECKING:
    from dse.analysis.compare.comparison import Comparison
    from dse.report.comparison.page import write_comparison
else:
    (write_comparison,) = later("dse.report.comparison.page", "write_comparison")

__all__ = ["register"]

_SHOWN = 10  # designs that entered, and that left


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
    every: Annotated[bool, typer.Option("--all", help="Every quantity, and the parts of every sum.")] = False,
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
    _print_runs(comparison)
    _print_candidates(comparison, every=every)
    _print_distances(comparison)
    _print_changes(comparison)
    synthetic = list(dict.fromkeys(name for c in comparison.candidates for name in c.synthetic))
    if synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(synthetic)}", style="bold yellow")
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


def _print_candidates(comparison: Comparison, *, every: bool) -> None:
    if not comparison.candidates:
        return
    names = [candidate.name for candidate in comparison.candidates]
    rows: list[list[str]] = []
    for key in dict.fromkeys(key for c in comparison.candidates for key in c.parameters):
        rows.append([key, *(c.parameters.get(key, "–") for c in comparison.candidates)])
    for entry in (*comparison.objectives, *comparison.also):
        title = f"{entry['quantity']} ({entry['sense']})" if "sense" in entry else entry["quantity"]
        cells = comparison.figures(entry["quantity"], entry["unit"])
        texts = ((text, f"({ratio})" if ratio else "", how) for text, ratio, how in cells)
        rows.append([title, *(" ".join(filter(None, parts)) for parts in texts)])
        if measured := comparison.measured(entry["quantity"], entry["unit"]):
            rows.append([f"{entry['quantity']} measured", *measured])
    rows.append(
        ["constraints", *({True: "met", False: "NOT met", None: "–"}[c.feasible] for c in comparison.candidates)]
    )
    table(["", *names], rows, right=range(1, len(names) + 1))
    for whole in comparison.sums(every):
        parts: dict[str, list[str]] = {}
        for position, candidate in enumerate(comparison.candidates):
            for item in candidate.breakdowns:
                for part in item["parts"] if item["quantity"] == whole else ():
                    value = shown(part["value"], item["unit"])
                    share = f" ({100 * part['share']:.0f} %)" if part["share"] is not None else ""
                    parts.setdefault(part["quantity"], ["–"] * len(names))[position] = value + share
        table([f"{whole} is the sum of", *names], [[k, *v] for k, v in parts.items()], right=range(1, len(names) + 1))
    if every:
        _print_all(comparison)
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


def _print_changes(comparison: Comparison) -> None:
    changes = comparison.changes
    if changes is None:
        return
    units = changes["units"]

    def named(design: Mapping[str, str | float]) -> str:
        return ", ".join(f"{name} = {shown(value, units.get(name, 'text'))}" for name, value in design.items())

    say(f"from the first run to the second: {comparison.counts_text()}")
    if changes["changed_inputs"]:
        say(f"changed: {', '.join(changes['changed_inputs'])}")
    for line in changes["study_diff"]:
        say(f"  {line}", style="green" if line.startswith("+") else "red" if line.startswith("-") else None)
    for kind, designs, count in (
        ("entered", changes["entered"], changes["entered_count"]),
        ("left", changes["left"], changes["left_count"]),
    ):
        for design in designs[:_SHOWN]:
            say(f"  {kind}: {named(design)}")
        if (more := count - _SHOWN) > 0:
            say(f"  … {more} more {kind}: --json has the first {len(designs)}")
    for moved in changes["moved"][:10]:
        say(f"  moved: {named(moved['parameters'])}")
        say(f"    from {named(moved['before'])} to {named(moved['after'])}")
