"""From a series of measurements to the file of a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.fitting.law import Alternative, Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, WARN_BEYOND
from dse.models.measured_laws.fitting.quality import adjusted_r2
from dse.models.measured_laws.fitting.repetition_noise import repetition_noise
from dse.models.measured_laws.kinds.growth.fitted_file import FittedFile, FittedLaw, FittedTerm, Measured, Noise
from dse.models.measured_laws.tables.series import Reduction
from dse.models.measured_laws.tables.table import Measurements, Series

__all__ = ["beyond_the_runs", "fit_series", "fitted_file", "poor"]

_POOR = 0.15


def fit_series(
    series: Series,
    *,
    reduced: Reduction = "median",
    targets: Sequence[float] = (),
    refuse_beyond: float = REFUSE_BEYOND,
) -> tuple[Law, list[str]]:
    """Return the law of a series and what is to be mistrusted.

    Raises
    ------
    InputError
        Too few sizes; a target farther beyond the runs than `refuse_beyond`.
    """
    warnings = list(series.warnings)
    for target in targets:
        warnings += beyond_the_runs(series.parameter, target, series.sizes, refuse_beyond)
    aim = {series.parameter: max(targets)} if targets else None
    law = fit(series.reduced(reduced).tolist(), {series.parameter: series.sizes.tolist()}, unit=series.unit, target=aim)
    law = replace(law, noise=repetition_noise(series.repetitions, reduced))
    return law, [*warnings, *law.warnings, *poor(law)]


def beyond_the_runs(parameter: str, target: float, sizes: np.ndarray, refuse_beyond: float) -> list[str]:
    """Return a warning of a target far outside of the sizes measured.

    Raises
    ------
    InputError
        It is farther away than `refuse_beyond`.
    """
    far = max(target / sizes.max(), sizes.min() / target)
    distance = f"{parameter} = {target:g} is {far:g} times beyond the runs"
    if far > refuse_beyond:
        raise InputError(distance, key="--at", allowed=f"up to {refuse_beyond:g} times; --refuse-beyond allows more")
    return [f"{distance}: a hypothesis"] if far > WARN_BEYOND else []


def poor(law: Law) -> list[str]:
    """Return a warning of a law that misses runs that were left out by more than 15 %."""
    error = law.cross_validation_error
    return [f"runs that are left out are missed by {100 * error:.3g} %: no law fits them well"] if error > _POOR else []


def _terms(law: Alternative) -> list[FittedTerm]:
    return [
        FittedTerm(coefficient=number, exponent=str(term.factors[0].exponent), logarithms=term.factors[0].logarithms)
        for term, number in zip(law.terms, law.coefficients, strict=True)
    ]


def fitted_file(
    law: Law,
    series: Series,
    measurements: Measurements,
    *,
    reduced: Reduction = "median",
    level: float = 0.9,
    synthetic: bool = False,
    warnings: Sequence[str] = (),
    today: date | None = None,
) -> FittedFile:
    """Return what is written of a law."""
    values = series.reduced(reduced)
    runs = [
        Measured(size=float(size), value=float(value), repetitions=len(repeated))
        for size, value, repeated in zip(series.sizes, values, series.repetitions, strict=True)
    ]
    model = FittedLaw(
        metric=series.metric,
        region=series.region,
        parameter=series.parameter,
        unit=series.unit,
        terms=_terms(law),
        covariance=[list(row) for row in law.covariance],
        ensemble=[_terms(alternative) for alternative in law.possible],
        runs=runs,
        cross_validation_error=law.cross_validation_error,
        adjusted_r2=adjusted_r2(law, values, law.value(series.sizes[:, None])),
        level=level,
        noise=None if law.noise is None else Noise(**law.noise._asdict()),
    )
    return FittedFile(
        model=model,
        application=series.application,
        source=measurements.source,
        sha256=measurements.sha256,
        date=today or date.today(),
        synthetic=synthetic,
        reduced=reduced,
        warnings=list(warnings),
    )
