"""Derivatives are those of finite differences, values those of arrays to the last bit; what has no form is refused."""

import math

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.arithmetic.duals import Dual, Mark, by_partials, chained, independent, plain, stepped, undecided
from dse.arithmetic.lookup import lookup
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Range
from dse.authoring.declare.declaration import Column
from dse.authoring.table import read_table

TABLE = np.array([3.0, -1.0, 4.0, 1.5, -9.0, 2.6, 5.0])
KNOTS, HEIGHTS = np.array([-3.0, -1.0, 0.0, 2.0, 5.0]), np.array([1.0, 4.0, -2.0, 0.5, 7.0])
SORTED = np.array([-4.0, -1.0, 0.0, 0.5, 2.0, 7.0])


def _length(a, b):
    return np.sqrt(a * a + b * b)


length = primitive(rising(_length), by_partials(_length, lambda a, b: (a / _length(a, b), b / _length(a, b))))(_length)


def small(x):
    return np.clip(x, -6.0, 6.0)


SMOOTH = [
    ("a + b", lambda a, b, c: a + b),
    ("a - b", lambda a, b, c: a - b),
    ("a * b", lambda a, b, c: a * b),
    ("a * a", lambda a, b, c: a * a),
    ("a / (|b| + 1/2)", lambda a, b, c: a / (np.abs(b) + 0.5)),
    ("1 / (a * a + 1)", lambda a, b, c: 1.0 / (a * a + 1.0)),
    ("2.5 * a - 3", lambda a, b, c: np.float64(2.5) * a - 3),
    ("3 - a", lambda a, b, c: 3 - a),
    ("-a", lambda a, b, c: -a),
    ("+a", lambda a, b, c: +a),
    ("|a|", lambda a, b, c: abs(a)),
    ("fabs", lambda a, b, c: np.fabs(a)),
    ("a ** 2", lambda a, b, c: a**2),
    ("a ** 3", lambda a, b, c: a**3),
    ("a ** -2", lambda a, b, c: (np.abs(a) + 1.0) ** -2),
    ("a ** array", lambda a, b, c: a ** np.array([2.0])),
    ("a ** 0", lambda a, b, c: a**0),
    ("|a| ** 0.5", lambda a, b, c: (np.abs(a) + 0.1) ** 0.5),
    ("power", lambda a, b, c: np.power(np.abs(a) + 0.2, 3.0)),
    ("(|a| + 0.1) ** b", lambda a, b, c: (np.abs(small(a)) + 0.1) ** (small(b) / 3)),
    ("float_power", lambda a, b, c: np.float_power(np.abs(small(a)) + 0.5, small(b) / 3)),
    ("1.5 ** a", lambda a, b, c: 1.5 ** small(a)),
    ("square", lambda a, b, c: np.square(a)),
    ("reciprocal", lambda a, b, c: np.reciprocal(a * a + 0.25)),
    ("minimum", lambda a, b, c: np.minimum(a, b)),
    ("maximum", lambda a, b, c: np.maximum(a, b)),
    ("maximum of a number", lambda a, b, c: np.maximum(a, 0.5) + np.maximum(-1.0, b)),
    ("where", lambda a, b, c: np.where(a > b, b, c)),
    ("where on a number", lambda a, b, c: np.where(np.floor(a), b, c)),
    ("where with a constant", lambda a, b, c: np.where(a > 0, b, 3.0) + np.where(a > 0, 2.0, c)),
    ("clip", lambda a, b, c: np.clip(a, -1.0, 2.0)),
    ("clip by quantities", lambda a, b, c: np.clip(a, b, c)),
    ("sqrt", lambda a, b, c: np.sqrt(np.abs(a) + 0.1)),
    ("cbrt", lambda a, b, c: np.cbrt(np.abs(a) + 0.1)),
    ("exp", lambda a, b, c: np.exp(small(a) / 2)),
    ("exp2", lambda a, b, c: np.exp2(small(a) / 2)),
    ("expm1", lambda a, b, c: np.expm1(small(a) / 2)),
    ("log", lambda a, b, c: np.log(np.abs(a) + 0.5)),
    ("log2", lambda a, b, c: np.log2(np.abs(a) + 1.0)),
    ("log10", lambda a, b, c: np.log10(np.abs(a) + 1.0)),
    ("log1p", lambda a, b, c: np.log1p(np.abs(a))),
    ("a % 3", lambda a, b, c: a % 3.0),
    ("a % (|b| + 1)", lambda a, b, c: a % (np.abs(b) + 1.0)),
    ("7 % (|b| + 1)", lambda a, b, c: 7.0 % (np.abs(b) + 1.0)),
    ("interp", lambda a, b, c: np.interp(a, KNOTS, HEIGHTS)),
    ("sum([a, b, c])", lambda a, b, c: sum([a, b, c])),
    ("primitive", lambda a, b, c: length(small(a) + 7.0, small(b))),
    ("(a > 1) * b", lambda a, b, c: (a > 1) * b),
    ("& | ~ ^", lambda a, b, c: np.where((a > 0) & ~(b <= 1) | (c > 1) ^ (a > b), a, c)),
    ("logical", lambda a, b, c: np.where(np.logical_not(np.logical_and(a > 0, np.logical_or(b > 1, c > 2))), a, c)),
    ("astype(float)", lambda a, b, c: (a * 2).astype(float)),
]
STEPS = [
    ("floor", lambda a, b, c: np.floor(a)),
    ("ceil", lambda a, b, c: np.ceil(a)),
    ("trunc", lambda a, b, c: np.trunc(a)),
    ("rint", lambda a, b, c: np.rint(a)),
    ("a // 2", lambda a, b, c: a // 2),
    ("a // (|b| + 1)", lambda a, b, c: a // (np.abs(b) + 1.0)),
    ("int a", lambda a, b, c: small(a).astype(int) * 1.5),
    ("int a // 3", lambda a, b, c: small(a).astype(int) // 3),
    ("searchsorted", lambda a, b, c: np.searchsorted(SORTED, a) * 1.0),
    ("searchsorted right", lambda a, b, c: np.searchsorted(SORTED, a, side="right") * 1.0),
    ("lookup", lambda a, b, c: lookup(TABLE, np.clip(a, 0.0, 6.0))),
    ("where on a number alone", lambda a, b, c: np.where(np.floor(a), 2.0, 3.0)),
]
OPERATIONS = SMOOTH + STEPS
EDGES = [-4.0, -3.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 7.0]
numbers = st.one_of(st.sampled_from(EDGES), st.floats(-8, 8, allow_subnormal=False))


def differences(function, point):
    """One-sided slopes along each argument, upward and downward, by Richardson's extrapolation."""
    here = function(*point)
    for position in range(len(point)):
        sides = []
        for sign in (1, -1):
            slopes = []
            for width in (2.0**-13, 2.0**-14, 2.0**-15):
                moved = list(point)
                moved[position] = point[position] + sign * width
                slopes.append((function(*moved) - here) * sign / width)
            one, other = 2 * slopes[1] - slopes[0], 2 * slopes[2] - slopes[1]
            sides.append(float(((4 * other - one) / 3).reshape(-1)[0]))
        yield sides


def check(function, point, *, single=True):
    """Compare values and derivatives at a point with those of arrays; several ties at once may hide each other."""
    arrays = [np.array([value]) for value in point]
    with np.errstate(all="ignore"):
        expected = function(*arrays)
        found = function(*independent(arrays))
        sides = list(differences(function, arrays))
    if not isinstance(found, Dual):
        found = Dual(found, np.zeros(len(point)))
    assert found.value.tobytes() == np.asarray(expected).tobytes()
    assert found.value.dtype == expected.dtype
    size = max(1.0, abs(float(expected[0])))
    for slope, mark, (up, down) in zip(found.derivative[0], found.marks[0], sides, strict=True):
        if not max(abs(up), abs(down)) < 1e4 * size:
            continue  # a jump, or a curve that rises upright
        if mark & Mark.ONE_SIDED and not mark & Mark.STEPS:
            if single:
                assert min(abs(slope - up), abs(slope - down)) <= 1e-5 * max(size, abs(up), abs(down))
        elif abs(up - down) <= 1e-6 * max(size, abs(up)):
            assert slope == pytest.approx((up + down) / 2, rel=1e-6, abs=1e-6 * size)


@pytest.mark.slow
@settings(max_examples=examples(1500))
@given(st.sampled_from([function for _, function in OPERATIONS]), st.tuples(numbers, numbers, numbers))
def test_each_operation_has_the_derivative_of_differences(function, point):
    check(function, point, single=len(set(point)) == 3)


@pytest.mark.parametrize("which", range(len(OPERATIONS)), ids=[name for name, _ in OPERATIONS])
def test_each_operation_at_many_points(which):
    rng = np.random.default_rng(which)
    name, function = OPERATIONS[which]
    for _ in range(60):
        check(function, rng.uniform(-6, 6, 3).round(rng.choice([1, 9])).tolist())
    if which >= len(SMOOTH):
        x, *rest = independent([np.array([1.3]), np.array([0.7]), np.array([2.2])])
        marked = function(x, *rest)
        assert (marked.derivative == 0).all(), name
        assert marked.marks[0, 0] == Mark.STEPS, name


def trees():
    leaf = st.sampled_from(["x", "y", "z", 1.0, -2.0, 0.5, 3.0])
    return st.recursive(
        leaf, lambda part: st.tuples(st.integers(0, len(OPERATIONS) - 1), part, part, part), max_leaves=8
    )


def compute(tree, values):
    if isinstance(tree, tuple):
        which, *parts = tree
        return small(OPERATIONS[which][1](*(compute(part, values) for part in parts)))
    return values[tree] if isinstance(tree, str) else np.full(1, tree)


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(trees(), st.tuples(*[st.floats(-5, 5, allow_subnormal=False)] * 3))
def test_the_chain_rule_holds_for_random_expressions(tree, point):
    def function(*values):
        result = compute(tree, dict(zip("xyz", values, strict=True)))
        return result * 1.0 if isinstance(result, Dual) else np.asarray(result) * 1.0

    check(function, point, single=False)


# --- exact statements ---------------------------------------------------------------------------------------------


def variables(*values):
    return independent([np.array([float(value)]) for value in values])


def told(dual):
    return dual.derivative[0].tolist(), [Mark(int(mark)) for mark in dual.marks[0]]


NONE, ONE_SIDED, STEP = Mark(0), Mark.ONE_SIDED, Mark.STEPS


def test_on_a_tie_the_argument_that_wins_after_a_step_counts_and_is_marked():
    x, y = variables(2, 2)
    assert told(np.maximum(x, y)) == ([1, 1], [ONE_SIDED, ONE_SIDED])
    assert told(np.maximum(y, x)) == ([1, 1], [ONE_SIDED, ONE_SIDED])
    assert told(np.minimum(x, y)) == ([0, 0], [ONE_SIDED, ONE_SIDED])
    assert told(np.minimum(2.0, x)) == ([0, 0], [ONE_SIDED, NONE])
    assert told(np.clip(x, 2.0, 3.0)) == ([1, 0], [ONE_SIDED, NONE])
    assert told(np.clip(x, 1.0, 2.0)) == ([0, 0], [ONE_SIDED, NONE])
    down = Dual(np.array([2.0]), [-1.0, 0.0])
    assert told(np.clip(down, 1.0, 2.0)) == ([-1, 0], [ONE_SIDED, NONE])
    assert told(np.clip(down, 2.0, 3.0)) == ([0, 0], [ONE_SIDED, NONE])
    assert told(np.abs(down - 2.0)) == ([1, 0], [ONE_SIDED, NONE])
    assert told(np.interp(down, [1, 2, 4], [1, 3, 4])) == ([-2, 0], [ONE_SIDED, NONE])
    assert told(np.maximum(x, x)) == ([1, 0], [NONE, NONE])
    assert told(np.maximum(x, y - 1.0)) == ([1, 0], [NONE, NONE])


def test_an_absolute_value_and_a_table_have_the_slope_above_a_corner():
    (x,) = variables(0)
    assert told(np.abs(x)) == ([1], [ONE_SIDED])
    assert told(np.interp(x, [-1, 0, 2], [5, 3, 4])) == ([0.5], [ONE_SIDED])
    assert told(np.interp(x, [-1, 0, 1], [5, 3, 1])) == ([-2], [NONE])
    assert told(np.interp(x, [0, 1], [3, 5])) == ([2], [ONE_SIDED])
    assert told(np.interp(x, [-1, 0], [3, 5])) == ([0], [ONE_SIDED])
    assert told(np.interp(x, [1, 2], [3, 5])) == ([0], [NONE])


def test_where_takes_value_derivative_and_marks_of_one_branch():
    x, y = variables(3, 5)
    assert told(np.where(x > 2, y, np.floor(x))) == ([0, 1], [NONE, NONE])
    assert told(np.where(x < 2, y, np.floor(x))) == ([0, 0], [STEP, NONE])
    assert isinstance(x > 2, np.ndarray)
    assert (x > 2).dtype == bool


def test_marks_go_along_and_end_where_nothing_depends_on_them():
    x, y = variables(2.5, 4)
    steps = np.floor(x) * y + x
    assert told(steps) == ([1, 2], [STEP, NONE])
    assert told(0.0 * steps + y) == ([0, 1], [NONE, NONE])
    hidden = np.maximum(steps, 100.0 + y)
    assert told(hidden) == ([0, 1], [Mark.HIDDEN, NONE])
    assert told(2.0 * np.minimum(hidden, 500.0)) == ([0, 2], [Mark.HIDDEN, NONE])
    assert told(np.minimum(hidden, 5.0)) == ([0, 0], [Mark.HIDDEN, NONE])
    assert told(0.0 * hidden) == ([0, 0], [NONE, NONE])
    assert told(np.maximum(np.floor(x), 2.0)) == ([0, 0], [STEP, NONE])
    assert told(np.maximum(2.0, np.floor(x))) == ([0, 0], [STEP, NONE])
    assert told(np.interp(steps, [50, 60], [3, 5])) == ([0, 0], [Mark.HIDDEN, NONE])
    assert told(x % 2.0) == ([1, 0], [STEP, NONE])
    assert told(stepped(np.array([7.0]), x, y)) == ([0, 0], [STEP, STEP])


def test_what_is_not_known_stays_unknown_unless_nothing_depends_on_it():
    x = Dual(np.array([2.0]), np.array([np.nan, 1.0]))
    assert np.isnan((3.0 * x + 1.0).derivative[0]).tolist() == [True, False]
    assert told(0.0 * x) == ([0, 0], [NONE, NONE])
    assert told(np.where(x > 5, x, 1.0)) == ([0, 0], [NONE, NONE])
    assert told(np.maximum(x, 7.0)) == ([0, 0], [NONE, NONE])
    (root,) = variables(0)
    assert np.sqrt(root).derivative.tolist() == [[np.inf]]
    assert (np.sqrt(root) * root).derivative.tolist() == [[0.0]]
    assert np.sqrt(0.0 * root).derivative.tolist() == [[0.0]]


def test_comparisons_of_equals_are_collected():
    x, y = variables(2, 2)
    assert (x >= y).all()
    with undecided() as found:
        assert (x >= y).all()
        assert not (x > 3).any()
        assert (x == x).all()
        assert (x <= 2).all()
        np.where(x - y, 1.0, 2.0)
        assert np.logical_not(x - y).all()
        assert (np.floor(x) > 1.5).all()
    assert [one.tolist() for one in found] == [[STEP, STEP], [STEP, 0], [STEP, STEP], [Mark.HIDDEN, 0]]


def test_several_directions_and_shapes():
    a = Dual(np.arange(3.0).reshape(3, 1), [1.0, 0.0])
    b = Dual(np.arange(4.0), [0.0, 1.0])
    product = a * b
    assert (a.shape, a.ndim, a.directions, product.shape) == ((3, 1), 2, 2, (3, 4))
    np.testing.assert_array_equal(product.derivative[..., 0], np.broadcast_to(np.arange(4.0), (3, 4)))
    np.testing.assert_array_equal(product.derivative[..., 1], np.broadcast_to(np.arange(3.0)[:, None], (3, 4)))
    assert repr(variables(2)[0]) == "Dual(value=array([2.]), derivative=array([[1.]]))"
    with pytest.raises(ValueError, match="broadcast"):
        a + Dual(np.ones(1), [1.0, 2.0, 3.0])


def test_scalars_reach_the_dual_number_from_both_sides():
    (x,) = variables(2)
    for scalar in (3, 3.0, np.float64(3), np.int64(3), np.array(3.0), np.array([3.0])):
        for result, value, slope in (
            (scalar * x, 6, 3),
            (x * scalar, 6, 3),
            (scalar - x, 1, -1),
            (scalar / x, 1.5, -0.75),
            (scalar**x, 9, 9 * math.log(3)),
            (x**scalar, 8, 12),
        ):
            assert isinstance(result, Dual)
            assert result.value.tolist() == [value]
            assert result.derivative[0, 0] == pytest.approx(slope, rel=1e-15)


@pytest.mark.parametrize("exponent", [2, 2.0, 0.5, -1, 1, 0, 3, 1.7])
def test_powers_have_the_bits_of_arrays(exponent):
    base = np.random.default_rng(3).uniform(0.1, 10, 500)
    (x,) = independent([base])
    assert (x**exponent).value.tobytes() == (base**exponent).tobytes()
    assert np.power(x, exponent).value.tobytes() == np.power(base, exponent).tobytes()
    array = np.full(500, float(exponent))
    assert (x**array).value.tobytes() == (base**array).tobytes()


def test_the_rule_of_a_chain():
    x, y = variables(2, 3)
    result = chained(np.array([1.0]), [x, 5.0, y], [4.0, np.nan, 0.0], Mark.NUMERIC)
    assert told(result) == ([4, 0], [Mark.NUMERIC, Mark.NUMERIC])
    assert plain(result).tolist() == [1.0]
    assert plain("text") == "text"


# --- tables -------------------------------------------------------------------------------------------------------


@pytest.fixture
def grid(tmp_path):
    rng = np.random.default_rng(2)
    lines = ["cores,frequency [Hz],power [W],one"]
    lines += [f"{cores},{clock},{rng.uniform(1, 9)},1" for cores in (1, 2, 4) for clock in (10, 20, 50)]
    path = tmp_path / "grid.csv"
    path.write_text("\n".join(lines))
    return read_table(path, columns={"power": Column("W")}, name="grid.csv")


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(data=st.data())
def test_interpolated_tables_have_the_slopes_of_their_stretches(tmp_path_factory, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    lines = ["x,y,z"] + [f"{x},{y},{rng.uniform(1, 9)}" for x in (1, 2, 4) for y in (10, 20, 50)]
    path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_text("\n".join(lines))
    table = read_table(path)
    x = data.draw(st.one_of(st.sampled_from([1.0, 2.0, 4.0]), st.floats(1.01, 3.99)))
    y = data.draw(st.one_of(st.sampled_from([10.0, 20.0, 50.0]), st.floats(10.1, 49.9)))
    at = {"x": np.array([x]), "y": np.array([y])}
    found = table.interpolate("z", **dict(zip(at, independent(list(at.values())), strict=True)))
    assert found.value.tobytes() == table.interpolate("z", **at).tobytes()
    for position, (name, levels) in enumerate({"x": (1, 2, 4), "y": (10, 20, 50)}.items()):
        point, width = at[name], 2.0**-9
        end, knot = point[0] in (levels[0], levels[-1]), point[0] == levels[1]
        up, down = (
            (table.interpolate("z", **{**at, name: point + s * width}) - found.value)[0] * s / width
            if levels[0] <= point[0] + s * width <= levels[-1]
            else None
            for s in (1, -1)
        )
        assert found.derivative[0, position] == pytest.approx(down if up is None else up, rel=1e-9, abs=1e-11)
        if not end and not knot and min(abs(point[0] - level) for level in levels) > width:
            assert found.derivative[0, position] == pytest.approx(down, rel=1e-9, abs=1e-11)
        assert found.marks[0, position] == (ONE_SIDED if end or knot else NONE)


def test_one_varying_argument_and_a_single_level(grid, tmp_path):
    (clock,) = independent([np.array([15.0])])
    found = grid.interpolate("power", cores=np.array([3.0]), frequency=clock)
    ends = [grid.interpolate("power", cores=np.array([3.0]), frequency=np.array([f])) for f in (10.0, 20.0)]
    assert found.derivative[0].tolist() == pytest.approx([float((ends[1] - ends[0])[0]) / 10.0])
    path = tmp_path / "one.csv"
    path.write_text("x,z\n3,7\n")
    lone = read_table(path).interpolate("z", x=independent([np.array([3.0])])[0])
    assert lone.value.tolist() == [7.0]
    assert np.isnan(lone.derivative).all()


# --- primitives ---------------------------------------------------------------------------------------------------


def test_a_primitive_answers_by_its_rule_and_refuses_without_one():
    x, y = variables(3, 4)
    assert told(length(x, y)) == ([0.6, 0.8], [NONE, NONE])
    assert told(length(x, 4.0)) == ([0.6, 0], [NONE, NONE])
    bare = primitive(rising(_length))(_length)
    assert bare(np.array([3.0]), 4.0).tolist() == [5.0]
    with pytest.raises(TypeError) as caught:
        bare(x, y)
    assert str(caught.value) == (
        "the primitive _length has no form for dual numbers; write its dual_rule, such as by_partials(…)"
    )


# --- what has no form for dual numbers ----------------------------------------------------------------------------

(X,), (Y,) = variables(1.5), variables(2)


def _assign(x):
    x += 1


_ARRAY = "using a dual number as an array or an index has no form for dual numbers; write ufuncs, np.where, or "
_ANY = "has no form for dual numbers; write a formula of + - * / ** sqrt exp log minimum maximum where"

REFUSED = {
    "if": (lambda: 1 if X else 2, "'if', 'and', 'or', 'not' or the built-in max/min has no form for dual numbers"),
    "np.asarray": (lambda: np.asarray(X), _ARRAY),
    "np.array of a list": (lambda: np.array([X, Y]), _ARRAY),
    "table[i]": (lambda: TABLE[X], _ARRAY),
    "lookup in a table of dual numbers": (lambda: lookup(X, 1), _ARRAY),
    "float()": (lambda: float(X), "float(x) or math.* has no form for dual numbers"),
    "math.sqrt": (lambda: math.sqrt(X), "float(x) or math.* has no form for dual numbers"),
    "int()": (lambda: int(X), "int(x) has no form for dual numbers; write x.astype(int) or np.floor(x)"),
    "round": (lambda: round(X), "the built-in round has no form for dual numbers; write np.floor(x + 0.5)"),
    "x[0]": (lambda: X[0], "indexing a dual number (x[...]) has no form for dual numbers"),
    "iteration": (lambda: list(X), "iterating over a dual number has no form for dual numbers"),
    "len": (lambda: len(X), "len(x) has no form for dual numbers"),
    "hash": (lambda: {X: 1}, "unhashable type: 'Dual'"),
    "format": (lambda: f"{X:.2f}", "unsupported format string"),
    "np.sum": (lambda: np.sum(X), "np.sum has no form for dual numbers; write the terms, x + y"),
    "np.max": (lambda: np.max(X), "np.max has no form for dual numbers; write np.maximum(x, y)"),
    "np.add.reduce": (lambda: np.add.reduce(X), "np.add.reduce has no form for dual numbers"),
    ".max()": (lambda: X.max(), "the array method .max has no form for dual numbers; write np.maximum(x, y)"),
    ".copy()": (lambda: X.copy(), "the array method .copy has no form for dual numbers"),
    ".dtype": (lambda: X.dtype, "the array method .dtype has no form for dual numbers"),
    "+=": (lambda: _assign(X), "out= (or an assignment such as x += y) has no form for dual numbers"),
    "where=": (lambda: np.add(X, Y, where=np.array([True])), "np.add with where= has no form for dual numbers"),
    "keywords of clip": (lambda: np.clip(X, a_min=1, a_max=2), "np.clip with keywords has no form for dual numbers"),
    "np.where without choices": (lambda: np.where(X), "np.where(condition) with no choices has no form"),
    "keywords of interp": (lambda: np.interp(X, [1, 2], [1, 2], left=0), "np.interp with keywords or with dual"),
    "interp in a table of dual numbers": (lambda: np.interp(1.5, [1, 2], X), "np.interp with keywords or with dual"),
    "search in a table of dual numbers": (lambda: np.searchsorted(X, 1.5), "np.searchsorted in a table of dual"),
    "np.sign": (lambda: np.sign(X), "np.sign has no form for dual numbers; write nested np.where"),
    "np.hypot": (lambda: np.hypot(X, Y), "np.hypot has no form for dual numbers; write np.sqrt(x * x + y * y)"),
    "np.isclose": (lambda: np.isclose(X, Y), "np.isclose has no form for dual numbers; write a comparison"),
    "np.zeros_like": (lambda: np.zeros_like(X), "np.zeros_like has no form for dual numbers"),
    "np.broadcast_arrays": (lambda: np.broadcast_arrays(X, Y), "np.broadcast_arrays has no form for dual numbers"),
    "np.stack": (lambda: np.stack([X, Y]), "np.stack has no form for dual numbers; write the terms one by one"),
    "np.sin": (lambda: np.sin(X), f"np.sin {_ANY}"),
    "np.round": (lambda: np.round(X), f"np.round {_ANY}"),
    "np.unique": (lambda: np.unique(X), f"np.unique {_ANY}"),
    "divmod": (lambda: divmod(X, 2), f"np.divmod {_ANY}"),
    "matmul": (lambda: X @ Y, f"np.matmul {_ANY}"),
    "bits": (lambda: X.astype(int) & 3, "np.bitwise_and of numbers has no form for dual numbers"),
    "inverted number": (lambda: ~X, "np.invert of numbers has no form for dual numbers"),
    "astype(str)": (lambda: X.astype(str), "astype(<class 'str'>) has no form for dual numbers"),
    "ranges among them": (lambda: Range(1.0, 2.0) + X, _ARRAY),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_form_for_dual_numbers_raises_a_type_error_that_says_what_to_write(what):
    attempt, message = REFUSED[what]
    with pytest.raises(TypeError) as caught:
        attempt()
    assert str(caught.value).startswith(message)
