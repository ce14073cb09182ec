"""Fits: laws without noise come back as they are, whatever the units; noise is told; bad input is refused."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.fitting.choice import candidates
from dse.models.measured_laws.fitting.fit import Runs, fit
from dse.models.measured_laws.fitting.terms import CONSTANT, Factor, Term, factor_space

F = Fraction
FACTORS = factor_space()


def grid(**axes):
    points = list(itertools.product(*axes.values()))
    return {name: [point[place] for point in points] for place, name in enumerate(axes)}


DESIGNS = {
    1: grid(n=[2.0**k for k in range(3, 13)]),
    2: grid(n=[2.0**k for k in range(10, 15)], p=[4, 8, 16, 32, 64]),
    3: grid(n=[2.0**k for k in range(14, 18)], p=[16, 32, 64], e=[4, 8, 16]),
}
RUNS = {count: Runs.of(design) for count, design in DESIGNS.items()}


def values_of(terms, coefficients, runs):
    points = np.array(runs.points, dtype=float)
    return sum(each * term.at(points) for term, each in zip(terms, coefficients, strict=True))


def middle(runs):
    return np.exp(np.log(runs.sizes).mean(axis=0))


def agrees(law, values, runs):
    told = [law.at(dict(zip((p.name for p in runs.parameters), point, strict=True))) for point in runs.points]
    np.testing.assert_allclose(told, values, rtol=1e-8)


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([1, 2, 3]), st.data())
def test_a_law_of_one_term_comes_back(count, data):
    runs = RUNS[count]
    term = Term(tuple(data.draw(st.sampled_from(FACTORS)) for _ in range(count)))
    coefficient = data.draw(st.floats(1e-6, 1e6))
    values = values_of([term], [coefficient], runs)
    law = fit(values, runs)
    agrees(law, values, runs)
    if len(law.terms) == 1 or law.cross_validation_error > 1e-12:
        assert law.terms == (term,)
        assert law.coefficients[0] == pytest.approx(coefficient, rel=1e-8)
    else:  # on three values of a parameter two plainer terms can be the same numbers: log2(e) / e on 4, 8, 16
        assert count == 3


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from([1, 2, 3]), st.data())
def test_a_law_of_two_terms_comes_back(count, data):
    runs = RUNS[count]
    factor = st.one_of(st.just(CONSTANT), st.sampled_from(FACTORS))
    terms = [Term(tuple(data.draw(factor) for _ in range(count))) for _ in range(2)]
    if len(set(terms)) < 2:
        return
    # Of one order in the middle of the runs: what is a millionth of the other everywhere is rounding.
    coefficients = [data.draw(st.floats(0.3, 3.0)) / float(term.at(middle(runs))) for term in terms]
    values = values_of(terms, coefficients, runs)
    law = fit(values, runs)
    assert law.cross_validation_error < 1e-9
    agrees(law, values, runs)


@pytest.mark.parametrize(
    ("formula", "law"),
    [
        ("13·n·log2(n) + 4", lambda n, p: 13.0 * n * math.log2(n) + 4.0),
        ("3·n·p^(-1) + 2·log2(p)", lambda n, p: 3.0 * n / p + 2.0 * math.log2(p)),
        ("n^2·p^(-1) + 5·n + 7·p", lambda n, p: n**2 / p + 5.0 * n + 7.0 * p),
        ("0.5·n^(3/2)", lambda n, p: 0.5 * n**1.5),
        ("32·n·p^(-1) - 32·n·p^(-2)", lambda n, p: 32.0 * n / p * (1.0 - 1.0 / p)),
    ],
)
def test_formulas(formula, law):
    found = fit([law(n, p) for n, p in RUNS[2].points], RUNS[2], unit="B")
    assert str(found) == f"{formula} [B]"


def test_falling_laws_are_found():
    """A space without negative exponents gives 27.6 - 7.73 p^(1/4) here, the answer of Extra-P 4.2.5."""
    p = [2**k for k in range(1, 9)]
    law = fit([1.0 + 100.0 / each for each in p], {"p": p})
    assert str(law) == "1 + 100·p^(-1)"
    assert law.at({"p": 4096}) == pytest.approx(1.0 + 100.0 / 4096, rel=1e-9)


def test_memory_of_a_machine():
    """Shudler et al. 2019, Table 5: memory of MPI on Juropa, 16 + 0.56 p MB, with 8 ranks on nodes of 24 GB."""
    law = fit([16 + 0.56 * 2**k for k in range(6, 13)], {"p": [2**k for k in range(6, 13)]}, unit="MB")
    assert 8 * law.at({"p": 8192}) == pytest.approx(36828, abs=0.5)
    assert max(p for p in range(5000, 6000) if 8 * law.at({"p": p}) <= 24 * 1024) == 5457
    assert max(p for p in range(5000, 6000) if 8 * law.at({"p": p}) <= 24000) == 5328


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.sampled_from([1, 2]), st.floats(1e-9, 1e9), st.integers(0, 99), st.randoms(use_true_random=False))
def test_units_and_the_order_of_runs_do_not_matter(count, factor, seed, random):
    runs = RUNS[count]
    rng = np.random.default_rng(seed)
    sizes = np.array(runs.points)
    values = (2.0 * sizes[:, 0] ** 0.5 + sizes.prod(axis=1)) * (1.0 + 0.03 * rng.standard_normal(len(sizes)))
    law = fit(values, runs)
    scaled = fit(values * factor, runs)
    assert scaled.terms == law.terms
    np.testing.assert_allclose(scaled.coefficients, np.array(law.coefficients) * factor, rtol=1e-6)
    assert scaled.cross_validation_error == pytest.approx(law.cross_validation_error, rel=1e-6)
    order = list(range(len(values)))
    random.shuffle(order)
    names = [parameter.name for parameter in runs.parameters]
    mixed = {name: [runs.points[place][at] for place in order] for at, name in enumerate(names)}
    assert fit(values[order], mixed).terms == law.terms


def test_the_logarithm_of_a_size_is_the_size():
    sizes = [2**scale for scale in range(10, 18)]
    values = [3.0 * size * math.log2(size) for size in sizes]
    plain = fit(values, {"vertices": sizes})
    scaled = fit(values, {"scale": list(range(10, 18))}, log2=["scale"])
    assert plain.terms == scaled.terms
    assert (str(plain), str(scaled)) == ("3·vertices·log2(vertices)", "3·2^scale·scale")
    assert scaled.at({"scale": 26}) == pytest.approx(plain.at({"vertices": 2**26}), rel=1e-9)


def test_the_choice_is_the_best_of_all_single_terms():
    """Beside a loop over every term of the space, alone and with a constant, each fitted on its own."""
    rng = np.random.default_rng(3)
    n = np.array([2.0**k for k in range(5, 10)])  # five runs: one term and a constant
    for law in (lambda x: 5.0 * x, lambda x: 3.0 + 0.1 * x * np.log2(x), lambda x: 40.0 / x + 2.0, lambda x: x**1.5):
        values = law(n) * (1.0 + 0.04 * rng.standard_normal(len(n)))
        scores = {}
        for factor in FACTORS[1:]:
            for constant in (False, True):
                columns = np.array([factor.at(n), *([np.ones(len(n))] if constant else [])]).T / values[:, None]
                left = 0.0
                for run in range(len(n)):
                    kept = np.arange(len(n)) != run
                    part, *_ = np.linalg.lstsq(columns[kept], np.ones(len(n) - 1), rcond=None)
                    left += (1.0 - columns[run] @ part) ** 2
                told = columns @ np.linalg.lstsq(columns, np.ones(len(n)), rcond=None)[0]
                if (told > 0).all():
                    scores[factor, constant] = math.log(left) + math.log(2.0) * (factor.intricacy + constant)
        factor, constant = min(scores, key=scores.get)
        found = fit(values, {"n": n})
        assert {term.factors[0] for term in found.terms} == {factor, *([CONSTANT] if constant else [])}


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_fits():
    """The spread of the coefficient over many noisy series, beside what one fit says."""
    n = np.array([2.0**k for k in range(3, 15)])
    found, told, predicted = [], [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        law = fit(7.0 * n * (1.0 + 0.02 * rng.standard_normal(len(n))), {"n": n})
        if str(law).endswith("·n") and len(law.terms) == 1:
            found.append(law.coefficients[0])
            told.append(law.uncertainties[0])
            predicted.append(law.uncertainty({"n": 2**20}) / 2**20)
    assert len(found) > 120
    assert np.mean(told) == pytest.approx(np.std(found), rel=0.2)
    np.testing.assert_allclose(predicted, told, rtol=1e-9)


def test_repeated_runs_count_once_with_their_median():
    p = [2**k for k in range(2, 9)]
    repeated = [each for each in p for _ in range(3)]
    values = [w * 5.0 * each for each in p for w in (1.0, 0.98, 40.0)]
    law = fit(values, {"p": repeated})
    assert str(law) == "5·p"
    assert law.runs == len(p)


def test_constants():
    p = [2**k for k in range(2, 9)]
    for value in (0.0, 7.0):
        law = fit([value] * 7, {"p": p})
        assert law.constant
        assert law.at({"p": 10**6}) == value
        assert law.band({"p": 10**6}) == (value, value)
        assert law.cross_validation_error == 0.0
    assert fit([7.0, 7.0 + 1e-12, 7.0, 7.0, 7.0, 7.0, 7.0], {"p": p}).constant


def test_laws_stay_inside_their_bounds_on_the_way_to_the_target():
    """A share that rises with the root would pass 1 at the target; a law that cannot is taken, and it is said."""
    n = [2**k for k in range(2, 12)]
    share = [0.01 * each**0.5 for each in n]
    free = fit(share, {"n": n})
    assert free.at({"n": 2**20}) == pytest.approx(10.24)
    bounded = fit(share, {"n": n}, bounds=(0.0, 1.0), target={"n": 2**20})
    assert bounded.at({"n": 2**20}) <= 1.0
    assert "refused" in " ".join(bounded.warnings)
    assert not free.warnings
    falling = fit(
        [10.0 - 0.1 * each for each in (5, 10, 15, 20, 25, 30)], {"n": (5, 10, 15, 20, 25, 30)}, target={"n": 300}
    )
    assert falling.at({"n": 300}) >= 0.0
    assert falling.at({"n": 10**9}) >= 0.0


def test_none_in_some_runs():
    p = [2**k for k in range(2, 9)]
    law = fit([0, 0, 10, 30, 70, 150, 310], {"p": p})
    assert "2 of 7 runs have none: errors there are relative to 10" in law.warnings
    assert law.at({"p": 1024}) > 310


def test_what_the_law_cannot_be_told_from():
    rng = np.random.default_rng(0)
    p = [2**k for k in range(3, 11)]
    law = fit(np.log2(p) ** 2 * (1 + 0.05 * rng.standard_normal(8)), {"p": p})
    assert law.ambiguous_with
    best = law.cross_validation_error
    assert all(best**2 / 1.1001 <= other.cross_validation_error**2 <= 1.1001 * best**2 for other in law.ambiguous_with)
    low, high = law.band({"p": 2**16}, 0.95)
    assert low < law.at({"p": 2**16}) < high
    assert low <= 16**2 <= high
    near = law.band({"p": 2**10})
    assert near[1] / near[0] < high / low
    assert law.distances({"p": 2**16}) == {"p": 64.0}


def test_warnings_of_the_runs():
    few = Runs.of({"p": [2, 4, 8] * 4, "n": [10] * 3 + [20] * 3 + [40] * 3 + [80] * 3})
    assert [told.split(":")[0] for told in few.warnings] == ["p has 3 different values", "n has 4 different values"]
    narrow = Runs.of({"scale": [14, 15, 16, 17, 18]})
    assert narrow.warnings == (
        "scale spans only a factor 1.29; if it is the binary logarithm of a size, say so (log2: scale)",
    )
    assert Runs.of({"scale": [14, 15, 16, 17, 18]}, log2=["scale"]).warnings == ()


def test_without_a_grid():
    """Five runs along each of two parameters, one shared: the least a fit takes."""
    points = [(2.0**k, 8) for k in range(10, 15)] + [(2.0**12, p) for p in (2, 4, 16, 32)]
    runs = Runs.of({"n": [n for n, _ in points], "p": [p for _, p in points]})
    assert runs.space(np.ones(len(points)))[0].grid is None
    assert str(fit([3.0 * n / p for n, p in points], runs)) == "3·n·p^(-1)"
    assert str(fit([3.0 * n + 100 * p for n, p in points], runs)) == "3·n + 100·p"


def test_sizes_below_1_have_no_logarithms():
    x = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0]
    runs = Runs.of({"x": x})
    assert all(factor.logarithms == 0 for factor in runs.space(np.ones(len(runs.sizes)))[0].factors[0])
    assert str(fit([3.0 * each**2 for each in x], runs)) == "3·x^2"


def test_hypotheses_that_the_runs_cannot_tell_apart_are_not_formed():
    """Three values of a parameter fit any three factors exactly."""
    rng = np.random.default_rng(1)
    runs = RUNS[3]
    law = fit(np.exp(rng.standard_normal(36)), runs)
    for axis in (1, 2):
        assert len({term.factors[axis] for term in law.terms}) <= 2


def test_leaving_out_is_what_the_error_says():
    """The cross-validation error beside refits of the chosen terms without each run."""
    rng = np.random.default_rng(4)
    n = np.array([2.0**k for k in range(3, 13)])
    values = (50.0 + 3.0 * n) * (1.0 + 0.05 * rng.standard_normal(10))
    law = fit(values, {"n": n})
    columns = np.array([term.at(n[:, None]) for term in law.terms]).T / values[:, None]
    missed = []
    for run in range(10):
        kept = np.arange(10) != run
        part, *_ = np.linalg.lstsq(columns[kept], np.ones(9), rcond=None)
        missed.append(1.0 - columns[run] @ part)
    assert law.cross_validation_error == pytest.approx(np.sqrt(np.mean(np.square(missed))), rel=1e-9)


def test_cancelling_terms_are_refused_at_the_target():
    runs = RUNS[1]
    terms = np.array([[[0, 0, 0], [FACTORS.index(Factor(F(1))), 0, 0]]])
    values = np.array([1.0 + 1e-3 * n for n in runs.sizes[:, 0]])
    space, _ = runs.space(values)
    tables = space.tables_at(np.array([[8.0], [4096.0]]))
    found = candidates(space, terms, 1.0 / values, values, tables, (0.0, np.inf))
    assert found.plausible.tolist() == [True]
    falling = 4096.001 - runs.sizes[:, 0]
    found = candidates(space, terms, 1.0 / falling, falling, tables, (0.0, np.inf))
    assert found.plausible.tolist() == [False]


@pytest.mark.parametrize(
    ("values", "parameters", "told"),
    [
        (
            [1, 2, 3, 4],
            {"p": [1, 2, 4, 8]},
            "4 runs with different parameters for a law of 1 parameter; allowed: at least 5",
        ),
        ([1, 2], {"p": [1, 2]}, "p has 2 different values; allowed: at least 3"),
        ([1] * 5, {"p": [4] * 5}, "p is 4 in every run, so nothing says how it matters"),
        (
            [1] * 8,
            {"p": [1, 2, 4, 8] * 2, "n": [1, 2, 3, 4] * 2},
            "4 runs with different parameters for a law of 2 parameters",
        ),
        ([1, 2, 3, 4, float("nan")], {"p": [1, 2, 4, 8, 16]}, "value nan of run 4; allowed: a number from 0 to inf"),
        ([1, 2, 3, -4, 5], {"p": [1, 2, 4, 8, 16]}, "value -4 of run 3"),
        ([1, 2, 3, 4, float("inf")], {"p": [1, 2, 4, 8, 16]}, "value inf of run 4"),
        ([1, 2, 3, 4], {"p": [1, 2, 4, 8, 16]}, "4 values for 5 runs; allowed: one for each run"),
        ([1] * 5, {"p": [1, 2, 4, 8, 0]}, "p = 0; allowed: a finite number above 0"),
        ([1] * 5, {"p": [1, 2, 4, 8, float("nan")]}, "p = nan"),
        ([1] * 5, {}, r"0 parameters \(\); allowed: 1 to 3"),
        ([1] * 5, {name: [1, 2, 3, 4, 5] for name in "abcd"}, r"4 parameters \(a, b, c, d\); allowed: 1 to 3"),
        ([1] * 5, {"p": [1, 2, 3, 4, 5], "n": [1, 2]}, "different numbers of values: 5 of p, 2 of n"),
    ],
    ids=range(13),
)
def test_bad_input(values, parameters, told):
    with pytest.raises(InputError, match=told):
        fit(values, parameters)


def test_bad_options():
    p = {"processes": [1, 2, 4, 8, 16]}
    with pytest.raises(InputError, match="log2: no parameter 'proceses'; allowed: processes; did you mean 'processes'"):
        fit([1] * 5, p, log2=["proceses"])
    with pytest.raises(InputError, match="the target has no value of 'processes'"):
        fit([1] * 5, p, target={"p": 5})
    with pytest.raises(InputError, match=r"value 1\.5 of run 0; allowed: a number from 0 to 1"):
        fit([1.5] * 5, p, bounds=(0, 1))
    with pytest.raises(InputError, match="no value of the parameter 'processes'; allowed: processes"):
        fit([1] * 5, p).at({"p": 3})
