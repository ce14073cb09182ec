"""Runs of one job out of measurements of any tool: energy, power and time over the parameter ``nodes``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.laws import UNITS, Metric
from dse.models.measured_laws.tables.reading import read_measurements
from dse.models.measured_laws.tables.table import Measurements
from dse.units import same_dimension

__all__ = ["job_runs"]


def job_runs(path: Path) -> tuple[Measurements, dict[Metric, tuple[np.ndarray, np.ndarray]]]:
    """Return the measurements, and nodes and values of each quantity among them, shape (runs,) each, in SI.

    Raises
    ------
    InputError
        No parameter ``nodes``, another one that varies; a quantity without a unit, of another one, or none at all.
    """
    measured = read_measurements(path)
    for metric, unit in UNITS.items():
        if metric in measured.parameters:
            raise InputError("has no unit", file=path, key=metric, allowed=f"a heading such as '{metric} [{unit}]'")
    if "nodes" not in measured.parameters:
        known = measured.parameters
        fault = f"no parameter 'nodes', but {', '.join(known)}"
        raise InputError(fault, file=path, allowed="a column 'nodes'", wrong="nodes", candidates=known)
    for name in measured.parameters:
        values = measured.table[name].unique()
        if name != "nodes" and len(values) > 1:
            raise InputError(
                f"{len(values)} values of another parameter", file=path, key=name, allowed="one job over its nodes"
            )
    by_metric = {}
    for metric, unit in UNITS.items():
        if metric in measured.metrics:
            series = measured.series(metric, parameter="nodes", fewest=2)
            if not same_dimension(series.unit, unit):
                raise InputError(f"is in {series.unit}", file=path, key=metric, allowed=f"a unit of {unit}")
            by_metric[metric] = series.flat()
    if not by_metric:
        raise InputError("nothing was measured", file=path, key="metric", allowed=list(UNITS))
    return measured, by_metric
