"""Measurements of one job that a study names: a table by nodes, or a model that was fitted to one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from dse.authoring.declaration import Column, RelativeError
from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.models.energy_scaling.fitted_file import energy_model, fitted_energy, read_energy_model
from dse.models.energy_scaling.history import LARGEST_HISTORY, Reduction, history
from dse.models.energy_scaling.intake import is_table_of_nodes, job_runs
from dse.models.energy_scaling.laws import FittedEnergy, Metric
from dse.models.energy_scaling.predictor import RMSE_LIMIT

__all__ = ["JobMeasurements", "read_job_measurements"]

_LARGEST_TABLE = 64 * 2**20
NOT_SAID = "as measured; what the measurement counts is not said"
_COLUMNS = {
    "nodes": Column("1", "Nodes of the run"),
    "energy": Column("J", "Energy to solution", optional=True),
    "power": Column("W", "Mean power of the run", optional=True),
    "time": Column("s", "Time to solution", optional=True),
}
_METRICS: tuple[Metric, ...] = ("energy", "power", "time")


@dataclass(frozen=True)
class JobMeasurements:
    """Curves through measurements of one job.

    Attributes
    ----------
    name : str
        The file.
    sources : sequence of str
    synthetic : bool
    scope : str
        What the measurement counts: nodes alone or with network and cooling, with failures or without.
    model : FittedEnergy
    rmse_limit : float
        Percent.
    sha256 : str
        Of the measurements.
    notes : tuple of str
        What a reader of the table should know.
    fitted_on : date, optional
        The day a file was fitted; none of what is fitted now.
    """

    name: str
    sources: Sequence[str]
    synthetic: bool
    scope: str
    model: FittedEnergy
    rmse_limit: float
    sha256: str
    notes: tuple[str, ...] = ()
    fitted_on: date | None = None

    @cached_property
    def errors(self) -> Mapping[str, RelativeError]:
        """The %RMSE of each fit as a share, by the quantity of a study; none where a curve goes through all points."""
        found = {}
        for metric in self.model.metrics:
            error = self.model.percent_error(metric) / 100.0
            if error > 0.0:
                found[f"job_{metric}"] = RelativeError(error, of=f"%RMSE of the fit of {Path(self.name).name}")
        return found

    @property
    def within_limit(self) -> bool:
        """Whether every fit is within the limit of its error."""
        return all(one.admissible for one in self.model.curves.values())

    def as_json(self) -> str:
        """Return it as a fitted model."""
        model = energy_model(
            self.model,
            source=tuple(self.sources),
            synthetic=self.synthetic,
            scope=self.scope,
            sha256=self.sha256,
            fitted_on=self.fitted_on or date.today(),
            rmse_limit=self.rmse_limit,
        )
        return model.model_dump_json(indent=1) + "\n"


def read_job_measurements(path: Path, rmse_limit: float = RMSE_LIMIT, reduction: Reduction = "mean") -> JobMeasurements:
    """Read measurements of one job, and fit them; or a fitted model, as its name ends in .json.

    Parameters
    ----------
    path : Path
        A CSV file with ``nodes`` and any of ``energy [kWh]``, ``power [W]``, ``time [s]`` in any unit that fits;
        `scope` and `source` are texts. Rows of equal nodes are repetitions; every column has a number in each row.
        Or what `read_measurements` reads, but for JSON: tidy CSV, Parquet … with the parameter ``nodes``.
    rmse_limit : float
        Percent, for fits of a table; a fitted model has its own.
    reduction : {"mean", "max", "min"}
        Of repetitions.

    Raises
    ------
    InputError
        What is wrong, with file, line or key.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        model = read_energy_model(path)
        return JobMeasurements(
            path.name,
            model.source,
            model.synthetic,
            model.scope,
            fitted_energy(model),
            model.rmse_limit,
            model.sha256,
            fitted_on=model.date,
        )
    if is_table_of_nodes(path):
        return _of_table(_table(path), path, rmse_limit, reduction)
    return _of_measurements(path, rmse_limit, reduction)


def _of_measurements(path: Path, rmse_limit: float, reduction: Reduction) -> JobMeasurements:
    measured, runs = job_runs(path)
    try:
        histories = {metric: history(*columns, reduction, metric) for metric, columns in runs.items()}
        model = FittedEnergy(histories, rmse_limit)
    except InputError as error:
        raise error.within(file=path.name) from None
    notes = (*measured.warnings, *(note for one in histories.values() for note in one.notes))
    return JobMeasurements(
        path.name, (path.name,), False, NOT_SAID, model, rmse_limit, measured.sha256, tuple(dict.fromkeys(notes))
    )


def _table(path: Path) -> Table:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    if size > _LARGEST_TABLE:
        raise InputError(f"{size:,} bytes", file=path, allowed=f"up to {_LARGEST_TABLE:,}")
    table = read_table(path, columns=_COLUMNS, name=path.name)
    if len(table) > LARGEST_HISTORY:
        raise InputError(f"{len(table):,} rows", file=path, allowed=f"up to {LARGEST_HISTORY:,}")
    return table


def _of_table(table: Table, path: Path, rmse_limit: float, reduction: Reduction) -> JobMeasurements:
    metrics = [one for one in _METRICS if one in table.columns]
    if not metrics:
        raise InputError("nothing was measured", file=table.name, allowed="a column energy [J], power [W] or time [s]")
    try:
        histories = {one: history(table["nodes"], table[one], reduction, one) for one in metrics}
        model = FittedEnergy(histories, rmse_limit)
    except InputError as error:
        raise error.within(file=table.name) from None
    scopes = list(dict.fromkeys(table.columns["scope"])) if "scope" in table.columns else []
    if len(scopes) > 1:
        raise InputError(
            f"scopes '{scopes[0]}' and '{scopes[1]}'", file=table.name, key="scope", allowed="one of all rows"
        )
    return JobMeasurements(
        path.name,
        table.sources,
        table.synthetic,
        scopes[0] if scopes and scopes[0] else NOT_SAID,
        model,
        rmse_limit,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        tuple(dict.fromkeys(note for one in histories.values() for note in one.notes)),
    )
