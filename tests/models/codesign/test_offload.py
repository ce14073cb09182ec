"""Kernels on devices and their transfers: a golden by hand, limits, and the term in an explanation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.models.codesign import offload
from dse.models.codesign.pictures import parts_of_time

DEVICE = {
    "kernel_double_operations": 2e12,
    "kernel_single_operations": 0,
    "kernel_half_operations": 0,
    "kernel_level_1_bytes": "0 B",
    "kernel_level_2_bytes": "0 B",
    "kernel_memory_bytes": "1 TB",
    "kernel_occupancy": 0.25,
    "kernel_double_rate": "10e12 flop/s",
    "kernel_single_rate": "20e12 flop/s",
    "kernel_half_rate": "40e12 flop/s",
    "kernel_level_1_bandwidth": "20 TB/s",
    "kernel_level_2_bandwidth": "5 TB/s",
    "kernel_memory_bandwidth": "2 TB/s",
    "device_transfers": 1000,
    "device_transfer_bytes": "126.032 GB",
    "device_link_bandwidth": "31.508 GB/s",
    "device_link_latency": "10 us",
    "devices_per_node": 4,
    "device_power": "400 W",
}
TERMS = ("host_computing_time", "device_time", "device_kernel_time", "exposed_transfer_time")
MACHINE = {
    "width": {"part": "node/widths.csv", "only": ["8-wide"]},
    "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800"]},
    "dram_units": {"values": [2]},
}


def _values(study, *names):
    values = study.compiled.quantities([0])[0]["values"]
    return [float(np.ravel(values[name])[0]) for name in names]


def test_a_run_by_hand(load):
    """16 ranks on 4 devices, ten recorded runs.

    Kernels: memory 1 TB / 2 TB/s = 0.5 s (operations 0.2 s), over half of the occupancy that reaches the roofs: 1 s;
    10 runs of 4 ranks that take turns: 40 s. Transfers: 1,000 of 10 us and 126.032 GB / 31.508 GB/s, 4.01 s: 160.4 s.
    """
    plain = load(set={"repetitions": 10})
    names = ("device_kernel_time", "device_latency_time", "device_bytes_time", "device_transfer_time", "device_time")
    study = load(set={"repetitions": 10, **DEVICE}, use={"offload": "kernels"})
    assert _values(study, *names) == pytest.approx([40.0, 0.4, 160.0, 160.4, 200.4], rel=1e-12)
    before, after = (_values(given, "computing_time", "system_time", "nodes") for given in (plain, study))
    assert after[0] - before[0] == pytest.approx(200.4, rel=1e-9)
    assert after[1] - before[1] == pytest.approx(200.4, rel=1e-9)
    powers = [_values(given, "nodes_static_power")[0] for given in (plain, study)]
    assert powers[1] - powers[0] == pytest.approx(before[2] * 4 * 400.0, rel=1e-9)


def test_nothing_handed_over_is_the_run_without_a_device(load):
    idle = {"kernel_double_operations": 0, "kernel_memory_bytes": "0 B", "device_transfers": 0}
    idle |= {"device_transfer_bytes": "0 B", "device_power": "0 W"}
    names = ("system_time", "system_energy", "nodes_static_power")
    study = load(set={**DEVICE, **idle}, use={"offload": "kernels"})
    assert _values(study, *names) == _values(load(), *names)


@pytest.mark.parametrize(
    ("change", "transfers"),
    [
        ({"device_link_latency": "0 s"}, 160.0),  # bytes alone
        ({"device_transfer_bytes": "0 B"}, 0.4),  # latencies alone
        ({"device_link_bandwidth": "1e30 B/s"}, 0.4),
        ({"devices_per_node": 16}, 40.1),  # a device for each rank
        ({"devices_per_node": 32}, 40.1),  # more do not help
        ({"devices_per_node": 5}, 160.4),  # one of them has four ranks
    ],
)
def test_limits(load, change, transfers):
    study = load(set={"repetitions": 10, **DEVICE, **change}, use={"offload": "kernels"})
    assert _values(study, "device_transfer_time") == pytest.approx([transfers], rel=1e-9)


def test_what_overlaps_is_hidden(load):
    """All: the longer alone; half: half of the shorter beside."""
    for share, seconds in ((1.0, 160.4), (0.5, 180.4)):
        given_ = {"repetitions": 10, **DEVICE, "device_overlap_fraction": share}
        names = ("device_time", "exposed_transfer_time")
        study = load(set=given_, use={"offload": "kernels"})
        assert _values(study, *names) == pytest.approx([seconds, seconds - 40.0])


amounts = st.floats(0, 1e12)


@given(st.floats(0, 1e6), amounts, st.floats(1e8, 1e12), st.floats(0, 1e-3), st.integers(1, 64), st.integers(1, 64))
def test_no_more_bytes_or_latency_are_faster_and_no_more_bandwidth_or_devices_slower(
    copies, moved, bandwidth, latency, ranks, devices
):
    def seconds(copies=copies, moved=moved, bandwidth=bandwidth, latency=latency, devices=devices):
        turns = offload.device_turns.function(ranks, devices)
        return offload.device_transfer_time.function(
            offload.device_latency_time.function(1.0, turns, copies, latency),
            offload.device_bytes_time.function(1.0, turns, moved, bandwidth),
        )

    whole = seconds()
    assert seconds(copies=2 * copies) >= whole
    assert seconds(moved=2 * moved) >= whole
    assert seconds(latency=2 * latency) >= whole
    assert seconds(bandwidth=2 * bandwidth) <= whole
    assert seconds(devices=devices + 1) <= whole
    assert offload.device_turns.function(ranks, devices) == -(-ranks // devices)


def test_links_of_the_catalogue_are_an_axis(load):
    """From PCIe 3.0 to NVLink-C2C: the faster the link, the less of it."""
    rest = {name: value for name, value in DEVICE.items() if not name.startswith("device_link")}
    seconds = []
    for link in ("PCIe 3.0 x16", "PCIe 4.0 x16", "PCIe 5.0 x16", "NVLink-C2C"):
        axes = {**MACHINE, "link": {"part": "codesign/device-links.csv", "only": [link]}}
        study = load(set=rest, use={"offload": "kernels"}, space={"axes": axes})
        seconds += _values(study, "device_bytes_time")
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[0] / seconds[3] == pytest.approx(450 / 15.754)


def test_an_explanation_has_the_transfers_as_a_term(load, monkeypatch):
    monkeypatch.setattr("dse.analysis.explain.explain.sensitivities", lambda *_: [])  # which take long, and say another
    study = load(set={"repetitions": 10, **DEVICE}, use={"offload": "kernels"})
    explained = study.explain(0)
    numbers = {row["name"]: row["value"] for row in explained.numbers}
    parts = parts_of_time(numbers)
    assert (parts["kernels"], parts["transfers"]) == pytest.approx((40.0, 160.4))
    assert sum(parts.values()) == pytest.approx(numbers["system_time"])
    assert "between host and device 160.4 s (" in explained.account[0]
    terms = dict(zip(("host", "device", "kernels", "copies"), _values(study, *TERMS), strict=True))
    assert terms["host"] + terms["device"] == pytest.approx(numbers["computing_time"])
    assert terms["kernels"] + terms["copies"] == pytest.approx(terms["device"])
    line = next(line for line in explained.account if line.startswith("between host and device: "))
    assert line.endswith("copies of 10.00 µs, 5.041 TB at 31.51 GB/s: 160.4 s")
