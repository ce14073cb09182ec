"""Draws against the values they come from, probabilities against a grid, decisions against sums written out."""

import numpy as np
import pytest
from scipy.stats import kstest

from dse.analysis.uncertainty.decision import decide
from dse.analysis.uncertainty.draws import _value, batches, frontiers
from dse.analysis.uncertainty.queries import Limit, Query
from dse.evaluation.unknowns import Unknown, uncertain_problem
from dse.space.design_space import Product
from tests.engine_problems import Case, axis, function, part


def problem(limits=()):
    functions = [
        function("time", "n watts u", lambda n, watts, u: u * 12.0 / n + 60.0 / watts),
        function("power", "n watts", lambda n, watts: n * watts),
    ]
    product = Product("", (part("device", watts=[10.0, 14.0]), axis("n", [1.0, 2.0, 3.0])), {"u": 1.0}, {"u": "1"})
    return Case([product], functions, {"time": "min", "power": "min"}, list(limits)).problem()


class Named:
    """As much of a study as a decision reads."""

    def __init__(self, compiled):
        self.space = compiled.space
        self.spec = type("Spec", (), {"space": type("Of", (), {"choices": {}})()})()


EACH = Unknown("watts", -0.2, 0.2, scope="each", axis="device")
OWN = Unknown("time", -0.1, 0.1, scope="design")
SHARED = Unknown("u", 0.5, 1.5, relative=False, nominal=1.0)
EVERY = np.arange(6)


def drawn(unknowns, numbers=EVERY, draws=400, seed=0):
    found = [*batches(uncertain_problem(problem(), unknowns), numbers, draws, seed)]
    return np.concatenate([b.points for b in found], axis=1), np.concatenate([frontiers(b) for b in found], axis=1)


def test_draws_of_a_design_do_not_depend_on_who_else_is_a_candidate():
    whole, _ = drawn([OWN, EACH, SHARED])
    some, _ = drawn([OWN, EACH, SHARED], np.array([4, 1]))
    np.testing.assert_array_equal(some, whole[[4, 1]])


def test_draws_with_the_same_seed_are_the_same_and_with_another_are_not():
    first, second, other = (drawn([OWN, SHARED], seed=seed)[0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_errors_of_designs_are_uniform_and_independent():
    points, _ = drawn([OWN], draws=4000)
    errors = points[:, :, 0] / np.array([18.0, 12.0, 10.0, 12 + 60 / 14, 6 + 60 / 14, 4 + 60 / 14])[:, None] - 1.0
    for design in errors:
        assert kstest((design + 0.1) / 0.2, "uniform").pvalue > 1e-4
    correlated = np.corrcoef(errors) - np.eye(6)
    assert np.abs(correlated).max() < 0.08


def test_an_unknown_of_each_row_is_one_value_for_its_designs_and_another_for_other_rows():
    points, _ = drawn([EACH])
    factors = points[:, :, 1] / np.array([10.0, 20.0, 30.0, 14.0, 28.0, 42.0])[:, None]
    for group in (factors[:3], factors[3:]):
        np.testing.assert_allclose(group, np.broadcast_to(group[:1], group.shape), rtol=1e-14)
    assert abs(np.corrcoef(factors[0], factors[3])[0, 1]) < 0.2


def test_a_shared_unknown_is_a_latin_hypercube():
    points, _ = drawn([SHARED], draws=200)
    values = (points[0, :, 0] - 6.0) / 12.0
    assert sorted(np.floor((values - 0.5) * 200 + 1e-9).astype(int).tolist()) == list(range(200))


@pytest.mark.parametrize(
    ("one", "mean", "deviation"),
    [
        (Unknown("x", -0.3, 0.3), 0.0, 0.3 / np.sqrt(3.0)),
        (Unknown("x", -0.3, 0.3, distribution="triangular"), 0.0, 0.3 / np.sqrt(6.0)),
        (Unknown("x", -0.4, 0.4, distribution="normal", spread=0.1), 0.0, 0.1),
        (Unknown("x", np.expm1(-0.4), np.expm1(0.4), distribution="lognormal", spread=0.1), np.expm1(0.005), 0.1008),
        (
            Unknown("x", 1.0, 4.0, relative=False, nominal=2.0, distribution="triangular"),
            7.0 / 3.0,
            np.sqrt(7.0 / 18.0),
        ),
    ],
)
def test_distributions_have_the_mean_and_deviation_of_their_formulas(one, mean, deviation):
    share = (np.arange(100_000) + 0.5) / 100_000
    values = _value(one, share, one.low, one.high)
    assert values.min() >= one.low
    assert values.max() <= one.high
    assert (np.diff(values) >= 0).all()
    assert values.mean() == pytest.approx(mean, abs=2e-4)
    assert values.std() == pytest.approx(deviation, rel=2e-3)


def test_probabilities_are_the_shares_of_a_grid():
    """Of one shared unknown: 20,001 values written out, four standard errors of 400 draws."""
    _, on = drawn([SHARED])
    grid = np.linspace(0.5, 1.5, 20_001)
    n, watts = np.tile([1.0, 2.0, 3.0], 2), np.repeat([10.0, 14.0], 3)
    times, power = grid[None, :] * (12.0 / n)[:, None] + (60.0 / watts)[:, None], (n * watts)[:, None]
    beaten = np.zeros(times.shape, dtype=bool)
    for d in range(6):
        for e in range(6):
            no_worse = (times[e] <= times[d]) & (power[e] <= power[d])
            beaten[d] |= no_worse & ((times[e] < times[d]) | (power[e] < power[d]))
    wanted = (~beaten).mean(axis=1)
    assert wanted.min() > 0.0
    assert wanted.min() < 1.0
    error = np.sqrt(wanted * (1.0 - wanted) / 400)
    assert (np.abs(on.mean(axis=1) - wanted) <= 4.0 * error + 1e-12).all()


def test_a_decision_is_what_its_draws_say():
    unknown = uncertain_problem(problem(), [OWN, SHARED])
    query = Query("least time", "time", "min", (Limit("power", 30.0, strict=False),))
    found = decide(Named(problem()), unknown, EVERY, query, 300, 0, 0.95)
    points, _ = drawn([OWN, SHARED], draws=300)
    values = np.where(points[:, :, 1] <= 30.0, points[:, :, 0], np.inf)
    least = values.min(axis=0)
    for record in found.designs:
        design = record.design
        met = np.isfinite(values[design])
        regret = values[design][met] / least[met] - 1.0
        assert record.best == pytest.approx((values[design] == least).mean())
        assert record.meets == pytest.approx(met.mean())
        assert record.expected == pytest.approx(regret.mean())
        assert record.greatest == pytest.approx(regret.max())
    shares = {record.design: record.best for record in found.designs}
    assert sum(shares.values()) == pytest.approx(1.0)
    of_device = found.values["device"]
    assert of_device["device0"] == pytest.approx(sum(p for d, p in shares.items() if d < 3))
    assert sum(found.values["n"].values()) == pytest.approx(1.0)
    mean = {d: (values[d] / least - 1.0).mean() for d in range(6) if np.isfinite(values[d]).all()}
    assert found.robust == min(mean, key=mean.get)
    held = np.isin(np.argmin(values, axis=0), found.holding)
    assert held.mean() >= 0.95
    assert found.unanswered == 0


def test_a_decision_without_a_design_that_meets_the_limits_has_none_that_is_robust():
    unknown = uncertain_problem(problem(), [EACH])
    query = Query("least time", "time", "min", (Limit("power", 10.0, strict=True),))
    found = decide(Named(problem()), unknown, EVERY, query, 200, 0, 0.95)
    assert 0 < found.unanswered < 200
    assert found.robust is None
    assert found.cautious is None
    assert found.designs[0].best == pytest.approx(1.0)
    assert found.designs[0].meets == pytest.approx(1.0 - found.unanswered / 200)
