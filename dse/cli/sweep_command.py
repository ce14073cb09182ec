"""The command `sweep`: the best design along a parameter, and where it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import Json, StudyName
from dse.cli.variant_options import Set, Where, Without, pairs, varied
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.analysis.sweep import Sweep

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Example: dse sweep ska-correlator --vary frequency="2.3..4 GHz" --steps 5 --quantity node_power'
    )(sweep)


def sweep(
    study: StudyName,
    vary: Annotated[
        str,
        typer.Option("--vary", help='What is varied: link_bandwidth="100..800 Gbit/s" or a list, "100, 200 Gbit/s".'),
    ],
    steps: Annotated[int, typer.Option(help="Evenly spaced values of a range.")] = 33,
    quantity: Annotated[
        str | None, typer.Option(help="The best design has the least of it. Default: the knee of the frontier.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="What designs are told apart by: an axis or alternative. Default: alternative, parts."),
    ] = None,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    json: Json = False,
) -> int:
    """Find the best design at each value of a parameter, and where it changes: an exact search for each value."""
    from dse.analysis.sweep import sweep_study
    from dse.api import Run
    from dse.cli.code import named_study
    from dse.cli.output import print_json, progress_bar

    given = pairs("--vary", [vary], '--vary link_bandwidth="100..800 Gbit/s"')
    ((name, text),) = given
    if any(name == other for other, _ in pairs("--set", set_, "--set nodes=16")):
        raise InputError(f"'{name}' is varied, so it has no one value", key=f"--set {name}", allowed="--vary or --set")
    loaded = varied(named_study(study), set_=set_, where=where, without=without)
    with progress_bar(steps, "steps") as progress:
        result = sweep_study(loaded, name, text, steps=steps, quantity=quantity, by=by, run_type=Run, progress=progress)
    if json:
        print_json(result.as_dict())
    else:
        _print(result)
    return 0 if any(step.design for step in result.steps) else 1


def _print(result: Sweep) -> None:
    from dse.cli.output import say, shown, table

    say(f"{result.study}: {result.rule} along {result.varied}", style="bold")
    told = ", ".join(result.by)
    rows = []
    for step in result.steps:
        values = [None if step.design is None else step.design.get(name) for name in result.objectives]
        known = zip(result.objectives, values, strict=True)
        cells = [shown(v, result.units[name]) if isinstance(v, (int, float)) else "–" for name, v in known]
        rows.append([shown(step.value, result.unit), *cells, *([step.winner or "nothing feasible"] if told else [])])
    headings = [result.varied, *result.objectives, *([told] if told else [])]
    table(headings, rows, right=range(1 + len(result.objectives)))
    for change in result.break_even:
        before, after = (one or "nothing feasible" for one in (change.before, change.after))
        low, high = shown(change.low, result.unit), shown(change.high, result.unit)
        say(f"between {low} and {high}: {before} → {after}")
    if told and not result.break_even:
        say("the best does not change")
    say(f"{result.searches} exact searches, {result.evaluated} designs evaluated")
    if result.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(result.synthetic)}", style="bold yellow")
