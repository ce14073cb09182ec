"""Set-associative caches in a study: hit fractions by level, limits, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.processor import CORRECTED, predict
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.workload.profile.reading import read_profile

from .small_studies import assert_exact, small_study
from .test_quantities import KIB, LINES, MACHINE, MIB, OPERATIONS

SETS = {"cache_organisation": "set-associative"}
LEVELS = ("l1_hit_fraction", "l2_hit_fraction", "l3_hit_fraction")


def told(profile, use=None, **changes):
    return small_study(profile, use=use, also=("cycles_per_instruction",), **changes).evaluate({})


def predicted(profile, threads, ways, **changes):
    machine = {PARAMETER_OF[name]: value for name, value in {**MACHINE, **changes}.items()} | OPERATIONS | LINES
    machine |= {f"{level}_ways": count for level, count in zip(("l1", "l2", "l3"), ways, strict=True)}
    mode = replace(CORRECTED, associativity=True)
    return predict(read_profile(profile), machine, threads=threads, mode=mode)


@pytest.mark.parametrize("profile", ["graph500-seq-csr", "graph500-seq-list"])
@pytest.mark.parametrize("ways", [(1, 1, 1), (8, 8, 16), (4, 16, 20)])
@pytest.mark.parametrize("exclusive", [0, 1])
def test_hit_fractions_are_those_of_predict(profile, ways, exclusive):
    changes = {"l2_exclusive": exclusive, "l3_size": 12 * MIB}
    found = told(profile, SETS, threads=3, **changes, l1_ways=ways[0], l2_ways=ways[1], l3_ways=ways[2])
    expected = predicted(profile, 3, ways, **changes)
    for level, name in zip(("l1", "l2", "l3"), LEVELS, strict=True):
        assert found[name] == pytest.approx(float(expected.hits[level]), rel=1e-13)
    assert found["cycles_per_instruction"] == pytest.approx(float(expected.cpi), rel=1e-12)


def test_the_first_level_by_hand():
    """Direct-mapped, 512 sets: a line that d others followed is still there with chance (1 - 1/512)^d."""
    low, high, share = read_profile("graph500-seq-csr").only.reuse(64).bins("corrected")
    stays = 1 - 1 / 512
    mean = [np.mean(stays ** np.arange(a, b + 1)) for a, b in zip(low, high, strict=True)]
    changes = {"vector_width": 2048, "l1_ways": 1, "l2_ways": 8, "l3_ways": 16}  # no vectors to split
    assert told("graph500-seq-csr", SETS, **changes)["l1_hit_fraction"] == pytest.approx(share @ mean, rel=1e-9)


def test_as_many_ways_as_lines_are_fully_associative():
    whole = told("graph500-seq-list")
    one_set = told("graph500-seq-list", SETS, l1_ways=512, l2_ways=4096, l3_ways=573440)
    for name in (*LEVELS, "cycles_per_instruction", "dram_accesses"):
        assert one_set[name] == pytest.approx(whole[name], rel=1e-12), name


def test_more_ways_come_nearer():
    whole = told("graph500-seq-list")
    away = []
    for ways in (1, 2, 4, 8, 16):
        found = told("graph500-seq-list", SETS, l1_ways=ways, l2_ways=ways, l3_ways=ways)
        away.append([abs(found[name] - whole[name]) for name in LEVELS])
        assert found["l1_hit_fraction"] <= found["l2_hit_fraction"] <= found["l3_hit_fraction"]
    assert (np.diff(away, axis=0) < 0).all()


def test_levels_that_are_missing():
    """Ways of a level of 0 bytes mean nothing."""
    given = {"l2_size": 0.0, "l3_size": 0.0, "l1_ways": 8}
    found = [told("graph500-seq-csr", SETS, l2_ways=ways, l3_ways=ways, **given) for ways in (1, 16)]
    assert found[0]["cycles_per_instruction"] == found[1]["cycles_per_instruction"]
    assert found[0]["l1_hit_fraction"] == found[0]["l2_hit_fraction"] == found[0]["l3_hit_fraction"]


def test_exact_searches_over_ways_and_sizes():
    axes = {
        "l1_ways": [2, 8],
        "l2_size": [128 * KIB, 512 * KIB],
        "l2_ways": [4, 8],
        "l3_size": [4 * MIB, 8 * MIB, 35 * MIB],
        "l3_ways": [4, 16],
        "dram_bandwidth": [2e10, 6e10],
    }
    objectives = ("run_time", "l2_size", "l3_size", "l3_ways")
    assert_exact(small_study("graph500-seq-list", axes, SETS, objectives=objectives, threads=14), axes, objectives)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"l1_ways": 8, "l2_ways": 8}, "missing quantity 'l3_ways', needed by"),
        ({"l1_ways": 0, "l2_ways": 8, "l3_ways": 16}, "'l1_ways' is 0; allowed: >= 1"),
        ({"l1_ways": 8, "l2_ways": 2.5, "l3_ways": 16}, "'l2_ways' is 2.5; allowed: whole numbers"),
        (
            {"l1_ways": 513, "l2_ways": 8, "l3_ways": 16},
            "l1_ways: a level 1 of 32768 B has 512 lines of 64 B, and not 513 in a set; allowed: at most the lines",
        ),
        ({"l1_ways": 8, "l2_ways": 8, "l3_ways": 16, "l3_size": 960.0}, "l3_ways: a level 3 of 960 B has 15 lines"),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(InputError) as error:
        told("graph500-seq-csr", SETS, **changes)
    assert message in str(error.value)


def test_ways_of_fully_associative_caches_are_refused():
    with pytest.raises(InputError, match="nothing depends on 'l1_ways'"):
        told("graph500-seq-csr", l1_ways=8)
