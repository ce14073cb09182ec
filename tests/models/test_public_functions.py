"""Functions that people call from Python: lists are taken, nonsense is refused by the name of the argument."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models import data_machine, resilience
from dse.models import slower as slower_family
from dse.models.resilience import compression
from dse.models.slower import checked_factors

WORK = slower_family.work_of_thread(2.0, 0.1, 20.0, 0.01)
LEVELS = ((5.0, 3600.0, 10.0), (300.0, 86400.0, 300.0))


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: resilience.optimal_interval(60.0, -1.0), "mean_time_between_failures"),
        (lambda: resilience.young_interval(-60.0, 1.0), "cost"),
        (lambda: resilience.daly_interval(60.0, 0.0), "mean_time_between_failures"),
        (lambda: resilience.optimal_efficiency(60.0, 3600.0, -1.0), "restart"),
        (lambda: resilience.first_order_efficiency(60.0, 3600.0, -1.0), "restart"),
        (lambda: resilience.efficiency_at(0.0, 60.0, 3600.0), "interval"),
        (lambda: resilience.time_shares(-1.0, 60.0, 3600.0), "interval"),
        (lambda: resilience.optimal_time_shares(60.0, -5.0), "mean_time_between_failures"),
        (lambda: resilience.wall_time_without_checkpoints(-1.0, 3600.0), "useful_time"),
        (lambda: resilience.whole_interval(0.0, 60.0, 3600.0), "useful_time"),
        (lambda: resilience.availability_without_checkpoints(0.0, 1.0), "mean_time_between_failures"),
        (lambda: resilience.energy_per_useful_second(resilience.time_shares(1, 1, 9), -1, 1, 1), "busy_power"),
        (lambda: resilience.first_order_energy(600, 60, 3600, 60, 1, -1, 1), "io_power"),
        (lambda: resilience.failures_in(-1.0, 3600.0), "wall_time"),
        (lambda: resilience.transfer_time(1e12, 1e9, ratio=0.5), "ratio"),
        (lambda: resilience.checkpoint_energy(1e12, 60.0, ratio=0.0), "ratio"),
        (lambda: resilience.two_level_intervals(0.0, 1.0, 1.0, 1.0), "local_cost"),
        (lambda: resilience.two_level_efficiency(60.0, 0.5, *LEVELS), "per_global"),
        (lambda: resilience.two_level_wall(60.0, 2.0, (5.0, -1.0, 1.0), LEVELS[1]), "local[1]"),
        (lambda: resilience.first_order_two_level_efficiency(LEVELS[0], (300.0, 86400.0, -3.0)), "whole[2]"),
        (lambda: compression.index_coded_ratio(9.0), "share"),
        (lambda: compression.index_coded_share(0.0), "ratio"),
        (lambda: compression.compression_ratio_with_refreshes(2.0, 0.0), "interval"),
        (lambda: compression.ratio_of_tolerance(-0.1), "tolerance"),
        (lambda: compression.mean_error_of_tolerance([0.1, 2.0]), "tolerance"),
        (lambda: data_machine.effective_bandwidth(4, 1e9, peak_share=9), "peak_share"),
        (lambda: data_machine.transfer_time(1e9, 0), "bandwidth"),
        (lambda: data_machine.slowdown(1e9, 1e9, 0), "compute_time"),
        (lambda: data_machine.graph_bytes(1e5), "scale"),
        (lambda: slower_family.task_knee(WORK, -1.0), "latency"),
        (lambda: slower_family.core_knee(WORK, 100.0, 0.0, 0.0), "tasks"),
        (lambda: slower_family.plateau_gain(WORK, 100.0, -1.0), "overhead"),
        (lambda: slower_family.rate_bound(WORK, 100.0, 0.0, 4, 0), "cores"),
        (lambda: slower_family.near_knee(4, 0.0), "knee"),
        (lambda: checked_factors.delivered_performance(9.0, 4, 1e9, 1.0), "efficiency"),
        (lambda: checked_factors.scalability(0, 1), "nodes"),
        (lambda: checked_factors.unit_rate(1e9, 0.0), "cycles_per_instruction"),
        (lambda: checked_factors.balance(-0.5), "load_imbalance"),
        (lambda: checked_factors.cycles_at(-1.0, 1e9), "time"),
        (lambda: checked_factors.node_dynamic_power(1, 1, 0, 1, 1), "reference_frequency"),
        (lambda: checked_factors.energy_per_instruction(1, 1, 2.0, 1, 1), "busy_fraction"),
    ],
)
def test_nonsense_is_refused_by_the_name_of_the_argument(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(f"'{argument}' is ")


def test_lists_are_taken_and_shapes_that_do_not_fit_are_told():
    np.testing.assert_array_equal(data_machine.transfer_time([1e9, 2e9], [1e9, 1e9]), [1.0, 2.0])
    np.testing.assert_array_equal(data_machine.slowdown([1e9, 4e9], 1e9, [1, 2]), [1.0, 2.0])
    np.testing.assert_array_equal(data_machine.graph_bytes([26, 27]), [17e9, 34e9])
    np.testing.assert_array_equal(data_machine.effective_bandwidth([1, 2], 1e9), [1e9, 2e9])
    np.testing.assert_allclose(compression.index_coded_ratio([0.0, 1.0], [8, 16]), [1.0, 4.0])
    np.testing.assert_allclose(compression.index_coded_share([4.0, 4.0], [8, 8]), [6 / 7, 6 / 7])
    np.testing.assert_allclose(resilience.failures_in([1.0, 2.0], [2.0, 2.0]), [0.5, 1.0])
    with pytest.raises(InputError, match=r"'size' has the shape \(2,\), 'bandwidth' has the shape \(3,\)"):
        data_machine.transfer_time([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match=r"shapes that broadcast"):
        resilience.mean_time_between_failures(([1, 2], [1.0, 2.0, 3.0]))


def test_what_the_engine_calls_reads_no_arguments_twice():
    """Declarations have limits already; outside them the formula is there, unchecked."""
    assert compression._index_coded_ratio(2.0) == pytest.approx(-1 / 0.75)
