"""Branch entropy and its inverse: closed forms, exact arithmetic, and sources whose entropy is known."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.branches import (
    binary_entropy,
    block_entropy,
    branch_entropy,
    history_counts,
    local_branch_entropy,
    max_outcome_miss_rate,
    miss_rate,
    tool_miss_rate,
)

BITS = st.lists(st.integers(0, 1), min_size=1, max_size=200)


def exact_entropy(p):
    """H(p) to 50 digits."""
    getcontext().prec = 50
    p = Decimal(p)
    q = 1 - p
    return -(p * p.ln() + q * q.ln()) / Decimal(2).ln()


def exact_inverse(bits):
    """The inverse by bisection to 40 digits."""
    low, high = Decimal(0), Decimal("0.5")
    for _ in range(140):
        middle = (low + high) / 2
        low, high = (middle, high) if exact_entropy(middle) < Decimal(bits) else (low, middle)
    return low


class TestInverse:
    @pytest.mark.parametrize(
        "bits",
        [1e-12, 1e-6, 0.001, 0.0867, 0.1243, 0.3, 0.4999, 0.5, 0.5001, 0.75, 0.99, 1 - 1e-6, 1 - 1e-12, 1 - 1e-15],
    )
    def test_to_all_digits(self, bits):
        exact = exact_inverse(bits)
        assert abs(float(miss_rate(bits)) - float(exact)) <= 1e-15
        assert float(miss_rate(bits)) == pytest.approx(float(exact), rel=1e-12, abs=0)

    def test_ends(self):
        np.testing.assert_array_equal(miss_rate([0.0, 1.0]), [0.0, 0.5])

    def test_rises(self):
        assert (np.diff(miss_rate(np.linspace(0, 1, 200_001))) > 0).all()

    def test_rises_through_the_seam_of_its_two_formulas(self):
        bits = 0.5 + np.arange(-2000, 2000) * 1e-13
        assert (np.diff(miss_rate(bits)) > 0).all()

    def test_is_the_inverse(self):
        bits = np.linspace(0, 1, 10_001)
        np.testing.assert_allclose(binary_entropy(miss_rate(bits)), bits, rtol=0, atol=1e-15)

    def test_golden_rates(self):
        np.testing.assert_allclose(100 * miss_rate([0.0867, 0.1243]), [1.09, 1.70], atol=0.005)

    def test_the_tool_takes_the_next_rate_of_its_table(self):
        np.testing.assert_allclose(tool_miss_rate([0.0874, 0.1252, 0.0, 1.0]), [0.0111, 0.0172, 0.0, 0.5], rtol=1e-15)

    def test_shapes(self):
        assert miss_rate(np.zeros((2, 1, 3))).shape == (2, 1, 3)
        assert miss_rate(0.5).shape == ()

    @pytest.mark.parametrize("bits", [-1e-9, 1.0000001, np.nan])
    def test_refuses_what_is_no_entropy(self, bits):
        with pytest.raises(InputError, match=r"^an entropy is .* bit; allowed: 0 to 1 bit$"):
            miss_rate([0.5, bits])

    def test_ranges_hold_the_points(self):
        rng = np.random.default_rng(3)
        a, b = rng.random(500), rng.random(500)
        low, high = np.minimum(a, b), np.maximum(a, b)
        bounds = miss_rate(Range(low, high))
        for weight in (0.0, 0.3, 1.0):
            value = miss_rate(np.clip(low * (1 - weight) + high * weight, low, high))
            assert (bounds.low <= value).all()
            assert (value <= bounds.high).all()


class TestConvexity:
    """The inverse is convex, so the rate of a mean entropy is a lower bound of the mean rate."""

    @given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
    def test_of_the_inverse(self, bits):
        bits = np.array(bits)
        assert float(miss_rate(bits.mean())) <= float(miss_rate(bits).mean()) + 1e-12

    def test_example(self):
        """Half the histories deterministic, half coin flips: 0.11, but the best predictor misses a quarter."""
        assert float(miss_rate(0.5)) == pytest.approx(0.1100, abs=5e-5)
        outcomes = np.random.default_rng(2).integers(0, 2, 40_000)
        outcomes[0::2] = 1  # every other one is certain
        phases = np.arange(len(outcomes)) % 2
        rate = max_outcome_miss_rate(outcomes, 0, branches=phases, scope="branch")
        assert rate == pytest.approx(0.25, abs=0.005)

    @given(outcomes=BITS, history=st.integers(0, 6))
    def test_entropy_rate_is_below_the_best_table(self, outcomes, history):
        """Exact for conditional entropies when the first sight is free."""
        lower = float(miss_rate(branch_entropy(outcomes, history, edges="followers")))
        upper = max_outcome_miss_rate(outcomes, history, first_sight="free")
        assert lower <= upper + 1e-12
        assert upper <= 0.5


class TestBranchEntropy:
    def test_markov_source(self):
        flips = (np.random.default_rng(5).random(200_000) < 0.1).cumsum() % 2
        assert branch_entropy(flips, 1) == pytest.approx(0.4690, abs=0.005)
        assert branch_entropy(flips, 3) == pytest.approx(0.4690, abs=0.005)
        assert branch_entropy(flips, 0) == pytest.approx(1.0, abs=0.001)
        assert max_outcome_miss_rate(flips, 1) == pytest.approx(0.10, abs=0.003)

    def test_periodic_source_is_known_once_the_history_tells_the_place(self):
        outcomes = [1, 1, 0] * 1000
        assert branch_entropy(outcomes, 1) > 0.6
        assert branch_entropy(outcomes, 2, edges="followers") == 0.0
        assert branch_entropy(outcomes, 2) == pytest.approx(0.0, abs=1e-3)

    def test_by_hand(self):
        """Windows of 1 1 0 1: {1: 3, 0: 1} and {11: 1, 10: 1, 01: 1}."""
        single = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))
        assert block_entropy([1, 1, 0, 1], 1) == pytest.approx(single, rel=1e-15)
        assert block_entropy([1, 1, 0, 1], 2) == pytest.approx(np.log2(3), rel=1e-15)
        assert branch_entropy([1, 1, 0, 1], 1) == pytest.approx(np.log2(3) - single, rel=1e-15)
        assert branch_entropy([1, 1, 0, 1], 0) == pytest.approx(single, rel=1e-15)

    @given(outcomes=BITS, history=st.integers(0, 8))
    def test_is_a_share_of_a_bit(self, outcomes, history):
        for edges in ("windows", "followers"):
            assert 0.0 <= branch_entropy(outcomes, history, edges=edges) <= 1.0

    @pytest.mark.slow
    @given(outcomes=BITS, history=st.integers(0, 6))
    def test_followers_are_the_conditional_entropy(self, outcomes, history):
        counts = history_counts(outcomes, history)
        total = counts.seen.sum()
        expected = sum(
            n / total * float(binary_entropy(np.asarray(t / n))) for t, n in zip(counts.taken, counts.seen, strict=True)
        )
        assert branch_entropy(outcomes, history, edges="followers") == pytest.approx(expected, abs=1e-12)

    def test_both_edges_agree_on_long_traces(self):
        outcomes = np.random.default_rng(6).integers(0, 2, 50_000)
        for history in (1, 4, 8):
            pair = [branch_entropy(outcomes, history, edges=edges) for edges in ("windows", "followers")]
            assert pair[0] == pytest.approx(pair[1], abs=5e-4)

    def test_local_is_the_mean_over_branches_by_occurrence(self):
        rng = np.random.default_rng(7)
        coin, fixed = rng.integers(0, 2, 3000), np.ones(1000, dtype=int)
        outcomes, branches = np.concatenate([coin, fixed]), np.repeat([7, 3], [3000, 1000])
        order = rng.permutation(4000)
        order = np.concatenate([np.sort(order[order < 3000]), np.sort(order[order >= 3000])])
        mixed = rng.permutation(np.repeat([0, 1], [3000, 1000]))
        shuffled, which = np.empty(4000, dtype=int), np.empty(4000, dtype=int)
        for side, stream, name in ((0, coin, 7), (1, fixed, 3)):
            shuffled[mixed == side], which[mixed == side] = stream, name
        expected = 0.75 * branch_entropy(coin, 2)
        assert local_branch_entropy(shuffled, which, 2) == pytest.approx(expected, rel=1e-12)
        assert local_branch_entropy(outcomes, branches, 2) == pytest.approx(expected, rel=1e-12)

    def test_nothing_to_count(self):
        assert block_entropy([], 3) == 0.0
        assert branch_entropy([1, 0], 5) == 0.0
        assert local_branch_entropy([], [], 2) == 0.0

    def test_refusals(self):
        with pytest.raises(InputError, match=r"^edges: edges is 'both'; allowed: windows, followers$"):
            branch_entropy([1], 0, edges="both")
        with pytest.raises(InputError, match=r"^length: the window has 64 outcomes; allowed: 0 to 63$"):
            block_entropy([1], 64)
        with pytest.raises(InputError, match=r"^branches: 2 branches for 1 outcomes; allowed: as many$"):
            local_branch_entropy([1], [1, 2], 0)


def test_entropy_of_a_coin():
    np.testing.assert_allclose(
        binary_entropy(np.array([0.0, 0.1, 0.5, 1.0])), [0, 0.4689955935892812, 1, 0], rtol=1e-14
    )
