"""How long a user waits before anything happens: ``import dse`` and ``dse check``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.report import Column, Section, Target, seconds

STUDY = "studies/ska-correlator.toml"
CHECK = ["-m", "dse", "check", STUDY]
REPEATS = {"full": 11, "small": 3}

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


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Time the commands in turn."""
    repeats = REPEATS[designs]
    commands: dict[str, list[str]] = {
        "bare": ["-c", "pass"],
        "import": ["-c", "import dse"],
        "study": ["-c", "import dse; dse.Study"],
        "numpy": ["-c", "import numpy"],
    }
    notes = []
    names, trouble = libraries()
    if names is None:
        notes.append(f"'dse check {STUDY}' does not run: {trouble}")
    else:
        commands["check"] = CHECK
        commands["libraries"] = ["-c", _IMPORT, json.dumps(names)]
        ours = sorted({name.partition(".")[0] for name in names})
        notes.append(f"the libraries of 'dse check': {', '.join(ours)}")
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(repeats + 1):
        for name, command in commands.items():
            tell(f"round {turn} of {repeats}: {name}")
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
            if turn:  # the first round fills the caches
                times[name].append(time.perf_counter() - start)
    labels = {
        "bare": "python",
        "numpy": "python, import numpy",
        "import": "python, import dse",
        "study": "python, import dse, first use of dse.Study",
        "libraries": "python, the libraries that dse check loads",
        "check": f"python -m dse check {STUDY}",
    }
    typical = {name: median(values) for name, values in times.items()}
    rows: list[dict[str, Any]] = [
        {
            "label": labels[name],
            "name": name,
            "seconds": typical[name],
            "beyond": typical[name] - typical["bare"],
            "all_seconds": times[name],
        }
        for name in labels
        if name in times
    ]
    targets = [Target("import dse, start of Python included", typical["import"], 0.3, "s", False)]
    if "check" in typical:
        beyond = max(typical["check"] - typical["libraries"], 0.0)
        targets.append(Target("dse check, beyond its libraries", beyond, 1.0, "s", False))
    return Section(
        "startup",
        f"Start-up; medians of {repeats}, warm file cache",
        [
            Column("label", "command"),
            Column("seconds", "time", seconds),
            Column("beyond", "beyond bare python", seconds),
        ],
        rows,
        targets,
        [],
        notes,
    )


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
