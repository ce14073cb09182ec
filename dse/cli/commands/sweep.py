"""The command `sweep`: the answer along a parameter, over two, or within each budget, and where it changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import named_study
from dse.cli.options.optional_value import DEFAULT, optional_value
from dse.cli.options.options import Json, StudyName
from dse.cli.options.rows import Raw
from dse.cli.options.variant import Also, Least, Most, Set, Uncertain, VariantName, Where, Without, pairs, varied
from dse.cli.text.output import print_json, say
from dse.cli.text.searches_shown import searches_shown
from dse.cli.text.sweep import print_attainable, print_map, print_sweep
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.api import Study
    from dse.report.sweep_pages.sweep_results import Attainable, Sweep, WinnerMap
    from dse.run.result.exported import write_csv
else:
    (write_csv,) = later("dse.run.result.exported", "write_csv")

__all__ = ["register"]

_STEPS, _MAP_STEPS = 33, 17
_EXAMPLE = '--vary link_bandwidth="100..800 Gbit/s"'


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        cls=optional_value("--report"),
        epilog='Examples: dse sweep ska-correlator --vary frequency="2.3..4 GHz" --steps 5 --quantity node_power · '
        "dse sweep ska-correlator --attainable run_time --lift",
    )(sweep)


def sweep(
    study: StudyName,
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            help='What is varied: link_bandwidth="100..800 Gbit/s" or a list, "100, 200 Gbit/s". Twice: a map.',
        ),
    ] = [],  # noqa: B006
    attainable: Annotated[
        str | None,
        typer.Option(help="Instead: the best of each objective within each budget of this quantity, or at each value."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Evenly spaced values of a range. Default: 33; of a map 17.")
    ] = None,
    quantity: Annotated[
        str | None, typer.Option(help="The best design has the least of it. Default: the study's pick, else the knee.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="What tells designs apart: an axis, choice, slot or alternative. Default: alternative and parts."
        ),
    ] = None,
    lift: Annotated[
        bool, typer.Option("--lift", help="Without the study's limits on what --attainable names.")
    ] = False,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    uncertain: Uncertain = [],  # noqa: B006
    name: VariantName = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="[FILE.html]", help="Write a page too. Default: sweep-STUDY.html."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table to a CSV file: SI units in the headings.")] = None,
    raw: Raw = False,
    json: Json = False,
) -> int:
    """Vary a parameter: the best design at each value. And where it changes; an exact search for each value.

    With two parameters a map of the best. Or what can be attained: the best of each objective within each budget,
    whatever else is chosen.
    """
    given = pairs("--vary", vary, _EXAMPLE)
    _refuse_odd(given, attainable, [("--steps", steps), ("--by", by)], lift=lift)
    for parameter, _ in given:
        if any(parameter == other for other, _ in pairs("--set", set_, "--set nodes=16")):
            raise InputError(
                f"'{parameter}' is varied, so it has no one value", key=f"--set {parameter}", allowed="--vary or --set"
            )
    loaded = varied(
        named_study(study),
        set_=set_,
        where=where,
        least=least,
        most=most,
        without=without,
        uncertain=uncertain,
        name=name,
    )
    page = None if report is None else Path(f"sweep-{loaded.name}.html" if report == DEFAULT else report)
    result, feasible, tell = _searched(loaded, given, attainable, steps, quantity, by, also, lift)
    if page is not None:
        result.report(page, loaded.spec.question)
    if csv is not None:
        write_csv(result.table, result.table.attrs["units"], csv, raw=raw)
    files = {"report": page, "csv": csv}
    if json:
        print_json(result.as_dict() | {key: None if file is None else str(file) for key, file in files.items()})
    else:
        tell()
        for key, file in files.items():
            if file is not None:
                say(f"{key}: {file}")
    return 0 if feasible else 1


def _searched(
    study: Study,
    given: list[tuple[str, str]],
    attainable: str | None,
    steps: int | None,
    quantity: str | None,
    by: str | None,
    also: list[str],
    lift: bool,
) -> tuple[Sweep | WinnerMap | Attainable, bool, Callable[[], None]]:
    """Answer one of the three questions: the result, whether there is any design in it, and what prints it."""
    with searches_shown() as progress:
        if attainable is not None:
            curves = study.attainable(attainable, quantity=quantity, lift=lift, also=also, progress=progress)
            return curves, bool(curves.found), partial(print_attainable, curves)
        if len(given) == 2:
            x, y = given
            steps = _MAP_STEPS if steps is None else steps
            cells = study.winner_map(x, y, steps=steps, quantity=quantity, by=by, also=also, progress=progress)
            return cells, bool(cells.winners), partial(print_map, cells)
        ((name, text),) = given
        steps = _STEPS if steps is None else steps
        line = study.sweep(name, text, steps=steps, quantity=quantity, by=by, also=also, progress=progress)
        return line, any(step.design for step in line.steps), partial(print_sweep, line)


def _refuse_odd(
    given: list[tuple[str, str]], attainable: str | None, of_vary: list[tuple[str, object]], *, lift: bool
) -> None:
    """Refuse options that do not go together."""
    if attainable is not None and given:
        raise InputError("--vary and --attainable are two questions", key="--attainable", allowed="one of them")
    if attainable is None and not given:
        raise InputError("nothing is varied", key="--vary", allowed=f"{_EXAMPLE}, or --attainable power")
    for option, value in of_vary if attainable is not None else ():
        if value is not None:
            raise InputError("the curves have all their points", key=option, allowed="with --vary only")
    if lift and attainable is None:
        raise InputError("limits on what is varied are none of the study's", key="--lift", allowed="with --attainable")
    if len(given) > 2:
        raise InputError(f"{len(given)} parameters are varied", key="--vary", allowed="one, or two for a map")
