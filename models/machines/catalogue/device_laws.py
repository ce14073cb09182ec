"""Offsets of devices from the laws of their classes as data: ``spaces/machines/device-laws.csv``.

The file is what a fit of ``spaces/machines/systems.csv`` gives (`dse.models.machines.laws.fitted_tables` writes it).
Where an accelerator is in the catalogue, the same factors are columns of its row there, so that a design gets them with
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.table import Table, read_table

__all__ = ["FACTORS", "FILE", "device_factors"]

FILE = "spaces/machines/device-laws.csv"

FACTORS = ("device_peak_factor", "device_efficiency_factor", "device_gradient_factor", "device_measured_machines")
"""Columns that the laws read."""

_UNKNOWN = (1.0, 1.0, 1.0, 0.0)  # of a device that no machine of the table has


@cache
def _table() -> Table:
    return read_table(Path(str(files("dse.spaces"))) / "machines" / "device-laws.csv", name=FILE)


def device_factors(devices: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the factors of each device, by name as `Machine.device` has it; the means of classes for others."""
    table = _table()
    rows = {str(name): row for row, name in enumerate(table["device"])}
    factors = {}
    for column, unknown in zip(FACTORS, _UNKNOWN, strict=True):
        values = [table[column][rows[name]] if name in rows else unknown for name in devices]
        factors[column] = np.array(values, dtype=float)
    return factors
