"""Several processes per node, against every process's flows routed over a graph of nodes."""

import doctest

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import dse.models.network.bandwidth.shared_nodes as module
from dse import Study
from dse.errors import InputError
from dse.models.network import effective_bandwidth, mean_path
from dse.models.network.bandwidth.shared_nodes import process_traffic

from . import oracle
from .test_closed_forms import ALL, blocks, designs, factors

TORUS = {"d": (4, 4), "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 3e-8}


def of_processes(topology, par, pattern, extra, each):
    """Bandwidth, inside fraction, links and latency, by routing the flows of all processes between their nodes."""
    net = oracle.TOPOLOGIES[topology](par, "minimal")
    attached = "m1" if "m1" in par else "p"
    many = par | {attached: par[attached] * each}
    if topology == "dragonfly":
        many |= {"g": par.get("g", par["a"] * par["h"] + 1)}
    flows = oracle.flows_of(topology, many, pattern, extra)
    load, crossed, leaving, total = {}, dict.fromkeys(net.latency, 0.0), 0, 0
    for process, others in enumerate(flows):
        for other in others:
            if pattern == "uniform" and other == process:
                continue
            total += 1
            here, there = process // each, other // each
            if here == there:
                continue
            leaving += 1
            for node_link in (("up", here), ("down", there)):
                load[node_link] = load.get(node_link, 0) + 1
            for share, path in net.minimal(net.attached[here], net.attached[there]):
                for link in path:
                    load[link] = load.get(link, 0) + share
                    crossed[net.links[link]] += share

    def capacity(link):
        return net.node_capacity if link[0] in ("up", "down") else net.capacity[net.links[link]]

    if not leaving:
        return net.node_capacity / each, 1.0 if total else 0.0, None, None
    worst = min(capacity(link) / amount for link, amount in load.items() if amount)
    links = 2 + sum(crossed.values()) / leaving
    latency = 2 * net.node_latency + sum(net.latency[name] * value for name, value in crossed.items()) / leaving
    return leaving / len(flows) * worst, 1 - leaving / total, links, latency


def check(topology, par, pattern, extra, each, **more):
    want = of_processes(topology, par, pattern, extra | more.pop("mapped", {}), each)
    found = process_traffic(topology, par, pattern, extra, processes_per_node=each, **more)
    assert float(found.bandwidth) == pytest.approx(want[0], rel=1e-9)
    assert float(found.inside_fraction) == pytest.approx(want[1], rel=1e-9, abs=1e-12)
    if want[2] is not None:
        assert float(found.links) == pytest.approx(want[2], rel=1e-9)
        assert float(found.link_latency) == pytest.approx(want[3], rel=1e-9)


@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_uniform_shift_and_complement(topology, data):
    par = data.draw(designs(topology, largest=32))
    each = data.draw(st.integers(2, 4))
    n = oracle.number_of_nodes(topology, par) * each
    check(topology, par, "uniform", {"include_self": False}, each)
    check(topology, par, "shift", {"step": data.draw(st.integers(0, 2 * n))}, each)
    check(topology, par, "complement", {}, each)
    check(topology, par, "tornado", {}, each)


@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_exchange_and_permutations_of_bits(topology, data):
    power = lambda n: n > 1 and n & (n - 1) == 0  # noqa: E731
    par = data.draw(designs(topology, power, largest=32))
    each = data.draw(st.sampled_from([2, 4]))
    bits = (oracle.number_of_nodes(topology, par) * each).bit_length() - 1
    check(topology, par, "exchange", {"exchange_bit": data.draw(st.integers(0, bits - 1))}, each)
    check(topology, par, "bit-reversal", {}, each)
    check(topology, par, "butterfly", {}, each)


@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_neighbours_with_a_tile_per_node_and_in_the_order_of_the_ranks(topology, data):
    par = data.draw(designs(topology, largest=32))
    each = data.draw(st.integers(2, 4))
    dimensions = data.draw(st.integers(1, 2))
    counts = [each, *blocks(topology, par)]
    cuts = [data.draw(st.sampled_from(factors(size, dimensions))) for size in counts]
    sizes = [
        tuple(int(np.prod(column)) for column in zip(*cuts[:deep], strict=True)) for deep in range(1, len(cuts) + 1)
    ]
    *tiles, grid = reversed(sizes)
    grid, tiles = sizes[-1], sizes[-2:0:-1]
    extra = {"grid": grid, "tiles": tiles}
    check(topology, par, "nearest-neighbour", extra, each, node_tile=sizes[0], mapped={"tiles": [*tiles, sizes[0]]})
    check(topology, par, "nearest-neighbour", {"grid": grid, "tiles": ()}, each)


@pytest.mark.parametrize("topology", ["torus", "hyperx"])
def test_golden_bandwidths_of_uniform_traffic(topology):
    """10 GB/s everywhere, two nodes on each of 4 by 4 switches, 1 to 8 processes of a node."""
    each = np.array([1, 2, 4, 8])
    found = process_traffic(topology, TORUS, processes_per_node=each)
    known = {"torus": [9.6875, 4.84375, 2.421875, 1.2109375], "hyperx": [10, 5, 2.5, 1.25]}
    np.testing.assert_allclose(found.bandwidth / 1e9, known[topology], rtol=1e-12)
    np.testing.assert_allclose(found.inside_fraction, [0, 0.015873, 0.023622, 0.027451], atol=5e-7)


@pytest.mark.parametrize(
    ("step", "each", "bandwidth", "inside"), [(3, 2, 10 / 3, 0), (3, 4, 2.5, 0.25), (1, 4, 2.5, 0.75)]
)
def test_golden_bandwidths_of_shifts(step, each, bandwidth, inside):
    found = process_traffic("torus", TORUS, "shift", {"step": step}, processes_per_node=each)
    assert (found.bandwidth / 1e9, found.inside_fraction) == (pytest.approx(bandwidth, rel=1e-12), inside)


@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(20))
@given(data=st.data())
def test_one_process_is_the_node_to_the_last_bit(topology, data):
    """Also where a node sends to itself: the middle of a complement, a grid of one process along a dimension."""
    par = data.draw(designs(topology))
    n = oracle.number_of_nodes(topology, par)
    grid = data.draw(st.sampled_from(factors(n, 2)))
    for pattern, extra in (
        ("uniform", {"include_self": False}),
        ("shift", {"step": data.draw(st.integers(0, n))}),
        ("complement", {}),
        ("nearest-neighbour", {"grid": grid, "tiles": ()}),
    ):
        if pattern == "uniform" and n == 1:
            continue
        found = process_traffic(topology, par, pattern, extra, processes_per_node=1)
        path = mean_path(topology, par, pattern, extra)
        assert found.bandwidth == effective_bandwidth(topology, par, pattern, extra)
        assert (found.link_latency, found.links) == (path.link_latency, path.links)
        assert found.inside_fraction == 0


def test_doctest():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"processes_per_node": 0}, ["processes_per_node = 0", "whole number >= 1"]),
        ({"processes_per_node": 1.5}, ["processes_per_node = 1.5"]),
        ({"routing": "valiant"}, ["no minimal routing 'valiant'"]),
        ({"pattern": "exchange", "options": {"exchange_bit": 6}}, ["exchange_bit = 6 on 64 nodes"]),
        ({"node_tile": (2,)}, ["node_tile", "2 sides"]),
        ({"node_tile": (2, 2)}, ["node_tile", "product is processes_per_node"]),
        ({"node_tile": (3, 1)}, ["node_tile", "divide"]),
    ],
)
def test_refused(change, words):
    asked = {"pattern": "nearest-neighbour", "options": {"grid": (8, 8), "tiles": [(2, 2)]}, "processes_per_node": 2}
    asked |= {"routing": "minimal", "node_tile": (2, 1)} | change
    with pytest.raises(InputError) as caught:
        process_traffic("torus", TORUS, asked.pop("pattern"), asked.pop("options"), **asked)
    assert all(word in str(caught.value) for word in words), str(caught.value)


# --- in a study ------------------------------------------------------------------------------------------------------


def study(use, values):
    return Study(
        {
            "name": "shared",
            "models": ["network"],
            "objectives": [{"maximize": "effective_bandwidth"}],
            "also": ["network_latency", "path_links", *(["inside_fraction"] if "routing" in use else [])],
            "use": {"topology": "torus", **use},
            "set": {"dimension_1": 4, "dimension_2": 4, "nodes_per_switch": 2, "switch_link_bandwidth": "10 GB/s"}
            | values,
            "space": {"axes": {"node_link_bandwidth": {"values": ["10 GB/s", "20 GB/s"]}}},
        }
    )


@pytest.mark.parametrize(
    ("pattern", "values", "extra"),
    [
        ("uniform", {}, {}),
        ("shift", {"shift_step": 3}, {"step": 3}),
        ("exchange", {"exchange_bit": 4}, {"exchange_bit": 4}),
    ],
)
def test_a_study_of_several_processes_per_node(pattern, values, extra):
    """Latencies as a study has them by default: 2.5 ns to a node, 12 ns between switches, 0.7 µs of a switch."""
    use = {"pattern": pattern, "routing": "minimal-of-processes"}
    told = study(use, values | {"processes_per_node": 4}).evaluate({"node_link_bandwidth": "20 GB/s"})
    par = TORUS | {"b0": 2e10, "l0": 2.5e-9, "l": 12e-9}
    want = process_traffic("torus", par, pattern, extra, processes_per_node=4)
    assert told["effective_bandwidth"] == want.bandwidth
    assert told["inside_fraction"] == want.inside_fraction
    assert told["path_links"] == pytest.approx(want.links, rel=1e-12)
    latency = 0.9e-6 + want.link_latency + (want.links - 1) * 0.7e-6
    assert told["network_latency"] == pytest.approx(latency, rel=1e-12)


def test_one_process_per_node_is_the_study_without():
    values = {"shift_step": 5}
    shared = study({"pattern": "shift", "routing": "minimal-of-processes"}, values)
    plain = study({"pattern": "shift"}, values)
    for rate in ("10 GB/s", "20 GB/s"):
        found, same = (one.evaluate({"node_link_bandwidth": rate}) for one in (shared, plain))
        assert all(found[name] == same[name] for name in ("effective_bandwidth", "network_latency", "path_links"))


def test_neighbours_of_several_processes_are_not_among_the_patterns_of_a_study():
    with pytest.raises(InputError, match="'neighbour-2d' of the slot 'pattern' does not give"):
        study({"pattern": "neighbour-2d", "routing": "minimal-of-processes"}, {}).evaluate(
            {"node_link_bandwidth": "10 GB/s"}
        )
