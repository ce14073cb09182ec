"""How sure a run is, from the study file to the screen: `dse trust`, `dse pick --trust`, `dse run --trust`."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from toy import STUDY

from dse import Run, Study

UNCERTAIN = """
[uncertain]
base_power = { within = "20 %", source = "meters of the vendor" }
network_time = { from_the_shelf = 1 }
"""
KNOWN = """
[uncertain]
base_power = { within = "20 %", source = "meters of the vendor" }
time = { error = "5 %" }

[trust]
draws = 200
cells = 32
"""


@pytest.fixture
def run(dse, toy):
    Path("toy.toml").write_text(STUDY + KNOWN)
    dse.good("run", "toy.toml")
    return "runs/toy"


def brute_force():
    """Which designs are on the frontier at some and at every value of a grid, errors of two designs at their worst."""
    rows = list(itertools.product(2.0 ** np.arange(7), [1e9, 2e9]))
    nodes, clock = np.array(rows).T
    time = 1e11 / (nodes * clock) + 0.1 * np.sqrt(nodes)
    some, always = set(), set(range(len(rows)))
    for base in np.linspace(80.0, 120.0, 41):
        power = nodes * (base + 1e-26 * clock**3)
        feasible = power <= 20e3
        for design in range(len(rows)):
            best = feasible[design] and not any(
                feasible[e]
                and time[e] * 1.05 <= time[design] * 0.95
                and power[e] <= power[design]
                and (time[e] * 1.05 < time[design] * 0.95 or power[e] < power[design])
                for e in range(len(rows))
                if e != design
            )
            worst = feasible[design] and not any(
                feasible[e]
                and time[e] * 0.95 <= time[design] * 1.05
                and power[e] <= power[design]
                and (time[e] * 0.95 < time[design] * 1.05 or power[e] < power[design])
                for e in range(len(rows))
                if e != design
            )
            some |= {design} if best else set()
            always -= set() if worst else {design}
    return some, always


def test_certain_and_possible_designs_of_a_study_hold_what_brute_force_finds(dse, run):
    found = dse.good("trust", run, "--json").json
    some, always = brute_force()
    assert some <= set(found["possible"])
    assert set(found["certain"]) <= always
    assert set(map(int, found["probability"])) <= set(found["possible"])
    assert set(found["certain"]) <= {int(design) for design, share in found["probability"].items() if share == 1.0}
    assert found["unknowns"][0]["name"] == "base_power"
    assert found["unknowns"][0]["source"] == "meters of the vendor"
    assert (found["draws"], found["seed"], found["candidates"]) == (200, 0, len(found["possible"]))
    assert set(found["ends"]) == {"shared", "independent"}
    assert found["ends"]["independent"]["possible"] >= found["ends"]["shared"]["possible"]


def test_trust_changes_no_byte_of_a_run_and_starts_no_search(dse, toy, run):
    before = Path(run, "frontier.parquet").read_bytes()
    Path("toy.toml").write_text(STUDY + KNOWN.replace("20 %", "30 %"))
    dse.good("run", "toy.toml", "--json")
    assert Path(run, "frontier.parquet").read_bytes() == before
    assert not Path("runs/.old").exists()
    found = dse.good("trust", run, "--json").json
    assert found["unknowns"][0]["to"] == pytest.approx(0.3)
    Path("toy.toml").write_text(STUDY)
    dse.good("run", "toy.toml", "--fresh")
    assert Path(run, "frontier.parquet").read_bytes() == before


def test_the_file_belongs_to_the_run_it_was_made_for(dse, toy, run):
    dse.good("trust", run)
    stored = json.loads(Path(run, "trust.json").read_text())
    assert stored["digest"] == json.loads(Path(run, "manifest.json").read_text())["digest"]
    assert "certain" in dse.good("show", run).out
    assert dse.good("show", run, "--json").json["trust"]["certain"] == stored["certain"]
    Path(run, "trust.json").write_text(json.dumps({**stored, "absence": {"kept": 1}}))
    again = dse.good("trust", run, "--draws", "20", "--json").json
    kept = json.loads(Path(run, "trust.json").read_text())
    assert (kept["absence"], kept["draws"], again["draws"]) == ({"kept": 1}, 20, 20)
    Path("toy.toml").write_text(STUDY + KNOWN.replace("20 %", "30 %"))
    dse.good("run", "toy.toml")
    assert f"dse trust {run}" in dse.good("show", run).out
    Path(run, "trust.json").write_text('{"certain": 3}')
    dse.good("run", "toy.toml", "--fresh")
    Path(run, "trust.json").write_text('{"certain": 3}')
    damaged = dse("show", run)
    assert damaged.code == 2
    assert "trust.json: is damaged" in damaged.err


def test_run_with_trust_does_both_and_python_has_the_same(dse, toy):
    Path("toy.toml").write_text(STUDY + KNOWN)
    out = dse.good("run", "toy.toml", "--trust").out
    assert "how sure" in out
    again = Run.load("runs/toy").trust()
    assert json.loads(json.dumps(again.as_dict())) == dse.good("trust", "runs/toy", "--json").json
    memory = Study.load("toy.toml").run().trust(draws=50)
    assert memory.draws == 50


def test_a_pick_with_trust_tells_the_robust_design(dse, run):
    out = dse.good("pick", run, "--min", "time", "--where", "power <= 5 kW", "--trust").out
    assert "least time where power <= 5 kW" in out
    assert "robust: " in out
    found = dse.good("pick", run, "--min", "time", "--where", "power <= 5 kW", "--trust", "--json").json
    (decision,) = found["decisions"]
    assert sum(decision["values"]["nodes"].values()) == pytest.approx(1.0)
    assert decision["robust"] in {record["design"] for record in decision["designs"]}
    again = dse.good("pick", run, "--min", "network_time", "--where", "time <= 20 s", "--trust").out
    assert "least network time where time <= 20 s" in again


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("--knee", "--trust"), "--knee: "),
        (("--weights", "time=1,power=2", "--trust"), "--weights: "),
        (("--min", "time", "--where", "power == 4 kW", "--trust"), "--where: "),
        (("--min", "time", "--where", "time >= 4 s", "--trust"), "--where: "),
        (("--min", "time", "--meets", "0.9"), "--meets: "),
    ],
)
def test_rules_without_a_probability_are_refused_by_name(dse, run, arguments, place):
    """In which words, stands in the screen `errors-trust`."""
    refused = dse("pick", run, *arguments)
    assert refused.code == 2
    assert refused.err.startswith(f"error: {place}")


def test_a_study_without_anything_uncertain_is_told_what_to_write(dse, toy):
    dse.good("run", "toy.toml")
    refused = dse("trust", "runs/toy")
    assert refused.code == 2
    assert "no error is known for time, power" in dse.good("show", "runs/toy").out


def test_faults_of_the_section_are_told_before_a_search(dse, toy):
    Path("toy.toml").write_text(STUDY + UNCERTAIN)
    refused = dse("run", "toy.toml")
    assert refused.code == 2
    assert "uncertain.network_time" in refused.err
    Path("toy.toml").write_text(STUDY + '\n[uncertain]\nbase_pwer = { within = "2 %" }\n')
    assert "did you mean 'base_power'?" in dse("run", "toy.toml").err
    assert "did you mean 'base_power'?" in dse("check", "toy.toml").err
