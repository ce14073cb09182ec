"""The filter drops no design that the archive does not beat in every objective, whatever its table."""

import numpy as np
import pytest
from engine_problems import undominated

from dse.search.frontier.prefilter import Prefilter

KINDS = ["positive", "zero crossing", "negative", "few levels", "one value", "zeros", "huge", "tiny"]


def draw(rng, kind, count):
    match kind:
        case "positive":
            return np.exp(rng.normal(0, 3, count))
        case "zero crossing":
            return rng.normal(0, 5, count)
        case "negative":
            return -np.exp(rng.normal(0, 2, count))
        case "few levels":
            return rng.integers(-1, 3, count).astype(float)
        case "one value":
            return np.full(count, 4.0)
        case "zeros":
            return rng.choice([0.0, -0.0, 4.0], count)
        case "huge":
            return rng.choice([-1.5e308, -1.0, 1.0, 1.5e308], count) * rng.random(count)
    return rng.choice([5e-324, -5e-324, 0.0, -0.0, 1e-300, 1.0], count)


def assert_safe(archive, designs, filter_):
    """What is dropped is beaten in every objective by one archive point."""
    passing = np.broadcast_to(filter_.may_pass(list(designs.T)), len(designs))
    beaten = (archive[None] < designs[:, None]).all(axis=2).any(axis=1)
    assert not (~passing & ~beaten).any()
    return passing


@pytest.mark.parametrize("columns", range(1, 7))
def test_only_designs_beaten_in_every_objective_are_dropped(columns):
    dropped = 0
    for seed in range(80):
        rng = np.random.default_rng(1000 * columns + seed)
        kinds = rng.choice(KINDS, columns)
        points = np.stack([draw(rng, kind, 60) for kind in kinds], axis=1)
        archive = points[:30][undominated(points[:30])]
        designs = np.concatenate([points, np.stack([draw(rng, kind, 200) for kind in rng.choice(KINDS, columns)], 1)])
        filter_ = Prefilter(columns, last=int(rng.integers(columns)), entries=int(rng.choice([1, 20, 500, 20_000])))
        with np.errstate(over="ignore"):
            filter_.rebuild(archive)
            dropped += int((~assert_safe(archive, designs, filter_)).sum())
    assert dropped > 50


@pytest.mark.parametrize("columns", range(2, 6))
def test_deliberately_wrong_ranges_drop_nothing_that_counts(columns):
    """Ranges far too narrow, far off, of one value, of the other sign."""
    for seed in range(100):
        rng = np.random.default_rng(7000 * columns + seed)
        points = np.stack([draw(rng, str(rng.choice(KINDS[:5])), 300) for _ in range(columns)], axis=1)
        archive = points[:80][undominated(points[:80])]
        filter_ = Prefilter(columns, entries=int(rng.choice([30, 3000])))
        ranges = []
        for column in range(columns - 1):
            low, high = np.quantile(points[:, column], [0.3, 0.6])
            wrong = [
                (low, high),
                (low, low),
                (1.0, 1.0),
                (1e-9, 1e-8),
                (-3.0, -2.0),
                (1e9, 1e12),
                (-1e12, -1e9),
                (0, 0),
            ]
            ranges.append(wrong[rng.integers(len(wrong))])
        filter_.rebuild(archive, ranges)
        assert_safe(archive, points, filter_)
        assert filter_.may_pass(list(archive.T)).all()


def test_a_table_of_one_value_keeps_values_below_it():
    """Zero, negative zero and negative values come after an archive whose objective had one positive value."""
    filter_ = Prefilter(2)
    filter_.rebuild(np.array([[4.0, 1.0]]))
    first = np.array([-0.0, 0.0, -2.0, -1e300, 4.0, 5.0])
    assert filter_.may_pass([first, np.full(6, 9.0)]).tolist() == [True, True, True, True, True, False]


def test_ties_pass_in_every_objective():
    archive = np.array([[1.0, 5.0, 3.0], [2.0, 2.0, 2.0]])
    filter_ = Prefilter(3)
    filter_.rebuild(archive)
    ties = np.array([[1.0, 5.0, 3.0], [1.0, 9.0, 9.0], [9.0, 2.0, 9.0], [9.0, 9.0, 2.0], [2.0, 2.0, 2.0]])
    assert filter_.may_pass(list(ties.T)).all()
    assert not filter_.may_pass([np.array([9.0])] * 3).any()


def test_one_objective_keeps_what_is_not_greater():
    filter_ = Prefilter(1)
    assert filter_.may_pass([np.array([1e300])]).all()
    filter_.rebuild(np.array([[2.0]]))
    assert filter_.may_pass([np.array([1.0, 2.0, np.nextafter(2.0, 3.0)])]).tolist() == [True, True, False]


def test_nan_passes_so_that_it_is_looked_at():
    filter_ = Prefilter(2)
    filter_.rebuild(np.array([[1.0, 1.0]]))
    assert filter_.may_pass([np.array([9.0]), np.array([np.nan])]).all()


def test_without_an_archive_everything_passes():
    for columns in range(1, 7):
        filter_ = Prefilter(columns)
        filter_.rebuild(np.empty((0, columns)))
        assert np.all(filter_.may_pass([np.array([1.0, 1e308])] * columns))


def test_arrays_that_broadcast_give_the_answers_of_whole_arrays():
    rng = np.random.default_rng(5)
    archive = rng.random((50, 3))
    filter_ = Prefilter(3, last=1)
    filter_.rebuild(archive[undominated(archive)])
    one, two, three = rng.random((4, 1)), rng.random((1, 6)), rng.random((4, 6))
    whole = filter_.may_pass([np.broadcast_to(a, (4, 6)).reshape(-1) for a in (one, two, three)])
    assert filter_.may_pass([one, two, three]).reshape(-1).tolist() == whole.tolist()


def test_most_designs_are_dropped_where_the_archive_is_good():
    rng = np.random.default_rng(6)
    points = np.exp(rng.normal(0, 1, (100_000, 3)))
    archive = _front(points[:20_000])
    filter_ = Prefilter(3)
    filter_.rebuild(archive)
    assert filter_.may_pass(list(points.T)).mean() < 0.03


def _front(points):
    order = np.lexsort(points.T[::-1])
    kept = np.empty((0, points.shape[1]))
    for point in points[order]:
        if not (kept <= point).all(axis=1).any():
            kept = np.concatenate([kept, point[None]])
    return kept
