"""What an explanation says first of a run, both ends of the bracket, and how sure: bands of the laws."""

import numpy as np
import pytest

from dse.analysis.explain.brackets import brackets_of, other_ends
from dse.analysis.explain.parts import along_parts
from dse.models.codesign.pictures import parts_of_time


@pytest.fixture
def study(load):
    return load(use={"pattern": "profile"})


def test_the_account_says_where_the_time_goes(study, monkeypatch):
    monkeypatch.setattr("dse.analysis.explain.explain.sensitivities", lambda *_: [])  # which take long, and say another
    explained = study.explain(0)
    numbers = {row["name"]: row["value"] for row in explained.numbers}
    parts = parts_of_time(numbers)
    assert sum(parts.values()) == pytest.approx(numbers["system_time"], rel=1e-12)
    assert parts["collectives"] == numbers["collective_time"]
    assert parts["waiting"] == 0
    time, computing, messages, profile = explained.account
    share = 100 * parts["computing"] / numbers["system_time"]
    assert f"({share:.1f} %)" in time
    assert "parallelism of memory accesses binds" in computing
    assert messages.startswith("messages: 150 of ")
    assert "58.3 % inside the node" in messages
    # 2,048^3 cells of 16,384 ranks, 4.74 times the largest run (48^3 of one rank).
    assert "524" in profile
    assert "4.74 times the runs (band " in profile


def test_ranks_that_do_unequal_work_wait():
    values = {"compute_time": 3.0, "rank_imbalance": 1.5, "collective_time": 0.5, "communication_time": 2.0}
    assert parts_of_time(values) == {"computing": 2.0, "messages": 1.5, "collectives": 0.5, "waiting": 1.0}


def test_the_other_end_is_the_study_with_the_other_component(load, study):
    ends = {end["quantity"]: end for end in other_ends(study, 0)}
    (bracket,) = brackets_of(study, [0, 1])
    streams = load(use={"pattern": "profile", "prefetching": "streams"}).compiled.quantities([0, 1])[0]["values"]
    np.testing.assert_array_equal(bracket.others[:, 0], streams["system_time"])
    end = ends["system_time"]
    assert (end["slot"], end["component"], end["other"]) == ("prefetching", "none", "streams")
    assert end["other_value"] == bracket.others[0, 0]
    assert end["change"] == pytest.approx(end["other_value"] / end["value"] - 1)


def test_the_error_of_the_model_has_the_band_of_the_laws_beside_it(load):
    study = load(
        uncertain={"compute_time": {"error": "model"}},
        set={"dimension_1": None, "dimension_2": None, "dimension_3": None, "nodes_per_switch": None},
        space={
            "axes": {
                "width": {"part": "node/widths.csv", "only": ["8-wide"]},
                "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800"]},
                "dram_units": {"values": [2]},
                "shape": {
                    "enumerate": "network.hyperx",
                    "given": {"nodes": {"values": [64, 128]}, "radix": 64, "dimensions": [2, 3], "largest_ratio": 2},
                },
            },
            "split": ["nodes"],
        },
    )
    published, band = study.unknowns.every
    assert (published.scope, published.high) == ("design", 0.34)
    assert (band.scope, band.axis) == ("each", "alternative")
    assert set(band.rows) == {"nodes 64", "nodes 128"}
    for product, first in zip(study.compiled.space.products, study.compiled.space.offsets, strict=True):
        (record,) = study.compiled.quantities([first])
        low, high = band.rows[product.name]
        assert low == pytest.approx(float(record["values"]["profile_band_low"][0]) - 1)
        assert high == pytest.approx(float(record["values"]["profile_band_high"][0]) - 1)
        assert low < 0 < high


def test_time_along_nodes_is_that_of_the_best_shape_of_each(load):
    study = load(
        set=dict.fromkeys(("dimension_1", "dimension_2", "dimension_3", "nodes_per_switch")),
        space={
            "axes": {
                "width": {"part": "node/widths.csv", "only": ["4-wide", "8-wide"]},
                "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800"]},
                "dram_units": {"values": [2, 4]},
                "shape": {
                    "enumerate": "network.hyperx",
                    "given": {"nodes": {"values": [64, 128]}, "radix": 64, "dimensions": [2, 3], "largest_ratio": 2},
                },
            },
            "split": ["nodes"],
        },
    )
    problem, number = study.compiled, 5
    choices = problem.space.parameters(number)
    points = along_parts(study, number)
    assert [point.value for point in points] == [64, 128]
    every = np.arange(problem.space.size)
    same = [
        n
        for n in every
        if all(problem.space.parameters(n)[key] == choices[key] for key in ("width", "memory", "dram_units"))
    ]
    for point, product in zip(points, range(2), strict=True):
        here = [n for n in same if problem.space.rows_of(int(n))[0] == product]
        (record,) = problem.quantities(here)
        assert point.objectives[0] == record["values"]["system_time"].min()
        assert point.number in here
    assert along_parts(load(), 0) == []
