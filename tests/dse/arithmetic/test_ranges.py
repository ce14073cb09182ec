"""Bounds contain the values of the same code at points; what cannot be bounded raises a clear TypeError."""

import math

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.arithmetic.lookup import lookup, noting_outside
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Condition, Range

TABLE = np.array([3.0, -1.0, 4.0, 1.5, -9.0, 2.6, 5.0])
KNOTS, HEIGHTS = np.array([-3.0, -1.0, 0.0, 2.0, 5.0]), np.array([1.0, 4.0, -2.0, 0.5, 7.0])
SORTED = np.array([-4.0, -1.0, 0.0, 0.5, 2.0, 7.0])


@primitive(lambda a, b: Range(np.hypot(*_nearest(a, b)) - 1e-9, np.hypot(*_farthest(a, b)) + 1e-9))
def length(a, b):
    return np.sqrt(a * a + b * b)


def _nearest(*ranges):
    return [np.where((r.low <= 0) & (r.high >= 0), 0.0, np.minimum(np.abs(r.low), np.abs(r.high))) for r in ranges]


def _farthest(*ranges):
    return [np.maximum(np.abs(r.low), np.abs(r.high)) for r in ranges]


def small(x):
    return np.clip(x, -50.0, 50.0)


NUMBERS = [
    ("a + b", lambda a, b, c: a + b),
    ("a - b", lambda a, b, c: a - b),
    ("a * b", lambda a, b, c: a * b),
    ("a * a", lambda a, b, c: a * a),
    ("a / b", lambda a, b, c: a / b),
    ("a / (|b| + 1/2)", lambda a, b, c: a / (np.abs(b) + 0.5)),
    ("1 / a", lambda a, b, c: 1.0 / a),
    ("2.5 * a", lambda a, b, c: np.float64(2.5) * a - 3),
    ("-a", lambda a, b, c: -a),
    ("+a", lambda a, b, c: +a),
    ("|a|", lambda a, b, c: abs(a)),
    ("a ** 2", lambda a, b, c: a**2),
    ("a ** 2 as array", lambda a, b, c: a ** np.array([2.0])),
    ("a ** -1", lambda a, b, c: a ** np.array([-1.0])),
    ("|a| ** 0.5", lambda a, b, c: np.abs(a) ** 0.5),
    ("|a| ** 3", lambda a, b, c: np.power(np.abs(a), 3.0)),
    ("(|a| + 0.1) ** b", lambda a, b, c: (np.abs(small(a)) + 0.1) ** (small(b) / 20)),
    ("1.5 ** a", lambda a, b, c: 1.5 ** small(a)),
    ("square", lambda a, b, c: np.square(a)),
    ("reciprocal", lambda a, b, c: np.reciprocal(a + 0.25)),
    ("minimum", lambda a, b, c: np.minimum(a, b)),
    ("maximum", lambda a, b, c: np.maximum(a, b)),
    ("where", lambda a, b, c: np.where(a > b, b, c)),
    ("where on equality", lambda a, b, c: np.where(a == b, c, 3.0)),
    ("where on a number", lambda a, b, c: np.where(np.floor(a), b, c)),
    ("clip", lambda a, b, c: np.clip(a, -1.0, 2.0)),
    ("clip by quantities", lambda a, b, c: np.clip(a, b, c)),
    ("sqrt", lambda a, b, c: np.sqrt(a)),
    ("sqrt |a|", lambda a, b, c: np.sqrt(np.abs(a))),
    ("exp", lambda a, b, c: np.exp(a / 8.0)),
    ("exp2", lambda a, b, c: np.exp2(small(a))),
    ("expm1", lambda a, b, c: np.expm1(small(a))),
    ("log", lambda a, b, c: np.log(a)),
    ("log |a|", lambda a, b, c: np.log(np.abs(a) + 1e-3)),
    ("log2", lambda a, b, c: np.log2(np.abs(a) + 1.0)),
    ("log10", lambda a, b, c: np.log10(np.abs(a) + 1.0)),
    ("log1p", lambda a, b, c: np.log1p(np.abs(a))),
    ("cbrt", lambda a, b, c: np.cbrt(a)),
    ("floor", lambda a, b, c: np.floor(a)),
    ("ceil", lambda a, b, c: np.ceil(a)),
    ("trunc", lambda a, b, c: np.trunc(a)),
    ("rint", lambda a, b, c: np.rint(a)),
    ("a % 3", lambda a, b, c: a % 3.0),
    ("a % (|b| + 1/4)", lambda a, b, c: a % (np.abs(b) + 0.25)),
    ("a // 2", lambda a, b, c: a // 2),
    ("a // 0.1", lambda a, b, c: a // 0.1),
    ("a // b", lambda a, b, c: a // b),
    ("int a", lambda a, b, c: small(a).astype(int) * 1.5),
    ("int a // 3", lambda a, b, c: small(a).astype(int) // 3),
    ("int a % 4", lambda a, b, c: small(a).astype(int) % 4),
    ("interp", lambda a, b, c: np.interp(a, KNOTS, HEIGHTS)),
    ("searchsorted", lambda a, b, c: np.searchsorted(SORTED, a) * 1.0),
    ("searchsorted right", lambda a, b, c: np.searchsorted(SORTED, a, side="right") * 1.0),
    ("lookup", lambda a, b, c: lookup(TABLE, np.where(a == a, np.clip(a, 0.0, 6.0), 0.0))),
    ("lookup of a condition", lambda a, b, c: lookup([4.0, 9.0], a > b)),
    ("sum([a, b, c])", lambda a, b, c: sum([a, b, c])),
    ("primitive", lambda a, b, c: length(small(a), small(b))),
    ("(a > 1) * b", lambda a, b, c: (a > 1) * b),
    ("count of levels", lambda a, b, c: 1.0 + (a > 0) + (a > 2) + (b >= c)),
    ("condition + condition", lambda a, b, c: ((a > 0) + (b > 0)) * c),
    ("condition * condition", lambda a, b, c: ((a > 0) * (b > 0)) * c),
    ("&", lambda a, b, c: np.where((a > 0) & (b <= 1), a, c)),
    ("|", lambda a, b, c: np.where((a < 0) | (b != c), a, c)),
    ("~", lambda a, b, c: np.where(~(a >= b), a, c)),
    ("^", lambda a, b, c: np.where((a >= b) ^ (b < c), a, c)),
    ("logical", lambda a, b, c: np.where(np.logical_not(np.logical_and(a > 0, np.logical_or(b > 1, c > 2))), a, c)),
    ("astype(int) of a condition", lambda a, b, c: (a < b).astype(int) + c),
]


def trees():
    leaf = st.sampled_from(["x", "y", "z", 0.0, 1.0, -2.0, 0.5, 3.0])
    return st.recursive(leaf, lambda part: st.tuples(st.integers(0, len(NUMBERS) - 1), part, part, part), max_leaves=12)


def compute(tree, values, overflow):
    if isinstance(tree, tuple):
        which, *parts = tree
        result = NUMBERS[which][1](*(compute(part, values, overflow) for part in parts))
        if overflow is not None and isinstance(result, np.ndarray):
            overflow |= np.isinf(result)
        return result
    return values[tree] if isinstance(tree, str) else np.full((1, 1), tree)


def assert_contains(bounds, values, lost=None):
    """Numbers lie in the bounds; NaN needs a bound that is no number (`lost`: where infinities came before)."""
    low, high = (np.broadcast_to(side, (values.shape[0], 1)) for side in (bounds.low, bounds.high))
    nan = np.isnan(values)
    inside = (values >= low) & (values <= high) | np.isnan(low) | np.isnan(high)
    assert (inside | nan).all(), (low, high, values[~(inside | nan)][:3])
    known = np.isfinite(low) & np.isfinite(high)
    wrong = nan & known if lost is None else nan & known & ~lost
    assert not wrong.any()


EDGES = [-4.0, -3.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 7.0, 100.0]
_bound = st.one_of(st.sampled_from(EDGES), st.floats(-60, 60, allow_nan=False))


def points_of(box, count, rng):
    """Corners and random points of intervals, (boxes, count) per variable."""
    low, high = np.minimum(*box), np.maximum(*box)
    weight = rng.random((len(low), count))
    weight[:, : count // 3] = rng.integers(0, 2, (len(low), count // 3))
    points = low[:, None] * (1 - weight) + high[:, None] * weight
    whole = np.clip(np.rint(points), low[:, None], high[:, None])
    points = np.where(rng.random(points.shape) < 0.3, whole, points)
    return np.clip(points, low[:, None], high[:, None])


def check(tree, boxes, seed, count=600):
    rng = np.random.default_rng(seed)
    ranges = {name: Range(np.minimum(*box)[:, None], np.maximum(*box)[:, None]) for name, box in boxes.items()}
    points = {name: points_of(box, count, rng) for name, box in boxes.items()}
    shape = (len(next(iter(boxes.values()))[0]), count)
    with np.errstate(all="ignore"):
        overflow = np.zeros(shape, dtype=bool)
        values = np.broadcast_to(np.asarray(compute(tree, points, overflow), dtype=float), shape)
        bounds = Range.of(compute(tree, ranges, None))
    assert_contains(bounds, values, overflow)


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(trees(), st.lists(st.tuples(*[_bound] * 6), min_size=4, max_size=4), st.integers(0, 9))
def test_bounds_contain_the_values_of_random_expressions(tree, corners, seed):
    columns = np.array(corners).T
    check(tree, {"x": columns[:2], "y": columns[2:4], "z": columns[4:]}, seed)


@pytest.mark.parametrize("which", range(len(NUMBERS)), ids=[name for name, _ in NUMBERS])
def test_bounds_of_each_operation_contain_thousands_of_points(which):
    rng = np.random.default_rng(which)
    boxes = {}
    for name in "xyz":
        box = rng.uniform(-8, 8, (2, 40)) * rng.choice([0.1, 1.0, 1.0, 20.0], 40)
        box[:, :12] = rng.choice(EDGES, (2, 12))
        box[1, 12:16] = box[0, 12:16]
        boxes[name] = box
    check((which, "x", "y", "z"), boxes, which, count=4000)
    single = {name: box[:, :1] for name, box in boxes.items()}
    check((which, "x", "y", "z"), single, which, count=1)


@pytest.mark.parametrize("exponent", [2.0, -1.0, 0.5, 1.0, 0.0, 3.0])
def test_powers_of_single_elements_stay_in_bounds(exponent):
    """The exponent has the shape of the base, so NumPy takes another way than for a repeated exponent."""
    for value in np.random.default_rng(0).uniform(0.1, 10, 300):
        base, power = np.array([value]), np.array([exponent])
        bounds = Range(base, base) ** power
        assert (bounds.low <= base**power).all()
        assert (base**power <= bounds.high).all()


# --- exact statements ---------------------------------------------------------------------------------------------


def interval(low, high):
    return Range(np.array([low], dtype=float), np.array([high], dtype=float))


def limits(bounds):
    return [float(bounds.low[0]), float(bounds.high[0])]


def test_rounded_operations_have_exact_bounds():
    x, y = interval(1, 4), interval(-2, 3)
    assert limits(x + y) == [-1, 7]
    assert limits(x - y) == [-2, 6]
    assert limits(x * y) == [-8, 12]
    assert limits(y / x) == [-2, 3]
    assert limits(np.sqrt(x)) == [1, 2]
    assert limits(np.minimum(x, y)) == [-2, 3]
    assert limits(np.maximum(x, y)) == [1, 4]
    assert limits(np.floor(x / 3)) == [0, 1]
    assert limits(0.1 + x) == [0.1 + 1, 0.1 + 4]


def test_a_name_used_twice_widens_and_the_same_object_times_itself_does_not():
    x, y = interval(1, 4), interval(-3, 2)
    assert limits(x - np.floor(x)) == [-3, 3]
    assert limits(y * y) == [0, 9]
    assert limits(y * interval(-3, 2)) == [-6, 9]
    assert limits(np.where(x > 2, x, 5 - x)) == [1, 4]


def test_where_takes_one_branch_when_the_condition_is_decided():
    x = interval(3, 4)
    assert limits(np.where(x > 2, x, -7.0)) == [3, 4]
    assert limits(np.where(x < 2, x, -7.0)) == [-7, -7]
    assert limits(np.where(x > 3, x, -7.0)) == [-7, 4]
    assert limits(np.where(x >= 3, x, -7.0)) == [3, 4]


def test_a_divisor_that_can_be_zero_gives_no_bounds():
    assert limits(interval(1, 2) / interval(-1, 1)) == [-math.inf, math.inf]
    assert limits(interval(1, 2) / interval(0, 1)) == [-math.inf, math.inf]
    assert limits(interval(1, 2) / interval(-1, -0.0)) == [-math.inf, math.inf]


def test_nothing_divided_by_nothing_stays_nan_behind_clip_and_remainder():
    share = interval(0, 1) / interval(0, 1)
    assert np.isnan(limits(share)).all()
    for bounds in (np.clip(share, 0.0, 1.0), share % 2.0, np.minimum(share, 1.0), np.interp(share, [0, 1], [0, 1])):
        assert np.isnan(limits(bounds)).all()
    assert limits(np.searchsorted([0.0, 1.0, 2.0], share)) == [0, 3]


def test_an_infinite_range_has_no_bounded_remainder():
    assert np.isnan(limits(interval(0, math.inf) % 2.0)).all()


def test_comparisons_with_nan_bounds_decide_nothing():
    nan = Range(np.array([math.nan]), np.array([1.0]))
    for condition in (nan < 5, nan <= 5, nan > 5, nan >= 5, nan == 5, nan != 5, nan > 5, ~(nan < 5)):
        assert condition.can_be_true.all()
        assert condition.can_be_false.all()
    assert np.isnan(np.where(nan < 5, nan, 1.0).low).all()


def test_lookup_bounds_are_the_extremes_of_the_stretch():
    for first in range(len(TABLE)):
        for last in range(first, len(TABLE)):
            bounds = lookup(TABLE, interval(first, last))
            assert limits(bounds) == [TABLE[first : last + 1].min(), TABLE[first : last + 1].max()]
    assert np.isnan(limits(lookup(TABLE, interval(-3, 20)))).all()
    assert np.isnan(limits(lookup(TABLE, interval(math.nan, 2)))).all()


def test_E14_a_lookup_outside_its_table_is_no_number():
    assert lookup([5, 6], np.array([[0.0], [1.9]])).tolist() == [[5.0], [6.0]]
    for index in (-1, 2, math.nan, math.inf, -math.inf, 1e300):
        with noting_outside() as words:
            found = lookup([5, 6], np.array([0, index, -0.5]))
        assert found[[0, 2]].tolist() == [5, 5]
        assert math.isnan(found[1])
        assert words == [f"index {index:.12g} is outside a table of 2 entries"]
    assert math.isnan(lookup([], 0))


def test_E8_interpolation_between_knots_that_do_not_rise_is_refused():
    with pytest.raises(TypeError, match=r"np\.interp with knots that do not rise has no form for ranges"):
        np.interp(interval(1, 2), [0.0, 2.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(TypeError, match=r"np\.interp with knots that do not rise has no form for ranges"):
        np.interp(interval(1, 2), [0.0, math.nan, 1.0], [0.0, 1.0, 2.0])
    assert limits(np.interp(interval(0, 1), [0.0, 1.0, 1.0], [0.0, 1.0, 2.0]))[0] <= 0


def test_scalars_reach_the_range_from_both_sides():
    x = interval(1, 4)
    for scalar in (2, 2.0, np.float64(2), np.int64(2), np.array(2.0), np.array([2.0])):
        for result, expected in (
            (scalar * x, [2, 8]),
            (x * scalar, [2, 8]),
            (scalar - x, [-2, 1]),
            (scalar / x, [0.5, 2]),
        ):
            assert isinstance(result, Range)
            assert limits(result) == expected
        assert isinstance(scalar < x, Condition)
        assert isinstance(x < scalar, Condition)


def test_shape_and_dimensions_are_those_of_the_array():
    x = Range(np.zeros((3, 1)), np.ones((1, 4)))
    assert (x.shape, x.ndim) == ((3, 4), 2)
    assert (x > 0).shape == (3, 4)
    assert repr(interval(1, 2)) == "Range(low=array([1.]), high=array([2.]))"
    assert repr(interval(1, 2) > 3) == "Condition(can_be_true=array([False]), can_be_false=array([ True]))"


# --- what has no form for ranges ----------------------------------------------------------------------------------

X, Y, NEGATIVE = interval(1, 4), interval(2, 3), interval(-1, 4)


def _assign(x):
    x += 1


def _into_array(x):
    array = np.zeros(1)
    array += x


_ARRAY = (
    "using a range as an array or an index has no form for ranges; write ufuncs, np.where, or dse.lookup(table, index)"
)
_BOOL = (
    "'if', 'and', 'or', 'not' or the built-in max/min has no form for ranges; "
    "write np.where, &, |, ~, np.maximum, np.minimum"
)
_MATH = "float(x) or math.* has no form for ranges; write NumPy's function of that name"
_INDEX = "an index has no form for ranges; write dse.lookup(table, index)"
_INDEXING = (
    "indexing a range (x[...]) has no form for ranges; write dse.lookup(table, index), or leave the shape as it is"
)
_OUT = "out= (or an assignment such as x += y) has no form for ranges; write a plain expression, x = x + y"
_CLIP = "np.clip with keywords has no form for ranges; write np.clip(x, low, high) with positional arguments"
_INTERP = (
    "np.interp with keywords or with ranges as its table has no form for ranges; write np.interp(x, table_x, table_y)"
)
_POWER = "a power of a base that can be negative has no form for ranges; write the product, x * x * x"
_DIVISOR = "% with a divisor that can be 0 or negative has no form for ranges; write a positive divisor"
_ANY = "has no form for ranges; write a formula of + - * / ** sqrt exp log minimum maximum where"
_SMALL = "has no form for ranges; write the small shape; the engine broadcasts"
_BITS = "of numbers has no form for ranges; write a comparison on each side, (x > 0) & (y > 0)"
_TRUTH = "of a condition has no form for ranges; write np.where(condition, 1.0, 0.0) first"

REFUSED = {
    "if": (lambda: 1 if X > 1 else 2, _BOOL),
    "chained comparison": (lambda: 0 < X < 2, _BOOL),
    "not": (lambda: not (X > 1), _BOOL),
    "and": (lambda: (X > 1) and (Y > 1), _BOOL),
    "or": (lambda: (X > 1) or (Y > 1), _BOOL),
    "bool of a number": (lambda: bool(X), _BOOL),
    "built-in max": (lambda: max(X, Y), _BOOL),
    "built-in min": (lambda: min(X, Y), _BOOL),
    "built-in round": (lambda: round(X, 1), "the built-in round has no form for ranges; write np.floor(x + 0.5)"),
    "int()": (lambda: int(X), "int(x) has no form for ranges; write x.astype(int) or np.floor(x)"),
    "float()": (lambda: float(X), _MATH),
    "math.sqrt": (lambda: math.sqrt(X), _MATH),
    "math.floor": (lambda: math.floor(X), _MATH),
    "math.trunc": (lambda: math.trunc(X), "math.trunc has no form for ranges; write x.astype(int)"),
    "float of a condition": (lambda: float(X > 1), _MATH),
    "table[i]": (lambda: TABLE[X], _ARRAY),
    "list[i]": (lambda: [1, 2][X], _INDEX),
    "range(i)": (lambda: range(X), _INDEX),
    "np.take": (lambda: np.take(TABLE, X), _ARRAY),
    "table.take": (lambda: TABLE.take(X), _ARRAY),
    "lookup in a table of ranges": (lambda: lookup(X, 1), _ARRAY),
    "np.asarray": (lambda: np.asarray(X), _ARRAY),
    "np.array of a list": (lambda: np.array([X, Y]), _ARRAY),
    "np.array of a condition": (lambda: np.array(X > 1), _ARRAY),
    "np.sum of a list": (lambda: np.sum([X, Y]), _ARRAY),
    "np.max of a list": (lambda: np.max([X, Y]), _ARRAY),
    "np.sum": (lambda: np.sum(X), "np.sum has no form for ranges; write the terms, x + y"),
    "np.max": (lambda: np.max(X), "np.max has no form for ranges; write np.maximum(x, y)"),
    "np.min": (lambda: np.min(X), "np.min has no form for ranges; write np.minimum(x, y)"),
    "np.stack": (lambda: np.stack([X, Y]), "np.stack has no form for ranges; write the terms one by one"),
    "np.concatenate": (
        lambda: np.concatenate([X, Y]),
        "np.concatenate has no form for ranges; write the terms one by one",
    ),
    "np.add.reduce": (lambda: np.add.reduce(X), "np.add.reduce has no form for ranges; write the terms one by one"),
    ".max()": (lambda: X.max(), "the array method .max has no form for ranges; write np.maximum(x, y)"),
    ".sum()": (lambda: X.sum(), "the array method .sum has no form for ranges; write the terms, x + y"),
    ".reshape()": (lambda: X.reshape(-1), "the array method .reshape has no form for ranges; write NumPy's function"),
    ".any()": (lambda: (X > 1).any(), "the array method .any has no form for ranges; write NumPy's function"),
    ".clip()": (
        lambda: X.clip(1, 2),
        "the array method .clip has no form for ranges; write np.clip(x, low, high) with positional arguments",
    ),
    "out=": (lambda: np.add(X, Y, out=np.zeros(1)), _OUT),
    "+=": (lambda: _assign(interval(1, 2)), _OUT),
    "array += range": (lambda: _into_array(X), _OUT),
    "where=": (
        lambda: np.add(X, Y, where=np.array([True])),
        "np.add with where= has no form for ranges; write np.where or a plain expression",
    ),
    "keywords of clip": (lambda: np.clip(X, a_min=1, a_max=2), _CLIP),
    "one keyword of clip": (lambda: np.clip(X, 1, a_max=2), _CLIP),
    "x[..., None]": (lambda: X[..., None], _INDEXING),
    "x[0]": (lambda: X[0], _INDEXING),
    "condition[0]": (lambda: (X > 1)[0], _INDEXING),
    "iteration": (
        lambda: list(X),
        "iterating over a range has no form for ranges; write the expression for the whole array",
    ),
    "len": (lambda: len(X), "len(x) has no form for ranges; write code that does not depend on the number of designs"),
    "np.select": (lambda: np.select([X > 1], [X]), "np.select has no form for ranges; write nested np.where"),
    "np.piecewise": (
        lambda: np.piecewise(X, [X > 1], [1, 2]),
        "np.piecewise has no form for ranges; write nested np.where",
    ),
    "np.sign": (lambda: np.sign(X), "np.sign has no form for ranges; write nested np.where"),
    "np.heaviside": (
        lambda: np.heaviside(X, 1),
        "np.heaviside has no form for ranges; write np.where(x >= 0, 1, 0)",
    ),
    "np.hypot": (lambda: np.hypot(X, Y), "np.hypot has no form for ranges; write np.sqrt(x * x + y * y)"),
    "np.isclose": (lambda: np.isclose(X, Y), "np.isclose has no form for ranges; write a comparison"),
    "np.zeros_like": (
        lambda: np.zeros_like(X),
        "np.zeros_like has no form for ranges; write the small shape: 0.0 * x, or a constant",
    ),
    "np.ones_like": (
        lambda: np.ones_like(X),
        "np.ones_like has no form for ranges; write the small shape: 0.0 * x + 1.0, or a constant",
    ),
    "np.full_like": (
        lambda: np.full_like(X, 2.0),
        "np.full_like has no form for ranges; write the small shape: 0.0 * x + value, or a constant",
    ),
    "np.broadcast_to": (lambda: np.broadcast_to(X, (2, 1)), f"np.broadcast_to {_SMALL}"),
    "np.broadcast_arrays": (lambda: np.broadcast_arrays(X, Y), f"np.broadcast_arrays {_SMALL}"),
    "odd power of a negative base": (lambda: NEGATIVE**3, _POWER),
    "root of a negative base": (lambda: np.power(NEGATIVE, 0.5), _POWER),
    "% of a divisor through 0": (lambda: X % NEGATIVE, _DIVISOR),
    "np.matmul": (lambda: X @ Y, f"np.matmul {_ANY}"),
    "np.dot": (lambda: np.dot(X, Y), f"np.dot {_ANY}"),
    "np.sin": (lambda: np.sin(X), f"np.sin {_ANY}"),
    "np.isnan": (lambda: np.isnan(X), f"np.isnan {_ANY}"),
    "np.round": (lambda: np.round(X), f"np.round {_ANY}"),
    "divmod": (lambda: divmod(X, 2), f"np.divmod {_ANY}"),
    "np.any": (lambda: np.any(X > 1), f"np.any {_ANY}"),
    "np.where without choices": (
        lambda: np.where(X > 1),
        "np.where(condition) with no choices has no form for ranges; write np.where(condition, x, y)",
    ),
    "keywords of interp": (lambda: np.interp(X, [1, 2], [1, 2], left=0), _INTERP),
    "interp in a table of ranges": (lambda: np.interp(1.5, [1, 2], X), _INTERP),
    "integer bits": (lambda: X.astype(int) & 3, f"np.bitwise_and {_BITS}"),
    "inverted number": (lambda: ~X, f"np.invert {_BITS}"),
    "exp of a condition": (lambda: np.exp(X > 1), f"np.exp {_TRUTH}"),
    "difference of conditions": (lambda: (X > 1) - (Y > 1), f"np.subtract {_TRUTH}"),
    "astype(str)": (
        lambda: X.astype(str),
        "astype(<class 'str'>) has no form for ranges; write astype(int) or astype(float)",
    ),
    "astype('int8')": (
        lambda: X.astype("int8"),
        "astype(int8) has no form for ranges; write astype(int) or astype(float)",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_form_for_ranges_raises_a_type_error_that_says_what_to_write(what):
    attempt, message = REFUSED[what]
    with pytest.raises(TypeError) as caught:
        attempt()
    assert str(caught.value) == message


# --- primitives ---------------------------------------------------------------------------------------------------


def test_a_primitive_answers_ranges_by_its_rule_and_points_by_its_formula():
    assert length(np.array([3.0]), np.array([4.0])).tolist() == [5.0]
    low, high = limits(length(interval(-3, 3), 4.0))
    assert low == pytest.approx(4.0)
    assert high == pytest.approx(5.0)
    assert length.__name__ == "length"


def test_the_rule_of_a_rising_formula_contains_its_rounding():
    """x / (x + c) rises, and falls between neighbours in floating point."""

    def saturation(x):
        return x / (x + 0.3)

    bounded = primitive(rising(saturation))(saturation)
    low = np.random.default_rng(1).uniform(0.1, 5.0, 2000)
    points = [low]
    for _ in range(6):
        points.append(np.nextafter(points[-1], np.inf))
    values = np.array([saturation(x) for x in points])
    assert (np.diff(values, axis=0) < 0).any()
    bounds = bounded(Range(points[0], points[-1]))
    assert (bounds.low <= values).all()
    assert (values <= bounds.high).all()
