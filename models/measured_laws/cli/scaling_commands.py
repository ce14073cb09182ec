"""The commands `dse scaling`: fit factors over the number of ranks, and ask the fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.families import FitKind, command_group
from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 6
_GROUP = "Find what a program loses as it scales. Load balance, serialisation, transfer; for other ranks too."

At = Annotated[list[int] | None, typer.Option(help="A number of ranks to answer for; may be repeated.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = command_group(app, "scaling", _GROUP)
    group.command(epilog="Example: dse scaling fit efficiencies.csv --mode weak --at 4096 --out fitted.json")(fit)
    group.command(epilog="Example: dse scaling show fitted.json --at 4096")(show)


def fit(
    file: Annotated[Path, typer.Argument(help="CSV: P, LB, Ser, Trf; or P, rank, compute_s, T_s, T_ideal_s.")],
    mode: Annotated[str, typer.Option(help="How the program grows with the ranks: strong or weak.")],
    times: Annotated[Path | None, typer.Option(help="CSV of P, T_s, T_ideal_s beside a table of ranks.")] = None,
    region: Annotated[str, typer.Option(help="Which region of a table of ranks.")] = "",
    slack: Annotated[float, typer.Option(help="What clocks may be off, relative: 0.01.")] = 1e-9,
    form: Annotated[str, typer.Option(help="One form for all factors; the best of each unless given.")] = "best",
    exact: Annotated[bool, typer.Option("--exact", help="Two unknowns through two points.")] = False,
    modelled: Annotated[bool, typer.Option("--modelled", help="The times are of a replay, not measured.")] = False,
    synthetic: Annotated[bool, typer.Option("--synthetic", help="The factors are made up.")] = False,
    name: Annotated[str, typer.Option(help="Name of the program; that of the file unless given.")] = "",
    source: Annotated[str, typer.Option(help="Where the factors come from.")] = "",
    at: At = None,
    out: Annotated[Path | None, typer.Option(help="The file that a study reads (.json); it must not exist.")] = None,
    json: Json = False,
) -> None:
    """Fit load balance, serialisation and transfer over the number of ranks, each on its own."""
    from dse.models.measured_laws.cli.scaling_tables import show_profile
    from dse.models.measured_laws.documents.fitted_file import write_fitted
    from dse.models.measured_laws.kinds.scaling_factors.definitions import computation_scaling
    from dse.models.measured_laws.kinds.scaling_factors.fitted_file import as_document
    from dse.models.measured_laws.kinds.scaling_factors.measurements import read_factors
    from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import fit_profile

    if not 0.0 <= slack < 1.0:
        raise InputError(f"{slack} is no slack", key="--slack", allowed="from 0 to below 1")
    from datetime import date

    table = read_factors(file, times, region, slack)
    try:
        profile = fit_profile(
            table.ranks,
            table.values,
            mode,
            form=form,
            exact=exact,
            measured=table.measured,
            name=name or file.stem,
            source=source or file.name,
            times="modelled" if modelled else "measured",
            synthetic=synthetic or table.synthetic,
            notes=table.notes,
            sha256=table.sha256,
            date=date.today().isoformat(),
        )
    except InputError as error:
        raise (error.within(file=file) if mode in ("strong", "weak") else error) from None
    if out is not None:
        write_fitted(as_document(profile), out)
    computing = {}
    if table.counters:
        instructions, cycles, frequency = (
            table.counters[counter] for counter in ("instructions", "cycles", "frequency")
        )
        scaling = computation_scaling(table.ranks, instructions, cycles, frequency, mode)
        computing = {"ranks": table.ranks, **scaling}
    warnings = list(table.warnings)
    if not (table.repeated or table.measured or modelled):
        warnings.append("every number of ranks was measured once: nothing is known of the noise")
    show_profile(profile, at, json, out, {name: values.tolist() for name, values in computing.items()}, warnings)


FITS = {"scaling-factors": FitKind(fit, "P")}


def show(
    file: Annotated[Path, typer.Argument(help="A file of dse scaling fit.")], at: At = None, json: Json = False
) -> None:
    """Show fitted factors: their forms, the efficiency at other numbers of ranks, and what limits it."""
    from dse.models.measured_laws.cli.scaling_tables import show_profile
    from dse.models.measured_laws.kinds.scaling_factors.fitted_file import read_factors_fit

    show_profile(read_factors_fit(file), at, json, None)
