"""Nodes that hide latency: combinations of tasks, cores, latency and overhead a second, beside a simulation."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.machine import require
from benchmarks.report import Column, Section, number, seconds
from dse.models.slower import gain, node_rate, work_of_mix, work_of_thread

COMBINATIONS = {"full": 100_000, "small": 5_000}
AIM = 10.0
"""Seconds for 100,000 different combinations on one core, tasks and cores up to 64."""
_SIMULATION = Path(__file__).parents[1] / "tests" / "models" / "slower" / "event_simulation.py"


@lru_cache(maxsize=1)
def simulation() -> ModuleType:
    """Return the simulation of the tests, which shares no code with the model."""
    spec = importlib.util.spec_from_file_location("_event_simulation", _SIMULATION)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Compare one node with the simulation, then time random combinations; SYNTHETIC."""
    tell("simulation")
    begin = time.process_time()
    simulated = simulation().node_rate(0.08, 0.24, 8192, 16, 64, 4)
    taken = time.process_time() - begin
    one = float(node_rate(work_of_mix(0.08, 0.24), latency=8192, overhead=16, tasks=64, cores=4).node_rate)
    require(abs(one / simulated - 1.0) < 0.06, "64 tasks on each of 4 cores: closed model and simulation")
    rng = np.random.default_rng(11)
    many = COMBINATIONS[designs]
    p = rng.uniform(0.005, 0.16, many)
    asked: dict[str, Any] = {"latency": rng.uniform(64, 8192, many), "overhead": rng.uniform(0, 1024, many)}
    asked |= {"tasks": rng.integers(1, 65, many), "cores": rng.integers(1, 65, many)}
    mix, thread = work_of_mix(p, 0.32 - p), work_of_thread(1.5, 0.005, rng.uniform(1, 200, many), p / 100)
    kinds: dict[str, Callable[[], Any]] = {
        "mix of instructions": lambda: node_rate(mix, **asked).node_rate,
        "threads of a processor": lambda: node_rate(thread, **asked).node_rate,
        "mix of instructions, gain": lambda: gain(mix, **asked),
    }
    records = [{"label": "simulation of one", "points": 1, "time": taken, "rate": 1.0 / taken}]
    for label, function in kinds.items():
        tell(label)
        begin = time.process_time()
        require(bool(np.isfinite(function()).all()), f"{label}: a finite rate for every combination")
        spent = time.process_time() - begin
        if designs == "full":
            require(spent < 2.0 * AIM, f"{label}: {AIM:g} s aimed at, twice that at most")
        records.append({"label": label, "points": many, "time": spent, "rate": many / spent})
    return Section(
        "slower",
        "Nodes that hide latency: different combinations a second, tasks and cores up to 64, processor time",
        [
            Column("label", "rates of nodes"),
            Column("points", "combinations", number),
            Column("time", "time", seconds),
            Column("rate", "combinations/s", number),
        ],
        records,
        asserted=["64 tasks on each of 4 cores: within 6 % of a simulation instruction by instruction"],
        notes=[f"Aim: 100,000 combinations in {AIM:g} s. The gain is two fixed points."],
    )
