"""Rules of the models' primitives for dual numbers, against differences computed with fifty digits or both ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.duals import Dual, Mark, independent, plain
from dse.authoring.library.library import load_model
from dse.authoring.library.listing import available_models
from dse.errors import InputError
from dse.graph.graph import call
from dse.models.branches import miss_rate
from dse.models.branches.entropy import binary_entropy
from dse.models.hybrid.queue import contended_time, waiting_time
from dse.models.processor.core.in_order import mean_excess
from dse.models.processor.core.ratios import per_unit, until_used_up

times = st.floats(1e-6, 1e6)


def slopes(function, *values):
    """Derivatives along each argument, and the value."""
    found = function(*independent([np.array([value]) for value in values]))
    plain = function(*(np.array([value]) for value in values))
    assert found.value.tobytes() == plain.tobytes()
    return found.derivative[0].tolist(), float(found.value[0])


def differences(function, *values):
    """One-sided slopes along each argument."""
    for position, value in enumerate(values):
        sides = []
        for sign in (1, -1):
            width = sign * value * 2.0**-16
            ends = [
                function(*(np.array([x + (i == position) * width / part]) for i, x in enumerate(values)))[0]
                for part in (1, 2)
            ]
            here = function(*(np.array([x]) for x in values))[0]
            sides.append(2 * (ends[1] - here) / (width / 2) - (ends[0] - here) / width)
        yield sides


@given(times, times, times)
def test_run_time_with_waiting(base, busy, weight):
    """The derivatives solve (T - T0)(T - a) = a q, differentiated."""
    (of_base, of_busy, of_weight), time = slopes(contended_time, base, busy, weight)
    (w_base, w_busy, w_weight), waiting = slopes(waiting_time, base, busy, weight)
    rest = (base - busy) + waiting if base > busy else busy * weight / waiting
    for of, right in ((of_base, rest), (of_busy, waiting + weight), (of_weight, busy)):
        assert of * (waiting + rest) == pytest.approx(right, rel=1e-9)
        assert of >= 0
    assert (w_busy, w_weight) == (of_busy, of_weight)
    assert w_base == pytest.approx(-waiting / (waiting + rest), rel=1e-9)
    assert w_base + 1.0 == pytest.approx(of_base, abs=1e-9)
    assert time >= max(base, busy)


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10))
def test_run_time_with_waiting_and_differences(base, busy, weight):
    for function in (contended_time, waiting_time):
        found, value = slopes(function, base, busy, weight)
        for slope, (up, down) in zip(found, differences(function, base, busy, weight), strict=True):
            assert slope == pytest.approx((up + down) / 2, rel=1e-6, abs=1e-7 * value)


def test_run_time_without_waiting():
    assert slopes(contended_time, 10.0, 0.0, 2.0)[0] == [1.0, 0.2, 0.0]
    assert slopes(waiting_time, 10.0, 0.0, 2.0)[0] == [0.0, 0.2, 0.0]
    assert slopes(contended_time, 10.0, 4.0, 0.0)[0] == [1.0, 0.0, pytest.approx(4 / 6)]
    assert slopes(contended_time, 4.0, 10.0, 0.0)[0] == [0.0, 1.0, pytest.approx(10 / 6)]
    assert slopes(contended_time, 4.0, 4.0, 0.0)[0] == [1.0, 0.0, 0.0]
    assert slopes(waiting_time, 4.0, 4.0, 0.0)[0] == [0.0, 0.0, 0.0]


@given(st.floats(0.01, 0.99))
def test_the_rate_of_an_entropy(entropy):
    ((slope,), rate) = slopes(miss_rate, entropy)
    width = rate * 2.0**-12
    rise = (binary_entropy(rate + width) - binary_entropy(rate - width)) / (2 * width)
    assert slope == pytest.approx(1.0 / float(rise), rel=1e-5)


def test_the_rate_of_an_entropy_at_its_ends():
    assert slopes(miss_rate, 0.0) == ([0.0], 0.0)
    assert slopes(miss_rate, 1.0) == ([np.inf], 0.5)


def test_quotients_where_one_of_the_two_is_nothing():
    assert slopes(per_unit, 0.5, 2.0) == ([0.5, -0.125], 0.25)
    assert slopes(until_used_up, 54.0, 0.5) == ([2.0, -216.0], 108.0)
    with np.errstate(all="ignore"):
        assert slopes(per_unit, 0.0, 0.0) == ([0.0, 0.0], 0.0)
        assert slopes(until_used_up, 54.0, 0.0) == ([0.0, 0.0], np.inf)
    constant = per_unit(Dual(np.array([0.5]), [1.0]), 2.0)
    assert constant.derivative.tolist() == [[0.5]]


@given(st.tuples(st.floats(1, 50), *[st.floats(1, 200)] * 3, *[st.floats(0.01, 0.99)] * 3))
def test_the_excess_of_the_longest_event(values):
    found = mean_excess(*independent([np.array([value]) for value in values]))
    for slope, mark, (up, down) in zip(
        found.derivative[0], found.marks[0], differences(mean_excess, *values), strict=True
    ):
        if abs(up - down) <= 1e-5 * max(abs(up), abs(down)) + 1e-9 and not mark & Mark.ONE_SIDED:
            assert slope == pytest.approx((up + down) / 2, rel=1e-5, abs=1e-6)


def functions_that_join():
    """Every function of the library that may be joined over designs, and reads numbers alone."""
    found = {}
    for name in available_models():
        model = load_model(name)
        units = {
            **{n: p.unit for n, p in model.parameters.items()},
            **{n: a.unit for n, a in model.assumptions.items()},
        }
        for function in model.functions:
            units |= function.gives
        for function in model.functions:
            numbers = all(units.get(need, "1") != "text" and need not in model.tables for need in function.needs)
            if function.needs and numbers and not function.points_only:
                found[function.label] = function
    return found


@pytest.mark.parametrize("function", functions_that_join().values(), ids=lambda function: function.label)
def test_what_joins_designs_takes_dual_numbers(function):
    """Values to the last bit, and no refusal, at numbers that mean nothing."""
    rng = np.random.default_rng(len(function.label))
    values = rng.uniform(0.5, 2.0, (len(function.needs), 1))
    with np.errstate(all="ignore"):
        try:
            expected = call(function, dict(zip(function.needs, values, strict=True)))
        except InputError:
            pytest.skip("these numbers are refused")
        found = call(function, dict(zip(function.needs, independent(list(values)), strict=True)))
    for name, value in expected.items():
        assert np.asarray(plain(found[name])).tobytes() == np.asarray(value).tobytes()
