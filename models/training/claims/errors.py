"""How far shares of a peak and powers may be off, by device: what ``spaces/training/device-errors.csv`` is made of.

A device with five measured runs and more has the spread of computed over measured of its own runs. One with fewer, n,
has the standard error of a new member of its class, shrunk by what is known of itself::

    e^2 = s^2 + c^2 (1 + 1/m)/(1 + n)

s: spread of runs about what is computed; c: spread between the m devices that were calibrated. An interval is +-
sqrt(3) e, as wide as a uniform distribution of that standard deviation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dse.authoring.table import read_table
from dse.models.training.claims.measured import Run, computed, runs

__all__ = ["DeviceError", "device_errors"]

_ENOUGH = 5
_TIMES = ("step_time", "model operations per second and device")
_ENERGY = "energy of the nodes"
_LEFT_OUT = "vtrain-single"  # one node, where other things than products decide
_OUTSIDE = {"fp8": {"GB200": 1}, "fp4": {"GB200": 1}}  # rows that shares were fitted on and that are not in the table


class DeviceError(NamedTuple):
    """An interval of a quantity of a device, as shares; `runs` measured runs of its own, `name` "*" of all others."""

    quantity: str
    name: str
    low: float
    high: float
    runs: int
    source: str


def device_errors() -> list[DeviceError]:
    """Return the errors of all devices."""
    measured = runs()
    off = [answer / run.published - 1.0 for run, answer in zip(measured, computed(measured), strict=True)]
    pairs = list(zip(measured, off, strict=True))
    own = Path(str(files("dse.spaces"))) / "training" / "devices.csv"
    table = read_table(own, name="spaces/training/devices.csv", empty=True)
    names = [str(name) for name in table["name"]]
    errors: list[DeviceError] = []
    spread = _rms([value for run, value in pairs if run.quantity in _TIMES and run.table != _LEFT_OUT])
    between = 0.0
    for precision in ("bf16", "fp8", "fp4"):
        quantity = f"matmul_share_{precision}"
        by_device = _by_device(pairs, precision)
        counts = {name: len(values) for name, values in by_device.items()} | _OUTSIDE.get(precision, {})
        shares = dict(zip(names, table[quantity].tolist(), strict=True))
        logs = [math.log(shares[name]) for name in counts]
        between = float(np.std(logs, ddof=1)) if len(logs) > 1 else between
        source = f"computed over measured of runs in measured.csv; between devices {between:.3f} of the logarithm"
        errors += _rows(quantity, by_device, counts, spread, between, source)
    power = {
        name: [value for run, value in pairs if run.quantity == _ENERGY and run.cells["device"] == name]
        for name in dict.fromkeys(run.cells["device"] for run in measured if run.quantity == _ENERGY)
    }
    means = [float(np.mean(values)) for values in power.values()]
    spread = _rms([value for values in power.values() for value in values])
    between = float(np.std(means, ddof=1))
    source = f"computed over measured energy of nodes in measured.csv; between devices {between:.3f}"
    counts = {name: len(values) for name, values in power.items()}
    return [*errors, *_rows("device_power", power, counts, spread, between, source)]


def _by_device(pairs: Sequence[tuple[Run, float]], precision: str) -> dict[str, list[float]]:
    """Return what is computed over measured, less 1, of the whole steps of each device at a precision."""
    by_device: dict[str, list[float]] = {}
    for run, value in pairs:
        if run.quantity in _TIMES and run.table != _LEFT_OUT and run.cells["precision"] == precision:
            by_device.setdefault(run.cells["device"], []).append(value)
    return by_device


def _rms(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _rows(
    quantity: str,
    by_device: Mapping[str, Sequence[float]],
    counts: Mapping[str, int],
    spread: float,
    between: float,
    source: str,
) -> list[DeviceError]:
    rows = []
    for name, count in [*counts.items(), ("*", 0)]:
        if count >= _ENOUGH:
            error = _rms(by_device[name])
        else:
            error = math.sqrt(spread**2 + between**2 * (1.0 + 1.0 / len(counts)) / (1.0 + count))
        half = round(math.sqrt(3.0) * error, 3)
        rows.append(DeviceError(quantity, name, -half, half, count, source))
    return rows
