"""Measurements of one job that a study names: a table by nodes, or a model that was fitted to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from dse.authoring.declare.error_over import ErrorOver
from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import read_fitted
from dse.models.measured_laws.kinds.energy.fitted_file import EnergyModel, energy_model, fitted_energy
from dse.models.measured_laws.kinds.energy.history import Reduction, contradictions, history
from dse.models.measured_laws.kinds.energy.intake import job_runs
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy, Metric
from dse.models.measured_laws.kinds.energy.predictor import RMSE_LIMIT

__all__ = ["JobMeasurements", "read_job_measurements"]

NOT_SAID = "as measured; what the measurement counts is not said"


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

    def errors_over(self, given: Mapping[str, np.ndarray | None]) -> Mapping[str, ErrorOver]:
        """Return the error of each quantity of a study on each number of nodes.

        Inside the history the %RMSE of the fit; beyond it the ends of the interval, as the error of a fit at its own
        points says nothing there. None of what the measurements do not tell.

        Parameters
        ----------
        given : mapping of str to ndarray or None
            ``nodes``: every number that a study asks for, None where it computes them.

        Raises
        ------
        InputError
            The nodes are computed: how far they reach is not known before the search.
        """
        asked = given.get("nodes")
        if asked is None:
            raise InputError(
                "the error of measured curves depends on nodes, which are computed here",
                file=self.name,
                allowed='nodes set, or varied by an axis; or a share, such as "8 %"',
            )
        of = f"error of the fit of {Path(self.name).name}, beyond its runs the 90 % interval"
        return {
            f"job_{metric}": ErrorOver("nodes", deviations, of)
            for metric in self.model.metrics
            if (deviations := self._deviations(metric, np.unique(asked)))
        }

    def _deviations(self, metric: Metric, nodes: np.ndarray) -> dict[float, tuple[float, float]]:
        within = self.model.percent_error(metric) / 100.0
        if not within:
            return {}
        deviations = {}
        for count in nodes.tolist():
            if not self.model.extrapolated(count):
                deviations[count] = -within, within
                continue
            ends = self.model.predict(metric, count)
            if ends is None:
                return {}
            value = float(getattr(self.model, metric)(count))
            deviations[count] = min(ends.low / value - 1.0, 0.0), max(ends.high / value - 1.0, 0.0)
        return deviations

    @property
    def within_limit(self) -> bool:
        """Whether every fit is within the limit of its error."""
        return all(curve.admissible for curve in self.model.curves.values())

    def as_document(self) -> EnergyModel:
        """Return it as a fitted model."""
        return energy_model(
            self.model,
            source=tuple(self.sources),
            synthetic=self.synthetic,
            scope=self.scope,
            sha256=self.sha256,
            fitted_on=self.fitted_on or date.today(),
            rmse_limit=self.rmse_limit,
        )


def read_job_measurements(path: Path, rmse_limit: float = RMSE_LIMIT, reduction: Reduction = "mean") -> JobMeasurements:
    """Read measurements of one job, and fit them; or a fitted model, as its name ends in .json.

    Parameters
    ----------
    path : Path
        What `read_measurements` reads, but for JSON, with the parameter ``nodes`` and any of the metrics ``energy``,
        ``power``, ``time``: a CSV file of ``nodes`` and ``energy [kWh]`` in any unit that fits, tidy CSV, Parquet …
        `scope`, `source` and `synthetic` are texts. Rows of equal nodes are repetitions.
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
        model = read_fitted(path, EnergyModel)
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
    return _of_measurements(path, rmse_limit, reduction)


def _of_measurements(path: Path, rmse_limit: float, reduction: Reduction) -> JobMeasurements:
    measured, runs = job_runs(path)
    try:
        histories = {metric: history(*columns, reduction, metric) for metric, columns in runs.items()}
        model = FittedEnergy(histories, rmse_limit)
    except InputError as error:
        raise error.within(file=path.name) from None
    scopes = measured.remarks.get("scope", ())
    if len(scopes) > 1:
        raise InputError(
            f"scopes '{scopes[0]}' and '{scopes[1]}'", file=path.name, key="scope", allowed="one of all rows"
        )
    of_each = (note for past in histories.values() for note in past.notes)
    notes = (*measured.warnings, *of_each, *contradictions(histories))
    return JobMeasurements(
        path.name,
        measured.remarks.get("source") or (path.name,),
        measured.synthetic,
        scopes[0] if scopes else NOT_SAID,
        model,
        rmse_limit,
        measured.sha256,
        tuple(dict.fromkeys(notes)),
    )
