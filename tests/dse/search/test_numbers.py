"""Objectives, keys and constraints of other types than float64: every method equals the definition, or refuses."""

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function

import dse.evaluation.plan as planning
from dse.arithmetic.lookup import lookup
from dse.errors import ModelError, NonFiniteError
from dse.graph.graph import call
from dse.search.bundles import bundles
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Product

METHODS = ("exhaustive", "bundles", "groups")


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


@pytest.fixture
def joined(monkeypatch):
    """Nothing is tabulated that need not be, and boxes are small."""
    monkeypatch.setattr(planning, "_LIMITS", (1.0,))
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 2)
    planning._cached.cache_clear()
    yield
    planning._cached.cache_clear()


def _equal(case, method):
    result = search(case.problem(), SearchOptions(method))
    answer = case.answer()
    assert result.numbers.tolist() == answer.numbers.tolist()
    np.testing.assert_array_equal(result.values, answer.values)


AXES = (axis("a", [1, 5, 2, 4]), axis("b", [3, 1, 2]), axis("c", [0, 1, 2, 3]))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_E1_an_unsigned_objective_does_not_wrap(kind, sense, method, joined):
    functions = [function("x", "a b", lambda a, b: (a * b).astype(kind)), function("y", "x c", lambda x, c: x + c)]
    _equal(Case([Product("", AXES)], functions, {"x": sense, "y": "max"}), method)


@pytest.mark.parametrize(
    "value",
    [
        lambda a, b: (a * b).astype(np.int64) + 2**53,
        lambda a, b: (a * b).astype(np.longdouble),
        lambda a, b: a * b + 0j,
        lambda a, b: np.ma.masked_less(np.asarray(a * b), 4.0),
        lambda a, b: (a * b).astype("M8[s]"),
        lambda a, b: np.asarray(a * b).astype(object),
    ],
    ids=["2^53", "longdouble", "complex", "masked", "datetime", "object"],
)
def test_E1_what_is_no_float64_is_refused_by_name(value, method, joined):
    case = Case([Product("", AXES)], [function("x", "a b", value)], {"x": "max"})
    with pytest.raises(ModelError, match=r"^x gives 'x', which is "):
        search(case.problem(), SearchOptions(method))


def test_E1_float64_passes_untouched():
    values = np.arange(4.0)
    kept = function("x", "a", lambda a: values)
    assert call(kept, {"a": values})["x"] is values


def test_E2_keys_of_large_integers_do_not_fall_together(method, joined):
    def key(a, b):
        return a.astype(np.int64) * 2**53 + b.astype(np.int64)

    functions = [
        function("key", "a b", key),
        function("cost", "a b", lambda a, b: a + b),
        function("x", "key c cost", lambda key, c, cost: np.where(key % 2 == c % 2, 10.0, 1.0) + cost),
    ]
    case = Case([Product("", AXES)], functions, {"x": "min"})
    with pytest.raises(ModelError, match=r"^key gives 'key', which is an integer beyond 2\*\*53"):
        search(case.problem(), SearchOptions(method))


def test_E2_keys_at_the_end_of_the_integers_are_kept_apart(method, joined):
    functions = [
        function("key", "a b", lambda a, b: (2.0**53 - a * 4.0 - b).astype(np.int64)),
        function("cost", "a b", lambda a, b: a + b),
        function("x", "key c cost", lambda key, c, cost: np.where(key % 2 == c % 2, 10.0, 1.0) + cost),
    ]
    _equal(Case([Product("", AXES)], functions, {"x": "min", "cost": "max"}), method)


def test_E2_zeros_of_both_signs_are_two_keys(method, joined):
    functions = [
        function("key", "a b", lambda a, b: np.where(a > b, -0.0, 0.0)),
        function("cost", "a b", lambda a, b: a + b),
        function("x", "key c cost", lambda key, c, cost: np.maximum(-10.0, np.minimum(10.0, 1.0 / key)) * c + cost),
    ]
    _equal(Case([Product("", AXES)], functions, {"x": "min"}), method)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8])
def test_E3_integers_that_overflow_are_the_same_numbers_for_every_method(kind, method, joined):
    factor = np.iinfo(kind).max // 5
    functions = [
        function("size", "a b", lambda a, b: a * b),
        function("time", "size c", lambda size, c: size.astype(kind) * (c + 1).astype(kind) * kind(factor) / 1024.0),
        function("cost", "size c", lambda size, c: size - c),
    ]
    _equal(Case([Product("", AXES)], functions, {"time": "min", "cost": "min"}), method)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_E4_small_floats_are_objectives_and_keys(kind, method, joined):
    functions = [
        function("x", "a b", lambda a, b: (a / b).astype(kind)),
        function("y", "x c", lambda x, c: (x * c).astype(kind)),
    ]
    _equal(Case([Product("", AXES)], functions, {"x": "min", "y": "max"}), method)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_E4_small_floats_are_objectives_of_large_spaces(kind, method):
    axes = (axis("a", range(1, 701)), axis("b", range(1, 501)))
    functions = [
        function("x", "a b", lambda a, b: (a / b).astype(kind)),
        function("y", "a b", lambda a, b: (-a - b).astype(kind)),
    ]
    result = search(Case([Product("", axes)], functions, {"x": "min", "y": "min"}).problem(), SearchOptions(method))
    assert result.values.dtype == np.float64
    assert len(result.numbers)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_E5_a_condition_may_be_an_objective(sense, method, joined):
    functions = [
        function("fits", "a b", lambda a, b: a > b),
        function("also", "b c", lambda b, c: b < c),
        function("both", "fits also", lambda fits, also: fits + also),
        function("y", "both c", lambda both, c: both * 2.0 - c),
    ]
    senses = {"fits": sense, "y": "min", "both": sense}
    limits = [Limit("also >= 0", lambda v: v["also"] >= 0)]
    case = Case([Product("", AXES)], functions, senses, limits)
    result = search(case.problem(), SearchOptions(method))
    a, b, c = (grid.reshape(-1) for grid in np.meshgrid(*(one.columns[one.name] for one in AXES), indexing="ij"))
    both = (a > b) * 1.0 + (b < c) * 1.0
    sign = 1.0 if sense == "min" else -1.0
    points = np.stack([(a > b) * sign, both * 2.0 - c, both * sign], axis=1)
    worse = (points[None] <= points[:, None]).all(axis=2) & (points[None] < points[:, None]).any(axis=2)
    assert result.numbers.tolist() == np.flatnonzero(~worse.any(axis=1)).tolist()


TABLE = np.array([5.0, 3.0, 4.0])


@pytest.mark.parametrize("rows", [(0, 1, 2, 3), (0, 3, 1, 2)], ids=["at a corner", "inside"])
def test_E14_a_lookup_out_of_range_at_infeasible_designs_is_no_error(rows, method, joined):
    functions = [
        function("x", "a c", lambda a, c: lookup(TABLE, c) * a),
        function("y", "b c", lambda b, c: b - c),
    ]
    case = Case(
        [Product("", (axis("a", [2, 1]), axis("b", [1, 2]), axis("c", rows)))], functions, {"x": "min", "y": "min"}
    )
    case.limits.append(Limit("c <= 2", lambda v: v["c"] <= 2))
    _equal(case, method)


@pytest.mark.parametrize("rows", [(0, 1, 2, 3), (0, 3, 1, 2)], ids=["at a corner", "inside"])
def test_E14_a_lookup_out_of_range_at_a_feasible_design_is_an_error_of_every_method(rows, method, joined):
    functions = [
        function("x", "a c", lambda a, c: lookup(TABLE, c) * a),
        function("y", "b c", lambda b, c: b - c),
    ]
    case = Case(
        [Product("", (axis("a", [2, 1]), axis("b", [1, 2]), axis("c", rows)))], functions, {"x": "min", "y": "min"}
    )
    with pytest.raises(NonFiniteError, match=r"'x' of design .* is outside a table of 3 entries"):
        search(case.problem(), SearchOptions(method))
