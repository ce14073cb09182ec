"""What a search starts from and how it orders its work: bundles of alike rows, levels, pieces, seeds."""

from itertools import pairwise

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.search.bundles.bundles import BundleProduct
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.bundles.halving import columns_of, halved
from dse.search.bundles.innermost import cut_short, tightest
from dse.search.bundles.levels import Level, nested_levels, split
from dse.search.driver import SearchOptions, search
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.search.start.visited import Visited
from dse.search.start.warm_start import warm_start
from dse.space.design_space import Product


@st.composite
def some_columns(draw):
    rows = draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = draw(st.sampled_from([1, 2, 5, 1000]))
    return rng.integers(values, size=(draw(st.integers(1, 3)), rows)).astype(float)


@settings(max_examples=examples(80), deadline=None)
@given(columns=some_columns(), least=st.integers(1, 9))
def test_halved_rows_are_all_there_in_nested_bundles_that_are_small_in_the_end(columns, least):
    order, starts = halved(columns, least)
    count = columns.shape[1]
    assert sorted(order.tolist()) == list(range(count))
    assert starts[0].tolist() == [0]
    for larger, smaller in pairwise(starts):
        assert set(larger.tolist()) < set(smaller.tolist())
        assert (np.diff(smaller) > 0).all()
    assert np.diff(np.append(starts[-1], count)).max() <= least


@settings(max_examples=examples(80), deadline=None)
@given(columns=some_columns())
def test_no_cut_goes_through_rows_of_one_value_while_the_bundle_has_another(columns):
    """By the definition: the first cut is along the widest column, at a place where its sorted values change."""
    order, starts = halved(columns, 1)
    widths = np.ptp(columns, axis=1)
    if len(starts) < 2 or widths.max() == 0:
        return
    column = columns[int(widths.argmax())]
    cut = int(starts[1][1])
    left, right = column[order[:cut]], column[order[cut:]]
    assert left.max() < right.min()
    places = [place for place in range(1, len(column)) if np.sort(column)[place - 1] < np.sort(column)[place]]
    assert abs(cut - len(column) / 2) == min(abs(place - len(column) / 2) for place in places)


@settings(max_examples=examples(80), deadline=None)
@given(columns=some_columns(), least=st.integers(1, 9))
def test_bundles_cut_short_are_those_that_were_never_halved_further(columns, least):
    count = columns.shape[1]
    short = cut_short(halved(columns, 1)[1], count, least)
    right = halved(columns, least)[1]
    assert [some.tolist() for some in short] == [some.tolist() for some in right]


@pytest.mark.parametrize(("steps", "right"), [((1.0, 50.0), 0), ((50.0, 1.0), 1), ((1.0, 1.0), 1), ((3.0, 4.0), 1)])
def test_the_atom_whose_bundles_are_alike_goes_innermost(steps, right):
    """Time is the sum of two columns that rise by their steps; the last atom stays where the other is hardly better."""
    rows = (64, 64)
    cut = {"a": 1e3 + steps[0] * np.arange(64.0)[:, None], "b": 1e3 + steps[1] * np.arange(64.0)[None]}
    ends = [[np.arange(0, 64, 8)]] * 2

    def lower(values):
        return [values["a"].low + values["b"].low]

    level, rng = Level.of_rows(cut, rows), np.random.default_rng(1)
    assert tightest(level, ends, lower, rng) == 1  # eight bundles are too few to be evaluated at once
    ends = [[np.arange(0, 64, 4)]] * 2
    assert tightest(level, ends, lower, rng) == right


def test_columns_are_as_wide_as_their_influence_and_what_hardly_moves_anything_is_left_out():
    cut = {
        "much": np.array([[1.0, 10.0, 100.0]]),
        "less": np.array([[0.0, 5.0, 7.0]]),
        "none": np.array([[1.0, 2.0, 3.0]]),
        "fixed": np.array([[4.0]]),
    }
    columns = columns_of(cut, 1, 3, {"much": 2.0, "less": 1.0, "none": 1e-5})
    np.testing.assert_allclose(columns, [[0.0, 1.0, 2.0], [0.0, 0.5, 1.0]])
    assert columns_of(cut, 1, 3, {}).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize("fewest", [1, 4, 30, 10_000])
@pytest.mark.parametrize("choosing", [False, True])
def test_levels_hold_every_combination_of_rows_once_with_its_bounds(fewest, choosing, monkeypatch):
    """Splitting all boxes from the coarsest level down gives every box of the finest one, each once, within bounds."""
    if choosing:
        monkeypatch.setattr("dse.search.bundles.levels._FEW_BOXES", 0)
    rng = np.random.default_rng(7)
    rows = (5, 1, 23)
    trees = [
        halved(rng.integers(4, size=(2, count)).astype(float), least)[1]
        for count, least in zip(rows, (1, 1, 3), strict=True)
    ]
    cut = {"a": rng.random((5, 1, 1)), "b": rng.random((1, 1, 23)), "both": rng.random((5, 1, 23))}
    finest = Level.of_rows(cut, rows).merged(2, trees[2][-1])
    levels = nested_levels(finest, trees, fewest, lambda values: [values["both"].low - values["a"].high], rng)
    assert levels[-1] is finest
    assert np.prod(levels[0].counts) <= max(1, fewest) or levels[0] is finest
    boxes = tuple(np.unravel_index(np.arange(np.prod(levels[0].counts)), levels[0].counts))
    for level in levels:
        every = np.ones(len(boxes[0]), dtype=bool)
        assert level.designs(boxes, every) == np.prod(rows)
        assert len(np.unique(np.ravel_multi_index(boxes, level.counts))) == np.prod(level.counts) == len(boxes[0])
        for place in range(0, len(boxes[0]), 7):
            own = tuple(
                slice(int(s[b[place]]), int(s[b[place]] + n[b[place]]))
                for s, n, b in zip(level.starts, level.lengths, boxes, strict=True)
            )
            bounds = level.ranges(tuple(box[place : place + 1] for box in boxes))
            for name, table in cut.items():
                inside = table[tuple(o if table.shape[atom] > 1 else slice(None) for atom, o in enumerate(own))]
                assert (bounds[name].low[0], bounds[name].high[0]) == (inside.min(), inside.max())
        if level is not levels[-1]:
            boxes = split(level, boxes)


def _corner(least):
    """Four axes of 40 rows, of which few combinations sum up to less than a limit: none is met by chance."""
    names = ["a", "b", "c", "d"]
    functions = [
        function("size", "a b c d", lambda a, b, c, d: a + b + c + d),
        function("time", "a b", lambda a, b: 50.0 - a - 0.5 * b),
        function("cost", "c d a", lambda c, d, a: 1.0 + c * 0.1 + d + a),
    ]
    axes = tuple(axis(name, range(1, 41)) for name in names)
    limit = Limit(f"size <= {least}", lambda v: v["size"] <= least)
    return Case([Product("", axes)], functions, {"time": "min", "cost": "min"}, [limit]).problem()


@pytest.mark.parametrize("searcher", [ExhaustiveProduct, BundleProduct])
def test_where_no_random_design_is_feasible_those_that_miss_limits_least_are_walked_from(searcher):
    problem = _corner(6)  # 15 of 2,560,000 designs
    made = searcher(problem, 0)
    rng = np.random.default_rng(problem.seed)
    drawn, _ = made.at_rows(tuple(rng.integers(0, count, 30_000) for count in made.evaluator.lengths))
    assert not np.any(drawn[problem.constraints[0].quantity])
    points, numbers = warm_start(problem, [made])
    values = problem.quantities(numbers)[0]["values"]
    assert len(numbers) > 0
    assert (values["size"] <= 6).all()
    np.testing.assert_array_equal(points, np.stack([values["time"], values["cost"]], axis=1))


def test_where_nothing_is_feasible_there_are_no_seeds():
    problem = _corner(3)
    points, numbers = warm_start(problem, [ExhaustiveProduct(problem, 0)])
    assert points.shape == (0, 2)
    assert len(numbers) == 0


@pytest.mark.parametrize("chunk", [2_560_000 // count for count in (1, 7, 100)])
def test_any_number_of_pieces_gives_the_same_frontier(chunk):
    problem = _corner(30)
    whole = search(problem, SearchOptions("exhaustive"))
    made = BundleProduct(problem, 0, chunk=chunk)
    archive = Archive(2, Prefilter(2))
    start = warm_start(problem, [made])
    for piece in range(len(made)):
        found = made.run(piece, start)
        archive.add(found.points, found.numbers)
    points, numbers = archive.result()
    np.testing.assert_array_equal(numbers, whole.numbers)
    np.testing.assert_array_equal(points, whole.values)


@pytest.mark.parametrize("atom", [0, 1, 2])
def test_any_atom_may_go_innermost(atom, monkeypatch):
    problem = _corner(20)
    whole = search(problem, SearchOptions("bundles"))
    monkeypatch.setattr("dse.search.bundles.bundles._MANY", 0)
    monkeypatch.setattr("dse.search.bundles.bundles.tightest", lambda *_: atom)
    evaluator = problem.evaluator(0)
    made = BundleProduct(problem, 0, evaluator=problem.evaluator(0), take_tables=True)
    last = made.evaluator.atoms[-1]
    assert last == evaluator.atoms[min(atom, len(evaluator.atoms) - 1)]
    rng = np.random.default_rng(atom)
    values, numbers = made.at_rows(tuple(rng.integers(0, count, 50) for count in made.evaluator.lengths))
    alone = problem.quantities(numbers)[0]["values"]
    np.testing.assert_array_equal(values["time"], alone["time"])
    archive = Archive(2, Prefilter(2))
    for piece in range(len(made)):
        found = made.run(piece)
        archive.add(found.points, found.numbers)
    points, numbers = archive.result()
    np.testing.assert_array_equal(numbers, whole.numbers)
    np.testing.assert_array_equal(points, whole.values)


def _few_and_many():
    """An alternative of which half is feasible, before one of 40 rows along each axis, of which little is."""
    functions = [
        function("size", "a b c d", lambda a, b, c, d: a + b + c + d),
        function("time", "a b", lambda a, b: 50.0 - a - 0.5 * b),
        function("cost", "c d a", lambda c, d, a: 1.0 + c * 0.1 + d + a),
    ]
    products = [
        Product(name, tuple(axis(letter, rows) for letter in "abcd"))
        for name, rows in (("few", [1, 2]), ("many", range(1, 41)))
    ]
    limit = Limit("size <= 6", lambda v: v["size"] <= 6)
    return Case(products, functions, {"time": "min", "cost": "min"}, [limit]).problem()


def test_a_very_large_space_is_walked_in_every_alternative_and_closed_along_single_axes(monkeypatch):
    problem = _few_and_many()
    made = [ExhaustiveProduct(problem, index) for index in range(2)]
    _, before = warm_start(problem, made)
    assert len(before) > 0
    assert before.max() < 16  # what is found in the first alternative ends the walk
    monkeypatch.setattr("dse.search.start.warm_start._CLOSED_FROM", 1)
    points, numbers = warm_start(problem, made)
    values = [problem.quantities([number])[0]["values"] for number in numbers]
    assert all(value["size"].item() <= 6 for value in values)
    assert points.tolist() == [[value["time"].item(), value["cost"].item()] for value in values]
    whole = search(problem, SearchOptions("exhaustive"))
    assert whole.numbers.max() >= 16
    assert numbers.tolist() == whole.numbers.tolist()  # four axes: closed means found here
    assert warm_start(problem, made, closed=False)[1].tolist() == before.tolist()


@pytest.mark.parametrize(("each", "in_all"), [(50, 10_000), (50, 40), (50, 0)])
def test_a_better_start_is_given_up_after_a_number_of_designs_and_never_by_a_clock(each, in_all, monkeypatch):
    problem = _few_and_many()
    every = []

    def visited(*given):
        every.append(Visited(*given))
        return every[-1]

    monkeypatch.setattr("dse.search.start.warm_start._CLOSED_FROM", 1)
    monkeypatch.setattr("dse.search.start.warm_start._CLOSED", each)
    monkeypatch.setattr("dse.search.start.warm_start._CLOSED_IN_ALL", in_all)
    monkeypatch.setattr("dse.search.start.warm_start.Visited", visited)
    start = [warm_start(problem, [ExhaustiveProduct(problem, index) for index in range(2)]) for _ in range(2)]
    counts = [len(one.numbers) for one in every]
    assert counts == counts[: len(counts) // 2] * 2
    few, many = counts[:2] if in_all else (0, 0)
    assert few <= 16  # all that there are
    assert many == min(each, in_all - few)
    np.testing.assert_array_equal(start[0][1], start[1][1])
    assert len(start[0][1]) > 0
