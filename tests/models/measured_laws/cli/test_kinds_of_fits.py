"""`dse fit --kind`: one door to all kinds of models of measurements, each fitted by its own family."""

import json
from datetime import date
from hashlib import sha256

import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.document import read_job_measurements
from dse.models.measured_laws.kinds.growth.fitted_file import read_law
from dse.models.measured_laws.kinds.scaling_factors.fitted_file import read_factors_fit

ENERGY = "nodes,energy [kWh]\n320,7.5\n130,7.6\n135,7.9\n220,7.6\n"
FACTORS = "P,LB,Ser,Trf\n512,0.952,0.99,0.98\n1024,0.948,0.985,0.97\n2048,0.943,0.98,0.95\n4096,0.937,0.97,0.92\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "energy.csv").write_text(ENERGY)
    (tmp_path / "factors.csv").write_text(FACTORS)
    lines = [f"{p},{2 + 300 / p}" for p in (4, 8, 16, 32, 64)]
    (tmp_path / "time.csv").write_text("\n".join(["p,time [s]", *lines]) + "\n")

    def call(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main([str(one) for one in arguments])
        shown = capsys.readouterr()
        return done.value.code or 0, shown.out if done.value.code != 2 else " ".join(shown.err.split())

    return call


@pytest.mark.parametrize(
    ("door", "own"),
    [
        ("energy.csv --kind energy --at nodes=400", "energy fit energy.csv --at 400"),
        (
            "energy.csv --kind energy --reduce max --rmse-limit 3",
            "energy fit energy.csv --reduction max --rmse-limit 3",
        ),
        (
            "factors.csv --kind scaling-factors --mode weak --at P=8192 --modelled --synthetic",
            "scaling fit factors.csv --mode weak --at 8192 --modelled --synthetic",
        ),
        (
            "factors.csv --kind scaling-factors --mode weak --form amdahl",
            "scaling fit factors.csv --mode weak --form amdahl",
        ),
        ("time.csv --kind law --at p=128", "fit time.csv --at p=128"),
    ],
)
def test_the_door_says_what_the_family_says(run, door, own):
    through = run("fit", *door.split(), "--json")
    assert through == run(*own.split(), "--json")
    assert through[0] == 0
    assert json.loads(through[1])


def test_an_energy_with_its_error(run):
    code, told = run("fit", "energy.csv", "--kind", "energy", "--at", "nodes=400", "--json")
    answer, error = json.loads(told)["at"][0], json.loads(told)["curves"]["energy"]["percent_rmse"]
    assert (code, answer["nodes"], answer["extrapolated"]) == (0, 400, True)
    assert answer["energy"]["high"] / answer["energy"]["value"] - 1 > 2 * error / 100
    assert answer["energy"]["rests_on"] == "a constant"
    told = run("fit", "energy.csv", "--kind", "energy", "--at", "nodes=400")[1]
    assert "90 % interval" in told
    assert "do not tell it from a constant" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("energy.csv --kind enrgy", "did you mean 'energy'"),
        ("energy.csv --kind energy --metric time", "--metric: is no option of --kind energy"),
        ("time.csv --mode weak", "--mode: is no option of --kind law"),
        ("factors.csv --kind scaling-factors", "--mode: is missing"),
        ("energy.csv time.csv --kind energy", "2 files"),
        ("energy.csv --kind energy --at p=4", "no parameter 'p'"),
        ("energy.csv --kind energy --at nodes=4.5", "a whole number"),
        ("energy.csv --kind energy --reduce median", "mean"),
    ],
)
def test_wrong_questions_at_the_door(run, arguments, told):
    code, error = run("fit", *arguments.split())
    assert (code, told in error, error) == (2, True, error)


WRITTEN = {
    "law": ("time.csv",),
    "energy": ("energy.csv",),
    "scaling-factors": ("factors.csv", "--mode", "weak"),
}
READERS = {"law": read_law, "energy": read_job_measurements, "scaling-factors": read_factors_fit}


def test_files_begin_alike_and_only_their_own_reader_takes_them(run, tmp_path):
    for kind, arguments in WRITTEN.items():
        file = tmp_path / f"{kind}.json"
        assert run("fit", *arguments, "--kind", kind, "--out", file)[0] == 0
        begun = dict(list(json.loads(file.read_text()).items())[:6])
        assert list(begun) == ["format", "kind", "source", "sha256", "date", "synthetic"]
        assert (begun["format"], begun["kind"], begun["synthetic"]) == ("dse-fit/1", kind, False)
        assert begun["date"] == date.today().isoformat()
        assert begun["sha256"] == sha256((tmp_path / arguments[0]).read_bytes()).hexdigest()
        for reader, read in READERS.items():
            if reader == kind:
                read(file)
                continue
            with pytest.raises(InputError) as caught:
                read(file)
            assert f"{kind}.json: kind: a fitted model of kind '{kind}'; allowed: '{reader}'" in str(caught.value)
