"""Costs of collective operations in a machine, against single networks and against hand counts of their rounds."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.collectives import collective_on_topology, machine
from dse.models.collectives import group_costs as group_costs_module
from dse.models.collectives.group_costs import cost_names
from dse.models.network.bandwidth.permutation_ways import permutation_flows

LINKS = {
    "node_link_bandwidth": 1e10,
    "switch_link_bandwidth": 1e10,
    "upper_link_bandwidth": 1e10,
    "global_link_bandwidth": 1e10,
    "node_link_latency": 5e-9,
    "switch_link_latency": 30e-9,
    "upper_link_latency": 30e-9,
    "global_link_latency": 30e-9,
    "links_in_ring_of_two": 2,
    "parallel_node_links": 1,
    "node_latency": 0.9e-6,
    "switch_latency": 1e-7,
    "network_planes": 1,
    "collective_detours": 0,
    "collective_pieces": 16,
}
SIDES = {f"dimension_{number}": 1 for number in range(1, 7)}


def costs(name, **given):
    """Return every cost of a component by name."""
    function = getattr(machine, f"{name}_collectives")
    values = {**LINKS, **SIDES, **given}
    found = function(*(np.asarray(values[need], dtype=float) for need in function.needs))
    return dict(zip(function.gives, found, strict=True))


def time(found, name, size):
    return found[f"{name}_latency"] + size * found[f"{name}_per_byte"]


GRIDS = [("torus", {"dimension_1": 4, "dimension_2": 4}), ("hyperx", {"dimension_1": 4, "dimension_2": 4})]


@pytest.mark.parametrize("size", [8, 2**20])
@pytest.mark.parametrize(("name", "sides"), GRIDS)
def test_a_reduction_over_the_machine_is_that_on_its_network(name, sides, size):
    found = costs(name, nodes_per_switch=2, **sides)
    parameters = {"d": (4, 4), "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}
    alone = collective_on_topology(
        "butterfly", 32, size, topology=name, parameters=parameters, switch_latency=1e-7
    ).time
    assert time(found, "machine_allreduce_butterfly", size) == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("sides", [(5, 3), (3, 4), (7, 3)])
def test_numbers_that_are_no_powers_of_two_fold_as_on_a_network(sides):
    found = costs("torus", nodes_per_switch=2, dimension_1=sides[0], dimension_2=sides[1])
    parameters = {"d": sides, "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}
    alone = collective_on_topology(
        "butterfly", 2 * sides[0] * sides[1], 8, topology="torus", parameters=parameters, switch_latency=1e-7
    ).time
    assert time(found, "machine_allreduce_butterfly", 8) == pytest.approx(alone, rel=0.06)


def test_rows_and_columns_within_a_full_switch_follow_the_closed_forms_of_a_full_mesh():
    # 16 nodes on one switch: every message has two links and a switch, and the bandwidth of a link.
    found = costs("torus", nodes_per_switch=16)
    hop, byte, size = 0.9e-6 + 1e-8 + 1e-7, 1e-10, 1e6
    assert time(found, "row_bcast_binomial", size) == pytest.approx(2 * (hop + size * byte))
    assert time(found, "row_alltoall_direct", size) == pytest.approx(hop + 2 * 0.45e-6 + 3 * size * byte)
    assert time(found, "row_alltoall_bruck_alltoall", size) == pytest.approx(2 * hop + 4 * size * byte)
    assert time(found, "column_allreduce_butterfly", size) == pytest.approx(2 * (hop + size * byte))
    assert time(found, "row_bcast_vdg_rd", size) == pytest.approx(4 * hop + 2 * 0.75 * size * byte)
    assert time(found, "row_bcast_vdg_ring", size) == pytest.approx(5 * hop + 2 * 0.75 * size * byte)
    # Hoefler and Moor: N x + b + (P - 2)(x + b), x = o + sG/N and b = L + o.
    x, b = 0.45e-6 + size * byte / 16, hop - 0.45e-6
    assert time(found, "row_bcast_chain", size) == pytest.approx(16 * x + b + 2 * (x + b))


def test_bytes_are_spread_over_planes_and_latencies_are_not():
    one = costs("hyperx", nodes_per_switch=4, dimension_1=4, dimension_2=4)
    four = costs("hyperx", nodes_per_switch=4, dimension_1=4, dimension_2=4, network_planes=4)
    for name in cost_names():
        assert four[f"{name}_latency"] == pytest.approx(one[f"{name}_latency"])
        assert four[f"{name}_per_byte"] == pytest.approx(one[f"{name}_per_byte"] / 4)


def test_detours_halve_the_transposition_on_a_hyperx_at_worst():
    sides = {"nodes_per_switch": 16, "dimension_1": 16, "dimension_2": 16}
    short, either = costs("hyperx", **sides), costs("hyperx", collective_detours=1, **sides)
    uniform = 1e-10  # 16 links of each dimension for 16 nodes: the links of the nodes bind
    name = "column_alltoall_direct_per_byte"
    assert either[name] / (63 * uniform) == pytest.approx(2.0)
    assert 4.0 <= short[name] / (63 * uniform) <= 16.0


def test_lists_of_designs_are_computed_as_each_alone():
    sides = np.array([4.0, 8.0, 2.0, 4.0])
    nodes = np.array([1.0, 4.0, 2.0, 8.0])
    together = costs("dragonfly", **_groups(sides, nodes))
    for place in range(4):
        alone = costs("dragonfly", **_groups(sides[place], nodes[place]))
        for name, values in together.items():
            assert np.broadcast_to(values, 4)[place] == alone[name]


def _groups(switches, nodes):
    return {
        "group_switches": switches,
        "nodes_per_switch": nodes,
        "global_ports": 2.0,
        "groups": 2.0 * switches + 1.0,
    }


def test_a_grid_of_shapes_and_fabrics_is_computed_as_each_alone():
    bandwidth, sides = np.array([[1e10], [3e10]]), np.array([[2.0, 4.0, 8.0]])
    together = costs("torus", nodes_per_switch=2, dimension_1=sides, node_link_bandwidth=bandwidth)
    alone = costs("torus", nodes_per_switch=2, dimension_1=4.0, node_link_bandwidth=3e10)
    for name, values in together.items():
        assert values.shape == (2, 3)
        assert values[1, 1] == alone[name]


def test_flows_are_counted_once_for_a_shape_and_need_no_bandwidth(monkeypatch):
    counted = []

    def flows(topology, shape, *given):
        counted.append((len(shape["a"]), [bool(np.isnan(shape[name]).all()) for name in ("b0", "bl", "bg")]))
        return permutation_flows(topology, shape, *given)

    monkeypatch.setattr(machine, "permutation_flows", flows)
    sides, bandwidth = np.array([[2.0, 4.0, 6.0]]), np.array([[1.1e10], [1.2e10], [1.3e10], [1.4e10]])
    costs("dragonfly", **_groups(sides, 3.0), node_link_bandwidth=bandwidth)
    assert {sizes for sizes, _ in counted} == {3}
    assert all(all(unknown) for _, unknown in counted)


def test_machines_that_were_asked_for_are_not_computed_again(monkeypatch):
    computed = []

    def rows(component, values):
        computed.append(len(values["node_latency"]))
        return costs_of_rows(component, values)

    costs_of_rows = machine._costs_of_rows
    monkeypatch.setattr(machine, "_costs_of_rows", rows)
    given = {"nodes_per_switch": 2, "node_latency": 1.1e-6}
    first = costs("torus", dimension_1=np.array([2.0, 4.0, 8.0]), **given)
    again = costs("torus", dimension_1=np.array([8.0, 16.0, 2.0, 8.0]), network_planes=np.array([2.0]), **given)
    assert computed == [3, 1]
    for name, values in again.items():
        planes = 2.0 if name.endswith("per_byte") else 1.0
        assert (values[[0, 2, 3]] * planes == first[name][[2, 0, 2]]).all()
        assert values[1] > 0.0


def test_a_machine_that_is_refused_leaves_the_others_as_they_are():
    """Costs that were asked for together with it, or after it, are their own."""
    sides = {"nodes_per_switch": 3, "dimension_1": 5, "dimension_2": 4}
    alone = [costs("torus", **sides, node_latency=latency) for latency in (1.1e-6, 1.2e-6, 1.3e-6)]
    for latency in (1.4e-6, 1.5e-6):
        with pytest.raises(InputError):
            costs("torus", **sides, node_latency=[latency, latency], node_link_latency=[5e-9, -1.0])
    again = [costs("torus", **sides, node_latency=latency) for latency in (1.1e-6, 1.2e-6, 1.3e-6, 1.4e-6, 1.5e-6)]
    for one, other in zip(alone, again, strict=False):
        for name, value in one.items():
            np.testing.assert_array_equal(other[name], value, err_msg=name)
    latencies = [float(found["machine_allreduce_butterfly_latency"]) for found in again]
    assert np.diff(latencies) == pytest.approx([latencies[1] - latencies[0]] * 4, rel=1e-6)


@pytest.mark.parametrize("name", ["node_link_bandwidth", "switch_link_bandwidth"])
def test_more_bandwidth_makes_nothing_slower(name):
    sides = {"nodes_per_switch": 8, "dimension_1": 4, "dimension_2": 4}
    slow, fast = costs("torus", **sides), costs("torus", **{**sides, name: 2e10})
    for cost in cost_names():
        assert fast[f"{cost}_per_byte"] <= slow[f"{cost}_per_byte"] * (1 + 1e-12)


def test_a_single_node_has_nobody_to_send_to():
    assert all(value == 0.0 for value in costs("torus", nodes_per_switch=1).values())


def test_real_machines_take_their_latency_and_bandwidths():
    function = machine.collectives_flat
    given = {
        "nodes": 64.0,
        "message_latency": 3e-6,
        "node_latency": 0.9e-6,
        "node_injection_bandwidth": 1e11,
        "all_to_all_bandwidth": 5e10,
        "collective_pieces": 16.0,
    }
    found = dict(zip(function.gives, function(*(np.array(given[need]) for need in function.needs)), strict=True))
    assert time(found, "machine_allreduce_butterfly", 8) == pytest.approx(6 * 3e-6 + 8 * (1e-11 + 5 * 2e-11))
    assert time(found, "row_bcast_binomial", 1e6) == pytest.approx(3 * (3e-6 + 1e6 * 1e-11))


def test_shifts_without_a_closed_form_take_random_intermediate_switches():
    """A Slim Fly has no closed form of a shift, so that nothing is said of its shortest paths."""
    sizes = {"field_order": 5, "nodes_per_switch": 4}
    short = costs("slim_fly", **sizes)
    either = costs("slim_fly", **sizes, collective_detours=1)
    assert short == either
    assert float(short["column_alltoall_direct_per_byte"]) >= 13 * 1e-10


@pytest.mark.parametrize("name", ["hyperx", "torus"])
def test_a_sample_of_shifts_stands_for_all(name, monkeypatch):
    sides = {"nodes_per_switch": 8, "dimension_1": 16, "dimension_2": 12, "dimension_3": 8}
    some = costs(name, collective_detours=1, **sides)
    monkeypatch.setattr(group_costs_module, "SHIFTS", 4096)
    # A latency of its own, since costs of the same machine are kept.
    every = costs(name, collective_detours=1, **sides, node_latency=0.9e-6 + 1e-12)
    for cost in ("row_alltoall_direct_per_byte", "column_alltoall_direct_per_byte"):
        assert some[cost] == pytest.approx(every[cost], rel=0.08)


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 9])
def test_no_broadcast_of_a_row_is_faster_than_its_message(nodes):
    """Wherever a row has more than one node, at least all bytes of a message go over a link, after one latency."""
    found = costs("full_mesh", nodes_per_switch=1, mesh_switches=nodes)
    byte_time = 1 / LINKS["switch_link_bandwidth"]
    least = 2 * LINKS["node_link_latency"] + LINKS["switch_link_latency"] + LINKS["node_latency"]
    for algorithm in group_costs_module.COSTS["row"]["bcast"]:
        assert found[f"row_bcast_{algorithm}_per_byte"] >= byte_time * (1 - 1e-12), algorithm
        assert found[f"row_bcast_{algorithm}_latency"] >= least * (1 - 1e-12), algorithm


def test_more_nodes_than_rounds_are_made_for_are_refused():
    with pytest.raises(InputError, match=r"'nodes' is 4.1943e\+06; allowed: at most 1048576"):
        costs("torus", nodes_per_switch=4, dimension_1=1024, dimension_2=1024)
