"""From a file of expectations, or of measurements alone, to verdicts; and laws kept for later."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.document import ExpectationsFile, read_expectations
from dse.models.measured_laws.kinds.expectations.judging import Judgement, judge
from dse.models.measured_laws.kinds.expectations.measured import MeasuredFunctions, entries_of, measured_functions
from dse.models.measured_laws.kinds.expectations.status_quo import (
    LEVEL_LIMIT,
    StoredLaw,
    read_status_quo,
    status_quo_file,
    write_status_quo,
)
from dse.models.measured_laws.tables.reading import read_measurements
from dse.models.measured_laws.tables.series import Reduction, reduction_of
from dse.models.measured_laws.tables.table import Measurements

__all__ = ["JudgedFile", "judge_file", "record_laws"]


@dataclass(frozen=True)
class JudgedFile:
    """The verdicts on a file.

    Attributes
    ----------
    judgement : Judgement
    measurements : Measurements
    warnings : mapping of str to tuple of str
        What is to be mistrusted in the measurements of each function.
    reduced : str
        What became of repetitions.
    """

    judgement: Judgement
    measurements: Measurements
    warnings: Mapping[str, tuple[str, ...]]
    reduced: Reduction = "median"


def judge_file(
    file: Path,
    *,
    measurements: Path | None = None,
    parameter: str | None = None,
    segmented: bool = False,
    status_quo: str | None = None,
    level_limit: float | None = None,
    reduced: Reduction | None = None,
) -> JudgedFile:
    """Judge measured functions.

    Parameters
    ----------
    file : Path
        Expectations (``.toml``), or measurements of which nothing is expected but the status quo.
    measurements : Path, optional
        In place of what the expectations name, which is looked for beside them.
    parameter : str, optional
    segmented : bool
        Whether all functions may have two laws.
    status_quo : str, optional
        The name of stored laws.
    level_limit : float, optional
    reduced : {"median", "first quartile", "mean", "minimum"}, optional
        What becomes of repetitions; that of the file by default, else the median.

    Raises
    ------
    InputError
        Of a litmus test too that nothing is expected of, while other functions are judged.
    """
    if file.suffix == ".toml":
        document = read_expectations(file)
        if measurements is None:
            if document.measurements is None:
                raise InputError(
                    "names no measurements", file=file, key="measurements", allowed="a file, or --measurements"
                )
            measurements = file.parent / document.measurements
        table = read_measurements(measurements)
    else:
        if measurements is not None:
            raise InputError("is no file of expectations (.toml)", file=file, key="--measurements", allowed="one table")
        table = read_measurements(file)
        document = ExpectationsFile(functions=entries_of(table))
    how = reduced or reduction_of(document.reduce or "median")
    try:
        expectations = document.expectations()
        measured = measured_functions(table, document.functions, expectations, parameter or document.parameter, how)
    except InputError as error:
        raise error.within(file=file) from None
    name = status_quo or document.status_quo
    stored: dict[str, StoredLaw] = read_status_quo(status_quo_file(name)) if name else {}
    if name and not set(stored) & set(document.functions):
        raise InputError(
            f"the status quo '{name}' has none of the functions", file=file, allowed=list(stored) or "a recorded one"
        )
    judgement = judge(
        measured.series,
        expectations,
        rules=document.checked_rules(),
        litmus=_litmus(table, document, measured, {*expectations, *(set(stored) & set(document.functions))}),
        stored=stored,
        segmented=document.segmented(segmented),
        level_limit=level_limit or document.level_limit or LEVEL_LIMIT,
    )
    return JudgedFile(judgement, table, measured.warnings, how)


def _litmus(
    table: Measurements, document: ExpectationsFile, measured: MeasuredFunctions, expected: Collection[str]
) -> str | None:
    """Return the litmus test that the expectations name, or the measurements mark; None where nothing is judged.

    A mark that changes no verdict would be taken for a test that was passed.
    """
    marked = list(dict.fromkeys(table.table.loc[table.table["litmus"], "region"]))
    if document.litmus is not None:
        if marked and document.litmus not in measured.marked:
            raise InputError(
                f"'{document.litmus}' is named as litmus test, and {_named(marked)} marked",
                file=table.source,
                key="litmus",
                allowed="one",
            )
        return document.litmus
    if not marked or not expected:
        return None
    if len(measured.marked) > 1:
        raise InputError(
            f"{len(measured.marked)} functions are marked as litmus test ({', '.join(measured.marked)})",
            file=table.source,
            allowed="one, or 'litmus' in the file of expectations",
        )
    if not measured.marked or measured.marked[0] not in expected:
        name = measured.marked[0] if measured.marked else marked[0] or "the whole program"
        raise InputError(
            f"'{name}' is marked as litmus test, and nothing is expected of it",
            file=table.source,
            key="litmus",
            allowed='a growth for it (growth = "log p"), or no mark',
        )
    return measured.marked[0]


def _named(regions: Sequence[str]) -> str:
    return ", ".join(f"'{region}'" if region else "the whole program" for region in regions) + (
        " is" if len(regions) == 1 else " are"
    )


def record_laws(file: Path, judged_file: JudgedFile) -> None:
    """Keep the laws of all functions as the status quo."""
    judged = judged_file.judgement.functions
    write_status_quo(
        file,
        {function.name: function.compared for function in judged},
        sha256=judged_file.measurements.sha256,
        date=datetime.now(UTC).date().isoformat(),
        larger_is_better=[
            function.name for function in judged if function.expectation and function.expectation.larger_is_better
        ],
    )
