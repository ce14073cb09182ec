"""`dse fit` as a user runs it, and the study that uses what it wrote."""

import json
from importlib.resources import files

import numpy as np
import pytest
from typer.testing import CliRunner

import dse
from dse.analysis.uncertainty.draws import batches
from dse.cli.main import _app, main
from dse.errors import InputError
from dse.evaluation.unknowns import uncertain_problem
from dse.models.measured_laws.kinds.growth.fitted_file import read_law


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{p},{repetition},{2 + 300 / p}" for p in (4, 8, 16, 32, 64, 128) for repetition in (1, 2)]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["p,repetition,time [s]", *lines]) + "\n", encoding="utf-8")
    return path


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["fit", *map(str, arguments)])
    shown = capsys.readouterr()
    return ended.value.code or 0, shown.out, shown.err


def test_an_exact_law_is_found_and_written(runs, capsys):
    code, out, _ = _run(capsys, runs, "--at", "p=4096", "--out", "time.fit.json", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["law"] == "2 + 300·p^(-1)"
    told = found["predictions"][0]
    assert told["value"] == pytest.approx(2 + 300 / 4096, rel=1e-9)
    assert told["low"] <= told["value"] <= told["high"]
    assert told["distance"] == 32
    model = read_law(runs.parent / "time.fit.json").content
    np.testing.assert_allclose(model.model.value(np.array([1.0, 300.0])), [302.0, 3.0], rtol=1e-9)
    assert model.model.distance(np.array([2.0, 64.0, 256.0])).tolist() == [2.0, 1.0, 2.0]
    code, out, _ = _run(capsys, runs, "--at", "p=4096")
    assert code == 0
    assert "time = 2 + 300·p^(-1) [s]" in out
    assert "90 % interval" in out
    assert "● measured, ○ fitted" in out


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.15])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_interval_of_the_file_is_that_of_the_fit(tmp_path, capsys, noise, level):
    deviations = np.random.default_rng(7).normal(0.0, noise, 7)
    sizes = [4 * 2**step for step in range(7)]
    lines = [f"{p},{(2 + 300 / p) * (1 + e)!r}" for p, e in zip(sizes, deviations.tolist(), strict=True)]
    (tmp_path / "runs.csv").write_text("\n".join(["p,time [s]", *lines]) + "\n", encoding="utf-8")
    asked = [item for p in (2, 50, 1000, 8192) for item in ("--at", f"p={p}")]
    out = tmp_path / "time.fit.json"
    code, told, _ = _run(capsys, tmp_path / "runs.csv", *asked, "--level", level, "--out", out, "--json")
    assert code == 0
    found = json.loads(told)["predictions"]
    law = read_law(out).content.model
    assert [law.interval(one["p"]) for one in found] == [(one["low"], one["high"]) for one in found]
    assert bool(law.ensemble) or not noise


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--metric", "tiem"), "did you mean 'time'"),
        (("--at", "q=4"), "no parameter 'q'"),
        (("--at", "p=x"), "a finite number above 0"),
        (("--at", "p"), "NAME=VALUE"),
        (("--at", "p=1e6"), "7812.5 times beyond the runs"),
        (("--level", "1.5"), "between 0 and 1"),
        (("--reduce", "meen"), "did you mean 'mean'"),
        (("--out", "runs.csv"), "not overwritten"),
        (("--out", "fit.txt"), "does not end in .json"),
        (("--unit", "tme=s"), "no such metric"),
        (("--parameter", "z"), "no parameter 'z'"),
    ],
)
def test_bad_arguments(runs, capsys, arguments, message):
    code, _, error = _run(capsys, runs, *arguments)
    assert code == 2
    assert message in " ".join(error.split())
    assert "Traceback" not in error


def test_far_targets_are_warned_about_and_allowed(runs, capsys):
    code, out, _ = _run(capsys, runs, "--at", "p=16384")
    assert (code, "128 times beyond the runs: a hypothesis" in out) == (0, True)
    assert _run(capsys, runs, "--at", "p=1e6", "--refuse-beyond", "10000")[0] == 0


STUDY = """name = "s"
models = ["fitted"]
[tables.fitted_model]
file = "time.fit.json"
[[objectives]]
minimize = "{quantity}"
[space.axes]
fitted_size = {{ values = [{sizes}] }}
"""


def test_a_study_uses_what_was_written(runs, capsys):
    _run(capsys, runs, "--out", "time.fit.json")
    path = runs.parent / "s.toml"
    path.write_text(STUDY.format(quantity="fitted_time", sizes="100, 300, 1200"), encoding="utf-8")
    frontier = dse.Study.load(path).run(trust=False).frontier
    assert frontier["fitted_time"].tolist() == pytest.approx([2.25])
    assert not frontier.get("fitted_time_extrapolated", default=np.zeros(1)).any()
    far = STUDY.format(quantity="fitted_time", sizes="20000")
    path.write_text(far, encoding="utf-8")
    assert dse.Study.load(path).run(trust=False).frontier["fitted_time_extrapolated"].tolist() == [1.0]
    path.write_text(STUDY.format(quantity="fitted_energy", sizes="100"), encoding="utf-8")
    with pytest.raises(InputError, match="'time' is in s, not in J"):
        dse.Study.load(path).run(trust=False)
    path.write_text(STUDY.format(quantity="fitted_time", sizes="1000000"), encoding="utf-8")
    with pytest.raises(InputError, match="times beyond the runs"):
        dse.Study.load(path).run(trust=False)


def _uncertain(path, text, **entry):
    path.write_text(text, encoding="utf-8")
    return dse.Study.load(path).edited(uncertain={"fitted_time": {"error": "model", **entry}})


def test_the_interval_of_the_law_is_what_a_study_does_not_know():
    study = dse.Study.load("fitted-strong-scaling")
    (unknown,) = study.unknowns.every
    file = files("dse.spaces") / "fitted" / "strong-scaling.fit.json"
    law = read_law(file).content.model
    assert (unknown.scope, unknown.axis) == ("each", "fitted_size")
    for p in 2.0 ** np.arange(2, 15):
        ends = [end / law.value(np.array(p)) - 1 for end in law.interval(p)]
        assert unknown.rows[f"{p:g}"] == pytest.approx(ends), p
    assert unknown.rows["16384"][1] > 2 * unknown.rows["16"][1] > 0
    assert "90 % interval of strong-scaling.fit.json, at each row of fitted_size" in unknown.source
    (note,) = [one for one in study.unknowns.notes if "fitted_time: up to" in one]
    assert "at fitted_size = 16384, its widest here" in note


def test_what_has_one_width_keeps_the_widest_interval():
    """A shared part has one value for all sizes, and a distribution that is cut one standard deviation."""
    study = dse.Study.load("fitted-strong-scaling").edited(
        space={"axes": {"fitted_size": {"powers_of_two": [4, 1024]}}}
    )
    alone = study.unknowns.every[0]
    shared, own = study.edited(uncertain={"fitted_time": {"error": "model", "shared": 0.25}}).unknowns.every
    widest = max(max(-low, high) for low, high in alone.rows.values())
    assert (shared.scope, shared.weight, shared.high, shared.low) == ("shared", 0.25, widest, -widest)
    assert (own.scope, own.weight, own.rows) == ("each", 0.75, alone.rows)
    entry = {"error": "model", "distribution": "normal"}
    (normal,) = study.edited(uncertain={"fitted_time": entry}).unknowns.every
    assert (normal.scope, normal.spread) == ("design", widest)
    fixed = {"machines": {"values": [1, 2]}}
    one_size = study.edited(
        space={"axes": fixed}, set={"fitted_size": 64}, quantities={"process_time": "machines * fitted_time"}
    )
    (single,) = one_size.unknowns.every
    assert (single.scope, single.high) == ("design", pytest.approx(max(-alone.rows["64"][0], alone.rows["64"][1])))


def test_draws_of_a_size_stay_inside_its_own_interval():
    """By hand: each design's drawn time over the law's lies in the interval of its own size, and fills it."""
    study = dse.Study.load("fitted-strong-scaling").edited(objectives=[{"minimize": "fitted_time"}])
    numbers = np.arange(study.compiled.space.size)
    unknown = uncertain_problem(study.compiled, study.unknowns.every)
    points = np.concatenate([batch.points for batch in batches(unknown, numbers, 200, 0)], axis=1)[..., 0]
    law = read_law(files("dse.spaces") / "fitted" / "strong-scaling.fit.json").content.model
    for drawn, size in zip(points, 2.0 ** np.arange(2, 15), strict=True):
        low, high = law.interval(size)
        assert low * (1 - 1e-12) <= drawn.min() < low + 0.02 * (high - low)
        assert high - 0.02 * (high - low) < drawn.max() <= high * (1 + 1e-12)


def test_a_law_of_one_size_and_one_of_computed_sizes(runs, capsys):
    noisy = [f"{p},{(2 + 300 / p) * (1.01 if p in (4, 32) else 0.99)!r}" for p in (4, 8, 16, 32, 64, 128)]
    runs.write_text("\n".join(["p,time [s]", *noisy]) + "\n", encoding="utf-8")
    _run(capsys, runs, "--out", "time.fit.json")
    law, path = read_law(runs.parent / "time.fit.json").content.model, runs.parent / "s.toml"
    near = _uncertain(path, STUDY.format(quantity="fitted_time", sizes="8, 16"), shared=1.0).unknowns.every[0].high
    far = _uncertain(path, STUDY.format(quantity="fitted_time", sizes="8, 16, 4096"), shared=1.0).unknowns.every[0]
    assert near == pytest.approx(np.abs([law.deviations(8.0), law.deviations(16.0)]).max())
    assert near < far.high == pytest.approx(np.abs(law.deviations(4096.0)).max())
    computed = STUDY.format(quantity="fitted_time", sizes="8, 16").replace("fitted_size", "machines")
    computed = computed.replace("[[objectives]]", '[quantities]\nfitted_size = "machines * 2"\n[[objectives]]')
    with pytest.raises(InputError, match="depends on fitted_size, which is computed here"):
        assert _uncertain(path, computed).unknowns


def test_trust_in_a_fitted_law(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["run", "fitted-strong-scaling", "--trust", "--out", "run"])
    told = " ".join(capsys.readouterr().out.split())
    assert not ended.value.code
    assert "designs are certain" in told
    assert "90 % interval of strong-scaling.fit.json" in (tmp_path / "run" / "trust.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="dse-fit/9"), "format: format 'dse-fit/9'; allowed: dse-fit/1"),
        (lambda d: d.update(extra=1), "extra: Extra inputs"),
        (lambda d: d["model"].update(unit="ms"), "model.unit"),
        (lambda d: d["model"]["terms"][0].update(exponent="1/0"), "a fraction from -8 to 8"),
        (lambda d: d["model"]["terms"][0].update(exponent="__import__"), "model.terms.0.exponent"),
        (lambda d: d["model"]["runs"].reverse(), "the sizes rise"),
        (lambda d: d["model"]["covariance"].pop(), "a row and a column for each term"),
        (lambda d: d["model"]["ensemble"].append([]), "model.ensemble"),
        (lambda d: d.update(kind="magic"), "kind: a fitted model of kind 'magic'"),
        (lambda d: d.update(source="a\x1b[2J"), "control character"),
    ],
)
def test_a_file_that_was_changed_is_refused(runs, capsys, change, message):
    _run(capsys, runs, "--out", "time.fit.json")
    path = runs.parent / "time.fit.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_law(path)
    assert message in str(caught.value)


def test_help_has_an_example():
    assert "dse fit timings.csv" in CliRunner().invoke(_app(), ["fit", "--help"]).output


def test_a_law_that_fits_badly_is_warned_of(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    path.write_text("p,time [s]\n1,1\n2,9\n4,2\n8,7\n16,1.5\n32,8\n", encoding="utf-8")
    code, out, _ = _run(capsys, path)
    assert code == 0
    assert "runs that are left out are missed by" in out
    path.write_text("p,time [s]\n1,1\n2,2.1\n4,3.9\n8,8.2\n16,15.8\n32,32\n", encoding="utf-8")
    assert "left out are missed" not in _run(capsys, path)[1]
