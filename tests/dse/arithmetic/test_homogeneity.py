"""Degrees against what functions do: the result of a factor is that power of it, and what keeps none is refused."""

import numpy as np
import pytest

from dse import lookup
from dse.arithmetic.homogeneity import Degree

ONE = np.array([1.5, 2.5])


@pytest.mark.parametrize(
    ("formula", "degree"),
    [
        (lambda x: x * 3.0, 1.0),
        (lambda x: ONE / x, -1.0),
        (lambda x: x * x / (2.0 * x), 1.0),
        (lambda x: np.sqrt(x) * x, 1.5),
        (lambda x: np.cbrt(x * x * x), 1.0),
        (lambda x: (2.0 * x) ** 3, 3.0),
        (lambda x: x + 2.0 * x - np.maximum(x, 0.5 * x), 1.0),
        (lambda x: x + 0.0, 1.0),
        (lambda x: np.minimum(x, 3.0 * x) / x, 0.0),
        (lambda x: np.where(x > 0.0, x, 2.0 * x), 1.0),
        (lambda x: np.where(x < 2.0 * x, 1.0, 5.0), 0.0),
        (lambda x: np.exp(x / (2.0 * x)), 0.0),
        (lambda x: np.floor(x / x) * x, 1.0),
        (lambda x: np.clip(x, 0.5 * x, 2.0 * x), 1.0),
        (lambda x: np.abs(-x), 1.0),
        (lambda x: np.reciprocal(x) * ONE, -1.0),
        (lambda x: np.exp((0.3 * np.log(x) + 0.7 * np.log(ONE)) / 2.0), 0.15),
        (lambda x: np.exp(np.log(x * x) - np.log(ONE) * 4.0 - np.log(x) / 4.0), 1.75),
        (lambda x: np.exp(-np.log(x) + ONE), -1.0),
        (lambda x: np.exp(np.log(x) - np.log(x)) * x, 1.0),
    ],
)
def test_a_formula_is_the_power_of_a_factor_that_its_degree_says(formula, degree):
    found = formula(Degree(1.0))
    assert found.degree == pytest.approx(degree)
    for factor in (0.3, 1.7, 40.0):
        np.testing.assert_allclose(formula(factor * ONE), factor**degree * formula(ONE), rtol=1e-12)


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: x + 1.0,
        lambda x: np.maximum(x, 2.0),
        lambda x: np.exp(x),
        lambda x: np.exp(np.log(x) + x),
        lambda x: np.exp(np.log(x) * ONE),
        lambda x: np.exp(np.log(x) * np.log(x)),
        lambda x: np.exp(1.0 / np.log(x)),
        lambda x: np.sqrt(np.log(x)),
        lambda x: np.where(ONE > 2.0, np.log(x), 1.0),
        lambda x: np.floor(x),
        lambda x: np.where(x > 1.0, 1.0, 2.0),
        lambda x: np.where(ONE > 2.0, x, 1.0),
        lambda x: np.clip(x, 0.0, 1.0),
        lambda x: 2.0**x,
        lambda x: x**ONE,
        lambda x: np.interp(x, [0.0, 1.0], [0.0, 1.0]),
        lambda x: lookup([1.0, 2.0], x),
        lambda x: x.sum(),
        lambda x: x if x > 1.0 else 2.0 * x,
    ],
)
def test_what_keeps_no_power_of_a_factor_is_refused(formula):
    with pytest.raises(TypeError):
        formula(Degree(1.0))
