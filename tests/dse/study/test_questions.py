"""The question of a variant: its figures follow what was changed, or it is said beside them."""

import pytest

from dse.api import Study
from dse.study.edit.question import changed_question

LIMIT = {"constraints": ["power <= 20 MW", "time <= 1 hour"]}


def with_limits(*texts):
    return {"constraints": list(texts)}


@pytest.mark.parametrize(
    ("question", "after", "expected"),
    [
        ("Within 20 MW?", with_limits("time <= 1 hour", "power <= 30 MW"), "Within 30 MW?"),
        ("Within 20\u00a0MW?", with_limits("time <= 1 hour", "power <= 30 MW"), "Within 30 MW?"),
        ("Within 20MW?", with_limits("time <= 1 hour", "power <= 30 MW"), "Within 30 MW?"),
        ("Within 20 MW?", with_limits(*LIMIT["constraints"], "power <= 15 MW"), "Within 15 MW?"),
        ("Within 20 MW?", with_limits(*LIMIT["constraints"], "power <= 900 kW", "power <= 1 MW"), "Within 900 kW?"),
        ("Within 20 MW?", with_limits(*LIMIT["constraints"], "power <= 25 MW"), "Within 20 MW?"),
        ("Within 20 MW?", with_limits(*LIMIT["constraints"], "power >= 15 MW"), "Within 20 MW?"),
        ("Within 20 MW?", with_limits("time <= 1 hour"), "Within 20 MW? (Here without the limit power <= 20 MW.)"),
        ("120 MW, 20 MWh, 20 MW/h?", with_limits("time <= 1 hour", "power <= 30 MW"), "120 MW, 20 MWh, 20 MW/h?"),
        (
            "20 MW here and 20 MW there?",
            with_limits("time <= 1 hour", "power <= 30 MW"),
            "20 MW here and 20 MW there? (Here power <= 30 MW.)",
        ),
        ("Which machine?", with_limits("time <= 1 hour", "power <= 30 MW"), "Which machine?"),
        ("Within 20 MW and 1 hour?", with_limits("power <= 5 MW", "time <= 2 min"), "Within 5 MW and 2 min?"),
    ],
)
def test_limits(question, after, expected):
    assert changed_question(question, LIMIT, after) == expected


def test_values():
    before = {"set": {"devices": 8192, "rate": "2 GHz"}, "space": {"choices": {"n": {"a": {"set": {"devices": 8192}}}}}}
    after = {"set": {"devices": 4096, "rate": "2 GHz"}, "space": {"choices": {"n": {"a": {"set": {"devices": 4096}}}}}}
    assert changed_question("On 8,192 of 2 GHz?", before, after) == "On 4096 of 2 GHz?"
    assert changed_question("On 18192 of 2 GHz?", before, after) == "On 18192 of 2 GHz?"


def test_a_figure_that_two_keys_have_is_named_beside():
    before = {"set": {"supply": "5 MW"}, "constraints": ["power <= 5 MW"]}
    after = {"set": {"supply": "7 MW"}, "constraints": ["power <= 5 MW"]}
    assert changed_question("Within 5 MW?", before, after) == "Within 5 MW? (Here supply = 7 MW.)"
    assert changed_question("Of 4 nodes?", {"set": {"nodes": 4}}, {"set": {"nodes": 8}}) == "Of 4 nodes?", "any 4"


def test_a_shipped_study_and_its_variant():
    study = Study.load("ska-correlator")
    variant = study.with_(without={"limit": "run_time"}, where="run_time <= 0.58 s", name="later")
    assert "of SKA1-Low in 0.58 s with the least power" in variant.spec.question
    assert variant.with_(where="run_time <= 0.5 s").spec.question.count("0.5 s") == 1
    assert study.with_(without={"cores": "96"}).spec.question == study.spec.question
