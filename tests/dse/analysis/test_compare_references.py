"""References in a comparison: by name, of a run or of all, in a candidate file, and when the models are gone."""

import re

import pytest
from toy import MACHINES, MODEL, REFERENCES, STUDY, edited, write_references

from dse import Run, Study
from dse.analysis.compare.compare import compare
from dse.analysis.compare.compared_systems import read_system
from dse.report.comparison.page import write_comparison


@pytest.fixture
def ran(toy, dse):
    write_references(toy)
    dse.good("run", "toy.toml", "--out", "a")
    return toy


def names(found):
    return [candidate.name for candidate in found.candidates]


@pytest.mark.parametrize("item", ["Alpha", "alpha", "ALPHA"])
def test_beside_a_row(ran, item):
    """With everything its study computes, as a row has it, and what was measured."""
    found = compare(["a:2", item])
    assert names(found) == ["a:2", "Alpha"]
    row, alpha = found.candidates
    one = Study.load("toy.toml").reference("Alpha")
    assert (alpha.kind, alpha.feasible, alpha.values) == ("reference", True, one.values)
    assert set(row.values) == set(alpha.values)
    assert alpha.parameters == one.parameters
    assert (alpha.measured, alpha.beside) == ({}, one.measured)
    assert alpha.breakdowns == Run.load("a").explain_reference("alpha").breakdowns
    (time,) = (item for item in alpha.breakdowns if item["quantity"] == "time")
    assert sum(part["value"] for part in time["parts"]) == pytest.approx(alpha.values["time"])
    assert alpha.synthetic == ["machines.csv"]
    assert found.ratios[1] == {name: alpha.values[name] / row.values[name] for name in ("time", "power")}
    assert found.also == [{"quantity": "network_time", "unit": "s"}]


def test_distance(ran):
    frontier = Run.load("a").frontier
    found = compare(["a", "Alpha", "Gamma"])
    values = [candidate.values for candidate in found.candidates[2:]]
    for one, (distance,) in zip(values, found.distances[2:], strict=True):
        factors = [
            min(one["time"] / t, one["power"] / p) for t, p in zip(frontier["time"], frontier["power"], strict=True)
        ]
        assert distance["factor"] == pytest.approx(max(factors))
    assert found.distance_rows()[-1][-1].endswith("(but it breaks a constraint)")


def test_a_run_stands_for_its_best_designs_where_only_references_are_named(ran):
    assert names(compare(["a", "Alpha"])) == ["best time", "best power", "Alpha"]
    assert names(compare(["Alpha", "a"])) == ["Alpha", "best time", "best power"]
    assert names(compare(["a", "a:0", "Alpha"])) == ["a:0", "Alpha"]
    assert names(compare(["a:Alpha"])) == ["Alpha"]
    (ran / "c.toml").write_text('name = "ours"\n[set]\nnodes = 5\nfrequency = "1.5 GHz"\n')
    assert names(compare(["a", "Alpha", "c.toml"])) == ["Alpha", "ours"]


def test_what_is_measured_stands_in_where_nothing_is_computed(ran):
    """And is marked; where neither is known, there is no distance."""
    found = compare(["a:0", "Beta"])
    beta = found.candidates[1]
    assert (beta.values["time"], beta.measured) == (12.0, {"time": "a talk"})
    assert "power" not in beta.values
    assert beta.feasible is None
    assert beta.note == "no computed figure for time, power ('frequency' is empty)"
    assert found.distances[1] == [None]
    assert found.figures("time", "s")[1] == ("12 s", "0.12×", "measured")
    assert found.measured("time", "s") == ["–", "12 s"]
    assert found.measured("network_time", "s") == []


def test_of_two_runs(ran, dse):
    """Once for each run that has it, since each has its own models and values."""
    text = edited(STUDY + REFERENCES, ("work = 1e11", "work = 2e11"))
    write_references(ran, text)
    dse.good("run", "toy.toml", "--out", "b")
    write_references(ran, STUDY)
    dse.good("run", "toy.toml", "--out", "c")
    found = compare(["a:0", "b:0", "c:0", "alpha"])
    assert names(found)[3:] == ["Alpha (a)", "Alpha (b)"]
    a, b = (candidate.values["time"] for candidate in found.candidates[3:])
    assert b == pytest.approx(2 * a - 0.1 * 20**0.5)
    assert names(compare(["a:0", "b:Alpha"])) == ["a:0", "Alpha"]
    assert compare(["a:0", "b:Alpha"]).candidates[1].values["time"] == b


def test_when_the_models_have_changed(ran):
    """What the run keeps is shown, and why there is no more."""
    before = compare(["a:0", "Alpha"]).candidates[1]
    (ran / "model.py").write_text(MODEL + "# changed\n")
    after = compare(["a:0", "Alpha"]).candidates[1]
    assert after.values == {
        name: before.values[name] for name in ("time", "power", "network_time", "nodes", "frequency")
    }
    assert (after.parameters, after.feasible, after.beside) == (before.parameters, True, before.beside)
    assert after.breakdowns == []
    assert after.note.startswith("changed since the run: model model.py")


def test_a_name_with_a_colon(ran, dse):
    """Of a run it is told from a row by what follows the colon of the run."""
    write_references(ran, machines=MACHINES.replace("Alpha", "Model:3"))
    dse.good("run", "toy.toml", "--out", "b")
    assert names(compare(["b:Model:3", "b:3"])) == ["Model:3", "b:3"]


def test_candidate_file(ran):
    (ran / "c.toml").write_text('reference = "alpha"\n')
    alone = read_system(ran / "c.toml", Study.load("toy.toml"))
    assert (alone.name, alone.kind) == ("Alpha", "reference")
    assert alone.values == Study.load("toy.toml").reference("Alpha").values
    (ran / "c.toml").write_text(
        'name = "mine"\nreference = "Beta"\nstudy = "toy.toml"\n[measured]\npower = "5 kW"\nsource = "our meter"\n'
    )
    mine = compare(["a:0", "c.toml"]).candidates[1]
    assert (mine.name, mine.values["power"], mine.values["time"]) == ("mine", 5e3, 12.0)
    assert mine.measured == {"time": "a talk", "power": "our meter"}


FILES = {
    'reference = "Alfa"\n': "c.toml: reference: there is no reference 'Alfa'; allowed: Alpha, Beta, Gamma; "
    "did you mean 'Alpha'?",
    'reference = "Alpha"\n[set]\nnodes = 5\n': "c.toml: set: does not go with 'reference', which has its own",
    'reference = "Alpha"\nalternative = "x"\n': "c.toml: alternative: does not go with 'reference', which has its own",
    'reference = "Alpha"\nstudy = "ska-station"\n': "c.toml: reference: there is no reference 'Alpha'; "
    "allowed: none, the study has no references",
    "reference = 5\n": "c.toml: reference: 5: input should be a valid string",
    "[set]\nnodes = 5\n": "c.toml: name: is missing",
}


@pytest.mark.parametrize("text", FILES)
def test_broken_files(ran, dse, text):
    (ran / "c.toml").write_text(text)
    assert dse("compare", "a", "c.toml") == (2, "", f"error: {FILES[text]}\n")


NAMES = {
    ("a", "Alfa"): "'Alfa' is neither a run nor a reference of a; allowed: Alpha, Beta, Gamma; did you mean 'Alpha'?",
    ("a:0", "b"): "'b' is neither a run nor a reference of a; allowed: Alpha, Beta, Gamma",
    ("a:Alfa",): "'Alfa' is neither a run nor a reference of a; allowed: Alpha, Beta, Gamma; did you mean 'Alpha'?",
    ("Alpha",): "Alpha: there is no run in this folder; allowed: a",
    ("a", "runs/Alpha"): "runs/Alpha: there is no run in this folder",
}


@pytest.mark.parametrize("items", NAMES, ids=" ".join)
def test_wrong_names(ran, dse, items):
    assert dse("compare", *items) == (2, "", f"error: {NAMES[items]}\n")


def test_words(ran, dse):
    out = dse.good("compare", "a:4", "Alpha", "Beta", "--full").out
    lines = [re.sub(r"\s+", " ", line).strip() for line in out.splitlines()]
    assert "time (min) 6.533 s (1×) 3.781 s (0.579×) 12 s (1.84×) measured" in lines
    assert "time measured – 6 s 12 s" in lines
    assert "power measured – 3.100 kW –" in lines
    assert "network_time 282.8 ms 447.2 ms 632.5 ms" in lines
    assert "constraints met met –" in lines
    assert {"Alpha: measured figures from a log", "Beta: measured figures from a talk"} <= set(lines)
    assert "Beta: no computed figure for time, power ('frequency' is empty)" in lines
    assert "compute_time 6.250 s (96 %) 3.333 s (88 %) –" in lines
    assert "base_power" not in out
    every = dse.good("compare", "a:4", "Alpha", "Beta", "--all").out
    assert "base_power 100 W 100 W 100 W" in [re.sub(r"\s+", " ", line).strip() for line in every.splitlines()]


def test_json(ran, dse):
    told = dse.good("compare", "a:4", "Beta", "--json").json
    assert told["candidates"][1]["kind"] == "reference"
    assert told["candidates"][1]["beside"] == {"time": {"value": 12.0, "column": "log_time", "source": "a talk"}}
    assert told["candidates"][0]["beside"] == {}


def test_page(ran, tmp_path):
    text = write_comparison(compare(["a:4", "Alpha", "Beta"]), tmp_path / "page.html").read_text()
    for told in ("Alpha", "12 s (measured)", "Alpha, measured", "3.100 kW", "All 8 quantities", "time: where it goes"):
        assert told in text, told
    assert "no computed figure for time, power (&#x27;frequency&#x27; is empty)" in text
