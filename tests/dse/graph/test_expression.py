"""Expressions mean what Python means by the same text, know their units, and never reach Python."""

import contextlib
import math
import re

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from dse.arithmetic.ranges import Condition, Range
from dse.errors import InputError, NonFiniteError
from dse.graph.expression import names_in, parse

UNITS = {
    "x": "1", "y": "1", "nodes": "1", "power": "W", "energy": "J", "time": "s", "clock": "Hz", "memory": "B",
    "rate": "B/s", "heat": "K", "kind": "text", "maker": "text", "orbit": "1", "android": "1", "note": "1",
}  # fmt: skip


def value(text, **given):
    expression = parse(text, UNITS)
    result = expression(*(given[name] for name in expression.needs))
    return np.asarray(result).reshape(-1)[0]


def refusal(text):
    with pytest.raises(InputError) as caught:
        parse(text, UNITS)
    return str(caught.value)


# --- numbers ------------------------------------------------------------------------------------------------------


def numbers():
    leaf = st.sampled_from(["x", "y", "nodes", "1", "2", "3.5", "0.25", ".5", "1e2", "2.5e-1", "7"])
    return st.recursive(
        leaf,
        lambda part: st.one_of(
            st.tuples(part, st.sampled_from([" + ", "-", " * ", "/", "*", " - "]), part).map("".join),
            part.map(lambda text: f"-{text}"),
            part.map(lambda text: f"({text})"),
            st.tuples(part, st.sampled_from(["2", "3", "-1", "0.5", "-x"])).map(lambda two: f"({two[0]}) ** {two[1]}"),
            st.sampled_from(["2 ** 3 ** 2", "-2 ** 2", "2 ** -1", "2 ** -x ** 2", "x ** 2 ** y"]),
            st.tuples(part, part).map(lambda two: f"min({two[0]}, {two[1]})"),
            st.tuples(part, part).map(lambda two: f"max({two[0]},{two[1]})"),
            part.map(lambda text: f"abs({text})"),
            part.map(lambda text: f"floor({text})"),
        ),
        max_leaves=10,
    )


def conditions():
    compared = st.tuples(numbers(), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), numbers())
    plain = st.one_of(
        compared.map(lambda three: " ".join(three)),
        numbers().map(lambda text: f"{text} in [1, x, 3.5]"),
    )
    return st.recursive(
        plain,
        lambda part: st.one_of(
            st.tuples(part, part).map(" and ".join),
            st.tuples(part, part).map(" or ".join),
            part.map(lambda text: f"not {text}"),
            part.map(lambda text: f"({text})"),
        ),
        max_leaves=6,
    )


_PYTHON = {"__builtins__": {}, "min": np.minimum, "max": np.maximum, "abs": np.abs, "floor": np.floor}


def python(text, **given):
    """Python's own reading of the text; numbers are floats, as everywhere in the engine."""
    text = re.sub(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?|\.\d+)", r"F(\1)", text)
    return eval(text, {**_PYTHON, "F": np.float64}, {name: np.float64(one) for name, one in given.items()})


@given(numbers(), *[st.sampled_from([-2.0, -0.5, 0.0, 1.0, 3.0])] * 3)
def test_numbers_are_computed_as_python_computes_them(text, x, y, nodes):
    with np.errstate(all="ignore"):
        expected = python(text, x=x, y=y, nodes=nodes)
        try:
            found = value(text, x=np.array([x]), y=np.array([y]), nodes=np.array([nodes]))
        except InputError as error:
            assert "without quantities is" in str(error)  # noqa: PT017
            reject()
    assert math.isnan(found) if math.isnan(expected) else found == pytest.approx(expected, rel=1e-13)


@given(conditions(), *[st.sampled_from([-2.0, 0.0, 1.0, 3.0])] * 3)
def test_conditions_bind_as_in_python(text, x, y, nodes):
    with np.errstate(all="ignore"):
        expected = bool(python(text, x=x, y=y, nodes=nodes))
        try:
            found = bool(value(text, x=np.array([x]), y=np.array([y]), nodes=np.array([nodes])))
        except NonFiniteError:  # a part of it is not a number, which Python takes to be false
            reject()
        except InputError as error:
            assert "without quantities is" in str(error)  # noqa: PT017
            reject()
        assert found is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("2 ^ 3", 8), ("2 ^ 3 ** 2", 512), ("-2 ** 2", -4), ("8 / 4 / 2", 1),
        ("8 - 4 - 2", 2), ("1_000 * 2", 2000), ("1e3", 1000), ("sqrt(16) + ceil(1.2)", 6), ("- - 3", 3), ("2*-3", -6),
    ],
)  # fmt: skip
def test_plain_numbers(text, expected):
    assert value(text) == expected


# --- names, texts, shapes -----------------------------------------------------------------------------------------


def test_needs_are_the_quantities_in_order_of_appearance_each_once():
    assert parse("power * time <= energy and time < 3 s or x > 1", UNITS).needs == ("power", "time", "energy", "x")
    assert names_in("min(b, a) + c ** d - (e)") == ("b", "a", "c", "d", "e")
    assert parse("x", UNITS).needs == ("x",)
    assert parse("3 < 4", UNITS).needs == ()


def test_names_may_begin_with_a_keyword():
    assert value("orbit + android + note", orbit=1.0, android=2.0, note=4.0) == 7
    assert value("not note < 3 and android > 1 or orbit < 0", note=4.0, android=2.0, orbit=1.0)


def test_texts_are_compared_by_equality_and_membership():
    kinds = np.array(["torus", "tree"], dtype=object)
    for text, expected in (
        ("kind == 'torus'", [True, False]),
        ('kind != "torus"', [False, True]),
        ("kind in ['tree', 'mesh']", [False, True]),
        ("not kind in ['tree']", [True, False]),
    ):
        assert np.asarray(parse(text, UNITS)(kinds)).tolist() == expected
    makers = np.array(["tree", "tree"], dtype=object)
    assert parse("kind == maker", UNITS)(kinds, makers).tolist() == [False, True]


def test_values_broadcast_and_ranges_pass():
    expression = parse("x * y <= 6 or x == 4", UNITS)
    found = expression(np.array([[1.0], [4.0]]), np.array([[1.0, 9.0]]))
    assert found.tolist() == [[True, False], [True, True]]
    bounds = expression(Range(np.array([1.0]), np.array([2.0])), Range(np.array([1.0]), np.array([9.0])))
    assert isinstance(bounds, Condition)
    assert (bounds.can_be_true.item(), bounds.can_be_false.item()) == (True, True)


def test_a_plain_comparison_has_two_sides_and_others_have_none():
    expression = parse("power * 2 <= 20 MW", UNITS)
    left, relation, right = expression.sides
    assert relation == "<="
    assert left.compute({"power": 3.0}) == 6
    assert right.compute({}).tolist() == [20e6]
    assert (left.unit, right.unit) == ("W", "W")
    for text in ("power <= 20 MW and x < 1", "not x < 1", "x in [1, 2]", "x + 1"):
        assert parse(text, UNITS).sides is None


# --- units --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("power <= 20 MW", {"power": 20e6}, True),
        ("power <= 20 MW", {"power": np.nextafter(20e6, 1e9)}, False),
        ("power<=20MW and x>1", {"power": 1.0, "x": 2.0}, True),
        ("energy / time < 3 kW", {"energy": 5999.0, "time": 2.0}, True),
        ("energy == power * time", {"energy": 6.0, "power": 2.0, "time": 3.0}, True),
        ("memory >= 16 GiB", {"memory": 2.0**34}, True),
        ("memory / time > 1 GB/s", {"memory": 3e9, "time": 2.0}, True),
        ("rate * time <= 8 Gbit", {"rate": 1e9, "time": 1.0}, True),
        ("time * clock < 1e6", {"time": 1e-3, "clock": 1e8}, True),
        ("1 / time < 3 kHz", {"time": 1e-3}, True),
        ("sqrt(power * power) > 3 W", {"power": 4.0}, True),
        ("power ** 2 > 9 W * 1 W", {"power": 4.0}, True),
        ("heat < 30 degC", {"heat": 303.0}, True),
        ("heat > 30 degC", {"heat": 303.2}, True),
        ("power > 0", {"power": 1.0}, True),
        ("0 <= power - 3 W", {"power": 3.0}, True),
        ("max(0, power - 5 MW) <= 1 MW", {"power": 5.5e6}, True),
        ("min(power, 0) == 0", {"power": 3.0}, True),
        ("-0 <= power", {"power": 3.0}, True),
        ("time in [1 ms, 2 ms]", {"time": 0.002}, True),
        ("nodes < 640", {"nodes": 639.0}, True),
    ],
)
def test_units_are_converted_at_the_edge(text, given, expected):
    assert bool(value(text, **given)) is expected


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("power * time", "J"), ("energy / time", "W"), ("memory / time", "B/s"), ("1 / time", "Hz"), ("x ** 2", "1"),
        ("0 + power", "W"), ("max(0, power)", "W"), ("min(power, 0)", "W"), ("-energy", "J"), ("sqrt(x)", "1"),
        ("power < 3 W", "bool"), ("kind", "text"), ("20 MW", "W"), ("abs(time)", "s"), ("time * clock", "1"),
    ],
)  # fmt: skip
def test_an_expression_knows_its_unit(text, unit):
    assert parse(text, UNITS).unit == unit


# --- errors -------------------------------------------------------------------------------------------------------

_READ = "; allowed: such as 'power <= 20 MW', 'nodes * cores < 1e6'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("powr <= 20 MW", "unknown quantity 'powr' in 'powr <= 20 MW'; did you mean 'power'?"),
        (
            "power <= 20",
            "units do not fit in 'power <= 20': 'W' against '1'; allowed: the same dimension on both sides",
        ),
        (
            "power <= 20 MJ",
            "units do not fit in 'power <= 20 MJ': 'W' against 'J'; allowed: the same dimension on both sides",
        ),
        (
            "power + time > 0",
            "units do not fit in 'power + time > 0': 'W' against 's'; allowed: the same dimension on both sides",
        ),
        (
            "max(power, time) > 0",
            "units do not fit in 'max(power, time) > 0': 'W' against 's'; allowed: the same dimension on both sides",
        ),
        ("x < 3 parsek", "unknown unit 'parsek'"),
        (
            "x < 3k W",
            "the expression 'x < 3k W' cannot be read at 'W' (character 8); allowed: a prefix right before its unit, "
            "such as 250 kEUR or 250e3 EUR",
        ),
        ("power <= 20 NW and", "the expression 'power <= 20 NW and' ends too early"),
        ("", "the expression '' ends too early"),
        ("(x < 3", "the expression '(x < 3' ends too early"),
        ("x < 3)", "the expression 'x < 3)' cannot be read at ')' (character 6)" + _READ),
        ("1 < x < 3", "the expression '1 < x < 3' cannot be read at '< 3' (character 7)" + _READ),
        ("x = 3", "the expression 'x = 3' cannot be read at '= 3' (character 3)" + _READ),
        ("x && y", "the expression 'x && y' cannot be read at '&& y' (character 3)" + _READ),
        ("x % 2 == 0", None),
        ("x in 3", "the expression 'x in 3' cannot be read at '3' (character 6)" + _READ),
        ("kind < 'a'", "texts have no order in 'kind < 'a''; allowed: == or !="),
        ("kind == 3", "a text and a number cannot be compared in 'kind == 3'"),
        ("x == 'a'", "a text and a number cannot be compared in 'x == 'a''"),
        ("kind + 1 > 2", "a text stands where a number is needed in 'kind + 1 > 2'"),
        ("(x < 3) + 1 > 2", "a condition stands where a number is needed in '(x < 3) + 1 > 2'"),
        ("(x < 3) == (y < 3)", "a condition cannot be compared in '(x < 3) == (y < 3)'"),
        (
            "x and y < 2",
            "a number stands where a condition is needed in 'x and y < 2'; allowed: such as 'power <= 20 MW'",
        ),
        ("not x", "a number stands where a condition is needed in 'not x'; allowed: such as 'power <= 20 MW'"),
        ("x ** power > 1", "an exponent has the unit 'W' in 'x ** power > 1'; allowed: a plain number"),
        ("power ** x > 0", "a quantity with a unit has an exponent that varies in 'power ** x > 0'"),
        (
            "sqr(x) < 2",
            "unknown function 'sqr' in 'sqr(x) < 2'; allowed: abs, ceil, floor, max, min, sqrt; did you mean 'sqrt'?",
        ),
        ("min(x) < 2", "min takes 2 argument(s), not 1, in 'min(x) < 2'"),
        ("sqrt(x, y) < 2", "sqrt takes 1 argument(s), not 2, in 'sqrt(x, y) < 2'"),
        ("x < 1e999", "1e999 is not finite; allowed: a plain number"),
    ],
)
def test_every_error_has_its_message(text, message):
    found = refusal(text)
    if message is not None:
        assert found == message


INJECTIONS = [
    "__import__('os').system('true') < 1", "x.__class__ == 1", "(lambda: 1)() < 2", "[x for x in [1]] == 1", "x; y",
    "open('/etc/passwd') == 1", "exec('x') < 1", "x if y else x", "x := 3", "f'{x}' == 'a'", "x[0] < 1", "{x} < 1",
    "x\n\ny < 1", "`x` < 1", "$x < 1", "x # comment", "x < 0x10", "x < 1j", "'a'.upper() == 'A'", "x\\y < 1", "é < 1",
    "getattr(x, 'y') < 1", "x < y\x00", "\u202ex < 1", "True", "None == 1", "x @ y < 1", "x // y < 1", "x << 2 < 1",
    "*x < 1", "x, y", "min(x, *y) < 1", "not", "and", "()", "[]", "x ** ", "1..2 < x", "'unclosed", "x !< 3", "in [1]",
]  # fmt: skip


@pytest.mark.parametrize("text", INJECTIONS)
def test_python_that_is_no_expression_is_refused_with_an_input_error(text):
    assert refusal(text)


@given(st.text(alphabet="xy0123456789.+-*/^()[]<>=!,'\" \tandornotiWMs%µ_e", max_size=40))
def test_any_text_is_read_or_refused_with_an_input_error(text):
    with contextlib.suppress(InputError):
        parse(text, UNITS)


def test_length_and_depth_are_limited():
    assert refusal("x + " * 600 + "x") == "the expression has 2401 characters; allowed: at most 2000"
    deep = "the expression is nested too deeply; allowed: at most 60 levels"
    assert refusal("(" * 100 + "x" + ")" * 100) == deep
    assert refusal("not " * 100 + "x < 1") == deep
    assert refusal("2 ** " * 100 + "x") == deep
    assert refusal("x < " + "-" * 1500 + "1") == deep
    assert value("+".join(["x"] * 1000), x=1.0) == 1000
    assert value(" or ".join(["x < 1"] * 200), x=0.5)
    assert value("(" * 60 + "x" + ")" * 60, x=3.0) == 3


# --- one reading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "power <= 20 MW/nodes",
            "'20 MW/nodes' in 'power <= 20 MW/nodes' has two readings, as 'nodes' is a quantity here; "
            'allowed: 20 MW / nodes to divide by the quantity, or "20 MW/nodes" in quotes for the unit',
        ),
        (
            "rate < 3 GB/x",
            "'3 GB/x' in 'rate < 3 GB/x' has two readings, as 'x' is a quantity here; "
            'allowed: 3 GB / x to divide by the quantity, or "3 GB/x" in quotes for the unit',
        ),
        (
            "power < 20 MW/node",
            "'20 MW/node' in 'power < 20 MW/node': 'node' is a count, which is no unit of an expression; "
            'allowed: 20 as a plain number, or "20 MW/node" in quotes',
        ),
        (
            "nodes < 8 cores",
            "'8 cores' in 'nodes < 8 cores': 'core' is a count, which is no unit of an expression; "
            'allowed: 8 as a plain number, or "8 cores" in quotes',
        ),
    ],
)
def test_E10_what_may_be_a_quantity_or_a_unit_is_refused_with_both_readings(text, message):
    assert refusal(text) == message


def test_E10_a_name_of_the_study_is_no_unit_either():
    with pytest.raises(InputError, match=r"'t' is a quantity here"):
        parse("power < 20 MW/t", {**UNITS, "t": "1"})
    with pytest.raises(InputError, match=r"'t' is a quantity here"):
        parse("power < 20 MW/t", UNITS, names=["t"])


def test_E10_both_readings_can_be_written():
    powers, nodes = np.array([9e6, 11e6]), np.array([2.0, 2.0])
    assert parse("power <= 20 MW / nodes", UNITS)(powers, nodes).tolist() == [True, False]
    assert parse('power <= "20 MW/node"', UNITS)(powers).tolist() == [True, True]
    assert parse("power <= '4 MW/node' * nodes", UNITS)(powers, nodes).tolist() == [False, False]
    assert parse('"20 MW" >= power', UNITS)(powers).tolist() == [True, True]
    assert parse("rate < 3 GB/s", UNITS)(np.array([1.0])).tolist() == [True]
    assert parse("speed >= 1 Gflop/s", {"speed": "flop/s"})(np.array([1e9])).tolist() == [True]


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("power < 20 MW/node_count", ("power", "node_count")),
        ("power < 20 MW/b2", ("power", "b2")),
        ("power < 20 MW/max(nodes, 2)", ("power", "nodes")),
        ("power < 20 MW/x@root", ("power", "x@root")),
    ],
)
def test_E10_what_can_be_no_unit_is_a_division(text, needs):
    units = {**UNITS, "node_count": "1", "b2": "1", "x@root": "1"}
    expression = parse(text, units)
    assert expression.needs == needs
    assert expression(np.array([1e7 + 1]), np.array([2.0])).tolist() == [False]


# --- numbers alone that are infinite --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x <= 9**9**9", "infinite"),
        ("x <= -(9**9**9)", "infinite"),
        ("x <= 1/0", "infinite"),
        ("y < 3 and x <= y + 1/(2 - 2)", "infinite"),
        ("x in [1, 1e300 * 1e300]", "infinite"),
        ("power <= 1 W * 10**400", "infinite"),
        ("power ** (9**9**9) > 3", "infinite"),
        ("x <= 0/0", "not a number"),
        ("x <= sqrt(0 - 1)", "not a number"),
        ("x <= max(1, 9**9**9 - 9**9**9)", "infinite"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_numbers_alone_must_be_finite(text, what):
    """They are known before any design, and NumPy would warn of its own file."""
    assert refusal(text) == f"a part of '{text}' without quantities is {what}; allowed: numbers up to 1.8e308"


@pytest.mark.filterwarnings("error")
def test_finite_numbers_and_quantities_are_left_alone():
    assert value("x <= 9**9", x=1.0)
    assert value("x / 2**10 + 1/3", x=1024.0) == 1 + 1 / 3
    assert value("2**-2000 + x", x=1.0) == 1.0
