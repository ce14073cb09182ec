"""Replay of a trace: events a second of reading, levelling and evaluating, beside a plain Python loop of events."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.machine import require
from benchmarks.report import Column, Section, Target, number, ratio, seconds
from dse.models.replay import Network, Trace, analyse, read_trace, replay, write_trace
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, KINDS, OPERATIONS, RECV, SEND, WAIT
from dse.models.replay.trace.synthetic import stencil_trace

STEPS = {"full": 1421, "small": 12}
"""Steps of 11 events of 64 ranks: 10^6 events in full."""
ARCHIVED = {"full": 142, "small": 4}
"""Steps of the run that is written and read in other formats: 10^5 events in full."""
LOOPED = {"full": 142, "small": 4}
LARGE = {"full": 4385, "small": 4}
"""Steps of the run whose Paraver trace is read in a process of its own: 10^7 lines in full."""
DESIGNS = {"full": 10, "small": 3}
NETWORK = Network(2e-6, 0.5e-6, 10e9, collectives="simple")
_SIMULATION = Path(__file__).parents[1] / "tests" / "models" / "replay" / "event_simulation.py"


@lru_cache(maxsize=1)
def simulation() -> ModuleType:
    """Return the event simulation of the tests, which shares no code with the models."""
    spec = importlib.util.spec_from_file_location("_replay_event_simulation", _SIMULATION)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_programs(trace: Trace) -> list[list[tuple[Any, ...]]]:
    """Return the events of each rank as the simulation takes them."""
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(trace.ranks)]
    columns = (
        trace.rank,
        trace.kind,
        trace.seconds,
        trace.peer,
        trace.bytes,
        trace.tag,
        trace.request,
        trace.operation,
    )
    for rank, kind, lasts, peer, held, tag, request, operation in zip(*(one.tolist() for one in columns), strict=True):
        fields: tuple[Any, ...] = ()
        if kind == COMPUTE:
            fields = (lasts,)
        elif kind in (SEND, ISEND):
            fields = (peer, held, tag, request)
        elif kind in (RECV, IRECV):
            fields = (peer, tag, request)
        elif kind == WAIT:
            fields = (request,)
        elif kind == COLLECTIVE:
            fields = (OPERATIONS[operation], held)
        found[rank].append((KINDS[kind], *fields))
    return found


def _timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function gives, and its processor time [s]."""
    start = time.process_time()
    given = function()
    return given, time.process_time() - start


def _formats(designs: str, folder: Path, loop_rate: float) -> list[dict[str, Any]]:
    """Time the reading of archives: the same run in three formats, and the library's own classes on one of them."""
    trace = stencil_trace((8, 8), ARCHIVED[designs])
    records = []
    for label, name in (("Paraver", "run.prv"), ("OTF2", "run.otf2")):
        back, taken = _timed(partial(read_trace, write_trace(trace, folder / name, network=NETWORK)))
        same = np.allclose(replay(back, NETWORK).finish, replay(trace, NETWORK).finish, rtol=1e-9, atol=0.0)
        require(bool(same), f"finish of 64 ranks through {label}")
        records.append(_record(f"reading {label}, with every check", back.events, taken, loop_rate))
    import otf2

    with otf2.reader.open(str(folder / "run.otf2")) as archive:
        count, taken = _timed(lambda: sum(1 for _ in archive.events))
    records.append(_record("OTF2 by the classes of its library, records", count, taken, loop_rate))
    return records


_READS = """
import resource, sys, time
from dse.models.replay import read_trace
start = time.process_time()
trace = read_trace(sys.argv[1])
print(trace.events, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _large(designs: str, folder: Path) -> tuple[int, int, float, float]:
    """Return lines of a Paraver trace, events of it, processor time of reading it [s], and memory at the peak [MiB]."""
    path = write_trace(stencil_trace((8, 8), LARGE[designs]), folder / "large.prv", network=NETWORK)
    with path.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(partial(file.read, 1 << 20), b""))
    command = [sys.executable, "-c", _READS, str(path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=1800).stdout.split()
    return lines, int(printed[0]), float(printed[1]), int(printed[2]) / 1024


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Compare the finish of every rank with the loop of events, then time reading, the first replay and others."""
    tell("loop of events")
    small = stencil_trace((8, 8), LOOPED[designs])
    programs = as_programs(small)
    looped, loop_time = _timed(lambda: simulation().simulate(programs, 2e-6, 0.5e-6, 0.5e-6, 10e9, 8192.0))
    finish = replay(small, NETWORK).finish
    require(bool(np.allclose(finish, looped, rtol=1e-9, atol=0.0)), "finish of 64 ranks: replay and loop of events")
    loop_rate = small.events / loop_time
    tell("trace")
    with tempfile.TemporaryDirectory() as folder:
        path = write_trace(stencil_trace((8, 8), STEPS[designs]), Path(folder) / "trace.csv")
        tell("reading")
        trace, read = _timed(lambda: read_trace(path))
        tell("other formats")
        archived = _formats(designs, Path(folder), loop_rate)
        tell("large Paraver trace")
        lines, large, large_time, large_memory = _large(designs, Path(folder))
        archived.append(_record(f"Paraver trace of {lines:,} lines, in its own process", large, large_time, loop_rate))
    tell("replay")
    _, first = _timed(lambda: replay(trace, NETWORK))
    _, other = _timed(lambda: replay(trace, NETWORK.with_(latency=1e-6)))
    several = Network(np.linspace(1e-6, 2e-6, DESIGNS[designs]), 0.5e-6, 10e9, collectives="simple")
    _, many = _timed(lambda: replay(trace, several))
    tell("analysis")
    _, whole = _timed(lambda: analyse(trace, NETWORK))
    records = [
        _record("loop of events, in Python", small.events, loop_time, loop_rate),
        _record("reading CSV, with every check", trace.events, read, loop_rate),
        *archived,
        _record("first replay: levels and times", trace.events, first, loop_rate),
        _record("another network", trace.events, other, loop_rate),
        _record(f"each of {DESIGNS[designs]} networks together", trace.events, many / DESIGNS[designs], loop_rate),
        _record("analysis: four modes, pattern, waits", trace.events, whole, loop_rate),
    ]
    targets = []
    if designs == "full":
        targets = [
            Target("reading and first replay of 10^6 events", read + first, 10.0, "s", more=False),
            Target("each further network", many / DESIGNS[designs], 1.0, "s", more=False),
            Target("memory of reading a Paraver trace of 10^7 lines", large_memory, 1024.0, "MiB", more=False),
        ]
    return Section(
        "replay",
        f"Replay of a stencil of 64 ranks (SYNTHETIC), {trace.events:,} events, one core, processor time",
        [
            Column("label", "what"),
            Column("events", "events", number),
            Column("time", "time", seconds),
            Column("rate", "events/s", number),
            Column("gain", "over the loop", ratio),
        ],
        records,
        targets=targets,
        asserted=["the finish of 64 ranks equals the loop of events, and itself through OTF2 and Paraver, to 1e-9"],
        notes=[
            "The loop is the event simulation of the tests: a heap, and a generator for each rank.",
            f"Paraver trace of {lines:,} lines: {large_memory:,.0f} MiB at the peak of its process.",
        ],
    )


def _record(label: str, events: int, taken: float, loop_rate: float) -> dict[str, Any]:
    rate = events / max(taken, 1e-9)
    return {"label": label, "events": events, "time": taken, "rate": rate, "gain": rate / loop_rate}
