"""Collectives on modelled networks against a simulation of their messages, against printed numbers, and refused."""

import doctest
import math

import numpy as np
import pytest
from example_counts import examples, sampled_product
from hypothesis import given, settings
from hypothesis import strategies as st

import dse.models.collectives.algorithms.rounds as schedule
import dse.models.collectives.on_topology as module
from dse.errors import InputError
from dse.models.collectives import ON_TOPOLOGY, ROUNDS, collective_on_topology, flows_of_round, rounds_of
from dse.models.network import effective_bandwidth

from ..network import oracle
from .message_flows import sends_of, simulate

MACHINES = {
    "torus": ("torus", {"d": (4, 4), "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}),
    "hyperx": ("hyperx", {"d": (4, 4), "p": 2, "b0": 1e10, "b": 5e9, "l0": 5e-9, "l": 30e-9}),
    "tree": ("fat-tree-2-level", {"m1": 8, "m2": 4, "w1": 2, "b0": 1e10, "b1": 1e10, "l0": 5e-9, "l1": 30e-9}),
}
MEBI = 2**20
SWITCH = 1e-7

# Microseconds on torus, HyperX and tree: P = 32, node latency 0.9 µs. An independent program computed both.
MODEL = {
    ("butterfly", 8): (5.8372, 5.5836, 5.5788),
    ("butterfly", MEBI): (949.548, 1788.15, 1159.00),
    ("rabenseifner", MEBI): (411.430, 804.126, 686.161),
    ("reduce_scatter_halving", MEBI): (6402.14, 12693.3, 10805.9),
    ("bruck_alltoall", MEBI): (15105.5, 30204.7, 20138.5),
    ("ring_allreduce", MEBI): (270.819, 473.981, 267.797),
    ("direct", MEBI): (6306.23, 11549.0, 10185.9),
    ("binomial", 8): (5.8340, 5.5772, 5.5740),
    ("binomial", MEBI): (530.118, 949.288, 529.858),
}
SIMULATED = MODEL | {
    ("bruck_alltoall", MEBI): (15105.1, 30202.1, 20136.8),
    ("ring_allreduce", MEBI): (270.852, 435.043, 267.862),
    ("direct", MEBI): (7003.67, 12155.4, 10389.3),
}


def time(algorithm, size, topology, parameters, **options):
    ranks = oracle.number_of_nodes(topology, parameters)
    options = {"switch_latency": SWITCH, **options}
    return collective_on_topology(algorithm, ranks, size, topology=topology, parameters=parameters, **options).time


def simulated(algorithm, size, topology, parameters, overhead=0.45e-6, receiving=0.45e-6):
    network = oracle.TOPOLOGIES[topology](parameters, "minimal")
    sends = sends_of(algorithm, len(network.attached), size)
    return simulate(sends, network, overhead, receiving, SWITCH)


# --- printed numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("algorithm", "size"), MODEL)
def test_golden_times(algorithm, size, machine):
    expected = dict(zip(MACHINES, MODEL[algorithm, size], strict=True))[machine]
    assert time(algorithm, size, *MACHINES[machine]) * 1e6 == pytest.approx(expected, rel=6e-6)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("algorithm", "size"), SIMULATED)
def test_the_simulation_gives_the_times_simulated_elsewhere(algorithm, size, machine):
    expected = dict(zip(MACHINES, SIMULATED[algorithm, size], strict=True))[machine]
    assert simulated(algorithm, size, *MACHINES[machine]) * 1e6 == pytest.approx(expected, rel=6e-6)


def test_docstrings():
    assert doctest.testmod(module).failed == doctest.testmod(schedule).failed == 0


# --- random machines against the simulation --------------------------------------------------------------------------

EXACT = ("butterfly", "butterfly_pers", "rabenseifner", "reduce_scatter_halving", "binomial", "binomial_pers")
BANDS = {  # relative, of an independent program on 700 random machines of 6 to 72 nodes
    "dissemination": (-0.13, 0.19),
    "bruck_allgather": (-0.04, 0.19),
    "bruck_alltoall": (-0.14, 0.31),
    "ring_allgather": (-0.01, 0.25),
    "ring_allreduce": (-0.01, 0.28),
    "pairwise": (-0.12, 0.27),
    "direct": (-0.18, 0.19),
    "flat": (-0.05, 0.04),
    "binomial": (0.0, 0.25),
    "binomial_pers": (0.0, 0.25),
}


def some_machine(rng, most, *, powers=False):
    """A machine of 6 nodes and more."""
    sizes = [1, 2, 4, 8] if powers else [1, 2, 3, 4, 5, 6]
    while True:
        topology = str(rng.choice(["full-mesh", "fat-tree-2-level", "fat-tree-3-level", "torus", "hyperx"]))
        some = [int(size) for size in rng.choice(sizes, 3)]
        parameters = {
            "full-mesh": {"a": some[0] * some[1], "p": some[2]},
            "fat-tree-2-level": {"m1": some[0] * some[1], "m2": some[2]},
            "fat-tree-3-level": dict(zip(("m1", "m2", "m3"), some, strict=True)),
        }.get(topology, {"d": some[:2], "p": some[2]})
        if 6 <= oracle.number_of_nodes(topology, parameters) <= most:
            break
    rate, wait = (lambda: float(rng.choice([2, 4, 5, 8, 10])) * 1e9), (lambda: float(rng.integers(1, 60)) * 1e-9)
    if topology.startswith("fat-tree"):
        parameters |= {"w1": int(rng.integers(1, 5)), "w2": int(rng.integers(1, 3))}
        if topology == "fat-tree-2-level":
            del parameters["w2"]
    for place in ("0", "1", "2"):
        parameters |= {f"b{place}": rate(), f"l{place}": wait()}
    if topology in ("torus", "hyperx"):
        parameters |= {"b": [rate(), rate()], "l": [wait(), wait()]}
    known = {"full-mesh": "b0 b1 l0 l1 a p", "fat-tree-2-level": "b0 b1 l0 l1 m1 m2 w1", "torus": "b0 b l0 l d p"}
    known |= {"hyperx": known["torus"], "fat-tree-3-level": "b0 b1 b2 l0 l1 l2 m1 m2 m3 w1 w2"}
    return topology, {name: parameters[name] for name in known[topology].split()}


@pytest.mark.parametrize("algorithm", EXACT)
def test_rounds_of_exchanges_equal_the_simulation(algorithm):
    """2^m nodes: all messages of a round are alike, and rounds stay in step."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        machine, size = some_machine(rng, 32, powers=True), float(rng.choice([0, 8, 4096, 2**16, MEBI]))
        receiving = float(rng.choice([0.0, 0.2e-6, 0.45e-6]))
        found = time(algorithm, size, *machine, receiver_overhead=receiving)
        want = simulated(algorithm, size, *machine, receiving=receiving)
        assert found == pytest.approx(want, rel=1e-6), (machine, size)


@pytest.mark.parametrize("algorithm", BANDS)
def test_other_rounds_are_near_the_simulation(algorithm):
    """Nine of ten machines within the bands, none beyond -31 or +37 %, the mean near nothing."""
    low, high = BANDS[algorithm]
    rng = np.random.default_rng(4)
    errors = []
    for _ in range(40):
        machine, size = some_machine(rng, 40), float(rng.choice([8, 4096, 2**16, MEBI]))
        found, want = time(algorithm, size, *machine), simulated(algorithm, size, *machine)
        errors.append(found / want - 1)
        assert -0.31 <= errors[-1] <= 0.37, (machine, size)
    assert np.mean([low - 0.005 <= error <= high + 0.005 for error in errors]) >= 0.9
    # The closed form of a binomial tree is an upper bound where the tree is not full.
    assert abs(np.mean(errors)) < (0.12 if algorithm.startswith("binomial") else 0.03)


def test_surplus_processes_fold_in_and_out():
    """The first that fold are a little behind, the others ahead: rounds one after the other are an upper bound."""
    for topology, parameters in (
        ("full-mesh", {"a": 6, "p": 1, "b0": 1e10, "b1": 1e10, "l0": 5e-9, "l1": 3e-8}),
        ("full-mesh", {"a": 12, "p": 1, "b0": 1e10, "b1": 4e9, "l0": 5e-9, "l1": 3e-8}),
    ):
        want = simulated("folded_butterfly", 4096.0, topology, parameters)
        found = time("butterfly", 4096.0, topology, parameters, routed=True)
        assert want <= found <= 1.1 * want


# --- rounds as data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "ranks"), sampled_product([*ROUNDS], [2, 4, 16, 3, 6, 13], each=2))
def test_the_rounds_are_the_messages_of_the_schedule(algorithm, ranks):
    """As many messages and bytes as the schedules of the simulation, which are written down on their own."""
    if ranks & (ranks - 1) and algorithm in schedule._POWERS_OF_TWO:
        with pytest.raises(InputError, match="powers of two"):
            rounds_of(algorithm, ranks)
        return
    plain = {"scan_dissemination": "dissemination", "vdg_rd": None, "vdg_ring": None}.get(algorithm, algorithm)
    if plain == "butterfly" and ranks & (ranks - 1):
        plain = "folded_butterfly"
    if plain is None:
        return
    sends = sends_of(plain, ranks, 1.0)
    number, size = 0, 0.0
    for one in rounds_of(algorithm, ranks):
        source, destination = flows_of_round(one, ranks)
        assert len(set(source.tolist())) == len(source)
        assert len(set(destination.tolist())) == len(destination)
        assert {(int(a), int(b)) for a, b in zip(source, destination, strict=True)} <= {
            (send.source, send.to) for send in sends
        }
        number += one.times * len(source)
        size += one.times * one.share * len(source)
    assert number == len(sends)
    if plain != "binomial_pers" or not ranks & (ranks - 1):  # shares are those of the largest message of a round
        assert size == pytest.approx(sum(send.size for send in sends), rel=1e-12)


@pytest.mark.parametrize("ranks", [2, 8, 64])
def test_a_broadcast_by_scatter_and_gather_moves_all_but_a_part_twice(ranks):
    assert sum(one.share * one.times for one in rounds_of("vdg_rd", ranks)) == pytest.approx(2 * (1 - 1 / ranks))
    assert sum(one.share * one.times for one in rounds_of("vdg_ring", ranks)) == pytest.approx(2 * (1 - 1 / ranks))


# --- laws ------------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(25))
@given(st.sampled_from(sorted(ON_TOPOLOGY)), st.sampled_from(sorted(MACHINES)), st.data())
def test_time_rises_with_sizes_and_latencies_and_falls_with_bandwidths(algorithm, machine, data):
    topology, parameters = MACHINES[machine]
    size = data.draw(st.floats(0, 1e7))
    base = time(algorithm, size, topology, parameters)
    name = data.draw(st.sampled_from([name for name in parameters if name[0] in "bl"]))
    more = {**parameters, name: parameters[name] * data.draw(st.floats(1, 8))}
    changed = time(algorithm, size, topology, more)
    slack = 1e-12 * base
    assert changed <= base + slack if name[0] == "b" else changed >= base - slack
    assert time(algorithm, size * 1.5 + 1, topology, parameters) > base
    assert time(algorithm, size, topology, parameters, node_latency=1.5e-6) > base
    assert time(algorithm, size, topology, parameters, switch_latency=2e-7) > base


def test_a_full_mesh_of_equal_links_is_a_plain_network():
    """p = 1, b1 = b0, no time in switches: m (2 o + L + s/b) with L = 2 l0 + l1."""
    par = {"a": 16, "p": 1, "b0": 1e10, "b1": 1e10, "l0": 5e-9, "l1": 30e-9}
    message = 0.9e-6 + 40e-9 + 4096 / 1e10
    for algorithm, count in (("butterfly", 4), ("dissemination", 4), ("binomial", 4), ("ring_allgather", 15)):
        assert time(algorithm, 4096, "full-mesh", par, switch_latency=0) == pytest.approx(count * message, rel=1e-12)
    direct = 40e-9 + 16 * 0.45e-6 + 15 * 4096 / 1e10
    for algorithm in ("direct", "direct_concurrent", "flat", "scan_direct"):
        assert time(algorithm, 4096, "full-mesh", par, switch_latency=0) == pytest.approx(direct, rel=1e-12)
    chain = 3 * (0.45e-6 + 4096 / 3e10) + (40e-9 + 0.45e-6) + 14 * (0.45e-6 + 4096 / 3e10 + 40e-9 + 0.45e-6)
    found = time("chain", 4096, "full-mesh", par, switch_latency=0, pieces=3)
    assert found == pytest.approx(chain, rel=1e-12)


def test_trees_of_sixteen_by_hand():
    """p = 1, b1 = b0, no time in switches; a = o + s/b, b = L + o. Node 15 is a first child all the way up."""
    par = {"a": 16, "p": 1, "b0": 1e10, "b1": 1e10, "l0": 5e-9, "l1": 30e-9}
    a, b = 0.45e-6 + 4096 / 1e10, 40e-9 + 0.45e-6
    half = 0.45e-6 + 4096 / 4e10  # two pieces of each half
    by_hand = {
        ("kary", "arity", 2): max(4 * (a + b), 3 * (b + 2 * a)),
        ("kary", "arity", 15): b + 15 * a,
        ("pbt", "pieces", 1): 2 * a + b + 3 * (2 * a + b),
        ("double_tree", "pieces", 2): (a + 0.45e-6 + b) + 4 * half + b + 2 * (2 * half + b),
        ("double_tree_pipe", "pieces", 2): 4 * half + b + 3 * (2 * half + b),
    }
    for (algorithm, name, value), want in by_hand.items():
        found = time(algorithm, 4096, "full-mesh", par, switch_latency=0, **{name: value})
        assert found == pytest.approx(want, rel=1e-12), algorithm
    # Nobody can know earlier: N(t) is the sum over j hops of C(floor((t - j b)/a), j).
    known = lambda t: sum(math.comb(int((t - j * b) / a + 1e-9), j) for j in range(16) if t >= j * b)  # noqa: E731
    found = time("fibonacci", 4096, "full-mesh", par, switch_latency=0)
    assert known(found) >= 16 > known(found * (1 - 1e-6))
    for algorithm in ("kary", "binomial", "flat"):
        assert time(algorithm, 4096, "full-mesh", par, switch_latency=0) >= found


def test_all_messages_at_once_are_never_slower_than_one_after_the_other():
    for machine in MACHINES.values():
        assert time("direct_concurrent", MEBI, *machine) <= time("direct", MEBI, *machine)


def test_one_message_alone_gets_both_ways_round_half_of_a_ring():
    """Eight switches in a ring: 2 b to the opposite one, b to the others."""
    par = {"d": (8,), "p": 1, "b0": 1e11, "b": 1e9, "l0": 0.0, "l": 0.0}
    flat = time("flat", 1e6, "torus", par, node_latency=0, switch_latency=0)
    assert flat == pytest.approx(6 * 1e6 / 1e9 + 1e6 / 2e9, rel=1e-12)


@pytest.mark.parametrize("routing", ["minimal", "valiant", "best"])
def test_routing_best_is_as_fast_as_the_faster(routing):
    topology, par = "dragonfly", {"a": 4, "p": 2, "h": 2, "b0": 1e10, "bl": 1e10, "bg": 2e9}
    par |= {"l0": 0.0, "ll": 0.0, "lg": 0.0}
    each = [time("dissemination", MEBI, topology, par, routing=way, switch_latency=0) for way in ("minimal", "best")]
    assert each[1] <= each[0]
    assert time("dissemination", MEBI, topology, par, routing=routing, switch_latency=0) >= each[1]


def test_shifts_stand_in_for_exchanges_that_are_not_routed():
    par = {"a": 4, "p": 4, "h": 1, "g": 2, "b0": 1e10, "bl": 1e10, "bg": 2e9, "l0": 5e-9, "ll": 5e-9, "lg": 5e-9}
    asked = {"topology": "dragonfly", "parameters": par | {"h": 1, "g": 5}, "switch_latency": SWITCH}
    nodes = 80
    quick = collective_on_topology("butterfly", nodes, MEBI, **asked)
    exact = collective_on_topology("butterfly", nodes, MEBI, routed=True, **asked)
    assert (quick.approximate, exact.approximate) == (True, False)
    assert quick.time == pytest.approx(exact.time, rel=0.6)
    two = {"topology": "dragonfly", "parameters": par, "switch_latency": SWITCH}
    routed = collective_on_topology("rabenseifner", 32, MEBI, routed=True, **two)
    expected = sum(
        2 * MEBI / 2 ** (bit + 1) / effective_bandwidth("dragonfly", par, "exchange", {"exchange_bit": 4 - bit})
        for bit in range(5)
    )
    without = collective_on_topology("rabenseifner", 32, 0, routed=True, **two)
    assert routed.time - without.time == pytest.approx(expected, rel=1e-9)


def test_many_shifts_are_sampled(monkeypatch):
    machine = MACHINES["torus"]
    exact = time("pairwise", MEBI, *machine)
    monkeypatch.setattr(module, "MOST_SHIFTS", 11)
    for algorithm in ("pairwise", "direct"):
        found = collective_on_topology(algorithm, 32, MEBI, topology=machine[0], parameters=machine[1])
        assert found.sampled
    assert time("pairwise", MEBI, *machine) == pytest.approx(exact, rel=0.2)


def test_a_single_process_takes_no_time():
    par = {"a": 1, "p": 1, "b0": 1e10, "b1": 1e10, "l0": 5e-9, "l1": 30e-9}
    for algorithm in ON_TOPOLOGY:
        assert time(algorithm, [1.0, 2.0], "full-mesh", par).tolist() == [0.0, 0.0]


def test_sizes_may_be_arrays():
    for algorithm in ON_TOPOLOGY:
        sizes = np.array([[8.0, 4096.0], [1e6, 3e6]])
        found = time(algorithm, sizes, *MACHINES["tree"])
        assert found.shape == (2, 2)
        np.testing.assert_allclose(found[1, 0], time(algorithm, 1e6, *MACHINES["tree"]), rtol=1e-14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"algorithm": "buterfly"}, ["buterfly", "butterfly"]),
        ({"processes": 31}, ["31", "32 nodes"]),
        ({"processes": 3.5}, ["processes", "whole number"]),
        ({"message_size": -1}, ["message_size = -1", "finite number >= 0"]),
        ({"node_latency": math.inf}, ["node_latency"]),
        ({"receiver_overhead": 1e-6}, ["receiver_overhead", "half of the node latency"]),
        ({"pieces": 3}, ["'pieces' is given", "butterfly"]),
        ({"algorithm": "kary", "arity": 1}, ["arity: 1", "whole number from 2"]),
        ({"topology": "tours"}, ["tours", "torus"]),
        ({"routing": "fast"}, ["fast", "minimal"]),
        ({"parameters": {"d": (4, 4), "p": 2}}, ["torus", "b0"]),
        ({"parameters": {**MACHINES["torus"][1], "p": [2, 4]}}, ["torus", "one network"]),
    ],
)
def test_refused(change, words):
    asked = {"algorithm": "butterfly", "processes": 32, "message_size": 8, "topology": "torus"}
    asked |= {"parameters": MACHINES["torus"][1], **change}
    positional = [asked.pop(name) for name in ("algorithm", "processes", "message_size")]
    with pytest.raises(InputError) as caught:
        collective_on_topology(*positional, **asked)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_power_of_two_algorithms_refuse_other_numbers():
    par = {"a": 6, "p": 1, "b0": 1e10, "b1": 1e10, "l0": 0.0, "l1": 0.0}
    with pytest.raises(InputError, match="rabenseifner, powers of two"):
        time("rabenseifner", 8, "full-mesh", par)
    with pytest.raises(InputError, match="4 or more"):
        time("double_tree_pipe", 8, "full-mesh", par | {"a": 3})
