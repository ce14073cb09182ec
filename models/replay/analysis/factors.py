"""Efficiency of a run as a product: load balance, serialisation, transfer (Rosas et al. 2014)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.timing.modes import Replay, compute_seconds
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COMPUTE

__all__ = ["Factors", "factors_of", "region_factors", "run_factors"]


class Factors(NamedTuple):
    """Three factors and their product, mean t / T; NaN where nothing computes.

    Attributes
    ----------
    load_balance : float
        LB = mean t / max t, of the seconds t that the ranks compute.
    serialization : float
        Ser = max t / T_ideal, of a run whose messages cost nothing.
    transfer : float
        Trf = T_ideal / T.
    efficiency : float
        LB Ser Trf.
    """

    load_balance: float
    serialization: float
    transfer: float
    efficiency: float


def factors_of(compute: np.ndarray, ideal: float, time: float) -> Factors:
    """Return the factors of the computing seconds of the ranks, the ideal time and the time [s]."""
    most = float(compute.max())
    if most <= 0.0:
        return Factors(np.nan, np.nan, np.nan, np.nan)
    balance, serial, transfer = float(compute.mean()) / most, most / ideal, ideal / time
    return Factors(balance, serial, transfer, balance * serial * transfer)


def run_factors(trace: Trace, ideal: Replay, time: float) -> Factors:
    """Return the factors of a whole run."""
    return factors_of(compute_seconds(trace), float(ideal.time), time)


def region_factors(trace: Trace, ideal: Replay, real: Replay) -> dict[str, Factors]:
    """Return the factors of each region: times in a region are those of its events, summed over each rank."""
    by_region = {}
    lasted = [_durations(trace, run) for run in (ideal, real)]
    for number, name in enumerate(trace.regions):
        inside = trace.region == number
        compute, free, whole = (
            np.bincount(trace.rank[inside], weights=values[inside], minlength=trace.ranks)
            for values in (trace.seconds * (trace.kind == COMPUTE), *lasted)
        )
        by_region[name] = factors_of(compute, float(free.max()), float(whole.max()))
    return by_region


def _durations(trace: Trace, run: Replay) -> np.ndarray:
    end = run.completion
    assert end is not None
    begin = np.empty_like(end)
    begin[1:] = end[:-1]
    begin[trace.first[:-1]] = 0.0
    return np.asarray(end - begin)
