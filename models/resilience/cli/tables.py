"""What the command `dse resilience` shows, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.resilience.checkpointing import checkpoint, two_level_checkpoint
from dse.models.resilience.energy import energy_optimal_interval, energy_per_useful_second
from dse.models.resilience.time_shares import time_shares

__all__ = ["intervals", "two_levels"]


def intervals(
    cost: float, failures: float, restart: float, powers: tuple[float, float, float] | None = None
) -> list[dict[str, Any]]:
    """Return the best interval, Young's and Daly's, and with powers the one of least energy; times in s, energy in J.

    Parameters
    ----------
    cost, failures, restart : float
        As in `dse.models.resilience.checkpoint`.
    powers : (float, float, float), optional
        Of the system while it computes, writes checkpoints and restarts [W].
    """
    best = checkpoint(cost, failures, restart)
    rows = [("best", best.interval), ("Young", best.young), ("Daly", best.daly)]
    if powers:
        rows.append(("least energy", energy_optimal_interval(cost, failures, restart, *powers)))
    return [_row(name, float(interval), cost, failures, restart, powers) for name, interval in rows]


def _row(
    name: str, interval: float, cost: float, failures: float, restart: float, powers: tuple[float, ...] | None
) -> dict[str, Any]:
    shares = time_shares(interval, cost, failures, restart)
    plain = {"busy": shares.busy, "checkpoints": shares.checkpoints, "restarts": shares.restarts, "wall": shares.wall}
    record: dict[str, Any] = {"rule": name, "interval": interval, "efficiency": float(shares.efficiency)}
    record |= {key: float(value) for key, value in plain.items()}
    record["energy_per_useful_second"] = float(energy_per_useful_second(shares, *powers)) if powers else None
    return record


def two_levels(local: tuple[float, float, float], whole: tuple[float, float, float]) -> dict[str, Any]:
    """Return the intervals of two levels and the useful share of time; (cost, failures, restart) of either [s]."""
    levels = two_level_checkpoint(*local, *whole)
    names = ("interval", "per_global", "efficiency", "first_order")
    return {name: float(np.asarray(getattr(levels, name))) for name in names}
