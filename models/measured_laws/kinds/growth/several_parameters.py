"""A law of two or three parameters: fitted and told, not written, since a study takes laws of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import MOST_PARAMETERS, fit
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND
from dse.models.measured_laws.kinds.growth.fitting import beyond_the_runs, poor
from dse.models.measured_laws.tables.series import Reduction, reduce_repetitions

if TYPE_CHECKING:
    from dse.models.measured_laws.tables.table import Measurements

__all__ = ["LawOfSeveral", "fit_several", "points_of"]


@dataclass(frozen=True)
class LawOfSeveral:
    """A law, where it was measured and where it was asked.

    Attributes
    ----------
    metric, region : str
    law : Law
    points : tuple of dict
        Where it is asked: each parameter's value.
    measured_over_law : (float, float)
        Least and greatest, over the runs.
    source : str
        The files.
    synthetic : bool
        Whether the data are made up.
    warnings : tuple of str
    """

    metric: str
    region: str
    law: Law
    points: tuple[dict[str, float], ...]
    measured_over_law: tuple[float, float]
    source: str
    synthetic: bool
    warnings: tuple[str, ...]

    def predictions(self) -> list[dict[str, Any]]:
        """Return the value at each point, between what it lies, and how far from the runs that is."""
        predictions = []
        for point in self.points:
            low, high = self.law.band(point)
            far = max(1.0, *self.law.distances(point).values())
            predictions.append({**point, "value": self.law.at(point), "low": low, "high": high, "distance": far})
        return predictions


def points_of(asked: Sequence[tuple[str, float]], parameters: Sequence[str]) -> tuple[dict[str, float], ...]:
    """Return the points that ``--at`` names: as many as the parameter with most values; one value stands for all.

    Raises
    ------
    InputError
        A parameter that does not vary, one without a value, or with neither one value nor as many as the others.
    """
    if not asked:
        return ()
    for name, _ in asked:
        if name not in parameters:
            raise InputError(f"{name} has one value in all runs", key="--at", allowed=parameters)
    given = {name: [value for parameter, value in asked if parameter == name] for name in parameters}
    count = max(map(len, given.values()))
    for name, values in given.items():
        if len(values) not in (1, count):
            problem = (
                f"{len(values)} values of {name}, {count} of another parameter" if values else f"no value of {name}"
            )
            raise InputError(problem, key="--at", allowed=f"one {name}=VALUE for all points, or one for each")
    return tuple(
        {name: values[place if len(values) > 1 else 0] for name, values in given.items()} for place in range(count)
    )


def fit_several(
    measured: Measurements,
    parameters: Sequence[str],
    metric: str | None,
    region: str | None,
    *,
    reduced: Reduction = "median",
    points: Sequence[Mapping[str, float]] = (),
    refuse_beyond: float = REFUSE_BEYOND,
    synthetic: bool = False,
) -> LawOfSeveral:
    """Fit ``sum of c x^i log2(x)^j y^k log2(y)^l ...`` over all parameters that vary.

    Raises
    ------
    InputError
        More than three parameters, too few runs, a point too far beyond them.
    """
    if len(parameters) > MOST_PARAMETERS:
        raise InputError(f"{len(parameters)} parameters vary", key="--parameter", allowed=parameters)
    rows = measured.rows(metric, region)
    groups = rows.groupby(list(parameters), sort=True)["value"]
    values = np.array([reduce_repetitions(group.to_numpy(), reduced) for _, group in groups])
    at = np.array([key for key, _ in groups], dtype=float)
    warnings = list(measured.warnings)
    for point in points:
        for name, column in zip(parameters, at.T, strict=True):
            warnings += beyond_the_runs(name, point[name], column, refuse_beyond)
    columns = {name: column.tolist() for name, column in zip(parameters, at.T, strict=True)}
    aim = {name: max(point[name] for point in points) for name in parameters} if points else None
    first = rows.iloc[0]
    law = fit(values.tolist(), columns, unit=str(first["unit"]), target=aim)
    computed = law.value(at)
    ratios = values / np.where(computed == 0, np.nan, computed)
    return LawOfSeveral(
        metric=str(first["metric"]),
        region=str(first["region"]),
        law=law,
        points=tuple(dict(point) for point in points),
        measured_over_law=(float(np.nanmin(ratios)), float(np.nanmax(ratios))),
        source=measured.source,
        synthetic=synthetic or measured.synthetic,
        warnings=(*warnings, *law.warnings, *poor(law)),
    )
