"""Closed forms of collective operations: points of processes and size a second, beside a simulation of messages."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.machine import require
from benchmarks.report import Column, Section, number, ratio, seconds
from dse.models.collectives import COLLECTIVES, best, cost

POINTS = {"full": 1_000_000, "small": 20_000}
ALONE = {"full": 40, "small": 3}
REPEATS = 3
SIMULATED = 64
_TESTS = Path(__file__).parents[1] / "tests" / "models" / "collectives"


@lru_cache(maxsize=1)
def simulation() -> tuple[ModuleType, ModuleType]:
    """Return the message-level simulation of the tests, which shares no code with the models, and its schedules."""
    package = "_collectives_oracle"
    spec = importlib.util.spec_from_loader(package, None, is_package=True)
    assert spec is not None
    made = importlib.util.module_from_spec(spec)
    made.__path__ = [str(_TESTS)]
    sys.modules[package] = made
    return importlib.import_module(f"{package}.message_level"), importlib.import_module(f"{package}.schedules")


def _processor_time(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function gives and the least processor time of a few calls [s]."""
    times, given = [], None
    for _ in range(REPEATS):
        start = time.process_time()
        given = function()
        times.append(time.process_time() - start)
    return given, min(times)


SCHEDULES = {
    "flat": lambda s, P: s.tree({0: list(range(1, P)), **{n: [] for n in range(1, P)}}, 8.0),
    "kary": lambda s, P: s.tree(s.heap_children(P, 2), 8.0),
    "binomial": lambda s, P: s.tree(s.binomial_children(P), 8.0),
    "butterfly": lambda s, P: s.butterfly(P, 8.0),
    "bruck_alltoall": lambda s, P: s.bruck_alltoall(P, 8.0),
    "direct": lambda s, P: s.direct(P, 8.0),
}
"""Programs of the simulation for 8 B on P processes, of some algorithms."""


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Compare some algorithms with the simulation, then time all of them on random points, and the best of each."""
    tell("simulation")
    messages, schedules = simulation()
    simulated: dict[str, float] = {}
    for name, made in SCHEDULES.items():
        collective = next(one for one, found in COLLECTIVES.items() if name in found and one != "barrier")
        programs = made(schedules, SIMULATED)
        outcome, taken = _processor_time(lambda programs=programs: messages.simulate(programs, messages.Net()))  # type: ignore[misc]
        found = float(cost(name, collective, SIMULATED, 8).time)
        require(abs(outcome.time / found - 1.0) < 1e-9, f"{name} on {SIMULATED}: closed form and simulation")
        simulated[name] = taken
    rng = np.random.default_rng(5)
    many = POINTS[designs]
    records = []
    for collective, algorithms in COLLECTIVES.items():
        for name in algorithms:
            if any(record["label"] == name for record in records):
                continue
            tell(name)
            some = many // 50 if name == "fibonacci" else many
            ranks, sizes = _points(algorithms[name].defined, some, rng)
            sizes = sizes * (collective != "barrier")
            found, taken = _processor_time(
                lambda name=name, collective=collective, ranks=ranks, sizes=sizes: cost(name, collective, ranks, sizes)  # type: ignore[misc]
            )
            require(bool(np.isfinite(found.time).all()), f"{name}: a finite time at every point")
            rate, once = some / taken, simulated.get(name)
            records.append({"label": name, "points": some, "time": taken, "rate": rate, "simulated": once})
            records[-1]["gain"] = once * rate if once else None
    for collective in COLLECTIVES:
        tell(f"best of {collective}")
        some = max(ALONE[designs] * 25, 1)
        ranks, sizes = _points("any number", some, rng)
        sizes = sizes * (collective != "barrier")
        _, taken = _processor_time(
            lambda collective=collective, ranks=ranks, sizes=sizes: best(collective, ranks, sizes)  # type: ignore[misc]
        )
        records.append({"label": f"best of {collective}", "points": some, "time": taken, "rate": some / taken})
        records[-1] |= {"simulated": None, "gain": None}
    return Section(
        "collectives",
        "Closed forms of collective operations: points (processes up to 2^20, size) a second, processor time",
        [
            Column("label", "algorithm"),
            Column("points", "points", number),
            Column("time", "time", seconds),
            Column("rate", "points/s", number),
            Column("simulated", f"simulation of {SIMULATED} processes", seconds),
            Column("gain", "closed form / simulation", ratio),
        ],
        records,
        asserted=[f"{len(SCHEDULES)} algorithms equal the message-level simulation of {SIMULATED} processes, to 1e-9"],
        notes=["Pipelines look for their fastest pieces; `best` looks at every algorithm, arity and number of pieces."],
    )


def _points(defined: str, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw processes that an algorithm is defined for, and sizes; SYNTHETIC."""
    bits = rng.integers(2, 21, count)
    ranks = rng.integers(4, 2**20, count)
    if defined == "powers of two":
        ranks = 2**bits
    elif defined.startswith("full"):
        ranks = 2**bits - 1
    return ranks, np.floor(2.0 ** rng.uniform(0.0, 24.0, count))
