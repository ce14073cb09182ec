"""Where mispredictions come from when a profile names no rate: the message tells the ways out, and they work."""

from __future__ import annotations

import json

import pytest

from dse.errors import InputError
from dse.models.processor.core.branch_prediction import best_of_profile
from dse.models.workload.profile.reading import parse_profile, read_profile

from .profiles import document
from .small_studies import small_study

SYNTHETIC = ("synthetic-stream", "synthetic-pointer-chase", "synthetic-dense")


@pytest.mark.parametrize("profile", SYNTHETIC)
def test_the_message_names_the_ways_out(profile):
    with pytest.raises(InputError) as error:
        small_study(profile).evaluate({})
    said = str(error.value)
    assert f"use.branch_estimate: the profile '{profile}' names no misprediction rate; allowed: " in said
    assert 'branch_estimate = "constant" (3% of the control instructions of any program)' in said
    assert '"entropy" with a branch_history of 0 to ' in said
    assert "max-outcome" not in said  # the profile has none


@pytest.mark.parametrize("profile", SYNTHETIC)
def test_the_ways_out_work(profile):
    with pytest.raises(InputError) as error:
        small_study(profile).evaluate({})
    longest = int(str(error.value).split(" to ")[-1].split(" bits")[0])
    constant = small_study(profile, use={"branch_estimate": "constant"}).evaluate({})
    assert constant["branch_miss_estimate"] == 0.03
    entropy = {"branch_estimate": "entropy"}
    rates = [
        small_study(profile, use=entropy, branch_history=history).evaluate({})["branch_miss_estimate"]
        for history in (0, longest)
    ]
    assert 0 < rates[1] < rates[0] < 0.5
    with pytest.raises(InputError, match="need a longer trace"):
        small_study(profile, use=entropy, branch_history=longest + 2).evaluate({})


def test_max_outcome_is_named_where_the_profile_has_it():
    found = json.loads(json.dumps(document("csr")))
    branch = found["classes"][0]["branch"]
    del branch["tool_miss_rate"]
    branch["entropy"] = []
    branch["max_outcome"] = [
        {"history": history, "table": table, "rule": "shared", "miss_rate": 0.02}
        for history, table in ((4, None), (12, None), (40, None), (16, 1024))
    ]
    with pytest.raises(InputError) as error:
        best_of_profile(parse_profile(found))
    assert '"max-outcome" with a branch_history of 4 to 12 bits' in str(error.value)
    assert "entropy" not in str(error.value)


def test_a_profile_without_branches_leaves_the_constant():
    found = document("csr")
    del found["classes"][0]["branch"]
    with pytest.raises(InputError) as error:
        best_of_profile(parse_profile(found))
    assert str(error.value) == (
        "use.branch_estimate: the profile knows nothing of branches; "
        'allowed: branch_estimate = "constant" (3% of the control instructions of any program)'
    )


def test_a_measured_profile_names_its_rate():
    assert float(best_of_profile(read_profile("graph500-seq-csr"))[0]) == pytest.approx(0.0111)
