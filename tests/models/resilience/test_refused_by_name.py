"""What the functions of checkpoints refuse, and how (rows M3, M5, M7): by the name of the argument."""

import warnings

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.resilience import (
    checkpoint,
    energy_optimal_interval,
    job,
    mean_time_between_failures,
    optimal_interval,
    two_level_checkpoint,
)


@pytest.mark.parametrize("name", ["busy_power", "io_power", "restart_power"])
def test_M3_a_power_below_0_is_refused_by_name(name):
    """`job(10, 60, 3600, busy_power=-1)` gave -12 J."""
    with pytest.raises(InputError, match=f"'{name}' is -1; allowed: 0 or more"):
        job(10, 60, 3600, **{"busy_power": 100.0, name: -1})


def test_M3_without_powers_there_is_no_energy():
    assert np.isnan(job(10, 60, 3600).energy)
    assert float(job(10, 60, 3600, busy_power=0.0, io_power=5.0).energy) > 0.0


@pytest.mark.parametrize(
    ("cost", "failures", "restart", "io_power"),
    [(1e300, 3600.0, 60.0, 1.0), (60.0, 3600.0, 1e300, 1.0), (60.0, 3600.0, 60.0, 0.0), (1e300, 1.0, 0.0, 1e300)],
)
def test_the_limits_have_no_warning(cost, failures, restart, io_power):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best = checkpoint(cost, failures, restart)
        asked = job(10, cost, failures, restart, busy_power=1e7, io_power=io_power)
    assert 0.0 <= float(best.efficiency) <= 1.0
    assert float(asked.energy) >= 0.0


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: checkpoint("60 s", 3600), "'cost' is '60 s'; allowed: numbers, 0 or more"),
        (lambda: checkpoint("60", 3600), "'cost' is '60'"),
        (lambda: checkpoint(None, 3600), "'cost' is None"),
        (lambda: checkpoint([60, None], 3600), "'cost' is"),
        (lambda: checkpoint([[1], [1, 2]], 3600), "'cost' is"),
        (lambda: checkpoint([1, 2], [1, 2, 3]), "'cost' has the shape .*'mean_time_between_failures' has the shape"),
        (lambda: checkpoint([1, 2], 3600, interval=[1, 2, 3]), "'interval' has the shape"),
        (lambda: two_level_checkpoint("5 s", 3600, 1, 60, 36000, 1), "'local_cost' is '5 s'"),
        (lambda: two_level_checkpoint([5, 6], 3600, 1, [1, 2, 3], 36000, 1), "'local_cost' has the shape"),
        (lambda: mean_time_between_failures((10, "5 y")), "'mean time between failures of a part' is '5 y'"),
        (lambda: mean_time_between_failures(10), "a part is 10; allowed:"),
        (lambda: job([1, 2], [1, 2, 3], 3600), "'useful_time' has the shape"),
        (lambda: job(10, 60, 3600, busy_power=[1, 2], io_power=[1, 2, 3]), "'busy_power' has the shape"),
        (lambda: job(10, 60, 3600, busy_power="5 kW"), "'busy_power' is '5 kW'"),
        (lambda: energy_optimal_interval([1, 2], [1, 2, 3], 0, 1, 1, 1), "'cost' has the shape"),
        (lambda: optimal_interval("60", 3600), "'cost' is '60'"),
        (lambda: optimal_interval([60, None], 3600), "'cost' is"),
    ],
)
def test_M5_what_is_no_number_is_refused_by_name(asked, words):
    with pytest.raises(InputError, match=words):
        asked()
