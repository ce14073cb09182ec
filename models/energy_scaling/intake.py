"""Runs of one job out of measurements of any tool: energy, power and time over the parameter ``nodes``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.errors import InputError
from dse.models.energy_scaling.laws import Metric
from dse.models.measurements import Measurements, read_measurements
from dse.units import same_dimension

__all__ = ["is_table_of_nodes", "job_runs"]

_UNITS: dict[Metric, str] = {"energy": "J", "power": "W", "time": "s"}
_HEAD = 65_536


def is_table_of_nodes(path: Path) -> bool:
    """Return whether a file is a CSV table with a column for each quantity, which may have a scope beside them."""
    if path.suffix.lower() != ".csv":
        return False
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            lines = file.read(_HEAD).splitlines()
    except OSError:
        return True  # the reader of tables says what is wrong
    header = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return not {"metric", "value"} <= {cell.strip().strip('"') for cell in header.split(",")}


def job_runs(path: Path) -> tuple[Measurements, dict[Metric, tuple[np.ndarray, np.ndarray]]]:
    """Return the measurements, and nodes and values of each quantity among them, shape (runs,) each, in SI.

    Raises
    ------
    InputError
        No parameter ``nodes``, another one that varies, no energy, power or time of whole runs, or other units.
    """
    measured = read_measurements(path)
    if "nodes" not in measured.parameters:
        known = measured.parameters
        raise InputError("no parameter 'nodes'", file=path, allowed="nodes", wrong="nodes", candidates=known)
    for name in measured.parameters:
        values = measured.table[name].unique()
        if name != "nodes" and len(values) > 1:
            raise InputError(
                f"{len(values)} values of another parameter", file=path, key=name, allowed="one job over its nodes"
            )
    found = {}
    for metric, unit in _UNITS.items():
        if metric in measured.metrics:
            series = measured.series(metric, parameter="nodes", fewest=2)
            if not same_dimension(series.unit, unit):
                raise InputError(f"is in {series.unit}", file=path, key=metric, allowed=f"a unit of {unit}")
            found[metric] = series.flat()
    if not found:
        raise InputError("nothing was measured", file=path, key="metric", allowed=list(_UNITS))
    return measured, found
