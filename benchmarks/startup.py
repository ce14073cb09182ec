"""How long a user waits before anything happens: whole commands in processes of their own, and what they import."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.report import Column, Section, Target, seconds

STUDY = "studies/ska-correlator.toml"
CHECK = ["-m", "dse", "check", STUDY]
REPEATS = {"full": 5, "small": 1}
RUNS = {"full": ("ska-correlator", "exascale"), "small": ("ska-correlator",)}
WANTED = {"--help": 0.25, "studies": 0.6, "show": 1.0, "pick": 1.0, "explain": 1.0}

# Runs the command and tells which modules of other projects it has loaded, in their order.
_LIBRARIES = """
import json, runpy, sys
sys.argv = ["dse", *json.loads(sys.argv[1])]
try:
    runpy.run_module("dse", run_name="__main__", alter_sys=True)
except SystemExit as end:
    status = end.code or 0
else:
    status = 0
ours = {"dse", "benchmarks"} | sys.stdlib_module_names
names = [name for name in sys.modules if name.partition(".")[0] not in ours and not name.startswith("_")]
print("\\n" + json.dumps([status, names]))
"""
_IMPORT = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
"""


def commands_of(studies: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the commands that are timed, by what they are called in the table; runs stand in ``runs/``."""
    commands = {name: [name] for name in ("--help", "studies", "models")}
    commands["check ska-correlator"] = ["check", "ska-correlator"]
    for study in studies:
        for name, more in (("show", []), ("pick", ["--knee"]), ("explain", [])):
            commands[f"{name} {study}"] = [name, f"runs/{study}", *more]
        commands[f"compare {study}"] = ["compare", f"runs/{study}:0", f"runs/{study}:1"]
    return commands


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Time the commands in turn, on runs that are made once in a folder of their own."""
    repeats = REPEATS[designs]
    python = {"bare": ["-c", "pass"], "import": ["-c", "import dse"], "study": ["-c", "import dse; dse.Study"]}
    notes = []
    names, trouble = libraries()
    if names is None:
        notes.append(f"'dse check {STUDY}' does not run: {trouble}")
    else:
        python["check"] = CHECK
        python["libraries"] = ["-c", _IMPORT, json.dumps(names)]
        ours = sorted({name.partition(".")[0] for name in names})
        notes.append(f"the libraries of 'dse check': {', '.join(ours)}")
    commands = commands_of(RUNS[designs])
    orders = {name: (ROOT, command) for name, command in python.items()}
    with tempfile.TemporaryDirectory() as folder:
        for study in RUNS[designs]:
            tell(f"the run of {study}")
            _whole(Path(folder), ["-m", "dse", "run", study])
        orders |= {name: (Path(folder), ["-m", "dse", *command]) for name, command in commands.items()}
        times: dict[str, list[float]] = {name: [] for name in orders}
        worked: dict[str, list[float]] = {name: [] for name in orders}
        for turn in range(repeats + 1):
            for name, (place, command) in orders.items():
                tell(f"round {turn} of {repeats}: {name}")
                spent, work = _whole(place, command)
                if turn:  # the first round fills the caches
                    times[name].append(spent)
                    worked[name].append(work)
        imports = {name: imported(Path(folder), command) for name, command in commands.items()}
    labels = {
        "bare": "python",
        "import": "python, import dse",
        "study": "python, import dse, first use of dse.Study",
        "libraries": "python, the libraries that dse check loads",
        "check": f"python -m dse check {STUDY}",
    } | {name: f"dse {name}" for name in commands}
    typical = {name: median(values) for name, values in times.items()}
    rows: list[dict[str, Any]] = [
        {
            "label": labels[name],
            "name": name,
            "seconds": typical[name],
            "least": min(times[name]),
            "processor": min(worked[name]),
            "imports": imports.get(name),
            "all_seconds": times[name],
        }
        for name in labels
        if name in times
    ]
    targets = [Target("import dse, start of Python included", typical["import"], 0.3, "s", False)]
    if "check" in typical:
        beyond = max(typical["check"] - typical["libraries"], 0.0)
        targets.append(Target("dse check, beyond its libraries", beyond, 1.0, "s", False))
    for name in commands:
        if wanted := WANTED.get(name.partition(" ")[0]):
            targets.append(Target(f"dse {name}", typical[name], wanted, "s", False))
    return Section(
        "start-up",
        f"Start-up: whole processes, medians and least of {repeats} (processor: least)",
        [
            Column("label", "command"),
            Column("seconds", "median", seconds),
            Column("least", "least", seconds),
            Column("processor", "processor", seconds),
            Column("imports", "imports", seconds),
        ],
        rows,
        targets,
        [],
        notes,
    )


def _whole(folder: Path, command: list[str]) -> tuple[float, float]:
    """Return the seconds of a process, from its start to its end, and what it used of the processor.

    The least of the latter says something on a machine that others use, too.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], cwd=folder, check=True, capture_output=True)
    spent, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imported(folder: Path, command: list[str]) -> float:
    """Return the seconds that a command of dse imports for, by Python's own account (which costs time itself)."""
    whole = [sys.executable, "-X", "importtime", "-m", "dse", *command]
    told = subprocess.run(whole, cwd=folder, check=True, capture_output=True, text=True).stderr
    lines = [line.removeprefix("import time:").split("|") for line in told.splitlines() if "|" in line]
    return sum(int(line[0]) for line in lines if line[0].strip().isdigit()) / 1e6


def libraries() -> tuple[list[str] | None, str]:
    """Return the modules of other projects that ``dse check`` loads, or None and what went wrong."""
    done = subprocess.run(
        [sys.executable, "-c", _LIBRARIES, json.dumps(CHECK[2:])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    if done.returncode:
        return None, lines[-1] if lines else f"exit code {done.returncode}"
    status, names = json.loads(done.stdout.splitlines()[-1])
    if status:
        return None, " ".join(lines[:-1])[-200:] or f"exit code {status}"
    return names, ""
