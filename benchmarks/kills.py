"""Killing a run at random moments: each time the same command goes on, and it ends with the bytes of a quiet run."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import Column, Section

KILLS = {"full": 50, "small": 5}

STUDY = """
name = "kills"
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
[search]
method = "exhaustive"
"""

# Small chunks, so that a kill falls between finished ones: what a long search has with its usual ones.
COMMAND = """
from dse.search.bundles.exhaustive import ExhaustiveProduct
ExhaustiveProduct.__init__.__kwdefaults__["chunk"] = 2**20
from dse.cli.main import main
main(["run", "kills.toml", "--out", {out!r}])
"""


def start(folder: Path, out: str) -> subprocess.Popen:
    """Start the run in a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(out=out)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def digests(folder: Path) -> dict[str, str]:
    """Return the hash of every table of a run."""
    return {
        str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest()
        for f in sorted(folder.rglob("*.parquet"))
    }


def finished_chunks(folder: Path) -> int:
    """Return how many chunks the ledger of a run holds."""
    import sqlite3

    file = folder / "progress.sqlite"
    if not file.is_file():
        return 0
    try:
        base = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        return int(base.execute("SELECT count(*) FROM chunks").fetchone()[0])
    except sqlite3.Error:
        return 0


def kill_and_resume(folder: Path, *, kills: int, nodes: int = 6000, seed: int = 0) -> dict[str, object]:
    """Run once quietly; run again and kill it `kills` times at random moments; compare every byte.

    A run that ends before its kill counts too: the next one starts over in a new folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kills.toml").write_text(STUDY.replace("@NODES@", str(nodes)))
    began = time.perf_counter()
    quiet = start(folder, "quiet")
    _, told = quiet.communicate()
    assert quiet.returncode == 0, told.decode()
    length = time.perf_counter() - began
    expected = digests(folder / "quiet")
    assert expected
    rng = random.Random(seed)
    killed = resumed = rounds = 0
    while killed < kills:
        rounds += 1
        out = f"killed-{rounds}"
        while True:
            run = start(folder, out)
            before = finished_chunks(folder / out)
            try:
                if killed < kills:
                    run.wait(rng.uniform(0.0, 1.1 * length))
                else:
                    run.wait()
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                killed += 1
                continue
            told = run.stderr.read().decode() if run.stderr else ""
            assert run.returncode == 0, told
            resumed += before > 0
            break
        assert digests(folder / out) == expected, out
    return {"kills": killed, "runs": rounds, "resumed_from_chunks": resumed, "seconds_of_a_quiet_run": length}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Kill fifty times (five for a quick look)."""
    wanted = KILLS[designs]
    tell(f"{wanted} kills at random moments")
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        told = kill_and_resume(Path(place), kills=wanted, nodes=6000 if designs == "full" else 2500)
    rows = [
        {"label": "kills at random moments", "value": told["kills"]},
        {"label": "runs they were spread over, each ending with the bytes of a quiet run", "value": told["runs"]},
        {"label": "of these, ended by a process that found finished chunks", "value": told["resumed_from_chunks"]},
        {"label": "seconds of a quiet run", "value": f"{told['seconds_of_a_quiet_run']:.2f}"},
        {"label": "seconds altogether", "value": f"{time.perf_counter() - begin:.0f}"},
    ]
    return Section(
        "kills",
        "Killing a run of a SYNTHETIC study and giving the same command again",
        [Column("label", "what"), Column("value", "count")],
        rows,
        [],
        ["every table of every run, byte by byte, with those of a run that was never killed"],
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as place:
        print(kill_and_resume(Path(place), kills=count))
