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
from dse.models.machines.catalogue.catalogue import Machine

__all__ = ["FACTORS", "FILE", "device_factors", "law_errors"]

FILE = "spaces/machines/device-laws.csv"

FACTORS = ("device_peak_factor", "device_efficiency_factor", "device_gradient_factor", "device_measured_machines")
"""Columns that the laws read."""

_UNKNOWN = (1.0, 1.0, 1.0, 0.0)  # of a device that no machine of the table has


@cache
def _table() -> Table:
    return read_table(Path(str(files("dse.spaces"))) / "machines" / "device-laws.csv", name=FILE)


_DOUBTED = "doubted"  # what the notes of a row say of a power that others do not agree with


@cache
def _laws() -> dict[tuple[str, str], float]:
    path = Path(str(files("dse.spaces"))) / "machines" / "laws.csv"
    table = read_table(path, name="spaces/machines/laws.csv")
    return {
        (str(law), str(name)): float(value)
        for law, of, name, value in zip(table["law"], table["class"], table["name"], table["value"], strict=True)
        if not str(of)
    }


def law_errors(machines: Sequence[Machine]) -> dict[str, np.ndarray]:
    """Return how far laws may be off each machine: standard errors of logarithms, and whether its power is doubted.

    Of the efficiency of its device, or of the power of machines without accelerators; and of its operating point.
    """
    table, laws = _table(), _laws()
    known = {str(name): float(error) for name, error in zip(table["device"], table["efficiency_error"], strict=True)}
    of_device = [
        known.get(machine.device, laws["efficiency", "between"])
        if machine.accelerated
        else laws["power without accelerators", "within"]
        for machine in machines
    ]
    doubted = [_DOUBTED in f"{machine.note} {machine.power_note}" for machine in machines]
    return {
        "machine_law_error": np.array(of_device, dtype=float),
        "machine_operating_error": np.full(len(machines), laws["power", "within"]),
        "machine_power_doubted": np.array(doubted, dtype=float),
    }


def device_factors(devices: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the factors of each device, by name as `Machine.device` has it; the means of classes for others."""
    table = _table()
    rows = {str(name): row for row, name in enumerate(table["device"])}
    factors = {}
    for column, unknown in zip(FACTORS, _UNKNOWN, strict=True):
        values = [table[column][rows[name]] if name in rows else unknown for name in devices]
        factors[column] = np.array(values, dtype=float)
    return factors
