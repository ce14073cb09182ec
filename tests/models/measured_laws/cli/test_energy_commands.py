"""`dse energy`: the curve, one job, and the most nodes, as a user types it."""

import json

import pytest

from dse.cli.main import main

WEAK = "nodes,energy [kWh],source\n6,0.54,a\n32,2.84,a\n"
STRONG = "nodes,energy [kWh],source\n320,7.5,a\n130,7.6,a\n135,7.9,a\n220,7.6,a\n"
POWER = "nodes,power [W],source\n1,161.0\n".replace(",source", "") + "311,49869.45\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in (("weak.csv", WEAK), ("strong.csv", STRONG), ("power.csv", POWER)):
        (tmp_path / name).write_text(text)

    def call(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(["energy", *(str(one) for one in arguments)])
        shown = capsys.readouterr()
        return done.value.code or 0, " ".join((shown.out if done.value.code != 2 else shown.err).split())

    return call


def test_a_fit_is_shown_and_written(run, tmp_path):
    code, shown = run("fit", "strong.csv", "--out", "hydro.json")
    assert code == 0
    assert "1.43 %" in shown
    assert "no rising order: sorted" in shown
    written = json.loads((tmp_path / "hydro.json").read_text())
    assert (written["format"], written["kind"]) == ("dse-fit/1", "energy")
    assert run("fits", "hydro.json", 320, "--budget", "7.5 kWh")[0] == 0
    code, told = run("fit", "strong.csv", "--out", "hydro.json")
    assert (code, "not overwritten" in told) == (2, True)


def test_the_json_of_a_fit(run):
    code, shown = run("fit", "weak.csv", "--json")
    energy = json.loads(shown)["curves"]["energy"]
    assert code == 0
    assert (energy["case"], energy["interpolates"], energy["orders"]) == ("I", True, [1])
    assert energy["segments"][0]["powers"][1] / 3.6e6 == pytest.approx(0.0884615, abs=1e-7)


def test_a_budget_is_answered_by_the_exit_code(run):
    month = ("--accumulated", "100 kWh", "--budget", "120 kWh")
    code, shown = run("fits", "weak.csv", 360, *month, "--json")
    answer = json.loads(shown)
    assert (code, answer["fits"], answer["extrapolated"]) == (1, False, True)
    assert answer["left"] / 3.6e6 == pytest.approx(-11.855, abs=5e-4)
    code, shown = run("fits", "weak.csv", 225, *month)
    assert (code, "yes" in shown, "prediction" in shown) == (0, True, True)
    code, shown = run("nodes", "weak.csv", *month, "--range", "1..512", "--json")
    assert (code, json.loads(shown)["nodes"]) == (0, 225)
    code, shown = run("nodes", "weak.csv", "--accumulated", "120 kWh", "--budget", "120 kWh", "--range", "1..512")
    assert (code, "no number of nodes" in shown) == (1, True)


def test_a_cap_and_the_error_of_the_fit(run):
    code, shown = run("nodes", "power.csv", "--cap", "50 kW", "--range", "1..900", "--json")
    assert (code, json.loads(shown)["nodes"]) == (0, 311)
    code, shown = run("nodes", "strong.csv", "--budget", "7.5 kWh", "--range", "1..500", "--with-error", "--json")
    assert (code, json.loads(shown)["nodes"]) == (1, None)  # beyond its four runs the error is that of the interval
    code, shown = run("nodes", "strong.csv", "--budget", "8 kWh", "--range", "1..500", "--with-error", "--json")
    found = json.loads(shown)
    told = json.loads(run("fit", "strong.csv", "--at", str(found["nodes"]), "--json")[1])["at"][0]["energy"]
    assert found["needs"] == pytest.approx(told["high"], rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("fit", "none.csv"), "none.csv"),
        (("fit", "weak.csv", "--reduction", "meen"), "did you mean 'mean'"),
        (("fit", "weak.csv", "--rmse-limit", "0"), "rmse_limit"),
        (("fit", "weak.csv", "--out", "fit.csv"), "--out"),
        (("fits", "weak.csv", "0", "--budget", "1 kWh"), "0 nodes"),
        (("fits", "weak.csv", "4", "--budget", "1 kW"), "--budget"),
        (("fits", "power.csv", "4", "--budget", "1 kWh"), "the energy was not measured"),
        (("nodes", "weak.csv"), "--budget: neither a budget nor a cap"),
        (("nodes", "weak.csv", "--budget", "1 kWh", "--cap", "1 kW"), "--cap: both"),
        (("nodes", "weak.csv", "--cap", "1 kW", "--accumulated", "1 kWh"), "--accumulated: goes with --budget"),
        (("nodes", "weak.csv", "--budget", "1 kWh", "--range", "5-9"), "--range"),
        (("nodes", "weak.csv", "--budget", "1 kWh", "--range", "9..5"), "nodes 9 to 5"),
    ],
)
def test_wrong_questions(run, arguments, told):
    code, shown = run(*arguments)
    assert (code, told in shown, shown) == (2, True, shown)


def test_what_contradicts_itself_or_fits_badly_is_told_by_name(run, tmp_path):
    rows = [(1, 100, 100), (2, 50, 50), (4, 25, 25), (8, 12, 12), (16, 7, 7)]
    table = "nodes,energy [J],power [W],time [s]\n" + "".join(f"{n},30,{p},{t}\n" for n, p, t in rows)
    (tmp_path / "three.csv").write_text(table)
    code, shown = run("fit", "three.csv")
    assert code == 0
    assert "energy is not power times time: 0.003 times that on 1 node" in shown
    assert "no curve of power and time is above 0 and within 5 % in every part" in shown
    assert "1 to 16 nodes: 30 J" in shown
    assert "the fit of power is not above 0 on 64 nodes" in run("fit", "three.csv", "--at", "64")[1]
