"""From a file of expectations, or of measurements alone, to verdicts; and laws kept for later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dse.errors import InputError
from dse.models.expectations.document import ExpectationsFile, read_expectations
from dse.models.expectations.judging import Judgement, judge
from dse.models.expectations.measured import entries_of, measured_functions
from dse.models.expectations.status_quo import (
    LEVEL_LIMIT,
    StoredLaw,
    read_status_quo,
    status_quo_file,
    write_status_quo,
)
from dse.models.measurements import Measurements, read_measurements

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
    """

    judgement: Judgement
    measurements: Measurements
    warnings: Mapping[str, tuple[str, ...]]


def judge_file(
    file: Path,
    *,
    measurements: Path | None = None,
    parameter: str | None = None,
    segmented: bool = False,
    status_quo: str | None = None,
    level_limit: float | None = None,
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

    Raises
    ------
    InputError
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
    try:
        expectations = document.expectations()
        measured = measured_functions(table, document.functions, expectations, parameter or document.parameter)
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
        litmus=document.litmus or (measured.litmus if measured.litmus in expectations else None),
        stored=stored,
        segmented=document.segmented(segmented),
        level_limit=level_limit or document.level_limit or LEVEL_LIMIT,
    )
    return JudgedFile(judgement, table, measured.warnings)


def record_laws(file: Path, found: JudgedFile) -> None:
    """Keep the laws of all functions as the status quo."""
    judged = found.judgement.functions
    write_status_quo(
        file,
        {one.name: one.compared for one in judged},
        sha256=found.measurements.sha256,
        date=datetime.now(UTC).date().isoformat(),
        larger_is_better=[one.name for one in judged if one.expectation and one.expectation.larger_is_better],
    )
