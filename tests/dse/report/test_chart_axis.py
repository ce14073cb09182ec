"""The axes of charts: round ticks inside, places in order, the evener of two scales."""

import math

import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.report.charts.chart_axis import ChartAxis, evener

NUMBERS = st.lists(st.floats(1e-9, 1e12), min_size=2, max_size=20)


@given(NUMBERS, st.integers(2, 9))
@settings(max_examples=examples(100), deadline=None)
def test_ticks_stand_inside_and_in_order(values, most):
    axis = ChartAxis.of(values, "W", 0.0, 300.0)
    ticks = axis.ticks(most)
    places = [axis.place(value) for value, _ in ticks]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in places)
    assert len(ticks) <= most + 2
    assert len({text for _, text in ticks}) == len(ticks)
    for value in values:
        assert -1e-6 <= axis.place(value) <= 300 + 1e-6


def test_the_scale_follows_the_spread_and_the_unit_the_values():
    assert not ChartAxis.of([20e6, 40e6], "W", 0, 1).logarithmic
    assert ChartAxis.of([20e3, 40e6], "W", 0, 1).logarithmic
    assert not ChartAxis.of([0.0, 40e6], "W", 0, 1).logarithmic
    axis = ChartAxis.of([0.0, 40e6], "W", 0, 100, zero=True, margin=0.0)
    assert (axis.heading, [text for _, text in axis.ticks(4)]) == (" [MW]", ["0", "10", "20", "30", "40"])
    assert axis.place(10e6) == pytest.approx(25)


def test_values_that_double_are_evener_on_a_logarithmic_axis():
    assert evener([1, 2, 4, 8])
    assert not evener([1, 2, 3, 4])
    assert not evener([0, 1, 10])
    assert not evener([1, 100])
    assert math.isclose(ChartAxis.of([1, 100], "1", 0, 1, margin=0, logarithmic=True).place(10), 0.5)
