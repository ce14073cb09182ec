"""The command `compare`: runs, designs, references and candidate systems side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.options import Json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse compare runs/ska-correlator:0 runs/ska-correlator:1 my-machine.toml")(compare)


def compare(
    items: Annotated[
        list[str],
        typer.Argument(
            help="Runs (runs/a), rows of frontiers (runs/a:3), references by name, candidate systems (machine.toml)."
        ),
    ],
    every: Annotated[bool, typer.Option("--all", help="Every quantity, and the parts of every sum.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write the comparison as an HTML page.")] = None,
    json: Json = False,
) -> None:
    """Compare runs, designs of frontiers, references and candidate systems: ratios, breakdowns, distances."""
    from dse.analysis.compare import compare as compared
    from dse.cli.output import print_json, say

    found = compared(items)
    page = None
    if report is not None:
        from dse.report.comparison_page import write_comparison

        page = write_comparison(found, report)
    if json:
        print_json({**found.as_dict(), "report": str(page) if page else None})
        return
    _print_runs(found)
    _print_candidates(found, every=every)
    _print_distances(found)
    if found.changes is not None:
        _print_changes(found.changes)
    synthetic = list(dict.fromkeys(name for c in found.candidates for name in c.synthetic))
    if synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(synthetic)}", style="bold yellow")
    if page:
        say(f"report: {page}")


def _print_runs(found: Any) -> None:
    from dse.cli.output import shown, table

    if not found.runs:
        return
    units = {o["quantity"]: o["unit"] for o in found.objectives}
    rows = [
        [
            run["folder"],
            "exact" if run["exact"] else "NOT exact",
            shown(run["designs"], "1"),
            shown(run["frontier"], "1"),
            *(shown(run["best"].get(name), unit) for name, unit in units.items()),
        ]
        for run in found.runs
    ]
    headings = ["run", "", "designs", "frontier", *(f"best {name}" for name in units)]
    table(headings, rows, right=range(2, len(headings)))


def _print_candidates(found: Any, *, every: bool) -> None:
    from dse.cli.output import say, shown, table

    if not found.candidates:
        return
    names = [candidate.name for candidate in found.candidates]
    rows: list[list[str]] = []
    for key in dict.fromkeys(key for c in found.candidates for key in c.parameters):
        rows.append([key, *(c.parameters.get(key, "–") for c in found.candidates)])
    for entry in (*found.objectives, *found.also):
        title = f"{entry['quantity']} ({entry['sense']})" if "sense" in entry else entry["quantity"]
        cells = found.figures(entry["quantity"], entry["unit"])
        words = ((told, f"({ratio})" if ratio else "", how) for told, ratio, how in cells)
        rows.append([title, *(" ".join(filter(None, one)) for one in words)])
        if measured := found.measured(entry["quantity"], entry["unit"]):
            rows.append([f"{entry['quantity']} measured", *measured])
    rows.append(["constraints", *({True: "met", False: "NOT met", None: "–"}[c.feasible] for c in found.candidates)])
    table(["", *names], rows, right=range(1, len(names) + 1))
    for whole in found.sums(every):
        parts: dict[str, list[str]] = {}
        for position, candidate in enumerate(found.candidates):
            for item in candidate.breakdowns:
                for part in item["parts"] if item["quantity"] == whole else ():
                    told = shown(part["value"], item["unit"])
                    share = f" ({100 * part['share']:.0f} %)" if part["share"] is not None else ""
                    parts.setdefault(part["quantity"], ["–"] * len(names))[position] = told + share
        table([f"{whole} is the sum of", *names], [[k, *v] for k, v in parts.items()], right=range(1, len(names) + 1))
    if every:
        _print_all(found)
    for line in found.sources():
        say(line)
    for candidate in found.candidates:
        if candidate.note:
            say(f"{candidate.name}: {candidate.note}", style="yellow")


def _print_all(found: Any) -> None:
    """Print every quantity of every system."""
    from dse.cli.output import table

    rows = [[name, *(told for told, _, _ in found.figures(name, unit))] for name, unit in found.quantities().items()]
    table(["quantity", *(c.name for c in found.candidates)], rows, right=range(1, len(found.candidates) + 1))


def _print_distances(found: Any) -> None:
    from dse.cli.output import table

    rows = found.distance_rows()
    if rows:
        table(["system", "frontier of", "distance", "beaten by"], rows)


def _print_changes(changes: dict[str, Any]) -> None:
    from dse.cli.output import say, shown

    def named(design: dict[str, Any]) -> str:
        return ", ".join(
            f"{name} = {shown(value, changes['units'].get(name, 'text'))}" for name, value in design.items()
        )

    counts = [f"{changes[f'{kind}_count']} {kind}" for kind in ("entered", "left", "moved", "stayed")]
    say(f"from the first run to the second: {', '.join(counts)}")
    if changes["changed_inputs"]:
        say(f"changed: {', '.join(changes['changed_inputs'])}")
    for line in changes["study_diff"]:
        say(f"  {line}", style="green" if line.startswith("+") else "red" if line.startswith("-") else None)
    for kind in ("entered", "left"):
        for design in changes[kind][:10]:
            say(f"  {kind}: {named(design)}")
    for design in changes["moved"][:10]:
        say(f"  moved: {named(design['parameters'])}")
        say(f"    from {named(design['before'])} to {named(design['after'])}")
