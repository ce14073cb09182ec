"""The commands of laws: a sweep that is only planned, a fit, the profile at a point, and a study from it."""

import json

import pytest
from grid_runs import CELLS, files, of_cubes

from dse.cli.main import main


@pytest.fixture
def typed(capsys):
    """Return exit code and output of a command line."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        return ended.value.code or 0, capsys.readouterr()

    return run


def test_a_sweep_is_two_loops(typed):
    code, told = typed(
        *(
            "profile",
            "sweep",
            "-o",
            "cg-",
            "--sizes",
            "n=12,24",
            "--ranks",
            "1,8",
            "--dry-run",
            "--json",
            "--",
            "./cg",
            "{n}",
        )
    )
    planned = json.loads(told.out)["runs"]
    assert code == 0
    assert [run["file"] for run in planned] == ["cg-12-1.json", "cg-12-8.json", "cg-24-1.json", "cg-24-8.json"]
    assert planned[1]["command"] == ["mpirun", "--oversubscribe", "-n", "8", "./cg", "12"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--sizes", "n=12", "--ranks", "0", "--", "./cg", "{n}"], "--ranks: '0'"),
        (["--sizes", "n=a", "--ranks", "1", "--", "./cg", "{n}"], "'a' is no number"),
        (["--sizes", "n=12", "--ranks", "1", "--", "./cg"], "the program is not given 'n'"),
    ],
)
def test_a_sweep_that_cannot_be(typed, words, problem):
    code, told = typed("profile", "sweep", "-o", "cg-", "--dry-run", *words)
    assert code == 2
    assert problem in told.err


def test_from_profiles_to_a_study(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = files("cg", of_cubes).values()
    code, _ = typed("profile", "fit", *runs, "--size", CELLS, "-o", "cg.laws.json", "--json")
    assert code == 0
    code, told = typed("profile", "show", "cg.laws.json", "--at", "n=2048", "--at", "processes=16384", "--json")
    assert code == 0
    assert json.loads(told.out)["classes"][0]["instructions"] == pytest.approx(1.70e9, rel=2e-3)
    code, told = typed("profile", "show", "cg.laws.json", "--at", "n=20480", "--at", "processes=16384")
    assert (code, "a run with cells of about" in told.err) == (2, True)
    code, told = typed("profile", "show", "cg.laws.json", "--at", "n=20.5", "--at", "processes=8")
    assert (code, "a whole number, as in the runs" in told.err) == (2, True)
    for point, problem in (
        (("n=64", "processes=0"), "--at: 'processes=0'"),
        (("n=0", "processes=8"), "--at: cells is 0 at n = 0, processes = 8"),
        (("n=inf", "processes=8"), "--at: 'n=inf'"),
    ):
        code, told = typed("profile", "show", "cg.laws.json", "--at", point[0], "--at", point[1])
        assert (code, problem in told.err, "Warning" in told.err) == (2, True, False)
    code, told = typed("profile", "fit", "cg.laws.json", "-o", "again.laws.json")
    assert (code, "has laws of a program, not one profile" in told.err) == (2, True)
    code, _ = typed("init", "cg.toml", "--template", "codesign", "--profile", "cg.laws.json")
    assert code == 0
    text = (tmp_path / "cg.toml").read_text(encoding="utf-8")
    assert 'file = "cg.laws.json"' in text
    assert "problem_size = 768  # n" in text
