"""Figures of a whole job."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.resilience import checkpoint, job, mean_time_between_failures, transfer_time

from .event_simulation import one_level

DAY = 86400.0


def test_a_job_is_the_sum_of_its_parts():
    found = job(DAY, [1.0, 60.0, 3600.0], 3600.0, 60.0, busy_power=200.0, io_power=150.0, restart_power=100.0)
    parts = (DAY, found.rework_time, found.checkpoint_time, found.restart_time)
    np.testing.assert_allclose(sum(parts), found.wall_time, rtol=1e-12)
    np.testing.assert_allclose(found.wall_time * found.efficiency, DAY, rtol=1e-12)
    np.testing.assert_allclose(found.failures * 3600.0, found.wall_time, rtol=1e-12)
    energy = 200 * (DAY + found.rework_time) + 150 * found.checkpoint_time + 100 * found.restart_time
    np.testing.assert_allclose(found.energy, energy, rtol=1e-12)
    assert float(found.energy[1]) == pytest.approx(DAY * 238.5728, rel=1e-6)
    assert np.isnan(job(DAY, 60.0, 3600.0).energy)
    one_power = job(DAY, 60.0, 3600.0, 60.0, busy_power=5.0)
    assert float(one_power.energy) == pytest.approx(5.0 * float(one_power.wall_time))


def test_a_job_of_whole_intervals():
    """Its simulation has as many intervals, each with its checkpoint."""
    best = checkpoint(60.0, 3600.0, 60.0)
    found = job(1000.0, 60.0, 3600.0, 60.0, whole=True)
    assert float(found.interval) == 500.0
    assert found.wall_time >= 1000.0 / best.efficiency
    times = one_level(500.0, 60.0, 3600.0, 60.0, intervals=100_000, seed=3).sum(axis=0).reshape(-1, 2).sum(axis=1)
    error = 4 * times.std() / np.sqrt(times.size)
    assert float(found.wall_time) == pytest.approx(times.mean(), abs=error)


def test_short_jobs_are_better_off_without_checkpoints():
    found = job([60.0, 1e5], 60.0, 3600.0, 60.0)
    better = found.wall_time_without_checkpoints < found.wall_time
    assert better.tolist() == [True, False]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: job(0.0, 1.0, 10.0), "'useful_time' is 0; allowed: above 0"),
        (lambda: job(5.0, 1.0, -10.0, whole=True), "'mean_time_between_failures' is -10"),
        (lambda: transfer_time(1.0, 0.0), "'bandwidth' is 0"),
        (lambda: transfer_time(1.0, 1.0, [2.0, np.nan]), "'ratio' is nan"),
        (lambda: mean_time_between_failures((10, 0.0)), "'mean time between failures of a part' is 0"),
        (lambda: mean_time_between_failures((-1, 5.0)), "'number of parts' is -1"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(call, words):
    with pytest.raises(InputError, match=words):
        call()
