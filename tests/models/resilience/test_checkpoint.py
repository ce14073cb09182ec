"""The best interval between checkpoints: printed values, limits, and what rises with what."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from example_counts import sampled
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.special import lambertw

from dse.errors import InputError
from dse.models.resilience import (
    availability_without_checkpoints,
    break_even_compress_bandwidth,
    checkpoint,
    daly_interval,
    efficiency_at,
    energy_optimal_interval,
    energy_per_useful_second,
    failures_in,
    first_order_efficiency,
    first_order_energy,
    job,
    mean_time_between_failures,
    optimal_efficiency,
    optimal_interval,
    time_shares,
    wall_time_without_checkpoints,
    whole_interval,
    young_interval,
)

INTERVALS = [  # cost, mean time between failures, restart; interval, Young's, Daly's; efficiency, at Young's
    (1, 1000, 1, 44.05719, 44.7214, 44.0572, 0.954987, 0.954983),
    (10, 1000, 20, 134.83475, 141.4214, 134.8333, 0.848034, 0.847903),
    (60, 3600, 60, 617.89063, 657.2671, 617.8756, 0.814672, 0.814404),
    (300, 3600, 300, 1276.87664, 1469.6938, 1276.4980, 0.593716, 0.591600),
    (1800, 3600, 600, 2513.84557, 3600.0, 2500.0, 0.255392, 0.243124),
    (5, 86400, 10, 926.18566, 929.5160, 926.1857, 0.989166, 0.989166),
    (3600, 3600, 1000, 3029.06038, 5091.1688, 2974.0115, 0.120130, 0.105218),
]
SHARES = [  # busy, checkpoints, restarts, wall; energy at 200, 150 and 100 W, and in the first order
    (1, 1000, 1, 1.023379, 0.022709, 0.001047, 1.047134, 208.1867, 208.1873),
    (10, 1000, 20, 1.081312, 0.074537, 0.023350, 1.179198, 229.7778, 229.7730),
    (60, 3600, 60, 1.109281, 0.097918, 0.020289, 1.227488, 238.5728, 238.5965),
    (300, 3600, 300, 1.304622, 0.245016, 0.134670, 1.684308, 311.1438, 311.0782),
    (1800, 3600, 600, 2.385432, 0.929014, 0.601109, 3.915555, 676.5494, 682.0500),
    (3600, 3600, 1000, 4.263239, 2.042156, 2.018942, 8.324337, 1360.8655, 1374.2115),
]
POWERS = (200.0, 150.0, 100.0)
costs = st.floats(1e-3, 1e5)
means = st.floats(1.0, 1e7)


@pytest.mark.parametrize("row", INTERVALS)
def test_printed_intervals(row):
    found = checkpoint(*row[:3])
    assert float(found.interval) == pytest.approx(row[3], abs=6e-6)
    assert (float(found.young), float(found.daly)) == pytest.approx(row[4:6], abs=6e-5)
    assert (float(found.efficiency), float(found.efficiency_young)) == pytest.approx(row[6:], abs=6e-7)


@pytest.mark.parametrize("row", SHARES)
def test_printed_shares_and_energies(row):
    found = checkpoint(*row[:3])
    shares = found.shares
    assert tuple(map(float, (*shares, shares.wall))) == pytest.approx(row[3:7], abs=6e-7)
    assert float(energy_per_useful_second(shares, *POWERS)) == pytest.approx(row[7], abs=6e-5)
    assert float(first_order_energy(found.interval, *row[:3], *POWERS)) == pytest.approx(row[8], abs=6e-5)


@pytest.mark.parametrize(
    ("devices", "cost", "interval", "efficiency"),
    [(16_384, 2.8409447, 249.63658, 0.92606026), (32_768, 14.111212, 387.0367, 0.83330095)],
)
def test_useful_time_of_trainings(devices, cost, interval, efficiency):
    """Restarts of ten minutes and the reading, failures by device."""
    found = checkpoint(cost, mean_time_between_failures((devices, 1.8243e8)), 600.0 + cost)
    assert float(found.interval) == pytest.approx(interval, rel=1e-7)
    assert float(found.efficiency) == pytest.approx(efficiency, abs=6e-9)


def test_arrays_broadcast_and_single_designs_have_the_same_bits():
    cost, mean, restart = np.array([1.0, 60.0, 3600.0])[:, None], np.array([1e3, 3600.0, 1e6, np.inf]), 30.0
    found = checkpoint(cost, mean, restart)
    assert found.efficiency.shape == found.shares.restarts.shape == found.interval.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            one = checkpoint(cost[i, 0], mean[j], restart)
            assert float(one.efficiency) == found.efficiency[i, j]
            assert float(one.interval) == found.interval[i, j]


@pytest.mark.parametrize("y", sampled(np.geomspace(1e-12, 29.0, 40), 16))
def test_the_root_is_that_of_the_lambert_function(y):
    """Below 1e-9 SciPy's function loses digits: there a root that is searched with 1 - x written as e^-u."""
    found = float(optimal_interval(y, 1.0))
    if y > 1e-6:
        assert found == pytest.approx(1 + lambertw(-np.exp(-1 - y)).real, rel=1e-9)
    x = -np.expm1(
        -brentq(lambda u: -np.expm1(-u) - u + y, np.sqrt(2 * y) * 0.5, 2 * y + 3 * np.sqrt(y) + 2, xtol=1e-300)
    )
    if y > 1e-4:
        assert found == pytest.approx(x, rel=1e-11)
    if y < 1e-2:
        root = np.sqrt(2 * y)
        assert found == pytest.approx(root - root**2 / 3 + root**3 / 36, rel=max(1e-11, root**3 / 200))


@given(costs, means, st.floats(0.0, 1e5))
def test_the_best_interval_is_the_best(cost, mean, restart):
    best = checkpoint(cost, mean, restart)
    a = float(best.efficiency)
    assert 0.0 < a < 1.0 + 1e-15
    assert float(best.interval) < mean * (1 + 1e-15)
    assert float(best.interval) <= float(best.young) * (1 + 1e-12)
    if cost / mean + restart / mean < 300:
        assert float(best.efficiency_young) <= a * (1 + 1e-9)
        assert float(best.efficiency_daly) <= a * (1 + 1e-9)
        for factor in (0.9, 1.1):
            assert efficiency_at(factor * best.interval, cost, mean, restart) <= a * (1 + 1e-12)
        assert float(optimal_efficiency(cost, mean, restart)) == pytest.approx(a, rel=1e-9)
        assert float(best.shares.busy) >= 1.0 - 1e-12


@given(costs, means, st.floats(0.0, 1e5), st.floats(1.001, 10.0))
def test_what_is_lost_rises_with_every_cost_and_with_failures(cost, mean, restart, factor):
    a = optimal_efficiency(cost, mean, restart)
    assert optimal_efficiency(factor * cost, mean, restart) <= a
    assert optimal_efficiency(cost, mean, restart + factor) <= a
    assert optimal_efficiency(cost, mean / factor, restart) <= a
    assert optimal_interval(factor * cost, mean) >= optimal_interval(cost, mean)


@given(st.floats(0.01, 1e4), st.floats(1e-3, 1e4), means, st.floats(0.0, 1e4))
def test_shares_add_up_to_the_complete_form(interval, cost, mean, restart):
    if (interval + cost + restart) / mean < 100:
        shares = time_shares(interval, cost, mean, restart)
        wall = mean * np.exp(restart / mean) * np.expm1((interval + cost) / mean) / interval
        assert float(shares.wall) == pytest.approx(float(wall), rel=1e-9)
        assert 1 / efficiency_at(interval, cost, mean, restart) == pytest.approx(float(wall), rel=1e-9)


def test_without_failures():
    found = checkpoint([0.0, 10.0, 1e5], np.inf, 50.0)
    assert found.efficiency.tolist() == [1.0, 1.0, 1.0]
    assert np.isinf(found.interval).all()
    given_ = checkpoint(10.0, [1e12, 1e15, np.inf], 50.0, interval=100.0)
    np.testing.assert_allclose(given_.shares.busy, 1.0, rtol=1e-9)
    np.testing.assert_allclose(given_.shares.checkpoints, 0.1, rtol=1e-9)
    np.testing.assert_allclose(given_.shares.restarts, 0.0, atol=1e-9)
    assert given_.efficiency[-1] == 1 / 1.1


def test_without_cost_of_checkpoints():
    """As for algorithms that recover by themselves: only restarts are lost."""
    found = checkpoint(0.0, [100.0, 1e4], 10.0)
    np.testing.assert_allclose(found.efficiency, np.exp([-0.1, -0.001]), rtol=1e-14)
    assert found.interval.tolist() == [0.0, 0.0]


def test_hopeless_systems_are_finite():
    """Mean times between failures far below a checkpoint or a restart, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = checkpoint([1e3, 1e9, 1.0, 0.0], [1.0, 1e-3, 1e-6, 1e-6], [1e3, 1e9, 1e9, 1e9])
        given_ = checkpoint(1e6, 1.0, 1e6, interval=[1e-9, 1.0, 1e9])
    for values in (found.efficiency, *found.shares, given_.efficiency, *given_.shares):
        assert np.isfinite(values).all()
        assert (np.asarray(values) >= 0).all()
    assert (found.efficiency > 0).all()
    y = 50.0
    assert float(optimal_efficiency(y, 1.0, 2.0)) == pytest.approx(np.exp(-(1 + y + 2)), rel=1e-12)
    assert float(optimal_efficiency(29.999, 1.0)) == pytest.approx(float(optimal_efficiency(30.001, 1.0)), rel=3e-3)


def test_first_order():
    """Usable only where a checkpoint is much shorter than the time between failures."""
    for row, error in ((INTERVALS[0], 0.0007), (INTERVALS[1], 0.011)):
        assert 1 - first_order_efficiency(*row[:3]) / row[6] == pytest.approx(error, rel=0.1)
    assert first_order_efficiency(0.5 + 1e-9, 1.0) < 0
    assert float(daly_interval(2.0, 1.0)) == 1.0
    assert young_interval(2.0, 100.0) == 20.0


@pytest.mark.parametrize("row", SHARES)
def test_the_first_order_energy_is_within_a_percent(row):
    best = checkpoint(*row[:3])
    exact = energy_per_useful_second(best.shares, *POWERS)
    assert first_order_energy(best.interval, *row[:3], *POWERS) == pytest.approx(float(exact), rel=0.011)


@pytest.mark.parametrize("row", SHARES)
def test_the_interval_that_needs_least_energy(row):
    """Against SciPy's search; shorter than that of least time where writing takes less power than computing."""
    cost, mean, restart = row[:3]
    found = float(energy_optimal_interval(cost, mean, restart, *POWERS))

    def energy(interval):
        return float(energy_per_useful_second(time_shares(interval, cost, mean, restart), *POWERS))

    best = minimize_scalar(energy, bounds=(found / 5, found * 5), method="bounded", options={"xatol": 1e-7 * found})
    assert found == pytest.approx(best.x, rel=1e-4)
    assert found < float(optimal_interval(cost, mean))
    equal = energy_optimal_interval(cost, mean, restart, 7.0, 7.0, 7.0)
    assert float(equal) == pytest.approx(float(optimal_interval(cost, mean)), rel=1e-6)


@pytest.mark.parametrize("io_power", [0.0, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e30])
@pytest.mark.parametrize(("cost", "mean"), [(1e-6, 1e9), (1.0, 1e4), (600.0, 3600.0), (1e5, 3600.0)])
def test_the_interval_of_least_energy_is_no_edge_of_a_search(cost, mean, io_power):
    """However dear or cheap writing is: beside the interval there is no less energy, by numbers of forty digits."""
    with localcontext() as context:
        context.prec = 60
        found = float(energy_optimal_interval(cost, mean, 0.0, 100.0, io_power, 50.0))

        def energy(interval):
            x, y = Decimal(interval) / Decimal(mean), Decimal(cost) / Decimal(mean)
            return (100 * y.exp() * (x.exp() - 1) + Decimal(io_power) * (y.exp() - 1)) / x

        if io_power == 0.0:
            assert found == 0.0
        else:
            assert energy(found) <= min(energy(found * (1 - 1e-4)), energy(found * (1 + 1e-4)))


def test_least_energy_where_there_is_none_or_no_number():
    assert np.isinf(energy_optimal_interval(60.0, np.inf, 60.0, 1.0, 2.0, 3.0))
    assert float(energy_optimal_interval(0.0, 3600.0, 60.0, 1.0, 2.0, 3.0)) == 0.0
    # Restarts as dear as computing and writing: the interval of least time.
    equal = energy_optimal_interval([60.0, 6.0], 3600.0, [1e9, 60.0], 2.0, 2.0, 2.0)
    np.testing.assert_allclose(equal, optimal_interval([60.0, 6.0], 3600.0), rtol=1e-9)
    for arguments, words in [
        ((60.0, 3600.0, 0.0, 0.0, 1.0, 1.0), "'busy_power' is 0"),
        ((60.0, -3600.0, 0.0, 1.0, 1.0, 1.0), "'mean_time_between_failures' is -3600"),
        ((-60.0, 3600.0, 0.0, 1.0, 1.0, 1.0), "'cost' is -60"),
        ((60.0, 3600.0, 0.0, 1.0, -1.0, 1.0), "'io_power' is -1"),
    ]:
        with pytest.raises(InputError, match=words):
            energy_optimal_interval(*arguments)


def test_energy_without_failures_is_that_of_work_and_checkpoints():
    shares = time_shares(100.0, 10.0, np.inf, 60.0)
    assert float(energy_per_useful_second(shares, *POWERS)) == pytest.approx(200 + 0.1 * 150)


def test_jobs_without_checkpoints_and_of_whole_intervals():
    assert float(wall_time_without_checkpoints(3600.0, 3600.0, 0.0)) == pytest.approx(3600 * (np.e - 1))
    assert float(wall_time_without_checkpoints(100.0, np.inf, 60.0)) == 100.0
    assert np.isfinite(wall_time_without_checkpoints(1e9, 1.0, 1e9))
    best = optimal_interval(60.0, 3600.0)
    found = whole_interval([10.0, 617.0, 618.0, 6178.0, 6179.0], 60.0, 3600.0)
    np.testing.assert_allclose(found, [10.0, 617.0, 309.0, 617.8, 6179.0 / 11])
    assert (found <= best).all()
    one_interval = checkpoint(0.0, 3600.0, 60.0, interval=500.0)
    assert float(one_interval.shares.wall) * 500 == pytest.approx(float(wall_time_without_checkpoints(500, 3600, 60)))


def test_parts_in_series():
    assert float(mean_time_between_failures((10_000, 5 * 365.25 * 86400))) == pytest.approx(15778.8)
    assert float(mean_time_between_failures((2, 10.0), (3, 6.0))) == pytest.approx(1 / 0.7)
    assert float(mean_time_between_failures((2, 10.0), (3, np.inf))) == 5.0
    assert float(mean_time_between_failures()) == np.inf
    assert float(failures_in(7200.0, 3600.0)) == 2.0
    assert float(availability_without_checkpoints(90.0, 10.0)) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ((-1.0, 100.0, 1.0), r"'cost' is -1; allowed: 0 or more"),
        ((1.0, 0.0, 1.0), r"'mean_time_between_failures' is 0; allowed: above 0"),
        ((1.0, [5.0, np.nan], 1.0), r"'mean_time_between_failures' is nan"),
        ((1.0, 100.0, -2.0), r"'restart' is -2"),
        ((np.inf, 100.0, 1.0), r"'cost' is inf"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(given_, words):
    with pytest.raises(InputError, match=words):
        checkpoint(*given_)
    with pytest.raises(InputError, match="'interval' is 0"):
        checkpoint(1.0, 100.0, interval=0.0)


@settings(max_examples=20)
@given(st.floats(1e-9, 1e-5))
def test_small_costs_tend_to_young(y):
    assert float(optimal_interval(y, 1.0)) == pytest.approx(float(young_interval(y, 1.0)), rel=np.sqrt(y))


def test_a_job_cut_into_whole_intervals_is_the_same_alone_and_in_a_list():
    """A checkpoint that costs nothing is made all the time, and changes nothing for the others."""
    alone = job(1e4, 60.0, 3600.0, 60.0, whole=True, busy_power=200.0, io_power=150.0)
    found = job(1e4, [0.0, 60.0], 3600.0, 60.0, whole=True, busy_power=200.0, io_power=150.0)
    assert found.interval.tolist() == [0.0, pytest.approx(1e4 / 17)]
    assert float(found.wall_time[1]) == float(alone.wall_time)
    assert float(found.energy[1]) == float(alone.energy)
    with pytest.raises(InputError, match="'whole' and 'interval'"):
        job(1e4, 60.0, 3600.0, whole=True, interval=100.0)


def test_restarts_take_the_power_of_writing_unless_given():
    found = job(1.0, 60.0, 3600.0, 60.0, busy_power=200.0, io_power=150.0)
    told = job(1.0, 60.0, 3600.0, 60.0, busy_power=200.0, io_power=150.0, restart_power=150.0)
    assert float(found.energy) == float(told.energy)


def test_a_compressor_of_any_ratio_breaks_even_at_the_bandwidth_of_the_store():
    assert float(break_even_compress_bandwidth(np.inf)) == 1.0
    for nonsense in (np.nan, 0.5, -1.0, [2.0, 0.0]):
        with pytest.raises(InputError, match=r"'ratio' is .*; allowed: 1 or more, may be infinite"):
            break_even_compress_bandwidth(nonsense)
