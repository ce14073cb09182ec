"""What recording costs: processor time and memory of a breadth-first search, recorded and plain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import ROOT, require
from benchmarks.report import Column, Section, Target, mebibytes, number, ratio, seconds

PROFILER = ROOT / "profiler"
SEARCH = {"full": ("16", "16", "3"), "small": ("10", "16", "1")}
"""Binary logarithm of the vertices, edges of each, searches."""
REPEATS = {"full": 3, "small": 1}
"""Of what takes no more than some times as long as the plain program; the rest runs once."""
LONG = 20.0
LEAST = 100_000_000
VARIANTS: dict[str, dict[str, str] | None] = {
    "plain program": None,
    "instrumented, buffers thrown away": {},
    "instrumented, mix only": {"DSE_PROFILE_METRICS": "mix"},
    "default: parallelism from 1 event in 10": {"DSE_PROFILE_SAMPLE": "ilp=10"},
    "all exact": {"DSE_PROFILE_SAMPLE": "none"},
}
WANTED = dict(zip(list(VARIANTS)[1:], (2.5, 8.0, 80.0, 200.0), strict=True))
"""Times the processor time of the plain program."""
MEMORY = 2.0
"""Times `tables`, at most, what recording everything exactly takes beside the plain program."""
COLUMNS = [
    Column("variant", "variant"),
    Column("seconds", "processor", seconds),
    Column("ratio", "/ plain", ratio),
    Column("mib", "peak MiB", mebibytes),
    Column("rate", "instructions/s", number),
]


# A process begins with the memory of the one that started it: so by a small one.
_LAUNCH = """
import json, resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]), file=sys.stderr)
"""


def missing() -> str | None:
    """Return what keeps the profiler from being built, or None."""
    absent = [one for one in ("sh", "make", "g++") if not shutil.which(one)]
    if not any(shutil.which(f"clang-{n}") and shutil.which(f"llvm-config-{n}") for n in range(14, 22)):
        absent.append("clang with llvm-config (apt-get install clang-19 llvm-19-dev)")
    return f"not measured: there is no {', no '.join(absent)}" if absent else None


def _once(command: list[str], environment: dict[str, str]) -> tuple[str, float, float]:
    """Return what a program printed, its processor time [s] and the most memory it had [MiB]."""
    launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, *command]
    done = subprocess.run(launch, env=environment, capture_output=True, text=True, check=True)
    status, took, most = json.loads(done.stderr.splitlines()[-1])
    require(status == 0, f"{command[0]}: ends with 0")
    return done.stdout, took, most


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Run the search plain and recorded, in turn; what it prints and the counts of all modes must agree."""
    section = Section("profiler", "Recording a breadth-first search (instrumented / plain)", COLUMNS, [])
    if reason := missing():
        section.notes.append(reason)
        return section
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell("building")
        source, programs = str(PROFILER / "examples" / "bfs.c"), {True: folder / "recorded", False: folder / "plain"}
        wrapper = str(PROFILER / "wrappers" / "dse-cc")
        subprocess.run([wrapper, "-O3", source, "-o", str(programs[True])], check=True)
        # The same compiler as the wrapper's: -E hands the arguments on as they are, and -### names the program.
        told = subprocess.run([wrapper, "-###", "-E", source], capture_output=True, text=True, check=True).stderr
        clang = next(line.split('"')[1] for line in told.splitlines() if '"-cc1"' in line)
        subprocess.run([clang, "-O3", source, "-o", str(programs[False])], check=True)
        found: dict[str, list[tuple[float, float]]] = {variant: [] for variant in VARIANTS}
        outputs, records = set(), {}
        for round_ in range(REPEATS[designs]):
            for variant, settings in VARIANTS.items():
                if round_ and WANTED.get(variant, 1.0) > LONG:
                    continue
                tell(f"{variant}, round {round_ + 1}")
                environment = {key: value for key, value in os.environ.items() if not key.startswith("DSE_PROFILE_")}
                raw = folder / "raw"
                shutil.rmtree(raw, ignore_errors=True)
                raw.mkdir()
                if settings:
                    environment |= {"DSE_PROFILE_DIR": str(raw), **settings}
                text, *used = _once([str(programs[settings is not None]), *SEARCH[designs]], environment)
                outputs.add(text)
                found[variant].append((used[0], used[1]))
                if settings:
                    records[variant] = _thread(raw)
        require(len(outputs) == 1, "output of the program, plain and recorded")
        mixes = [one["mix"]["load"] for one in records.values()]
        require(len(set(mixes)) == 1, "loads counted in every mode")
    instructions = next(iter(records.values()))["instructions"]
    if designs == "full":
        require(instructions >= LEAST, f"{LEAST:,} instructions at least")
    beside = max(used[1] for used in found["all exact"]) - max(used[1] for used in found["plain program"])
    taken, allowed = beside * 2**20, tables(records["all exact"])
    require(taken <= MEMORY * allowed, f"memory of all exact: at most {MEMORY:g} times the sizes of its tables")
    if designs == "full":  # a small search takes less than what starts it
        section.notes.append(f"all exact takes {taken / allowed:.3g} times the memory of the formula of its tables")
    plain = median(used[0] for used in found["plain program"])
    for variant, uses in found.items():
        took, most = median(used[0] for used in uses), max(used[1] for used in uses)
        section.rows.append(
            {"variant": variant, "seconds": took, "ratio": took / plain, "mib": most, "rate": instructions / took}
        )
        if variant in WANTED:
            section.targets.append(Target(variant, took / plain, WANTED[variant], "x", more=False))
    section.asserted.append("output of the program in every variant; loads counted in every mode")
    section.notes.append(
        f"{instructions:,} instructions; medians of {REPEATS[designs]}, default and exact once; in turn"
    )
    return section


def tables(thread: dict[str, Any]) -> float:
    """Return the memory of a record's tables [B]: 48 a line of each size, 32 for 8 B touched, branches, buffers."""
    lines = sum(one["cold"] for one in thread["reuse"] if one["kind"] == "data")
    return float(48 * lines + 32 * thread["footprint_bytes"] / 8 + 2**25 + 2**20)


def _thread(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.dseprof")
    (thread,) = json.loads(path.read_text(encoding="utf-8"))["threads"]
    return dict(thread)
