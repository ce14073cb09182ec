"""The energy of a job in a study: from measurements to an answer, and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.document import read_job_measurements

KWH = 3.6e6
TABLE = "nodes,energy [kWh],scope,source\n130,7.6,job,a\n135,7.9,job,a\n220,7.6,job,a\n320,7.5,job,a\n"


def study(folder, text=TABLE, name="runs.csv", **changes):
    (folder / name).write_text(text)
    document = {
        "name": "job",
        "models": ["energy_scaling"],
        "objectives": [{"minimize": "job_energy"}, {"minimize": "nodes"}],
        "tables": {"job_measurements": {"file": name}},
        "space": {"axes": {"nodes": {"values": [100, 130, 200, 320, 400]}}},
    }
    return Study({**document, **changes}, folder=folder)


def run(capsys, *arguments):
    capsys.readouterr()
    with pytest.raises(SystemExit) as done:
        main([str(one) for one in arguments])
    return done.value.code or 0, capsys.readouterr()


def test_designs_have_the_line_and_say_where_it_is_a_prediction(tmp_path):
    frontier = study(tmp_path, also=["job_energy_scope"]).run(tmp_path / "run").frontier
    assert frontier["nodes"].tolist() == [100.0, 130.0, 320.0, 400.0]  # 200 nodes need more than 130
    by_nodes = frontier.set_index("nodes")
    assert by_nodes.loc[130.0, "job_energy"] == 7.6 * KWH
    assert by_nodes.loc[400.0, "job_energy"] / KWH == pytest.approx(7.386, abs=5e-4)
    assert by_nodes.loc[400.0, "job_energy_extrapolated"] == 1.0
    assert by_nodes.loc[130.0, "job_energy_extrapolated"] == 0.0
    assert set(frontier["job_energy_scope"]) == {"job"}


def test_the_error_of_the_fit_is_what_is_not_known(tmp_path):
    own = study(tmp_path, uncertain={"job_energy": {"error": "model"}})
    (unknown,) = own.unknowns.every
    assert unknown.rows["130"] == pytest.approx((-0.0142979, 0.0142979), abs=1e-7)
    assert unknown.rows["400"][1] > 0.05  # beyond the runs the interval, never the residual (F1)
    sure = own.run(tmp_path / "run").trust(draws=20)
    assert "runs.csv" in str(sure.as_dict()["unknowns"])


def test_a_line_through_two_points_publishes_no_error(tmp_path):
    two = "nodes,energy [kWh]\n6,0.54\n32,2.84\n"
    own = study(tmp_path, two, uncertain={"job_energy": {"error": "model"}})
    with pytest.raises(InputError, match="no model publishes an error of 'job_energy'"):
        own.run(tmp_path / "run").trust(draws=20)


def test_it_never_stands_beside_an_energy_that_is_added_up(tmp_path):
    shipped = Study.load("checkpointing-exascale").edited(
        models=["energy_scaling", "resilience"],
        quantities={"total": "job_energy + resilience_energy"},
        objectives=[{"minimize": "total"}],
        tables={"job_measurements": {"file": "energy_scaling/hydro-strong.csv"}},
    )
    with pytest.raises(InputError, match="'job_energy' and 'resilience_energy' count the same thing"):
        _ = shipped.compiled


def test_no_curve_within_the_limit_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_text("nodes,energy [kWh]\n1,1\n2,9\n3,1\n4,9\n")
    (tmp_path / "job.toml").write_text(
        'name = "job"\nmodels = ["energy_scaling"]\nobjectives = [{ minimize = "job_energy" }]\n'
        'tables.job_measurements.file = "runs.csv"\nspace.axes.nodes.values = [1, 2]\n'
    )
    code, shown = run(capsys, "run", "job.toml")
    assert code == 0
    assert "whose error is beyond its limit" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nodes,energy [kWh]\n4,1\n", "runs.csv: energy: 1 different values of nodes; allowed: at least 2"),
        ("nodes,energy [kWh]\n4,1\n8,0\n", "energy: 0 on 8 nodes"),
        ("nodes,energy [kWh]\n4,1\n8,-1\n", "line 3, energy: -1 kWh is negative"),
        ("nodes,energy [kWh]\n4,1\n8,x\n", "runs.csv"),
        ("nodes,energy [W]\n4,1\n8,2\n", "energy: is in W; allowed: a unit of J"),
        ("nodes,energy [kWh],energy [J]\n4,1,5\n8,2,5\n", "stands twice"),
        ("nodes\n4\n8\n", "has no column of values"),
        ("nodes,energy,time [s]\n4,1,1\n8,2,2\n", "energy: has no unit; allowed: a heading such as 'energy [J]'"),
        ("cores,energy [kWh]\n4,1\n8,2\n", "no parameter 'nodes'"),
        ("nodes,energy [kWh],scope\n4,1,a\n8,2,b\n", "scopes 'a' and 'b'"),
        ("nodes,time [s]\n4,1\n8,2\n", "the energy was not measured|the power was not measured"),
    ],
)
def test_wrong_tables(tmp_path, text, told):
    with pytest.raises(InputError, match="|".join(map(re.escape, told.split("|")))):
        study(tmp_path, text).run(tmp_path / "run")


def test_a_fitted_model_gives_what_its_table_gave(tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE)
    read = read_job_measurements(tmp_path / "runs.csv")
    (tmp_path / "job.json").write_text(read.as_document().model_dump_json())
    again = read_job_measurements(tmp_path / "job.json")
    nodes = [1, 130, 150, 400]
    assert again.model.energy(nodes).tolist() == read.model.energy(nodes).tolist()
    assert (again.scope, again.sha256, list(again.sources)) == (read.scope, read.sha256, ["a"])
    asked = {"nodes": np.array(nodes)}
    assert again.errors_over(asked)["job_energy"].deviations == read.errors_over(asked)["job_energy"].deviations
    with pytest.raises(InputError, match="depends on nodes, which are computed here"):
        read.errors_over({"nodes": None})
    tables = {"job_measurements": {"file": "job.json"}}
    frontier = study(tmp_path, tables=tables).run(tmp_path / "run").frontier
    assert frontier["job_energy"].max() <= 7.9 * KWH


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "dse-fit/2"}, "job.json: format"),
        ({"kind": "law"}, "job.json: kind"),
        ({"extra": 1}, "job.json: extra"),
        ({"curves": {}}, "job.json: curves"),
        ({"synthetic": None}, "job.json: synthetic"),
    ],
)
def test_wrong_fitted_models(tmp_path, change, told):
    (tmp_path / "runs.csv").write_text(TABLE)
    document = json.loads(read_job_measurements(tmp_path / "runs.csv").as_document().model_dump_json())
    (tmp_path / "job.json").write_text(json.dumps({**document, **change}))
    with pytest.raises(InputError) as caught:
        read_job_measurements(tmp_path / "job.json")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("unit", "W", "energy is in W"),
        ("nodes", [3.0, 2.0, 4.0, 5.0], "nodes do not rise"),
        ("values", [3.0, 2.0], "different length"),
        ("values", [3.0, -2.0, 3.0, 3.0], "greater than 0"),
    ],
)
def test_wrong_curves(tmp_path, key, value, told):
    (tmp_path / "runs.csv").write_text(TABLE)
    document = json.loads(read_job_measurements(tmp_path / "runs.csv").as_document().model_dump_json())
    document["curves"]["energy"][key] = value
    (tmp_path / "job.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=told):
        read_job_measurements(tmp_path / "job.json")


def test_files_that_are_none(tmp_path):
    (tmp_path / "job.json").write_text("[1")
    with pytest.raises(InputError, match="is no JSON"):
        read_job_measurements(tmp_path / "job.json")
    for name in ("none.csv", "none.json"):
        with pytest.raises(InputError, match=r"cannot be read|no such file"):
            read_job_measurements(Path(tmp_path / name))


CLOSED = {"job_one_node_time": "100 s", "job_node_power": "200 W", "job_idle_share": 0.5}


@pytest.mark.parametrize(
    ("provider", "share", "time", "energy"),
    [
        ("strong", "job_parallel_share", 100.0 * (0.25 + 0.75 / 4), 20_000.0 * (1 + 3 * 0.5 * 0.25)),
        ("weak", "job_scaled_parallel_share", 100.0, 20_000.0 * (0.25 * 2.5 + 0.75 * 4)),
        ("weak-partly-serial", "job_parallel_growth", 100.0 * (0.75 + 1.0), 20_000.0 * (3.0 + 0.25 * 4 * 2.5)),
    ],
)
def test_closed_forms_fill_the_same_slot(tmp_path, provider, share, time, energy):
    document = {
        "name": "closed",
        "models": ["energy_scaling"],
        "objectives": [{"minimize": "job_time"}, {"minimize": "job_energy"}],
        "also": ["job_power"],
        "use": {"job_scaling": provider},
        "set": {**CLOSED, share: 0.75},
        "space": {"axes": {"nodes": {"values": [4]}}},
    }
    for method in ("exhaustive", "bundles"):
        (row,) = Study(document, folder=tmp_path).run(tmp_path / method, method=method).frontier.to_dict("records")
        assert (row["job_time"], row["job_energy"]) == (pytest.approx(time), pytest.approx(energy))
        assert row["job_power"] == pytest.approx(energy / time)


def test_the_month_of_the_paper_is_picked(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "run", "energy-hydro-weak")[0] == 0
    pick = ("pick", "runs/energy-hydro-weak", "--max", "nodes", "--json", "--where")
    code, shown = run(capsys, *pick, "job_energy + 100 kWh <= 120 kWh")
    (design,) = json.loads(shown.out)["designs"]
    assert (code, design["nodes"], design["job_energy_extrapolated"]) == (0, 225.0, 1.0)
    assert design["job_energy"] / KWH == pytest.approx(19.9131, abs=5e-5)
    code, shown = run(capsys, *pick, "job_energy + 100 kWh <= 140 kWh")
    assert json.loads(shown.out)["designs"][0]["nodes"] == 452.0
    assert run(capsys, *pick, "job_energy + 100 kWh <= 100.01 kWh")[0] == 1
