"""Counting what follows each history, against a dictionary."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.branches import history_counts
from dse.models.branches.histories import LONGEST, read_outcomes, window_codes

OUTCOMES = st.lists(st.integers(0, 1), max_size=40)


def by_hand(outcomes, history, branches, scope):
    """Return {(branch or None, history): [not taken, taken]} with the streams kept as lists."""
    found, past = defaultdict(lambda: [0, 0]), defaultdict(list)
    for outcome, branch in zip(outcomes, branches, strict=True):
        stream = past[branch if scope == "local" else None]
        if len(stream) >= history:
            window = tuple(stream[len(stream) - history :])
            found[None if scope == "global" else branch, window][outcome] += 1
        stream.append(outcome)
    return found


@pytest.mark.parametrize("scope", ["global", "local", "branch"])
@given(pairs=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=40), history=st.integers(0, 5))
def test_equals_a_dictionary(scope, pairs, history):
    outcomes, branches = [a for a, _ in pairs], [b for _, b in pairs]
    counts = history_counts(outcomes, history, branches=branches, scope=scope)
    expected = by_hand(outcomes, history, branches, scope)
    assert sorted(zip(counts.not_taken, counts.taken, strict=True)) == sorted(
        tuple(map(float, v)) for v in expected.values()
    )
    assert counts.seen.sum() == sum(sum(v) for v in expected.values())


@given(outcomes=OUTCOMES, length=st.integers(0, 6))
def test_window_codes_are_the_windows(outcomes, length):
    codes = window_codes(read_outcomes(outcomes), length)
    windows = [tuple(outcomes[i : i + length]) for i in range(len(outcomes) - length + 1)]
    assert len(codes) == len(windows)
    assert Counter(codes.tolist()) == Counter(int("".join(map(str, w)) or "0", 2) for w in windows)


def test_histories_come_in_order_of_first_sight():
    counts = history_counts([1, 1, 0, 1, 1], 1)  # after 1: 1, 0, 1; after 0: 1
    np.testing.assert_array_equal(counts.taken, [2, 1])
    np.testing.assert_array_equal(counts.not_taken, [1, 0])


def test_the_longest_history_fits():
    outcomes = np.random.default_rng(1).integers(0, 2, 300)
    assert history_counts(outcomes, LONGEST).seen.sum() == 300 - LONGEST


@pytest.mark.parametrize(
    ("outcomes", "given", "message"),
    [
        ([0, 2], {"history": 1}, "an outcome is 2; allowed: 1 (taken) or 0 (not taken)"),
        ([[0, 1]], {"history": 1}, "outcomes have 2 dimensions; allowed: one: the outcomes in program order"),
        ([0, 1], {"history": 63}, "history: the history is 63; allowed: a whole number from 0 to 62"),
        ([0, 1], {"history": -1}, "history: the history is -1; allowed: a whole number from 0 to 62"),
        ([0, 1], {"history": 0, "scope": "all"}, "scope: scope is 'all'; allowed: global, local, branch"),
        ([0, 1], {"history": 0, "scope": "local"}, "branches: scope 'local' needs the branch of each outcome"),
        (
            [0, 1],
            {"history": 0, "scope": "local", "branches": [1]},
            "branches: 1 branches for 2 outcomes; allowed: as many",
        ),
    ],
)
def test_refusals(outcomes, given, message):
    with pytest.raises(InputError) as error:
        history_counts(outcomes, **given)
    assert str(error.value) == message


def test_arguments_stay_as_they_are():
    outcomes, branches = np.array([1, 0, 1, 1]), np.array([2, 1, 2, 1])
    for array in (outcomes, branches):
        array.setflags(write=False)
    history_counts(outcomes, 1, branches=branches, scope="local")
