"""Rates: which quantities stand on an axis, what each bound allows, and which of them bind."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study, quantity
from dse.analysis.explain.bottlenecks import RateAxis, achieved_rate, rate_axes, rate_bounds
from dse.errors import ModelError
from dse.report.record.details import collect_details

MODEL = """
import numpy as np

from dse import parameter, quantity

S = "SYNTHETIC: made up"
width = parameter(unit="1", doc="Tasks begun per second", above=0)
units = parameter(unit="1", doc="Units", minimum=0)
drain = parameter(unit="s", doc="Lost per task with a full queue", minimum=0)
link = parameter(unit="s", doc="Of the link per task", minimum=0)
late = parameter(unit="s", doc="Lost per task at the end", minimum=0)

@quantity(unit="s", source=S)
def width_bound(width):
    return 1 / width

@quantity(unit="s", source=S)
def unit_bound(units):
    with np.errstate(divide="ignore"):
        return np.where(np.equal(units, 0.0), 0.0, 0.5 / units)

@quantity(unit="s", source=S, max_of=("width_bound", "unit_bound"), rate="tasks per second")
def queue_time(width_bound, unit_bound):
    return np.maximum(width_bound, unit_bound)

@quantity(unit="s", source=S)
def drained_time(queue_time, drain):
    return queue_time + drain

@quantity(unit="s", source=S)
def link_bound(link):
    return link + 0.0

@quantity(unit="s", source=S, max_of=("drained_time", "link_bound"), rate="tasks per second")
def steady_time(drained_time, link_bound):
    return np.maximum(drained_time, link_bound)

@quantity(unit="s", source=S, sum_of=("steady_time", "late"), rate="tasks per second")
def task_time(steady_time, late):
    return steady_time + late
"""


def study(folder, text=MODEL, **given):
    (folder / "tasks.py").write_text(text, encoding="utf-8")
    values = {"units": 4, "drain": "0.25 s", "link": "0.1 s", "late": "0.5 s"} | given
    document = {
        "name": "tasks",
        "models": ["tasks.py"],
        "objectives": [{"minimize": "task_time"}],
        "set": values,
        "space": {"axes": {"width": {"values": [1, 4, 16]}}},
    }
    return Study(document, folder=folder)


def rates(folder, number=0, **given):
    (found,) = study(folder, **given).explain(number).rates
    return found


def test_one_axis_of_all_that_has_the_rate(tmp_path):
    found = rates(tmp_path)
    assert {key: found[key] for key in ("rate", "unit", "quantity", "achieved", "maxima", "binding")} == {
        "rate": "tasks per second",
        "unit": "1/s",
        "quantity": "task_time",
        "achieved": 1 / (1 + 0.25 + 0.5),
        "maxima": ["queue_time", "steady_time"],
        "binding": ["width_bound"],
    }
    assert found["bounds"] == [
        {"quantity": "drained_time", "value": 0.8, "of": "steady_time", "binds": False, "contains": "queue_time"},
        {"quantity": "width_bound", "value": 1.0, "of": "queue_time", "binds": True, "contains": ""},
        {"quantity": "unit_bound", "value": 8.0, "of": "queue_time", "binds": False, "contains": ""},
        {"quantity": "link_bound", "value": 10.0, "of": "steady_time", "binds": False, "contains": ""},
    ]


@pytest.mark.parametrize(
    ("number", "given", "binding"),
    [
        (1, {}, ["width_bound"]),
        (2, {}, ["unit_bound"]),
        (1, {"units": 2}, ["width_bound", "unit_bound"]),
        (0, {"link": "2 s"}, ["link_bound"]),
        (0, {"link": "1.1 s"}, ["width_bound"]),  # what is drained takes longer than the link
        (0, {"link": "1.25 s"}, ["width_bound", "link_bound"]),
    ],
)
def test_what_binds(tmp_path, number, given, binding):
    assert sorted(rates(tmp_path, number, **given)["binding"]) == sorted(binding)


def test_a_maximum_that_nothing_is_added_to_is_not_shown_twice(tmp_path):
    assert "drained_time" not in {bound["quantity"] for bound in rates(tmp_path, drain="0 s")["bounds"]}


def test_a_resource_that_is_not_used_sets_no_limit(tmp_path):
    (bound,) = [bound for bound in rates(tmp_path, units=0)["bounds"] if bound["quantity"] == "unit_bound"]
    assert bound["value"] == math.inf
    assert not bound["binds"]


AXIS = RateAxis("r", "1", "cost", (("most", ("a", "b", "c")),), ())


def test_costs_without_end_and_costs_that_are_no_numbers():
    bounds = rate_bounds(AXIS, {"a": math.inf, "b": 2.0, "c": math.nan, "most": math.inf, "cost": math.inf})
    assert [(bound.quantity, bound.binds) for bound in bounds] == [("a", True), ("b", False), ("c", False)]
    assert [bound.value for bound in bounds][:2] == [0.0, 0.5]
    assert math.isnan(bounds[2].value)
    assert achieved_rate(AXIS, {"cost": math.inf}) == 0
    assert math.isnan(achieved_rate(AXIS, {"cost": math.nan}))


COST = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


@given(COST, COST, COST, COST)
def test_the_tightest_bound_binds_and_none_is_below_what_is_achieved(a, b, c, more):
    most = max(a, b, c)
    bounds = rate_bounds(AXIS, {"a": a, "b": b, "c": c, "most": most, "cost": most + more})
    assert [bound.value for bound in bounds] == sorted(bound.value for bound in bounds)
    assert {bound.quantity for bound in bounds} == {"a", "b", "c"}
    for bound in bounds:
        assert bound.binds == (bound.value == bounds[0].value)
        assert bound.value >= achieved_rate(AXIS, {"cost": most + more})


def test_the_page_has_the_axes_of_every_alternative(tmp_path):
    details = collect_details(study(tmp_path).compiled, [0, 1, 2])
    ((axis, products),) = details.rates
    assert products == (0,)
    assert axis.achieved == "task_time"
    assert dict(axis.inner) == {"drained_time": "queue_time"}
    assert details.columns["task_time"].tolist() == [1.75, 1.0, 0.875]


def test_without_a_rate_there_is_no_axis(tmp_path):
    text = MODEL.replace(', rate="tasks per second"', "")
    told = study(tmp_path, text).explain(0).as_dict()
    assert told["rates"] == []
    assert {item["quantity"] for item in told["bounds"]} == {"queue_time", "steady_time"}


def test_a_maximum_by_itself_is_what_is_achieved(tmp_path):
    text = MODEL.replace('"late"), rate="tasks per second")', '"late"))')
    (found,) = study(tmp_path, text).explain(0).rates
    assert (found["quantity"], found["achieved"], found["binding"]) == ("steady_time", 0.8, ["width_bound"])


def test_two_rates_are_two_axes(tmp_path):
    text = MODEL.replace('"unit_bound"), rate="tasks per second")', '"unit_bound"), rate="entries per second")')
    found = study(tmp_path, text).explain(0).rates
    assert {(one["rate"], one["quantity"]) for one in found} == {
        ("tasks per second", "task_time"),
        ("entries per second", "queue_time"),
    }


def test_units_that_do_not_fit_one_axis():
    @quantity(unit="s", source="x", max_of=("a", "b"), rate="tasks per second")
    def most(a, b):
        return a

    units = {"most": "s", "a": "s", "b": "W"}
    graph = SimpleNamespace(functions=(most,), units=units, providers={"most": most}, below=lambda names: set(names))
    with pytest.raises(ModelError, match=r"^'b' in W and 'most' in s cannot stand on one axis of tasks per second$"):
        rate_axes(graph)
