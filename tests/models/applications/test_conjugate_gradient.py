"""Conjugate gradients in closed form: worked out anew, limits, and which way they go."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.library.library import load_model
from dse.models.applications import conjugate_gradient as cg

MODEL = load_model("applications")
FUNCTIONS = [f for f in MODEL.functions if f.module == "applications.conjugate_gradient"]
LIMITS = {
    "nodes": (2, 200_000),
    "node_memory_capacity": (1e10, 2e12),
    "node_memory_bandwidth": (1e11, 2e13),
    "halo_bandwidth": (1e9, 4e11),
    "message_latency": (1e-6, 1e-5),
    "conjugate_gradient_unknowns": (1e6, 1e9),
    "conjugate_gradient_equations": (1e9, 1e12),
    "conjugate_gradient_halo": (1e5, 1e8),
    "conjugate_gradient_iterations": (1, 100),
    "all_reduce_steps": (1, 18),
}
MACHINE = {
    "nodes": 1000,
    "node_memory_capacity": 512e9,
    "node_memory_bandwidth": 3.2e12,
    "halo_bandwidth": 1e11,
    "message_latency": 2e-6,
}
MACHINES = {
    "nodes": st.integers(2, 10**6),
    "node_memory_capacity": st.floats(1e9, 1e13),
    "node_memory_bandwidth": st.floats(1e9, 1e14),
    "halo_bandwidth": st.floats(1e8, 1e13),
    "message_latency": st.floats(0, 1e-4),
}


def chain(**given):
    """Every quantity by the plain functions."""
    defaults = {name: a.value for name, a in MODEL.assumptions.items()}
    values = {name: np.array([float(value)]) for name, value in {**defaults, **MACHINE, **given}.items()}
    problem = cg.given_unknowns if "conjugate_gradient_equations" in given else cg.unknowns_from_memory
    for function in (
        problem,
        cg.conjugate_gradient_filled_share,
        cg.conjugate_gradient_halo,
        cg.all_reduce_steps,
        cg.conjugate_gradient_memory_time,
        cg.conjugate_gradient_halo_time,
        cg.conjugate_gradient_reduction_time,
        cg.conjugate_gradient_time,
        cg.conjugate_gradient_flop_rate,
    ):
        (name,) = function.gives
        values[name] = function(*(values[need] for need in function.needs))
    return {name: float(value[0]) for name, value in values.items()}


def oracle(nodes, capacity, bandwidth, halo, latency, *, share=0.5848, memory=0.25, iterations=50):
    """Rows of 27 entries of 12 bytes and five numbers beside; six faces; three sums."""
    unknowns = memory * capacity / (27 * 12 + 5 * 8)
    sweep = 27 * 12 * unknowns / (bandwidth * share)
    faces = 6 * unknowns ** (2 / 3) * 8 / halo + 6 * latency if nodes > 1 else 0.0
    sums = 3 * math.ceil(math.log2(nodes)) * latency
    time = iterations * (sweep + faces + sums)
    return time, nodes * 2 * 27 * unknowns * iterations / time


@pytest.mark.parametrize("nodes", [1, 2, 1000, 1024, 1025, 158_976])
def test_against_the_form_written_anew(nodes):
    found = chain(nodes=nodes)
    time, rate = oracle(nodes, 512e9, 3.2e12, 1e11, 2e-6)
    assert found["conjugate_gradient_time"] == pytest.approx(time, rel=1e-12)
    assert found["conjugate_gradient_flop_rate"] == pytest.approx(rate, rel=1e-12)


def test_two_operations_per_twelve_bytes():
    """Without a network in the way: a sixth of an operation per byte of what the memory sustains."""
    found = chain(nodes=1, conjugate_gradient_bandwidth_share=1.0)
    assert found["conjugate_gradient_flop_rate"] == pytest.approx(3.2e12 / 6, rel=1e-12)


def test_the_peak_rate_does_not_matter():
    """Twice the bandwidth is nearly twice the rate; no function reads the peak rate of a node."""
    assert not [f for f in FUNCTIONS if "node_peak_flop_rate" in f.needs]
    one, two = (chain(node_memory_bandwidth=b)["conjugate_gradient_flop_rate"] for b in (1e12, 2e12))
    assert 1.9 < two / one < 2.0


@given(**MACHINES, name=st.sampled_from(sorted(MACHINES)))
def test_the_rate_grows_with_all_but_latency(name, **machine):
    once = chain(**machine)["conjugate_gradient_flop_rate"]
    more = chain(**{**machine, name: machine[name] * 2 + 1e-7})["conjugate_gradient_flop_rate"]
    assert (more <= once * (1 + 1e-12)) if name == "message_latency" else (more >= once * (1 - 1e-9))


@given(**MACHINES)
def test_parts_add_up(**machine):
    found = chain(**machine)
    parts = [found[f"conjugate_gradient_{part}_time"] for part in ("memory", "halo", "reduction")]
    assert sum(parts) == pytest.approx(found["conjugate_gradient_time"], rel=1e-12)
    assert min(parts) >= 0


def test_a_given_problem():
    """A problem of 10^12 unknowns on 1,000 nodes of 512 GB takes 71 % of the memory, on 8,000 a halo of a quarter."""
    one, eight = (chain(nodes=nodes, conjugate_gradient_equations=1e12) for nodes in (1000, 8000))
    assert one["conjugate_gradient_filled_share"] == pytest.approx(364e9 / 512e9)
    assert eight["conjugate_gradient_unknowns"] == one["conjugate_gradient_unknowns"] / 8
    assert eight["conjugate_gradient_halo"] == pytest.approx(one["conjugate_gradient_halo"] / 4)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_contract(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_ranges(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})
