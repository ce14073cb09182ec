"""A call of a collective operation in a machine: against single networks, closed forms and hand counts."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import sampled_product
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.collectives import LogGP, collective_on_topology, cost
from dse.models.collectives.algorithms.registry import ALGORITHMS, COLLECTIVES, number_of
from dse.models.collectives.algorithms.rounds import ROUNDS
from dse.models.collectives.in_machines.costs import IN_MACHINES, METRICS
from dse.models.collectives.in_machines.schedules import schedule

from .machine_calls import GRID, MACHINES, called, mesh

MIB = 2**20

GOLDEN = {
    ("allreduce", "butterfly", 8): (5.8372, 5.5836, 5.5788),
    ("allreduce", "butterfly", MIB): (949.548, 1788.15, 1159.00),
    ("allreduce", "rabenseifner", MIB): (411.430, 804.126, 686.161),
    ("reduce_scatter", "reduce_scatter_halving", MIB): (6402.14, 12693.3, 10805.9),
    ("alltoall", "bruck_alltoall", MIB): (15105.5, 30204.7, 20138.5),
    ("allreduce", "ring_allreduce", MIB): (270.819, 473.981, 267.797),
    ("alltoall", "direct", MIB): (6306.23, 11549.0, 10185.9),
    ("bcast", "binomial", 8): (5.8340, 5.5772, 5.5740),
    ("bcast", "binomial", MIB): (530.118, 949.288, 529.858),
}
"""Microseconds on a torus, a HyperX and a tree of 32 nodes; all but direct and ring equal a simulation of messages."""


@pytest.mark.parametrize(("asked", "wanted"), GOLDEN.items())
def test_golden_times_of_three_machines(asked, wanted):
    collective, algorithm, size = asked
    for (topology, shape), microseconds in zip(MACHINES.values(), wanted, strict=True):
        found = called(collective, topology, size, 32, algorithm, **shape)
        assert found["time"][0] * 1e6 == pytest.approx(microseconds, rel=2e-5), topology
        assert not found["approximate"].any()
        assert ALGORITHMS[int(found["choice"][0])] == algorithm


def both(collective, algorithm, processes, size):
    """The same in a full mesh and by the closed form of LogGP with L = 2 l0 + l1."""
    net = LogGP(latency=6e-6, overhead=0.45e-6, byte_time=1e-10)
    one = COLLECTIVES[collective][algorithm]
    tuning = {"arity": {"arity": 4}, "pieces": {}, "": {}}[one.tuned]
    closed = cost(algorithm, collective, processes, 0 if collective == "barrier" else size, net, **tuning)
    return called(collective, "full_mesh", size, processes, algorithm, **mesh(processes)), closed


UNTUNED = [(c, a) for c, found in IN_MACHINES.items() for a, one in found.items() if not one.tuned]
TUNED = [(c, a) for c, found in IN_MACHINES.items() for a, one in found.items() if one.tuned]


@pytest.mark.parametrize(("collective", "algorithm"), UNTUNED)
def test_in_a_full_mesh_rounds_are_the_closed_forms(collective, algorithm):
    """All messages are alike there, so that latency and bandwidth of a round are those of any message."""
    exact = COLLECTIVES[collective][algorithm]
    for processes in (2, 4, 16, 6, 13):
        ranks = np.array([processes])
        if not exact.is_defined(ranks)[0]:
            continue
        size = 0.0 if collective == "barrier" else 1000.0
        found, closed = both(collective, algorithm, processes, size)
        # Rounds of a tree that is not full, and of a scan, are an upper bound of what each process takes.
        bound = "binomial" in algorithm or algorithm == "scan_dissemination"
        if bound and processes in (6, 13):
            assert closed.time * (1 - 1e-12) <= found["time"][0] <= 1.5 * closed.time
        else:
            assert found["time"][0] == pytest.approx(float(closed.time), rel=1e-12), processes
        assert found["messages"][0] == closed.messages
        assert found["memory"][0] == closed.memory


@pytest.mark.parametrize(("collective", "algorithm"), TUNED)
def test_trees_and_pipelines_are_the_best_of_their_tunings(collective, algorithm):
    """Pieces 1, 2, 4 … are at most 6 % above the best number, and arities include the closed form's."""
    for processes in (16, 13):
        found, closed = both(collective, algorithm, processes, 0.0 if collective == "barrier" else 1e5)
        assert found["time"][0] <= float(closed.time) * 1.07
        if COLLECTIVES[collective][algorithm].tuned == "pieces":
            assert found["time"][0] >= float(closed.time) * (1 - 1e-9)


@pytest.mark.parametrize("algorithm", ROUNDS)
def test_bytes_of_rounds_add_up_to_those_of_the_closed_form(algorithm):
    collective = next((c for c, found in COLLECTIVES.items() if algorithm in found), "")
    for processes in (2, 3, 5, 6, 7, 8, 12, 16, 31):
        if not COLLECTIVES[collective][algorithm].is_defined(np.array([processes]))[0]:
            continue
        size = 0.0 if collective == "barrier" else 8.0
        closed = cost(algorithm, collective, processes, size)
        assert schedule(algorithm, processes).moved.sum() * size == pytest.approx(float(closed.bytes), rel=1e-12)


def test_energy_of_a_round_is_that_of_the_links_of_its_messages():
    """A butterfly on 8 switches of 4 nodes: distances 1 and 2 stay below a switch, 4 to 16 cross one link more."""
    shape = {"mesh_switches": 8, "nodes_per_switch": 4}
    found = called("allreduce", "full_mesh", 1000.0, 32, "butterfly", message_energy=3e-9, **shape)
    near, far = 2 * 2e-10, 2 * 2e-10 + 5e-10
    assert found["energy"][0] == pytest.approx(160 * 3e-9 + 32 * 1000 * (2 * near + 3 * far), rel=1e-12)


@pytest.mark.parametrize(
    "algorithm", ["dissemination", "ring_allgather", "bruck_alltoall", "direct", "flat", "binomial"]
)
def test_machines_of_any_size_are_networks_of_any_size(algorithm):
    """Of 42 nodes on a torus: shifts, and what stands in for exchanges, are those of the network looked at alone."""
    collective = next(c for c, found in IN_MACHINES.items() if algorithm in found)
    size = 0.0 if collective == "barrier" else 5000.0
    found = called(collective, "torus", size, 42, algorithm, nodes_per_switch=2, dimension_1=7, dimension_2=3)
    parameters = {"d": (7, 3), "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}
    alone = collective_on_topology(algorithm, 42, size, topology="torus", parameters=parameters, switch_latency=1e-7)
    exact = algorithm != "binomial"
    assert found["time"][0] == pytest.approx(float(alone.time), rel=1e-9 if exact else 0.1)
    assert bool(found["approximate"][0]) is not exact


def test_what_is_approximate_or_sampled_is_marked():
    fly = {"nodes_per_switch": 2, "group_switches": 4, "global_ports": 3, "groups": 4}
    assert called("allreduce", "dragonfly", 8.0, 32, "butterfly", **fly)["approximate"][0] == 1.0
    assert called("allgather", "dragonfly", 8.0, 32, "ring_allgather", **fly)["approximate"][0] == 0.0
    tree = {"tree_children_1": 8, "tree_children_2": 3, "tree_uplinks_1": 2}
    assert called("allreduce", "fat_tree_2_level", 8.0, 24, "butterfly", **tree)["approximate"][0] == 1.0
    assert called("alltoall", "fat_tree_2_level", 8.0, 24, "pairwise", **tree)["approximate"][0] == 0.0
    large = {"mesh_switches": 100, "nodes_per_switch": 50}
    assert called("alltoall", "full_mesh", 8.0, 5000, "direct", **large)["sampled"][0] == 1.0
    assert called("alltoall", "full_mesh", 8.0, 5000, "bruck_alltoall", **large)["sampled"][0] == 0.0


@pytest.mark.parametrize(("collective", "metric"), sampled_product([*IN_MACHINES], METRICS, each=1))
def test_the_best_is_no_worse_than_any(collective, metric):
    for topology, shape in MACHINES.values():
        for size in (0.0,) if collective == "barrier" else (8.0, 1e4, 1e7):
            best = called(collective, topology, size, 32, metric=metric, message_energy=1e-9, **shape)
            names = [name for name, one in IN_MACHINES[collective].items() if one.is_defined(np.array([32]))[0]]
            every = {
                name: called(collective, topology, size, 32, name, metric=metric, message_energy=1e-9, **shape)
                for name in names
            }
            least = min(float(one[metric][0]) for one in every.values())
            assert best[metric][0] == least
            first = next(name for name, one in every.items() if one[metric][0] == least)
            assert ALGORITHMS[int(best["choice"][0])] == first


INFINIBAND = {"node_latency": 9.4e-6, "node_link_latency": 0.0, "switch_link_latency": 6e-6}
INFINIBAND |= dict.fromkeys(("node_link_bandwidth", "switch_link_bandwidth"), 1 / 0.73e-9)

CROSSOVERS = [
    *(("alltoall", "bruck_alltoall", "direct", p, s) for p, s in ((16, 1579.4), (64, 2276.7), (256, 1934.6))),
    *(("allreduce", "butterfly", "rabenseifner", p, s) for p, s in ((16, 39710), (64, 31399), (1024, 26363))),
]


@pytest.mark.parametrize(("collective", "small", "large", "processes", "crossover"), CROSSOVERS)
def test_neighbours_take_the_same_at_their_crossover(collective, small, large, processes, crossover):
    """On the network of Hoefler and Moor, whose printed crossovers these are."""
    network = mesh(processes, **INFINIBAND)
    m, overhead, latency, byte = int(np.log2(processes)), 4.7e-6, 6e-6, 0.73e-9
    if collective == "alltoall":
        exact = (latency + overhead * processes - (2 * overhead + latency) * m) / (
            byte * (processes * m / 2 - (processes - 1))
        )
    else:
        exact = m * (2 * overhead + latency) / (byte * (m - 2 * (processes - 1) / processes))
    assert exact == pytest.approx(crossover, rel=1e-4)
    one, other = (called(collective, "full_mesh", exact, processes, name, **network) for name in (small, large))
    assert one["time"][0] == pytest.approx(float(other["time"][0]), rel=1e-12)
    sizes = np.array([0.9, 1.1]) * exact
    before, after = (
        called(collective, "full_mesh", sizes, processes, name, **network)["time"] for name in (small, large)
    )
    assert before[0] < after[0]
    assert before[1] > after[1]
    if collective == "alltoall":
        best = called(collective, "full_mesh", sizes, processes, **network)["choice"]
        assert best.tolist() == [number_of(small), number_of(large)]


positive = st.floats(0.1, 10.0)
ANY_OF = st.sampled_from([(c, a) for c, found in IN_MACHINES.items() for a in ("best", *found)])


@settings(max_examples=25)
@given(ANY_OF, st.sampled_from(sorted(MACHINES)), st.floats(1.0, 1e7), positive, positive, positive, positive)
def test_times_rise_with_size_and_latency_and_fall_with_bandwidth(asked, machine, size, ends, switch, node, link):
    (collective, algorithm), (topology, shape) = asked, MACHINES[machine]
    size = 0.0 if collective == "barrier" else size
    first = {
        "node_latency": 0.9e-6 * ends,
        "switch_latency": 1e-7 * switch,
        "node_link_bandwidth": 1e10 * node,
        "switch_link_bandwidth": 5e9 * link,
    }
    time = called(collective, topology, size, 32, algorithm, **{**shape, **first})["time"][0]
    assert time > 0.0
    for name, value in first.items():
        more = called(collective, topology, size, 32, algorithm, **{**shape, **first, name: 1.5 * value})["time"][0]
        assert more <= time * (1 + 1e-12) if name.endswith("bandwidth") else more >= time * (1 - 1e-12), name
    assert called(collective, topology, 2.0 * size, 32, algorithm, **{**shape, **first})["time"][0] >= time


def test_two_processes_of_a_node_by_hand():
    """A butterfly of 16 processes on 8 nodes: one round of copies, three over links that a node's processes share."""
    shape = {"mesh_switches": 4, "nodes_per_switch": 2, "processes_per_node": 2}
    inside = {"inside_latency": 0.4e-6, "inside_byte_time": 2e-11}
    size = 1e5
    found = called("allreduce", "full_mesh", size, 16, "butterfly", **shape, **inside)
    copies = 0.4e-6 + size * 2e-11
    below = 0.9e-6 + 2 * 5e-9 + 1e-7 + size * 2 / 1e10  # both processes of a node send at once
    across = 0.9e-6 + 2 * 5e-9 + 30e-9 + 2e-7 + size * 4 / 1e10  # four processes of a switch, on one link
    assert found["time"][0] == pytest.approx(copies + below + 2 * across, rel=1e-12)
    energy = 16 * size * (2 * 2e-10 + 2 * (2 * 2e-10 + 5e-10))
    assert found["energy"][0] == pytest.approx(energy, rel=1e-12)
    ring = called("allgather", "full_mesh", size, 16, "ring_allgather", **shape, **inside)
    # Half of a shift by one leaves its node, and the slower kind decides: one message of a node, on links of its own.
    latency = 0.9e-6 + 2 * 5e-9 + 0.5 * 30e-9 + 1.5e-7
    assert ring["time"][0] == pytest.approx(15 * (latency + size / 1e10), rel=1e-2)
    assert ring["energy"][0] == pytest.approx(16 * 15 * size * 0.5 * (2 * 2e-10 + 0.5 * 5e-10), rel=1e-12)


def test_planes_share_bytes_and_no_latencies():
    for algorithm in ("butterfly", "ring_allreduce", "kary_twice"):
        one, four = (
            [called("allreduce", "torus", size, 32, algorithm, network_planes=n, **GRID) for size in (0.0, 1e6)]
            for n in (1, 4)
        )
        assert four[0]["time"] == one[0]["time"]
        if algorithm != "kary_twice":
            slopes = [(large["time"] - small["time"])[0] for small, large in (one, four)]
            assert slopes[0] == pytest.approx(4 * slopes[1], rel=1e-9)
        assert four[1]["energy"] == one[1]["energy"]


def test_detours_help_where_a_round_is_the_worst_case_of_shortest_paths():
    shape = {"nodes_per_switch": 16, "dimension_1": 4, "dimension_2": 4}
    shortest, adaptive = (
        called("allreduce", "hyperx", 1e6, 256, "butterfly", collective_detours=n, **shape)["time"][0] for n in (0, 1)
    )
    # Four rounds below a switch at b0; four over one link of 16 nodes, or by half of uniform traffic, b d/(2 p).
    assert shortest == pytest.approx(1e6 * (4 / 1e10 + 4 * 16 / 1e10), rel=2e-3)
    assert adaptive == pytest.approx(1e6 * (4 / 1e10 + 4 * 8 / 1e10), rel=4e-3)


def test_a_multicast_takes_the_time_of_a_message():
    shape = mesh(16)
    found = called("bcast", "full_mesh", 1e4, 16, "multicast", multicast_recovery=0.25, **shape)
    assert found["time"][0] == pytest.approx(1.25 * (6e-6 + 0.9e-6 + 1e4 * 1e-10), rel=1e-12)
    # The message to the first, and the link of every other one.
    assert found["energy"][0] == pytest.approx(1e4 * (2 * 2e-10 + 5e-10 + 14 * 2e-10), rel=1e-12)
    assert ALGORITHMS[int(called("bcast", "full_mesh", 1e4, 16, **shape)["choice"][0])] != "multicast"


FLAT = {"collective_flat": 1, "flat_latency": 3e-6, "flat_near_bandwidth": 2e10, "flat_far_bandwidth": 5e9}


def test_networks_without_a_shape_by_hand():
    """L + 2 o = 3 us; next neighbours and trees at the bandwidth of the cards, others at that of all to all."""
    found = called("allreduce", "real_machine", 1e6, 8, "butterfly", **FLAT)
    assert found["time"][0] == pytest.approx(3 * 3e-6 + 1e6 * (1 / 2e10 + 2 / 5e9), rel=1e-12)
    ring = called("allgather", "real_machine", 1e6, 9, "ring_allgather", **FLAT)
    assert ring["time"][0] == pytest.approx(8 * (3e-6 + 1e6 / 2e10), rel=1e-12)
    on_torus = called("allgather", "torus", 1e6, 32, "ring_allgather", **GRID, **FLAT)
    assert on_torus["time"][0] == pytest.approx(31 * (3e-6 + 1e6 / 2e10), rel=1e-12)
    with pytest.raises(InputError, match="'flat'"):
        called("allreduce", "real_machine", 8, 8, "butterfly")


def test_an_algorithm_that_is_not_defined_is_refused_by_name():
    shape = {"nodes_per_switch": 2, "dimension_1": 3, "dimension_2": 4}
    with pytest.raises(InputError) as caught:
        called("allreduce", "torus", 8, 24, "rabenseifner", **shape)
    for word in ("24 processes", "collective_algorithm_allreduce", "rabenseifner", "powers of two", "best"):
        assert word in str(caught.value)
    best = called("reduce_scatter", "torus", 8, 24, **shape)
    assert ALGORITHMS[int(best["choice"][0])] != "reduce_scatter_halving"


def test_nothing_is_called_and_nothing_costs():
    found = called("alltoall", "torus", 8, 32, alltoall_calls=0.0, **GRID)
    assert all(not found[name].any() for name in ("time", "energy", "messages", "memory", "approximate", "sampled"))
    assert found["choice"][0] == -1.0
    assert not called("bcast", "full_mesh", 8, 1, **mesh(1))["time"].any()


def test_designs_of_a_list_are_designs_alone():
    """Several shapes, sizes, algorithms and numbers of processes in one call, to the bit."""
    sides = np.array([2.0, 3.0, 4.0, 4.0, 8.0])
    sizes = np.array([8.0, 1e3, 1e5, 1e7, 64.0])
    asked = np.array([-1.0, number_of("butterfly"), -1.0, number_of("ring_allreduce"), -1.0])
    shape = {"nodes_per_switch": 2.0, "dimension_1": sides, "dimension_2": 4.0}
    together = called("allreduce", "torus", sizes, 8 * sides, allreduce_algorithm=asked, **shape)
    for place in range(sides.size):
        here = {**shape, "dimension_1": sides[place], "allreduce_algorithm": asked[place]}
        alone = called("allreduce", "torus", sizes[place], 8 * sides[place], **here)
        assert {name: one[place] for name, one in together.items()} == {name: one[0] for name, one in alone.items()}
