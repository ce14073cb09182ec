"""`dse why RUN [PART] [--parameter p]` as a user runs it."""

import json
from pathlib import Path

import pytest
from toy import STUDY, edited, forged, plain

from dse.api import Run

DEAR = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    (
        "[search]",
        '[space.alternatives.torus]\nuse = { network = "torus" }\n\n[space.alternatives.slow]\n'
        'use = { network = "tree" }\nset = { base_power = "600 W", work = 2e11 }\n\n[search]',
    ),
    ("[set]\nwork = 1e11\n", ""),
).replace('use = { network = "torus" }', 'use = { network = "torus" }\nset = { work = 1e11 }')


@pytest.fixture
def ran(dse, toy):
    Path("toy.toml").write_text(DEAR)
    dse.good("run", "toy.toml")
    return dse


def test_an_absent_alternative(ran):
    found = ran.good("why", "runs/toy", "alternative = slow", "--json").json
    assert {"study", "run", "part", "designs", "feasible", "factor", "design", "single", "named", "units"} <= set(found)
    assert (found["designs"], found["units"]) == (14, {"time": "s", "power": "W"})
    # One node at 1 GHz: twice the time of the other, and 610 W beside 110 W.
    assert found["factor"] > 1.5
    assert set(found["single"]) == {"time", "power"}
    number = str(found["design"])
    assert found["named"][number]["alternative"] == "slow"


def test_what_decides_is_kept_for_the_page(ran):
    file = Path("runs/toy/trust.json")
    ran.good("why", "runs/toy", "alternative = slow")
    assert "why" not in json.loads(file.read_text()), "one part's answer is not what decides"
    ran.good("report", "runs/toy")
    assert "dse why runs/toy</code> tells what decides" in Path("runs/toy/report.html").read_text()
    found = ran.good("why", "runs/toy", "--json").json
    kept = json.loads(file.read_text())["why"]
    assert kept == {key: found[key] for key in kept}
    assert [one["part"] for one in kept["absent"]] == ["alternative = slow"]
    ran.good("report", "runs/toy")
    assert "<li>alternative = slow (14 designs" in Path("runs/toy/report.html").read_text()
    ran.good("show", "runs/toy")


def test_a_folder_that_keeps_nothing_is_told_beside_the_answer(ran):
    Path("runs/toy/trust.json").unlink()
    Path("runs/toy/trust.json").mkdir()
    result = ran("why", "runs/toy", "--json")
    assert result.code == 0
    assert json.loads(result.out)["absent"]
    assert result.err.startswith("note: not kept for the page: ")
    assert "trust.json" in result.err


def test_a_break_even(ran):
    found = ran.good("why", "runs/toy", "alternative = slow", "--parameter", "base_power", "--json").json["break_even"]
    assert (found["parameter"], found["unit"], found["present"]) == ("base_power", "W", 600.0)
    assert found["proved"] is True
    told = plain(ran.good("why", "runs/toy", "alternative = slow", "--parameter", "base_power").out)
    if found["value"] is None:
        assert "at no value from 60 W to 6 kW would it be on the frontier" in told
    else:
        assert f"design {found['design']} would be on the frontier" in told
        assert found["change"] == pytest.approx(found["value"] / 600 - 1)
    assert "proved by signs: there is no other change" in told


def test_a_map_of_two_numbers(ran):
    given = ("alternative = slow", "--parameter", "work", "--parameter", "base_power")
    told = plain(ran.good("why", "runs/toy", *given).out)
    assert "work base_power at break-even change" in told
    found = ran.good("why", "runs/toy", *given, "--json").json["map"]
    assert (found["parameter"], found["other"], len(found["rows"])) == ("work", "base_power", 17)
    assert found["rows"][8]["value"] == pytest.approx(2e11)
    assert {"value", "proved", "change"} <= set(found["rows"][0]["break_even"])


def test_what_decides(ran):
    found = ran.good("why", "runs/toy", "--json").json
    assert {"sensitivity", "sensitivity_of_logarithms", "membership", "absent"} <= set(found)
    effects = found["sensitivity"]["effects"]["torus"]["power"]
    assert effects["nodes"]["main"] <= effects["nodes"]["total"] <= 1
    assert found["membership"]["values"]["alternative"]["torus"]["share"] == 1.0
    assert [one["part"] for one in found["absent"]] == ["alternative = slow"]


def test_a_space_of_one_alternative(dse, toy):
    dse.good("run", "toy.toml")
    told = plain(dse.good("why", "runs/toy").out)
    assert "axis time power" in told
    assert "what the choice of the alternative decides" not in told
    assert set(Run.load("runs/toy").sensitivity()) == {"time", "power"}
    assert "1 of them on the frontier" in plain(dse.good("why", "runs/toy", "design = 0").out)


def test_a_part_of_which_nothing_is_feasible(dse, toy):
    Path("toy.toml").write_text(STUDY.replace('"power <= 20 kW"', '"power <= 20 kW", "time <= 2 s"'))
    dse.good("run", "toy.toml")
    told = plain(dse.good("why", "runs/toy", "nodes = 1").out)
    assert "nodes = 1: none of its 2 designs is feasible" in told
    assert "2 break time <= 2 s; the first design that meets all else is at 50.10 s" in told


BAD = [
    ["alternative = slov"],
    ["slow"],
    ["alternative = slow", "--parameter", "base_pover"],
    ["alternative = slow", "--parameter", "nodes"],
    ["--parameter", "base_power"],
]


@pytest.mark.parametrize("given", BAD, ids=" ".join)
def test_bad_questions(ran, given):
    """In which words they are refused, stands in the screen `errors-why`."""
    result = ran("why", "runs/toy", *given)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: --parameter" if "--parameter" in given else "error: '")


def test_a_frontier_within_a_tolerance_is_refused(dse, toy):
    dse.good("run", "toy.toml", "--tolerance", "80 %")
    result = dse("why", "runs/toy", "nodes = 1")
    assert result.code == 2
    assert "is not exact (within 80 %), so it is not known what is absent" in result.err


def test_a_run_from_elsewhere_needs_leave_to_run_its_models(dse, toy):
    dse.good("run", "toy.toml")
    forged(Path("runs/toy"), lambda manifest: None)
    result = dse("why", "runs/toy", "nodes = 1")
    assert result.code == 2
    assert "--allow-code" in result.err
    assert "nodes = 1" in dse.good("why", "runs/toy", "nodes = 1", "--allow-code").out
