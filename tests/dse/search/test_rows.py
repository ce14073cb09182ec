"""Designs thinned within rows, against every design at many values; a deadline, and products that nothing reaches."""

import numpy as np
import pytest

from dse.evaluation.unknowns import Unknown, uncertain_problem
from dse.search.account.deadline import Deadline, Late
from dse.search.driver import search
from dse.search.uncertain.possible import bounded, search_possible, unreached
from dse.search.uncertain.rows import proved_rows, rows_kept
from dse.space.design_space import Product
from tests.engine_problems import Case, Limit, axis, function, part
from tests.example_counts import examples

WATTS = [10.0, 14.0, 11.0]
RATES = [3.0, 4.0, 2.5]
NODES = [1.0, 2.0, 3.0, 5.0, 8.0]
LINKS = [1.0, 2.0, 4.0]


def case(limit=110.0, *, mixed=False):
    """Times are powers of the rate (or not: `mixed`), power is one of the watts."""
    if mixed:
        time = function("time", "rate n link", lambda rate, n, link: 60.0 / (rate * n) + 6.0 / link)
    else:
        time = function(
            "time",
            "rate n link",
            lambda rate, n, link: np.exp(0.6 * np.log(60.0 / (rate * n)) + 0.4 * np.log(6 / link)),
        )
    functions = [
        time,
        function("power", "watts n link", lambda watts, n, link: watts * n * (1.0 + link / 8.0)),
    ]
    product = Product("", (part("device", watts=WATTS, rate=RATES), axis("n", NODES), axis("link", LINKS)), {}, {})
    limits = [Limit(f"power <= {limit}", lambda q: q["power"] <= limit)]
    return Case([product], functions, {"time": "min", "power": "min"}, limits)


def at(rates, watts, limit=110.0, *, mixed=False):
    """Written out: points of all designs, and which meet the limit."""
    device, n, link = (grid.reshape(-1) for grid in np.meshgrid(np.arange(3), NODES, LINKS, indexing="ij"))
    rate, watt = np.array(rates)[device], np.array(watts)[device]
    first, second = 60.0 / (rate * n), 6.0 / link
    time = first + second if mixed else first**0.6 * second**0.4
    power = watt * n * (1.0 + link / 8.0)
    return np.stack([time, power], axis=1), power <= limit


def members(points, feasible, near=1e-11):
    """Designs that nothing feasible beats by more than rounding."""
    found = feasible.copy()
    for one in np.flatnonzero(feasible):
        no_worse = (points <= points[one] * (1.0 + near)).all(axis=1)
        better = (points < points[one] * (1.0 - near)).any(axis=1)
        found[one] = not (no_worse & better & feasible).any()
    return found


EACH = [
    Unknown("rate", -0.2, 0.3, scope="each", axis="device"),
    Unknown("watts", -0.3, 0.25, scope="each", axis="device"),
]


def possible(unknowns, **how):
    problem = case(**how).problem()
    unknown = uncertain_problem(problem, unknowns)
    return unknown, search_possible(unknown, search(problem).numbers)


def test_proved_rows_lose_no_design_that_is_on_the_frontier_somewhere():
    unknown, found = possible(EACH)
    keep, whole = proved_rows(unknown, found.numbers)
    assert whole
    assert keep.sum() < len(found.numbers)
    left = set(found.numbers[keep].tolist())
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(examples(600)):
        factors = rng.uniform([-0.2] * 3 + [-0.3] * 3, [0.3] * 3 + [0.25] * 3) + 1.0
        points, feasible = at(np.array(RATES) * factors[:3], np.array(WATTS) * factors[3:])
        seen |= set(np.flatnonzero(members(points, feasible)).tolist())
    assert seen <= left
    assert len(seen) > len(left) / 2


def test_what_is_no_power_of_an_unknown_is_not_proved_and_thinned_by_values_alone():
    unknown, found = possible(EACH, mixed=True)
    keep, whole = proved_rows(unknown, found.numbers)
    assert not whole
    assert keep.all()
    kept = rows_kept(unknown, found.numbers)
    assert kept.sum() < len(kept)
    rng = np.random.default_rng(6)
    for _ in range(examples(300)):
        factors = rng.uniform([-0.2] * 3 + [-0.3] * 3, [0.3] * 3 + [0.25] * 3) + 1.0
        points, feasible = at(np.array(RATES) * factors[:3], np.array(WATTS) * factors[3:], mixed=True)
        missed = set(np.flatnonzero(members(points, feasible)).tolist()) - set(found.numbers[kept].tolist())
        assert not missed


def test_a_limit_that_an_unknown_reaches_counts_as_an_objective():
    """Of two designs with one cost and time the one of less power stays, though both miss the limit as computed."""
    functions = [
        function("time", "n", lambda n: 6.0 / n),
        function("power", "n extra", lambda n, extra: 10.0 * n + extra),
    ]
    product = Product("", (axis("n", [1.0, 2.0]), axis("extra", [0.0, 1.0, 5.0])), {}, {})
    problem = Case([product], functions, {"time": "min"}, [Limit("power <= 19", lambda q: q["power"] <= 19)]).problem()
    unknown = uncertain_problem(problem, [Unknown("power", -0.1, 0.1)])
    found = search_possible(unknown, search(problem).numbers)
    keep, whole = proved_rows(unknown, found.numbers)
    assert whole
    # n = 2: 20 W and 21 W meet 19 W when the power is 10 % less; 25 W never does.
    assert set(found.numbers[keep].tolist()) == {0, 3}
    assert set(found.numbers[rows_kept(unknown, found.numbers)].tolist()) == {0, 3}


def test_errors_of_single_designs_stay_ranges():
    unknown, found = possible([*EACH, Unknown("time", -0.05, 0.05, scope="design")], mixed=True)
    assert not proved_rows(unknown, found.numbers)[1]
    kept = set(found.numbers[rows_kept(unknown, found.numbers)].tolist())
    rng = np.random.default_rng(8)
    for _ in range(examples(120)):
        factors = rng.uniform([-0.2] * 3 + [-0.3] * 3, [0.3] * 3 + [0.25] * 3) + 1.0
        points, feasible = at(np.array(RATES) * factors[:3], np.array(WATTS) * factors[3:], mixed=True)
        points[:, 0] *= rng.uniform(0.95, 1.05, len(points))
        assert set(np.flatnonzero(members(points, feasible)).tolist()) <= kept


def two_products():
    functions = [
        function("time", "n rate", lambda n, rate: 60.0 / (n * rate)),
        function("power", "n watts", lambda n, watts: n * watts),
    ]
    with_part = Product("parts", (part("device", watts=WATTS, rate=RATES), axis("n", NODES)), {}, {})
    without = Product(
        "plain", (axis("n", [1.0, 3.0, 4.0, 6.0]),), {"watts": 12.0, "rate": 3.3}, {"watts": "1", "rate": "1"}
    )
    return Case([with_part, without], functions, {"time": "min", "power": "min"}).problem()


def test_a_product_without_the_axis_of_an_unknown_is_searched_with_its_own_tables():
    problem = two_products()
    unknown = uncertain_problem(problem, EACH)
    assert unreached(unknown) == {1}
    assert unreached(uncertain_problem(problem, [Unknown("rate", -0.1, 0.1)])) == frozenset()
    result = search(problem, kept=unreached(unknown))
    assert result.searches[1].evaluator.cut  # the tables are there
    again = search_possible(unknown, result.numbers, searches=result.searches)
    anew = search_possible(unknown, result.numbers)
    np.testing.assert_array_equal(again.numbers, anew.numbers)
    np.testing.assert_array_equal(again.low, anew.low)
    assert again.ties_complete
    same = bounded(unknown, np.arange(problem.space.size))
    np.testing.assert_array_equal(same.numbers, anew.numbers)


def test_a_deadline_ends_what_is_not_in_time():
    problem = case().problem()
    unknown = uncertain_problem(problem, EACH)
    with pytest.raises(Late) as late:
        search_possible(unknown, search(problem).numbers, deadline=Deadline(0.0))
    assert late.value.seconds is None
    with pytest.raises(Late) as late:
        Deadline(5.0).check(expected=60.0)
    assert 60.0 <= late.value.seconds < 65.0
    Deadline(5.0).check(expected=1.0)
