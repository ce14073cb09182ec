"""The commands, studies and tables of the guide are what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dse.api import Study
from dse.cli.main import main
from dse.models.serving.claims.measured import FIGURES, rows
from dse.models.serving.claims.published import accounts

PAGES = ("docs/guide/serving.md", "docs/engineering/serving-accuracy.md")
GUIDE = "\n".join((Path(__file__).parents[3] / page).read_text(encoding="utf-8") for page in PAGES)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("sh")
    lines = block.splitlines()
    assert len(lines) == 3
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    assert Path("serving.html").is_file()
    assert "13 x g1 t1 d1 e1 + 16 x g2 t1 d2 e1" in capsys.readouterr().out


def test_the_study_runs(tmp_path):
    (block,) = blocks("toml")
    (tmp_path / "study.toml").write_text(block, encoding="utf-8")
    run = Study.load(tmp_path / "study.toml").run(trust=False)
    assert len(run.frontier) > 0
    assert run.manifest.certificate.exact


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_table_of_fitted_rows_is_what_validate_says():
    printed = re.findall(
        r"^\| (deepseek-r1|gpt-oss-120b) \| (.*?) \| (\d+) \| (.*?) \| (.*?) \| (.*?) \|$", GUIDE, re.MULTILINE
    )
    groups = {account.group: account for account in accounts(rows())}
    assert len(printed) == 12
    for model, engine, count, *figures in printed:
        account = groups[f"{model}, {engine}"]
        assert account.rows == int(count)
        spreads = [account.model[figure] for figure in FIGURES]
        assert figures == ["-" if one is None else f"{one[0]:.1f} / {one[1]:.1f}" for one in spreads]
    whole = groups["all without drafts"]
    for law in (whole.roofline, whole.nearest):
        assert " and ".join("{:.1f} / {:.1f}".format(*law[figure]) for figure in FIGURES[:2]) in GUIDE
