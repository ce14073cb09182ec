"""The command `validate`: published figures, or a user's measurements, beside what the models give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.library.claims import counts, counts_by_whose, validations
from dse.cli.later import later
from dse.cli.options.code import named_study
from dse.cli.options.options import Json
from dse.cli.options.rows import Raw
from dse.cli.options.variant import pairs
from dse.cli.text.measured import print_comparison
from dse.cli.text.output import print_json, say, shown, table
from dse.errors import InputError
from dse.report.words.measured import statistics_rows

if TYPE_CHECKING:
    from types import ModuleType

    from dse.analysis.measured.limits import share_of
    from dse.analysis.measured.statistics import Statistics, statistics
    from dse.authoring.library.claims import Claim, Comparison
    from dse.authoring.library.stated_errors import library_errors
    from dse.measured import compare
else:
    (library_errors,) = later("dse.authoring.library.stated_errors", "library_errors")
    (share_of,) = later("dse.analysis.measured.limits", "share_of")
    (statistics,) = later("dse.analysis.measured.statistics", "statistics")
    (compare,) = later("dse.measured", "compare")

__all__ = ["register"]

_WIDEST = 22


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse validate hybrid; dse validate machines --measured mine.csv --report machines.html; "
        "dse validate --study hybrid-xeon-sp --measured runs.csv --limit-mean 10% --least-rank 0.9"
    )(validate)


def validate(
    model: Annotated[
        str | None, typer.Argument(help="A model family, such as hybrid, or its first word. Default: all.")
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            "--measured",
            "--file",
            help="Measured figures: with --study any table (CSV, Parquet), else of a family: machines has the columns "
            "of spaces/machines/systems.csv, training those of spaces/training/measured.csv and, where a row is to "
            "override figures of its device, peak_bf16, peak_fp8, peak_fp4, device_memory_bandwidth, "
            "device_memory_capacity, device_power, scale_up_bandwidth, scale_up_devices, scale_out_bandwidth, "
            "matmul_share_bf16, matmul_share_fp8, matmul_share_fp4, core_share_forward, core_share_backward, "
            "host_power, host_devices, units in the heading as in spaces/training/devices.csv.",
        ),
    ] = None,
    study: Annotated[
        str | None, typer.Option(help="A study file or name: its models are compared with what --measured has.")
    ] = None,
    quantity: Annotated[list[str], typer.Option(help="With --study: only this quantity. Several times.")] = [],  # noqa: B006
    group_by: Annotated[
        list[str], typer.Option(help="With --study: columns that tell groups, with commas between. Default: group.")
    ] = [],  # noqa: B006
    use: Annotated[
        list[str], typer.Option(help="With --study: also with this component, slot=component. Several times.")
    ] = [],  # noqa: B006
    rows: Annotated[str | None, typer.Option(help="With --study: only these rows, 0:10 the first ten.")] = None,
    ignore_columns: Annotated[
        str | None, typer.Option(help="With --study: columns that mean nothing, with commas between.")
    ] = None,
    limit: Annotated[
        list[str], typer.Option(help="With --study: exit code 1 if an error is above, 20% or QUANTITY=20%.")
    ] = [],  # noqa: B006
    limit_mean: Annotated[
        list[str], typer.Option(help="With --study: exit code 1 if the mean error is above, 10% or QUANTITY=10%.")
    ] = [],  # noqa: B006
    least_rank: Annotated[
        list[str], typer.Option(help="With --study: exit code 1 if the correlation of the ranks is below, 0.9.")
    ] = [],  # noqa: B006
    strict: Annotated[
        bool, typer.Option("--strict", help="With --study: exit code 1 if a row cannot be compared.")
    ] = False,
    bands: Annotated[
        str | None, typer.Option(help="With --study: errors whose bands the page draws. Default: 0.1,0.2.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="With --study: write every row to a CSV file, SI.")] = None,
    raw: Raw = False,
    errors: Annotated[
        bool,
        typer.Option("--errors", help="What each family states of its own errors, from what; or that it does not."),
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="Write figures and tables as an HTML page: with --study, or of a family.")
    ] = None,
    json: Json = False,
) -> int:
    """Compare the models with published figures, or with yours. Whose figures they are, and one status each.

    Without --study exit code 1 when a figure fails; a miss is known. With it exit code 0, unless a limit says so.
    """
    of_study: dict[str, object] = {
        "--quantity": quantity,
        "--group-by": group_by,
        "--use": use,
        "--rows": rows,
        "--ignore-columns": ignore_columns,
        "--limit": limit,
        "--limit-mean": limit_mean,
        "--least-rank": least_rank,
        "--strict": strict,
        "--bands": bands,
        "--csv": csv,
        "--raw": raw,
    }
    if errors:
        if study is not None or measured is not None or report is not None:
            raise InputError("goes with a family, or alone", key="--errors", allowed="dse validate --errors")
        return _errors(model, json=json)
    if study is not None:
        return _measured(study, model, measured, of_study, report, json=json)
    for option, value in of_study.items():
        if value:
            raise InputError("goes with a study", key=option, allowed=f"--study STUDY --measured FILE {option} …")
    return _published(model, measured, report, json=json)


def _errors(family: str | None, *, json: bool) -> int:
    """Print what families state of their own errors."""
    every = library_errors()
    names = list(dict.fromkeys(stated.family for stated in every))
    if family is not None and family not in names:
        raise InputError(f"no family '{family}'", allowed=names, wrong=family, candidates=names)
    rows = [stated for stated in every if family in (None, stated.family)]
    if json:
        print_json({"errors": [stated._asdict() for stated in rows]})
        return 0
    table(["family", "quantity", "error", "from"], [list(stated) for stated in rows])
    if any(not stated.quantity for stated in rows):
        say("where none is stated, answers say 'no error known for …: not in the probability'")
    return 0


def _measured(
    study: str,
    model: str | None,
    measured: Path | None,
    options: Mapping[str, object],
    report: Path | None,
    *,
    json: bool,
) -> int:
    """Compare a table of measurements with the models of a study."""
    if model is not None:
        raise InputError(f"'{model}' is a family of models", key="--study", allowed="a family or a study, one of them")
    if measured is None:
        raise InputError("is missing", key="--measured", allowed="a table of measurements (CSV, Parquet)")
    given = str(options["--ignore-columns"] or "")
    texts = [text for text in str(options["--bands"] or "0.1,0.2").split(",") if text.strip()]
    bands = [share_of(text, "--bands", 10.0) for text in texts]
    lists = {key: [str(item) for item in value] for key, value in options.items() if isinstance(value, list)}
    compared = compare(
        named_study(study),
        measured,
        group_by=[name.strip() for text in lists["--group-by"] for name in text.split(",") if name.strip()],
        quantities=lists["--quantity"],
        ignore=[name.strip() for name in given.split(",") if name.strip()],
        rows=None if options["--rows"] is None else str(options["--rows"]),
        use=[dict([pair]) for pair in pairs("--use", lists["--use"], "--use topology=torus")],
        limit=lists["--limit"],
        limit_mean=lists["--limit-mean"],
        least_rank=lists["--least-rank"],
        strict=bool(options["--strict"]),
    )
    csv = options["--csv"]
    files = {
        "csv": None if csv is None else str(compared.to_csv(Path(str(csv)), raw=bool(options["--raw"]))),
        "report": None if report is None else str(compared.report(report, bands=bands)),
    }
    if json:
        print_json(compared.as_dict() | files)
    else:
        print_comparison(compared)
        for key, file in files.items():
            if file is not None:
                say(f"{key}: {file}")
    return 1 if compared.passed is False else 0


def _published(model: str | None, file: Path | None, report: Path | None, *, json: bool) -> int:
    """Recompute the published figures of a family, or of all."""
    claims: list[Claim] = []
    families = validations()
    if model is not None and model not in families:
        begun = [name for name in families if name.startswith(f"{model}_")]
        model = begun[0] if len(begun) == 1 else model
    if model is not None and model not in families:
        raise InputError(
            f"'{model}' has no published figures", allowed=sorted(families), wrong=model, candidates=families
        )
    compared = _comparison(families, model, file)
    for name, module in families.items():
        if model in (None, name):
            claims += compared.claims if compared else module.claims()
    elsewhere = families[model].also_shown() if model is not None and hasattr(families[model], "also_shown") else []
    claims += elsewhere
    totals = counts(claims)
    page = _page(families, model, compared, report)
    if json:
        print_json(
            {
                "claims": [
                    {
                        "model": c.model,
                        "claim": c.claim,
                        "source": c.source,
                        "published": c.published,
                        "computed": c.computed,
                        "unit": c.unit,
                        "error": c.error,
                        "whose": c.whose,
                        "status": c.status,
                        "note": c.note,
                    }
                    for c in claims
                ],
                "counts": totals,
                "by_whose": counts_by_whose(claims),
                "also_shown": dict(Counter(c.model for c in elsewhere)),
                "passed": totals["fail"] == 0,
                "report": str(page) if page else None,
                **({**compared.details, "statistics": _statistics(claims)} if compared else {}),
            }
        )
        return 1 if totals["fail"] else 0
    if compared:
        for listing in compared.listings:
            table(listing.headings, listing.rows, right=listing.right, title=listing.title)
            say()
        _print_statistics(claims)
        for note in compared.notes:
            say(f"· {note}")
        if page:
            say(f"report: {page}")
        _print_counts(claims)
        return 1 if totals["fail"] else 0
    several = len({c.model for c in claims}) > 1
    rows = [
        [
            *([c.model] if several else []),
            c.claim,
            _short(c.published, c.unit),
            _short(c.computed, c.unit),
            "" if c.error is None else f"{100 * c.error:+.2f} %",
            c.whose,
            c.status,
        ]
        for c in claims
    ]
    headings = [*(["model"] if several else []), "figure", "stated", "computed", "error", "whose", "status"]
    table(headings, rows, right=[len(headings) - k for k in (5, 4, 3)])
    notes = {c.note for c in claims if c.note and c.status in ("deviation", "miss", "not checkable", "fail")}
    for note in sorted(notes):
        say(f"· {note}")
    _print_counts(claims)
    if elsewhere:
        named = ", ".join(f"{count} of {name}" for name, count in Counter(c.model for c in elsewhere).items())
        say(f"also shown here: {named}; `dse validate` counts each once, under its own model")
    return 1 if totals["fail"] else 0


def _print_counts(claims: Sequence[Claim]) -> None:
    """Print a line of counts by status for figures of each origin, published ones first."""
    for whose, totals in counts_by_whose(claims).items():
        if any(totals.values()):
            say(f"{whose}: " + ", ".join(f"{count} {status}" for status, count in totals.items() if count))


def _statistics(claims: Sequence[Claim]) -> dict[str, Statistics]:
    """Return the statistics of numbers that were published of several systems, by what they are of."""
    kinds = dict.fromkeys(claim.of for claim in claims if claim.of)
    by_kind = {}
    for kind in kinds:
        own = [claim for claim in claims if claim.of == kind and claim.error is not None]
        if own:
            by_kind[kind] = statistics([claim.published for claim in own], [claim.computed for claim in own])
    return by_kind


def _print_statistics(claims: Sequence[Claim]) -> None:
    if columns := _statistics(claims):
        title = "Statistics: computed beside published, errors of (computed - published) / published"
        table(["statistic", *columns], statistics_rows(columns), right=range(1, len(columns) + 1), title=title)
        say()


def _comparison(families: Mapping[str, ModuleType], model: str | None, file: Path | None) -> Comparison | None:
    """Return the comparison of a family that has one and is asked for by name."""
    comparing = [name for name, module in families.items() if hasattr(module, "comparison")]
    if model in comparing:
        compared: Comparison = families[str(model)].comparison(file)
        return compared
    if file is not None:
        raise InputError(
            f"'{model}' compares no table" if model else "a table belongs to one family",
            key="--measured",
            allowed=[f"dse validate {name} --measured {file}" for name in comparing],
        )
    return None


def _page(
    families: Mapping[str, ModuleType], model: str | None, compared: Comparison | None, report: Path | None
) -> Path | None:
    """Write the page of a comparison, where one is asked for."""
    if report is None:
        return None
    drawing = [name for name, module in families.items() if hasattr(module, "write_page")]
    if model not in drawing or compared is None:
        raise InputError(
            f"'{model}' draws no page" if model else "a page belongs to one family",
            key="--report",
            allowed=[f"dse validate {name} --report {report}" for name in drawing],
        )
    page: Path = families[model].write_page(compared, report)
    return page


def _short(value: object, unit: str) -> str:
    """Write a figure in a cell of the table; --json has the long ones."""
    text = _whole(value, unit)
    if len(text) <= _WIDEST:
        return text
    return f"({len(value)} figures)" if isinstance(value, (tuple, list)) else text[: _WIDEST - 1] + "…"


def _whole(value: object, unit: str) -> str:
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(_whole(item, unit) for item in value) + ")"
    return shown(value, unit) if isinstance(value, (int, float, bool, type(None))) else str(value)
