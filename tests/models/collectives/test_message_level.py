"""Closed forms against the message-level simulation, at random parameters of the network."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dse.models.collectives.algorithms import personalised, pipelines, trees, unrooted
from dse.models.collectives.algorithms.fibonacci import fibonacci
from dse.models.collectives.algorithms.loggp import LogGP

from . import schedules
from .message_level import Net, simulate

EXACT = 1e-9
POWERS = st.integers(1, 5).map(lambda m: 2**m)
FULL = st.integers(1, 5).map(lambda h: 2 ** (h + 1) - 1)
ANY = st.integers(2, 70)
FEW = st.integers(2, 40)
SIZES = st.sampled_from([0, 1, 8, 100, 4096, 65536, 1000000])
PIECES = st.integers(1, 12)


@st.composite
def networks(draw):
    overhead = draw(st.sampled_from([0.5e-6, 2e-6, 4.7e-6, 9e-6]))
    latency = draw(st.sampled_from([0.2e-6, 1e-6, 6e-6, 40e-6]))
    receive = draw(st.sampled_from([0.0, 0.3, 1.0])) * overhead
    gap = draw(st.sampled_from([0.0, overhead / 2, overhead + 0.6 * (latency + receive)]))
    return Net(latency, overhead, receive, gap, draw(st.sampled_from([0.01e-9, 0.73e-9, 5e-9])))


def model(net):
    return LogGP(net.L, net.o, net.o_r, net.g, net.G)


def closed(form, P, s, net, *rest):
    given = [np.array([float(value)]) if name == "s" else np.array([value]) for name, value in (("P", P), ("s", s))]
    return type(
        "Found",
        (),
        dict(
            zip(
                ("time", "messages", "bytes", "sends"),
                (float(np.ravel(part)[0]) for part in form(*given, model(net), *(np.array([one]) for one in rest))),
                strict=True,
            )
        ),
    )


def same(form, programs, P, s, net, *rest, sends=True):
    found, run = closed(form, P, s, net, *rest), simulate(programs, net)
    assert found.time == pytest.approx(run.time, rel=EXACT)
    assert found.messages == run.messages
    assert found.bytes == pytest.approx(run.size, rel=EXACT)
    if sends:
        assert found.sends == run.most_sends


@given(ANY, SIZES, networks())
def test_flat(P, s, net):
    star = {0: list(range(1, P)), **{n: [] for n in range(1, P)}}
    same(trees.flat, schedules.tree(star, s), P, s, net)


@given(st.integers(2, 200), st.integers(2, 9), SIZES, networks())
@example(6, 5, 8, Net())
@example(5, 3, 8, Net())
def test_kary_of_any_number_of_processes(P, k, s, net):
    same(trees.kary, schedules.tree(schedules.heap_children(P, k), s), P, s, net, k)


@given(st.integers(2, 130), SIZES, networks())
def test_binomial_of_any_number_of_processes(P, s, net):
    same(trees.binomial, schedules.tree(schedules.binomial_children(P), s), P, s, net)


@given(FULL, SIZES, networks())
def test_split_binary(P, s, net):
    same(trees.split_binary, schedules.split_binary(P, s), P, s, net)


@given(st.integers(2, 130), SIZES, networks())
def test_fibonacci_is_the_greedy_tree(P, s, net):
    programs = schedules.fibonacci(P, s, net)
    run = simulate(programs, net)
    found = closed(fibonacci, P, s, net)
    assert found.time == pytest.approx(run.time, rel=EXACT)
    assert (found.messages, found.bytes) == (run.messages, run.size)
    assert found.sends >= len(programs[0])  # the root may go on as long as it does no harm


@given(ANY, SIZES, PIECES, networks())
def test_chain(P, s, N, net):
    same(pipelines.chain, schedules.chain(P, s, N), P, s, net, N)


@given(FULL, SIZES, PIECES, networks())
def test_pipelined_binary_tree(P, s, N, net):
    same(pipelines.pbt, schedules.tree(schedules.heap_children(P, 2), s, N), P, s, net, N)


@given(st.integers(3, 70), SIZES, PIECES)
def test_pipelined_binary_tree_of_other_processes_is_a_bound(P, s, N):
    run = simulate(schedules.tree(schedules.heap_children(P, 2), s, N), Net())
    found = closed(pipelines.pbt, P, s, Net(), N)
    assert 0.5 * found.time <= run.time <= found.time * (1 + EXACT)


@given(st.integers(2, 5).map(lambda q: 2**q), SIZES, PIECES, networks(), st.booleans())
def test_double_trees_bound_from_below(P, s, N, net, whole):
    form = pipelines.double_tree if whole else pipelines.double_tree_pipe
    run = simulate(schedules.double_tree(P, s, N, whole_halves=whole), net)
    found = closed(form, P, s, net, N)
    height = (P - 1).bit_length() - 1
    # Each level may hold a message up by a receive; with a gap beyond the overhead, by no more than that.
    assert found.time * (1 - EXACT) <= run.time <= (found.time + max(net.o, net.g) * height) * (1 + EXACT)
    assert found.messages == run.messages
    assert found.bytes == pytest.approx(run.size, rel=EXACT)


@given(st.integers(2, 200), st.integers(2, 9), SIZES, networks())
@example(4, 2, 8, Net())
@example(6, 5, 8, Net())
@settings(max_examples=examples(200))
def test_personalised_kary_of_any_number_of_processes(P, k, s, net):
    programs = schedules.tree_personalised(schedules.heap_children(P, k), s)
    same(personalised.kary_pers, programs, P, s, net, k)


@given(st.integers(2, 130), SIZES, networks())
def test_personalised_binomial_of_any_number_of_processes(P, s, net):
    programs = schedules.tree_personalised(schedules.binomial_children(P), s)
    same(personalised.binomial_pers, programs, P, s, net)


@given(FULL, SIZES, PIECES, networks())
def test_personalised_pipelined_binary_tree(P, s, N, net):
    programs = schedules.tree_personalised(schedules.heap_children(P, 2), s, N)
    same(pipelines.pbt_pers, programs, P, s, net, N)


@given(FEW, SIZES, networks())
@settings(max_examples=examples(40))
def test_patterns_of_any_number_of_processes(P, s, net):
    same(unrooted.direct, schedules.direct(P, s), P, s, net)
    same(unrooted.dissemination, schedules.dissemination(P, s), P, s, net)
    same(unrooted.bruck_allgather, schedules.bruck_allgather(P, s), P, s, net)
    same(unrooted.bruck_alltoall, schedules.bruck_alltoall(P, s), P, s, net)
    same(unrooted.ring_allgather, schedules.ring(P, s, P - 1), P, s, net)
    same(unrooted.ring_allreduce, schedules.ring(P, s / P, 2 * (P - 1)), P, s, net)
    same(unrooted.pairwise, schedules.pairwise(P, s), P, s, net)
    same(unrooted.scan_direct, schedules.scan_direct(P, s), P, s, net)


@given(POWERS, SIZES, networks())
def test_patterns_of_powers_of_two(P, s, net):
    same(unrooted.butterfly, schedules.butterfly(P, s), P, s, net)
    same(unrooted.butterfly_pers, schedules.butterfly_pers(P, s), P, s, net)
    same(unrooted.rabenseifner, schedules.rabenseifner(P, s), P, s, net)
    same(unrooted.reduce_scatter_halving, schedules.reduce_scatter_halving(P, s), P, s, net)
    same(unrooted.scan_dissemination, schedules.scan_dissemination(P, s), P, s, net)
    same(unrooted.vdg_rd, schedules.van_de_geijn(P, s, "rd"), P, s, net)
    same(unrooted.vdg_ring, schedules.van_de_geijn(P, s, "ring"), P, s, net)


@given(FEW, SIZES, networks())
def test_a_scan_by_dissemination_of_other_processes_is_a_bound(P, s, net):
    run = simulate(schedules.scan_dissemination(P, s), net)
    found = closed(unrooted.scan_dissemination, P, s, net)
    assert 0.5 * found.time <= run.time <= found.time * (1 + EXACT)
    assert (found.messages, found.sends) == (run.messages, run.most_sends)


@given(FEW, SIZES, networks())
def test_direct_with_one_engine(P, s, net):
    run = simulate(schedules.direct(P, s), net, sends_first=True)
    assert closed(unrooted.direct_single_engine, P, s, net).time == pytest.approx(run.time, rel=EXACT)


@given(st.integers(2, 70), SIZES, networks())
def test_folding_surplus_ranks(P, s, net):
    """Ranks without a surplus one begin at once, so not all is waited for; and two receives may meet in each round."""
    run = simulate(schedules.butterfly(P, s), net)
    found = closed(unrooted.butterfly, P, s, net)
    assert 0.5 * found.time <= run.time <= (found.time + (P.bit_length() - 1) * net.o_r) * (1 + EXACT)
    assert (found.messages, found.sends) == (run.messages, run.most_sends)
    assert found.bytes == pytest.approx(run.size, rel=EXACT)
