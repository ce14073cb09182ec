"""Row F4: counts of loops are polynomials of whole powers, and what a fit says beyond its runs is its interval."""

import numpy as np
import pytest

from dse.models.measured_laws.fitting.fit import fit

SIZES = np.array([8.0, 16, 24, 32, 48, 64])


@pytest.mark.parametrize(
    "count",
    [
        lambda n: (3 * n - 2) ** 3,  # n^(11/4) log2(n), "error 0.33 %": -9 % at 200, -21 % at 1,024
        lambda n: (n - 1) * (n - 2) / 2,
        lambda n: 7 * n**2 + 3 * n + 11,
        lambda n: n**3 + 2 * n**2 - n + 5,
        lambda n: 2 * n * (n - 1) * (n + 1) + 40,
    ],
)
def test_F4_a_count_of_loops_is_found_exactly(count):
    law = fit(count(SIZES), {"n": SIZES}, target={"n": 1024})
    for target in (200.0, 1024.0):
        assert law.at({"n": target}) == pytest.approx(count(target), rel=1e-8)
        found = law.predict({"n": target})
        assert found.low <= count(target) * (1 + 1e-8)
        assert count(target) * (1 - 1e-8) <= found.high
        assert found.high - found.low < 1e-6 * count(target)


def test_F4_a_start_that_is_not_the_same_in_every_run_is_no_matter():
    counts = (3 * SIZES - 2) ** 3 + np.array([3.0, 0.0, 5.0, 1.0, 2.0, 4.0])
    law = fit(counts, {"n": SIZES})
    assert max(term.factors[0].exponent for term in law.terms) == 3
    assert law.at({"n": 1024}) == pytest.approx((3 * 1024 - 2) ** 3, rel=1e-3)
    found = law.predict({"n": 1024})
    assert found.low <= (3 * 1024 - 2) ** 3 <= found.high


def test_F4_what_was_measured_with_noise_gets_no_further_terms():
    generator = np.random.default_rng(1)
    for _ in range(20):
        times = np.rint(1e6 * (5 + 0.3 * SIZES**1.5) * (1 + 0.02 * generator.standard_normal(6)))
        assert len(fit(times, {"n": SIZES}).terms) <= 2


def test_F4_other_counts_stay_what_they_were():
    sizes = 2.0 ** np.arange(3, 9)
    law = fit(sizes * np.log2(sizes), {"n": sizes})
    assert str(law) == "n·log2(n)"
