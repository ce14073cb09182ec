"""The command `dse expect`: whether what was measured grows as it should."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 7


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse expect expectations.toml; dse expect expectations.toml --record base; "
        "dse expect scaling.csv --status-quo base --segments --json"
    )(expect)


def expect(
    file: Annotated[Path, typer.Argument(help="A file of expectations (.toml), or measurements of functions.")],
    measurements: Annotated[
        Path | None, typer.Option(help="Measurements in place of those that the file of expectations names.")
    ] = None,
    parameter: Annotated[str | None, typer.Option(help="The size that laws are functions of, such as p.")] = None,
    segments: Annotated[bool, typer.Option("--segments", help="Two laws where the algorithm changes with p.")] = False,
    record: Annotated[str | None, typer.Option(help="Keep the laws in expectations/NAME.toml.")] = None,
    status_quo: Annotated[
        str | None, typer.Option(help="Where no growth is written, expect that of expectations/NAME.toml.")
    ] = None,
    level_limit: Annotated[
        float | None, typer.Option(help="Warn above so many times the stored value (default 1.25).")
    ] = None,
    reduce: Annotated[
        str | None, typer.Option(help="Of repetitions: median (default), first quartile, mean or minimum.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A litmus test that fails excuses nothing.")] = False,
    json: Json = False,
) -> None:
    """Check that functions grow as they should. By match, rules, or litmus test. Exit code 1 if one does not."""
    from dse.cli.text.output import print_json, say
    from dse.models.measured_laws.cli.expect_tables import as_json, print_judgement
    from dse.models.measured_laws.cli.law_text import say_warnings
    from dse.models.measured_laws.kinds.expectations.judging_files import judge_file, record_laws
    from dse.models.measured_laws.kinds.expectations.status_quo import status_quo_file
    from dse.models.measured_laws.tables.series import reduction_of

    if level_limit is not None and not 0 < level_limit < float("inf"):
        raise InputError(f"{level_limit:g}", key="--level-limit", allowed="a number above 0")
    kept = None if record is None else status_quo_file(record)
    judged = judge_file(
        file,
        measurements=measurements,
        parameter=parameter,
        segmented=segments,
        status_quo=status_quo,
        level_limit=level_limit,
        reduced=None if reduce is None else reduction_of(reduce, "--reduce"),
    )
    replaced = kept is not None and kept.exists()
    if kept is not None:
        record_laws(kept, judged)
    failed = judged.judgement.failures(strict=strict)
    if json:
        print_json(
            {
                "file": str(file),
                "measurements": judged.measurements.source,
                "sha256": judged.measurements.sha256,
                "reduced": judged.reduced,
                **as_json(judged.judgement, judged.warnings, strict=strict),
                "warnings": list(judged.measurements.warnings),
                "recorded": None if kept is None else str(kept),
            }
        )
    else:
        print_judgement(judged.judgement, judged.warnings, strict=strict)
        say(f"repetitions: the {judged.reduced} of each size counts")
        say_warnings(judged.measurements.warnings)
        if kept is not None:
            say(f"{'replaced' if replaced else 'wrote'} {kept}: dse expect FILE --status-quo {record}")
    if failed:
        raise typer.Exit(1)
