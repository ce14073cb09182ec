"""Which constraints are lines over a quantity, and the published errors that the page tells of objectives."""

import pytest

from dse.report.record.collect import page_view
from dse.report.record.limit_lines import LimitLine, limit_lines


def test_a_constant_on_either_side(make_run):
    texts = ["power <= 20 MW", "0.1 ms < time", "power <= 2 * power", "width != 9", "2 * width >= 2"]
    assert limit_lines(make_run(constraints=texts).study.compiled) == (
        LimitLine("power", "<=", 20e6, "power <= 20 MW"),
        LimitLine("time", ">", pytest.approx(1e-4), "0.1 ms < time"),
    )


def test_each_once_over_all_alternatives(runs):
    problem = runs("ska-correlator").study.compiled
    assert len(problem.systems) == 3
    assert limit_lines(problem) == (LimitLine("run_time", "<=", 0.52, "run_time <= 0.52 s"),)


def test_published_errors_of_objectives(runs):
    """Of Table 2 of the paper that the model cites: 8 % of the time, 15 % of the energy."""
    assert page_view(runs("hybrid-xeon-sp")).errors == ((0.08,), (0.15,))
    assert page_view(runs("ska-correlator")).errors == ((None, None, None), (None, None, None))
