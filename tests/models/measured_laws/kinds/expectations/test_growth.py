"""Growths: their algebra, their order, and their language."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.growth import CONSTANT, Growth, leading
from dse.models.measured_laws.kinds.expectations.language import parse_growth

F = Fraction
exponents = st.builds(F, st.integers(-8, 8), st.integers(1, 4))
growths = st.builds(Growth, exponents, exponents, exponents)


@given(growths, growths, growths)
def test_products_and_quotients(one, two, three):
    assert (one * two) / two == one
    assert one * two == two * one
    assert (one < two) == (one * three < two * three)
    assert one**2 == one * one
    assert (one ** F(1, 2)) ** 2 == one
    assert one / one == CONSTANT == Growth()


@given(growths)
def test_texts_are_read_as_they_are_written(growth):
    assert parse_growth(growth.text("k"), "k")[0] == growth


@given(growths, growths)
def test_the_faster_one_is_larger_in_the_end(one, two):
    """By logarithms of the quotient at x = 2^e for very large e, which share nothing with the order of exponents."""
    ratio, e = one / two, 2**40
    # log2 of 2^(k x) x^i log2(x)^j at x = 2^e, the first part counted as more than all others wherever it is there
    k, i, j = ratio.exponents
    size = float("inf") * np.sign(float(k)) if k else float(i) * e + float(j) * 40
    assert (size > 0) == (one > two)
    assert (size < 0) == (one < two)


def test_classes():
    assert CONSTANT.kind == "logarithmic"
    assert parse_growth("log^2 p")[0].kind == "logarithmic"
    assert parse_growth("p log p")[0].kind == "polynomial"
    assert parse_growth("k^3 2^k")[0].kind == "exponential"
    assert parse_growth("k^3 2^k")[0].dominating == Growth(exponential=F(1))
    assert leading([CONSTANT, Growth(power=F(1)), Growth(logarithm=F(3))]) == Growth(power=F(1))


def test_values():
    assert parse_growth("k^3 2^(k/2)")[0].at(4.0) == 4**3 * 2**2
    assert parse_growth("1/p")[0].at([2.0, 4.0]).tolist() == [0.5, 0.25]
    assert parse_growth("p^2 log p")[0].at(8.0) == 64 * 3


@pytest.mark.parametrize(
    ("text", "exponents"),
    [
        ("O(1)", (0, 0, 0)),
        ("1", (0, 0, 0)),
        ("log p", (0, 0, 1)),
        ("log2(p)", (0, 0, 1)),
        ("(log p)^2", (0, 0, 2)),
        ("p^(1/2) log^2 p", (0, F(1, 2), 2)),
        ("sqrt(p) log p", (0, F(1, 2), 1)),
        ("p^1.25", (0, F(5, 4), 0)),
        ("p^-1", (0, -1, 0)),
        ("p^(-1/3)", (0, F(-1, 3), 0)),
        ("1/p", (0, -1, 0)),
        ("p / log p", (0, 1, -1)),
        ("p^2 / log p / p", (0, 1, -1)),
        ("p*log p", (0, 1, 1)),
        ("p·log^(1/2) p", (0, 1, F(1, 2))),
        ("k^3 2^k", (1, 3, 0)),
        ("2^(k/2)", (F(1, 2), 0, 0)),
        ("2^(3k)", (3, 0, 0)),
        ("2^(2*k)", (2, 0, 0)),
        ("2^(1/2 k)", (F(1, 2), 0, 0)),
        ("2^(-k)", (-1, 0, 0)),
        ("O(p log p)", (0, 1, 1)),
    ],
)
def test_readings(text, exponents):
    assert parse_growth(text)[0].exponents == exponents


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p^1/2", "'^1/2' can be read in two ways; allowed: ^(1/2)"),
        ("3 p", "has the coefficient 3"),
        ("2p", "has the coefficient 2"),
        ("p + log p", "is a sum; allowed: its fastest term alone"),
        ("p q", "has 2 variables (p, q)"),
        ("", "cannot be read at its end"),
        ("p^99", "an exponent beyond 16"),
        ("2^(k/0)", "divides by 0"),
        ("p^(1/0)", "divides by 0"),
        ("log", "cannot be read"),
        ("__import__('os')", "cannot be read at ''os')' (character 12)"),
        ("p" * 300, "has 300 characters"),
        ("p\x1b[2J", "control character U+001B"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(InputError) as caught:
        parse_growth(text)
    assert message in str(caught.value)


def test_another_variable_is_refused():
    with pytest.raises(InputError, match=r"the growth 'log n' is in n; allowed: p"):
        parse_growth("log n", "p")
    assert parse_growth("O(1)", "p") == (CONSTANT, None)
