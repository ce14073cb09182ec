"""Every method and every setting finds the frontier of the definition: the same designs, the same bits, ties kept."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function, part, random_case, run_chunks
from example_counts import examples

import dse.evaluation.plan as planning
import dse.search.frontier.archive
from dse.errors import InputError, NonFiniteError
from dse.search.account.progress import Callbacks
from dse.search.bundles import bundles
from dse.search.bundles.bundles import BundleProduct
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Worker
from dse.search.start.warm_start import warm_start
from dse.space.design_space import Product


@pytest.fixture
def small(monkeypatch):
    """Settings of large spaces on small ones: early joins, many levels, many merges."""

    def apply(limit=4.0, buffer=20, fewest=4):
        monkeypatch.setattr(planning, "_LIMITS", (limit,))
        planning._cached.cache_clear()
        monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", buffer)
        monkeypatch.setattr(bundles, "_FEWEST_BOXES", fewest)
        monkeypatch.setattr(bundles, "_PIECE", 5)
        monkeypatch.setattr(bundles, "_POINTS", 3)

    yield apply
    planning._cached.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("group", range(8))
def test_random_systems_every_method_equals_the_definition(group, small):
    count = examples(30)
    for seed in range(group * count, group * count + count):
        rng = np.random.default_rng(seed)
        case = random_case(rng, largest=800)
        answer = case.answer()
        small(limit=float(rng.choice([1, 4, 30, 1e6])))
        problem = case.problem()
        block, chunk, inner = int(rng.integers(1, 60)), int(rng.integers(1, 300)), int(rng.integers(1, 9))
        numbers, values, evaluated = run_chunks(ExhaustiveProduct, problem, block=block, chunk=chunk)
        answer.assert_equals(numbers, values)
        assert evaluated == answer.designs
        numbers, values, evaluated = run_chunks(
            BundleProduct, problem, inner=inner, chunk=chunk, table_entries=int(rng.choice([9, 100, 5000]))
        )
        answer.assert_equals(numbers, values)
        assert evaluated <= answer.designs


@pytest.mark.slow
@pytest.mark.parametrize("objectives", range(1, 7))
def test_one_to_six_objectives_equal_the_definition(objectives, small):
    for seed in range(1000 * objectives, 1000 * objectives + 8):
        case = random_case(np.random.default_rng(seed), objectives=objectives)
        answer = case.answer()
        for limit in (1.0, 1e6):
            small(limit=limit)
            for method in ("exhaustive", "bundles"):
                result = search(case.problem(), SearchOptions(method))
                answer.assert_equals(result.numbers, result.values)


@pytest.mark.slow
def test_random_systems_reach_the_code_they_are_meant_for(small):
    """Ties, constraints, joined functions, skipped designs and NaN-free values are frequent among the systems above."""
    ties = joined = skipped = infeasible = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        case = random_case(rng, largest=800)
        answer = case.answer()
        small(limit=4.0)
        problem = case.problem()
        ties += len(np.unique(answer.values, axis=0)) < len(answer.values)
        infeasible += 0 < answer.feasible < answer.designs
        joined += any(problem.evaluator(i).joined for i in range(len(case.products)))
        skipped += run_chunks(BundleProduct, problem, inner=2)[2] < answer.designs
    assert min(ties, joined, skipped, infeasible) >= 10


def test_any_block_chunk_and_order_of_chunks_give_the_same_bytes(small):
    rng = np.random.default_rng(77)
    case = random_case(rng, objectives=3, largest=1500)
    small(limit=8.0)
    problem = case.problem()
    answer = case.answer()
    for block in (1, 2, 7, 64, 10_000):
        for chunk in (1, 50, 10**9):
            answer.assert_equals(*run_chunks(ExhaustiveProduct, problem, "backward", block=block, chunk=chunk)[:2])
    for inner in (1, 2, 5, 100):
        for chunk in (1, 50, 10**9):
            answer.assert_equals(*run_chunks(BundleProduct, problem, "backward", inner=inner, chunk=chunk)[:2])


@pytest.mark.slow
def test_seeds_do_not_change_the_result(small, monkeypatch):
    monkeypatch.setattr("dse.search.start.warm_start._SMALLEST_SPACE", 0)
    monkeypatch.setattr("dse.search.start.warm_start._DESIGNS", 100)
    for seed in range(14):
        rng = np.random.default_rng(5000 + seed)
        case = random_case(rng)
        small(limit=float(rng.choice([2, 20])))
        answer = case.answer()
        for number in (0, 1, 2):
            for method in ("exhaustive", "bundles"):
                result = search(case.problem(number), SearchOptions(method))
                answer.assert_equals(result.numbers, result.values)


def test_seeds_are_feasible_designs_with_numbers_and_values_of_their_own(monkeypatch):
    monkeypatch.setattr("dse.search.start.warm_start._SMALLEST_SPACE", 0)
    monkeypatch.setattr("dse.search.start.warm_start._DESIGNS", 20)
    case = _grid()
    case.products.append(Product("other", tuple(reversed(case.products[0].axes[:2])) + case.products[0].axes[2:]))
    case.limits += [
        Limit("power <= 150", lambda v: v["power"] <= 150),
        Limit("energy >= 1500", lambda v: v["energy"] >= 1500),
        Limit("rate <= 60", lambda v: v["rate"] <= 60),
    ]
    problem = case.problem()
    points, numbers = warm_start(problem, [ExhaustiveProduct(problem, index) for index in range(2)])
    size = case.products[0].size
    assert (numbers < size).any()
    assert (numbers >= size).any()
    for index in range(2):
        every = case.every_quantity(index)
        here = numbers[numbers // size == index] - index * size
        assert all(limit.holds(every)[here].all() for limit in case.limits)
        expected = np.stack([every["time"][here], every["energy"][here]], axis=1)
        assert points[numbers // size == index].tolist() == expected.tolist()


def test_small_products_are_searched_first_and_start_the_others(small, monkeypatch):
    """The same frontier as of one stage; pieces of large products begin with the designs of small ones."""
    staged = 0
    for seed in range(60):
        case = random_case(np.random.default_rng(31_000 + seed), largest=400)
        problem = case.problem()
        sizes = [product.size for product in problem.space.products]
        if len(sizes) < 2:
            continue
        small(limit=5.0)
        monkeypatch.setattr("dse.search.plan.strategy._SMALL", max(sizes))
        begun = []
        for searched in (ExhaustiveProduct, BundleProduct):
            run = searched.run

            def noted(self, piece, seeds=None, tick=None, *, run=run, begun=begun):
                begun.append((self.index, None if seeds is None else frozenset(seeds[1].tolist())))
                return run(self, piece, seeds, tick)

            monkeypatch.setattr(searched, "run", noted)
        answer = case.answer()
        for method in ("exhaustive", "bundles", "groups"):
            begun.clear()
            result = search(problem, SearchOptions(method))
            if method != "groups":
                answer.assert_equals(result.numbers, result.values)
            large = {index for index, size in enumerate(sizes) if size == max(sizes)}
            if len(large) < len(sizes) and any(index in large for index, _ in begun):
                first = next(place for place, (index, _) in enumerate(begun) if index in large)
                assert all(index not in large for index, _ in begun[:first])
                staged += any(known for index, known in begun if index in large)
        monkeypatch.undo()
    assert staged > 20


@pytest.mark.slow
def test_certificate_counts_every_violated_constraint_and_the_feasible_designs(small):
    counted = 0
    for seed in range(70):
        rng = np.random.default_rng(9000 + seed)
        case = random_case(rng, largest=600)
        answer = case.answer()
        small(limit=float(rng.choice([2, 20, 1e6])))
        result = search(case.problem(), SearchOptions("exhaustive", block=int(rng.integers(1, 50))))
        certificate = result.certificate
        assert (certificate.method, certificate.exact) == ("exhaustive", True)
        assert (certificate.designs, certificate.evaluated) == (answer.designs, answer.designs)
        assert certificate.excluded_by_bound == 0
        assert certificate.feasible == answer.feasible
        assert certificate.infeasible == answer.violated
        counted += bool(answer.violated)
        bundled = search(case.problem(), SearchOptions("bundles")).certificate
        assert (bundled.feasible, bundled.infeasible) == (None, None)
        assert bundled.evaluated + bundled.excluded_by_bound == bundled.designs == answer.designs
    assert counted > 35


def _grid(count=8):
    """time and energy of a node count and a clock: bundles can be bounded well."""
    axes = (axis("n", range(1, count + 1)), axis("f", range(1, count + 1)), axis("c", range(1, 2 * count + 1)))
    functions = [
        function("rate", "n f c", lambda n, f, c: n * f * c),
        function("time", "rate n", lambda rate, n: 1000.0 / rate + n),
        function("power", "n f c", lambda n, f, c: n * (3.0 + f * f * c)),
        function("energy", "power time", lambda power, time: power * time),
    ]
    return Case([Product("", axes)], functions, {"time": "min", "energy": "min"})


def test_bundles_skip_designs_where_bounds_are_good(small):
    small(limit=20.0)
    case = _grid()
    case.limits.append(Limit("power <= 300", lambda v: v["power"] <= 300))
    answer = case.answer()
    numbers, values, evaluated = run_chunks(BundleProduct, case.problem(), inner=4)
    answer.assert_equals(numbers, values)
    assert evaluated < 0.5 * answer.designs


def test_chunks_of_boxes_hold_every_box_once_also_where_the_last_is_shorter(small):
    small(limit=20.0, fewest=64)
    case = _grid()
    answer = case.answer()
    shorter = 0
    for chunk in (30, 120, 200, 333):
        search = BundleProduct(case.problem(), 0, inner=4, chunk=chunk)
        pieces = search.pieces
        assert [start for start, _ in pieces] == [0, *(stop for _, stop in pieces[:-1])]
        assert pieces[-1][1] == search.boxes
        shorter += pieces[-1][1] - pieces[-1][0] < pieces[0][1]
        answer.assert_equals(*run_chunks(BundleProduct, case.problem(), inner=4, chunk=chunk)[:2])
    assert shorter > 1


def test_tables_for_one_search_alone_go_as_they_are_laid_out_and_others_stay(small):
    small(limit=20.0)
    case = _grid()
    problem = case.problem()
    kept, own = problem.evaluator(0), problem.evaluator(0)
    before = {name: table.copy() for name, table in kept.cut.items()}
    BundleProduct(problem, 0, evaluator=kept, inner=4)
    search = BundleProduct(problem, 0, evaluator=own, inner=4, take_tables=True)
    assert all((kept.cut[name] == table).all() for name, table in before.items())
    assert own.cut == {}
    assert own.table_bytes == kept.table_bytes == sum(table.nbytes for table in before.values()) > 0
    found = [search.run(piece) for piece in range(len(search))]
    numbers = np.concatenate([one.numbers for one in found])
    assert set(case.answer().numbers.tolist()) <= set(numbers.tolist())
    case.answer().assert_equals(*run_chunks(BundleProduct, problem, inner=4, take_tables=True)[:2])


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_a_design_meets_every_one_of_several_constraints(small, method):
    small(limit=20.0)
    case = _grid()
    case.limits += [
        Limit("power <= 150", lambda v: v["power"] <= 150),
        Limit("energy >= 1500", lambda v: v["energy"] >= 1500),
        Limit("rate <= 60", lambda v: v["rate"] <= 60),
    ]
    answer = case.answer()
    for limit in case.limits:  # without any of them it is another one
        fewer = Case(case.products, case.functions, case.senses, [one for one in case.limits if one is not limit])
        assert fewer.answer().numbers.tolist() != answer.numbers.tolist()
    result = search(case.problem(), SearchOptions(method))
    answer.assert_equals(result.numbers, result.values)


def test_bundles_are_bounded_by_the_most_of_what_is_maximised(small):
    small(limit=20.0)
    case = _grid()
    case.functions.append(function("gain", "n f c", lambda n, f, c: np.abs(n - 4.0) * f - 0.1 * (c - 7.0) * (c - 7.0)))
    case = Case(case.products, case.functions, {"gain": "max", "time": "min", "energy": "min"})
    answer = case.answer()
    looked_at = []
    for inner in (1, 2, 4, 8):
        numbers, values, evaluated = run_chunks(BundleProduct, case.problem(), inner=inner)
        answer.assert_equals(numbers, values)
        looked_at.append(evaluated)
    assert max(looked_at[:3]) < answer.designs


def test_bundles_skip_most_of_a_space_that_is_infeasible(small):
    small(limit=20.0)
    case = _grid()
    case.limits.append(Limit("power > 1e9", lambda v: v["power"] > 1e9))
    for method in ("exhaustive", "bundles"):
        result = search(case.problem(), SearchOptions(method))
        assert (result.numbers.shape, result.values.shape) == ((0,), (0, 2))
        assert result.certificate.evaluated == (1024 if method == "exhaustive" else 0)
    assert search(case.problem()).certificate.feasible == 0


def test_designs_of_axes_that_nothing_depends_on_are_all_kept(small):
    axes = (axis("a", [1, 2, 3]), axis("idle", range(7)), axis("b", [4, 5]), axis("idle_too", range(3)))
    case = Case([Product("", axes)], [function("x", "a b", lambda a, b: a + b)], {"x": "min"})
    answer = case.answer()
    assert len(answer.numbers) == 21
    for limit in (1.0, 1e6):
        small(limit=limit)
        for method in ("exhaustive", "bundles"):
            result = search(case.problem(), SearchOptions(method))
            answer.assert_equals(result.numbers, result.values)


def test_alternatives_without_axes_are_single_designs(monkeypatch):
    monkeypatch.setattr("dse.search.start.warm_start._SMALLEST_SPACE", 0)
    one = Product("one", (), {"a": 2.0, "b": 1.0})
    more = Product("more", (axis("a", [1, 2, 3]),), {"b": 1.0})
    functions = [function("x", "a b", lambda a, b: a + b), function("y", "a b", lambda a, b: a * b - 3 * a)]
    case = Case([one, more, one], functions, {"x": "min", "y": "min"}, [Limit("x < 4", lambda v: v["x"] < 4)])
    for method in ("exhaustive", "bundles"):
        result = search(case.problem(), SearchOptions(method))
        case.answer().assert_equals(result.numbers, result.values)
        assert result.numbers.tolist() == [0, 1, 2, 4]


def test_negative_zero_ties_with_zero_and_is_returned_as_zero(small):
    small(limit=1.0, buffer=1)
    functions = [function("x", "a b", lambda a, b: a * b), function("y", "a c", lambda a, c: c - a)]
    axes = (axis("a", [4, -1, 0]), axis("b", [0, 1]), axis("c", [0, 1]))
    for senses in ({"x": "min", "y": "min"}, {"x": "max", "y": "max"}, {"y": "min", "x": "min"}):
        case = Case([Product("", axes)], functions, senses)
        for method in ("exhaustive", "bundles"):
            result = search(case.problem(), SearchOptions(method, block=1 if method == "exhaustive" else None))
            case.answer().assert_equals(result.numbers, result.values)
            assert not np.signbit(result.values[result.values == 0]).any()


def test_values_below_what_the_filter_has_seen_are_not_lost(small):
    """The archive holds one value of an objective when zero, negative zero and negative values arrive."""
    small(limit=1.0, buffer=1)
    axes = (axis("a", [4, 0, -2, -4]), axis("sign", [1, -1]), axis("b", [1, 9]))
    functions = [function("x", "a sign", lambda a, sign: np.maximum(a, -3) * (sign * sign) + 0.0 * sign)]
    functions.append(function("y", "b sign", lambda b, sign: b + sign))
    functions.append(function("zero", "a sign", lambda a, sign: np.where(a > 0, 4.0, 0.0 * (sign - 2))))
    for first in ("x", "zero"):
        case = Case([Product("", axes)], functions, {first: "min", "y": "min"})
        numbers, values, _ = run_chunks(ExhaustiveProduct, case.problem(), block=1)
        case.answer().assert_equals(numbers, values)


# --- what is not finite -------------------------------------------------------------------------------------------


def _broken(value, where, limits=(), senses=None):
    """Design `where` (a, b) of 8 x 16 gets `value` in the quantity 'bad'."""

    def bad(a, b):
        return np.where((a == where[0]) & (b == where[1]), value, a + b)

    axes = (axis("a", range(8)), axis("b", range(16)))
    functions = [
        function("bad", "a b", bad),
        function("x", "bad a", lambda bad, a: bad * 2 + a),
        function("y", "a b", lambda a, b: 40 - a - b),
        function("z", "a b", lambda a, b: a * a + b),
    ]
    return Case([Product("", axes)], functions, senses or {"x": "min", "y": "min"}, list(limits))


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
@pytest.mark.parametrize("limit", [1.0, 1e6])
def test_an_objective_that_is_not_finite_names_the_design_and_the_first_quantity(
    seeded, value, method, limit, small, monkeypatch
):
    """Also where the design is dominated from the start: its bundle is looked into."""
    small(limit=limit)
    if seeded:
        monkeypatch.setattr("dse.search.start.warm_start._SMALLEST_SPACE", 0)
    for senses in (
        {"x": "min", "y": "min"},
        {"x": "max", "y": "min"},
        {"y": "min", "x": "max"},
        {"x": "min", "y": "max"},
        {"x": "min", "z": "min", "y": "max"},
        {"x": "min"},
    ):
        for where in ((0, 0), (7, 15), (3, 8)):
            case = _broken(value, where, senses=senses)
            number = where[0] * 16 + where[1]
            with pytest.raises(NonFiniteError) as caught:
                search(case.problem(), SearchOptions(method))
            assert str(caught.value) == (
                f"the objective 'x' of design {number} (a = {where[0]}, b = {where[1]}) is not a finite number; "
                f"the first quantity that is not finite is 'bad' (bad): {value}"
            )


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
@pytest.mark.parametrize("limit", [1.0, 1e6])
def test_nan_in_what_a_constraint_reads_is_an_error_wherever_the_design_stands(method, limit, small):
    small(limit=limit)
    limits = [Limit("x <= 20", lambda v: v["x"] <= 20), Limit("a + b <= 3", lambda v: v["a"] + v["b"] <= 3)]
    for where in ((0, 0), (7, 15), (3, 8)):
        for chosen in (limits[:1], limits, limits[::-1]):
            case = _broken(np.nan, where, chosen, {"y": "max"})
            with pytest.raises(NonFiniteError) as caught:
                search(case.problem(), SearchOptions(method))
            number = where[0] * 16 + where[1]
            assert str(caught.value) == (
                f"'x' in the constraint 'x <= 20' of design {number} (a = {where[0]}, b = {where[1]}) is not a "
                "finite number; the first quantity that is not finite is 'bad' (bad): nan"
            )


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_an_infinite_operand_of_a_constraint_only_decides_it(method, small):
    small(limit=1.0)
    case = _broken(np.inf, (3, 8), [Limit("x <= 20", lambda v: v["x"] <= 20)], {"y": "max"})
    result = search(case.problem(), SearchOptions(method))
    case.answer().assert_equals(result.numbers, result.values)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_an_infeasible_design_may_have_an_objective_that_is_not_finite(value, method, small):
    for limit in (1.0, 1e6):
        small(limit=limit)
        case = _broken(value, (3, 8), [Limit("a != 3", lambda v: v["a"] != 3)])
        result = search(case.problem(), SearchOptions(method))
        case.answer().assert_equals(result.numbers, result.values)


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_nothing_divided_by_nothing_is_found_behind_a_clip(method, small):
    """0 / 0 is NaN in one design; clip makes infinite bounds finite, but not NaN."""
    small(limit=1.0)
    axes = (axis("a", range(6)), axis("b", range(6)), axis("c", range(4)))
    functions = [
        function("share", "a b c", lambda a, b, c: np.clip(a / b, 0.0, 1.0) + c),
        function("y", "a b c", lambda a, b, c: a + b - c),
    ]
    case = Case([Product("", axes)], functions, {"share": "max", "y": "max"})
    with pytest.raises(NonFiniteError) as caught:
        search(case.problem(), SearchOptions(method))
    assert "the first quantity that is not finite is 'share' (share): nan" in str(caught.value)


def test_a_huge_but_finite_objective_is_no_error(small):
    """The sum over a block overflows; every value is finite."""
    small(limit=1.0)
    axes = (axis("a", [1e308, 1.2e308, 1.5e308]), axis("b", [1, 0.5]))
    case = Case([Product("", axes)], [function("x", "a b", lambda a, b: a * b)], {"x": "max"})
    for method in ("exhaustive", "bundles"):
        result = search(case.problem(), SearchOptions(method))
        case.answer().assert_equals(result.numbers, result.values)


# --- functions without a range form -------------------------------------------------------------------------------


def _no_range_form(a, b):
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for index in np.ndindex(result.shape):
        result[index] = float(np.broadcast_to(a, result.shape)[index]) - float(np.broadcast_to(b, result.shape)[index])
    return result


def test_a_joined_function_without_a_range_form_is_tabulated(small):
    small(limit=1.0)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(4)))
    functions = [
        function("odd", "a b", _no_range_form),
        function("x", "odd c", lambda odd, c: odd * c),
        function("y", "odd c", lambda odd, c: c - odd),
    ]
    case = Case([Product("", axes)], functions, {"x": "min", "y": "max"})
    result = search(case.problem(), SearchOptions("bundles"))
    case.answer().assert_equals(result.numbers, result.values)
    assert (result.certificate.method, result.certificate.reason) == ("bundles", "asked for")


def test_plain_search_is_used_and_named_where_the_table_would_be_too_large(small, monkeypatch):
    small(limit=1.0)
    monkeypatch.setattr("dse.search.plan.worker._LARGEST_FORCED", 20)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(4)))
    functions = [function("odd", "a b", _no_range_form), function("x", "odd c", lambda odd, c: odd * c)]
    for name in ("", "torus"):
        case = Case([Product(name, axes)], functions, {"x": "min"})
        result = search(case.problem(), SearchOptions("bundles"))
        case.answer().assert_equals(result.numbers, result.values)
        where = " in 'torus'" if name else ""
        assert result.certificate.method == "exhaustive"
        assert result.certificate.reason == (
            f"asked for; every design was evaluated{where}, because odd fails: TypeError: np.broadcast_to has no form "
            "for ranges; write the small shape; the engine broadcasts"
        )
        assert result.certificate.evaluated == 120
        assert result.certificate.feasible == 120


def test_points_only_functions_and_readers_of_texts_stay_out_of_the_loop(small):
    small(limit=1.0)
    kinds = part("kind", kind_name=["torus", "tree", "mesh"], hops=[4.0, 2.0, 6.0])
    axes = (kinds, axis("a", range(5)), axis("b", range(6)))
    functions = [
        function("penalty", "kind_name", lambda kind_name: np.where(kind_name == "tree", 7.0, 1.0)),
        function("nature", "kind_name", lambda kind_name: np.where(kind_name == "tree", "t", "o").astype(object)),
        function("odd", "a b", _no_range_form, points_only=True),
        function("x", "odd penalty hops", lambda odd, penalty, hops: odd * penalty + hops),
        function("y", "a hops", lambda a, hops: a * hops),
    ]
    functions[1].gives["nature"] = "text"
    limits = [
        Limit("kind_name != 'mesh' or x < 3", lambda v: (v["kind_name"] != "mesh") | (v["x"] < 3)),
        Limit("nature == 'o' or y < 9", lambda v: (v["nature"] == "o") | (v["y"] < 9)),
    ]
    for chosen in ([], limits[:1], limits[1:], limits):
        case = Case([Product("", axes)], functions, {"x": "min", "y": "max"}, chosen)
        problem = case.problem()
        tabulated = {problem.systems[0].graph.functions[p].name for p in problem.evaluator(0).plan.tabulated}
        assert {"odd", "penalty"} <= tabulated
        for method in ("exhaustive", "bundles"):
            result = search(problem, SearchOptions(method))
            case.answer().assert_equals(result.numbers, result.values)


# --- alternatives -------------------------------------------------------------------------------------------------


def test_alternatives_with_other_components_behind_the_same_constraints_are_kept_apart(small):
    """The component that only a constraint reads depends on other axes in each alternative."""
    axes = (axis("a", range(4)), axis("b", range(5)))
    products = [Product("one", axes), Product("two", axes)]
    shared = [function("x", "a b", lambda a, b: a - b), function("u", "a", lambda a: a * 2)]
    own = [[function("w", "a", lambda a: a * 1.0)], [function("w", "b", lambda b: b * 1.0)]]
    limits = [Limit("u >= 0", lambda v: v["u"] >= 0), Limit("w >= 2", lambda v: v["w"] >= 2)]
    case = Case(products, shared, {"x": "min"}, limits, per_product=own)
    for limit in (1.0, 1e6):
        small(limit=limit)
        problem = case.problem()
        names = {constraint.quantity for constraint in problem.systems[0].constraints}
        same = {one.name: one for one in problem.systems[0].graph.functions if one.name in names}
        graph = problem.systems[1].graph
        graph = replace(graph, functions=tuple(same.get(f.name, f) for f in graph.functions))
        problem = replace(problem, systems=(problem.systems[0], replace(problem.systems[1], graph=graph)))
        for method in ("exhaustive", "bundles"):
            result = search(problem, SearchOptions(method))
            case.answer().assert_equals(result.numbers, result.values)


# --- options, account, processes, memory --------------------------------------------------------------------------


def test_auto_takes_plain_search_for_small_spaces_and_bundles_for_large_ones(monkeypatch):
    case = _grid(4)
    result = search(case.problem())
    assert (result.certificate.method, result.certificate.reason) == (
        "exhaustive",
        "128 designs are quickly looked at one by one",
    )
    monkeypatch.setattr("dse.search.plan.strategy._BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.strategy._PRODUCT_BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.work._LOOK", 1e12)
    result = search(case.problem())
    assert (result.certificate.method, result.certificate.reason) == (
        "bundles",
        "128 designs: bundles of alike designs are excluded by bounds",
    )
    result = search(case.problem(), SearchOptions(count_infeasible=True))
    assert (result.certificate.method, result.certificate.reason) == (
        "exhaustive",
        "infeasible designs are to be counted",
    )


def test_small_alternatives_of_a_large_space_are_looked_at_one_by_one(monkeypatch):
    """To make the bundles of ten thousand small alternatives takes longer than to evaluate their designs."""
    monkeypatch.setattr("dse.search.plan.strategy._BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.strategy._PRODUCT_BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.work._LOOK", 1e12)
    function_of_x = [function("f", "x y", lambda x, y: x * y), function("g", "x y", lambda x, y: y - x)]
    x, few, many = axis("x", range(1, 11)), axis("y", range(1, 4)), axis("y", range(1, 31))
    small = [Product(f"small {index}", (x, few)) for index in range(20)]
    large = Product("large", (x, many))
    case = Case([*small, large], function_of_x, {"f": "min", "g": "max"})
    worker = Worker(case.problem(), Strategy.choose(SearchOptions(), [product.size for product in case.products]))
    assert [one.method for one in worker.searches] == ["exhaustive"] * 20 + ["bundles"]
    case = Case(small, function_of_x, {"f": "min", "g": "max"})
    found = search(case.problem())
    assert (found.certificate.method, found.certificate.reason) == (
        "exhaustive",
        "600 designs in alternatives that are quickly looked at one by one",
    )


def test_wrong_options_are_refused():
    with pytest.raises(InputError) as caught:
        SearchOptions("bundels")
    assert str(caught.value) == (
        "search.method: unknown method 'bundels'; allowed: auto, exhaustive, bundles, groups, evolve; "
        "did you mean 'bundles'?"
    )
    with pytest.raises(InputError) as caught:
        SearchOptions("bundles", count_infeasible=True)
    assert str(caught.value) == (
        "search.count_infeasible: bundles skip designs, so infeasible ones cannot be counted; "
        "allowed: method = 'exhaustive' or 'auto'"
    )


def test_certificate_states_the_rule_for_ties_and_is_plain_data():
    certificate = search(_grid(3).problem()).certificate
    assert certificate.ties == (
        "every design of the space that no other design beats is kept, designs with equal objectives included"
    )
    assert json.loads(json.dumps(certificate.as_dict()))["designs"] == 54


def test_a_transcendental_operation_in_the_loop_is_a_warning(small):
    small(limit=1.0)
    axes = (axis("a", [1, 2, 3]), axis("b", [1, 2]))
    case = Case([Product("", axes)], [function("x", "a b", lambda a, b: np.exp(a) * np.log(b))], {"x": "min"})
    assert search(case.problem()).certificate.warnings == (
        "x is computed per block with exp, log, whose last bit may depend on the processor: near-ties may fall "
        "differently elsewhere",
    )


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_progress_ends_at_the_size_of_the_space(method, small):
    small(limit=4.0)
    seen = []
    search(_grid().problem(), SearchOptions(method), listener=Callbacks(lambda done, found: seen.append(done)))
    assert seen == sorted(seen)
    assert seen[-1] == 1024


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_progress_is_of_decided_designs_and_moves_in_every_method(method, small, monkeypatch):
    """Excluded designs count as they are excluded, pruned ones as their groups are reduced: no bar stands at 0 %."""
    small(limit=4.0)
    monkeypatch.setattr("dse.search.groups.nested_groups._FEWEST_ROWS", 2)
    monkeypatch.setattr("dse.search.groups.reduced_product._BUNDLES_FROM", 0)
    told, phases = [], []
    case = _grid()
    result = search(
        case.problem(),
        SearchOptions(method, block=100),
        listener=Callbacks(lambda done, _: told.append(done), phases.append),
    )
    shares = [done / result.certificate.designs for done in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len({share for share in shares if 0 < share < 1}) >= 3
    assert phases[0] == "making tables"
    assert phases[-1] == ("searching" if result.certificate.method == "exhaustive" else "excluding by bounds")


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_progress_counts_every_design_once_when_some_chunks_are_left(missing, small, monkeypatch):
    """With two processes and one chunk to go, that chunk is searched here: it was counted twice."""
    small(limit=4.0)
    monkeypatch.setitem(ExhaustiveProduct.__init__.__kwdefaults__, "chunk", 200)
    monkeypatch.setitem(ExhaustiveProduct.__init__.__kwdefaults__, "block", 200)
    case = _grid()
    options = SearchOptions("exhaustive", jobs=2, block=200)
    ledger, told = MemoryLedger(), []
    search(case.problem(), SearchOptions("exhaustive", block=200), ledger=ledger)
    assert len(ledger.kept) > 3
    for chunk in list(ledger.kept)[:missing]:
        del ledger.kept[chunk]
    monkeypatch.setattr("dse.search.schedule.pieces.forks_safely", lambda: False)
    monkeypatch.setattr("dse.search.schedule.pieces.Processes", lambda *_: _Stand(case.problem()))
    search(case.problem(), options, factory=case, ledger=ledger, listener=Callbacks(lambda done, _: told.append(done)))
    assert told[-1] == case.products[0].size
    assert told == sorted(told)


class _Stand:
    """Stands in for the processes of a search; chunks are finished from the last to the first."""

    count = 2

    def __init__(self, problem):
        self.problem = problem

    def map(self, strategy, seeds, chunks, finished):
        worker = Worker(self.problem, strategy, seeds)
        results = {chunk: worker.run(chunk) for chunk in chunks}
        for chunk in reversed(chunks):
            finished(chunk, results[chunk])
        return iter(results.items())


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_whoever_runs_the_chunks_and_in_whatever_order_the_result_is_the_same(method, small, monkeypatch):
    small(limit=4.0)
    for searcher in (ExhaustiveProduct, BundleProduct):
        monkeypatch.setitem(searcher.__init__.__kwdefaults__, "chunk", 100)
    case, told = _grid(), []
    here, elsewhere = MemoryLedger(), MemoryLedger()
    one = search(case.problem(), SearchOptions(method, block=10), ledger=here)
    two = search(
        case.problem(),
        SearchOptions(method, block=10),
        ledger=elsewhere,
        workers=_Stand(case.problem()),
        listener=Callbacks(lambda done, _: told.append(done)),
    )
    assert list(elsewhere.kept) == list(here.kept)[::-1]
    assert (two.numbers.tobytes(), two.values.tobytes()) == (one.numbers.tobytes(), one.values.tobytes())
    assert two.certificate == one.certificate
    assert (two.counters["jobs"], two.counters["chunks"]) == (2, one.counters["chunks"])
    assert told == sorted(told)
    assert told[-1] == case.products[0].size


class MemoryLedger:
    def __init__(self):
        self.kept = {}

    def load_rounds(self):
        return None

    def load(self, chunk):
        return self.kept.get(chunk)

    def store(self, chunk, result):
        self.kept[chunk] = result


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_chunks_kept_in_a_ledger_are_not_searched_again_and_change_nothing(method, small, monkeypatch):
    small(limit=4.0)
    for searcher in (ExhaustiveProduct, BundleProduct):
        monkeypatch.setitem(searcher.__init__.__kwdefaults__, "chunk", 100)
    case = _grid()
    ledger = MemoryLedger()
    first = search(case.problem(), SearchOptions(method, block=10), ledger=ledger)
    assert len(ledger.kept) == first.counters["chunks"] > 3
    for chunk in list(ledger.kept)[::2]:
        del ledger.kept[chunk]
    again = search(case.problem(), SearchOptions(method, block=10), ledger=ledger)
    case.answer().assert_equals(again.numbers, again.values)
    assert again.certificate == first.certificate


class Made:
    """Makes a case in a worker, with small chunks."""

    def __init__(self, count):
        self.count = count

    def problem(self):
        for searcher in (ExhaustiveProduct, BundleProduct):
            searcher.__init__.__kwdefaults__["chunk"] = 100
        bundles._FEWEST_BOXES = 16
        return _grid(self.count).problem()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_two_processes_give_the_same_bytes_and_counts_search_after_search(method, monkeypatch, own_workers):
    for name in (__name__, "engine_problems"):
        cloudpickle.register_pickle_by_value(sys.modules[name])
    for searcher in (ExhaustiveProduct, BundleProduct):
        monkeypatch.setitem(searcher.__init__.__kwdefaults__, "chunk", 100)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 16)
    for count in (8, 5, 8):
        case = _grid(count)
        one = search(case.problem(), SearchOptions(method, block=10))
        two = search(case.problem(), SearchOptions(method, jobs=2, block=10), factory=Made(count))
        assert (two.counters["jobs"], one.counters["jobs"]) == (2, 1)
        assert two.counters["chunks"] == one.counters["chunks"] > 1
        case.answer().assert_equals(two.numbers, two.values)
        assert two.values.tobytes() == one.values.tobytes()
        assert two.certificate == one.certificate


_LARGE = """
import resource, sys
sys.path.insert(0, {tests!r})
from engine_problems import *
from dse.search.driver import SearchOptions, search
axes = tuple(axis(name, range(1, 11)) for name in "abcdefg")
functions = [
    function("node", "a b c d", lambda a, b, c, d: 3.0 * a + b * c + 40.0 / d),
    function("net", "e f", lambda e, f: 60.0 / e + f),
    function("time", "node net g", lambda node, net, g: node / g + net),
    function("energy", "node net g", lambda node, net, g: (g + 5.0) / node + 9.0 / net),
    function("cost", "g e a d", lambda g, e, a, d: g * (e + d) + a),
]
problem = Case([Product("", axes)], functions, {{"time": "min", "energy": "min", "cost": "min"}}).problem()
results = [search(problem, SearchOptions(method)) for method in ("exhaustive", "bundles")]
assert results[0].numbers.tobytes() == results[1].numbers.tobytes()
assert results[0].values.tobytes() == results[1].values.tobytes()
assert results[0].certificate.designs == 10**7 and len(results[0].numbers) > 100
# ru_maxrss would count the process that started this one.
linux = sys.platform == "linux"
peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")] if linux else []
print(int(peak[0] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 1024)
"""


@pytest.mark.slow
def test_ten_million_designs_are_searched_in_less_than_300_mib():
    script = _LARGE.format(tests=str(Path(__file__).parents[2]))
    root = Path(__file__).parents[3]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 300
