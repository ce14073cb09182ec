"""The closed forms of checkpoints against a simulation of every failure."""

import numpy as np
import pytest

from dse.models.resilience import (
    checkpoint,
    time_shares,
    two_level_checkpoint,
    two_level_efficiency,
    two_level_wall,
)

from .event_simulation import one_level, two_levels

PRINTED = [  # cost, mean time between failures, restart; time on the clock per useful second of another simulation
    (1, 1000, 1, 1.0467),
    (10, 1000, 20, 1.1785),
    (60, 3600, 60, 1.2286),
    (300, 3600, 300, 1.6849),
    (1800, 3600, 600, 3.924),
    (3600, 3600, 1000, 8.321),
]
LEVELS = [
    ((1, 1000, 1), (10, 10000, 20), 0.9121),
    ((5, 3600, 10), (300, 86400, 300), 0.8624),
    ((2, 1800, 5), (120, 7200, 120), 0.7679),
    ((10, 3600, 10), (600, 14400, 600), 0.6369),
    ((5, 14400, 30), (60, 172800, 120), 0.9456),
]


def random_sets(count, seed):
    rng = np.random.default_rng(seed)
    mean = 10 ** rng.uniform(2, 5, count)
    return [
        tuple(
            float(f"{value:.4g}") for value in (m * 10 ** rng.uniform(-2, 0.2), m * 10 ** rng.uniform(-2.5, 0.2), m, r)
        )
        for m, r in zip(mean, mean * 10 ** rng.uniform(-3, 0), strict=True)
    ]


@pytest.mark.parametrize(("interval", "cost", "mean", "restart"), random_sets(8, 5))
def test_where_the_time_goes_at_any_interval(interval, cost, mean, restart):
    """Each part within four standard errors; the whole within 0.4 % besides."""
    found = one_level(interval, cost, mean, restart, intervals=150_000, seed=int(mean)) / interval
    expected = time_shares(interval, cost, mean, restart)
    for part, exact in zip(found, expected, strict=True):
        assert part.mean() == pytest.approx(float(exact), abs=4 * part.std() / np.sqrt(part.size) + 1e-9)
    whole = found.sum(axis=0)
    error = 4 * whole.std() / np.sqrt(whole.size)
    assert whole.mean() == pytest.approx(float(expected.wall), abs=error)
    assert error < 0.05 * whole.mean()


@pytest.mark.parametrize(("cost", "mean", "restart", "simulated"), PRINTED)
def test_time_at_the_best_interval(cost, mean, restart, simulated):
    best = checkpoint(cost, mean, restart)
    assert float(best.shares.wall) == pytest.approx(simulated, rel=0.004)
    ours = one_level(float(best.interval), cost, mean, restart, intervals=100_000, seed=cost).sum(axis=0).mean()
    assert float(best.shares.wall) == pytest.approx(ours / float(best.interval), rel=0.015)


@pytest.mark.parametrize(("local", "whole", "simulated"), LEVELS)
def test_two_levels(local, whole, simulated):
    closed = two_level_checkpoint(*local, *whole).closed
    found = two_level_checkpoint(*local, *whole, interval=closed.local, per_global=closed.per_global)
    assert float(found.efficiency) == pytest.approx(simulated, rel=0.002)
    k, tau = int(found.per_global), float(found.interval)
    times = two_levels(tau, k, local, whole, periods=6000, seed=k) / (k * tau)
    error = 4 * times.std() / np.sqrt(times.size)
    assert 1 / float(found.efficiency) == pytest.approx(times.mean(), abs=error)
    assert error < 0.05


@pytest.mark.parametrize("seed", range(6))
def test_two_levels_at_any_intervals(seed):
    rng = np.random.default_rng(seed)
    mean_1 = 10 ** rng.uniform(2, 4)
    mean_2 = mean_1 * 10 ** rng.uniform(0, 1.3)
    local = (mean_1 * rng.uniform(0.001, 0.1), mean_1, mean_1 * rng.uniform(0, 0.3))
    whole = (mean_1 * rng.uniform(0.01, 0.3), mean_2, mean_1 * rng.uniform(0, 0.5))
    tau, k = mean_1 * rng.uniform(0.02, 0.6), int(rng.integers(1, 9))
    times = two_levels(tau, k, local, whole, periods=20_000, seed=seed) / (k * tau)
    assert float(two_level_wall(tau, k, local, whole)) == pytest.approx(
        times.mean(), abs=4 * times.std() / np.sqrt(times.size)
    )


def test_nested_single_levels_are_no_two_levels():
    """As if a restart from a global checkpoint met no failures of the other class: far too well."""
    local, whole = (1, 300, 1), (300, 3600, 300)
    closed = two_level_checkpoint(*local, *whole).closed
    tau, k = float(closed.local), int(closed.per_global)
    inner = float(checkpoint(*local, interval=tau).efficiency)
    nested = inner * float(checkpoint(*whole, interval=k * tau / inner).efficiency)
    times = two_levels(tau, k, local, whole, periods=4000, seed=1) / (k * tau)
    assert (nested, float(two_level_efficiency(tau, k, local, whole))) == pytest.approx((0.540, 0.435), abs=5e-4)
    assert 1 / times.mean() == pytest.approx(0.435, abs=0.01)
