"""A memory whose latency grows with its load, in a study: the fixed point, its limits, and exact searches over it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.processor import CORRECTED, predict
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.workload.profile.reading import read_profile

from .small_studies import assert_exact, small_study
from .test_quantities import KIB, LINES, MACHINE, MIB, OPERATIONS, PROFILES, machines

QUEUE = {"dram_queueing": "queueing"}
ALSO = ("cycles_per_instruction", "dram_traffic")


def estimate(profile):
    return {"branch_estimate": "constant"} if profile.startswith("synthetic") else {}


def told(profile, use, machine=MACHINE, **changes):
    return small_study(profile, use={**estimate(profile), **use}, also=ALSO, **{**machine, **changes}).evaluate({})


@settings(max_examples=examples(25))
@given(
    machine=machines(),
    profile=st.sampled_from(PROFILES),
    threads=st.sampled_from((1, 3, 14)),
    order=st.sampled_from(("out-of-order", "in-order")),
)
def test_it_is_what_predict_gives(machine, profile, threads, order):
    machine["l2_latency_cycles"] = min(12, machine["l3_latency"] * machine["frequency"])
    machine["l1_latency_cycles"] = min(4, machine["l2_latency_cycles"])
    changes = {"threads": threads} | ({"reorder_buffer": None} if order == "in-order" else {})
    found = told(profile, QUEUE | {"core_order": order}, machine, **changes)
    node = {PARAMETER_OF[name]: value for name, value in machine.items()} | OPERATIONS | LINES
    node |= {"in_order": float(order == "in-order"), "l3_inclusion": 0}
    rate = 0.03 if profile.startswith("synthetic") else None
    mode = replace(CORRECTED, queueing=True)
    expected = predict(read_profile(profile), node, threads=threads, mode=mode, branch_miss_rate=rate)
    assert found["cycles_per_instruction"] == pytest.approx(float(expected.cpi), rel=1e-12)
    assert found["dram_latency_cycles"] == pytest.approx(float(expected.machine["dram_latency"]), rel=1e-12)


@settings(max_examples=examples(25))
@given(machine=machines(), threads=st.sampled_from((1, 3, 14)), order=st.sampled_from(("out-of-order", "in-order")))
def test_it_is_a_fixed_point(machine, threads, order):
    """The traffic that results is the utilisation the latency was taken at; the formula by hand."""
    machine["l1_latency_cycles"], machine["l2_latency_cycles"] = 2, 6
    machine["reorder_buffer"] = machine["reorder_buffer"] if order == "out-of-order" else None
    found = told("graph500-seq-list", QUEUE | {"core_order": order}, machine, threads=threads)
    used, bandwidth = found["dram_utilisation"], machine["dram_bandwidth"]
    assert 0 < used < 1
    assert found["dram_traffic"] / bandwidth == pytest.approx(used, rel=1e-9)
    waiting = 64 / bandwidth * used / (2 * (1 - used))
    assert found["dram_latency_cycles"] == pytest.approx((machine["dram_latency"] + waiting) * machine["frequency"])


def test_a_memory_of_any_bandwidth_does_not_queue():
    idle, queued = (told("graph500-seq-list", use, dram_bandwidth=1e20) for use in ({}, QUEUE))
    assert queued["dram_latency_cycles"] == pytest.approx(idle["dram_latency_cycles"], rel=1e-9)
    assert queued["run_time"] == pytest.approx(idle["run_time"], rel=1e-9)


def test_a_program_that_never_misses_does_not_wait():
    found = told("graph500-seq-csr", QUEUE, l3_size=2.0**40, dram_bandwidth=1e9)
    idle = told("graph500-seq-csr", {}, l3_size=2.0**40, dram_bandwidth=1e9)
    assert found["dram_utilisation"] < 0.02  # first touches
    assert found["dram_latency_cycles"] < 1.1 * idle["dram_latency_cycles"]


def test_less_bandwidth_waits_longer():
    found = [told("graph500-seq-list", QUEUE, threads=14, dram_bandwidth=b) for b in (1e8, 1e9, 1e10, 1e11)]
    latency, used = ([one[name] for one in found] for name in ("dram_latency_cycles", "dram_utilisation"))
    assert (np.diff(latency) < 0).all()
    assert (np.diff(used) < 0).all()
    assert used[0] < 1
    idle = told("graph500-seq-list", {}, threads=14)["dram_latency_cycles"]
    assert min(latency) > idle


AXES = {
    "frequency": [1.4e9, 2.6e9],
    "threads": [1, 4, 14],
    "reorder_buffer": [64, 192],
    "l2_size": [128 * KIB, 512 * KIB],
    "l3_size": [8 * MIB, 35 * MIB],
    "dram_bandwidth": [4e9, 2e10, 6e10],
}


@pytest.mark.slow
@pytest.mark.parametrize("order", ["out-of-order", "in-order"])
def test_exact_searches_leave_it_alone(order):
    """Exhaustive, by bundles, and every design by itself: the same frontier and the same bits."""
    axes = dict(AXES)
    changes = {"l1_latency_cycles": 2, "l2_latency_cycles": 6}
    if order == "in-order":
        del axes["reorder_buffer"]
        changes["reorder_buffer"] = None
    objectives = ("run_time", "l3_size", "dram_bandwidth")
    built = small_study("graph500-seq-list", axes, QUEUE | {"core_order": order}, objectives=objectives, **changes)
    assert_exact(built, axes, objectives)


def test_the_other_model_is_refused():
    with pytest.raises(InputError) as error:
        told("graph500-seq-csr", QUEUE | {"processor_model": "independent"})
    message = "the component 'independent' of the slot 'processor_model' does not give 'events_interact'"
    assert message in str(error.value)
    assert error.value.allowed == ["interaction"]


def test_a_core_in_order_needs_no_reorder_buffer():
    with pytest.raises(InputError, match="nothing depends on 'reorder_buffer'"):
        told("graph500-seq-csr", QUEUE | {"core_order": "in-order"})
