"""`dse open` as a process: its link, its end, and that no search outlives it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from dse.cli.main import main

MODEL = '''"""A model that waits until a file is there (made up)."""

import os
import pathlib
import time

import numpy as np

from dse import parameter, quantity

n = parameter(unit="1", doc="A number", minimum=0)
gate = parameter(unit="text", doc="The file it waits for")


@quantity(unit="1", source="invented", name="cost")
def cost(n, gate):
    """Cost of the number."""
    gate = str(np.ravel(gate)[0])
    pathlib.Path(f"{gate}.waits").write_text(str(os.getpid()))
    while not os.path.exists(gate):
        time.sleep(0.02)
    return n
'''
PATIENCE = 60.0


def until(there, what):
    """Wait until something is the case."""
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end, what
        time.sleep(0.05)


class Served:
    """A server in a folder, and a client that has opened its link."""

    def __init__(self, folder, *arguments):
        command = [sys.executable, "-c", "from dse.cli.main import main; main()", "open", *arguments, "--no-browser"]
        self.process = subprocess.Popen(
            [*command, "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines = ""
        while "}" not in lines:
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            lines += line
        self.url = json.loads(lines)["url"]
        self.base = self.url.partition("/?")[0]
        self.client = httpx2.Client(base_url=self.base, follow_redirects=True, timeout=PATIENCE)
        page = self.client.get(self.url)
        assert page.status_code == 200
        self.word = re.search('name="dse-word" content="([^"]+)"', page.text)[1]

    def change(self, path, **document):
        return self.client.post(path, json=document, headers={"origin": self.base, "x-dse-word": self.word})

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def serve(folder):
    """Begin a server; none outlives its test."""
    begun = []

    def begin(*arguments):
        begun.append(Served(folder, *arguments))
        return begun[-1]

    yield begin
    for served in begun:
        served.process.kill()
        served.process.wait(PATIENCE)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "waits.py").write_text(MODEL)
    head = 'name = "waits"\nmodels = ["waits.py"]\nobjectives = [{ minimize = "cost" }]\n'
    text = f'{head}set = {{ gate = "{tmp_path}/gate" }}\n[space.axes]\nn = {{ values = [1, 2, 3] }}\n'
    (tmp_path / "waits.toml").write_text(text)
    yield tmp_path
    (tmp_path / "gate").touch()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.kills
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_no_search_outlives_the_server_and_the_command_goes_on(serve, folder, number, monkeypatch, capsys):
    served = serve("waits.toml")
    assert served.change("/api/searches", study="waits.toml", tab="a").status_code == 202
    waits = folder / "gate.waits"
    until(lambda: waits.exists() and waits.read_text(), "the search begins")
    searching = int(waits.read_text())
    assert alive(searching)
    assert served.end(number) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
    until(lambda: not alive(searching), "the search ends with the server")
    (folder / "gate").touch()
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(["run", "waits.toml", "--json"])
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["exact"] is True


@pytest.mark.kills
def test_it_listens_on_this_machine_alone(serve):
    served = serve()
    port = int(served.base.rpartition(":")[2])
    rows = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row for row in rows if row.endswith(f":{port:04X}")}
    assert all(row.startswith("0100007F:") for row in listening)
    assert listening
    assert httpx2.get(served.base, timeout=PATIENCE).status_code == 401
    assert httpx2.get(served.base, headers={"host": f"evil.example:{port}"}, timeout=PATIENCE).status_code == 421
    assert served.end(signal.SIGINT) == 0


def test_what_is_neither_run_nor_study_is_refused(dse, tmp_path):
    for name, said in (
        ("nowhere", "unknown study"),
        ("ska-correlatr", "did you mean 'ska-correlator'"),
        (".", "no run"),
    ):
        result = dse("open", name, "--no-browser")
        assert result.code == 2
        assert said in result.err
    assert "--memory" in dse("open", "--memory", "8 s", "--no-browser").err
