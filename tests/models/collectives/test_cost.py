"""Costs of collective operations: limits, bounds, symmetries, compositions, and what is refused."""

import numpy as np
import pytest
from example_counts import ALL_EXAMPLES, examples, sampled, sampled_product
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.collectives import (
    COLLECTIVES,
    INFINIBAND,
    RDMA,
    LogGP,
    best,
    cost,
    crossover_processes,
    crossover_sizes,
    winner_map,
)

from . import schedules
from .message_level import Net, simulate

EVERY = [(c, name) for c, found in COLLECTIVES.items() for name in found]
EACH = 15 if ALL_EXAMPLES else 6  # random examples of each algorithm
ROOTED_WHOLE = [name for name in COLLECTIVES["bcast"] if name not in ("vdg_rd", "vdg_ring")]
PROCESSES = st.integers(1, 2**40)
SIZES = st.floats(0, 1e9)


def size_of(collective, size):
    return 0 if collective == "barrier" else size


def given_arity(collective, name, k):
    return {"arity": k} if COLLECTIVES[collective][name].tuned == "arity" else {}


@pytest.mark.parametrize(("collective", "name"), EVERY)
def test_a_single_process_takes_nothing(collective, name):
    found = cost(name, collective, 1, size_of(collective, 8))
    for part in (found.time, found.messages, found.bytes, found.energy, found.memory):
        assert part == 0


@pytest.mark.parametrize(("collective", "name"), EVERY)
def test_arrays_broadcast_and_each_case_stands_alone(collective, name):
    """Processes along one axis, sizes and a network along others: each entry is the bits of a call of its own."""
    ranks = np.array([1, 2, 3, 4, 7, 8, 12, 16, 31, 64, 1000, 2**20])[:, None, None]
    sizes = np.array([size_of(collective, s) for s in (0, 8, 1e6)])[:, None]
    latency = np.array([1e-6, 6e-6])
    many = cost(name, collective, ranks, sizes, LogGP(latency=latency), undefined="nan")
    assert many.time.shape == many.memory.shape == many.algorithm.shape == (12, 3, 2)
    for place in sampled(np.ndindex(12, 3, 2), 24):
        one = cost(
            name,
            collective,
            int(ranks[place[0], 0, 0]),
            sizes[place[1], 0],
            LogGP(latency=latency[place[2]]),
            undefined="nan",
        )
        for part in ("time", "messages", "bytes", "dynamic_energy", "static_energy", "memory", "pieces"):
            np.testing.assert_array_equal(getattr(one, part), getattr(many, part)[place])
            assert getattr(one, part).shape == ()


@pytest.mark.parametrize(("collective", "name"), EVERY)
@given(processes=PROCESSES, size=SIZES)
@settings(max_examples=EACH)
def test_any_number_of_processes_has_finite_positive_costs(collective, name, processes, size):
    """Where it is defined; with no more messages than there are without doubt, and no bytes without a message."""
    found = cost(name, collective, processes, size_of(collective, size), undefined="nan")
    if not COLLECTIVES[collective][name].is_defined(np.array([processes]))[0]:
        assert np.isnan(found.time)
        assert np.isnan(found.memory)
        return
    for part in (found.time, found.messages, found.bytes, found.energy, found.memory):
        assert np.isfinite(part)
        assert part >= 0
    if processes > 1:
        assert found.messages >= processes - 1
        assert found.time >= INFINIBAND.message_time
        assert found.memory >= INFINIBAND.descriptor_size


@given(st.integers(2, 2**40), SIZES, st.integers(2, 64))
@settings(max_examples=examples(40))
def test_no_tree_beats_fibonacci(processes, size, arity):
    least = cost("fibonacci", "bcast", processes, size).time
    for name in ("flat", "kary", "binomial"):
        assert cost(name, "bcast", processes, size, **given_arity("bcast", name, arity)).time >= least * (1 - 1e-12)


@pytest.mark.parametrize("name", COLLECTIVES["bcast"])
@given(processes=st.integers(1, 14).map(lambda m: 2**m), size=SIZES)
@settings(max_examples=examples(20))
def test_bounds_of_a_broadcast(name, processes, size):
    """Nobody is faster than one message's latency and its bytes, or sends fewer bytes than all need."""
    found = cost(name, "bcast", processes, size, undefined="nan")
    if np.isnan(found.time):
        return
    assert found.time >= (INFINIBAND.message_time + size * INFINIBAND.byte_time) * (1 - 1e-9)
    least = (processes - 1) * (INFINIBAND.message_energy + size * INFINIBAND.byte_energy)
    assert found.dynamic_energy >= least * (1 - 1e-9)


@pytest.mark.parametrize(("collective", "name"), EVERY)
@given(
    processes=st.sampled_from([2, 4, 7, 8, 15, 16, 64, 100, 1023, 4096]),
    size=st.floats(1, 1e6),
    factor=st.floats(1.01, 10),
)
@settings(max_examples=EACH)
def test_time_rises_with_size_overhead_and_latency(collective, name, processes, size, factor):
    size = size_of(collective, size)
    net = LogGP(receiver_overhead=1e-6)
    here = cost(name, collective, processes, size, net, undefined="nan").time
    if np.isnan(here):
        return
    for other in (net.with_(latency=6e-6 * factor), net.with_(overhead=4.7e-6 * factor), net.with_(byte_time=1e-9)):
        assert cost(name, collective, processes, size, other, undefined="nan").time >= here * (1 - 1e-12)
    assert cost(name, collective, processes, size * factor, net, undefined="nan").time >= here * (1 - 1e-12)


@given(st.integers(2, 3000), SIZES)
def test_a_tree_as_wide_as_all_is_flat(processes, size):
    for collective, tree, star in (("bcast", "kary", "flat"), ("scatter", "kary_pers", "flat_pers")):
        one, other = (
            cost(tree, collective, processes, size, arity=max(processes - 1, 2)),
            cost(star, collective, processes, size),
        )
        for part in ("time", "messages", "bytes", "memory"):
            assert float(getattr(one, part)) == pytest.approx(float(getattr(other, part)), rel=1e-12)


@given(SIZES)
def test_two_processes_exchange_one_message(size):
    message = float(INFINIBAND.message_time + size * INFINIBAND.byte_time)
    one_message = {
        "bcast": ("flat", "kary", "binomial", "fibonacci", "chain"),
        "scatter": ("flat_pers", "kary_pers", "binomial_pers"),
        "allgather": ("direct", "bruck_allgather", "ring_allgather"),
        "alltoall": ("pairwise", "bruck_alltoall"),
        "allreduce": ("butterfly",),
    }
    for collective, names in one_message.items():
        for name in names:
            pieces = {"pieces": 1} if COLLECTIVES[collective][name].tuned == "pieces" else {}
            assert float(cost(name, collective, 2, size, **pieces).time) == pytest.approx(message, rel=1e-9), name


def test_a_reduction_is_a_broadcast_run_backwards():
    """The bytes take time at the side of the root."""
    for processes in (2, 3, 5, 8, 13, 16, 40, 64):
        for size in (0, 8, 65536):
            for children, name, options in (
                (schedules.heap_children(processes, 3), "kary", {"arity": 3}),
                (schedules.binomial_children(processes), "binomial", {}),
            ):
                programs = schedules.reversed_tree(children, dict.fromkeys(children, size))
                run = simulate(programs, Net(), bytes_at_receiver=True)
                time = float(cost(name, "reduce", processes, size, **options).time)
                assert run.time <= time * (1 + 1e-9)
                if name == "kary" or processes & (processes - 1) == 0:
                    assert run.time == pytest.approx(time, rel=1e-9)
                else:
                    assert run.time >= 0.75 * time


def test_a_gather_is_a_scatter_run_backwards():
    for processes in (2, 3, 5, 8, 13, 16, 40, 64):
        for size in (0, 8, 65536):
            for children, name, options in (
                (schedules.heap_children(processes, 3), "kary_pers", {"arity": 3}),
                (schedules.binomial_children(processes), "binomial_pers", {}),
            ):
                sizes = {node: count * size for node, count in schedules.below(children).items()}
                run = simulate(schedules.reversed_tree(children, sizes), Net(), bytes_at_receiver=True)
                found = cost(name, "gather", processes, size, **options)
                assert run.size == pytest.approx(float(found.bytes), rel=1e-12)
                assert 0.75 * float(found.time) <= run.time <= float(found.time) * (1 + 1e-9)
                if processes & (processes - 1) == 0 and name == "binomial_pers":
                    assert run.time == pytest.approx(float(found.time), rel=1e-9)


def test_pieces_that_cost_nothing_are_bytes():
    """Without an overhead a pipeline cuts the message into bytes, where that is any use."""
    free = LogGP(overhead=0.0)
    assert cost("chain", "bcast", 10, 1000, free).pieces == 1000
    assert cost("chain", "bcast", 10, 0, free).pieces == 1
    assert cost("chain", "bcast", 2, 1000, free).pieces == 1


@pytest.mark.parametrize("name", ["chain", "pbt", "double_tree", "double_tree_pipe", "pbt_twice"])
@pytest.mark.parametrize("reduction_time", [0.0, 5e-9])
def test_the_fastest_pieces_are_found_where_operands_are_combined_too(name, reduction_time):
    collective = "allreduce" if name == "pbt_twice" else "reduce"
    net = INFINIBAND.with_(reduction_time=reduction_time)
    found = cost(name, collective, 32, 50000, net)
    times = cost(name, collective, 32, 50000, net, pieces=np.arange(1, 400)).time
    assert found.time == times.min()
    assert found.pieces == np.argmin(times) + 1


def test_combining_operands_takes_time():
    net = INFINIBAND.with_(reduction_time=1e-9)
    extra = {
        ("allreduce", "butterfly", 8): 3.0,
        ("allreduce", "rabenseifner", 8): 7 / 8,
        ("allreduce", "kary_twice", 15): 6.0,
        ("allreduce", "binomial_twice", 8): 3.0,
        ("reduce", "flat", 8): 7.0,
        ("bcast", "flat", 8): 0.0,
        ("scan", "scan_direct", 8): 7.0,
        ("scan", "scan_dissemination", 8): 3.0,
        ("reduce_scatter", "reduce_scatter_halving", 8): 7.0,
    }
    for (collective, name, processes), times in extra.items():
        slower, plain = (cost(name, collective, processes, 1000.0, n).time for n in (net, INFINIBAND))
        assert float(slower - plain) == pytest.approx(times * 1e-6, abs=1e-15), name


def test_descriptors_by_both_rules():
    for name, processes, hm, sends in (
        ("kary_twice", 1024, 4, 3),
        ("binomial_twice", 1024, 20, 10),
        ("butterfly", 1024, 10, 10),
    ):
        for rule, count in (("hm", hm), ("sends", sends)):
            assert cost(name, "allreduce", processes, 8, descriptor_rule=rule).memory == 32 * count
    for rule, count in (("hm", 20), ("sends", 15)):
        assert cost("pbt_twice", "allreduce", 1023, 8, pieces=5, descriptor_rule=rule).memory == 32 * count


@pytest.mark.parametrize(
    ("collective", "metric"),
    sampled_product([*COLLECTIVES], ["time", "energy", "dynamic_energy", "memory"], each=2),
)
def test_best_is_the_least_of_all(collective, metric):
    """Of every algorithm, every arity and every number of pieces."""
    for processes in (1, 2, 3, 7, 8, 20):
        for size in (0,) if collective == "barrier" else (0, 8, 3000):
            values = []
            for name, one in COLLECTIVES[collective].items():
                options = {}
                if one.tuned == "arity":
                    options = {"arity": np.arange(2, max(processes, 3))}
                if one.tuned == "pieces":
                    options = {"pieces": np.arange(1, max(int(size), 1) + 1)}
                value = getattr(cost(name, collective, processes, size, undefined="nan", **options), metric)
                if one.is_defined(np.array([processes]))[0]:
                    values.append(float(np.min(value)))
            found = best(collective, processes, size, metric=metric)
            assert float(getattr(found, metric)) <= min(values) * (1 + 1e-12)
            chosen = COLLECTIVES[collective][str(found.algorithm)]
            again = {name: int(getattr(found, name)) for name in [chosen.tuned] if name}
            same = cost(str(found.algorithm), collective, processes, size, **again)
            assert getattr(same, metric) == getattr(found, metric)


def test_best_within_a_memory():
    free, tight = best("bcast", 1024, 2**20), best("bcast", 1024, 2**20, memory_cap=640)
    assert (str(free.algorithm), str(tight.algorithm)) == ("double_tree_pipe", "double_tree_pipe")
    assert free.pieces > tight.pieces == 10
    assert tight.memory <= 640
    caps = [[32, 640], [64, 1e9]]
    found = best("bcast", 1024, 2**20, memory_cap=caps)
    assert (found.memory <= caps).all()
    assert (found.algorithm[0, 0], found.algorithm[1, 1]) == ("chain", "double_tree_pipe")
    with pytest.raises(InputError, match="no algorithm of allreduce for 1024 processes fits; allowed: a larger memory"):
        best("allreduce", 1024, 8, memory_cap=100)


def test_winners_of_three_objectives_differ():
    """At 1024 processes and 8 bytes with binary trees and the static power of one interface."""
    names = ("butterfly", "binomial_twice", "kary_twice")
    found = [cost(name, "allreduce", 1024, 8, static_scope="single") for name in names]
    for metric, winner in (("time", 0), ("energy", 1), ("memory", 2)):
        assert int(np.argmin([getattr(one, metric) for one in found])) == winner


def test_at_a_crossover_both_cost_the_same():
    (size,) = crossover_sizes("alltoall", "bruck_alltoall", "direct", 64)
    one, other = (cost(name, "alltoall", 64, size).time for name in ("bruck_alltoall", "direct"))
    assert one == pytest.approx(other, rel=1e-12)
    assert crossover_sizes("alltoall", "bruck_alltoall", "direct", 8).size == 0
    assert crossover_processes("scatter", "flat_pers", "binomial_pers", 0) == [(4, "flat_pers"), (16, "binomial_pers")]


def test_a_map_of_winners_is_the_best_of_each_case():
    found = winner_map("allreduce", [2, 16, 1000], [1.0, 1e6])
    assert found.cost.time.shape == (3, 2)
    for i, processes in enumerate([2, 16, 1000]):
        for j, size in enumerate([1.0, 1e6]):
            assert found.cost.algorithm[i, j] == best("allreduce", processes, size).algorithm
    assert set(found.names) == set(found.cost.algorithm.ravel())


def test_nothing_is_charged_at_a_destination_of_a_put():
    message = float(cost("flat", "bcast", 2, 8, RDMA).time)
    assert message == pytest.approx(float(cost("flat", "bcast", 2, 8).time) - 4.7e-6, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cost("flat", "bcst", 4, 8), "there is no collective operation 'bcst'; allowed: barrier, bcast"),
        (lambda: cost("flatt", "bcast", 4, 8), "bcast has no algorithm 'flatt'; allowed: flat, kary"),
        (lambda: cost("flat", "bcast", 0, 8), "processes: 0; allowed: a whole number from 1 to 2^40"),
        (lambda: cost("flat", "bcast", [4, 2.5], 8), "processes: 2.5; allowed: a whole number from 1 to 2^40"),
        (lambda: cost("flat", "bcast", float("nan"), 8), "processes: nan"),
        (lambda: cost("flat", "bcast", "many", 8), "processes: 'many'"),
        (lambda: cost("flat", "bcast", 2**41, 8), "processes: "),
        (lambda: cost("flat", "bcast", 4, -8), "message_size: -8; allowed: a finite number of bytes >= 0, at"),
        (
            lambda: cost("butterfly", "allreduce", 8, 1e308),
            "message_size: 1e+308; allowed: a finite number of bytes >= 0",
        ),
        (lambda: cost("flat", "bcast", 4, np.inf), "message_size: inf"),
        (lambda: cost("flat", "bcast", [4, 5], [1, 2, 3]), "shapes that broadcast"),
        (lambda: cost("kary", "bcast", 4, 8, arity=1), "arity: 1; allowed: a whole number from 2 to 2^40"),
        (lambda: cost("chain", "bcast", 4, 8, pieces=0), "pieces: 0; allowed: a whole number from 1 to 2^40"),
        (lambda: cost("flat", "bcast", 4, 8, arity=3), "arity: 'arity' is given, and flat has none"),
        (lambda: cost("dissemination", "barrier", 4, 8), "message_size: 8; allowed: 0: a barrier carries nothing"),
        (lambda: cost("rabenseifner", "allreduce", 12, 8), "processes: 12; allowed: for rabenseifner, powers of two"),
        (lambda: cost("flat", "bcast", 4, 8, "infinband"), "network: there is no network 'infinband'"),
        (lambda: cost("flat", "bcast", 4, 8, static_scope="all"), "static_scope: 'all'; allowed: per_process, single"),
        (lambda: best("bcast", 4, 8, metric="tme"), "metric: 'tme'; allowed: time, energy, dynamic_energy, memory"),
        (lambda: best("bcast", 4, 8, among=("flatt",)), "among: 'flatt'"),
        (lambda: best("bcast", [4, 5], 8, memory_cap=[1, 2, 3]), "memory_cap has the shape (3,) and the cases (2,)"),
        (lambda: best("bcast", 4, 8, memory_cap=-1), "memory_cap: -1; allowed: a number of bytes >= 0"),
        (lambda: LogGP(latency=-1.0), "network.latency: -1; allowed: a finite number >= 0"),
        (lambda: LogGP(overhead=1e-6, receiver_overhead=2e-6), "network.receiver_overhead: 2e-06; allowed: at most"),
        (lambda: LogGP(gap=1.0), "network.gap: 1; allowed: at most latency"),
        (lambda: INFINIBAND.with_(latncy=1.0), "'latncy' is no parameter"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(InputError) as refused:
        call()
    assert message in str(refused.value)
