"""A small study with a model file of the user's own, and a command line that runs in this process."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dse.authoring.library.claims import validations
from dse.cli.main import main
from dse.cli.options.code import remember
from dse.cli.text.output import console
from dse.run.disk.seal import manifest_digest, seal_of

MODEL = '''"""A toy machine."""

import numpy as np

from dse import assumption, parameter, quantity

nodes = parameter(unit="1", doc="Nodes of the machine", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock of the nodes", above=0)
work = parameter(unit="1", doc="Cycles of the job", above=0)
kind = parameter(unit="text", doc="Kind of the machine, read by nothing")
base_power = assumption(100.0, unit="W", source="invented", doc="Power of a node at rest", minimum=0)


@quantity(unit="s", source="invented", valid={"nodes": (1, 32)})
def compute_time(work, nodes, frequency):
    """Time of the cycles."""
    return work / (nodes * frequency)


@quantity(unit="s", source="invented", slot="network", provider="torus", default=True, name="network_time")
def torus_time(nodes):
    """Time of the messages on a torus."""
    return 0.1 * np.sqrt(nodes)


@quantity(unit="s", source="invented", slot="network", provider="tree", name="network_time")
def tree_time(nodes):
    """Time of the messages on a tree."""
    return 0.2 * np.log2(nodes)


@quantity(unit="s", source="invented", sum_of=("compute_time", "network_time"))
def time(compute_time, network_time):
    """Time of the job."""
    return compute_time + network_time


@quantity(unit="W", source="invented")
def power(nodes, base_power, frequency):
    """Power of the machine."""
    return nodes * (base_power + 1e-26 * frequency * frequency * frequency)
'''

STUDY = """name = "toy"
question = "How many nodes?"
models = ["model.py"]
constraints = ["power <= 20 kW"]
also = ["network_time"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[use]
network = "torus"

[set]
work = 1e11

[quantities]
energy = "power * time"

[space.axes]
nodes = { powers_of_two = [1, 64] }
frequency = { values = ["1 GHz", "2 GHz"] }

[search]
method = "auto"
"""

PARTS = """name,frequency [GHz],source
slow,1,me
fast,2,you
"""


MACHINES = """# SYNTHETIC: no machine is like this
name,nodes,frequency [GHz],log_time [min],meter [kW],source,confidence,synthetic
Alpha,20,1.5,0.1,3.1,a log,high,yes
Beta,40,,0.2,,a talk,low,yes
Gamma,300,2.2,,60,"a paper, 2020",,no
"""

REFERENCES = """
[references.machines]
description = "machines that exist"
axes = { machine = { part = "machines.csv" } }
measured = { time = "log_time", power = "meter" }
"""


@functools.cache
def _computed(claims: Callable[[], list[Any]]) -> list[Any]:
    return claims()


@pytest.fixture(scope="module")
def claims_once() -> Iterator[None]:
    """Published figures of a family are computed once in a process, for all tests that look at what is told of them."""
    with pytest.MonkeyPatch.context() as patch:
        for module in validations().values():
            patch.setattr(module, "claims", functools.partial(_computed, module.claims))
        yield


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON; a constant that JSON does not have (NaN) is an error."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


RUNS_FILES = "runs the Python files it names: "
"""In the line that says so, once for each content: left out of what a command printed, unless all is wanted."""


class Cli:
    """The command line, in this process."""

    all = False

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: str) -> Result:
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = self.capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        told = [line for line in printed.err.splitlines(keepends=True) if RUNS_FILES not in line or self.all]
        return Result(int(ended.value.code), printed.out, "".join(told))

    def good(self, *arguments: str) -> Result:
        """Run a command that must end well."""
        result = self(*arguments)
        assert result.code == 0, result
        return result


def command(*arguments: str, folder: Path, width: int = 120) -> Result:
    """Run a command in a folder and a terminal of so many columns, in this process: fixtures of a module can."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(console(), "width", width)
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out.seek(0), err.seek(0)
    return Result(int(ended.value.code), out.read(), err.read())


def write_toy(folder: Path) -> Path:
    """Write the model, a catalogue and the study; that it runs the model was told before."""
    remember([hashlib.sha256(MODEL.encode()).hexdigest()])
    (folder / "model.py").write_text(MODEL)
    (folder / "parts.csv").write_text(PARTS)
    (folder / "toy.toml").write_text(STUDY)
    return folder / "toy.toml"


def write_references(folder: Path, study: str = STUDY + REFERENCES, machines: str = MACHINES) -> Path:
    """Write a catalogue of machines, and the study with them beside its space."""
    (folder / "machines.csv").write_text(machines)
    (folder / "toy.toml").write_text(study)
    return folder / "toy.toml"


def clock_of(catalogue: str) -> tuple[str, str]:
    """Return the change of the study that takes the clock from a catalogue of parts."""
    return 'frequency = { values = ["1 GHz", "2 GHz"] }', f'clock = {{ part = "{catalogue}" }}'


def write_clocks(folder: Path, catalogue: str, parts: str) -> Path:
    """Write a catalogue of clocks, the study with them, and a machine that has the one called fast."""
    (folder / catalogue).write_text(parts)
    (folder / "toy.toml").write_text(edited(STUDY, clock_of(catalogue)))
    (folder / "mine.toml").write_text('name = "mine"\n[set]\nnodes = 4\nclock = "fast"\n')
    return folder


def plain(text: str) -> str:
    """Return a text with one plain space for all white space in a row, and none at its ends."""
    return re.sub(r"[\s\u00a0\u202f]+", " ", text).strip()


def lines(text: str) -> list[str]:
    """Return the lines of a text, each of them `plain`."""
    return [plain(line) for line in text.splitlines()]


def forged(folder: Path, change: Callable[[dict], object], **keys: object) -> None:
    """Change the manifest of a run, with its digest as anybody can compute it, and without the seal."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    manifest.pop("seal", None)
    manifest["digest"] = manifest_digest(manifest)
    file.write_text(json.dumps(manifest | keys))


def resealed(folder: Path, change: Callable[[dict], object]) -> None:
    """Change the manifest of a run as this user's own dse would have written it."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    whole = manifest_digest(manifest)
    file.write_text(json.dumps(manifest | {"digest": whole, "seal": seal_of(whole)}))


def edited(text: str, *changes: tuple[str, str]) -> str:
    """Replace texts that stand exactly once."""
    for old, new in changes:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    return text


UNION = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    ("20 kW", "20 MW"),
    (
        "[search]",
        """[space.alternatives.ring]
use = { network = "torus" }
[space.alternatives.tree]
use = { network = "tree" }
[search]""",
    ),
)


@pytest.fixture
def dse(capsys, tmp_path, monkeypatch) -> Cli:
    """Run commands in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Cli(capsys)


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Path:
    """The folder of the toy study, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_toy(tmp_path)
    return tmp_path
