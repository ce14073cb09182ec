"""Histories of jobs in the formats of all measurements: the same curves as from the table of nodes."""

import json

import pandas as pd
import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.document import read_job_measurements

ROWS = [(130, 7.6), (135, 7.9), (220, 7.6), (220, 7.7), (320, 7.5)]


@pytest.fixture
def wide(tmp_path):
    (tmp_path / "wide.csv").write_text("\n".join(["nodes,energy [kWh]", *(f"{n},{e}" for n, e in ROWS)]) + "\n")
    return read_job_measurements(tmp_path / "wide.csv")


def _tidy(columns=("nodes", "metric", "value", "unit"), metric="energy", unit="kWh"):
    return pd.DataFrame([(n, metric, e, unit) for n, e in ROWS], columns=list(columns))


@pytest.mark.parametrize("name", ["tidy.csv", "tidy.parquet"])
def test_the_same_curve_whatever_the_format(tmp_path, wide, name):
    file = tmp_path / name
    _tidy().to_csv(file, index=False) if file.suffix == ".csv" else _tidy().to_parquet(file)
    read = read_job_measurements(file)
    nodes = [130, 200, 400]
    assert read.model.energy(nodes).tolist() == pytest.approx(wide.model.energy(nodes).tolist(), rel=1e-12)
    assert read.model.percent_error("energy") == pytest.approx(wide.model.percent_error("energy"))
    assert read.model.histories["energy"].repetitions == (1, 1, 2, 1)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (_tidy(("cores", "metric", "value", "unit")), "no parameter 'nodes'"),
        (_tidy(unit="s"), "energy: is in s"),
        (_tidy(metric="heat"), "nothing was measured"),
        (_tidy().assign(size=[1, 2, 1, 2, 1]), "size: 2 values of another parameter"),
    ],
)
def test_what_is_no_history_of_a_job(tmp_path, table, told):
    table.to_csv(tmp_path / "tidy.csv", index=False)
    with pytest.raises(InputError) as caught:
        read_job_measurements(tmp_path / "tidy.csv")
    assert told in str(caught.value)


def test_made_up_runs_are_said_to_be(tmp_path, capsys):
    _tidy().to_parquet(tmp_path / "tidy.parquet")
    file = tmp_path / "job.json"
    arguments = ["fit", str(tmp_path / "tidy.parquet"), "--kind", "energy", "--synthetic", "--out", str(file)]
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert not done.value.code
    assert "SYNTHETIC" in capsys.readouterr().out
    assert json.loads(file.read_text())["synthetic"] is True
    assert read_job_measurements(file).synthetic
