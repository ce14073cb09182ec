"""The guide is true: its commands and its code run."""

import math
import re
import shlex
from pathlib import Path

import pytest

from dse.cli.main import main

GUIDE = (Path(__file__).parents[5] / "docs/guide/expectations.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    """On SYNTHETIC measurements that grow as the guide's file says."""
    monkeypatch.chdir(tmp_path)
    (expectations,) = blocks("toml")
    Path("expectations.toml").write_text(expectations)
    names = ("Bcast", "Reduce", "Allreduce", "Bcast BT")
    rows = [f"{name},{2**k},time,{1e-6 * (k + len(name))},s" for name in names for k in range(1, 11)]
    Path("scaling.csv").write_text("\n".join(["region,p,metric,value,unit", *rows]))
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 4
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    assert "4 of 4 functions grow as expected" in capsys.readouterr().out


def test_the_code_runs(capsys, assert_growth, assert_rule):
    tests, code = blocks("python")
    names = {}
    exec(compile(tests, "expectations.md", "exec"), names)
    names["test_my_broadcast"](assert_growth)
    names["test_my_allreduce"](assert_rule)
    exec(compile(code, "expectations.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["p none", "5457 ranks fit, 8 to a node of 24 GiB"]
    assert math.isclose(8 * (16 + 0.56 * 5457), 24 * 1024, rel_tol=1e-4)
