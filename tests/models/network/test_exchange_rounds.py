"""Exchanges in rounds against counting by hand: who shares a node, and one round after another."""

import numpy as np
import pytest

from dse.models.network.bandwidth.exchange_rounds import exchange_traffic
from dse.models.network.bandwidth.shared_nodes import process_traffic

HYPERX = {"d": (4, 4), "p": 8, "b0": 10e9, "b": (10e9, 10e9), "l0": 5e-9, "l": (30e-9, 30e-9)}


@pytest.mark.parametrize(("nodes", "each"), [(128, 16), (128, 4), (128, 1), (128, 2)])
def test_what_stays_in_a_node_is_counted(nodes, each):
    shape = {**HYPERX, "p": nodes // 16}
    made = exchange_traffic("hyperx", shape, nodes * each, processes_per_node=each)
    ranks = np.arange(nodes * each)
    bits = [bit for bit in range(30) if 1 << bit < nodes * each]
    inside = np.mean([(ranks ^ (1 << bit)) // each == ranks // each for bit in bits])
    assert made.traffic.inside_fraction == pytest.approx(inside, abs=1e-15)
    assert not made.guessed.any()


def test_rounds_follow_one_another():
    made = exchange_traffic("hyperx", HYPERX, 2048, processes_per_node=16)
    # Of 11 rounds four stay in the node, three have a part of its link, four the one link between two switches.
    by_hand = 7.0 / (3.0 / (10e9 / 16) + 4.0 / (10e9 / 128))
    assert made.traffic.bandwidth == pytest.approx(by_hand, rel=1e-12)
    assert made.traffic.inside_fraction == pytest.approx(4 / 11, rel=1e-12)
    assert made.traffic.links == pytest.approx(2 + 4 / 7, rel=1e-12)
    assert made.traffic.link_latency == pytest.approx(2 * 5e-9 + 4 / 7 * 30e-9, rel=1e-12)


def test_designs_are_each_for_themselves_and_odd_numbers_of_ranks_are_uniform():
    sides = (np.array([4, 3, 1]), np.array([4, 4, 1]))
    machines = {**HYPERX, "d": sides}
    together = exchange_traffic("hyperx", machines, np.array([2048, 1536, 8]), processes_per_node=np.array([16, 16, 1]))
    assert together.guessed.tolist() == [False, True, False]
    uniform = process_traffic("hyperx", {**HYPERX, "d": (3, 4)}, "uniform", processes_per_node=16)
    assert together.traffic.bandwidth[1] == uniform.bandwidth
    assert together.traffic.inside_fraction[1] == uniform.inside_fraction
    alone = exchange_traffic("hyperx", HYPERX, 2048, processes_per_node=16)
    assert together.traffic.bandwidth[0] == alone.traffic.bandwidth
    # All nodes at one switch: every round has the link of a node.
    assert together.traffic.bandwidth[2] == pytest.approx(10e9, rel=1e-12)
