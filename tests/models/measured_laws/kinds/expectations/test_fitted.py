"""Fitted growth, the memory wall, and two laws instead of one."""

import math

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.kinds.expectations.fitted import fit_series, growth_of, largest_within
from dse.models.measured_laws.kinds.expectations.language import parse_growth
from dse.models.measured_laws.kinds.expectations.segments import segments

RANKS = [2.0**power for power in range(1, 13)]


@pytest.mark.parametrize(
    ("growth", "law"),
    [
        ("O(1)", lambda p: 7.0),
        ("log p", lambda p: 3.0 + 2.0 * math.log2(p)),
        ("p^(1/2)", lambda p: 2.0 + math.sqrt(p)),
        ("p log p", lambda p: 0.1 * p * math.log2(p) + 5.0),
        ("1/p", lambda p: 12.0 / p),
    ],
)
def test_growths_come_back(growth, law):
    series = fit_series([law(p) for p in RANKS], RANKS)
    assert series.growth == parse_growth(growth)[0]
    assert series.adjusted_r2 == (None if growth == "O(1)" else pytest.approx(1.0))


def test_order_and_repeats_do_not_matter():
    law = [3.0 + 2.0 * math.log2(p) for p in RANKS]
    straight = fit_series(law, RANKS)
    turned = fit_series([9.0, *law[::-1], 1e9], [RANKS[2], *RANKS[::-1], RANKS[2]])
    assert straight == turned


def test_adjusted_r2_is_the_printed_formula():
    noisy = [p * factor for p, factor in zip(RANKS, [1.02, 0.97, 1.01, 0.99] * 3, strict=True)]
    series = fit_series(noisy, RANKS)
    told = np.array([series.law.at({"p": p}) for p in RANKS])
    r2 = 1 - ((noisy - told) ** 2).sum() / ((noisy - np.mean(noisy)) ** 2).sum()
    terms = sum(not term.constant for term in series.law.terms)
    assert series.adjusted_r2 == pytest.approx(1 - (1 - r2) * 11 / (11 - terms))


def test_exponentials():
    k = list(range(3, 17))
    series = fit_series([5.0 + 2.0**x * x**2 for x in k], k, "k", exponential=True)
    assert series.growth.text("k") == "k^2 2^k"


def test_growth_along_one_of_several_parameters():
    runs = {"n": [], "p": []}
    for n in (1.0, 2.0, 4.0, 8.0, 16.0):
        for p in (2.0, 4.0, 8.0, 16.0, 32.0):
            runs["n"].append(n)
            runs["p"].append(p)
    law = fit([n * n + 3.0 * math.log2(p) * n for n, p in zip(runs["n"], runs["p"], strict=True)], runs)
    assert growth_of(law, "n").text("n") == "n^2"
    assert growth_of(law, "p").text("p") == "log p"
    with pytest.raises(InputError, match="the law has 2 parameters; allowed: a parameter: n, p"):
        growth_of(law)
    with pytest.raises(InputError, match="the law has no parameter 'q'"):
        growth_of(law, "q")


def test_the_memory_wall_of_juropa():
    law = fit_series([16.0 + 0.56 * p for p in RANKS], RANKS, unit="MB").law
    assert 8.0 * law.at({"p": 8192}) == pytest.approx(36828, abs=0.5)
    assert largest_within(law, 24 * 1024.0, factor=8.0) == 5457
    assert largest_within(law, 24000.0, factor=8.0) == 5328
    with pytest.raises(InputError, match="nothing fits within 1 MB"):
        largest_within(law, 1.0)
    with pytest.raises(InputError, match="there is no wall"):
        largest_within(law, 1e15)


def test_one_break():
    series = fit_series([1 + math.log2(p) if p <= 64 else 20 + 0.1 * p for p in RANKS], RANKS)
    found = segments(series)
    assert found.at == pytest.approx(90.51, abs=0.005)
    assert (found.left.growth.text(), found.right.growth.text()) == ("log p", "p")
    assert (found.left.sizes[-1], found.right.sizes[0]) == (64.0, 128.0)
    assert series.law.cross_validation_error**2 * 12 == pytest.approx(0.926, abs=0.001)


@pytest.mark.parametrize("law", [lambda p: 3 + 2 * math.log2(p), lambda p: 5.0, lambda p: 2 + math.sqrt(p)])
def test_one_law_stays_one(law):
    assert segments(fit_series([law(p) for p in RANKS], RANKS)) is None


def test_a_constant_side():
    found = segments(fit_series([100.0 if p <= 64 else 3.0 * p - 200 for p in RANKS], RANKS))
    assert (found.left.growth.text(), found.right.growth.text()) == ("1", "p")


def test_noise_is_not_split():
    noise = np.random.default_rng(7).normal(1.0, 0.02, len(RANKS))
    assert segments(fit_series([(4 + math.log2(p)) * n for p, n in zip(RANKS, noise, strict=True)], RANKS)) is None


def test_nine_sizes_are_too_few_to_split():
    few = RANKS[:9]
    assert segments(fit_series([1 + math.log2(p) if p <= 16 else 20 + 0.1 * p for p in few], few)) is None


@pytest.mark.parametrize(
    ("values", "sizes", "message"),
    [
        ([1.0] * 4, [1, 2, 4, 8], "allowed: at least 5"),
        ([1.0, 2.0, 0.0, 3.0, 4.0], [1, 2, 4, 8, 16], "value 0 at p = 4; allowed: a finite number, above 0"),
        ([1.0, -2.0, 1.0, 3.0, 4.0], [1, 2, 4, 8, 16], "value -2 at p = 2"),
        ([1.0, math.nan, 1.0, 3.0, 4.0], [1, 2, 4, 8, 16], "value nan at p = 2"),
        ([1.0] * 5, [1, 2, 4, 8, 0], "p = 0"),
        ([1.0] * 5, [1, 2, 4, 8], "5 values for 4 sizes"),
    ],
)
def test_what_cannot_be_fitted(values, sizes, message):
    with pytest.raises(InputError) as caught:
        fit_series(values, sizes, unit="s")
    assert message in str(caught.value)
