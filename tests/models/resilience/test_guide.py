"""The guide is true: its commands and its code run, and its tables are what the model gives."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from dse.cli.main import main
from dse.models.resilience import checkpoint, optimal_interval, transfer_time

GUIDE = (Path(__file__).parents[3] / "docs/guide/resilience.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 2
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    assert Path("checkpoints.html").is_file()


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    assert "0.71207" in capsys.readouterr().out


def test_days_and_useful_time_of_the_table():
    """6.4 PB, a failure every 26 minutes, restarts of ten minutes and the reading."""
    mean = 5 * 365.25 * 86400 / 1e5
    rows = re.findall(r"^\| (\d+) TB/s.*?\|(.*)\|$", GUIDE, flags=re.MULTILINE)
    assert len(rows) == 5
    for store, cells in rows:
        ratios, rates = np.array([1.0, 2.16, 4.7]), np.array([np.inf, 1e14, 1e14])
        cost = transfer_time(6.4e15, float(store) * 1e12, ratios, rates)
        useful = checkpoint(cost, mean, 600 + cost).efficiency
        for cell, share in zip(cells.split("|"), useful, strict=True):
            if "longer" in cell:
                assert share < useful[0]
                continue
            days, percent = re.search(r"([\d.]+) days, (\d+) %", cell).groups()
            assert float(days) == pytest.approx(10 / share, abs=0.5 if "." not in days else 0.05)
            assert float(percent) == pytest.approx(100 * share, abs=0.5)


def test_young_is_above():
    for y, above in ((1 / 60, 0.06), (1.0, 0.68)):
        assert np.sqrt(2 * y) / float(optimal_interval(y, 1.0)) - 1 == pytest.approx(above, abs=0.005)
