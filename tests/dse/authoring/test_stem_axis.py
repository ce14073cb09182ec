"""Stems with labels on one axis: every label has room, and numbers below it do not meet."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.declare.stem_axis import SPREAD, stem_axis

NUMBERS = st.one_of(st.just(0.0), st.floats(1e-12, 1e12))
STEMS = st.lists(st.tuples(NUMBERS, st.integers(1, 50)), min_size=1, max_size=20)


def test_a_linear_axis_starts_at_nothing():
    axis = stem_axis([1.0, 2.0, 8.0], [20, 20, 20], 100)
    assert not axis.logarithmic
    assert axis.place(8) == 80  # where its label ends with the axis
    assert axis.place(2) == 20
    assert axis.ticks(lambda tick: 4) == list(range(11))
    assert axis.ticks(lambda tick: 12) == [0, 2, 4, 6, 8, 10]


def test_a_logarithmic_axis_where_values_spread():
    axis = stem_axis([1.0, 10.0, 10_000.0], [20, 20, 20], 100)
    assert axis.logarithmic
    assert [axis.place(value) for value in (1, 10, 10_000)] == [0, 20, 80]
    assert axis.ticks(lambda tick: 5) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5]
    assert axis.ticks(lambda tick: 7) == [1, 10, 100, 1000, 10_000, 100_000]
    assert axis.ticks(lambda tick: 25) == [1, 100, 10_000]
    assert stem_axis([2.0, 4.0], [1, 1], 100, logarithmic=True, below=2).place(2) == pytest.approx(100 * math.log10(2))


def test_what_is_nothing_stands_at_the_start():
    axis = stem_axis([0.0, 1.0, 1000.0], [1, 1, 1], 100)
    assert axis.logarithmic
    assert axis.place(0) == axis.place(1) == 0
    alone = stem_axis([0.0], [5], 100)
    assert alone.place(0) == 0
    assert alone.ticks(lambda tick: 3)


def test_labels_longer_than_the_axis_leave_the_stems_a_quarter():
    axis = stem_axis([1.0, 1000.0], [300, 300], 100)
    assert axis.place(1000) == pytest.approx(25)


@given(STEMS, st.integers(60, 200), st.sampled_from([None, True]))
def test_every_label_has_room(stems, length, logarithmic):
    values, labels = [value for value, _ in stems], [float(label) for _, label in stems]
    axis = stem_axis(values, labels, length, logarithmic=logarithmic)
    positive = [value for value in values if value > 0]
    if logarithmic is None and positive:
        assert axis.logarithmic == (max(positive) > SPREAD * min(positive))
    for value, label in stems:
        assert 0 <= axis.place(value) <= max(length - label, 0.25 * length) + 1e-9 * length
    for one, other in itertools.pairwise(sorted(values)):
        assert axis.place(one) <= axis.place(other)


@given(STEMS, st.integers(40, 200), st.integers(1, 12))
def test_numbers_below_do_not_meet(stems, length, width):
    values, labels = [value for value, _ in stems], [float(label) for _, label in stems]
    axis = stem_axis(values, labels, length)
    ticks = axis.ticks(lambda tick: width)
    places = [axis.place(tick) for tick in ticks]
    assert all(b - a >= width - 1e-9 for a, b in itertools.pairwise(places))
    assert all(-1e-9 <= place <= length * (1 + 1e-9) for place in places)
    for tick in ticks:  # 1, 2 or 5 times a power of ten, or a multiple of such a step
        assert tick == 0 or float(f"{tick:.6g}") == tick
