"""Time, energy and power of whole machines against the equations written out (Anghel 2017, Eqs. 6.1 to 6.12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .machines import OF_NETWORK, PROCESS, TARGETS, Class, Machine, evaluate, floats, one, processes


def by_hand(found: dict[str, float], process: dict[str, float], **options: float) -> dict[str, float]:
    of_class = Class(
        found["nodes"],
        *(process[name] for name in ("compute_time", "messages", "message_size")),
        *(process[name] for name in ("node_static_power", "node_dynamic_power")),
    )
    network = [found[name] for name in OF_NETWORK[1:]]
    return Machine((of_class,), *network, **options).solve().answers


@given(processes, floats(0.0, 1.0), floats(0.0, 1.0))
def test_one_class(process, overlap, polling):
    """The six-line machine of the tests, with overlap and polling."""
    found = one(*TARGETS, *OF_NETWORK, **process, overlap_fraction=overlap, polling_power_share=polling)
    for name, wanted in by_hand(found, process, overlap=overlap, polling=polling).items():
        assert found[name] == pytest.approx(wanted, rel=1e-12), name


def test_a_message_by_hand():
    """A full mesh of 8 switches with 4 nodes: 3 links and 2 switches outside one's own, 2 and 1 within."""
    found = one("latency_time", "transfer_time", "communication_time", "system_time")
    links = (3 * 2 + 28 * 3) / 31
    latency = 0.9e-6 + 2 * 2.5e-9 + (links - 2) * 12e-9 + (links - 1) * 0.7e-6
    assert found["latency_time"] == pytest.approx(1000 * latency, rel=1e-12)
    assert found["transfer_time"] == pytest.approx(1000 * 4096 / 5e9, rel=1e-12)
    assert found["communication_time"] == pytest.approx(1000 * (latency + 4096 / 5e9), rel=1e-12)
    assert found["system_time"] == pytest.approx(0.2 + 1000 * (latency + 4096 / 5e9), rel=1e-12)


def test_bits_are_bytes_times_eight():
    """70 pJ for each bit on each link, 50.2 MB per process (Eq. 6.11)."""
    found = one("network_dynamic_energy", "path_links", "nodes", messages=12_255.0)
    wanted = found["nodes"] * 8 * 12_255 * 4096 * found["path_links"] * 70e-12
    assert found["network_dynamic_energy"] == pytest.approx(wanted, rel=1e-12)


def test_all_options_together():
    """Radix-dependent switches, links that are always on, two cards per node, cooling."""
    use = {"switch_power": "base-and-ports", "link_power": "always-on", "nic_power": "cards"}
    options = {"switch_power": 30.0, "port_power": 2.0, "electrical_end_power": 0.5, "optical_end_power": 4.0}
    options |= {"nic_power": 15.0, "nics_per_node": 2.0, "switch_energy": 1e-10, "power_usage_effectiveness": 1.1}
    wanted = ("network_power", "network_dynamic_energy", "path_switches", "facility_power", "system_power")
    found = one(*wanted, "facility_energy", "system_energy", use=use, **options)
    # 8 switches of 4 nodes and 7 others; 32 cables of nodes, 28 between switches.
    ports = 8 * (4 + 7)
    cables = 2 * (32 * 0.5 + 28 * 4.0)
    assert found["network_power"] == pytest.approx(8 * 30.0 + ports * 2.0 + cables + 32 * 2 * 15.0, rel=1e-12)
    # A byte on a link that is always on costs nothing more: only the switches are left.
    carried = 32 * 1000 * 4096 * found["path_switches"] * 1e-10
    assert found["network_dynamic_energy"] == pytest.approx(carried, rel=1e-12)
    assert found["facility_power"] == pytest.approx(1.1 * found["system_power"], rel=1e-15)
    assert found["facility_energy"] == pytest.approx(1.1 * found["system_energy"], rel=1e-15)


PIPELINED = {"message_pipelining": "pipelined"}


@given(floats(1.0, 1e6), floats(0.0, 1e6), floats(0.0, 1e-4), floats(0.0, 1e-4))
def test_pipelined_messages_by_hand(count, size, overhead, gap):
    """The first message in full, then one every max(o, g, m/B)."""
    options = {"messages": count, "message_size": size, "message_overhead": overhead, "message_gap": gap}
    wanted = ("communication_time", "network_latency", "effective_bandwidth")
    found = one(*wanted, use=PIPELINED, **options)
    of_bytes = size / found["effective_bandwidth"]
    by_formula = found["network_latency"] + of_bytes + (count - 1) * max(overhead, gap, of_bytes)
    assert found["communication_time"] == pytest.approx(by_formula, rel=1e-11)


def test_no_messages_take_no_time_pipelined():
    found = one("communication_time", use=PIPELINED, messages=0.0, message_overhead=1e-6, message_gap=1e-6)
    assert found["communication_time"] == 0.0


@given(st.lists(st.tuples(floats(0.0, 1e5), floats(0.0, 1e5)), min_size=1, max_size=6))
def test_a_histogram_of_sizes_is_its_mean(bins):
    """Eq. 6.4 is linear in M and M m: bins add up to one class of the mean size."""
    count = sum(messages for messages, _ in bins)
    total = sum(messages * size for messages, size in bins)
    parts = [one("communication_time", messages=m, message_size=s)["communication_time"] for m, s in bins]
    mean = one("communication_time", messages=count, message_size=total / count if count else 0.0)
    assert mean["communication_time"] == pytest.approx(sum(parts), rel=1e-9, abs=1e-15)


def test_cost_counts_devices_by_weight():
    weights = {"node_cost_weight": 2.0, "switch_port_cost_weight": 0.5, "electrical_link_cost_weight": 0.25}
    weights |= {"optical_link_cost_weight": 0.75, "nic_cost_weight": 0.125, "nics_per_node": 2.0}
    found = one("machine_cost", **weights)
    assert found["machine_cost"] == 32 * 2.0 + 88 * 0.5 + 32 * 0.25 + 28 * 0.75 + 64 * 0.125


def test_arrays_give_what_single_designs_give():
    """Computing along one axis, switches along another, bit for bit."""
    import numpy as np

    times, switches = [0.1, 0.4], [2.0, 5.0, 9.0]
    found = evaluate(compute_time=np.array(times)[:, None], mesh_switches=np.array(switches)[None, :])
    for row, time in enumerate(times):
        for column, count in enumerate(switches):
            alone = one(compute_time=time, mesh_switches=count)
            for name, value in alone.items():
                assert np.broadcast_to(found[name], (2, 3))[row, column] == value, name


def test_defaults_are_those_of_the_thesis():
    """Nothing is on that the thesis does not have."""
    found = one("system_time", "communication_time", "node_dynamic_energy", "facility_power", "system_power")
    assert found["system_time"] == 0.2 + found["communication_time"]
    assert found["node_dynamic_energy"] == 32 * PROCESS["node_dynamic_power"] * 0.2
    assert found["facility_power"] == found["system_power"]
