"""The commands `dse energy`: the curve through measured runs of a job, and whether it fits a budget or a cap."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.families import FitKind, command_group
from dse.cli.options.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.models.measured_laws.kinds.energy.document import JobMeasurements

__all__ = ["register"]

PLACE = 6
_GROUP = "Find how the energy of a job depends on its nodes. The curve through measured runs, budgets and caps."

File = Annotated[
    Path, typer.Argument(help="Measured runs (.csv), a fitted model (.json), or a file that comes with dse.")
]
Limit = Annotated[float, typer.Option(help="Largest error of a fit in percent.")]
Reduce = Annotated[str, typer.Option("--reduction", help="What becomes of repetitions: mean, max or min.")]
Accumulated = Annotated[str, typer.Option(help="Energy used already: '100 kWh'.")]
WithError = Annotated[
    bool, typer.Option("--with-error", help="Add the error of the fit, beyond the runs the end of the interval.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = command_group(app, "energy", _GROUP)
    group.command(epilog="Example: dse energy fit energy_scaling/hydro-strong.csv")(fit)
    group.command(epilog='Example: dse energy fits energy_scaling/hydro-weak.csv 200 --budget "20 kWh"')(fits)
    group.command(
        epilog='Example: dse energy nodes energy_scaling/hydro-weak.csv --accumulated "100 kWh" --budget "120 kWh"'
    )(nodes)


def fit(
    file: File,
    rmse_limit: Limit = 5.0,
    reduce: Reduce = "mean",
    at: Annotated[list[int] | None, typer.Option(help="A number of nodes to answer for; may be repeated.")] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="The runs are made up; the model will say so.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the fitted model, which a study reads: .json.")] = None,
    json: Json = False,
) -> None:
    """Show the curve through measured runs, its error, and what is to be mistrusted."""
    from dataclasses import replace

    from dse.cli.text.output import print_json, say
    from dse.models.measured_laws.cli.energy_tables import answer, as_json, print_fits
    from dse.models.measured_laws.documents.fitted_file import write_fitted

    if out is not None and out.suffix.lower() != ".json":
        raise InputError(f"'{out}'", key="--out", allowed="a name that ends in .json")
    measured = _read(file, rmse_limit, reduce)
    if synthetic:
        measured = replace(measured, synthetic=True)
    answers = [answer(measured, count) for count in sorted(set(at or []))]
    if out is not None:
        try:
            write_fitted(measured.as_document(), out)
        except InputError as error:
            raise error.within(key="--out") from None
    if json:
        print_json({**as_json(measured), "at": answers, "file": str(file), "out": str(out) if out else None})
        return
    print_fits(measured, answers)
    if out is not None:
        say(f"fitted model: {out}")


FITS = {"energy": FitKind(fit, "nodes")}


def fits(
    file: File,
    nodes: Annotated[int, typer.Argument(help="Nodes of the job.")],
    budget: Annotated[str, typer.Option(help="Energy there is: '120 kWh'.")],
    accumulated: Accumulated = "0 kWh",
    with_error: WithError = False,
    rmse_limit: Limit = 5.0,
    json: Json = False,
) -> None:
    """Tell whether a job fits what is left of a budget; exit code 1 for no."""
    from dataclasses import asdict

    from dse.cli.text.output import print_json, say, shown
    from dse.models.measured_laws.cli.energy_tables import tell_outside
    from dse.models.measured_laws.kinds.energy.budget import fits_budget

    measured = _read(file, rmse_limit)
    used, there = _quantity(accumulated, "J", "--accumulated"), _quantity(budget, "J", "--budget")
    answer = fits_budget(measured.model, nodes, used, there, with_error=with_error)
    if json:
        print_json({**asdict(answer), "job_nodes": nodes, "unit": "J", "scope": measured.scope})
    else:
        left = f"{shown(answer.left, 'J')} are left" if answer.fits else f"{shown(-answer.left, 'J')} are missing"
        say(f"{'yes' if answer.fits else 'no'}: {nodes} nodes need {shown(answer.needs, 'J')}; {left}")
        tell_outside(answer.extrapolated, nodes)
    if not answer.fits:
        raise typer.Exit(1)


def nodes(
    file: File,
    budget: Annotated[str, typer.Option(help="Energy there is: '120 kWh'.")] = "",
    accumulated: Accumulated = "",
    cap: Annotated[str, typer.Option(help="Largest mean power: '50 kW'.")] = "",
    range_: Annotated[str, typer.Option("--range", help="Nodes to look at: 1..512.")] = "1..10000",
    with_error: WithError = False,
    rmse_limit: Limit = 5.0,
    json: Json = False,
) -> None:
    """Tell the most nodes within a budget or a cap; exit code 1 where none are."""
    from dataclasses import asdict

    from dse.cli.text.output import print_json, say, shown
    from dse.models.measured_laws.cli.energy_tables import tell_outside
    from dse.models.measured_laws.kinds.energy.budget import max_nodes_under_budget, max_nodes_under_cap

    if bool(budget) == bool(cap):
        raise InputError(
            "both a budget and a cap" if cap else "neither a budget nor a cap",
            key="--cap" if cap else "--budget",
            allowed="one of --budget and --cap",
        )
    if cap and accumulated:
        raise InputError("goes with --budget", key="--accumulated", allowed="--cap alone")
    between = _range(range_)
    measured, unit = _read(file, rmse_limit), "J" if budget else "W"
    if budget:
        used = _quantity(accumulated, "J", "--accumulated") if accumulated else 0.0
        there = _quantity(budget, "J", "--budget")
        answer = max_nodes_under_budget(measured.model, used, there, between, with_error=with_error)
    else:
        answer = max_nodes_under_cap(measured.model, _quantity(cap, "W", "--cap"), between, with_error=with_error)
    if json:
        print_json({**asdict(answer), "range": list(between), "unit": unit, "scope": measured.scope})
    elif answer.nodes is None:
        say(f"no: no number of nodes from {between[0]} to {between[1]} is within the limit")
    else:
        say(f"{answer.nodes} nodes: {shown(answer.needs, unit)}, {shown(answer.left, unit)} are left")
        gaps = "" if answer.one_interval else ", not all of them"
        say(f"within the limit: {answer.admissible} numbers of nodes, {answer.least} to {answer.nodes}{gaps}")
        tell_outside(answer.extrapolated, answer.nodes)
    if answer.nodes is None:
        raise typer.Exit(1)


def _read(file: Path, rmse_limit: float, reduction: str = "mean") -> JobMeasurements:
    """Read a file, or one of the catalogues by its name."""
    from importlib.resources import files
    from typing import cast

    from dse.models.measured_laws.kinds.energy.document import read_job_measurements
    from dse.models.measured_laws.kinds.energy.history import Reduction

    shipped = Path(str(files("dse.spaces"))) / file
    known = shipped if not file.exists() and not file.is_absolute() and shipped.is_file() else file
    return read_job_measurements(known, rmse_limit, cast(Reduction, reduction))


def _quantity(text: str, unit: str, option: str) -> float:
    from dse.units import parse_quantity

    try:
        return parse_quantity(text, unit)
    except InputError as error:
        raise error.within(key=option) from None


def _range(text: str) -> tuple[int, int]:
    first, dots, last = text.partition("..")
    if not (dots and first.strip().isdecimal() and last.strip().isdecimal() and len(text) < 40):
        raise InputError(f"'{text}'", key="--range", allowed="whole numbers such as 1..512")
    return int(first), int(last)
