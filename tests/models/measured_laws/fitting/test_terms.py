"""Terms: their values, their order, their texts, and the space they span."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import Parameter, coordinates, distance, fewest_runs
from dse.models.measured_laws.fitting.terms import CONSTANT, Factor, Term, factor_space, study_exponents

F = Fraction


def test_exponents_of_the_study():
    assert " ".join(map(str, study_exponents())) == "0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 5/3 7/4 2"
    assert F(11, 4) in study_exponents(F(3))
    with pytest.raises(InputError, match="largest exponent = -1"):
        study_exponents(F(-1))


def test_the_space_begins_with_the_constant_and_has_every_factor_once():
    space = factor_space()
    assert space[0] == CONSTANT
    assert len(set(space)) == len(space) == 13 * 3 + 12 * 2
    assert len(factor_space(smallest=F(0), logarithms=1)) == 26
    assert list(space[1:]) == sorted(space[1:])


def test_order_is_by_powers_and_then_by_logarithms():
    rising = [
        Factor(F(-1)),
        Factor(F(-1), 1),
        CONSTANT,
        Factor(F(0), 1),
        Factor(F(0), 2),
        Factor(F(1, 4)),
        Factor(F(1), 1),
    ]
    falling = rising[::-1]
    falling.sort()
    assert falling == rising


@pytest.mark.parametrize("factor", factor_space(), ids=str)
def test_order_is_that_of_the_values_far_out(factor):
    slower = [other for other in factor_space() if other < factor]
    far = 2.0**400  # where a logarithm is far below the smallest step of a power
    assert all(other.at(far) < factor.at(far) for other in slower)


def test_values():
    assert Factor(F(1, 2), 2).at(np.array([16.0, 4.0])).tolist() == [64.0, 8.0]
    term = Term((Factor(F(1)), Factor(F(-1), 1)))
    assert term.at(np.array([[8.0, 4.0], [3.0, 2.0]])).tolist() == [4.0, 1.5]
    assert Term((CONSTANT, CONSTANT)).at(np.array([[8.0, 4.0]])).tolist() == [1.0]


def test_texts():
    n, s = Parameter("n"), Parameter("s", log2=True)
    told = [Factor(F(i), j).text(n) for i, j in ((1, 0), (2, 1), (-1, 0), (F(1, 3), 2), (0, 1))]
    assert told == ["n", "n^2·log2(n)", "n^(-1)", "n^(1/3)·log2(n)^2", "log2(n)"]
    told = [Factor(F(i), j).text(s) for i, j in ((1, 0), (2, 1), (-1, 0), (F(2, 3), 2), (F(-3, 4), 0), (0, 1))]
    assert told == ["2^s", "2^(2 s)·s", "2^(-s)", "2^(2 s/3)·s^2", "2^(-3 s/4)", "s"]
    assert Term((Factor(F(1)), CONSTANT, Factor(F(-1)))).text([n, s, Parameter("p")]) == "n·p^(-1)"
    assert Term((CONSTANT,)).text([n]) == ""


def test_intricacy():
    told = [
        Factor(F(i), j).intricacy for i, j in ((0, 0), (1, 0), (-1, 0), (0, 1), (F(1, 2), 0), (2, 0), (1, 1), (0, 2))
    ]
    assert told == [0, 1, 1, 1, 2, 2, 2, 2]
    assert Factor(F(-4, 3), 1).intricacy == 4


def test_distance_is_that_of_sizes():
    scale, processes = Parameter("scale", log2=True), Parameter("processes")
    # Anghel 2017, Section 7.2: from scale 17 and 16 processes to scale 26 and 262,144.
    assert distance(scale, 26, [14, 15, 16, 17]) == 2.0**9
    assert distance(processes, 262144, [4, 8, 16]) == 2.0**14
    assert distance(Parameter("size"), 800, [36, 64, 102, 162]) == pytest.approx(4.94, abs=0.01)
    assert distance(processes, 8, [4, 8, 16]) == 0.5
    assert distance(processes, 1, [4, 8, 16]) == 4.0
    assert distance(scale, 10, [14, 17]) == 16.0


@given(st.floats(1, 1e6), st.lists(st.floats(1, 1e6), min_size=1, max_size=5))
def test_distance_is_above_1_outside_alone(target, values):
    far = distance(Parameter("n"), target, values)
    assert (far > 1) == (target > max(values) or target < min(values))


def test_bad_values():
    n, s = Parameter("n"), Parameter("s", log2=True)
    for value in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"n = .*; allowed: a finite number above 0"):
            n.coordinate(value)
    with pytest.raises(InputError, match="s = 501 as a binary logarithm"):
        s.coordinate(501)
    with pytest.raises(InputError, match="s = nan as a binary logarithm"):
        s.coordinate(float("nan"))
    for value in (True, "8", None):
        with pytest.raises(InputError, match="allowed: a number"):
            n.coordinate(value)
    assert coordinates([n, s], [{"n": 3, "s": -2}]).tolist() == [[3.0, 0.25]]
    assert [fewest_runs(count) for count in (1, 2, 3)] == [5, 9, 13]
