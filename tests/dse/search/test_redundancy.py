"""What adds nothing to a search: idle and monotone axes, equal rows, slack limits; each claim by all designs."""

from collections import Counter

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function, part
from example_counts import ALL_EXAMPLES
from redundant_problems import random_redundant, true_claims

import dse.evaluation.plan as planning
from dse.search.bundles import bundles
from dse.search.driver import SearchOptions, search
from dse.search.groups import nested_groups, reduced_product
from dse.space.design_space import Product

EXAMPLES = 1_000 if ALL_EXAMPLES else 120


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
    monkeypatch.setattr(reduced_product, "_BUNDLES_FROM", 0)
    monkeypatch.setattr(nested_groups, "_FEWEST_ROWS", 2)
    monkeypatch.setattr(nested_groups, "_LEAST_GAIN", 1.0001)
    yield
    planning._cached.cache_clear()


def _searched(case):
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    return result


def _case(functions, senses=None, limits=(), axes=None):
    axes = axes or (axis("x", [1.0, 2.0, 4.0]), axis("y", [3.0, 1.0, 2.0, 7.0]), axis("u", [5.0, 6.0, 9.0]))
    return Case([Product("", axes)], functions, senses or {"f": "min", "g": "min"}, list(limits))


BASE = function("g", "x y", lambda x, y: (x - 2.0) ** 2 * y - x)

IDLE = {
    "times zero": lambda x, y, u: x + y + 0.0 * u,
    "above a floor": lambda x, y, u: x + y + np.minimum(u, 4.0),
    "a condition that always holds": lambda x, y, u: x + y * np.where(u > 1.0, 2.0, 3.0),
    "below what is larger": lambda x, y, u: np.maximum(x + y + 10.0, u),
    "whole numbers": lambda x, y, u: x + y + np.floor(u / 20.0),
}


@pytest.mark.parametrize("name", IDLE)
def test_an_axis_without_influence_is_searched_at_one_value(name, small):
    """The structure says that f depends on u. Its designs are counted, and those that are equal are all found."""
    case = _case([BASE, function("f", "x y u", IDLE[name])])
    result = _searched(case)
    assert "u: 1 of 3 rows left, any of them: no result depends on which" in result.certificate.groups
    assert len(result.numbers) % 3 == 0
    certificate = result.certificate
    assert certificate.evaluated + certificate.excluded_by_bound + certificate.pruned_by_group == 36
    assert certificate.pruned_by_group >= 24


def test_an_axis_that_nothing_reads_is_searched_at_one_value(small):
    result = _searched(_case([BASE, function("f", "x y", lambda x, y: x + y)]))
    assert "u: 1 of 3 rows left, any of them: no result depends on which" in result.certificate.groups


def test_of_a_monotone_axis_one_end_suffices(small):
    case = _case([BASE, function("f", "x y u", lambda x, y, u: x + y / u)])
    result = _searched(case)
    told = "u: 1 of 3 rows left, the best whatever the others are; better is more u"
    assert told in result.certificate.groups


def test_an_axis_that_helps_one_and_harms_another_is_kept(small):
    functions = [BASE, function("f", "x y u", lambda x, y, u: x + y / u), function("h", "x u", lambda x, u: x * u)]
    result = _searched(_case(functions, {"f": "min", "g": "min", "h": "min"}))
    assert not any(text.startswith("u: ") for text in result.certificate.groups)


def test_rows_that_are_equal_in_all_that_is_read_are_one(small):
    """All of their designs are on the frontier all the same."""
    parts = part("part", speed=[2.0, 2.0, 3.0, 3.0, 3.0], price=[1.0, 1.0, 4.0, 4.0, 4.0], weight=[1, 2, 3, 4, 5])
    functions = [
        function("f", "speed y", lambda speed, y: y / speed),
        function("g", "price y", lambda price, y: price + y),
    ]
    result = _searched(_case(functions, axes=(parts, axis("y", [3.0, 1.0, 2.0]))))
    assert "part: 2 of 5 rows left; better is more speed, less price" in result.certificate.groups
    assert len(result.numbers) == 5


def test_a_limit_that_every_design_meets_is_no_column(small):
    limits = [Limit("x * u <= 100", lambda v: v["x"] * v["u"] <= 100)]
    case = _case([BASE, function("f", "x y u", lambda x, y, u: x + y / u)], limits=limits)
    result = _searched(case)
    assert "limit 'x * u <= 100': every design meets it" in result.certificate.groups
    assert any(text.startswith("u: 1 of 3 rows left") for text in result.certificate.groups)
    tight = [Limit("x * u <= 30", lambda v: v["x"] * v["u"] <= 30)]
    result = _searched(_case([BASE, function("f", "x y u", lambda x, y, u: x + y / u)], limits=tight))
    assert not any(text.startswith(("limit", "u: 1 of 3")) for text in result.certificate.groups)


def test_a_limit_that_no_design_meets_ends_the_alternative_with_its_text(small):
    limits = [Limit("x * u >= 100", lambda v: v["x"] * v["u"] >= 100)]
    result = search(
        _case([BASE, function("f", "x y u", lambda x, y, u: x + y / u)], limits=limits).problem(),
        SearchOptions("groups"),
    )
    assert len(result.numbers) == 0
    assert result.certificate.exact
    assert result.certificate.evaluated == 0
    assert "no design meets 'x * u >= 100'" in result.certificate.reason


@pytest.mark.parametrize("quarter", range(4))
def test_what_is_said_of_random_systems_is_true_1000_graphs(quarter, small):
    """Idle: every result is the same. One end: no result is better elsewhere. A limit that is always met is."""
    said = Counter()
    for number in range(EXAMPLES // 4):
        case = random_redundant(np.random.default_rng([3, quarter, number]))
        said += true_claims(case, _searched(case).certificate)
    assert said.keys() == {"idle", "end", "slack", "never"}
