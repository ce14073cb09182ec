"""`dse explain` is one screen: objectives and what they come from, what binds, steps, what is given; no more."""

import re

import pytest

from dse.api import Study
from dse.cli.text.explanation_screen import print_screen
from dse.cli.text.output import console

WIDTH, MOST = 100, 45


@pytest.fixture
def screen(capsys, monkeypatch):
    def shown(name, design):
        monkeypatch.setattr(console(), "_width", WIDTH)
        study = Study.load(name)
        explanation = study.explain(design)
        print_screen(explanation, study.ways_down(explanation), "A1")
        return capsys.readouterr().out.splitlines()

    return shown


def flat(lines):
    return re.sub(r"\s+", " ", " ".join(lines))


def test_the_flagship(screen):
    lines = screen("exascale", 326283)
    told = flat(lines)
    assert len(lines) <= MOST
    assert max(map(len, lines)) <= WIDTH
    places = [told.index(f" {name} = ") for name in ("wall_time", "machine_power", "machine_cost")]
    binds, steps, given = (told.index(text) for text in ("what binds:", "one step ", "what 1 % more of"))
    assert sorted([*places, binds, steps, given]) == [*places, binds, steps, given], "objectives first, then the rest"
    assert re.search(r"wall_time is the sum of useful_time [\d.]+ s \(\d+\.\d %\), restart_total_time", told)
    mean = re.search(r"useful_time = mix_time is the weighted geometric mean of ([^=]*) machine_power = ", told)
    assert len(re.findall(r"_time [\d. ]+ (?:m?s|h) \(20\.0 %\)", mean[1])) == 5, "five workloads of equal weight"
    assert re.search(r"nodes_cost = nodes [\d ]+ × node_cost_weight", told)
    assert told[binds:steps].count(" to spare") == 3
    changes = [
        re.findall(r"[+-]\d+\.\d+ %", line) for line in lines if re.match(r"(fabric|nics_per_node|board|shape) ", line)
    ]
    assert len(changes) > 4
    assert all(set(step) != {"+0.00 %"} for step in changes), "a step that changes nothing is hidden"
    assert re.search(r"given: wall_time: graph_scale \+\d", told[given:])
    assert "assumed: wall_time: dense_weight" in told


def test_a_small_one_and_the_rest_when_asked(dse):
    dse.good("run", "ska-correlator", "--out", "run")
    lines = dse.good("explain", "run").out.splitlines()
    told = flat(lines)
    assert len(lines) <= MOST
    assert "core_power = 2.43" not in told, "sources are asked for"
    sources = dse.good("explain", "run", "--sources").out
    assert re.search(r"core_power +2\.430 W +axis +ska/correlator-cores\.csv", sources)
    assert "what binds" not in sources
    full = dse.good("explain", "run", "--full").out
    assert "run_time is the largest of" in full
    assert "core_power" in full
    assert dse.good("explain", "run", "--full", "--json").json == dse.good("explain", "run", "--json").json


def test_a_design_that_is_beaten_says_by_which(dse, toy):
    dse.good("run", "toy.toml")
    frontier = {row["design"] for row in dse.good("show", "runs/toy", "--json").json["frontier"]}
    beaten = min(set(range(14)) - frontier)
    told = flat(dse.good("explain", "runs/toy", "--number", str(beaten)).out.splitlines())
    assert told.startswith(f"design {beaten} of toy: ")
    assert "not on the frontier: beaten by A" in told
