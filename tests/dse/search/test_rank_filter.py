"""The filter by ranks drops nothing that is not beaten, and what the cells leave of ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.search.frontier.pareto import nondominated
from dse.search.frontier.prefilter import Prefilter
from dse.search.frontier.rank_filter import RankFilter


def draw(rng, kind, count, objectives):
    """Return random points with many equal values."""
    if kind == 0:
        return rng.integers(-3, int(rng.integers(1, 30)), (count, objectives)).astype(float)
    if kind == 1:
        return np.exp(rng.normal(0, 20, (count, objectives)))
    return np.round(rng.normal(0, 1, (count, objectives)), 1) * (rng.random((count, objectives)) > 0.2)


def beaten(archive, points):
    """Return which points another one is no worse than in all objectives and better in one, by the definition."""
    no_worse = (archive[None] <= points[:, None]).all(axis=2)
    better = (archive[None] < points[:, None]).any(axis=2)
    return (no_worse & better).any(axis=1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 2))
def test_what_is_dropped_is_beaten(seed, objectives, kind):
    rng = np.random.default_rng(seed)
    points = draw(rng, kind, int(rng.integers(1, 200)), objectives)
    archive = points[nondominated(points)]
    asked = np.concatenate([points, draw(rng, kind, 200, objectives)])
    last, most = int(rng.integers(0, objectives)), int(rng.integers(2, 5_000))
    ranks = RankFilter(objectives, last=last, entries=int(rng.integers(8, 500)), per_point=1, most=most)
    ranks.rebuild(archive)
    dropped = ~np.broadcast_to(ranks.may_pass(list(asked.T)), len(asked))
    assert not (dropped & ~beaten(archive, asked)).any()


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_with_a_cell_for_every_value_all_that_is_worse_in_the_last_objective_is_dropped(seed, objectives):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 8, (150, objectives)).astype(float)
    archive = points[nondominated(points)]
    ranks = RankFilter(objectives)
    ranks.rebuild(archive)
    no_worse = (archive[None, :, :-1] <= points[:, None, :-1]).all(axis=2)
    expected = (no_worse & (archive[None, :, -1] < points[:, None, -1])).any(axis=1)
    np.testing.assert_array_equal(ranks.may_pass(list(points.T)), ~expected)


def test_ties_are_dropped_that_cells_let_pass():
    """Equal cost and memory, and slower: only points that are better in everything count for the cells."""
    archive = np.array([[3.0, 2.0, 5.0], [1.0, 9.0, 7.0]])
    asked = [np.array([3.0]), np.array([2.0]), np.array([6.0])]
    cells, ranks = Prefilter(3), RankFilter(3)
    cells.rebuild(archive)
    ranks.rebuild(archive)
    assert cells.may_pass(asked).tolist() == [True]
    assert ranks.may_pass(asked).tolist() == [False]


def test_what_is_equal_and_what_is_not_a_number_passes():
    archive = np.array([[3.0, 2.0, 5.0]])
    ranks = RankFilter(3)
    ranks.rebuild(archive)
    asked = np.array([[3.0, 2.0, 5.0], [9.0, 9.0, np.nan], [2.9, 9.0, 9.0]])
    assert ranks.may_pass(list(asked.T)).all()


def test_arrays_that_broadcast_are_asked_as_they_are():
    rng = np.random.default_rng(5)
    points = rng.integers(0, 6, (80, 3)).astype(float)
    ranks = RankFilter(3)
    ranks.rebuild(points[nondominated(points)])
    first, second, last = rng.integers(0, 8, (4, 1)).astype(float), rng.integers(0, 8, (1, 5)).astype(float), np.ones(1)
    flat = [np.broadcast_to(values, (4, 5)).reshape(-1) for values in (first, second, last)]
    np.testing.assert_array_equal(
        np.broadcast_to(ranks.may_pass([first, second, last]), (4, 5)).reshape(-1), ranks.may_pass(flat)
    )


@pytest.mark.parametrize("distinct", [True, False])
def test_many_distinct_points_get_finer_cells_and_few_values_get_ranks(distinct):
    """SYNTHETIC archives of 150,000 points: on a plane, with values of their own or with 400 of each."""
    rng = np.random.default_rng(1)
    if distinct:
        share = rng.dirichlet(np.ones(3), 150_000)
    else:
        pairs = rng.permutation(400 * 400)[:150_000]
        share = np.stack([pairs // 400, pairs % 400, 800.0 - pairs // 400 - pairs % 400], axis=1)
    ranks = RankFilter(3)
    ranks.rebuild(share)
    assert (ranks.values is None) == distinct
    assert ranks.entries == (4_000_000 if distinct else 65_536)
    worse = share[:1_000] + np.array([0.0, 0.0, 2.0])
    assert ranks.may_pass(list(share[:1_000].T)).all()
    assert ranks.may_pass(list(worse.T)).mean() < 0.05
