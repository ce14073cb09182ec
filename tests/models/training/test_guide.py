"""The guide is true: its commands, its study and its code run, and its tables are what the model gives."""

import re
import shlex
from pathlib import Path

import pytest

from dse.api import Study
from dse.cli.main import main
from dse.models.training.claims.published import comparison

GUIDE = (Path(__file__).parents[3] / "docs/guide/training.md").read_text(encoding="utf-8")
TABLES = {
    "layers of a 22B": ("korthikanti-4",),
    "steps of 22B": ("korthikanti-5",),
    "memory (Figures": ("korthikanti-figure-1", "korthikanti-figure-7"),
    "GPT-3 on": ("mlperf-gpt3",),
    "Llama 3 405B": ("llama-3-paper",),
    "SC21": ("sc21-1",),
    "LUMI": ("lumi",),
    "one node": ("vtrain-single",),
    "energy of nodes": ("mlperf-power",),
}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("sh")
    lines = block.splitlines()
    assert len(lines) == 4
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    assert Path("training.html").is_file()
    shown = capsys.readouterr().out
    assert "tensor 4, pipeline 16, data 32, context 4, chunks 4" in shown


@pytest.mark.parametrize("block", blocks("toml"), ids=["training"])
def test_the_studies_run(tmp_path, block):
    (tmp_path / "study.toml").write_text(block, encoding="utf-8")
    run = Study.load(tmp_path / "study.toml").run(trust=False)
    assert len(run.frontier) > 0
    assert run.manifest.certificate.exact


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_errors_of_the_table():
    rows = re.findall(r"^\| (.*?) \| (\d+) \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \|$", GUIDE, flags=re.MULTILINE)
    assert len(rows) == len(TABLES)
    accounts = {one["table"]: one for one in comparison().details["tables"]}
    for title, figures, fitted, mean, worst in rows:
        found = [accounts[name] for name in TABLES[next(key for key in TABLES if title.startswith(key))]]
        count = sum(one["figures"] for one in found)
        assert (count, sum(one["fitted"] for one in found)) == (int(figures), int(fitted))
        average = sum(one["mean_error"] * one["figures"] for one in found) / count
        assert 100 * average == pytest.approx(float(mean), abs=0.051)
        assert 100 * max(one["worst_error"] for one in found) == pytest.approx(float(worst), abs=0.5)
