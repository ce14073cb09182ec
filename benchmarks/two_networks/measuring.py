"""Runs of the examples on two networks of this machine: recorded event by event, the least of many runs kept."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dse.models.replay import Network, Trace, read_trace

__all__ = ["NETWORKS", "PROGRAMS", "Transport", "compiled", "measured_network", "missing_tools", "record"]

_HERE = Path(__file__).parent
_EXAMPLES = _HERE.parents[1] / "profiler" / "examples"
_HEADINGS = "rank,kind,seconds,peer,bytes,tag,request,op,enter,exit"
_BANDWIDTH_AT = 32_768
_TIMEOUT = 60.0


class Transport(NamedTuple):
    """A way of Open MPI between two ranks of a node, and the largest message it sends without asking [B]."""

    name: str
    layers: str
    eager_limit: float


NETWORKS = (Transport("shared-memory", "self,vader", 4096.0), Transport("tcp", "self,tcp", 65_536.0))
PROGRAMS = {"heat": ("heat_mpi.c", ["2000", "200"]), "fft": ("fft.c", ["64"])}
"""Source and words: 2,000 cells on each rank and 200 steps; transforms of 64 x 64 numbers."""


def missing_tools() -> list[str]:
    """Return what of Open MPI is not installed."""
    return [tool for tool in ("mpicc", "mpirun") if shutil.which(tool) is None]


def compiled(folder: Path) -> dict[str, Path]:
    """Return the ping-pong and the recorded examples, compiled."""
    sources = {name: [_EXAMPLES / source, _HERE / "recorder.c"] for name, (source, _) in PROGRAMS.items()}
    sources["ping-pong"] = [_HERE / "pingpong.c"]
    for name, files in sources.items():
        command = ["mpicc", "-O2", *map(str, files), "-lm", "-o", str(folder / name)]
        subprocess.run(command, check=True, timeout=_TIMEOUT, capture_output=True)
    return {name: folder / name for name in sources}


def _run(program: Path, words: Sequence[str], transport: Transport, recorded: Path | None = None) -> str:
    command = ["mpirun", "--allow-run-as-root", "--mca", "btl", transport.layers, "-np", "2", str(program), *words]
    environment = os.environ | ({} if recorded is None else {"RECORDED": str(recorded)})
    done = subprocess.run(command, check=True, timeout=_TIMEOUT, capture_output=True, text=True, env=environment)
    return done.stdout


def measured_network(program: Path, transport: Transport, repetitions: int) -> Network:
    """Return L, o, o_r and B of a transport from ping-pongs, of each the least of all repetitions.

    Notes
    -----
    o is the time of a send of 8 B, o_r as much unless half a round trip leaves less; L is the rest of it. On a loop of
    TCP the kernel hands the message over inside of the send, so that nothing may be left for L. B is what 32 KiB take
    longer.
    """
    least: dict[tuple[str, int], float] = {}
    for _ in range(repetitions):
        for line in _run(program, [], transport).splitlines():
            name, size, seconds, _ = line.split()
            key = name, int(size)
            least[key] = min(float(seconds), least.get(key, float("inf")))
    half = least["half-trip", 8]
    send = min(least["send", 8], half)
    receive = min(send, half - send)
    bandwidth = (_BANDWIDTH_AT - 8) / (least["half-trip", _BANDWIDTH_AT] - half)
    return Network(half - send - receive, send, bandwidth, receive, eager_limit=transport.eager_limit)


def record(program: Path, words: Sequence[str], transport: Transport, out: Path) -> tuple[Trace, float]:
    """Run once; write the trace of it, and return it with the seconds of the run."""
    _run(program, words, transport, out.with_suffix(""))
    parts = [out.with_suffix(f".{rank}") for rank in range(2)]
    header = f"# name: {program.name} over {transport.name}\n# clock: CLOCK_MONOTONIC of one node\n"
    out.write_text(header + _HEADINGS + "\n" + "".join(part.read_text(encoding="ascii") for part in parts))
    trace = read_trace(out)
    return trace, float(trace.exit.max() - trace.enter.min())
