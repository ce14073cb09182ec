"""The published designs, evaluated: what the claims and the tests share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.table import Table, read_table
from dse.evaluation.direct import evaluate_models

__all__ = ["CORRELATOR_SPACE", "GIGA", "LIMIT", "catalogue", "correlator", "dedicated_correlator", "part", "station"]

GIGA = 1e9
LIMIT = 0.52
"""Integration time of the correlator, the limit of its run time [s]."""

CORRELATOR_SPACE: dict[str, Sequence[float]] = {
    "cores": (48, 64, 96, 128),
    "frequency": (2.3 * GIGA, 2.6 * GIGA, 3.2 * GIGA, 3.6 * GIGA, 4.0 * GIGA),
    "l3_bandwidth": (40 * GIGA, 60 * GIGA, 120 * GIGA, 160 * GIGA),
    "dram_bandwidth": (40 * GIGA, 60 * GIGA, 120 * GIGA, 160 * GIGA),
}
"""Anghel 2017, Table 7.8."""


@lru_cache(maxsize=3)
def catalogue(name: str) -> Table:
    """Return a part catalogue of ``spaces/ska``."""
    return read_table(Path(str(files("dse.spaces"))) / "ska" / f"{name}.csv", name=f"ska/{name}.csv")


def part(table: str, name: str) -> dict[str, float]:
    """Return the numbers of a row of a catalogue by column."""
    rows = catalogue(table).where(name=name)
    return {column: float(rows[column][0]) for column, unit in rows.units.items() if unit != "text"}


def station(
    technology: str | Mapping[str, float], *targets: str, use: Mapping[str, str] | None = None, **changed: float
) -> tuple[float, ...]:
    """Evaluate quantities of a station, by default its power.

    Parameters
    ----------
    technology : str or mapping
        A row of ``station-technologies.csv``, or its numbers.
    *targets : str
        Quantities of `dse.models.ska.station`.
    use : mapping, optional
        Components of slots.
    **changed : float
        Assumptions other than the default.
    """
    numbers = part("station-technologies", technology) if isinstance(technology, str) else dict(technology)
    wanted = targets or ("station_power",)
    values = {name: value for name, value in numbers.items() if name != "technology"} | changed
    return tuple(float(value[0]) for value in evaluate_models(["ska.station"], wanted, values, use).values())


def dedicated_correlator(
    technology: str, target: str = "correlator_power", use: Mapping[str, str] | None = None, **changed: float
) -> float:
    """Evaluate a quantity of the correlator in dedicated hardware, the arguments as for `station`."""
    energy = part("correlator-arithmetic", technology)["mac_energy_32bit"]
    values = {"mac_energy_32bit": energy, **changed}
    return float(evaluate_models(["ska.dedicated_correlator"], [target], values, use)[target][0])


def correlator(core_type: str, channels: int, **fixed: Any) -> dict[str, np.ndarray]:
    """Evaluate the correlator on the printed space, each axis replaced by `fixed` where given.

    Returns
    -------
    dict of str to ndarray
        Axes and results, one element per design.
    """
    axes = {**CORRELATOR_SPACE, **fixed}
    grid = np.meshgrid(*(np.atleast_1d(np.asarray(axis, dtype=float)) for axis in axes.values()), indexing="ij")
    designs = {name: column.ravel() for name, column in zip(axes, grid, strict=True)}
    constants = {name: value for name, value in part("correlator-cores", core_type).items() if "base" not in name}
    targets = ("compute_time", "memory_time", "run_time", "node_power", "nodes", "total_power", "energy")
    results = evaluate_models(["ska.correlator"], targets, {**constants, **designs, "channels": channels})
    size = len(designs["cores"])
    return {**designs, **{name: np.broadcast_to(value, size) for name, value in results.items()}}
