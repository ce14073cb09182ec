"""Runs that rise faster than x^2 log2(x)^2 get laws, and intervals, of powers up to the fourth; no others do."""

import numpy as np
import pytest

from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.fitting.interval import prediction_interval
from dse.models.measured_laws.fitting.steepness import largest_power, largest_powers
from dse.models.measured_laws.kinds.expectations.expectation import Expectation
from dse.models.measured_laws.kinds.expectations.fitted import fit_series

SIZES = np.array([128.0, 192.0, 256.0, 384.0, 512.0])


@pytest.mark.parametrize(("text", "power"), [("n^(5/2)", 2.5), ("n^3", 3.0), ("n^4", 4.0)])
def test_steep_growth_is_found_and_matches_what_is_expected_of_it(text: str, power: float) -> None:
    series = fit_series(1e-9 * SIZES**power, SIZES.tolist(), "n", unit="s")
    assert series.law.at({"n": 2048}) == pytest.approx(1e-9 * 2048.0**power)
    assert Expectation.of(text).judge(series.growth).match == "exact"
    assert Expectation.of("n").judge(series.growth).match == "none"


def test_the_interval_of_noisy_runs_of_a_matrix_product_holds_its_third_power() -> None:
    noise = np.array([1.02, 0.99, 1.01, 0.98, 1.01])
    low, high = prediction_interval(SIZES, 1e-9 * SIZES**3 * noise, 2048.0, 0.9)
    assert low < 1e-9 * 2048.0**3 < high < 3 * low


@pytest.mark.parametrize(
    ("values", "power"),
    [(SIZES**2, 2), (SIZES**2 * np.log2(SIZES) ** 2, 2), (SIZES**2.5, 4), (1e6 + SIZES**3, 4), (SIZES * 0.0, 2)],
)
def test_the_range_of_powers_is_widened_by_what_the_runs_show(values: np.ndarray, power: int) -> None:
    assert largest_power(SIZES, values * (1 - 1e-9 * np.arange(5))) == power


def test_each_parameter_has_its_own_range() -> None:
    sizes = np.array([(n, p) for n in (64.0, 128.0, 256.0, 512.0) for p in (1.0, 2.0, 4.0, 8.0)])
    n, p = sizes.T
    assert largest_powers(sizes, n**3 / p) == (4, 2)
    law = fit((1e-9 * n**3 / p).tolist(), {"n": n.tolist(), "p": p.tolist()}, unit="s")
    assert law.at({"n": 2048, "p": 64}) == pytest.approx(1e-9 * 2048.0**3 / 64)
