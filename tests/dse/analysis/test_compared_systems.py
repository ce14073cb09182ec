"""Candidate files: computed, measured, and every way to get one wrong."""

import pytest
from toy import edited

from dse import Run, Study
from dse.analysis.compare.compare import compare
from dse.analysis.compare.compared_systems import read_system
from dse.study.file.headings import bundled_studies

COMPUTED = """name = "ours"
[set]
nodes = 5
frequency = "1.5 GHz"
"""
MEASURED = COMPUTED + '[measured]\ntime = "15 s"\nsource = "our log, 2024-03"\n'
ONLY = 'name = "theirs"\n[measured]\ntime = "9 s"\npower = "2 kW"\nsource = "their paper"\n'
QUANTITIES = "base_power, compute_time, frequency, network_time, nodes, power, time, work"


@pytest.fixture
def ran(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    return toy


def write(folder, text, name="c.toml"):
    (folder / name).write_text(text)
    return folder / name


def test_computed(ran):
    candidate = read_system(write(ran, COMPUTED), Study.load("toy.toml"))
    values = Study.load("toy.toml").evaluate({"nodes": 5, "frequency": "1.5 GHz"})
    assert (candidate.name, candidate.kind, candidate.feasible, candidate.measured) == ("ours", "computed", True, {})
    assert candidate.values == {k: v for k, v in values.items() if not k.startswith("constraint_")}
    assert candidate.parameters == {"nodes": "5", "frequency": "1.5 GHz"}
    (time,) = (b for b in candidate.breakdowns if b["quantity"] == "time")
    assert sum(part["value"] for part in time["parts"]) == pytest.approx(values["time"])


def test_measured_beside_computed(ran):
    """A measured figure stands in the place of the computed one, with its source."""
    candidate = read_system(write(ran, MEASURED), Study.load("toy.toml"))
    assert (candidate.kind, candidate.values["time"]) == ("computed", 15.0)
    assert candidate.measured == {"time": "our log, 2024-03"}
    assert candidate.values["power"] == Study.load("toy.toml").evaluate({"nodes": 5, "frequency": "1.5 GHz"})["power"]


def test_measured_alone(ran):
    write(ran, ONLY)
    found = compare(["a", "c.toml"])
    (candidate,) = found.candidates
    assert (candidate.kind, candidate.feasible, candidate.parameters) == ("measured", None, {})
    assert candidate.values == {"time": 9.0, "power": 2000.0}
    ((distance,),) = found.distances
    frontier = Run.load("a").frontier
    factors = [min(9 / time, 2000 / power) for time, power in zip(frontier["time"], frontier["power"], strict=True)]
    assert distance["factor"] == pytest.approx(max(factors))


def test_an_objective_that_is_not_known(ran):
    """Then there is no distance, and nothing dominates."""
    write(ran, 'name = "theirs"\n[measured]\ntime = "9 s"\nsource = "their paper"\n')
    found = compare(["a", "c.toml"])
    assert found.distances == [[None]]
    assert found.ratios == [{"time": 1.0}]


def test_a_value_outside_the_axis(ran):
    """A candidate need not be a design of the space."""
    candidate = read_system(write(ran, edited(COMPUTED, ("nodes = 5", "nodes = 5000"))), Study.load("toy.toml"))
    assert candidate.feasible is False


def test_the_study_of_a_candidate(ran, tmp_path):
    """By the name of a file beside it, or of a study that comes with the project."""
    (tmp_path / "deep").mkdir()
    for name in ("toy.toml", "model.py", "parts.csv"):
        (tmp_path / "deep" / name).write_text((ran / name).read_text())
    path = write(tmp_path / "deep", 'study = "toy.toml"\n' + COMPUTED)
    assert read_system(path, allow_code=True).values["nodes"] == 5
    path = write(ran, 'name = "x"\nstudy = "ska-station"\n[set]\npart = "ASIC 14 nm"\n')
    assert read_system(path).values["station_power"] > 0


def test_a_candidate_with_its_own_study_does_not_need_that_of_the_run(ran):
    """The models of the run may have changed since."""
    (ran / "model.py").write_text((ran / "model.py").read_text() + "# changed\n")
    write(ran, 'study = "toy.toml"\n' + COMPUTED)
    assert [c.name for c in compare(["a:0", "c.toml"], allow_code=True).candidates] == ["a:0", "ours"]


BROKEN = {
    "no TOML": ("name = ", "c.toml: is not valid TOML: Invalid value (at end of document)"),
    "unknown key": (
        COMPUTED.replace("[set]", "[sett]"),
        "c.toml: sett: unknown key 'sett'; allowed: name, study, alternative, reference, set, measured; "
        "did you mean 'set'?",
    ),
    "no name": ('[set]\nnodes = 5\nfrequency = "1 GHz"\n', "c.toml: name: is missing"),
    "empty name": (
        COMPUTED.replace('"ours"', '""'),
        "c.toml: name: '': string should have at least 1 character",
    ),
    "a list": (COMPUTED.replace("nodes = 5", "nodes = [5]"), "c.toml: set.nodes: [5]: input should be a valid integer"),
    "no source": (
        MEASURED.replace('source = "our log, 2024-03"\n', ""),
        'c.toml: measured.source: measured figures need a source; allowed: source = "where they are from"',
    ),
    "empty source": (
        MEASURED.replace("our log, 2024-03", ""),
        'c.toml: measured.source: measured figures need a source; allowed: source = "where they are from"',
    ),
    "unknown quantity": (
        MEASURED.replace("time = ", "tme = "),
        f"c.toml: measured.tme: unknown quantity 'tme'; allowed: {QUANTITIES}; did you mean 'time'?",
    ),
    "wrong unit": (
        MEASURED.replace("15 s", "15 W"),
        "c.toml: measured.time: unit 'W' does not fit 's' "
        "([mass] * [length] ** 2 / [time] ** 3 where [time] is needed)",
    ),
    "no unit": (
        MEASURED.replace('"15 s"', "15"),
        "c.toml: measured.time: 15 has no unit; allowed: a number with a unit that fits 's', such as '10 ms'",
    ),
    "missing study": (
        'study = "toi.toml"\n' + COMPUTED,
        "c.toml: study: no such study file 'toi.toml'; did you mean 'toy.toml'?",
    ),
    "unknown study": (
        'study = "ska-statoin"\n' + COMPUTED,
        "c.toml: study: unknown study 'ska-statoin'; allowed: a study file (.toml) or one of "
        f"{', '.join(bundled_studies())}; did you mean 'ska-station'?",
    ),
    "unknown alternative": (
        'alternative = "big"\n' + COMPUTED,
        "c.toml: alternative: no alternative 'big'; allowed: none, the space has a single one",
    ),
    "unknown input": (
        COMPUTED + "nods = 5\n",
        "c.toml: set.nods: 'nods' is no input of this system; allowed: base_power, frequency, nodes, work; "
        "did you mean 'nodes'?",
    ),
    "below the least": (COMPUTED.replace("nodes = 5", "nodes = 0"), "c.toml: set.nodes: 'nodes' is 0; allowed: >= 1"),
    "not whole": (
        COMPUTED.replace("nodes = 5", "nodes = 1.5"),
        "c.toml: set.nodes: 'nodes' is 1.5; allowed: whole numbers",
    ),
    "not finite": (
        COMPUTED.replace("nodes = 5", "nodes = inf"),
        "c.toml: set.nodes: inf: input should be a finite number",
    ),
    "an input without a value": (
        'name = "x"\n[set]\nnodes = 5\n',
        "c.toml: set.frequency: 'frequency' has no value; allowed: 1 GHz, 2 GHz",
    ),
    "nothing": ('name = "x"\n', "c.toml: set.nodes: 'nodes' has no value; allowed: 1, 2, 4, 8, 16, 32, 64"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_candidates(ran, dse, fault):
    text, told = BROKEN[fault]
    write(ran, text)
    result = dse("compare", "a", "c.toml")
    assert (result.code, result.out, result.err) == (2, "", f"error: {told}\n")


LINES = {
    ("no.toml",): "no.toml: cannot be read: No such file or directory",
    ("runs/none",): "runs/none: there is no run in this folder",
    ("a:99",): "a: the frontier has no row 99; allowed: A1 to A8, or row 0 to 7",
    ("a:-1",): "a: the frontier has no design -1; allowed: A1 to A8, or row 0 to 7",
    ("c.toml",): "c.toml: study: is missing, and no run is compared whose study could be taken",
}


@pytest.mark.parametrize("items", LINES, ids=" ".join)
def test_wrong_arguments(ran, dse, items):
    write(ran, COMPUTED)
    result = dse("compare", *items)
    assert (result.code, result.out, result.err) == (2, "", f"error: {LINES[items]}\n")
    assert dse("compare", *items, "--json").code == 2


def test_tables_bound_what_a_candidate_may_ask_for(dse, tmp_path):
    """A value outside a table of baselines is told with the values it has."""
    dse.good("run", "hybrid-xeon-sp", "--out", "a")
    write(tmp_path, 'name = "x"\n[set]\nnodes = 4\ncores = 8\nfrequency = "2.6 GHz"\n')
    result = dse("compare", "a", "c.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: c.toml: hybrid/baselines.csv: 'frequency' = 2.6e+09 Hz is outside the table; "
        "allowed: 1.2e+09 to 1.8e+09 Hz (no extrapolation)\n"
    )
