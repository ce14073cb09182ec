"""One power: its bits depend on base and exponent alone, and its ranges, signs and derivatives hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.duals import independent, plain
from dse.arithmetic.monotonicity import FALLS, FREE, RISES, UNKNOWN, seeds
from dse.arithmetic.power import power
from dse.arithmetic.ranges import Range
from dse.graph.expression import parse

EXPONENTS = (2.0, 0.5, -1.0, 1.0, 0.0, 3.0, -0.5, 1.5, -2.0)
BASES = np.round(np.random.default_rng(7).uniform(0.1, 99.9, 2_000), 1)


def bits(values: object) -> list[int]:
    return np.ascontiguousarray(values, dtype=float).view(np.int64).tolist()


def in_blocks(base: np.ndarray, exponent: np.ndarray, rows: int) -> np.ndarray:
    """The power block by block; an exponent that all rows share stays one, as a constant of the loop does."""
    parts = []
    for begin in range(0, len(base), rows):
        here = base[begin : begin + rows]
        own = exponent if len(exponent) == 1 else exponent[begin : begin + rows]
        parts.append(np.broadcast_to(power(here, own), here.shape))
    return np.concatenate(parts)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("rows", [1, 2, 7, 1_000])
def test_E11_blocks_of_any_size_have_the_same_bits(exponent, rows):
    literal, axis = np.array([exponent]), np.full(len(BASES), exponent)
    whole = bits(power(BASES, literal))
    assert bits(in_blocks(BASES, literal, rows)) == whole
    assert bits(in_blocks(BASES, axis, rows)) == whole
    assert bits([power(BASES[:1], float(exponent))[0]]) == whole[:1]


@pytest.mark.parametrize("text", ["x ** 2", "x ^ 0.5", "x ** -1", "x ** 1.5", "x ** y", "2 ** y", "(x * y) ** (y / 2)"])
@pytest.mark.parametrize("rows", [1, 2, 7, 1_000])
def test_E11_an_expression_says_the_same_of_a_design_alone_and_among_others(text, rows):
    expression = parse(text, {"x": "1", "y": "1"})
    exponents = np.resize(np.array(EXPONENTS), len(BASES))
    given = {"x": BASES, "y": exponents}
    whole = np.broadcast_to(expression(*(given[name] for name in expression.needs)), BASES.shape)
    parts = [
        np.broadcast_to(expression(*(given[name][here] for name in expression.needs)), BASES[here].shape)
        for here in (slice(begin, begin + rows) for begin in range(0, len(BASES), rows))
    ]
    assert bits(np.concatenate(parts)) == bits(whole)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_E11_neither_stride_nor_shape_changes_a_bit(exponent):
    whole = bits(power(BASES, exponent))
    spread = np.empty((len(BASES), 5))
    spread[:, 2] = BASES
    assert bits(power(spread[:, 2], np.array([exponent]))) == whole
    assert bits(power(BASES[::-1], exponent)[::-1]) == whole
    assert bits(power(BASES[:, None], np.array([[exponent, 1.25]]))[:, 0]) == whole
    assert power(BASES, np.array([[exponent]])).shape == (1, len(BASES))


def test_E11_equal_designs_stay_equal_and_a_limit_keeps_both():
    """12.8 squared, alone and among others, as a literal and as an axis."""
    alone, among = parse("x ** 2", {"x": "1"})(np.array([12.8])), parse("x ** 2", {"x": "1"})(np.array([12.8, 3.0]))
    by_axis = parse("x ** y", {"x": "1", "y": "1"})(np.array([12.8, 12.8]), np.array([2.0, 3.0]))
    assert alone[0] == among[0] == by_axis[0] == 12.8 * 12.8


@given(
    st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=2),
    st.lists(st.sampled_from([*EXPONENTS, 2.000001, 0.1, -3.7]), min_size=2, max_size=2),
    st.floats(0.0, 1.0),
)
def test_ranges_hold_every_power_inside(base, exponent, share):
    (low, high), (least, most) = sorted(base), sorted(exponent)
    bounds = power(Range(np.array([low]), np.array([high])), Range(np.array([least]), np.array([most])))
    inside = low + share * (high - low)
    for number in (least, most, 2.0 if least <= 2.0 <= most else least):
        for point in (low, high, min(max(inside, low), high)):
            found = power(np.array([point]), np.array([number]))[0]
            assert bounds.low[0] <= found <= bounds.high[0]


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6), st.sampled_from([*EXPONENTS, 0.1, 2.5]))
def test_signs_hold_to_the_last_bit(one, other, exponent):
    low, high = sorted((one, other))
    base = seeds([Range(np.array([low]), np.array([high]))])[0]
    sign = power(base, exponent).signs[0]
    first, last = power(np.array([low, high]), exponent)
    assert first <= last if sign == RISES else first >= last if sign == FALLS else sign in (FREE, UNKNOWN)
    assert sign != UNKNOWN


def test_an_exponent_that_passes_one_of_its_own_operation_has_no_sign():
    """Between 1.9 and 2.1 there are two ways to a power, which meet but for a rounding."""
    for ends, expected in (([2.1], [2.9]), RISES), (([1.9], [2.1]), UNKNOWN), (([2.0], [2.0]), FREE):
        base, exponent = seeds([Range([3.0], [4.0]), Range(*map(np.array, ends))])
        assert power(base, exponent).signs.tolist() == [RISES, expected]


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_derivatives_are_those_of_powers_and_values_those_of_arrays(exponent):
    (base,) = independent([BASES[:50]])
    found = power(base, exponent)
    assert bits(plain(found)) == bits(power(BASES[:50], exponent))
    assert found.derivative[:, 0] == pytest.approx(exponent * BASES[:50] ** (exponent - 1.0), rel=1e-12)


def test_an_exponent_has_a_derivative():
    (exponent,) = independent([np.array([2.0, 3.0])])
    found = power(np.array([5.0]), exponent)
    assert found.value.tolist() == [25.0, 125.0]
    assert found.derivative[:, 0] == pytest.approx(np.log(5.0) * np.array([25.0, 125.0]))
