"""Max-outcome rates, linear entropy, how far a trace reaches, and calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.branches import (
    HASWELL,
    Calibration,
    best_history,
    best_miss_rate,
    branch_entropy,
    counts_linear_entropy,
    counts_miss_rate,
    entropy_bias,
    fit,
    linear_entropy,
    max_history,
    max_outcome_miss_rate,
    miller_madow_entropy,
    predictor_miss_rate,
    published_max_history,
    tool_history,
)

TAKEN, NOT_TAKEN = [70, 10, 15, 3], [30, 40, 5, 7]
COUNTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(any), min_size=1, max_size=12)


class TestMaxOutcome:
    def test_published_examples(self):
        assert 1 - counts_miss_rate(NOT_TAKEN, TAKEN) == pytest.approx(132 / 180, rel=1e-14)
        assert 1 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3) == pytest.approx(128 / 180, rel=1e-14)

    def test_shared_entry_beside_the_table(self):
        beside = counts_miss_rate(NOT_TAKEN, TAKEN, table=2, shared_entry_in_table=False)
        assert beside == counts_miss_rate(NOT_TAKEN, TAKEN, table=3)

    def test_one_entry_for_all(self):
        assert counts_miss_rate(NOT_TAKEN, TAKEN, table=1) == pytest.approx(82 / 180, rel=1e-14)

    def test_a_table_for_all_is_no_limit(self):
        assert counts_miss_rate(NOT_TAKEN, TAKEN, table=4) == counts_miss_rate(NOT_TAKEN, TAKEN)

    @pytest.mark.parametrize(
        ("rule", "hits"),
        [("seen-once", 2 + 0.5), ("half-miss", 1.5 + 0.5), ("free", 2 + 1), ("leave-one-out", 2 + 0.5)],
    )
    def test_first_sight(self, rule, hits):
        """One history seen twice with the same outcome, one seen once."""
        assert 1 - counts_miss_rate([0, 0], [2, 1], first_sight=rule) == pytest.approx(hits / 3, rel=1e-14)

    def test_leave_one_out_by_hand(self):
        """Of 3 taken and 2 not taken: each taken one sees 2:2, a draw; each other one sees 3:1 against it."""
        assert counts_miss_rate([2], [3], first_sight="leave-one-out") == pytest.approx(1 - 3 * 0.5 / 5, rel=1e-14)

    @given(COUNTS, st.integers(1, 14), st.booleans())
    def test_order_of_the_rules_and_of_the_tables(self, pairs, table, inside):
        zeros, ones = zip(*pairs, strict=True)
        free, once, half = (
            counts_miss_rate(zeros, ones, first_sight=rule) for rule in ("free", "seen-once", "half-miss")
        )
        assert free <= once + 1e-12
        assert once <= half + 1e-12
        assert free <= 0.5 + 1e-12
        limited = counts_miss_rate(zeros, ones, first_sight="free", table=table, shared_entry_in_table=inside)
        assert free <= limited + 1e-12
        assert limited <= 0.5 + 1e-12

    @given(COUNTS)
    def test_twice_the_free_rate_is_the_linear_entropy(self, pairs):
        zeros, ones = zip(*pairs, strict=True)
        twice = 2 * counts_miss_rate(zeros, ones, first_sight="free")
        assert counts_linear_entropy(zeros, ones) == pytest.approx(twice, abs=1e-12)

    def test_short_traces_look_predictable(self):
        """Coin flips: the rate falls in the middle and is rescued by the histories seen once."""
        coin = np.random.default_rng(20).integers(0, 2, 100_000)
        for history, rate in ((1, 0.499), (8, 0.481), (12, 0.419), (16, 0.317), (20, 0.478)):
            assert max_outcome_miss_rate(coin, history) == pytest.approx(rate, abs=0.005)
            unbiased = max_outcome_miss_rate(coin, history, first_sight="leave-one-out")
            assert unbiased == pytest.approx(0.5, abs=0.01)

    def test_local_histories_see_what_global_ones_do_not(self):
        """A branch that alternates between branches that flip a coin."""
        rng = np.random.default_rng(4)
        outcomes = rng.integers(0, 2, 20_000)
        branches = np.arange(20_000) % 2
        outcomes[branches == 0] = np.arange(10_000) % 2
        local = max_outcome_miss_rate(outcomes, 1, branches=branches, scope="local")
        assert local == pytest.approx(0.25, abs=0.01)
        assert max_outcome_miss_rate(outcomes, 1) > 0.4

    @pytest.mark.parametrize(
        ("counts", "given", "message"),
        [
            (([1], [1, 2]), {}, "counts have the shapes (1,) and (2,); allowed: two lists of equal length"),
            (([0], [0]), {}, "a history has negative counts, or none; allowed: at least one follower of each history"),
            (([1], [1]), {"table": 0}, "table: the table has 0 entries; allowed: at least 1"),
            (
                ([1], [1]),
                {"first_sight": "half"},
                "first_sight: first_sight is 'half'; allowed: seen-once, half-miss, free, leave-one-out",
            ),
        ],
    )
    def test_refusals(self, counts, given, message):
        with pytest.raises(InputError) as error:
            counts_miss_rate(*counts, **given)
        assert str(error.value) == message


class TestLinearEntropy:
    def test_of_a_trace(self):
        flips = (np.random.default_rng(5).random(100_000) < 0.1).cumsum() % 2
        assert linear_entropy(flips, 1) == pytest.approx(0.2, abs=0.005)
        branches = np.zeros(len(flips))
        for scope in ("local", "branch"):
            assert linear_entropy(flips, 1, branches=branches, scope=scope) == linear_entropy(flips, 1)

    def test_nothing(self):
        assert linear_entropy([1], 3) == 0.0

    def test_predictor(self):
        np.testing.assert_allclose(predictor_miss_rate(np.array([0.0, 0.2, 1.0])), [0.0, 0.1, 0.5])
        np.testing.assert_allclose(predictor_miss_rate(np.array([0.1]), 0.4, 0.01), [0.05])
        bounds = predictor_miss_rate(Range(np.array([0.1]), np.array([0.3])), 0.4)
        assert (bounds.low, bounds.high) == (pytest.approx(0.04), pytest.approx(0.12))
        with pytest.raises(InputError, match=r"^slope: the slope is 0.6; allowed: 0 to 0.5$"):
            predictor_miss_rate(0.1, 0.6)


class TestTraceLength:
    def test_published_limits(self):
        np.testing.assert_array_equal(published_max_history([1e6, 1e7]), [16, 20])
        np.testing.assert_array_equal(published_max_history([1e6, 1e7], rounding="up"), [17, 21])
        np.testing.assert_array_equal(published_max_history([1e6, 4], samples=3), [17, 0])
        np.testing.assert_array_equal(tool_history([776282816, 906186727]), [29, 29])

    def test_bias_formula(self):
        one = [1 - float(entropy_bias(1e6, n)) for n in (13, 14, 15, 16, 17)]
        np.testing.assert_allclose(one, [0.9941, 0.9882, 0.9764, 0.9527, 0.9054], atol=1e-4)
        np.testing.assert_allclose([1 - float(entropy_bias(1e7, n)) for n in (17, 20)], [0.9905, 0.9244], atol=1e-4)

    def test_bias_of_a_coin(self):
        coin = np.random.default_rng(9).integers(0, 2, 100_000)
        for history in (8, 10, 12):
            bias = 1 - branch_entropy(coin, history)
            assert bias == pytest.approx(float(entropy_bias(1e5, history)), rel=0.1, abs=2e-4)
            assert 1 - miller_madow_entropy(coin, history) < 0.15 * bias

    def test_longest_history_keeps_the_bias(self):
        for events in (1e4, 1e6, 123456789):
            for bias in (0.001, 0.01, 0.1):
                longest = float(max_history(events, bias))
                assert entropy_bias(events, longest) <= bias * (1 + 1e-12)
                assert entropy_bias(events, longest + 1) > bias

    def test_of_no_source_it_adds_nothing(self):
        assert miller_madow_entropy([1] * 100, 3) == 0.0
        assert miller_madow_entropy([1, 0], 5) == 0.0

    def test_refusals(self):
        with pytest.raises(InputError, match=r"^bias: the bias is 0; allowed: a number above 0, in bits$"):
            max_history(1e6, 0)
        with pytest.raises(InputError, match=r"^a trace has 0 outcomes; allowed: at least 1$"):
            tool_history([1e6, 0])
        with pytest.raises(InputError, match=r"^rounding: rounding is 'near'; allowed: down, up$"):
            published_max_history(1e6, rounding="near")


class TestCalibration:
    def test_finds_a_line(self):
        estimated = np.array([0.01, 0.02, 0.05])
        found = fit(1.71 * estimated + 0.002, estimated)
        assert (found.slope, found.intercept, found.r_squared) == pytest.approx((1.71, 0.002, 1.0))
        np.testing.assert_allclose(found.miss_rate(np.array([0.03, 0.4])), [0.0533, 0.5])

    def test_through_the_origin(self):
        found = fit([0.02, 0.04], [0.01, 0.02], through_origin=True)
        assert (found.slope, found.intercept, found.r_squared) == pytest.approx((2.0, 0.0, 1.0))

    def test_is_least_squares(self):
        rng = np.random.default_rng(3)
        x, y = rng.random(20), rng.random(20)
        found = fit(y, x)
        slope, intercept = np.polyfit(x, y, 1)
        assert (found.slope, found.intercept) == pytest.approx((slope, intercept))
        assert found.r_squared == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)

    def test_of_one_value(self):
        assert fit([0.1, 0.1], [0.1, 0.2]).r_squared is None

    def test_haswell(self):
        assert HASWELL.miss_rate(0.0111) == pytest.approx(1.71 * 0.0111)
        assert HASWELL.r_squared is None

    def test_history_of_a_register(self):
        measured = [0.01, 0.03, 0.02]
        by_history = {8: [0.03, 0.01, 0.02], 33: [0.02, 0.06, 0.04], 40: [0.02, 0.06, 0.04], 50: [0.1, 0.1, 0.1]}
        assert best_history(measured, by_history) == 33

    def test_which_rate_to_take(self):
        line = Calibration(2.0, source="a machine")
        given = {"estimated": 0.01, "calibration": line, "max_outcome": 0.03, "entropy": 0.01}
        assert best_miss_rate(measured=0.05, **given) == (0.05, "measured")
        assert best_miss_rate(**given) == (0.02, "calibrated (a machine)")
        assert best_miss_rate(estimated=0.01, max_outcome=0.03, entropy=0.01) == (0.03, "max-outcome")
        assert best_miss_rate(entropy=0.01) == (0.01, "entropy")
        assert best_miss_rate() == (0.03, "constant")

    @pytest.mark.parametrize(
        ("measured", "estimated", "options", "message"),
        [
            ([1], [1], {}, "1 measured and 1 estimated rates; allowed: as many, at least 2"),
            ([1, 2], [1], {}, "2 measured and 1 estimated rates; allowed: as many, at least 2"),
            ([1, 2], [3, 3], {}, "all estimated rates are the same; allowed: at least two different ones"),
            ([1], [0], {"through_origin": True}, "all estimated rates are 0; allowed: at least one above 0"),
        ],
    )
    def test_refusals(self, measured, estimated, options, message):
        with pytest.raises(InputError) as error:
            fit(measured, estimated, **options)
        assert str(error.value) == message

    def test_histories_must_fit(self):
        with pytest.raises(InputError, match=r"^estimated: no history was given$"):
            best_history([1, 2], {})
        with pytest.raises(InputError, match=r"^estimated: history 8 has 1 rates for 2 programs$"):
            best_history([1, 2], {8: [1]})
