"""The benchmark: what a run on one network says of the same run on the other, beside that run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.report import Column, Section, seconds
from benchmarks.two_networks.measuring import (
    NETWORKS,
    PROGRAMS,
    compiled,
    measured_network,
    missing_tools,
    record,
)
from dse.models.replay import Network, Trace, replay

__all__ = ["compare", "run"]

TRIES = {"full": 25, "small": 1}
PING_PONGS = {"full": 5, "small": 1}
KEEP: Path | None = None
"""A folder for the traces of the quickest runs."""

Runs = Mapping[tuple[str, str], tuple[Trace, float]]


def compare(runs: Runs, networks: Mapping[str, Network]) -> list[dict[str, Any]]:
    """Return, for each program and each order of the networks, the seconds predicted beside those measured.

    Parameters
    ----------
    runs : mapping of (program, network) to (Trace, seconds)
    networks : mapping of str to Network

    Notes
    -----
    ``replayed`` is the replay of the one run on the other network. ``scaled`` is the measured time of the one run,
    times the ratio of the two replays: what a replay leaves out on the one network, it is taken to leave out on the
    other.
    """
    rows = []
    for program, network in runs:
        trace, of_run = runs[program, network]
        own = float(replay(trace, networks[network]).time)
        for other in networks:
            if other == network:
                continue
            there = runs[program, other][1]
            replayed = float(replay(trace, networks[other]).time)
            scaled = of_run * replayed / own
            rows.append(
                {
                    "program": program,
                    "from": network,
                    "to": other,
                    "measured": of_run,
                    "own": own,
                    "there": there,
                    "replayed": replayed,
                    "error": replayed / there - 1.0,
                    "scaled": scaled,
                    "scaled_error": scaled / there - 1.0,
                    "unchanged_error": of_run / there - 1.0,
                }
            )
    return rows


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure both networks, run both programs on each by turns, and predict each run from the other."""
    columns = [
        Column("program", "program"),
        Column("from", "recorded over"),
        Column("measured", "measured", seconds),
        Column("own", "replayed there", seconds),
        Column("to", "predicted over"),
        Column("there", "measured", seconds),
        Column("replayed", "replayed", seconds),
        Column("error", "error", _share),
        Column("scaled", "scaled", seconds),
        Column("scaled_error", "error", _share),
        Column("unchanged_error", "error if nothing changed", _share),
    ]
    title = "Two networks of one machine, 2 ranks: shared memory and TCP (least of many runs)"
    missing = missing_tools()
    if missing:
        return Section("two-networks", title, columns, [], notes=[f"not installed: {', '.join(missing)}"])
    runs: dict[tuple[str, str], tuple[Trace, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell("ping-pongs")
        programs = compiled(folder)
        networks = {
            transport.name: measured_network(programs["ping-pong"], transport, PING_PONGS[designs])
            for transport in NETWORKS
        }
        tell("runs")
        for _ in range(TRIES[designs]):
            for program, (_, words) in PROGRAMS.items():
                for transport in NETWORKS:
                    out = folder / "run.csv"
                    trace, taken = record(programs[program], words, transport, out)
                    if taken < runs.get((program, transport.name), (trace, float("inf")))[1]:
                        runs[program, transport.name] = trace, taken
                        if KEEP is not None:
                            shutil.copy(out, KEEP / f"{program}-2-{transport.name}.csv")
    notes = [
        f"{name}: latency {1e6 * net.latency:.3f} us, overhead {1e6 * net.overhead:.3f} us, of a receive "
        f"{1e6 * net.receiver_overhead:.3f} us, {net.bandwidth / 1e9:.3f} GB/s, eager up to {net.eager_limit:,.0f} B"
        for name, net in networks.items()
    ]
    notes.append("scaled: the measured time of the one run, times the ratio of the two replays.")
    return Section("two-networks", title, columns, compare(runs, networks), notes=notes)


def _share(value: float) -> str:
    return f"{100.0 * value:+.0f} %"
