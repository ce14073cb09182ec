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
    names = ("compute_time", "page_fault_time", "rank_memory")
    once, twice = (
        _values(load(set={"repetitions": count, **costs}, use={"page_costs": "faults"}), *names) for count in (40, 80)
    )
    assert once[1] == twice[1] == pytest.approx(once[2] / 4096 * 2e-6)
    assert twice[0] - once[0] == pytest.approx(once[0] - once[1])


def test_first_touches_of_zeroed_pages_end_at_level_2(load, folder):
    names = ("l2_accesses", "l3_accesses", "dram_accesses", "memory_fraction")
    plain = _values(load(), *names)
    costs = {"page_fault_cost": "0 s"}
    *zeroed, share = _values(load(set=costs, use={"page_costs": "faults"}), *names, "first_touch_fraction")
    assert zeroed[0] == plain[0]
    assert [before - after for before, after in zip(plain[1:3], zeroed[1:3], strict=True)] == pytest.approx(
        [share * plain[3]] * 2
    )
    assert share > 0.0


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


def test_level_3_and_walks_are_read_where_the_ranks_are(load, folder):
    """Times that double with each doubling of the working set: read at the memory of all ranks of a node."""
    sets = [2**power for power in range(14, 36)]
    curves = {
        name: [[size, size * 1e-18, size * 1e-18, size * 1e-18] for size in sets] for name in ("latency", "triad")
    }
    curves["reads_apart"] = [[size, 1e-9, 1e-9, 1e-9] for size in sets]
    curves["reads_apart_small_pages"] = [[size, 4e-9, 4e-9, 4e-9] for size in sets]
    figure = {"value": 1e-9, "unit": "s", "least": 1e-9, "largest": 2e-9}
    machine = {
        **{"schema": "dse-machine/1", "name": "made up", "synthetic": True, "cores": 2, "caches": {}},
        **{"figures": {"l1_latency": figure, "l2_latency": {**figure, "value": 5e-9}}, "curves": curves},
    }
    (folder / "mine.json").write_text(json.dumps(machine))
    _with_strides(folder, 0.5, pages=True)
    study = load(
        use={"cache_latency": "machine", "page_costs": "measured"},
        tables={"machine": {"file": "mine.json"}},
        set={"page_fault_cost": "1 us", "problem_size": 512, "l3_bandwidth": None},
    )
    touched, ranks, second, third, byte, walk, entries, clock = _values(
        study,
        *("rank_memory", "processes_per_node", "l2_latency_cycles", "l3_latency_cycles", "l3_bandwidth"),
        *("tlb_miss_cost", "tlb_entries", "frequency"),
    )
    place = np.log2(touched * ranks)
    below = 2.0 ** np.floor(place)
    time = below * 1e-18 * (1.0 + (place - np.floor(place)))
    assert second == pytest.approx(5e-9 * clock)
    assert third == pytest.approx(time * clock)
    assert byte == pytest.approx(1.0 / time)
    held = entries * 4096
    assert walk == pytest.approx(3e-9 / (1.0 - held / max(touched * ranks, 2.0 * held)))


def test_measured_latencies_stand_in_place_of_the_tables(load, folder):
    costs = {"measured_l2_latency": "5 ns", "measured_l3_latency": "50 ns"}
    second, third, clock = _values(
        load(set=costs, use={"cache_latency": "measured"}), "l2_latency_cycles", "l3_latency_cycles", "frequency"
    )
    assert second == pytest.approx(5e-9 * clock)
    assert third == pytest.approx(50e-9 * clock)
