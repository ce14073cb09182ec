"""`dse explain` in words: bounds, slack, neighbours, and the tree of numbers."""

import pytest

from dse.cli.text.explanation import _change, _percent


@pytest.fixture
def correlator(dse):
    dse.good("run", "ska-correlator", "--out", "run")
    return dse


def test_the_tree(correlator):
    out = correlator.good("explain", "--full", "run", "--tree").out
    lines = [line.rstrip() for line in out.splitlines()]
    assert sum("laid out above" not in line and " relative_work = " in line for line in lines) == 1
    assert not any(line.startswith("number ") for line in lines), "the tree stands in the place of the table"
    told = correlator.good("explain", "run", "--tree", "--json").json
    assert told == correlator.good("explain", "run", "--json").json
    assert [node["quantity"] for node in told["tree"]] == ["node_power", "total_power"]


def test_tables_are_leaves(dse):
    dse.good("run", "hybrid-arm-cp", "--out", "run")
    out = dse.good("explain", "--full", "run", "--tree").out
    assert "baselines = a table  table  hybrid/baselines.csv: synthetic" in out


def test_texts_of_a_model_are_no_markup(toy, dse):
    model = (
        (toy / "model.py").read_text().replace('source="invented", doc="Power', 'source="[red]me[/red]", doc="Power')
    )
    (toy / "model.py").write_text(model)
    dse.good("run", "toy.toml")
    assert "base_power = 100 W  assumption  [red]me[/red]" in dse.good("explain", "--full", "runs/toy", "--tree").out


def test_R5_a_slack_that_is_hardly_there_is_not_minus_nothing():
    assert _percent(-1e-5) == "> -0.1 %"
    assert _percent(-1.0) == "-100.0 %"
    assert (_change(2e-6), _change(-2e-6), _change(0.0)) == ("< +0.01 %", "> -0.01 %", "+0.00 %")


def test_R6_a_step_of_a_negative_quantity_has_the_sign_of_its_change(toy, dse):
    study = (toy / "toy.toml").read_text()
    study = study.replace('minimize = "power"', 'minimize = "loss"').replace(
        'energy = "power * time"', 'loss = "0 - 1 / power"'
    )
    (toy / "toy.toml").write_text(study)
    dse.good("run", "toy.toml", "--out", "a")
    for neighbour in dse.good("explain", "a", "--json").json["neighbours"]:
        here = dse.good("explain", "a", "--json").json["objectives"][1]["value"]
        there, change = neighbour["objectives"]["loss"], neighbour["change"]["loss"]
        assert here < 0
        assert change == pytest.approx((there - here) / abs(here))
