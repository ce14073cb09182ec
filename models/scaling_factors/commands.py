"""The commands `dse scaling`: fit factors over the number of ranks, and ask the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dse.cli.families import FitKind, command_group
from dse.cli.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.models.scaling_factors.scaling_profile import ScalingProfile

__all__ = ["register"]

PLACE = 6
_LEVEL = 0.9
_GROUP = "Parallel efficiency as load balance, serialisation and transfer: fit it, and ask for other numbers of ranks."

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
    from dse.models.scaling_factors.definitions import computation_scaling
    from dse.models.scaling_factors.fitted_file import write_fitted
    from dse.models.scaling_factors.measurements import read_factors
    from dse.models.scaling_factors.scaling_profile import fit_profile

    if not 0.0 <= slack < 1.0:
        raise InputError(f"{slack} is no slack", key="--slack", allowed="from 0 to below 1")
    from datetime import date

    table = read_factors(file, times, region, slack)
    try:
        found = fit_profile(
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
        write_fitted(found, out)
    computing = {}
    if table.counters:
        instructions, cycles, frequency = (table.counters[one] for one in ("instructions", "cycles", "frequency"))
        scaling = computation_scaling(table.ranks, instructions, cycles, frequency, mode)
        computing = {"ranks": table.ranks, **scaling}
    told = list(table.warnings)
    if not (table.repeated or table.measured or modelled):
        told.append("every number of ranks was measured once: nothing is known of the noise")
    _show(found, at, json, out, {name: values.tolist() for name, values in computing.items()}, told)


FITS = {"scaling-factors": FitKind(fit, "P")}


def show(
    file: Annotated[Path, typer.Argument(help="A file of dse scaling fit.")], at: At = None, json: Json = False
) -> None:
    """Show fitted factors: their forms, the efficiency at other numbers of ranks, and what limits it."""
    from dse.models.scaling_factors.fitted_file import read_fitted

    _show(read_fitted(file), at, json, None)


def _show_computing(computing: Mapping[str, list[float]]) -> None:
    from dse.cli.output import say, table

    say(f"computing itself, over {computing['ranks'][0]:,.0f} ranks: instructions per cycle, instructions, clock")
    rows = [
        [f"{count:,.0f}", *(f"{one:.4g}" for one in others)] for count, *others in zip(*computing.values(), strict=True)
    ]
    table(list(computing), rows, right=range(len(computing)))


def _show_intervals(found: ScalingProfile, answers: list[dict[str, Any]]) -> None:
    from dse.cli.output import say, table

    names = [*found.factors, "efficiency"]
    if not any(one["intervals"][name] for one in answers for name in names):
        return
    rows = []
    for one in answers:
        ends = [one["intervals"][name] for name in names]
        cells = ["not known" if end is None else f"{end[0]:.4f} to {end[1]:.4f}" for end in ends]
        rows.append([f"{one['ranks']:,}", *cells])
    say(f"{100 * _LEVEL:g} % intervals, of all growths that fit nearly as well")
    table(["ranks", *names], rows, right=range(len(names) + 1))


def _show(
    found: ScalingProfile,
    at: list[int] | None,
    json: bool,
    out: Path | None,
    computing: Mapping[str, list[float]] | None = None,
    told: Sequence[str] = (),
) -> None:
    from dse.cli.output import print_json, say, table
    from dse.models.scaling_factors.fitted_file import as_document

    ranks = sorted(set(at or [int(found.ranks[1])]))
    if ranks[0] < 1:
        raise InputError(f"{ranks[0]} ranks", key="--at", allowed="a whole number from 1")
    warnings = [*told, *found.warnings(ranks)]
    crossovers = found.crossovers(max(float(ranks[-1]), found.ranks[1]))
    answers = [
        {
            "ranks": count,
            **{name: float(factor.at(count)) for name, factor in found.factors.items()},
            "efficiency": float(found.efficiency(count)),
            "dominant": found.dominant(count),
            "intervals": found.intervals(count, _LEVEL),
        }
        for count in ranks
    ]
    if json:
        changes = [{"ranks": count, "dominant": name} for count, name in crossovers]
        fitted: dict[str, Any] = {"fit": as_document(found), "at": answers, "crossovers": changes, "warnings": warnings}
        if computing:
            fitted["computing"] = computing
        print_json({**fitted, "file": str(out) if out else None})
        return
    say(f"{found.name}: {found.mode} scaling, fitted to {found.ranks[0]:,.0f} to {found.ranks[1]:,.0f} ranks")
    rows = [
        [
            name,
            one.form,
            f"{one.single:.6g}",
            f"{one.fraction:.8g}",
            "none" if one.residual is None else f"{one.residual:.2g}",
            "none" if one.left_out_error is None else f"{one.left_out_error:.2g}",
        ]
        for name, one in found.factors.items()
    ]
    table(["factor", "form", "a0", "f", "largest residual", "error of left-out points"], rows, right=range(2, 6))
    rows = [
        [
            f"{one['ranks']:,}",
            *(f"{one[name]:.4f}" for name in found.factors),
            f"{one['efficiency']:.4f}",
            str(one["dominant"]),
        ]
        for one in answers
    ]
    table(["ranks", *found.factors, "efficiency", "least factor"], rows, right=range(len(found.factors) + 2))
    _show_intervals(found, answers)
    if computing:
        _show_computing(computing)
    for count, name in crossovers:
        say(f"from about {count:,.0f} ranks on {name} is the least factor")
    for text in warnings:
        say(f"warning: {text}")
    if out:
        say(f"wrote {out}")
