"""Least squares of many problems beside NumPy's one by one, and runs left out beside fits without them."""

import numpy as np
import pytest

from dse.models.measured_laws.fitting.least_squares import solve


@pytest.mark.parametrize("coefficients", [1, 2, 3])
def test_beside_numpy_one_by_one(coefficients):
    rng = np.random.default_rng(coefficients)
    columns = rng.standard_normal((20, 12, coefficients)) * 10.0 ** rng.uniform(-2, 2, (20, 1, coefficients))
    values = rng.standard_normal(12) + 3.0
    found = solve(columns, values)
    for place, each in enumerate(columns):
        expected, squares, *_ = np.linalg.lstsq(each, values, rcond=None)
        np.testing.assert_allclose(found.coefficients[place], expected, rtol=1e-8)
        np.testing.assert_allclose(found.squares[place], squares[0], rtol=1e-10)
        np.testing.assert_allclose(found.inverse[place], np.linalg.inv(each.T @ each), rtol=1e-6)
        missed = []
        for run in range(12):
            kept = np.arange(12) != run
            part, *_ = np.linalg.lstsq(each[kept], values[kept], rcond=None)
            missed.append(values[run] - each[run] @ part)
        np.testing.assert_allclose(found.left_out[place], np.square(missed).sum(), rtol=1e-8)


def test_what_has_no_solution_is_marked():
    line = np.arange(1.0, 7.0)
    twice = np.stack([line, 2.0 * line], axis=-1)
    alone = np.stack([line, np.eye(6)[2]], axis=-1)  # without run 2 the second coefficient is open
    found = solve(np.stack([twice, alone]), line)
    assert np.isinf(found.left_out).all()
    assert np.isinf(found.squares[0])
    assert np.isfinite(found.coefficients).all()
