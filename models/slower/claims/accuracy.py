"""Errors of the closed model against the simulation whose rates ``spaces/slower/simulated-rates.csv`` has."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.models.slower.node_rate import gain, node_rate
from dse.models.slower.work import work_of_mix

__all__ = ["errors_by_set", "relative_errors", "simulated"]

_CACHED = 0.32


def simulated() -> dict[str, np.ndarray]:
    """Return the columns of the recorded simulation."""
    file = Path(str(files("dse.spaces"))) / "slower" / "simulated-rates.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def relative_errors() -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return the recorded columns, and the relative errors of node rate and gain in each row."""
    columns = simulated()
    names = ("network_fraction", "latency", "overhead", "tasks", "cores", "node_rate")
    p, latency, overhead, tasks, cores, rate = (columns[name].astype(float) for name in names)
    work = work_of_mix(p, _CACHED - p)
    rates = node_rate(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores)
    gained = gain(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores)
    counted = rate / columns["blocking_rate"].astype(float)
    return columns, rates.node_rate / rate - 1.0, gained / counted - 1.0


def errors_by_set() -> tuple[dict[str, tuple[float, ...]], float, float]:
    """Return errors of each set of experiments, and the largest at short and long latencies, %.

    Of a set: mean, 95 % and largest of the node rate, and largest of the gain.

    Short is a latency below 1,024; the mixes at a latency of 64 are a set of their own.
    """
    columns, errors, gains = relative_errors()
    sizes, latency = 100.0 * np.abs(errors), columns["latency"].astype(float)
    name = np.where((columns["set"] == "mix") & (latency == 64.0), "mix, latency 64", columns["set"])
    by_set: dict[str, tuple[float, ...]] = {}
    for set_name in np.unique(name):
        here = sizes[name == set_name]
        by_set[str(set_name)] = (float(here.mean()), float(np.quantile(here, 0.95)), float(here.max()))
        by_set[str(set_name)] += (100.0 * float(np.abs(gains[name == set_name]).max()),)
    return by_set, float(sizes[latency < 1024.0].max()), float(sizes[latency >= 1024.0].max())
