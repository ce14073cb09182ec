"""What a model's code does beside computing: it ends the program, prints, fails, hangs. Each is told, and named."""

import io
import json
import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from rich.console import Console
from toy import MODEL, STUDY, edited

from dse.analysis.verify import attack
from dse.authoring.watch import watch
from dse.cli.text import output
from dse.search.bundles import bundles
from dse.search.frontier import archive

PARALLEL = (sys.executable, "-m", "dse", "run", "toy.toml", "--json", "--jobs", "2")
BODY = "    return work / (nodes * frequency)\n"
LINE = MODEL[: MODEL.index(BODY)].count("\n") + 1


@pytest.fixture
def with_body(toy):
    """Replace what the toy model computes a time by."""

    def write(body, *, study=STUDY):
        (toy / "model.py").write_text(edited(MODEL, (BODY, body)))
        (toy / "toy.toml").write_text(study)

    return write


@pytest.fixture
def every_step_looked_at(monkeypatch):
    """A step of progress ends when the thread that writes of it has looked: what is told hangs on no clock."""
    looks = threading.Semaphore(0)

    class Ended(threading.Event):
        def wait(self, timeout=None):
            looks.release()
            return super().wait(0.0005)

    def update_and_wait(update):
        def waits(*told):
            update(*told)
            for _ in range(2):  # a look that had begun before may have missed it
                while looks.acquire(blocking=False):
                    pass
                assert looks.acquire(timeout=60)

        return waits

    told = output.Told
    monkeypatch.setattr(output, "threading", SimpleNamespace(Event=Ended, Thread=threading.Thread))
    monkeypatch.setattr(output, "Told", lambda update, phase: told(update_and_wait(update), phase))


@pytest.fixture
def clock(monkeypatch, every_step_looked_at):
    """The time that the lines of progress go by, in a list of one."""
    now = [0.0]
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.mark.parametrize("command", ["run", "evaluate"])
@pytest.mark.parametrize("ending", ["raise SystemExit(0)", "raise SystemExit", "import sys; sys.exit(3)"])
def test_a_model_function_that_ends_the_program_is_a_fault(with_body, dse, command, ending):
    with_body(f"    {ending}\n")
    given = ["--set", "nodes=1", "--set", "frequency=1 GHz"] if command == "evaluate" else []
    result = dse(command, "toy.toml", *given, "--json")
    told = f"a model is at fault: model.compute_time ends the program (model.py, line {LINE})"
    assert (result.code, result.err) == (2, f"error: {told}\n")
    assert result.json == {"error": told, "file": None, "key": None}


@pytest.mark.parametrize(
    ("body", "fault", "line"),
    [
        ("    return 1 / 0\n", "fails: ZeroDivisionError: division by zero", LINE),
        ("    def inner():\n        raise KeyError('x')\n    return inner()\n", "fails: KeyError: 'x'", LINE + 1),
        (
            "    nodes += 1\n    return nodes\n",
            "changes one of its arguments; write x = x + y, not x += y or x[...] = y",
            LINE,
        ),
    ],
)
def test_a_fault_of_a_model_names_the_line_of_its_file(with_body, dse, body, fault, line):
    with_body(body)
    result = dse("run", "toy.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == f"error: a model is at fault: model.compute_time {fault} (model.py, line {line})\n"


def test_an_infinite_result_is_shown(with_body, dse):
    with_body("    return work / (nodes * frequency * 0.0)\n")
    given = ("evaluate", "toy.toml", "--set", "nodes=1", "--set", "frequency=1 GHz")
    told = dse.good(*given)
    assert told.err == ""
    rows = {line.split()[0]: line.split() for line in told.out.splitlines() if line.strip()}
    assert rows["compute_time"][1] == rows["time"][1] == "infinite"
    assert dse.good(*given, "--json").json["values"]["compute_time"] is None
    with_body("    return work / (nodes * frequency * 0.0) * 0.0\n")
    rows = {line.split()[0]: line.split() for line in dse.good(*given).out.splitlines() if line.strip()}
    assert rows["compute_time"][1:4] == ["not", "a", "number"]


def test_what_a_model_prints_goes_to_stderr_with_its_name(with_body, toy, dse):
    with_body("    print('nodes', 'are', end=' ')\n    print('many\\n')\n" + BODY)
    text = (toy / "model.py").read_text()
    (toy / "model.py").write_text(text + "\nprint('read')\nprint('begun', end='')\n")
    given = ("evaluate", "toy.toml", "--set", "nodes=1", "--set", "frequency=1 GHz")
    result = dse.good(*given, "--json")
    assert result.json["values"]["nodes"] == 1
    assert result.err == (
        "model.py prints: read\nmodel.compute_time prints: nodes are many\nmodel.compute_time prints: \n"
        "model.py prints: begun\n"
    )
    assert dse.good(*given).out.startswith("quantity")
    for arguments in (("run", "toy.toml", "--json"), ("check", "toy.toml", "--json")):
        assert dse.good(*arguments).json["name"] == "toy"
    ran = subprocess.run(PARALLEL, cwd=toy, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(ran.stdout)["name"] == "toy"


def test_what_commands_print_is_left_alone(dse):
    assert dse.good("--version").out.startswith("dse ")
    assert "Commands" in dse.good("--help").out
    before = sys.stdout
    dse("nothing")
    assert sys.stdout is before


def test_a_model_function_that_hangs_is_named(with_body, dse, monkeypatch):
    """Once for each time; calls that return in time are not mentioned, however many there are."""
    monkeypatch.setattr(watch, "_PATIENCE", 0.3)
    monkeypatch.setattr(watch, "_LOOKS", 0.05)
    with_body("    import time\n    time.sleep(1.0)\n" + BODY)
    result = dse.good("evaluate", "toy.toml", "--set", "nodes=1", "--set", "frequency=1 GHz", "--json")
    line = f"model.compute_time has not returned for 0 s (model.py, line {LINE + 1}); Ctrl-C stops it\n"
    assert result.err == line
    assert result.json["study"] == "toy"
    with_body("    import time\n    for _ in range(20):\n        time.sleep(0.002)\n" + BODY)
    assert dse.good("run", "toy.toml", "--fresh").err == ""


def test_many_short_calls_are_no_long_one(monkeypatch, capsys):
    """Frames of calls one after another may stand at the same place of memory."""
    from dse.authoring.declare.declaration import ModelFunction
    from dse.graph.graph import call

    monkeypatch.setattr(watch, "_PATIENCE", 0.1)
    monkeypatch.setattr(watch, "_LOOKS", 0.005)
    function = ModelFunction("x", lambda a: (time.sleep(0.0005), a)[1], ("a",), {"x": "1"}, "test")
    with watch.calls_watched():
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            call(function, {"a": 1.0})
    assert capsys.readouterr().err == ""


def test_where_stderr_is_no_terminal_a_line_comes_now_and_then(toy, dse, clock, monkeypatch):
    with output.progress_bar(1000) as progress:
        for clock[0], done, found in ((0.0, 1, 1), (1.9, 90, 9), (2.0, 100, 12), (11.9, 490, 19), (12.0, 500, 20)):
            progress(done, found)
    told = dse.capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "searching: 100 of 1\u202f000 designs after 2 s, 12 on the frontier so far, about 18 s left\n"
        "searching: 500 of 1\u202f000 designs after 12 s, 20 on the frontier so far, about 12 s left\n"
    )
    with output.progress_bar(10, "fits", quiet=True) as nothing:
        assert nothing is None
    monkeypatch.setattr(output, "_BETWEEN_LINES", 30.0)
    assert dse.good("run", "toy.toml", "--json").err == ""


def test_the_line_names_the_phase_a_search_is_in(toy, dse, clock):
    with output.progress_bar(1000) as progress:
        progress.phase("pruning groups")
        for clock[0] in (0.0, 12.0):
            progress(900)
    assert dse.capsys.readouterr().err == "pruning groups: 900 of 1\u202f000 designs after 12 s, about 1 s left\n"


def test_the_bar_moves_with_what_is_decided_and_names_the_phase(monkeypatch):
    """A frame is drawn of every tenth of a second at most, and the last one is whole."""
    drawn, clock = [], iter(range(10**6))
    stream = io.StringIO()
    errors = Console(file=stream, force_terminal=True, width=100)
    monkeypatch.setattr(output, "errors", lambda: errors)
    monkeypatch.setattr(output.time, "monotonic", lambda: next(clock) * 0.02)
    with output.progress_bar(1000) as progress:
        monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **given: drawn.append(given))
        progress.phase("making tables")
        for done in range(0, 1001, 10):
            progress(done, 5)
    shares = [given["completed"] / 1000 for given in drawn if "completed" in given]
    assert drawn[0] == {"description": "making tables"}
    assert shares == sorted(set(shares))
    assert shares[-1] == 1.0
    assert 10 <= len(shares) < 90


LONG = """name = "long"
models = ["model.py"]

[[objectives]]
minimize = "up"

[[objectives]]
minimize = "down"

[space.axes]
a = { range = [1, 100] }
b = { range = [1, 60] }

[search]
method = "exhaustive"
"""
LONG_MODEL = """import time
import numpy as np
from dse import parameter, quantity
a = parameter(unit="1", doc="a")
b = parameter(unit="1", doc="b")

@quantity(unit="1", source="made up")
def up(a, b):
    return 1000 * a + b

@quantity(unit="1", source="made up")
def down(a, b):
    return -1000 * a - b
"""


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
@pytest.mark.usefixtures("every_step_looked_at")
def test_a_long_frontier_is_told_while_it_is_searched(tmp_path, dse, monkeypatch, method):
    """Every design is on it, and the whole space is one chunk: its frontier is told, not only that of chunks before."""
    monkeypatch.setattr(archive, "_BUFFER", 2000)
    monkeypatch.setattr(bundles, "_POINTS", 16)  # boxes, of which each method but the first looks at so many at a time
    monkeypatch.setattr(output, "_LONG_FRONTIER", 1000)
    monkeypatch.setattr(output, "_FIRST_LINE", 0.0)
    (tmp_path / "model.py").write_text(LONG_MODEL)
    (tmp_path / "long.toml").write_text(LONG.replace('"exhaustive"', f'"{method}"'))
    told = dse.good("run", "long.toml").err
    assert re.fullmatch(
        "[1-6]\u202f[0-9]{3} designs are on the frontier so far; "
        "a further constraint or fewer values of an axis make it shorter\n",
        told,
    )


@pytest.mark.usefixtures("every_step_looked_at")
def test_designs_that_are_thrown_at_a_frontier_are_not_told_as_on_it(toy, dse, monkeypatch):
    dse.good("run", "toy.toml")
    monkeypatch.setattr(attack, "_PIECE", 1)
    monkeypatch.setattr(output, "_LONG_FRONTIER", 1)
    monkeypatch.setattr(output, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(output, "_BETWEEN_LINES", 0.0)
    told = dse.good("verify", "runs/toy", "--designs", "10").err
    assert "designs thrown" in told
    assert "on the frontier" not in told
    assert "11 of" not in told


def test_what_takes_long_says_so_after_two_seconds_and_what_is_soon_done_does_not(clock, capsys):
    """In a file or a pipe, where no bar is drawn: how much is done, and how long the rest takes."""
    for done, told in ((999, ""), (20, "searching: 20 of 1\u202f000 designs after 2 s, about 98 s left\n")):
        clock[0] = 0.0
        with output.progress_bar(1000) as progress:
            for clock[0] in (0.0, 1.9, 2.0, 2.5):
                progress(done)
        assert capsys.readouterr().err == told


def test_what_a_hundredth_has_not_shown_is_not_foretold(clock, capsys):
    """A search that skips most of its designs would be foretold hours in its first seconds."""
    with output.progress_bar(1000) as progress:
        for clock[0] in (0.0, 2.5, 61.0):
            progress(1)
    early, later = capsys.readouterr().err.splitlines()
    assert early.endswith("after 2 s, too early to say how long the rest takes")
    assert later.endswith("after 61 s, hours left")
