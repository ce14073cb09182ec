"""Amounts of missed limits: hand values, and what holds for all of them."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.evaluation.problem import Constraint
from dse.graph.expression import parse
from dse.search.start.violation import amount_missed, total_violation
from tests.example_counts import examples

UNITS = {"x": "1", "y": "1", "power": "W", "kind": "text"}
NUMBERS = st.floats(-1e6, 1e6)


def constraint(text):
    return Constraint(text, "constraint_0", parse(text, UNITS))


def missed(text, **values):
    """The amount of one design, its truth computed by the expression itself."""
    one = constraint(text)
    kinds = {name: object if isinstance(value, str) else float for name, value in values.items()}
    arrays = {name: np.array([value], dtype=kinds[name]) for name, value in values.items()}
    arrays["constraint_0"] = np.asarray(one.expression.compute(arrays))
    (amount,) = amount_missed(one, arrays, 1)
    return float(amount)


@pytest.mark.parametrize(
    ("text", "values", "amount"),
    [
        ("x <= 10", {"x": 10.0}, 0.0),
        ("x <= 10", {"x": 40.0}, log(4.0)),
        ("x >= 10", {"x": 2.5}, log(4.0)),
        ("power <= 20 MW", {"power": 40e6}, log(2.0)),
        ("x < y", {"x": 6.0, "y": 2.0}, log(3.0)),
        ("x == 8", {"x": 2.0}, log(4.0)),
        ("x == 8", {"x": 8.0}, 0.0),
        ("x == 8", {"x": 32.0}, log(4.0)),
        ("x <= -10", {"x": 5.0}, 1.5),
        ("4 >= x - y", {"x": 4.0, "y": -4.0}, log(2.0)),
        ("4 <= x - y", {"x": 1.0, "y": 3.0}, 1.5),
        ("x >= y", {"x": -4.0, "y": 4.0}, 2.0),
        ("x - y >= 0", {"x": 1.0, "y": 4.0}, log(4.0)),
        ("x != 3", {"x": 3.0}, 1.0),
        ("x <= 1 or y <= 1", {"x": 9.0, "y": 9.0}, 1.0),
        ("x <= 1 and y <= 1", {"x": 9.0, "y": 1.0}, 1.0),
        ("not x <= 1", {"x": 0.5}, 1.0),
        ("x in [1, 2]", {"x": 3.0}, 1.0),
        ("kind == 'fat'", {"kind": "thin"}, 1.0),
        ("kind == 'fat'", {"kind": "fat"}, 0.0),
        ("x < 10", {"x": 10.0}, 1e-9),
    ],
)
def test_amounts_by_hand(text, values, amount):
    assert missed(text, **values) == pytest.approx(amount, rel=1e-12)


@settings(max_examples=examples(100))
@given(NUMBERS, NUMBERS, st.sampled_from(["<=", "<", ">=", ">", "==", "!="]))
def test_an_amount_is_above_zero_exactly_where_the_limit_is_missed(x, y, relation):
    amount = missed(f"x {relation} y", x=x, y=y)
    truth = {"<=": x <= y, "<": x < y, ">=": x >= y, ">": x > y, "==": x == y, "!=": x != y}[relation]
    assert np.isfinite(amount)
    assert (amount == 0.0) == truth


@settings(max_examples=examples(100))
@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e3), st.floats(1.0, 1e3))
def test_who_is_further_away_misses_by_more(limit, once, again):
    near, far = missed(f"x <= {limit!r}", x=limit * once), missed(f"x <= {limit!r}", x=limit * once * again)
    assert near <= far
    assert missed(f"x >= {limit!r}", x=limit / once) >= 0.0


def test_amounts_add_up_over_limits_and_stand_design_by_design():
    """A requirement that an alternative lacks is in no list of it: what is not there adds nothing."""
    one, other = constraint("x <= 10"), Constraint("y == 8", "constraint_1", parse("y == 8", UNITS))
    values = {"x": np.array([5.0, 20.0, 40.0]), "y": np.array([8.0])}
    values |= {c.quantity: c.expression.compute(values) for c in (one, other)}
    assert total_violation((one, other), values, 3) == pytest.approx([0.0, log(2), log(4)])
    values["y"], values["constraint_1"] = np.array([2.0]), np.array([False])
    assert total_violation((one, other), values, 3) == pytest.approx([log(4), log(2) + log(4), 2 * log(4)])
    assert total_violation((), values, 3).tolist() == [0.0, 0.0, 0.0]


def test_what_is_not_a_number_is_infinitely_far():
    one = constraint("x <= 10")
    values = {"x": np.array([np.nan, np.inf]), "constraint_0": np.array([False, False])}
    assert amount_missed(one, values, 2).tolist() == [np.inf, np.inf]
