"""Difference quotients: slopes of smooth functions from few points, and more where they do not settle."""

import numpy as np
import pytest

from dse.arithmetic.duals import Mark
from dse.arithmetic.finite_differences import quotients
from dse.errors import InputError


def asked_for(function, x):
    """Return the quotient of a function of one argument, and the sizes of the lists it was called with."""
    sizes = []

    def evaluate(values):
        sizes.append(np.size(values["x"]))
        return {"y": function(np.asarray(values["x"]))}

    at = np.array([x])
    return quotients(evaluate, {"x": at}, ["x"], {"y": function(at)})["x"]["y"], sizes


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [(np.sqrt, 4.0, 0.25), (np.exp, 0.0, 1.0), (lambda x: 3.0 * x, -2.0, 3.0), (lambda x: 0.0 * x + 5.0, 7.0, 0.0)],
)
def test_smooth_functions_are_asked_at_three_points_of_each_side(function, x, slope):
    quotient, sizes = asked_for(function, x)
    assert quotient.slope[0] == pytest.approx(slope, rel=1e-6)
    assert quotient.marks[0] == Mark.NUMERIC
    assert sizes == [6]


def test_what_bends_near_by_is_asked_closer():
    edge = 1.0 + 2.0**-16.5  # between the points of the first pair
    quotient, sizes = asked_for(lambda x: np.where(x > edge, 9.0 * (x - edge), 0.0) + x, 1.0)
    assert sizes == [6, 4]  # the upper side alone
    assert quotient.slope[0] == pytest.approx(1.0, rel=1e-6)
    assert quotient.marks[0] & Mark.STEPS


def test_a_side_that_is_refused_has_no_slope_and_the_other_is_asked_as_ever():
    def function(x):
        if (x > 1.0).any():
            raise InputError("beyond its table")
        return x * x

    quotient, sizes = asked_for(function, 1.0)
    assert quotient.slope[0] == pytest.approx(2.0, rel=1e-4)
    assert quotient.marks[0] & Mark.ONE_SIDED
    assert np.isnan(quotient.above[0]) or quotient.above[0] == quotient.below[0]
    assert sizes == [6, 3, 1, 3]  # both sides, the upper one, its nearest point, the lower one
