"""Cost of a checkpoint with and without compression: break-even, the printed system, energy."""

import numpy as np
import pytest

from dse.models.resilience import (
    break_even_compress_bandwidth,
    checkpoint,
    checkpoint_energy,
    mean_time_between_failures,
    optimal_efficiency,
    transfer_time,
)

YEARS_5 = 5 * 365.25 * 86400
TB = 1e12
SCHEMES = [  # ratio, compress bandwidth in TB/s; cost, interval, efficiency
    (1.0, np.inf, 640.0, 4077.943, 0.712079),
    (1.3, 10.0, 556.3077, 3827.587, 0.731183),
    (2.16, 10.0, 360.2963, 3136.159, 0.783154),
    (4.7, 10.0, 200.1702, 2381.705, 0.838354),
    (8.0, 10.0, 144.0, 2036.836, 0.863001),
    (8.0, 1.0, 720.0, 4299.283, 0.695076),
]


@pytest.mark.parametrize(("ratio", "rate", "cost", "interval", "efficiency"), SCHEMES)
def test_a_system_of_ten_thousand_nodes(ratio, rate, cost, interval, efficiency):
    mean = mean_time_between_failures((10_000, YEARS_5))
    delta = transfer_time(640 * TB, 1 * TB, ratio, rate * TB)
    found = checkpoint(delta, mean, delta)
    assert float(delta) == pytest.approx(cost, abs=6e-5)
    assert float(found.interval) == pytest.approx(interval, abs=6e-4)
    assert float(found.efficiency) == pytest.approx(efficiency, abs=6e-7)


@pytest.mark.parametrize(("ratio", "rate", "nodes"), [(1.0, np.inf, 18026), (4.7, 1e9, 36799)])
def test_nodes_at_which_half_the_time_is_lost(ratio, rate, nodes):
    """64 GB per node to a store of 1 TB/s."""
    numbers = np.array([nodes - 1, nodes, nodes + 1])
    delta = transfer_time(64e9 * numbers, 1 * TB, ratio, rate * numbers)
    found = optimal_efficiency(delta, mean_time_between_failures((numbers, YEARS_5)), delta)
    assert found[0] > 0.5 > found[2]
    assert found[1] == pytest.approx(0.5, abs=2e-5)


@pytest.mark.parametrize(("ratio", "least"), [(1.3, 4.333), (2, 2), (4.7, 1.2703), (8, 1.1429)])
def test_break_even(ratio, least):
    """Just above it compression shortens a checkpoint, just below it does not."""
    found = float(break_even_compress_bandwidth(ratio))
    assert found == pytest.approx(least, abs=6e-4)
    slow, fast = transfer_time(1.0, 1.0, ratio, [found * 0.999, found * 1.001])
    assert fast < 1.0 < slow
    assert float(break_even_compress_bandwidth(ratio, overlapped=True)) == 1.0
    slow, fast = transfer_time(1.0, 1.0, ratio, [0.999, 1.001], overlapped=True)
    assert fast < 1.0 < slow
    assert np.isinf(break_even_compress_bandwidth([1.0, 1.0])).all()


def test_overlapped_is_the_slower_and_serial_the_sum():
    args = ([10.0, 10.0], 2.0, 5.0, [20.0, 1.0])
    np.testing.assert_allclose(transfer_time(*args), [1.5, 11.0])
    np.testing.assert_allclose(transfer_time(*args, overlapped=True), [1.0, 10.0])
    assert float(transfer_time(10.0, 2.0)) == 5.0


def test_energy_of_a_checkpoint():
    found = checkpoint_energy(
        100.0, 3.0, ratio=4.0, compress_energy=2.0, move_energy=1.0, write_energy=7.0, idle_power=5.0
    )
    assert float(found) == 100 * 2 + 25 * 8 + 15
    assert float(checkpoint_energy(100.0, 3.0, idle_power=5.0)) == 15.0
