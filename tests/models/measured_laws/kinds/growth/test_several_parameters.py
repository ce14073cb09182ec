"""Laws of several parameters: found again, told with what fits as well, and not written."""

import json

import numpy as np
import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.kinds.growth.several_parameters import fit_several, points_of
from dse.models.measured_laws.tables.reading import read_measurements


def truth(p, n):
    return 0.5 + 1e-4 * n**1.5 / p + 0.02 * np.log2(p)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(3).normal(0.0, 0.005, (5, 5, 3))
    lines = [
        f"{p},{n},1,{truth(p, n) * (1 + noise[i, j, k]):.17g}"
        for i, p in enumerate((4, 8, 16, 32, 64))
        for j, n in enumerate((100, 200, 400, 800, 1600))
        for k in range(3)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["p,n,threads,time [s]", *lines]) + "\n", encoding="utf-8")
    return path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["fit", *map(str, arguments)])
    shown = capsys.readouterr()
    return ended.value.code or 0, shown.out, " ".join(shown.err.split())


def test_the_law_of_two_parameters_is_found_again(runs, capsys):
    code, out, _ = run(capsys, runs, "--at", "p=1024", "--at", "n=3200", "--at", "n=12800", "--json")
    assert code == 0
    found = json.loads(out)
    assert "p^(-1)" in found["law"]
    assert found["runs"] == 25
    assert found["ranges"] == {"p": [4, 64], "n": [100, 1600]}
    assert [(one["p"], one["n"], one["distance"]) for one in found["predictions"]] == [
        (1024, 3200, 16),
        (1024, 12800, 16),
    ]
    for one in found["predictions"]:
        assert one["value"] == pytest.approx(truth(one["p"], one["n"]), rel=0.1)
        assert one["low"] <= one["value"] <= one["high"]
    low, high = found["measured_over_law"]
    assert 0.97 < low < 1 < high < 1.03
    code, out, _ = run(capsys, runs, "--at", "p=1024", "--at", "n=3200")
    assert code == 0
    assert "25 runs, p = 4 to 64; n = 100 to 1600" in out
    assert "of several parameters no interval is known" in out
    assert "SYNTHETIC" not in out
    assert "SYNTHETIC data, not measurements" in run(capsys, runs, "--synthetic")[1]
    told = json.loads(run(capsys, runs, "--synthetic", "--json")[1])
    assert (told["synthetic"], told["source"]) == (True, str(runs))


def test_repetitions_are_reduced_as_asked(runs):
    measured = read_measurements([runs])
    told = {how: fit_several(measured, ["p", "n"], None, None, reduced=how).law for how in ("median", "minimum")}
    point = {"p": 8.0, "n": 400.0}
    assert told["minimum"].at(point) < told["median"].at(point)


WRONG = {
    "--at p=1024": "--at: no value of n; allowed: one n=VALUE for all points, or one for each",
    "--at p=1 --at p=2 --at p=3 --at n=4 --at n=5": "--at: 2 values of n, 3 of another parameter; "
    "allowed: one n=VALUE for all points, or one for each",
    "--at threads=2": "--at: threads has one value in all runs; allowed: p, n",
    "--out law.json": "--parameter: p and n vary, and a study takes laws of one parameter; allowed: p, n",
    "--level 0.5": "--level: of laws of several parameters no interval is known; allowed: with --parameter",
    "--at p=1e9 --at n=100": "--at: p = 1e+09 is 1.5625e+07 times beyond the runs; "
    "allowed: up to 1024 times; --refuse-beyond allows more",
}


@pytest.mark.parametrize("options", WRONG)
def test_what_is_wrong_is_told(runs, capsys, options):
    code, out, err = run(capsys, runs, *options.split())
    assert (code, out, err) == (2, "", f"error: {WRONG[options]}")


def test_points():
    assert points_of([("p", 1.0), ("n", 2.0), ("n", 3.0)], ["p", "n"]) == ({"p": 1.0, "n": 2.0}, {"p": 1.0, "n": 3.0})
    assert points_of([], ["p", "n"]) == ()
    with pytest.raises(InputError, match="4 parameters vary"):
        fit_several(None, ["a", "b", "c", "d"], None, None)
