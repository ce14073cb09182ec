"""Networks of four dimensions: times by plain loops, and a small part of the study searched in two ways."""

from __future__ import annotations

import tomllib
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.api import Study
from dse.evaluation.direct import evaluate_models
from dse.models.training.machine.dimension_costs import ALGORITHMS, TOPOLOGIES
from dse.search.driver import SearchOptions, search
from dse.study.file.headings import bundled_studies
from tests.example_counts import examples

FILE = bundled_studies()["training-cosmic"]
SIZE = 3e8


def plain_time(sizes, joins, ways, bandwidths, low, high, chunks):
    """A gather over the exponents low to high of the ranks, dimension by dimension."""
    times, rest, begin = [], SIZE, 0
    for size, join, way, bandwidth in zip(sizes, joins, ways, bandwidths, strict=True):
        end = begin + int(log2(size))
        n = 2 ** max(0, min(high, end) - max(low, begin))
        begin = end
        if n == 1:
            times.append(0.0)
            continue
        part = 1 - 1 / n
        ring_of = {"ring": 1.0, "direct": n / (4 * part), "halving": log2(n) / (2 * part)}
        full_of = {"ring": max(1.0, (n - 1) / 2), "direct": 1.0, "halving": n - 1.0}
        of = {"ring": ring_of, "full": full_of, "switch": dict.fromkeys(ring_of, 1.0)}[join]
        factor = of["halving"] / part if way == "tree" else of[way]
        steps = {"ring": n - 1, "direct": 1, "halving": log2(n), "tree": 2 * log2(n)}[way]
        times.append(rest * part / bandwidth * factor + 1e-6 * steps)
        rest /= n
    if chunks is None:
        return sum(times)
    return max(times) + (sum(times) - max(times)) / chunks


@settings(max_examples=examples(120), deadline=None)
@given(data=st.data())
def test_gathers_are_those_of_plain_loops(data):
    sizes = data.draw(st.sampled_from([(4, 4, 8, 8), (2, 16, 4, 8), (16, 4, 4, 4), (1, 8, 8, 16)]))
    joins = [data.draw(st.sampled_from(TOPOLOGIES)) for _ in sizes]
    ways = [data.draw(st.sampled_from(ALGORITHMS)) for _ in sizes]
    bandwidths = [data.draw(st.sampled_from([50e9, 200e9, 500e9])) for _ in sizes]
    t, c, d = (data.draw(st.sampled_from([1, 2, 4, 8])) for _ in range(3))
    chunks = data.draw(st.sampled_from([None, 2, 32]))
    values = {"tensor_parallel": t, "context_parallel": c, "data_parallel": d, "expert_parallel": 1}
    values |= {"collective_chunks": chunks or 1, "pipelined_dimensions": chunks is not None}
    for i, (size, join, way, bandwidth) in enumerate(zip(sizes, joins, ways, bandwidths, strict=True), start=1):
        values[f"dimension_{i}_devices"], values[f"dimension_{i}_bandwidth"] = size, bandwidth
        values[f"dimension_{i}_topology"] = TOPOLOGIES.index(join)
        values[f"dimension_{i}_algorithm"] = ALGORITHMS.index(way)
    values |= {"micro_batch": 1, "sequence": 1, "hidden": SIZE / 2, "kv_heads": 1}
    values |= {"head_size": SIZE / 4 * t}  # so that both gathers are of so many bytes
    names = ["tensor_gather_time", "context_gather_time"]
    values["micro_batch"] = c
    found = evaluate_models(
        ["training", "training.dimensions"],
        names,
        {**values, "head_size": SIZE / 4 * t / c},
        {"training_collectives": "dimensions"},
    )
    of = (sizes, joins, ways, bandwidths)
    assert found[names[0]][0] == pytest.approx(plain_time(*of, 0, log2(t), chunks), rel=1e-12)
    assert found[names[1]][0] == pytest.approx(plain_time(*of, log2(t), log2(t * c), chunks), rel=1e-12)


def small():
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    axes = document["space"]["axes"]
    axes["parallelism"]["only"] = ["t8 p8 d16 c1 e1 v1 b1", "t8 p16 d8 c1 e1 v2 b1", "t16 p8 d8 c1 e1 v1 b2"]
    axes["sizes"]["only"] = ["8x8x4x4", "4x4x8x8"]
    axes["zero_stage"] = {"values": [1, 3]}
    axes["recompute"]["where"] = {"name": ["selective"]}
    axes["sequence_parallel"] = {"values": [1]}
    axes["collective_chunks"] = {"values": [2, 8]}
    axes["dimension_1_bandwidth"] = {"values": ["50 GB/s", "500 GB/s"]}
    for i in (2, 3, 4):
        axes[f"topology_{i}"]["given"]["topologies"] = ["ring", "full"]
        axes[f"algorithm_{i}"]["given"]["algorithms"] = ["ring", "direct"]
        axes[f"dimension_{i}_bandwidth"] = {"values": ["50 GB/s", "500 GB/s"]}
    return document


def test_groups_find_what_every_design_gives():
    problem = Study(small(), folder=FILE.parent).problem()
    every = search(problem, SearchOptions(method="exhaustive"))
    groups = search(problem, SearchOptions(method="groups"))
    assert groups.certificate.pruned_by_group > 0
    np.testing.assert_array_equal(groups.numbers, every.numbers)
    np.testing.assert_array_equal(groups.values, every.values)


def test_the_study_has_more_designs_than_the_paper_counts():
    assert Study.load("training-cosmic").problem().space.size >= 7.7e13
