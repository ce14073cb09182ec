"""The command `dse fit`: a model of measurements, how sure it is, and a file that a study uses.

A law is fitted here; other kinds by their own families, which are found by the ``FITS`` of their commands.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.families import kinds_of_fits
from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 6
_OF_LAWS = (
    "metric",
    "region",
    "parameter",
    "at",
    "unit",
    "reduce",
    "level",
    "refuse_beyond",
    "out",
    "synthetic",
    "json",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse fit timings.csv --metric time --at p=4096; "
        "dse fit timings.csv --metric time --region solve --at p=4096 --out time.fit.json; "
        "dse fit energy_scaling/hydro-strong.csv --kind energy --at nodes=400"
    )(fit)


def fit(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Measurements: CSV, Parquet, Extra-P, mpiP, or a folder.")],
    kind: Annotated[str, typer.Option(help="What is fitted: law, energy (of a job), or scaling-factors.")] = "law",
    metric: Annotated[str | None, typer.Option(help="The metric; may be left out where there is one.")] = None,
    region: Annotated[str | None, typer.Option(help="The region; the whole program where that was measured.")] = None,
    parameter: Annotated[
        str | None, typer.Option(help="The parameter; left out, a law of all that vary (up to three).")
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: where to ask, or a value of another parameter. Repeatable.")
    ] = None,
    unit: Annotated[list[str] | None, typer.Option(help="METRIC=UNIT, where the file has none. Repeatable.")] = None,
    reduce: Annotated[
        str, typer.Option(help="Of repetitions: median, first quartile, mean or minimum; of energies mean, max or min.")
    ] = "median",
    level: Annotated[float, typer.Option(help="Probability with which the interval is to hold the truth.")] = 0.9,
    refuse_beyond: Annotated[float, typer.Option(help="Largest distance, target over largest run.")] = 1024.0,
    out: Annotated[Path | None, typer.Option(help="The fitted model to write (.json); it must not exist.")] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="The data are made up; the model will say so.")
    ] = False,
    mode: Annotated[str | None, typer.Option(help="Of scaling factors: strong or weak.")] = None,
    form: Annotated[str, typer.Option(help="Of scaling factors: one form for all; the best of each.")] = "best",
    exact: Annotated[
        bool, typer.Option("--exact", help="Of scaling factors: two unknowns through two points.")
    ] = False,
    modelled: Annotated[
        bool, typer.Option("--modelled", help="Of scaling factors: of a replay, not measured.")
    ] = False,
    rmse_limit: Annotated[float, typer.Option(help="Of energies: largest error of a fit in percent.")] = 5.0,
    json: Json = False,
) -> None:
    """Fit a law to measurements, and ask it for other values. Its quality, its rivals, and how sure it is there."""
    given = {
        name: value
        for name, value in context.params.items()
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE" and name not in ("files", "kind")
    }
    if kind != "law":
        _fit_kind(kind, files, given)
        return
    _refuse_others(kind, given, _OF_LAWS)
    from dse.cli.text.output import print_json, say
    from dse.models.measured_laws.cli.fit_tables import as_json, print_fit, print_several, several_as_json
    from dse.models.measured_laws.documents.fitted_file import write_fitted
    from dse.models.measured_laws.fitting.parameters import fewest_runs
    from dse.models.measured_laws.kinds.growth.fitting import fit_series, fitted_file
    from dse.models.measured_laws.kinds.growth.several_parameters import fit_several, points_of
    from dse.models.measured_laws.tables.reading import read_measurements
    from dse.models.measured_laws.tables.series import reduction_of

    if out is not None and (out.exists() or out.suffix != ".json"):
        problem = "the file exists already; it is not overwritten" if out.exists() else "does not end in .json"
        raise InputError(problem, file=out, allowed="a new name such as time.fit.json")
    if not 0.0 < level < 1.0:
        raise InputError(f"{level:g}", key="--level", allowed="a number between 0 and 1, such as 0.9")
    if not refuse_beyond >= 1.0:
        raise InputError(f"{refuse_beyond:g}", key="--refuse-beyond", allowed="a number of 1 or more")
    reduced = reduction_of(reduce, "--reduce")
    measured = read_measurements(files, units=dict(_pair(item, "--unit", "time=ms") for item in unit or []))
    asked = [(name, _number(item, value)) for item in at or [] for name, value in [_pair(item, "--at", "p=4096")]]
    for name, _ in asked:
        if name not in measured.parameters:
            known = measured.parameters
            raise InputError(f"no parameter '{name}'", key="--at", allowed=known, wrong=name, candidates=known)
    varying = [name for name in measured.parameters if measured.table[name].nunique() > 1]
    axis = parameter or (varying[0] if len(varying) == 1 else None)
    if axis is None and len(varying) > 1:
        if out is not None:
            problem = f"{' and '.join(varying)} vary, and a study takes laws of one parameter"
            raise InputError(problem, key="--parameter", allowed=varying)
        if "level" in given:
            problem = "of laws of several parameters no interval is known"
            raise InputError(problem, key="--level", allowed="with --parameter")
        points = points_of(asked, varying)
        several = fit_several(
            measured,
            varying,
            metric,
            region,
            reduced=reduced,
            points=points,
            refuse_beyond=refuse_beyond,
            synthetic=synthetic,
        )
        if json:
            print_json(several_as_json(several))
        else:
            print_several(several)
        return
    held = {name: value for name, value in asked if name != axis}
    targets = [value for name, value in asked if name == axis]
    series = measured.series(metric, region, axis, at=held, fewest=fewest_runs(1))
    law, warnings = fit_series(series, reduced=reduced, targets=targets, refuse_beyond=refuse_beyond)
    warnings = [*measured.warnings, *warnings]
    content = fitted_file(
        law,
        series,
        measured,
        reduced=reduced,
        level=level,
        synthetic=synthetic or measured.synthetic,
        warnings=warnings,
    )
    if out is not None:
        write_fitted(content, out)
    if json:
        print_json(as_json(content, law, targets, out))
        return
    print_fit(content, law, targets)
    if out is not None:
        say(f"wrote {out}")


def _fit_kind(kind: str, files: list[Path], given: dict[str, Any]) -> None:
    """Hand what was given to the family that fits this kind."""
    from inspect import Parameter, signature

    kinds = kinds_of_fits()
    if kind not in kinds:
        known = ["law", *kinds]
        raise InputError(f"no kind '{kind}'", key="--kind", allowed=known, wrong=kind, candidates=known)
    if len(files) != 1:
        raise InputError(f"{len(files)} files", key="FILES", allowed=f"one for --kind {kind}")
    family, own = kinds[kind], signature(kinds[kind].fit).parameters
    _refuse_others(kind, given, own)
    for name, parameter in list(own.items())[1:]:
        if parameter.default is Parameter.empty and given.get(name) is None:
            raise InputError("is missing", key=f"--{name}", allowed=f"needed by --kind {kind}")
    if "at" in given:
        given = {**given, "at": [_count(item, family.parameter) for item in given["at"]]}
    family.fit(files[0], **given)


def _refuse_others(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    known = set(known)
    for name in given:
        if name not in known:
            options = sorted(f"--{option.replace('_', '-')}" for option in known if option != "file")
            raise InputError(f"is no option of --kind {kind}", key=f"--{name.replace('_', '-')}", allowed=options)


def _count(item: str, parameter: str) -> int:
    name, text = _pair(item, "--at", f"{parameter}=400")
    if name != parameter:
        raise InputError(f"no parameter '{name}'", key="--at", allowed=[parameter], wrong=name, candidates=[parameter])
    value = _number(item, text)
    if value != int(value):
        raise InputError(f"'{item}'", key="--at", allowed=f"a whole number, such as {parameter}=400")
    return int(value)


def _pair(item: str, key: str, example: str) -> tuple[str, str]:
    name, equals, text = item.partition("=")
    if not equals or not name.strip() or not text.strip():
        raise InputError(f"'{item}'", key=key, allowed=f"NAME=VALUE, such as {example}")
    return name.strip(), text.strip()


def _number(item: str, text: str) -> float:
    import math

    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"'{item}'", key="--at", allowed="a finite number above 0, such as p=4096")
    return value
