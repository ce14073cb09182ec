"""What a user waits for, command by command: a million designs with their page, the explanation of one, the imports."""

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

# The tables are the synthetic ones that come with the project: they describe no real machine.
STUDY = """
name = "million"
question = "SYNTHETIC: how long does a million designs take?"
models = ["hybrid"]
constraints = ["nodes * cores <= 100000"]
objectives = [{ minimize = "run_time" }, { minimize = "energy" }]
[tables]
baselines = { file = "hybrid/baselines.csv", where = { system = "xeon", program = "SP" } }
messages = { file = "hybrid/messages.csv", where = { system = "xeon", program = "SP" } }
power = { file = "hybrid/power.csv", where = { system = "xeon" } }
[space.axes]
nodes = { range = [1, @NODES@] }
cores = { range = [1, 8] }
frequency = { linspace = ["1.2 GHz", "1.8 GHz", 250] }
"""
NODES = {"full": 500, "small": 50}
REPEATS = {"full": 3, "small": 1}
IMPORTS = (
    "import pandas, pint, pyarrow.parquet, dse.cli.commands.explain, dse.analysis.explain.explain, "
    "dse.run.result.run, dse.study.study"
)
# Explains a design in a process that has everything imported, as the command does it.
EXPLAIN = f"""
{IMPORTS}
import json, time
start = time.perf_counter()
from dse import Run
Run.load("run").explain(0)
first = time.perf_counter() - start
run = Run.load("run")
run.explain(0)
start = time.perf_counter()
run.explain(len(run.frontier) - 1)
print(json.dumps([first, time.perf_counter() - start]))
"""


def measure(folder: Path, *, nodes: int, repeats: int, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run the commands in processes of their own and return their seconds, medians of some repeats."""
    (folder / "million.toml").write_text(STUDY.replace("@NODES@", str(nodes)))
    command = [sys.executable, "-m", "dse"]
    steps: dict[str, list[str]] = {
        "python": [sys.executable, "-c", "pass"],
        "import dse": [sys.executable, "-c", "import dse"],
        "imports": [sys.executable, "-c", IMPORTS],
        "run": [*command, "run", "million.toml", "--out", "run", "--fresh", "--report", "--json"],
        "explain": [*command, "explain", "run", "--json"],
        "inside": [sys.executable, "-c", EXPLAIN],
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    answers: dict[str, Any] = {}
    for turn in range(1 if repeats == 1 else 0, repeats + 1):
        for name, step in steps.items():
            tell(f"round {turn} of {repeats}: {name}")
            start = time.perf_counter()
            done = subprocess.run(step, cwd=folder, check=True, capture_output=True, text=True)
            if turn:  # the first round fills the caches
                times[name].append(time.perf_counter() - start)
            answers[name] = json.loads(done.stdout) if done.stdout.strip() else None
    told = answers["run"]
    require(told["designs"] == 2000 * nodes, "the designs asked for and the designs searched")
    require(
        answers["explain"]["design"] == told["frontier"][0]["design"],
        "the design explained and the one of the frontier",
    )
    typical = {name: median(values) for name, values in times.items()}
    page = folder / "run" / "report.html"
    return {
        **typical,
        "explain beyond imports": max(typical["explain"] - typical["imports"], 0.0),
        "explain inside, first": answers["inside"][0],
        "explain inside, next": answers["inside"][1],
        "search": told["timings"]["search_seconds"],
        "designs": told["designs"],
        "frontier": len(told["frontier"]),
        "page bytes": page.stat().st_size,
    }


LABELS = {
    "python": "python",
    "import dse": "python, import dse",
    "imports": "python, everything that dse explain imports",
    "search": "the search alone, inside dse run",
    "run": "dse run million.toml --report",
    "explain": "dse explain, one design",
    "explain beyond imports": "dse explain, beyond its imports",
    "explain inside, first": "Run.load and explain, first time in a process",
    "explain inside, next": "explain, next design",
}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure in a folder that goes afterwards."""
    with tempfile.TemporaryDirectory() as place:
        told = measure(Path(place), nodes=NODES[designs], repeats=REPEATS[designs], tell=tell)
    rows = [{"label": label, "name": name, "seconds": told[name]} for name, label in LABELS.items()]
    return Section(
        "endtoend",
        f"End to end: {told['designs']:,} designs of a SYNTHETIC study; medians of {REPEATS[designs]}",
        [Column("label", "step"), Column("seconds", "time", seconds)],
        rows,
        [
            Target("dse run with its report", told["run"], 5.0, "s", False),
            Target("dse explain, beyond its imports", told["explain beyond imports"], 0.5, "s", False),
        ],
        [f"{told['designs']:,} designs asked for and searched; the design explained is the first of the frontier"],
        [f"frontier of {told['frontier']} designs; page of {number(told['page bytes'])}B"],
    )
