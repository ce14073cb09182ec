"""Applications whose messages are collective operations on a network, beside their laws."""

import numpy as np
import pytest

from dse.models.applications import conjugate_gradient, fourier_transform, linpack, search_time
from dse.models.collectives import machine

NODES, LATENCY, BANDWIDTH = 4096.0, 3e-6, 25e9


def alike(**changed):
    """Return the costs on a machine where all messages are alike: no topology, one bandwidth."""
    given = {
        "nodes": NODES,
        "message_latency": LATENCY,
        "node_latency": 0.9e-6,
        "node_injection_bandwidth": BANDWIDTH,
        "all_to_all_bandwidth": BANDWIDTH,
        "collective_pieces": 1024.0,
        **changed,
    }
    flat = machine.collectives_flat
    found = flat(*(np.array(given[need]) for need in flat.needs))
    return given | dict(zip(flat.gives, found, strict=True))


def called(function, values):
    return float(function(*(values[need] for need in function.needs)))


def test_a_transposition_of_one_bandwidth_takes_the_bytes_of_the_law():
    values = alike(fourier_points=4.4e12)
    law = called(fourier_transform.fourier_exchange_time, values)
    # A node keeps its own of the R blocks of a row, and each message has a latency.
    assert called(fourier_transform.exchange_time_by_collectives, values) == pytest.approx(law * 63 / 64, rel=0.01)
    assert called(fourier_transform.latency_time_in_exchange, values) == 0.0


def test_small_transpositions_take_fewer_and_longer_messages():
    small = alike(fourier_points=1e5)
    direct = 2 * small["row_alltoall_direct_latency"]
    bruck = 2 * small["row_alltoall_bruck_alltoall_latency"]
    assert called(fourier_transform.exchange_time_by_collectives, small) == pytest.approx(float(bruck), rel=0.05)
    assert bruck < direct


@pytest.mark.parametrize("size", [1e6, 1e7])
def test_panels_of_large_problems_take_the_bytes_of_the_law(size):
    values = alike(linpack_size=size, linpack_block=256.0)
    law = called(linpack.linpack_transfer_time, values)
    assert called(linpack.transfer_time_by_collectives, values) == pytest.approx(law, rel=0.3)


def test_panels_of_small_problems_go_along_a_tree():
    values = alike(linpack_size=1e3, linpack_block=1.0)
    panel = 4.0 * 1e3 / 64
    tree = 6 * (LATENCY + panel / BANDWIDTH) + 3 * panel / BANDWIDTH
    assert called(linpack.transfer_time_by_collectives, values) == pytest.approx(1e3 * tree)


def test_pivots_take_a_reduction_per_column():
    values = alike(linpack_size=1e6, linpack_block=256.0)
    row = 16 * 256
    reduction = 6 * (LATENCY + row / BANDWIDTH)
    swaps = (6 + 64 - 1) / 256 * LATENCY
    values["linpack_pivot_time"] = called(linpack.linpack_pivot_time, values)
    values["linpack_swap_messages"] = called(linpack.linpack_swap_messages, values)
    assert values["linpack_pivot_time"] == pytest.approx(reduction)
    assert called(linpack.message_time_by_collectives, values) == pytest.approx(1e6 * (reduction + swaps))


def test_a_single_node_exchanges_no_panels():
    values = alike(nodes=1.0, linpack_size=1e5, linpack_block=256.0)
    values["linpack_pivot_time"] = 1e-6
    values["linpack_swap_messages"] = called(linpack.linpack_swap_messages, values)
    assert called(linpack.transfer_time_by_collectives, values) == 0.0
    assert called(linpack.message_time_by_collectives, values) == 0.0


def test_sums_are_three_reductions_per_iteration():
    values = {"conjugate_gradient_iterations": 50.0, "number_reduction_time": 1e-5}
    assert called(conjugate_gradient.reduction_time_by_collectives, values) == pytest.approx(150e-5)


def test_a_search_adds_its_reductions():
    values = {"search_levels": 6.0, "nodes": NODES, "message_latency": LATENCY, "all_reduces": 7.0}
    law = called(search_time.search_latency_time, values)
    values["number_reduction_time"] = 1e-5
    assert called(search_time.latency_time_with_reductions, values) == pytest.approx(law + 7e-5)
