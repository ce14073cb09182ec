"""The command `sweep`: the answer along a parameter, over two, or within each budget, and where it changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.optional_value import DEFAULT, optional_value
from dse.cli.options import Json, StudyName
from dse.cli.searches_shown import searches_shown
from dse.cli.variant_options import Also, Least, Most, Set, VariantName, Where, Without, pairs, varied
from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from dse.api import Study

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
    name: VariantName = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="[FILE.html]", help="Write a page too. Default: sweep-STUDY.html."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table to a CSV file: SI units in the headings.")] = None,
    json: Json = False,
) -> int:
    """Find the best design at each value of a parameter, and where it changes: an exact search for each value.

    With two parameters a map of the best. Or what can be attained: the best of each objective within each budget,
    whatever else is chosen.
    """
    from dse.cli.code import named_study

    given = pairs("--vary", vary, _EXAMPLE)
    _refuse_odd(given, attainable, [("--steps", steps), ("--by", by)], lift=lift)
    for one, _ in given:
        if any(one == other for other, _ in pairs("--set", set_, "--set nodes=16")):
            raise InputError(
                f"'{one}' is varied, so it has no one value", key=f"--set {one}", allowed="--vary or --set"
            )
    loaded = varied(
        named_study(study),
        set_=set_,
        where=where,
        least=least,
        most=most,
        without=without,
        name=name,
    )
    page = None if report is None else Path(f"sweep-{loaded.name}.html" if report == DEFAULT else report)
    outputs = _Outputs(page, csv, json)
    if attainable is not None:
        return _attainable(loaded, attainable, quantity, lift, also, outputs)
    if len(given) == 2:
        return _map(loaded, given, _MAP_STEPS if steps is None else steps, quantity, by, also, outputs)
    return _sweep(loaded, given, _STEPS if steps is None else steps, quantity, by, also, outputs)


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


class _Outputs:
    """Where a result goes beside the terminal, and how it is told when it is stopped."""

    def __init__(self, page: Path | None, csv: Path | None, json: bool) -> None:
        self.page, self.csv, self.json = page, csv, json

    def write(self, table: pd.DataFrame) -> None:
        """Write the CSV file."""
        if self.csv is not None:
            units = table.attrs["units"]
            heads = {name: f"{name} [{units[name]}]" for name in table if units.get(name, "text") not in ("text", "1")}
            table.rename(columns=heads).to_csv(self.csv, index=False)

    def show(self, document: dict[str, object], tell: Callable[[], None]) -> None:
        """Print the document as JSON, or tell it."""
        from dse.cli.output import print_json, say

        files = {"report": self.page, "csv": self.csv}
        if self.json:
            print_json(document | {key: None if file is None else str(file) for key, file in files.items()})
            return
        tell()
        for key, file in files.items():
            if file is not None:
                say(f"{key}: {file}")


def _sweep(
    study: Study,
    given: list[tuple[str, str]],
    steps: int,
    quantity: str | None,
    by: str | None,
    also: list[str],
    outputs: _Outputs,
) -> int:
    from dse.analysis.sweep import sweep_study
    from dse.api import Run
    from dse.cli.sweep_text import print_sweep

    ((name, text),) = given
    with searches_shown() as progress:
        result = sweep_study(
            study, name, text, steps=steps, quantity=quantity, by=by, also=also, run_type=Run, progress=progress
        )
    if outputs.page is not None:
        from dse.report.sweep_page import write_sweep

        write_sweep(result, outputs.page, study.spec.question)
    outputs.write(result.table)
    outputs.show(result.as_dict(), lambda: print_sweep(result))
    return 0 if any(step.design for step in result.steps) else 1


def _map(
    study: Study,
    given: list[tuple[str, str]],
    steps: int,
    quantity: str | None,
    by: str | None,
    also: list[str],
    outputs: _Outputs,
) -> int:
    from dse.analysis.winner_search import map_winners
    from dse.api import Run
    from dse.cli.sweep_text import print_map

    x, y = given
    with searches_shown() as progress:
        result = map_winners(
            study, x, y, steps=steps, quantity=quantity, by=by, also=also, run_type=Run, progress=progress
        )
    if outputs.page is not None:
        from dse.report.winner_map_page import write_map

        write_map(result, outputs.page, study.spec.question)
    outputs.write(result.table)
    outputs.show(result.as_dict(), lambda: print_map(result))
    return 0 if result.winners else 1


def _attainable(study: Study, budget: str, quantity: str | None, lift: bool, also: list[str], outputs: _Outputs) -> int:
    from dse.analysis.attainable import attainable_study
    from dse.api import Run
    from dse.cli.sweep_text import print_attainable

    with searches_shown() as progress:
        result = attainable_study(
            study, budget, quantity=quantity, lift=lift, also=also, run_type=Run, progress=progress
        )
    if outputs.page is not None:
        from dse.report.attainable_page import write_attainable

        write_attainable(result, outputs.page, study.spec.question)
    outputs.write(result.table)
    outputs.show(result.as_dict(), lambda: print_attainable(result))
    return 0 if result.found else 1
