"""The command `why`: why a part of the space is not on the frontier, and what decides."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.answer import print_withdrawn
from dse.cli.text.output import print_json, say, table
from dse.cli.text.searches_shown import searches_shown
from dse.errors import InputError, RunFolderError, visible
from dse.report.words.why import (
    beating_rows,
    describe_absence,
    describe_break_even,
    describe_designs,
    effect_rows,
    map_rows,
    sensitivity_rows,
    value_rows,
)
from dse.units import percent_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dse.analysis.why.scenarios import Scenario, scenarios
    from dse.analysis.why.why import Absence, Decisive, absence, decisive
    from dse.analysis.why.why_account import write_why
    from dse.api import Run
    from dse.report.words.scenarios import scenario_lines
    from dse.run.result.design_names import name_of
else:
    (scenarios,) = later("dse.analysis.why.scenarios", "scenarios")
    (scenario_lines,) = later("dse.report.words.scenarios", "scenario_lines")
    (name_of,) = later("dse.run.result.design_names", "name_of")
    absence, decisive = later("dse.analysis.why.why", "absence", "decisive")
    (write_why,) = later("dse.analysis.why.why_account", "write_why")

__all__ = ["register"]

_EXAMPLE = '"device = MI250X"'


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Examples: dse why runs/ska-correlator · dse why runs/ska-correlator "cores = 64" · '
        "dse why runs/serving-limits --scenarios · "
        'dse why runs/ska-correlator "alternative = arm-8-channels" --parameter channels'
    )(why)


def why(
    folder: Folder,
    part: Annotated[
        str | None,
        typer.Argument(help='"alternative = NAME", "AXIS = VALUE", "CHOICE = MEMBER" or "design = 4711".'),
    ] = None,
    parameter: Annotated[
        list[str],
        typer.Option(help="At which value of this number would it be on the frontier? COLUMN[PART]. Twice: a map."),
    ] = [],  # noqa: B006
    where_flips: Annotated[
        bool,
        typer.Option(
            "--scenarios", help="In which part of the ranges of what is not known does a decision flip? With draws."
        ),
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Say why something is not on the frontier, or what decides. How far a part, alternative, choice or design is away.

    With --parameter: the value of a price, a power, any number that the study sets or assumes, at which the part would
    be on the frontier. What decides is kept in trust.json of the run, for its page.
    """
    if part is None and parameter:
        raise InputError("goes with a part", key="--parameter", allowed=f"dse why {folder} {_EXAMPLE} --parameter …")
    if where_flips and part is not None:
        raise InputError("goes without a part", key="--scenarios", allowed=f"dse why {folder} --scenarios")
    run = stored_run(folder, allow_code=allow_code)
    if where_flips:
        _print_scenarios(run, scenarios(run), json=json)
        return
    with searches_shown() as listener:
        if part is not None:
            outcome = absence(run, part, parameter=parameter, progress=listener)
            document = {"study": run.name, "run": str(folder), **outcome.as_dict(), "units": _units(run)}
        else:
            decided = decisive(run, progress=listener)
            document = {"study": run.name, "run": str(folder), **decided.as_dict(), "units": _units(run)}
    if not json:
        print_withdrawn(run)
    if json:
        print_json(document)
    elif part is not None:
        _print_absence(run, outcome)
    else:
        _print_decisive(run, decided)
    if part is None:
        try:
            write_why(run, decided)
        except RunFolderError as error:  # the answer is there; a folder that may only be read keeps none
            sys.stderr.write(visible(f"note: not kept for the page: {error}\n"))


def _print_scenarios(run: Run, boxes: Sequence[Scenario], *, json: bool) -> None:
    """Print where decisions flip."""
    if json:
        print_json({"run": run.name, "scenarios": [box.as_dict() for box in boxes], "units": run.units})
        return
    for line in scenario_lines(run, boxes):
        say(line)


def _units(run: Run) -> dict[str, str]:
    return {objective["quantity"]: objective["unit"] for objective in run.objectives}


def _print_absence(run: Run, outcome: Absence) -> None:
    for line in describe_absence(outcome, _units(run)):
        say(line)
    if outcome.break_even is not None:
        for line in describe_break_even(outcome.break_even):
            say(line)
    if outcome.map is not None:
        headings, rows = map_rows(outcome.map)
        table(headings, rows, right=range(len(headings) - 1))
    _print_beating(run, outcome)
    shown = {pair.design for pair in outcome.beating.pairs} if outcome.beating is not None else set()
    for line in describe_designs({number: own for number, own in outcome.named.items() if number not in shown}):
        say(line)
    if run.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(run.manifest.synthetic)}", style="bold yellow")


def _print_beating(run: Run, outcome: Absence) -> None:
    """Print the best designs of a part that are beaten, each beside one that beats it."""
    if outcome.beating is None:
        return
    headings, rows, alike = beating_rows(outcome, _units(run), lambda row: name_of(run, row))
    table(headings, rows, right=[0])
    if alike:
        say(f"  all with {alike}")
    if (more := outcome.beating.beaten - len(rows)) > 0:
        say(f"  … {more} more are beaten")


def _print_decisive(run: Run, decided: Decisive) -> None:
    kind = decided.values if decided.logarithms.left_out else decided.logarithms
    of = "the logarithm of each objective" if kind.logarithms else "each objective"
    say(f"how much each axis decides, by itself (and with the others): shares of the variance of {of}", style="bold")
    for name in kind.effects:
        headings, rows = sensitivity_rows(kind, name)
        estimate = " (an estimate)" if name in kind.estimated else ""
        table(headings, rows, right=range(1, len(headings)), title=f"{name}{estimate}" if name or estimate else "")
        say()
    for quantity, why_not in kind.left_out.items():
        say(f"no effects on {quantity}: {why_not}", style="yellow")
    if kind.between:
        shares = ", ".join(f"{name} {share:.2f}" for name, share in kind.between.items())
        say(f"what the choice of the alternative decides: {shares}")
        say()
    headings, rows = effect_rows(decided.membership)
    within = f"{100 * decided.membership.within:g} %"
    near = (f"{name} {percent_text(own, 2)}".strip() for name, own in decided.membership.near.items())
    say(f"designs within {within} of the frontier: {', '.join(near) or 'not known'}", style="bold")
    if rows:
        say("how much each axis decides whether a design is among them, 0 to 1")
        table(headings, rows, right=range(1, len(headings)))
        say()
    if decided.membership.left_out:
        say(f"not looked at, as they have too many designs: {', '.join(decided.membership.left_out)}", style="yellow")
        say()
    say(
        "share of the frontier that has a value (and how much worse it gets where the value is forbidden)", style="bold"
    )
    table(["axis", "values"], value_rows(decided.membership))
    for absent in decided.absent:
        for line in describe_absence(absent, _units(run)):
            say(line)
    if run.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(run.manifest.synthetic)}", style="bold yellow")
