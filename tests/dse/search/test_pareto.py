"""The frontier against its definition over all pairs."""

import numpy as np
import pytest
from engine_problems import undominated

import dse
from dse.errors import InputError
from dse.search.frontier import pareto
from dse.search.frontier.pareto import nondominated, pareto_mask, to_minimise


@pytest.mark.parametrize("columns", range(1, 7))
def test_the_mask_is_that_of_the_definition(columns):
    for seed in range(120):
        rng = np.random.default_rng(100 * columns + seed)
        count, levels = int(rng.integers(1, 120)), int(rng.choice([1, 2, 3, 6, 1000]))
        values = rng.integers(-levels, levels + 1, (count, columns)).astype(float)
        if seed % 3 == 0:
            values = rng.standard_normal((count, columns)).round(int(rng.integers(0, 4)))
        values[rng.random(values.shape) < 0.1] *= -0.0
        senses = rng.choice(["min", "max"], columns).tolist()
        signs = np.where(np.array(senses) == "max", -1.0, 1.0)
        expected = undominated(values * signs)
        assert pareto_mask(values, senses=senses).tolist() == expected.tolist()
        first = pareto_mask(values, senses=senses, keep_ties=False)
        kept = values[expected] + 0.0
        _, where = np.unique(kept, axis=0, return_index=True)
        assert np.flatnonzero(first).tolist() == np.sort(np.flatnonzero(expected)[where]).tolist()


@pytest.mark.parametrize("columns", [2, 3, 4, 6])
def test_all_points_on_the_frontier_and_copies_of_them_are_kept(columns):
    rng = np.random.default_rng(3)
    points = rng.random((400, columns))
    points /= points.sum(axis=1, keepdims=True)
    points = np.concatenate([points, points[:50], points + 1e-3])
    assert pareto_mask(points).tolist() == undominated(points).tolist()
    assert pareto_mask(points)[400:450].all()


def test_negative_zero_equals_zero():
    assert pareto_mask([[0.0, 1.0], [-0.0, 1.0], [-0.0, 2.0]]).tolist() == [True, True, False]
    assert pareto_mask([[0.0], [-0.0]], senses=["max"]).tolist() == [True, True]
    assert not np.signbit(to_minimise(np.array([[0.0, -0.0]]), ["max", "min"])).any()


def test_senses_are_minimised_unless_said():
    values = [[1, 2], [2, 1], [2, 2], [1, 2]]
    assert pareto_mask(values).tolist() == [True, True, False, True]
    assert pareto_mask(values, senses=["min", "min"]).tolist() == [True, True, False, True]
    assert pareto_mask(values, senses=["max", "max"]).tolist() == [False, False, True, False]
    assert pareto_mask(values, keep_ties=False).tolist() == [True, True, False, False]
    assert dse.pareto_mask is pareto_mask


def test_no_points_and_one_point():
    assert pareto_mask(np.empty((0, 3))).tolist() == []
    assert nondominated(np.empty((0, 2))).tolist() == []
    assert pareto_mask([[5.0, 5.0]]).tolist() == [True]


@pytest.mark.parametrize(
    ("values", "senses", "message"),
    [
        ([1.0, 2.0], None, "values have the shape (2,); allowed: (n, d) with d >= 1"),
        (np.empty((3, 0)), None, "values have the shape (3, 0); allowed: (n, d) with d >= 1"),
        ([[1.0, 2.0]], ["min"], "senses are ['min']; allowed: 2 of 'min', 'max'"),
        ([[1.0, 2.0]], ["min", "low"], "senses are ['min', 'low']; allowed: 2 of 'min', 'max'"),
        ([[1.0, 2.0], [3.0, np.nan]], None, "values[1, 1] is nan; allowed: finite numbers"),
        ([[1.0, np.inf]], None, "values[0, 1] is inf; allowed: finite numbers"),
        ([[-np.inf]], ["max"], "values[0, 0] is -inf; allowed: finite numbers"),
    ],
)
def test_wrong_values_and_senses_are_refused(values, senses, message):
    with pytest.raises(InputError) as caught:
        pareto_mask(values, senses=senses)
    assert str(caught.value) == message


def test_the_values_given_are_not_changed():
    values = np.array([[1.0, -0.0], [2.0, 3.0]])
    values.setflags(write=False)
    pareto_mask(values, senses=["max", "min"])
    assert np.signbit(values[0, 1])


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_many_rows_are_sorted_before_and_of_equal_ones_the_first_stays_the_first(columns, monkeypatch):
    """In pieces of any size the library itself is the oracle: it is handed rows as they are where they are few."""
    rng = np.random.default_rng(columns)
    for levels in (3, 10, 1000):
        points = rng.integers(0, levels, (2000, columns)).astype(float)
        points[:, 0] = rng.integers(0, 2, 2000) - points[:, 1:].sum(axis=1)
        for keep_ties in (True, False):
            monkeypatch.setattr(pareto, "_SORTED_FROM", 10**9)
            plain = nondominated(points, keep_ties=keep_ties)
            monkeypatch.setattr(pareto, "_SORTED_FROM", 2)
            assert np.array_equal(nondominated(points, keep_ties=keep_ties), plain)
            if not keep_ties:
                plain = np.isin(np.arange(2000), np.unique(points, axis=0, return_index=True)[1]) & undominated(points)
            assert np.array_equal(nondominated(points, keep_ties=keep_ties), plain)
