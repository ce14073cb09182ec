"""HPL in closed form: against the published form worked out anew, its limits, and which way it goes with each input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.library.library import load_model
from dse.models.applications import linpack

MODEL = load_model("applications")
FUNCTIONS = [f for f in MODEL.functions if f.module == "applications.linpack"]
LIMITS = {
    "nodes": (2, 200_000),
    "node_peak_flop_rate": (1e11, 5e14),
    "node_memory_capacity": (1e10, 2e12),
    "all_to_all_bandwidth": (1e9, 2e11),
    "message_latency": (1e-6, 1e-5),
    "linpack_block": (32, 1024),
    "linpack_overlap": (0.0, 1.0),
    "linpack_size": (1e4, 3e7),
    "linpack_equations": (1e4, 3e7),
    "linpack_peak_share": (0.5, 1.0),
    "linpack_memory_share": (0.5, 0.9),
    "linpack_exposed_share": (0.0, 1.0),
}
MACHINE = {
    "nodes": 4096,
    "node_peak_flop_rate": 2e14,
    "node_memory_capacity": 5e11,
    "all_to_all_bandwidth": 5e10,
    "message_latency": 2e-6,
}
POSITIVE = {
    "nodes": st.integers(2, 10**6),
    "node_peak_flop_rate": st.floats(1e9, 1e16),
    "node_memory_capacity": st.floats(1e9, 1e13),
    "all_to_all_bandwidth": st.floats(1e6, 1e13),
    "message_latency": st.floats(0, 1e-4),
}


def published(rows, columns, peak, memory, bandwidth, latency, *, share=0.7141, block=256, overlap=0.9):
    """T = 2 n^3 g/(3 P Q) + 8 n^2 (3 P + Q)/(2 P Q B) + l n ((NB + 1) log2 P + P)/NB, the shorter part overlapped."""
    nodes = rows * columns
    n = math.sqrt(0.8 * nodes * memory / 8)
    compute = 2 * n**3 / (3 * nodes) / (peak * share)
    exchange = 8 * n**2 * (3 * rows + columns) / (2 * nodes * bandwidth)
    exchange += latency * n * ((block + 1) * math.log2(rows) + rows) / block
    time = compute + exchange - overlap * min(compute, exchange)
    return n, time, 2 / 3 * n**3 / time


def evaluated(**changes):
    """Every quantity of one machine, through a study."""
    given = MACHINE | changes
    use = {"linpack_problem": "given"} if "linpack_equations" in given else {}
    units = {"node_peak_flop_rate": "1/s", "node_memory_capacity": "B", "all_to_all_bandwidth": "B/s"}
    units["message_latency"] = "s"
    document = {
        "name": "linpack",
        "models": ["applications"],
        "use": use,
        "objectives": [{"minimize": "linpack_time"}],
        "also": [
            *("linpack_flop_rate", "linpack_size", "linpack_efficiency", "linpack_filled_share"),
            *("linpack_compute_time", "linpack_exchange_time", "linpack_latency_time"),
        ],
        "set": {n: f"{v!r} {units[n]}" if n in units else v for n, v in given.items() if n != "nodes"},
        "space": {"axes": {"nodes": {"values": [given["nodes"]]}}},
    }
    return Study(document).evaluate({})


@pytest.mark.parametrize("side", [2, 8, 98, 399])
@pytest.mark.parametrize("bandwidth", [5e7, 5e9, 5e10])
def test_the_published_form_on_a_square(side, bandwidth):
    """Exchange shorter and longer than arithmetic."""
    n, time, rate = published(side, side, 2e14, 5e11, bandwidth, 2e-6)
    found = evaluated(nodes=side * side, all_to_all_bandwidth=bandwidth)
    assert found["linpack_size"] == pytest.approx(n, rel=1e-12)
    assert found["linpack_time"] == pytest.approx(time, rel=1e-12)
    assert found["linpack_flop_rate"] == pytest.approx(rate, rel=1e-12)
    assert found["linpack_efficiency"] == pytest.approx(rate / (side * side * 2e14), rel=1e-12)


def test_by_hand():
    """100 nodes of 1 Tflop/s at a share of 1, 10 GB, 1 GB/s, no latency: n = 316,228, 210.8 s of arithmetic, 160 s of
    exchange, of which a tenth shows."""
    found = evaluated(
        nodes=100,
        node_peak_flop_rate=1e12,
        node_memory_capacity=1e10,
        all_to_all_bandwidth=1e9,
        message_latency=0.0,
        linpack_peak_share=1.0,
    )
    assert found["linpack_size"] == pytest.approx(316_227.766, rel=1e-9)
    assert found["linpack_compute_time"] == pytest.approx(210.8185, rel=1e-6)
    assert found["linpack_exchange_time"] == pytest.approx(16.0, rel=1e-9)
    assert found["linpack_latency_time"] == 0.0
    assert found["linpack_time"] == pytest.approx(226.8185, rel=1e-6)


@given(**POSITIVE, overlap=st.floats(0, 1))
def test_parts_add_up_between_the_longer_and_the_sum(overlap, **machine):
    found = chain(**machine, linpack_overlap=overlap)
    parts = found["linpack_compute_time"] + found["linpack_exchange_time"] + found["linpack_latency_time"]
    assert parts == pytest.approx(found["linpack_time"], rel=1e-9)
    exchange = found["linpack_transfer_time"] + found["linpack_message_time"]
    longest = max(found["linpack_compute_time"], exchange)
    assert longest * (1 - 1e-12) <= found["linpack_time"] <= (found["linpack_compute_time"] + exchange) * (1 + 1e-12)


def chain(**given):
    """Every quantity by the plain functions."""
    defaults = {name: a.value for name, a in MODEL.assumptions.items()}
    values = {name: np.array([float(value)]) for name, value in {**defaults, **MACHINE, **given}.items()}
    for function in (
        linpack.size_from_memory,
        linpack.linpack_column_messages,
        linpack.linpack_compute_time,
        linpack.linpack_transfer_time,
        linpack.linpack_message_time,
        linpack.linpack_exposed_share,
        linpack.linpack_exchange_time,
        linpack.linpack_latency_time,
        linpack.linpack_time,
        linpack.linpack_flop_rate,
        linpack.linpack_efficiency,
    ):
        (name,) = function.gives
        values[name] = function(*(values[need] for need in function.needs))
    return {name: float(value[0]) for name, value in values.items()}


@given(**POSITIVE, name=st.sampled_from(sorted(POSITIVE)))
def test_the_rate_grows_with_all_but_latency(name, **machine):
    one, two = chain(**machine), chain(**{**machine, name: machine[name] * 2 + (name == "message_latency") * 1e-7})
    once, more = one["linpack_flop_rate"], two["linpack_flop_rate"]
    assert (more <= once * (1 + 1e-12)) if name == "message_latency" else (more >= once * (1 - 1e-12))
    assert 0 < two["linpack_efficiency"] <= 0.7141 * (1 + 1e-12)


@given(**POSITIVE)
def test_a_network_without_limits_leaves_the_arithmetic(**machine):
    found = chain(**{**machine, "all_to_all_bandwidth": 1e30, "message_latency": 0.0})
    peak = machine["nodes"] * machine["node_peak_flop_rate"]
    assert found["linpack_flop_rate"] == pytest.approx(0.7141 * peak, rel=1e-9)


def test_one_node_exchanges_nothing():
    found = evaluated(nodes=1, all_to_all_bandwidth=1.0, message_latency=1.0)
    assert found["linpack_exchange_time"] == found["linpack_latency_time"] == 0.0
    assert found["linpack_efficiency"] == pytest.approx(0.7141)


def test_a_given_problem_takes_less_on_more_nodes():
    """Four times the nodes: a quarter of the arithmetic, half of the exchange; memory does not matter."""
    one, four = (evaluated(nodes=nodes, linpack_equations=1e7, message_latency=0.0) for nodes in (1024, 4096))
    assert one["linpack_size"] == four["linpack_size"] == 1e7
    assert four["linpack_compute_time"] == pytest.approx(one["linpack_compute_time"] / 4)
    assert four["linpack_exchange_time"] == pytest.approx(one["linpack_exchange_time"] / 2)
    assert one["linpack_filled_share"] == pytest.approx(8e14 / (1024 * 5e11))
    assert evaluated()["linpack_filled_share"] == pytest.approx(0.8)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.name}")
def test_contract(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.name}")
def test_ranges(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})
