"""Laws of whole machines: limits, monotonicity, linearity, splits that add up (Anghel 2017, Chapter 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .machines import NETWORK, floats, one, processes

pytestmark = pytest.mark.slow

links = st.sampled_from(["node_link_bandwidth", "switch_link_bandwidth"])
NO_LATENCY = {"node_link_latency": 0.0, "switch_link_latency": 0.0, "switch_latency": 0.0, "node_latency": 0.0}


@given(processes, floats(0.0, 1.0), floats(0.0, 1.0))
def test_splits_add_up_and_power_times_time_is_energy(process, overlap, polling):
    found = one(**process, overlap_fraction=overlap, polling_power_share=polling)
    energies = ("node_static_energy", "node_dynamic_energy", "network_static_energy", "network_dynamic_energy")
    powers = ("nodes_static_power", "nodes_dynamic_power", "network_power", "transfer_power")
    assert sum(found[name] for name in energies) == pytest.approx(found["system_energy"], rel=1e-12)
    assert sum(found[name] for name in powers) == pytest.approx(found["system_power"], rel=1e-12)
    assert found["system_power"] * found["system_time"] == pytest.approx(found["system_energy"], rel=1e-12)
    assert found["latency_time"] + found["transfer_time"] == pytest.approx(found["communication_time"], rel=1e-12)
    exposed = process["compute_time"] + found["exposed_communication_time"]
    assert exposed == pytest.approx(found["system_time"], rel=1e-12)
    assert found["communication_share"] * found["system_time"] == pytest.approx(
        found["exposed_communication_time"], rel=1e-12, abs=1e-300
    )
    of_network = found["network_static_energy"] + found["network_dynamic_energy"]
    assert found["network_energy_share"] * found["system_energy"] == pytest.approx(of_network, rel=1e-12)


@given(processes, floats(0.0, 1.0), floats(0.0, 1.0))
def test_overlap_lies_between_the_maximum_and_the_sum_and_shortens(process, less, more):
    less, more = sorted((less, more))
    first, second = (one("system_time", "communication_time", **process, overlap_fraction=x) for x in (less, more))
    compute, communication = process["compute_time"], first["communication_time"]
    assert second["system_time"] <= first["system_time"] * (1 + 1e-15)
    for found in (first, second):
        assert max(compute, communication) <= found["system_time"] <= (compute + communication) * (1 + 1e-15)
    whole, none = (one("system_time", **process, overlap_fraction=x)["system_time"] for x in (1.0, 0.0))
    assert whole == max(compute, communication)
    assert none == max(compute, communication) + min(compute, communication)


@given(processes, floats(0.0, 1e-3), floats(0.0, 1e-3), floats(0.0, 1.0))
def test_pipelined_messages_are_never_later_where_they_may_start_earlier(process, overhead, gap, latency):
    """Pipelined <= serial whenever max(o, g) <= latency of a message."""
    process = {**process, "messages": max(process["messages"], 1.0)}
    given_latency = {"node_latency": latency * 1e-3}
    serial = one("communication_time", "network_latency", **process, **given_latency)
    options = {"message_overhead": overhead, "message_gap": gap, **given_latency}
    pipelined = one("communication_time", use={"message_pipelining": "pipelined"}, **process, **options)
    if max(overhead, gap) <= serial["network_latency"]:
        assert pipelined["communication_time"] <= serial["communication_time"] * (1 + 1e-12)
    # A single message is the same either way.
    alone = [
        one("communication_time", use=use, **{**process, "messages": 1.0}, **more)["communication_time"]
        for use, more in (({}, given_latency), ({"message_pipelining": "pipelined"}, options))
    ]
    assert alone[0] == pytest.approx(alone[1], rel=1e-12)


@given(processes, links, floats(1.0, 100.0))
def test_larger_bandwidths_never_take_longer(process, link, factor):
    slow, fast = (one("system_time", **process, **{link: NETWORK[link] * x}) for x in (1.0, factor))
    assert fast["system_time"] <= slow["system_time"]


@given(processes, floats(0.0, 1e-8), floats(1.0, 100.0))
def test_energy_per_bit_never_lowers_power(process, energy, factor):
    for name in ("electrical_link_energy", "optical_link_energy", "switch_energy"):
        less, more = (one("system_power", **process, **{name: energy * x}) for x in (1.0, factor))
        assert more["system_power"] >= less["system_power"]


@given(processes, floats(2.0, 30.0), st.sampled_from(["on-demand", "always-on"]))
def test_more_links_never_lower_power(process, switches, kind):
    """Without latencies, and at a bandwidth that the links of the nodes set, only links and switches differ."""
    fixed = {**NO_LATENCY, "switch_link_bandwidth": 5e12}
    counts = (float(int(switches)), float(int(switches)) + 1.0)
    use = {"link_power": kind}
    wanted = ("system_power", "network_power", "system_time", "nodes", "nodes_static_power", "nodes_dynamic_power")
    few, many = (one(*wanted, use=use, **process, **fixed, mesh_switches=count) for count in counts)
    assert few["system_time"] == many["system_time"]
    assert many["network_power"] >= few["network_power"]
    # More links per message too: what the network takes per node beyond its rest.
    assert many["system_power"] >= few["system_power"]


@given(processes, st.integers(2, 40))
def test_energy_is_linear_in_the_nodes(process, factor):
    """Machines of many equal parts without a network between them: N times the energy at the same time."""
    alone = {**process, "messages": 0.0, "mesh_switches": 1.0}
    wanted = ("system_time", "system_energy")
    one_node, many = (one(*wanted, **{**alone, "nodes_per_switch": float(n)}, switch_power=0.0) for n in (1, factor))
    assert many["system_time"] == one_node["system_time"]
    assert many["system_energy"] == pytest.approx(factor * one_node["system_energy"], rel=1e-12)


@given(processes, floats(1.0, 50.0))
def test_messages_in_pieces(process, pieces):
    """The same bytes in more messages add exactly their latencies."""
    split = {**process, "messages": process["messages"] * pieces, "message_size": process["message_size"] / pieces}
    whole, cut = (one("communication_time", "network_latency", **p) for p in (process, split))
    added = process["messages"] * (pieces - 1.0) * whole["network_latency"]
    assert cut["communication_time"] - whole["communication_time"] == pytest.approx(
        added, rel=1e-6, abs=1e-9 * whole["communication_time"] + 1e-15
    )


@given(processes)
def test_limits(process):
    """Empty messages are latency alone; without latency there are bytes over bandwidth."""
    empty = one("communication_time", "network_latency", **{**process, "message_size": 0.0})
    assert empty["communication_time"] == process["messages"] * empty["network_latency"]
    bytes_only = one("communication_time", "effective_bandwidth", **process, **NO_LATENCY)
    data = process["messages"] * process["message_size"]
    assert bytes_only["communication_time"] == pytest.approx(data / bytes_only["effective_bandwidth"], rel=1e-15)
    assert bytes_only["effective_bandwidth"] <= NETWORK["node_link_bandwidth"]


@given(processes)
def test_power_without_communication_is_that_of_nodes_and_switches(process):
    found = one("system_power", "network_power", **{**process, "messages": 0.0})
    of_nodes = 32 * (process["node_static_power"] + process["node_dynamic_power"])
    assert found["system_power"] == pytest.approx(of_nodes + found["network_power"], rel=1e-12)


@given(processes)
def test_power_of_a_machine_that_waits_is_that_at_rest(process):
    """Tcomp and Data against 0, and the time against latency: nodes and switches at rest."""
    waiting = {**process, "compute_time": 1e-12, "messages": 1e6, "message_size": 0.0}
    found = one("system_power", "network_power", **waiting)
    at_rest = 32 * process["node_static_power"] + found["network_power"]
    assert found["system_power"] == pytest.approx(at_rest, rel=1e-6)


@given(processes, floats(0.0, 1.0), floats(0.0, 1.0))
def test_polling_adds_power_up_to_that_of_computing_all_the_time(process, less, more):
    less, more = sorted((less, more))
    first, second = (one(**process, polling_power_share=x) for x in (less, more))
    assert second["node_dynamic_energy"] >= first["node_dynamic_energy"] * (1 - 1e-15)
    whole = one("node_dynamic_energy", "system_time", **process, polling_power_share=1.0)
    wanted = 32 * process["node_dynamic_power"] * whole["system_time"]
    assert whole["node_dynamic_energy"] == pytest.approx(wanted, rel=1e-12)
