"""The guide is true: its command, its code and its study run, and its figures are those of the study."""

import re
import shlex
from pathlib import Path

import pytest

from dse import Study
from dse.authoring.library.library import load_model
from dse.cli.main import main

GUIDE = (Path(__file__).parents[3] / "docs/guide/data-machine.md").read_text(encoding="utf-8")
SPACES = Path(__file__).parents[3] / "spaces/data_machine"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_command_answers_what_the_table_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (line,) = blocks("sh")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(line)[1:])
    assert ended.value.code == 0
    assert "exact: the frontier of the whole space" in capsys.readouterr().out
    frontier = Study.load("weather-assimilation").run(trust=False).frontier
    number = r"([\d.]+)"
    rows = re.findall(
        rf"^\| {number} Pflop/s \| {number} \| {number} s \| {number} s \| {number} s \|", GUIDE, re.MULTILINE
    )
    assert len(rows) == 3
    for peak, servers, data_in, computing, data_out in rows:
        (row,) = [
            row for _, row in frontier.iterrows() if row["cycle_peak_flop_rate"] == pytest.approx(float(peak) * 1e15)
        ]
        assert row["store_servers"] == float(servers)
        times = [row[f"cycle_{part}_time"] for part in ("input", "compute", "output")]
        assert times == pytest.approx([float(data_in), float(computing), float(data_out)], abs=0.051)


def test_every_phase_keeps_the_deadline():
    references = Study.load("weather-assimilation").run(trust=False).references
    assert len(references) == 6
    times = [one["values"]["cycle_time"] for one in references if one["feasible"]]
    assert len(times) == 6
    assert 30 - max(times) == pytest.approx(21, abs=0.01)


def test_the_code_and_the_study_run(tmp_path, capsys):
    (code,) = blocks("python")
    exec(compile(code, "guide", "exec"), {})
    assert capsys.readouterr().out == "4.00 GB/s, 50.0 s\n"
    (text,) = blocks("toml")
    (tmp_path / "graph.toml").write_text(text, encoding="utf-8")
    frontier = Study.load(tmp_path / "graph.toml").run(trust=False).frontier
    assert len(frontier) == 1  # 17.4 TB in 20 s take 0.87 TB/s
    assert frontier["store"].tolist() == ["phase 2"]


def test_what_there_is_is_named():
    model = load_model("data_machine")
    for slot in {function.slot for function in model.functions if function.slot}:
        assert f"`{slot}`" in GUIDE
    for file in SPACES.glob("*.csv"):
        assert f"`{file.name}`" in GUIDE
