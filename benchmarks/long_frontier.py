"""A space whose designs are all on the frontier: what whole commands on such a run take, time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, require
from benchmarks.report import Column, Section, Target, number, seconds

DESIGNS = {"full": 1_000_000, "small": 100_000}
SECONDS, MIB = 6.0, 400.0

MODEL = """
from dse import parameter, quantity

{parameters}

@quantity(unit="1", source="made up", valid={{"b": (0, 20)}})
def up(a, b):
    return 1000 * a + b


@quantity(unit="1", source="made up")
def down(a, b):
    return -1000 * a - b


@quantity(unit="1", source="made up")
def bowl(a, b):
    return (a - 500) ** 2 + (b - 300) ** 2


@quantity(unit="1", source="made up")
def aside(up, b):
    return up * b
"""
STUDY = """
name = "{name}"
models = ["model_{name}.py"]
{also}

[[objectives]]
minimize = "up"

[[objectives]]
minimize = "down"
{third}
[space.axes]
{axes}
"""
PLAIN, TEXTS, THREE = "plain", "texts", "three"
THIRD = """
[[objectives]]
minimize = "bowl"
"""
SIDE = 1000  # values of an axis at most: `up` tells all designs apart

# The last line of the error stream: processor seconds, and the most memory the process ever had. One job: no children.
_MEASURED = """
import json, resource, sys
from dse.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    status = end.code or 0
sys.stdout.flush()
spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
cpu = sum(use.ru_utime + use.ru_stime for use in spent)
sys.path.insert(0, {root!r})
from benchmarks.machine import peak_mib
print(json.dumps([cpu, peak_mib()]), file=sys.stderr)
sys.exit(status)
"""


def make(folder: Path, designs: int) -> None:
    """Write studies of so many designs: numbers alone; parts and a further quantity; a third objective."""
    rows = max(1, designs // SIDE)
    parts = [f"part {row},{row},made up,{('low', 'high')[row % 2]}" for row in range(rows)]
    (folder / "parts.csv").write_text("\n".join(["name,a [1],source,confidence", *parts]) + "\n")
    b = f"b = {{ range = [0, {min(designs, SIDE) - 1}] }}"
    parameters = "\n".join(f'{name} = parameter(unit="1", doc="Made up")' for name in "ab")
    a = f"a = {{ range = [0, {rows - 1}] }}"
    for name, first, also, third in (
        (PLAIN, a, "", ""),
        (TEXTS, 'part = { part = "parts.csv" }', 'also = ["aside"]', ""),
        (THREE, a, "", THIRD),
    ):
        (folder / f"model_{name}.py").write_text(MODEL.format(parameters=parameters))
        (folder / f"{name}.toml").write_text(STUDY.format(name=name, also=also, third=third, axes=f"{first}\n{b}"))


def measure(folder: Path, *arguments: str) -> dict[str, Any]:
    """Run a command of `dse` in a process of its own: processor and wall seconds, MiB at most, bytes of output."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _MEASURED.format(root=str(ROOT)), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    require(done.returncode == 0, f"dse {' '.join(arguments)} ends well: {done.stderr[-300:]}")
    cpu, mib = json.loads(done.stderr.splitlines()[-1])
    return {"command": f"dse {' '.join(arguments)}", "cpu": cpu, "wall": wall, "mib": mib, "output": len(done.stdout)}


def commands(name: str) -> list[Sequence[str]]:
    """Return what is asked of a run, in this order."""
    return [
        ("run", f"{name}.toml", "--out", name),
        ("show", name),
        ("verify", name),
        ("report", name),
        ("show", name, "--json"),
    ]


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure every command once, and what a tiny run takes."""
    size = DESIGNS[designs]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        tiny, long = Path(place) / "tiny", Path(place) / "long"
        for folder, count in ((tiny, 10), (long, size)):
            folder.mkdir()
            make(folder, count)
        for folder, count, name in ((tiny, 10, PLAIN), (long, size, PLAIN), (long, size, TEXTS), (long, size, THREE)):
            for arguments in commands(name)[: None if folder is long and name != THREE else 1]:
                tell(f"{count} designs: {' '.join(arguments)}")
                rows.append({"designs": count, **measure(folder, *arguments)})
            manifest = json.loads((folder / name / "manifest.json").read_text())
            require(manifest["frontier"]["rows"] == count, f"all {count} designs are on the frontier")
    whole = rows[1]
    return Section(
        "long-frontier",
        f"{size} designs, all of them on the frontier; whole commands, once each",
        [
            Column("designs", "designs", number),
            Column("command", "command"),
            Column("cpu", "processor", seconds),
            Column("wall", "wall", seconds),
            Column("mib", "most memory [MiB]", number),
            Column("output", "output [B]", number),
        ],
        rows,
        [
            Target(f"dse run, {size} designs on the frontier", whole["cpu"], SECONDS, "s", False),
            Target(f"dse run, {size} designs on the frontier, memory", whole["mib"], MIB, "MiB", False),
        ],
        ["every design is on the frontier"],
        [
            "the first row is what any command takes: Python, its libraries, the checks of a study",
            "texts: with a catalogue of parts, their confidence, a further quantity and a mark of what is extrapolated",
            "three: with a third objective, where designs are much slower to compare; there is no target for it",
        ],
    )
