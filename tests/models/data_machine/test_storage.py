"""Bandwidths and times of stores: a flow of blocks, limits, what rises with what, and figures by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.authoring.library.library import load_model
from dse.models.data_machine import effective_bandwidth, slowdown, transfer_time
from dse.models.data_machine.claims.published import FIGURES, catalogue

from .block_flow import finish_time

MODEL = load_model("data_machine")
LIMITS = {
    "graph_scale": (20.0, 42.0),
    "read_peak_share": (0.5, 1.0),
    "write_peak_share": (0.5, 1.0),
    "cycle_deadline": (20.0, 40.0),
}


class OneResult:
    """One of the results of a function."""

    def __init__(self, function, place):
        self.function, self.place = function, place
        self.needs, self.label = function.needs, function.label

    def __call__(self, **values):
        found = self.function(**values)
        return found[self.place] if isinstance(found, tuple) else found


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 20),
    st.floats(0.1, 10.0),
    st.integers(1, 8),
    st.floats(0.1, 10.0),
    st.floats(1.0, 50.0),
    st.floats(0.05, 2.0),
)
def test_a_flow_of_blocks_takes_what_the_least_limit_says(devices, drive, links, link, rate, block):
    blocks = 2000
    limits = {"devices": devices, "links": links, "link_bandwidth": link, "operation_rate": rate}
    flow = finish_time(blocks, block, device_bandwidth=drive, **limits)
    bandwidth = effective_bandwidth(
        devices, drive, links=links, link_bandwidth=link, operation_rate=rate, block_size=block
    )
    law = float(transfer_time(blocks * block, bandwidth))
    begin_and_end = 2 * (
        block / drive + block / link + 1 / rate
    )  # a block on its way through, and rounds that are not full
    assert law * (1 - 1e-9) <= flow <= law + begin_and_end


@given(*[st.floats(1e-3, 1e12)] * 6)
def test_no_limit_is_exceeded_and_one_is_met(devices, drive, links, link, rate, block):
    found = float(
        effective_bandwidth(devices, drive, links=links, link_bandwidth=link, operation_rate=rate, block_size=block)
    )
    limits = [devices * drive, links * link, rate * block]
    assert found == pytest.approx(min(limits), rel=1e-12)
    more = float(
        effective_bandwidth(
            2 * devices, drive, links=2 * links, link_bandwidth=link, operation_rate=2 * rate, block_size=block
        )
    )
    assert more == pytest.approx(2 * found, rel=1e-12)


def test_what_is_not_given_is_no_limit():
    assert float(effective_bandwidth(16, 0.5e9)) == 8e9
    assert float(effective_bandwidth(16, 0.5e9, links=1, link_bandwidth=5e9)) == 5e9
    assert float(effective_bandwidth(16, 0.5e9, operation_rate=16e3, block_size=4096)) == 16e3 * 4096


@given(st.floats(0.0, 1e15), st.floats(1.0, 1e15), st.floats(0.0, 1.0))
def test_a_transfer_is_its_latency_at_least_and_shorter_on_a_faster_store(size, bandwidth, latency):
    time = float(transfer_time(size, bandwidth, latency))
    assert time >= latency
    assert float(transfer_time(size, 2 * bandwidth, latency)) <= time
    assert float(transfer_time(0.0, bandwidth, latency)) == latency


@given(st.floats(1.0, 1e15), st.floats(1.0, 1e15), st.floats(1e-3, 1e6))
def test_a_pass_out_of_core_is_the_longer_of_both(size, bandwidth, compute):
    factor = float(slowdown(size, bandwidth, compute))
    assert factor >= 1.0
    assert factor * compute == pytest.approx(max(compute, size / bandwidth), rel=1e-12)


@given(
    st.lists(st.tuples(st.floats(0.01, 10.0), st.floats(0.01, 10.0)), min_size=1, max_size=40),
    st.floats(0.1, 10.0),
)
def test_no_pass_beats_the_factor_whatever_its_pieces(pieces, bandwidth):
    """A piece is computed when it has arrived and the one before is done; pieces arrive one after the other."""
    arrived = done = 0.0
    for size, compute in pieces:
        arrived += size / bandwidth
        done = max(done, arrived) + compute
    in_memory = sum(compute for _, compute in pieces)
    factor = float(slowdown(sum(size for size, _ in pieces), bandwidth, in_memory))
    assert done >= factor * in_memory * (1 - 1e-12)


@given(st.floats(0.01, 10.0), st.floats(0.01, 10.0), st.floats(0.1, 10.0))
def test_many_equal_pieces_come_within_one_of_the_factor(size, compute, bandwidth):
    arrived = done = 0.0
    for _ in range(500):
        arrived += size / bandwidth
        done = max(done, arrived) + compute
    law = float(slowdown(500 * size, bandwidth, 500 * compute)) * 500 * compute
    assert law * (1 - 1e-9) <= done <= law * (1 + 1e-9) + size / bandwidth + compute


def test_sixteen_drives_by_hand():
    """0.92 of 16 drives of 7.69 GB/s / 0.924 / 16, and 0.90 of 3.8 GB/s / 0.902."""
    drive = catalogue("drives").where(name="mSATA drive")
    read = effective_bandwidth(16, drive["store_device_read_bandwidth"], peak_share=0.92)
    write = effective_bandwidth(16, drive["store_device_write_bandwidth"], peak_share=0.90)
    assert read == pytest.approx(7.69e9 * 0.92 / 0.924, rel=3e-4)
    assert write == pytest.approx(3.8e9 * 0.90 / 0.902, rel=3e-4)


def test_phases_grow_and_stand_for_both_ways():
    phases = catalogue("storage_phases")
    assert (phases["store_read_bandwidth"] == phases["store_write_bandwidth"]).all()
    assert (np.diff(phases["store_write_bandwidth"]) > 0).all()
    assert phases.where(name="phase 2")["store_write_bandwidth"][0] == 10e12


def test_catalogues_have_what_was_published():
    """Each figure stands in a catalogue, for studies, and among the claims, as it was printed."""
    phases, systems, links = (catalogue(name) for name in ("storage_phases", "file_systems", "links"))
    first = phases.where(phase=1)["store_write_bandwidth"] / 1e9
    assert tuple(first) == FIGURES.value("phase 1: bandwidth, least and most")
    assert phases.where(name="phase 2")["store_write_bandwidth"][0] / 1e12 == FIGURES.value("phase 2: bandwidth")
    most = phases.where(name="phase 3 most")["store_write_bandwidth"][0] / 1e15
    assert most == FIGURES.value("phase 3: bandwidth, at most")
    rates = "operations of the local object store, directFS and XFS in a second, 16 threads"
    assert tuple(systems["store_operation_rate"]) == FIGURES.value(rates)
    bits = links["store_link_bandwidth"] * 8 / 1e9
    assert tuple(bits) == FIGURES.value("links of data centres, least and most, and of supercomputers")
    one, many = catalogue("searches")["node_traversal_rate"]
    assert one / 1e9 == FIGURES.value("NETAL, hybrid search in DRAM, November 2012")
    assert many == pytest.approx(FIGURES.value("search on TSUBAME, scale 35") * 1e9 / 1366, rel=1e-9)


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_shapes_and_arguments(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_ranges_contain_points(function, check_ranges):
    for place in range(len(function.gives)):
        check_ranges(OneResult(function, place), limits=LIMITS, tables={})


def test_declarations():
    """The bandwidths of a store are given by the study, or by its drives: both declared and computed."""
    given_ = {name for function in MODEL.functions for name in function.gives}
    declared = {**MODEL.parameters, **MODEL.assumptions}
    assert given_ & set(declared) == {"store_write_bandwidth", "store_read_bandwidth"}
    assert {need for function in MODEL.functions for need in function.needs} <= given_ | set(declared)


def test_slots_and_defaults():
    slots = {}
    for function in MODEL.functions:
        if function.slot:
            slots.setdefault(function.slot, set()).add((function.provider, function.default))
    assert slots == {
        "data_store": {("aggregate", True), ("devices", False)},
        "traversal_rate": {("per-node", True), ("search-time", False)},
    }
