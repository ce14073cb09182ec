"""Prefetching by strides, chains of misses, costs of pages and measured latencies: limits, and the other ends."""

import json

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.codesign.strides import chained_miss_cycles

GIVEN = ["none", "streams", "strides"]


def _with_strides(folder, share, dependent=0.0, pages=False):
    """The laws of cg with made-up strides: the same share of every bin."""
    place = folder / "cg.laws.json"
    laws = json.loads(place.read_text())
    for item in laws["classes"]:
        tables = [table for table in item["reuse"] if table["table"] == "data_reuse"]
        for table in tables:
            table["covered"] = [[share] * len(row) for row in table["distances"]]
            table["dependent"] = [[dependent] * len(row) for row in table["distances"]]
            table["covered_first_touches"] = [share] * len(table["distances"])
        if pages:
            item["reuse"].append({**tables[0], "line": 4096})
            of_pages = []
            for law in item["laws"]:
                if law["metric"][:2] == ["data_reuse", 64]:
                    of_pages.append({**law, "metric": ["data_reuse", 4096, *law["metric"][2:]]})
            item["laws"] += of_pages
    place.write_text(json.dumps(laws))


def _values(study, *names):
    found = study.compiled.quantities([0])[0]["values"]
    return [float(np.ravel(found[name])[0]) for name in names]


def test_nothing_covered_is_none_and_all_covered_no_later_than_streams(load, folder):
    _with_strides(folder, 0.0)
    slow, uncovered = (_values(load(use={"prefetching": use}), "compute_time")[0] for use in ("none", "strides"))
    assert uncovered == slow
    _with_strides(folder, 1.0)
    streams, covered = (_values(load(use={"prefetching": use}), "compute_time")[0] for use in ("streams", "strides"))
    assert covered <= streams < slow


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_coverage_is_that_of_the_profile_at_every_level(load, folder, share):
    _with_strides(folder, share, 0.25)
    names = [*(f"prefetch_coverage_{level}" for level in ("l2", "l3", "dram")), "dependent_misses"]
    study = load(use={"prefetching": "strides"}, set={"l3_size": "512 MiB"})
    assert _values(study, *names) == pytest.approx([share] * 3 + [0.25], abs=1e-5)


def test_more_coverage_is_never_slower_and_more_chains_never_faster(load, folder):
    times = []
    for share in (0.0, 0.5, 1.0):
        _with_strides(folder, share)
        times.append(_values(load(use={"prefetching": "strides"}), "compute_time")[0])
    assert times[0] >= times[1] >= times[2]
    waits = []
    for dependent in (0.0, 0.5, 1.0):
        _with_strides(folder, 0.0, dependent)
        waits.append(_values(load(use={"prefetching": "strides"}), "compute_time")[0])
    assert waits[0] <= waits[1] <= waits[2]
    assert waits[2] > 1.5 * waits[0]


def test_both_bounds_stand_beside_strides(load, folder):
    _with_strides(folder, 0.5)
    provider = next(
        function
        for function in load(use={"prefetching": "strides"}).compiled.systems[0].graph.functions
        if function.provider == "strides" and function.beside
    )
    assert provider.beside == ("none", "streams")


def test_a_profile_without_strides_is_refused_with_what_would_do(load, folder):
    with pytest.raises(InputError, match="recorded anew"):
        _values(load(use={"prefetching": "strides"}), "compute_time")


def test_all_misses_in_one_chain_are_waited_for_one_after_the_other():
    assert chained_miss_cycles(20.0, 0.1, 1.0, 0.0, 512.0) == 20.0
    assert chained_miss_cycles(20.0, 0.1, 0.0, 0.0, 512.0) == 0.0
    assert chained_miss_cycles(20.0, 0.1, 1.0, 1.0, 512.0) == 0.0
    assert chained_miss_cycles(20.0, 0.1, 0.5, 0.0, 200.0) == pytest.approx(0.5 * 20.0 / 10.0)


def test_pages_are_paid_once_however_often_the_run_is_repeated(load, folder):
    _with_strides(folder, 0.5)
    costs = {"page_fault_cost": "2 us"}
    plain = _values(load(set={"repetitions": 40}), "compute_time")[0]
    paid, faults, memory = _values(
        load(set={"repetitions": 40, **costs}, use={"page_costs": "faults"}),
        *("compute_time", "page_fault_time", "rank_memory"),
    )
    assert faults == pytest.approx(memory / 4096 * 2e-6)
    assert paid == pytest.approx(plain + faults)


def test_walks_need_the_reuse_of_pages(load, folder):
    costs = {"page_fault_cost": "2 us", "tlb_miss_cost": "10 ns"}
    with pytest.raises(InputError, match="64,128,4096"):
        _values(load(set=costs, use={"page_costs": "measured"}), "compute_time")
    _with_strides(folder, 0.5, pages=True)
    walked, misses, repeated = _values(
        load(set={**costs, "repetitions": 3}, use={"page_costs": "measured"}),
        *("translation_time", "tlb_misses", "repetitions"),
    )
    assert misses > 0.0
    assert walked == pytest.approx(3 * misses * 1e-8)
    assert repeated == 3


def test_measured_latencies_stand_in_place_of_the_tables(load, folder):
    costs = {"measured_l2_latency": "5 ns", "measured_l3_latency": "50 ns"}
    second, third, clock = _values(
        load(set=costs, use={"cache_latency": "measured"}), "l2_latency_cycles", "l3_latency_cycles", "frequency"
    )
    assert second == pytest.approx(5e-9 * clock)
    assert third == pytest.approx(50e-9 * clock)
