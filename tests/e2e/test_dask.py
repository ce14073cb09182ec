"""A search on a Dask cluster that loses a worker, or its scheduler: the same bytes after all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dse import Study
from dse.errors import ClusterError

pytestmark = [pytest.mark.slow, pytest.mark.kills]

MODEL = """
import os, time
from pathlib import Path
from dse import parameter, quantity

nodes = parameter(unit="1", doc="Nodes", minimum=1)
depth = parameter(unit="1", doc="Depth", minimum=1)
machine = parameter(unit="1", doc="Which machine", minimum=0)
gate = Path({gate!r})


@quantity(unit="s", source="invented")
def duration(nodes, depth, machine):
    "Time; on a worker of a cluster, that of the fifth machine waits until the gate is open."
    if machine == 5.0 and not (gate / str(os.getpid())).exists():
        while not (gate / "open").exists():
            (gate / "waiting").mkdir(exist_ok=True)
            (gate / "waiting" / str(os.getpid())).touch()
            time.sleep(0.02)
    return 100.0 * (1.0 + machine) / nodes + depth


@quantity(unit="W", source="invented")
def draw(nodes, depth, machine):
    "Power."
    return nodes * (20.0 - machine) / depth
"""

STUDY = """
name = "many-machines"
models = ["machine.py"]
objectives = [{minimize = "duration"}, {minimize = "draw"}]
[space.axes]
nodes = {range = [1, 40]}
depth = {range = [1, 9]}
""" + "".join(f"[space.alternatives.machine-{k:02}]\nset = {{machine = {k}}}\n" for k in range(16))

DEADLINE = 60.0


@pytest.fixture
def study(tmp_path):
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / str(os.getpid())).touch()  # this process does not wait
    (tmp_path / "machine.py").write_text(MODEL.format(gate=str(gate)))
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


@pytest.fixture
def quiet():
    """What Dask logs when it is treated like this."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    yield
    log.setLevel(level)


def frontier(folder: Path) -> bytes:
    return (folder / "frontier.parquet").read_bytes()


def certificate(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())["certificate"]


def at_the_gate(study: Path, then) -> threading.Thread:
    """Call `then` with the process that waits at the gate, and open it."""
    gate = study.parent / "gate"

    def watch() -> None:
        end = time.monotonic() + DEADLINE
        try:
            while time.monotonic() < end:
                if (gate / "waiting").is_dir() and (waiting := [*(gate / "waiting").iterdir()]):
                    then(int(waiting[0].name))
                    return
                time.sleep(0.02)
        finally:
            (gate / "open").touch()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_is_killed_in_the_middle(study, tmp_path, quiet, capfd):
    distributed = pytest.importorskip("distributed")
    killed = []

    def kill(process: int) -> None:
        os.kill(process, signal.SIGKILL)
        killed.append(process)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        watching = at_the_gate(study, kill)
        run = Study.load(study).run(tmp_path / "cluster", cluster=cluster.scheduler_address)
        watching.join(2 * DEADLINE)
    assert killed
    Study.load(study).run(tmp_path / "alone")
    assert frontier(tmp_path / "cluster") == frontier(tmp_path / "alone")
    assert certificate(tmp_path / "cluster") == certificate(tmp_path / "alone")
    assert run.manifest.certificate.exact
    told = capfd.readouterr().err
    assert "sends the study with machine.py" in told
    assert "to 2 workers; machine.py is run there" in told


def test_the_scheduler_is_gone_and_the_same_command_without_it_goes_on(study, tmp_path, quiet):
    pytest.importorskip("distributed")
    told = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    hidden = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    own = ["--no-dashboard", "--scheduler-file", str(told)]
    scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *own], **hidden)
    workers = [subprocess.Popen([*dask, "worker", "--nthreads", "1", "--no-nanny", *own], **hidden) for _ in range(2)]
    some_are_kept = threading.Event()
    folder = tmp_path / "run"

    def kill(_: int) -> None:
        some_are_kept.wait(DEADLINE)
        scheduler.kill()
        scheduler.wait(DEADLINE)

    try:
        end = time.monotonic() + DEADLINE
        while not told.exists() and time.monotonic() < end:
            time.sleep(0.05)
        address = json.loads(told.read_text())["address"]
        watching = at_the_gate(study, kill)
        with pytest.raises(ClusterError, match=f"the connection to the scheduler {address} was lost"):
            Study.load(study).run(folder, cluster=address, progress=lambda done, _: done and some_are_kept.set())
        watching.join(2 * DEADLINE)
    finally:
        for process in (scheduler, *workers):
            process.kill()
            process.wait(DEADLINE)
    assert not (folder / "manifest.json").exists()
    with contextlib.closing(sqlite3.connect(folder / "progress.sqlite")) as ledger:
        kept = ledger.execute("SELECT count(*) FROM chunks").fetchone()[0]
    assert 1 <= kept < 16
    again = Study.load(study).run(folder)
    assert again.manifest.certificate.exact
    Study.load(study).run(tmp_path / "alone")
    assert frontier(folder) == frontier(tmp_path / "alone")
    assert certificate(folder) == certificate(tmp_path / "alone")
