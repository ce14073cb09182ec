"""What it costs to check every frontier before it is shown: whole runs with the check and without it, in turn."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import require
from benchmarks.report import Column, Section, Target, number, seconds

STUDIES = {
    "full": ("ska-correlator", "topology-break-even", "exascale"),
    "small": ("ska-correlator", "topology-break-even"),
}
TURNS = {"full": 5, "small": 1}
SHARE = 0.05
SHORT, SHORT_COST = 2.0, 0.1  # of a run that is over sooner, a share says nothing

# Without: the sample is evaluated all the same, since the run keeps it.
COMMAND = """
import dse.run.execute.execute as execute
from dse.cli.main import main
from dse.run.result.self_check import SelfCheck, evaluate_flat, sample_numbers

if not {checked}:
    def sample_alone(problem, numbers, values, certificate, *, share):
        return SelfCheck({{}}, (), evaluate_flat(problem, sample_numbers(problem, share)))
    execute.check_frontier = sample_alone
main(["run", {study!r}, "--out", {out!r}, "--fresh"])
"""


def timed(folder: Path, study: str, *, checked: bool) -> tuple[float, dict[str, Any]]:
    """Return the seconds of a whole run in a process of its own, and what its certificate says of the check."""
    out = folder / ("with" if checked else "without") / study
    start = time.perf_counter()
    command = COMMAND.format(checked=checked, study=study, out=str(out))
    subprocess.run([sys.executable, "-c", command], check=True, capture_output=True, cwd=folder)
    took = time.perf_counter() - start
    return took, json.loads((out / "manifest.json").read_text())


def measure(folder: Path, study: str, turns: int, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run a study with and without the check, in turn, and return the medians."""
    times: dict[bool, list[float]] = {True: [], False: []}
    told: dict[bool, dict[str, Any]] = {}
    for turn in range(turns):
        for checked in (False, True):
            tell(f"{study}: {turn + 1} of {turns}, {'with' if checked else 'without'} the check")
            took, told[checked] = timed(folder, study, checked=checked)
            times[checked].append(took)
    frontiers = [told[checked]["files"]["frontier.parquet"] for checked in (True, False)]
    require(frontiers[0] == frontiers[1], f"the frontier of {study} with and without its check")
    counts = told[True]["certificate"]["checked"]
    require(counts["better"] == 0, f"nothing beats the frontier of {study}")
    typical = {name: median(times[checked]) for name, checked in (("with", True), ("without", False))}
    return {"study": study, **typical, "cost": typical["with"] - typical["without"], **counts}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure in a folder that goes afterwards."""
    with tempfile.TemporaryDirectory() as place:
        rows = [measure(Path(place), study, TURNS[designs], tell) for study in STUDIES[designs]]
    targets = []
    for row in rows:
        wanted = SHORT_COST if row["without"] < SHORT else SHARE * row["without"]
        targets.append(Target(f"the check of {row['study']}", max(row["cost"], 0.0), wanted, "s", False))
    return Section(
        "checks",
        f"A frontier that is checked before it is shown; whole commands, medians of {TURNS[designs]}",
        [
            Column("study", "study"),
            Column("without", "without", seconds),
            Column("with", "with the check", seconds),
            Column("designs", "random designs", number),
            Column("feasible", "feasible", number),
            Column("neighbours", "neighbours", number),
        ],
        rows,
        targets,
        ["the frontiers with and without the check, byte for byte"],
        [f"wanted: at most {100 * SHARE:.0f} % of the run, or {SHORT_COST} s of one that is over in {SHORT:.0f} s"],
    )
