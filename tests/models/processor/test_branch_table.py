"""The table of the branch predictor as a parameter of a study."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from dse import Study
from dse.errors import InputError
from dse.models.processor.core.branch_prediction import branch_table_bits, of_max_outcome
from dse.models.workload.profile.reading import parse_profile, read_profile
from dse.search.driver import SearchOptions, search

from .profiles import document
from .small_studies import marks, small_study

TABLES = ((1024, 0.045), (4096, 0.030), (None, 0.024))


def rows(*tables, history=12, rule="shared"):
    return [
        {"history": history, "rule": rule, "miss_rate": rate} | ({} if table is None else {"table": table})
        for table, rate in tables
    ]


def profile(*max_outcome):
    found = json.loads(json.dumps(document("csr")))
    found["classes"][0]["branch"]["max_outcome"] = list(max_outcome or rows(*TABLES))
    return found


def study(folder, axes, told=None, **changes):
    """A study of a core with the table as an axis, or fixed."""
    (folder / "p.json").write_text(json.dumps(told or profile()), encoding="utf-8")
    use = {"branch_estimate": "max-outcome"}
    small = small_study("graph500-seq-csr", None, use, branch_history=12, also=["branch_miss_estimate"], **changes)
    text = {**small.document, "tables": {"profile": {"file": "p.json"}}}
    return Study({**text, "space": {"axes": {**text["space"]["axes"], **axes}}}, folder=folder)


def test_rates_by_hand(tmp_path):
    """Half way in log2 between two tables; the nearest one outside them, marked; 0 is unlimited, as before."""
    asked = study(tmp_path, {"branch_table": {"values": [256, 1024, 2048, 4096, 16384, 0]}})
    (record,) = asked.compiled.quantities(range(6))
    assert record["values"]["branch_miss_estimate"].reshape(-1).tolist() == pytest.approx(
        [0.045, 0.045, 0.0375, 0.030, 0.030, 0.024], rel=1e-12
    )
    outside = ["branch_table_mismatch" in told for told in marks(asked)]
    assert outside == [True, False, False, False, True, False]


def test_a_search_over_powers_of_two(tmp_path):
    """The run gets shorter with the table, up to the largest measured one; the search looks at each size."""
    asked = study(tmp_path, {"branch_table": {"powers_of_two": [256, 65536]}})
    problem = asked.problem()
    for method in ("exhaustive", "bundles"):
        found = search(problem, SearchOptions(method=method))
        best = [int(problem.space.parameters(int(number))["branch_table"]) for number in found.numbers]
        assert best == [4096, 8192, 16384, 32768, 65536], method  # ties: of the same rate
    times = [asked.evaluate({"branch_table": 2**power})["run_time"] for power in range(8, 17)]
    assert all(after <= before for before, after in itertools.pairwise(times))
    assert times[0] > times[-1]


def test_without_a_table_it_is_unlimited(tmp_path):
    read = parse_profile(profile())
    found = of_max_outcome(read, np.array([12.0]), np.array([0.0]), np.array([1.0]))
    assert found.tolist() == [0.024]
    assert study(tmp_path, {}).evaluate({})["branch_miss_estimate"] == 0.024


def test_rates_of_several_histories(tmp_path):
    """Each history has its own tables."""
    told = profile(*rows(*TABLES), *rows((512, 0.2), (None, 0.1), history=4))
    asked = study(tmp_path, {"branch_table": {"values": [512, 4096]}}, told)
    both = {**asked.document, "set": {k: v for k, v in asked.document["set"].items() if k != "branch_history"}}
    both["space"] = {"axes": {**both["space"]["axes"], "branch_history": {"values": [4, 12]}}}
    asked = Study(both, folder=tmp_path)
    rates = {
        (table, history): asked.evaluate({"branch_table": table, "branch_history": history})["branch_miss_estimate"]
        for table in (512, 4096)
        for history in (4, 12)
    }
    assert rates == {(512, 4): 0.2, (512, 12): 0.045, (4096, 4): 0.2, (4096, 12): 0.030}


@pytest.mark.parametrize(
    ("told", "table", "words"),
    [
        (profile(), 1000, ["branch_table: a table of 1000 entries", "a power of two"]),
        (
            profile(*rows((None, 0.02))),
            1024,
            ["no max-outcome rate of a limited table for 12 bits", "unlimited tables"],
        ),
        (
            profile(*rows((None, 0.02)), *rows((1024, 0.2), history=4)),
            1024,
            ["no max-outcome rate of a limited table for 12 bits", "0 (unlimited), or a branch_history of 4"],
        ),
        (
            profile(*rows((1024, 0.2)), *rows((1024, 0.3), rule="half-miss")),
            1024,
            ["by several rules for 12 bits", "shared, half-miss"],
        ),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path, told, table, words):
    with pytest.raises(InputError) as caught:
        study(tmp_path, {}, told, branch_table=table).evaluate({})
    for word in words:
        assert word in str(caught.value)


def test_the_rule_of_the_unlimited_table_counts(tmp_path):
    """Rows by another rule, which has no unlimited table here, are not mixed with those that have."""
    told = profile(*rows(*TABLES), *rows((2048, 0.4), rule="half-miss"))
    assert study(tmp_path, {}, told, branch_table=2048).evaluate({})["branch_miss_estimate"] == pytest.approx(0.0375)


def test_a_rate_that_rises_with_the_table_is_refused_and_noise_is_told(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(profile(*rows((1024, 0.030), (4096, 0.032)))), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_profile(tmp_path / "p.json")
    told = str(caught.value)
    assert "classes[0].branch.max_outcome[1].miss_rate: 0.032 with 4096 entries, more than 0.03 with fewer" in told
    noisy = parse_profile(profile(*rows((1024, 0.030), (4096, 0.0305), (None, 0.0301))))
    assert len(noisy.warnings) == 2
    assert "max_outcome[1].miss_rate: 0.0305 with 4096 entries" in noisy.warnings[0]
    assert "0.0301 with an unlimited table" in noisy.warnings[1]
    sizes = np.array([1024.0, 2048.0, 4096.0])
    found = of_max_outcome(noisy, np.array([12.0]), sizes, np.ones(3))
    assert found.tolist() == [0.0301] * 3  # flat, and not below the unlimited one
    with pytest.raises(InputError, match="1024 entries stand twice with 12 bits"):
        parse_profile(profile(*rows((1024, 0.030), (1024, 0.030))))


def test_a_table_takes_two_bits_for_each_entry():
    assert branch_table_bits(np.array([1024.0, 4096.0])).tolist() == [2048.0, 8192.0]
    with pytest.raises(InputError, match="an unlimited table has no size"):
        branch_table_bits(np.array([0.0]))
