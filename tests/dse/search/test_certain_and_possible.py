"""Certain and possible designs against brute force: every design at many values of what is not known, all pairs."""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest

from dse.analysis.uncertainty.draws import batches, frontiers
from dse.arithmetic.ranges import Range
from dse.evaluation.unknowns import Unknown, uncertain_problem
from dse.search.driver import search
from dse.search.frontier.archive import Archive
from dse.search.frontier.dominance import dominated_by
from dse.search.frontier.prefilter import Prefilter
from dse.search.groups.groups import reduced_evaluator
from dse.search.uncertain.cells import refine
from dse.search.uncertain.possible import PointsOnly, _may_hold_any, search_possible
from dse.space.design_space import Product
from tests.engine_problems import Case, Limit, axis, function, part
from tests.example_counts import examples


def on_frontier(points, feasible):
    """The definition, over all pairs; ties stay."""
    found = feasible.copy()
    for one in np.flatnonzero(feasible):
        no_worse = (points <= points[one]).all(axis=1)
        better = (points < points[one]).any(axis=1)
        found[one] = not (no_worse & better & feasible).any()
    return found


@dataclass
class Space:
    """Two inputs that are not known, u and v, in formulas written twice: for the engine and for the oracle."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    weights: np.ndarray
    limit: float = np.inf
    maximised: bool = False
    rows: np.ndarray = field(init=False)

    def __post_init__(self):
        self.rows = np.array(list(itertools.product(self.a, self.b, self.c)))

    def case(self):
        w = self.weights
        functions = [
            function("time", "a b c u v", lambda a, b, c, u, v: w[0] * u / (a * b) + w[1] * v * b + w[2] / c),
            function("power", "a b c v", lambda a, b, c, v: a * b * (w[3] + c) + w[4] * v * a),
            function("rate", "time", lambda time: 1.0 / time),
        ]
        product = Product(
            "",
            (axis("a", self.a.tolist()), axis("b", self.b.tolist()), axis("c", self.c.tolist())),
            {"u": 1.0, "v": 1.0},
            {"u": "1", "v": "1"},
        )
        first = ("rate", "max") if self.maximised else ("time", "min")
        limits = [] if np.isinf(self.limit) else [Limit(f"power <= {self.limit}", lambda q: q["power"] <= self.limit)]
        return Case([product], functions, {first[0]: first[1], "power": "min"}, limits)

    def at(self, u, v, time=1.0, power=1.0):
        """Points to be minimised and which are feasible, at values of the unknowns."""
        a, b, c = self.rows.T
        w = self.weights
        first = (w[0] * u / (a * b) + w[1] * v * b + w[2] / c) * time
        second = (a * b * (w[3] + c) + w[4] * v * a) * power
        return np.stack([-1.0 / first if self.maximised else first, second], axis=1), second <= self.limit

    def members(self, values):
        """Which designs are on the frontier at each of some values."""
        return np.array([on_frontier(*self.at(*one)) for one in values])


def spaces(count):
    rng = np.random.default_rng(7)
    for number in range(count):
        a, b = np.unique(rng.integers(1, 9, 4)) * 1.0, np.unique(rng.integers(1, 9, 4)) * 1.0
        c = np.unique(rng.integers(1, 6, 3)) * 1.0
        space = Space(a, b, c, rng.uniform(0.2, 3.0, 5).round(1), maximised=number % 2 == 1)
        if number % 3 == 2:
            space.limit = float(np.median(space.at(1.0, 1.0)[0][:, 1]).round(1))
        yield space


def brackets(space, unknowns, cells=64, draws=64):
    problem = space.case().problem()
    unknown = uncertain_problem(problem, unknowns)
    nominal = search(problem).numbers
    possible = search_possible(unknown, nominal)
    ever, always = np.zeros(len(possible.numbers), dtype=bool), np.ones(len(possible.numbers), dtype=bool)
    for batch in batches(unknown, possible.numbers, draws, 0):
        on = frontiers(batch)
        ever, always = ever | on.any(axis=1), always & on.all(axis=1)
    found = refine(unknown, possible.numbers, np.isin(possible.numbers, nominal), ever, ~always, cells)
    return (
        set(possible.numbers[found.possible].tolist()),
        set(possible.numbers[found.certain].tolist()),
        set(nominal.tolist()),
        found,
        possible,
    )


U = Unknown("u", 0.7, 1.3, relative=False, nominal=1.0)
V = Unknown("v", 0.5, 1.5, relative=False, nominal=1.0)


def union(members):
    return set(np.flatnonzero(members.any(axis=0)).tolist())


def meet(members):
    return set(np.flatnonzero(members.all(axis=0)).tolist())


def test_possible_holds_and_certain_is_held_by_brute_force_over_one_shared_unknown():
    wide, narrow, certain_found, certain_true = 0, 0, 0, 0
    for space in spaces(examples(40)):
        members = space.members([(u, 1.0) for u in np.linspace(0.7, 1.3, 101)])
        possible, certain, nominal, found, _ = brackets(space, [U])
        assert union(members) <= possible
        assert certain <= meet(members)
        assert certain <= nominal <= possible
        assert found.cells <= 64
        wide, narrow = wide + len(possible), narrow + len(union(members))
        certain_found, certain_true = certain_found + len(certain), certain_true + len(meet(members))
    assert wide <= 1.5 * narrow
    assert certain_found >= 0.5 * certain_true


def test_possible_and_certain_of_two_shared_unknowns():
    grid = list(itertools.product(np.linspace(0.7, 1.3, 17), np.linspace(0.5, 1.5, 17)))
    wide, narrow, certain_found, certain_true = 0, 0, 0, 0
    for space in spaces(examples(24)):
        members = space.members(grid)
        possible, certain, nominal, _, _ = brackets(space, [U, V])
        assert union(members) <= possible
        assert certain <= meet(members)
        assert certain <= nominal <= possible
        wide, narrow = wide + len(possible), narrow + len(union(members))
        certain_found, certain_true = certain_found + len(certain), certain_true + len(meet(members))
    assert wide <= 4 * narrow
    assert certain_found >= 0.5 * certain_true


def test_more_cells_only_tighten_certain_and_possible():
    for space in spaces(6):
        before = None
        for cells in (1, 4, 16, 64):
            possible, certain, _, _, _ = brackets(space, [U, V], cells)
            if before is not None:
                assert possible <= before[0]
                assert certain >= before[1]
            before = possible, certain


@pytest.mark.parametrize("width", [0.01, 0.05, 0.2])
def test_certain_and_possible_of_independent_errors_equal_the_closed_form(width):
    """Written out over all pairs: H beats L where the other is at its worst and the design at its best."""
    for space in spaces(examples(30)):
        space.maximised = False
        low, _ = space.at(1.0, 1.0, 1.0 - width, 1.0 - width)
        high, _ = space.at(1.0, 1.0, 1.0 + width, 1.0 + width)
        space.limit = np.inf
        errors = [Unknown(q, -width, width, scope="design") for q in ("time", "power")]
        possible, certain, _, found, _ = brackets(space, errors)
        count = len(low)
        can = [
            not any((high[e] <= low[d]).all() and (high[e] < low[d]).any() for e in range(count)) for d in range(count)
        ]
        must = [
            not any((low[e] <= high[d]).all() and (low[e] < high[d]).any() for e in range(count) if e != d)
            for d in range(count)
        ]
        assert possible == set(np.flatnonzero(can).tolist())
        assert certain == set(np.flatnonzero(must).tolist())
        assert found.stopped in ("alone", "decided")


def test_bounds_of_a_maximised_objective_with_errors_are_the_right_way_round():
    space = next(spaces(1))
    space.maximised = True
    error = Unknown("rate", -0.1, 0.1, scope="design")
    *_, possible = brackets(space, [error])
    points, _ = space.at(1.0, 1.0)
    np.testing.assert_allclose(possible.low[:, 0], points[possible.numbers, 0] * 1.1, rtol=1e-12)
    np.testing.assert_allclose(possible.high[:, 0], points[possible.numbers, 0] * 0.9, rtol=1e-12)


def test_a_factor_that_only_one_alternative_has_decides_and_is_certain_of_nothing():
    """Alternative B takes 9 and more where A takes 10 times u: which is faster depends on u, within one of them not."""
    products = [Product(name, (axis("n", [1.0, 2.0]),), {"u": 1.0}, {"u": "1"}) for name in "AB"]
    own = [
        [function("time", "n base", lambda n, base: base / n)],
        [function("time", "n", lambda n: 10.5 / n)],
    ]
    common = [function("base", "u", lambda u: 10.0 * u), function("power", "n", lambda n: n)]
    problem = Case(products, common, {"time": "min", "power": "min"}, per_product=own).problem()
    unknown = uncertain_problem(problem, [Unknown("base", -0.2, 0.2)])
    nominal = search(problem).numbers
    assert nominal.tolist() == [0, 1]
    start = search_possible(unknown, nominal)
    none = np.zeros(len(start.numbers), dtype=bool)
    found = refine(unknown, start.numbers, np.isin(start.numbers, nominal), none, none, 64)
    assert start.numbers[found.possible].tolist() == [0, 1, 2, 3]
    assert not found.certain.any()


@pytest.mark.parametrize("quantity", ["time", "power"])
def test_an_error_that_all_designs_share_leaves_the_frontier_certain(quantity):
    for space in spaces(8):
        space.limit = np.inf
        possible, certain, nominal, found, _ = brackets(space, [Unknown(quantity, -0.3, 0.3)])
        assert possible == certain == nominal
        assert found.cells == 1


def test_certain_and_possible_where_limits_hold_for_some_values_only():
    for space in spaces(examples(24)):
        space.limit = float(np.median(space.at(1.0, 1.0)[0][:, 1]).round(1))
        members = space.members([(1.0, v) for v in np.linspace(0.5, 1.5, 101)])
        possible, certain, _, _, _ = brackets(space, [V])
        assert union(members) <= possible
        assert certain <= meet(members)


def test_a_partly_shared_error_lies_between_certain_of_shared_and_of_independent():
    for space in spaces(6):
        space.limit = np.inf
        shared = brackets(space, [Unknown("time", -0.1, 0.1)])
        partly = brackets(
            space, [Unknown("time", -0.1, 0.1, weight=0.75), Unknown("time", -0.1, 0.1, scope="design", weight=0.25)]
        )
        alone = brackets(space, [Unknown("time", -0.1, 0.1, scope="design")])
        assert shared[0] <= partly[0] <= alone[0]
        assert shared[1] >= partly[1] >= alone[1]


def test_an_unknown_of_each_row_cancels_among_designs_of_the_row():
    """Two machines of each device: the device's power decides between devices, never between its machines."""
    device = part("device", watts=[10.0, 10.5, 30.0])
    product = Product("", (device, axis("n", [1.0, 2.0])), {}, {})
    functions = [function("power", "watts n", lambda watts, n: watts * n), function("time", "n", lambda n: 4.0 / n)]
    problem = Case([product], functions, {"power": "min", "time": "min"}).problem()
    each = uncertain_problem(problem, [Unknown("watts", -0.05, 0.05, scope="each", axis="device")])
    nominal = search(problem).numbers
    assert nominal.tolist() == [0, 1]
    start = search_possible(each, nominal)
    none = np.zeros(len(start.numbers), dtype=bool)
    found = refine(each, start.numbers, np.isin(start.numbers, nominal), none, none, 64)
    # 10 and 10.5 W may change places, 30 W may not; n does not matter to it.
    assert start.numbers[found.possible].tolist() == [0, 1, 2, 3]
    assert not found.certain.any()
    apart = uncertain_problem(problem, [Unknown("watts", -0.02, 0.02, scope="each", axis="device")])
    start = search_possible(apart, nominal)
    none = np.zeros(len(start.numbers), dtype=bool)
    found = refine(apart, start.numbers, np.isin(start.numbers, nominal), none, none, 64)
    assert start.numbers[found.certain].tolist() == [0, 1]


def test_an_unknown_of_each_row_against_brute_force_of_certain_and_possible():
    rng = np.random.default_rng(3)
    for _ in range(examples(12)):
        watts, n = rng.integers(8, 14, 3) * 1.0, np.array([1.0, 2.0, 3.0])
        device = part("device", watts=watts.tolist())
        product = Product("", (device, axis("n", n.tolist())), {}, {})
        functions = [
            function("power", "watts n", lambda watts, n: watts * n),
            function("time", "watts n", lambda watts, n: 40.0 / n + watts),
        ]
        problem = Case([product], functions, {"power": "min", "time": "min"}).problem()
        each = uncertain_problem(problem, [Unknown("watts", -0.1, 0.1, scope="each", axis="device")])
        members = []
        for errors in itertools.product(np.linspace(-0.1, 0.1, 9), repeat=3):
            w = np.repeat(watts * (1.0 + np.array(errors)), 3)
            points = np.stack([w * np.tile(n, 3), 40.0 / np.tile(n, 3) + w], axis=1)
            members.append(on_frontier(points, np.ones(9, dtype=bool)))
        nominal = search(problem).numbers
        start = search_possible(each, nominal)
        none = np.zeros(len(start.numbers), dtype=bool)
        found = refine(each, start.numbers, np.isin(start.numbers, nominal), none, none, 64)
        assert union(np.array(members)) <= set(start.numbers[found.possible].tolist())
        assert set(start.numbers[found.certain].tolist()) <= meet(np.array(members))


def test_possible_designs_of_a_large_product_include_ties_that_groups_would_prune(monkeypatch):
    """Of a and b only their product counts, and less of it; at larger u more of it ties, which stays possible."""
    product = Product(
        "",
        (axis("a", np.arange(1.0, 11.0)), axis("b", np.arange(1.0, 11.0)), axis("c", [1.0, 2.0, 3.0])),
        {"u": 1.0},
        {"u": "1"},
    )
    functions = [
        function("x", "a b", lambda a, b: a * b),
        function("time", "x c u", lambda x, c, u: np.maximum(x, 12.0 * u / c)),
        function("power", "c", lambda c: c),
    ]
    problem = Case([product], functions, {"time": "min", "power": "min"}).problem()
    unknown = uncertain_problem(problem, [U])
    nominal = search(problem).numbers
    assert problem.space.size == 300
    everywhere = set()
    for u in np.linspace(0.7, 1.3, 61):
        rows = np.array(list(itertools.product(np.arange(1.0, 11.0), np.arange(1.0, 11.0), [1.0, 2.0, 3.0])))
        points = np.stack([np.maximum(rows[:, 0] * rows[:, 1], 12.0 * u / rows[:, 2]), rows[:, 2]], axis=1)
        everywhere |= set(np.flatnonzero(on_frontier(points, np.ones(300, dtype=bool))).tolist())
    assert not everywhere <= set(nominal.tolist())
    monkeypatch.setattr("dse.search.uncertain.possible._SMALL", 1)
    reduced = reduced_evaluator(unknown.problem, 0, {"u": Range(np.array([[[0.7]]]), np.array([[[1.3]]]))}, frozenset())
    assert reduced.size < 300
    assert everywhere <= set(search_possible(unknown, nominal).numbers.tolist())


def test_a_large_product_without_a_possible_design_is_left_out_by_what_groups_leave(monkeypatch):
    """Its best takes 20 where others take 12 u at most, so what groups leave of it is enough to tell."""
    near = Product("near", (axis("c", [1.0, 2.0]),), {"u": 1.0}, {"u": "1"})
    far = Product(
        "far",
        (axis("a", np.arange(1.0, 11.0)), axis("b", np.arange(1.0, 11.0)), axis("c", [1.0, 2.0])),
        {"u": 1.0},
        {"u": "1"},
    )
    own = [
        [function("time", "c u", lambda c, u: 12.0 * u / c), function("power", "c", lambda c: c)],
        [
            function("x", "a b", lambda a, b: a * b),
            function("time", "x c u", lambda x, c, u: 19.0 + x + 12.0 * u / c),
            function("power", "c", lambda c: c + 2.0),
        ],
    ]
    problem = Case([near, far], [], {"time": "min", "power": "min"}, per_product=own).problem()
    unknown = uncertain_problem(problem, [U])
    nominal = search(problem).numbers
    whole = search_possible(unknown, nominal)
    monkeypatch.setattr("dse.search.uncertain.possible._SMALL", 100)
    left_out = search_possible(unknown, nominal)
    assert left_out.numbers.tolist() == whole.numbers.tolist() == [0, 1]
    start = Archive(2, Prefilter(2))
    start.start(whole.high, whole.numbers)
    assert not _may_hold_any(unknown, 1, start, None)
    assert _may_hold_any(unknown, 0, start, None)


def test_a_design_that_meets_its_limits_for_some_values_is_neither_certain_nor_makes_others_impossible():
    """Two nodes are faster, and too hot where u is above 1; one node is the answer there."""
    functions = [function("time", "n", lambda n: 2.0 / n), function("heat", "n u", lambda n, u: n * u)]
    product = Product("", (axis("n", [1.0, 2.0]),), {"u": 1.0}, {"u": "1"})
    limits = [Limit("heat <= 2", lambda q: q["heat"] <= 2.0)]
    problem = Case([product], functions, {"time": "min"}, limits).problem()
    unknown = uncertain_problem(problem, [U])
    nominal = search(problem).numbers
    assert nominal.tolist() == [1]
    start = search_possible(unknown, nominal)
    none = np.zeros(len(start.numbers), dtype=bool)
    found = refine(unknown, start.numbers, np.isin(start.numbers, nominal), none, none, 64)
    assert start.numbers[found.possible].tolist() == [0, 1]
    assert not found.certain.any()


def test_a_function_without_a_form_for_ranges_is_named_where_an_unknown_reaches_it():
    product = Product("", (axis("a", [1.0, 2.0, 3.0]),), {"u": 1.0}, {"u": "1"})
    functions = [function("time", "a u", lambda a, u: u / a, points_only=True), function("power", "a", lambda a: a)]
    problem = Case([product], functions, {"time": "min", "power": "min"}).problem()
    unknown = uncertain_problem(problem, [U])
    with pytest.raises(PointsOnly, match="time"):
        search_possible(unknown, search(problem).numbers)
    # An error of what it gives is no argument of it.
    error = uncertain_problem(problem, [Unknown("time", -0.1, 0.1, scope="design")])
    assert search_possible(error, search(problem).numbers).numbers.tolist() == [0, 1, 2]


def test_equal_points_beat_nothing():
    points = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [0.0, np.inf]])
    assert dominated_by(points, points).tolist() == [False, False, True, False]
