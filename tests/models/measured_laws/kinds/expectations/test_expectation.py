"""Expectations: deviations, limits, matches, the search space, and rules across functions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.claims.published import GUIDELINES, claims, printed_laws
from dse.models.measured_laws.kinds.expectations.expectation import Expectation, halved, search_space
from dse.models.measured_laws.kinds.expectations.growth import CONSTANT
from dse.models.measured_laws.kinds.expectations.language import parse_growth
from dse.models.measured_laws.kinds.expectations.rules import Rule, broken_by

TERMS = ["O(1)", "log p", "log^2 p", "p^(1/2)", "p^(1/2) log p", "p", "p log p", "p^2", "1/p", "2^p", "p^3 2^p"]


def growth(text):
    return parse_growth(text)[0]


@pytest.mark.parametrize(
    ("expected", "printed_rule", "default"),
    [
        ("O(1)", "O(1)", "O(1)"),
        ("log p", "log^(1/2) p", "p^(1/2)"),
        ("p", "p^(1/2)", "p^(1/2)"),
        ("p log p", "p^(1/2)", "p^(1/2)"),
        ("p^2", "p", "p^(1/2)"),
        ("1/p", "p^(1/2)", "p^(1/2)"),
        ("p^3 2^p", "2^(p/2)", "2^(p/2)"),
    ],
)
def test_deviations(expected, printed_rule, default):
    assert halved(growth(expected)) == growth(printed_rule)
    assert Expectation.of(expected).deviation == growth(default)
    assert Expectation.of(expected, "halved").deviation == growth(printed_rule)
    assert Expectation.of(expected, "log p").deviation == growth("log p")


@pytest.mark.parametrize(
    ("expected", "fitted", "match", "direction"),
    [
        ("p", "p", "exact", "as expected"),
        ("p", "p^(3/2)", "approx", "worse"),
        ("p", "p^(3/2) log p", "none", "worse"),
        ("p", "p^(1/2)", "approx", "better"),
        ("p", "log p", "none", "better"),
        ("log p", "p^(1/2) log p", "approx", "worse"),
        ("O(1)", "log p", "none", "worse"),
        ("1/p", "p^(-1/2)", "approx", "worse"),
        ("1/p", "O(1)", "none", "worse"),
    ],
)
def test_matches_and_directions(expected, fitted, match, direction):
    verdict = Expectation.of(expected).judge(growth(fitted))
    assert (verdict.match, verdict.direction) == (match, direction)
    turned = Expectation.of(expected, larger_is_better=True).judge(growth(fitted))
    assert turned.match == match
    assert turned.direction == {"better": "worse", "worse": "better"}.get(direction, direction)


@given(*[st.sampled_from(TERMS)] * 3)
def test_limits_are_inside_and_what_lies_beyond_is_not(expected, deviation, fitted):
    if growth(deviation) < CONSTANT:
        with pytest.raises(InputError, match=r"deviation: the deviation p\^\(-1\) falls"):
            Expectation.of(expected, deviation)
        return
    asked = Expectation.of(expected, deviation)
    low, high = asked.limits
    assert asked.judge(low).match != "none"
    assert asked.judge(high).match != "none"
    inside = low <= growth(fitted) <= high
    assert (asked.judge(growth(fitted)).match != "none") == inside


def test_the_search_space_of_p():
    found = search_space(Expectation.of("p"))
    printed = [f"p^({quarter}/4){log}" for quarter in range(8) for log in ("", " log p")] + ["p^2"]
    assert list(found) == [growth(text) for text in printed]
    assert len(found) == 17
    assert Expectation.of("p").bounds == (CONSTANT, growth("p^2"))
    assert search_space(Expectation.of("O(1)")) == (CONSTANT,)
    assert growth("p 2^(k/2)".replace("k", "p")) in search_space(Expectation.of("p^3 2^p"))


def test_every_printed_mark_comes_out():
    found = claims()
    marks = {c.claim: c for c in found if c.claim.endswith(": match") and c.kind != "not checkable"}
    count = {table: sum(claim.startswith(f"Table {table},") for claim in marks) for table in (4, 5, 6, 7, 10)}
    assert count == {4: 24, 5: 15, 6: 14, 7: 4, 10: 12}
    assert [claim.claim for claim in found if claim.status == "fail"] == []
    assert {c.claim: c.computed for c in marks.values() if c.kind == "deviation"} == {
        "Table 10, Lichtenberg, Exact-splitting sort: match": "none",
        "Table 10, Juqueen, Exact-splitting sort: match": "approx",
        "Table 5, Juqueen, MPI memory beside the expectation of Table 1: match": "approx",
        "Table 5, Piz Daint, MPI memory beside the expectation of Table 1: match": "approx",
    }


def test_the_printed_deviation_would_refuse_three_of_open_mpi():
    laws = printed_laws("Table 6", "Lichtenberg with Open MPI")
    expected = ("Barrier", "Bcast", "Reduce", "Allreduce", "Bcast BT")
    refused = [name for name in expected if Expectation.of("log p", "halved").judge(laws[name]).match == "none"]
    assert refused == ["Barrier", "Reduce", "Bcast BT"]


def test_rules():
    laws = printed_laws("Table 4", "Piz Daint")
    assert {name: list(map(str, rules)) for name, rules in broken_by(GUIDELINES, laws).items()} == {
        "Allreduce": ["Allreduce <= Reduce + Bcast"],
        "Allgather": ["Allgather <= Gather + Bcast"],
    }
    assert not broken_by(GUIDELINES, printed_laws("Table 4", "Juropa"))
    assert str(Rule.of('"Bcast BT"<=a+"b + c"')) == '"Bcast BT" <= a + "b + c"'


@pytest.mark.parametrize("text", ["", "a", "a <= ", "a < b", "a <= b +", "a <= b c", "<= b", "a <= b + + c"])
def test_rules_that_cannot_be_read(text):
    with pytest.raises(InputError, match="cannot be read; allowed: such as 'Allreduce <= Reduce"):
        Rule.of(text)


def test_a_rule_names_known_functions():
    with pytest.raises(InputError, match=r"unknown function 'Alreduce'.*did you mean 'Allreduce'"):
        Rule.of("Alreduce <= Bcast").check_names(["Allreduce", "Bcast"])
