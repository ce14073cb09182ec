"""Closed-form laws of applications: counts worked out by hand, limits, and what each must rise or fall with."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.models.applications import correlator, fourier_transform, mix, search_time, stencil

MACHINE = {
    "nodes": 4096,
    "node_peak_flop_rate": "50 Tflop/s",
    "node_memory_bandwidth": "3.2 TB/s",
    "all_to_all_bandwidth": "25 GB/s",
    "halo_bandwidth": "50 GB/s",
    "message_latency": "2 us",
}
FOURIER = {**MACHINE, "fourier_points": 2**36}
STENCIL = {**MACHINE, "stencil_points": 2**36, "stencil_steps": 100}


def evaluate(target, values, use=None):
    axis = "nodes"
    document = {
        "name": "law",
        "models": ["applications"],
        "objectives": [{"minimize": target}],
        "use": use or {},
        "set": {key: value for key, value in values.items() if key != axis},
        "space": {"axes": {axis: {"values": [values[axis]]}}},
    }
    return Study(document).evaluate({})


def without(values, *names):
    return {key: value for key, value in values.items() if key not in names}


def test_a_transform_by_hand():
    found = evaluate("fourier_time", without(FOURIER, "halo_bandwidth"))
    points = 2.0**36
    arithmetic = 5 * points * 36 / 4096 / 25e12
    memory = 6 * 16 * points / 4096 / 3.2e12
    assert found["fourier_operations"] == 5 * points * 36
    assert found["fourier_arithmetic_time"] == pytest.approx(arithmetic, rel=1e-12)
    assert found["fourier_memory_time"] == pytest.approx(memory, rel=1e-12)
    assert memory > arithmetic
    exchange, latency = 2 * 16 * points / 4096 / 25e9, 2 * 63 * 2e-6
    assert found["fourier_time"] == pytest.approx(memory + exchange + latency, rel=1e-12)


def test_a_stencil_by_hand():
    found = evaluate("stencil_time", without(STENCIL, "all_to_all_bandwidth"))
    points = 2.0**36 / 4096
    assert found["stencil_bytes_per_point"] == 24.0
    assert found["stencil_operations"] == 2.0**36 * 100 * 38
    memory, arithmetic = 100 * points * 24 / 3.2e12, 100 * points * 38 / 25e12
    side = 256.0  # cube root of 2^24 points
    halo = 100 * (6 * side * side * 4 * 8 / 50e9 + 6 * 2e-6)
    assert found["stencil_time"] == pytest.approx(max(memory, arithmetic) + halo, rel=1e-12)


@pytest.mark.parametrize(("cache", "expected"), [("1 GB", 24.0), ("8 B", 24.0 + 64.0)])
def test_planes_that_do_not_fit_are_read_again(cache, expected):
    values = {**without(STENCIL, "all_to_all_bandwidth"), "cores_per_node": 64, "core_cache": cache}
    found = evaluate("stencil_time", values, use={"stencil_traffic": "from-cache"})
    assert found["stencil_bytes_per_point"] == expected


def test_planes_fit_to_the_byte():
    side = np.cbrt(2.0**36 / (4096 * 64))
    planes = 9 * side * side * 8
    bytes_at = stencil.cached_stencil_bytes.function
    assert bytes_at(2.0**36, 4096.0, 64.0, planes, 4.0) == 24.0
    assert bytes_at(2.0**36, 4096.0, 64.0, planes * (1 - 1e-9), 4.0) == 88.0


def test_products_of_the_correlator_are_those_of_its_study():
    products = correlator.correlator_products.function(512.0, 2.0, 600e6, 1.0)
    assert products == pytest.approx(3.1457e14, rel=1e-4)
    node = correlator.correlator_products.function(512.0, 2.0, 600e6, 0.52) / 65536 * 8
    assert node == pytest.approx(1.997e10, rel=1e-3)


def test_the_correlator_takes_the_longer_of_arithmetic_and_traffic():
    values = without(MACHINE, "all_to_all_bandwidth", "halo_bandwidth", "message_latency")
    found = evaluate("correlator_time", {**values, "correlator_stations": 512, "correlator_seconds": "0.52 s"})
    products = 512**2 * 4 * 3e8 * 0.52 / 4096
    assert found["correlator_time"] == pytest.approx(max(products * 8 / 25e12, products * 3.7 / 3.2e12), rel=1e-12)


def test_a_search_by_hand():
    values = {**without(MACHINE, "halo_bandwidth", "node_peak_flop_rate"), "graph_scale": 36, "edge_factor": 16}
    found = evaluate("breadth_first_search_time", values)
    records = 2 * 16 * 2.0**36 / 4096
    memory, exchange = records * 128 / 3.2e12, records * (1 - 1 / 4096) * 16 * 2 / 25e9
    assert found["breadth_first_search_time"] == pytest.approx(memory + exchange + 6 * 2 * 63 * 2e-6, rel=1e-12)


def test_one_node_exchanges_nothing():
    assert search_time.search_latency_time.function(6.0, 1.0, 1e-6) == 0.0
    assert fourier_transform.fourier_latency_time.function(1.0, 1e-6) == 0.0


positive = st.floats(1e-3, 1e6)


@given(st.lists(positive, min_size=5, max_size=5), st.lists(st.floats(0.1, 5.0), min_size=5, max_size=5), positive)
def test_the_mix_is_a_weighted_geometric_mean(times, weights, factor):
    total = mix.mix_weight.function(*weights)
    paired = [one for pair in zip(times, weights, strict=True) for one in pair]
    value = mix.mix_time.function(*paired, total)
    assert min(times) * (1 - 1e-9) <= value <= max(times) * (1 + 1e-9)
    assert value == pytest.approx(np.prod([t ** (w / total) for t, w in zip(times, weights, strict=True)]), rel=1e-9)
    scaled = [one for t, w in zip(times, weights, strict=True) for one in (t * factor, w)]
    assert mix.mix_time.function(*scaled, total) == pytest.approx(value * factor, rel=1e-9)


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(["node_peak_flop_rate", "node_memory_bandwidth", "all_to_all_bandwidth"]), st.floats(1.0, 16.0))
def test_more_of_anything_never_takes_longer(name, factor):
    numbers = {
        "node_peak_flop_rate": 5e13,
        "node_memory_bandwidth": 3.2e12,
        "all_to_all_bandwidth": 25e9,
    }

    def time(values):
        arithmetic = fourier_transform.fourier_arithmetic_time.function(
            5 * 2**36 * 36.0, 4096.0, values["node_peak_flop_rate"], 0.5
        )
        memory = fourier_transform.fourier_memory_time.function(2.0**36, 6.0, 4096.0, values["node_memory_bandwidth"])
        compute = fourier_transform.fourier_compute_time.function(arithmetic, memory)
        exchange = fourier_transform.fourier_exchange_time.function(2.0**36, 4096.0, values["all_to_all_bandwidth"])
        return fourier_transform.fourier_time.function(compute, exchange, 0.0)

    assert time({**numbers, name: numbers[name] * factor}) <= time(numbers)
