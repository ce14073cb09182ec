"""The tables the power models look things up in: read once from ``dse/spaces/power``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.table import Table, read_table

__all__ = ["DEVICES", "NODES", "REFERENCE_TEMPERATURE", "power_table", "same"]

NODES = (22e-9, 32e-9, 45e-9, 65e-9, 90e-9)
"""Technologies of the tables, m."""

DEVICES = ("HP", "LOP", "LSTP")
"""Kinds of transistors: high performance, low operating power, low standby power."""

REFERENCE_TEMPERATURE = 360.0
"""Temperature of the tabulated leakages, K."""


@cache
def power_table(name: str) -> Table:
    """Return a table of ``dse/spaces/power`` by the name of its file, without ending."""
    return read_table(Path(str(files("dse.spaces"))) / "power" / f"{name}.csv", name=f"spaces/power/{name}.csv")


def same(values: np.ndarray, wanted: float) -> np.ndarray:
    """Tell which values are the wanted one up to rounding."""
    return np.abs(values - wanted) <= 1e-6 * abs(wanted)
