"""Descriptors of trees so small that a process has fewer children (rows M1 and M7): counted send by send."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.collectives import collective_on_topology, cost

SIZE = 1024


def heap_sends(processes, pieces):
    """Sends of each process away from the root of a binary tree in heap order, every piece to every child."""
    return [pieces * sum(2 * rank + 1 + side < processes for side in (0, 1)) for rank in range(processes)]


def split_sends(processes):
    """A half of the message to each half of the tree, then one exchange of halves between them."""
    own = [sum(2 * rank + 1 + side < processes for side in (0, 1)) for rank in range(processes)]
    return [own[0], *(count + 1 for count in own[1:])]


@pytest.mark.parametrize(("rule", "processes"), [(rule, count) for rule in ("sends", "hm") for count in (3, 7, 15)])
def test_M1_split_binary_counts_what_is_sent(rule, processes):
    """3 descriptors for 3 processes, where the busiest sends 2: the constant 3 of larger trees."""
    counted = cost("split_binary", "bcast", processes, SIZE, descriptor_rule=rule).memory / 32
    if rule == "sends" or processes == 3:
        assert counted == max(split_sends(processes))


@pytest.mark.parametrize("pieces", [1, 5])
@pytest.mark.parametrize("processes", range(2, 16))
def test_M7_a_pipelined_binary_tree_counts_what_is_sent(processes, pieces):
    counted = cost("pbt", "bcast", processes, SIZE, pieces=pieces, descriptor_rule="sends").memory / 32
    assert counted == max(heap_sends(processes, pieces))
    assert cost("pbt", "bcast", 2, SIZE, pieces=pieces).memory / 32 == pieces


@pytest.mark.parametrize("processes", range(2, 16))
def test_M1_the_way_up_and_down_counts_the_sends_of_one_process(processes):
    """The worst process of an allreduce by two pipelined trees: what it sends up and down, not the worst of each."""
    pieces = 4
    down = heap_sends(processes, pieces)
    up = [0] + [pieces] * (processes - 1)
    counted = cost("pbt_twice", "allreduce", processes, SIZE, pieces=pieces, descriptor_rule="sends").memory / 32
    assert counted == max(a + b for a, b in zip(down, up, strict=True))


def test_M5_a_network_that_is_none_and_a_latency_for_each_node():
    with pytest.raises(InputError, match=r"network: .*; allowed: a LogGP, or a name of one: infiniband"):
        cost("flat", "bcast", 4, 8, {"latency": 1e-6})
    torus = {"d": (2, 2), "p": 1, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}
    with pytest.raises(InputError, match=r"node_latency has the shape \(2,\); allowed: one number"):
        collective_on_topology("ring_allgather", 4, 8, topology="torus", parameters=torus, node_latency=[1e-6, 2e-6])
    assert np.isfinite(
        collective_on_topology("ring_allgather", 4, 8, topology="torus", parameters=torus, node_latency=1e-6).time
    )
