"""The guide is true: its commands and its code run, and what it says of the study is what the study gives."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.cli.main import main
from dse.models.replay.trace.kinds import KINDS

GUIDE = (Path(__file__).parents[3] / "docs/guide/replay.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert {line.split()[2] for line in lines} == {"show", "report", "factors", "classify", "convert", "profile"}
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    for name in ("stencil.html", "scale.html", "factors.csv", "stencil.ti", "with-messages.json"):
        assert Path(name).is_file()


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    out = capsys.readouterr().out
    assert "2-D neighbour {'grid': [4, 4], 'periodic': True} 0.812" in out
    assert "(2, 7)" in out


def test_the_kinds_of_the_table_are_all():
    rows = re.findall(r"^\| (`[^|]*`) \|", GUIDE, flags=re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w-]+)`", row)]
    assert set(KINDS) <= set(named)


def test_what_it_says_of_the_study():
    problem = Study.load("replay-stencil").compiled
    records = problem.quantities(np.arange(problem.space.size))
    values = {
        name: np.concatenate(
            [np.broadcast_to(one["values"][name], len(one["positions"])).astype(float) for one in records]
        )
        for name in ("replay_time", "replay_network_time", "replay_dependency_time", "effective_bandwidth", "switches")
    }
    best = {
        bandwidth: np.flatnonzero(np.isclose(values["effective_bandwidth"], bandwidth))[0] for bandwidth in (5e8, 5e9)
    }
    slow, quick = (values["replay_time"][best[one]] for one in (5e8, 5e9))
    assert 1 - quick / slow == pytest.approx(0.30, abs=0.02)
    assert values["replay_network_time"][best[5e9]] / quick == pytest.approx(0.06, abs=0.01)
    assert values["replay_dependency_time"][best[5e9]] / quick == pytest.approx(0.01, abs=0.005)
