"""The closed form of the waiting time, against root finding, limits and its own range rule."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dse.models.hybrid.queue as queue
from dse.arithmetic.ranges import Range
from dse.models.hybrid.queue import contended_time, waiting_time

times = st.floats(min_value=1e-6, max_value=1e6)
loads = st.floats(min_value=0.0, max_value=1e6)


def one(value):
    return np.array([float(value)])


@pytest.mark.parametrize(("channels", "time", "utilisation"), [(4, 10.472136, 0.190983), (1, 13.123106, 0.609612)])
def test_example_of_the_specification(channels, time, utilisation):
    """T0 = 10, s = 2, four nodes, scv = 1."""
    busy = one(4 * 2 / channels)
    found = contended_time(one(10), busy, one(2))
    assert found[0] == pytest.approx(time, abs=5e-7)
    assert (busy / found)[0] == pytest.approx(utilisation, abs=5e-7)


@pytest.mark.parametrize(
    ("base", "nodes", "service", "channels", "scv"),
    [(10.0, 4, 2.0, 4, 1.0), (10.0, 4, 2.0, 1, 1.0), (1.0, 64, 3.0, 1, 0.0), (300.0, 20, 170.0, 20, 3.0)],
)
def test_is_the_fixed_point_of_pollaczek_khinchine(base, nodes, service, channels, scv):
    """Bisection on T = T0 + s rho (1 + scv) / (2 (1 - rho)), rho = n s / (k T), finds the same T."""
    busy = nodes * service / channels
    low, high = max(base, busy) * (1 + 1e-15), 1e9
    for _ in range(300):
        middle = (low + high) / 2
        load = busy / middle
        if load < 1 and base + service * load * (1 + scv) / (2 * (1 - load)) < middle:
            high = middle
        else:
            low = middle
    found = contended_time(one(base), one(busy), one((1 + scv) / 2 * service))[0]
    assert found == pytest.approx(high, rel=1e-12)


@given(times, loads, loads)
def test_limits(base, busy, weight):
    """No traffic: T0. No waiting weight (scv = -1): the longer of T0 and the busy time."""
    assert contended_time(one(base), one(0), one(0))[0] == base
    assert waiting_time(one(base), one(0), one(0))[0] == 0
    assert contended_time(one(base), one(busy), one(0))[0] == pytest.approx(max(base, busy), rel=1e-15)
    assert waiting_time(one(base), one(busy), one(0))[0] == pytest.approx(max(busy - base, 0.0), rel=1e-15)
    assert contended_time(one(base), one(busy), one(weight))[0] >= max(base, busy)


@given(times, loads, loads)
def test_the_two_forms_agree(base, busy, weight):
    """T is T0 and the waiting time."""
    total = contended_time(one(base), one(busy), one(weight))[0]
    assert base + waiting_time(one(base), one(busy), one(weight))[0] == pytest.approx(total, rel=1e-14)


@given(st.tuples(times, times), st.tuples(loads, loads), st.tuples(loads, loads), st.data())
def test_range_rules_contain_points(base, busy, weight, data):
    """Bounds hold at the corners and at any point inside."""
    ranges = [Range(np.array([min(pair)]), np.array([max(pair)])) for pair in (base, busy, weight)]
    inside = [one(data.draw(st.floats(min(pair), max(pair)))) for pair in (base, busy, weight)]
    points = [inside]
    points += [[one(a), one(b), one(c)] for a in base for b in busy for c in weight]
    for formula in (contended_time, waiting_time):
        bounds = formula(*ranges)
        for point in points:
            assert bounds.low <= formula(*point) <= bounds.high


def test_small_waiting_keeps_its_digits():
    """T - T0 as a difference would lose all digits here."""
    assert waiting_time(one(1e6), one(1e-6), one(1e-6))[0] == pytest.approx(1e-18, rel=1e-11)


def test_examples_of_the_documentation():
    assert doctest.testmod(queue).failed == 0
