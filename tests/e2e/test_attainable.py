"""Attainable curves against a brute force over the toy study, written out again."""

import numpy as np
import pandas as pd
import pytest
from toy import STUDY, edited

from dse import Study


def designs(limit=20e3):
    """Every design of the toy study that meets the limit: nodes, frequency, time, power."""
    nodes, frequency = np.repeat(2.0 ** np.arange(7), 2), np.tile([1e9, 2e9], 7)
    power = nodes * (100 + 1e-26 * frequency**3)
    every = pd.DataFrame(
        {
            "nodes": nodes,
            "frequency": frequency,
            "time": 1e11 / (nodes * frequency) + 0.1 * np.sqrt(nodes),
            "power": power,
        }
    )
    every["energy"] = every["time"] * every["power"]
    return every[every["power"] <= limit]


def staircase(every, budget, value):
    """The pairs (budget, best value) at which the best within a budget gets better, by looking at all of them."""
    found = []
    for limit in sorted(every[budget].unique()):
        best = every[every[budget] <= limit][value].min()
        if not found or best < found[-1][1]:
            found.append((limit, best))
    return found


@pytest.mark.parametrize(("budget", "value"), [("power", "time"), ("time", "power"), ("energy", "time")])
def test_every_point_is_the_best_within_its_budget(toy, dse, budget, value):
    found = dse.good("sweep", "toy.toml", "--attainable", budget, "--json").json
    curves = {curve["quantity"]: curve for curve in found["curves"]}
    assert list(curves) == [name for name in ("time", "power") if name != budget]
    points = curves[value]["points"]
    expected = staircase(designs(), budget, value)
    assert [(p["budget"], p["value"]) for p in points] == pytest.approx(np.array(expected), rel=1e-12)
    for point in points:
        assert point["design"][budget] == point["budget"]
        assert point["design"][value] == point["value"]
    assert (found["relation"], found["searches"]) == ("within", len(curves))
    assert [limit["text"] for limit in found["limits"]] == (["power <= 20 kW"] if budget == "power" else [])
    assert not (toy / "runs").exists()


def test_a_limit_of_the_study_ends_the_curve_and_can_be_lifted(toy, dse):
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "500 W")))
    told = ("sweep", "toy.toml", "--attainable", "power", "--quantity", "time")
    text = dse.good(*told).out
    assert "the curve ends at the limit power <= 500 W: --lift leaves it out\n" in text
    short, whole = (dse.good(*told, *more, "--json").json for more in ((), ("--lift",)))
    ends = [max(point["budget"] for point in found["curves"][0]["points"]) for found in (short, whole)]
    assert ends == pytest.approx([staircase(designs(limit), "power", "time")[-1][0] for limit in (500, np.inf)])
    assert ends[0] <= 500 < ends[1]
    assert (whole["limits"], [limit["text"] for limit in whole["lifted"]]) == ([], ["power <= 500 W"])
    assert "lifted: power <= 500 W\n" in dse.good(*told, "--lift", "--report").out
    assert "Lifted: power &lt;= 500 W." in (toy / "sweep-toy.html").read_text()


def test_the_best_at_each_value_of_an_axis(toy, dse):
    """The searches cut the space into parts: together they evaluate no more than all of it."""
    found = Study.load("toy.toml").attainable("nodes")
    assert (found.relation, found.searches) == ("at", 7)
    assert found.evaluated <= 14
    for curve in found.curves:
        best = designs().groupby("nodes")[curve.quantity].min()
        assert [point.budget for point in curve.points] == best.index.tolist()
        assert [point.value for point in curve.points] == pytest.approx(best.tolist(), rel=1e-12)
    table = found.table
    assert table["best"].tolist() == ["time"] * 7 + ["power"] * 7
    assert (table.attrs["units"]["nodes"], table.attrs["units"]["time"]) == ("1", "s")


def test_values_at_which_nothing_can_be_built(toy, dse):
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "500 W")))
    found = dse.good("sweep", "toy.toml", "--attainable", "nodes", "--json").json
    built = set(designs(500)["nodes"])
    assert {p["budget"] for p in found["curves"][0]["points"] if p["design"]} == built < set(2.0 ** np.arange(7))
    assert "nothing feasible" in dse.good("sweep", "toy.toml", "--attainable", "nodes").out
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "5 W")))
    result = dse("sweep", "toy.toml", "--attainable", "energy")
    assert (result.code, "no design meets the limits" in result.out) == (1, True)


def test_what_is_maximised_is_reached(toy, dse):
    """Of what the study maximises a budget is the least there may be."""
    (toy / "toy.toml").write_text(
        edited(STUDY, ('minimize = "power"', 'maximize = "network_time"'), ('["network_time"]', '["power"]'))
    )
    found = Study.load("toy.toml").attainable("network_time")
    assert found.relation == "reaching"
    every = designs().assign(network_time=lambda d: 0.1 * np.sqrt(d["nodes"]), turned=lambda d: -d["network_time"])
    expected = sorted((-budget, value) for budget, value in staircase(every, "turned", "time"))
    (curve,) = found.curves
    assert [(p.budget, p.value) for p in curve.points] == pytest.approx(np.array(expected), rel=1e-12)


WRONG = [
    "--attainable powr",
    "--attainable time --quantity time",
    "--attainable power --quantity tim",
    "--attainable power --vary nodes=1,2",
    "--attainable power --steps 4",
    "--vary nodes=1,2 --lift",
    "",
]


@pytest.mark.parametrize("options", WRONG)
def test_what_is_wrong_is_told(toy, dse, options):
    """In which words, stands in the screen `errors-sweep`."""
    refused = dse("sweep", "toy.toml", *options.split())
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: --")
