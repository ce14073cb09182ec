"""Fixed points and roots: against halving, the same bits in any company, and what never settles."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.arithmetic.fixed_point import root_between, settle


def crossing(curve, shape):
    """Where a curve between 0 and 1 crosses u."""
    return root_between(lambda u: curve(u) - u, np.zeros(shape), np.full(shape, 1.0 - 2.0**-53))


def halved(utilisation_at):
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(utilisation_at(middle)) > middle else (low, middle)
    return low


CURVES = {
    "queue": lambda demand: lambda u: demand / (1.0 + 0.5 * u / (1.0 - u)),
    "cap and queue": lambda demand: (
        lambda u: np.minimum(demand, 1.0) / (1.0 + np.maximum(0.1 * u / (1.0 - u) - 0.3, 0.0))
    ),
    "jump": lambda demand: lambda u: np.where(np.less(u, 0.3), demand, 0.1 * demand),
    "nothing": lambda demand: lambda u: 0.0 * demand * u,
}


@settings(max_examples=examples(60))
@given(st.sampled_from(list(CURVES)), st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=20))
def test_the_root_is_where_the_curve_crosses(curve, demands):
    every = np.array(demands)
    with np.errstate(all="ignore"):
        found = crossing(CURVES[curve](every), every.shape)
        for number, demand in enumerate(demands):
            assert found[number] == pytest.approx(halved(CURVES[curve](demand)), rel=1e-12, abs=1e-18)
            alone = crossing(CURVES[curve](every[number : number + 1]), (1,))
            assert alone.tobytes() == found[number : number + 1].tobytes()


def test_few_looks_are_enough():
    """Halving would take fifty."""
    looks = 0

    def counted(u):
        nonlocal looks
        looks += 1
        return CURVES["queue"](np.logspace(-6, 3, 1000))(u)

    crossing(counted, (1000,))
    assert looks < 15


def test_designs_settle_each_for_itself():
    """A step that jumps between two values never settles; those beside it do, and stay."""

    def step(values):
        jumping = np.where(np.greater(values[0], 40.0), 1.0, 90.0)
        return [np.where(np.array([True, False]), jumping, 75.0), 100.0 - np.where([True, False], jumping, 75.0)]

    start = [np.full(2, 50.0), np.full(2, 50.0)]
    (first, second), settled = settle(step, start, 0.5, 1e-11, 400)
    np.testing.assert_allclose(first + second, 100.0)
    assert settled.tolist() == [False, True]
    assert first[1] == pytest.approx(75.0, rel=1e-12)
    (alone, _), _ = settle(
        lambda values: [one[1:] for one in step(values)], [one[1:] for one in start], 0.5, 1e-11, 400
    )
    assert alone.tobytes() == first[1:].tobytes()
    assert start[0].tolist() == [50.0, 50.0]


def test_steps_are_few_enough():
    values, settled = settle(lambda values: [0.0 * values[0]], [np.ones(3)], 0.5, 1e-13, 3)
    assert not settled.any()
    assert values[0].tolist() == [0.125] * 3
